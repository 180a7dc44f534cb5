// Union, intersection and difference of sets of members with scores, apart from the commands'
// syntax.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "rung/base/result.h"
#include "rung/store/keyspace.h"
#include "rung/types/sorted_set.h"

namespace rung {

// One input: members with scores, whatever type holds them. Valid until its key changes.
class MemberSource {
 public:
  // A missing key counts as an empty set. Errors: kWrongType.
  static Result<MemberSource> Read(Database& db, std::string_view key);

  std::size_t size() const { return sorted_ == nullptr ? 0 : sorted_->size(); }
  std::optional<double> Score(std::string_view member) const {
    return sorted_ == nullptr ? std::nullopt : sorted_->Score(member);
  }
  // Calls visit(std::string_view member, double score) for each until it returns false.
  template <typename Visit>
  void ForEach(Visit visit) const {
    if (sorted_ == nullptr) return;
    for (SortedSet::Cursor cursor = sorted_->First(); cursor.Valid(); cursor.Next()) {
      if (!visit(cursor.member(), cursor.score())) return;
    }
  }

 private:
  const SortedSet* sorted_ = nullptr;  // Null: empty.
};

struct WeightedSource {
  MemberSource source;
  double weight = 1.0;
};

// How the scores of a member that several inputs have become one.
enum class Aggregate : std::uint8_t { kSum, kMin, kMax };

// Each takes its inputs by value, to put them in the order that costs least. Fills `result`, which
// must be empty, and never fails unless it becomes full. Sums of infinities of both signs are 0.
std::optional<Error> Unite(std::vector<WeightedSource> inputs, Aggregate aggregate,
                           SortedSet& result);
std::optional<Error> Intersect(std::vector<WeightedSource> inputs, Aggregate aggregate,
                               SortedSet& result);
// What the first input has and none of the others. Weights do not count.
std::optional<Error> Subtract(std::vector<WeightedSource> inputs, SortedSet& result);

// Counts the members that all inputs have, up to `limit` (0: all).
std::size_t CountCommon(std::vector<WeightedSource> inputs, std::size_t limit);

}  // namespace rung

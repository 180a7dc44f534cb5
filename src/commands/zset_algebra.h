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
#include "rung/types/set.h"
#include "rung/types/sorted_set.h"

namespace rung {

// One input: members with scores, whatever type holds them. Valid until its key changes.
class MemberSource {
 public:
  // A missing key counts as an empty set; the members of a Set score 1 each. Errors: kWrongType.
  static Result<MemberSource> Read(Database& db, std::string_view key);

  std::size_t size() const;
  std::optional<double> Score(std::string_view member) const;
  // Calls visit(std::string_view member, double score) for each. `visit` returns false when it has
  // seen enough; it must not change the input.
  template <typename Visit>
  void ForEach(Visit visit) const;

 private:
  // At most one is set.
  const SortedSet* sorted_ = nullptr;
  const Set* plain_ = nullptr;
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

template <typename Visit>
void MemberSource::ForEach(Visit visit) const {
  if (plain_ != nullptr) {
    bool goes_on = true;
    plain_->ForEach([&](std::string_view member) {
      if (goes_on) goes_on = visit(member, 1.0);
    });
    return;
  }
  if (sorted_ == nullptr) return;
  for (SortedSet::Cursor cursor = sorted_->First(); cursor.Valid(); cursor.Next()) {
    if (!visit(cursor.member(), cursor.score())) return;
  }
}

}  // namespace rung

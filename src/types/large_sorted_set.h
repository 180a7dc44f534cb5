// LargeSortedSet: the large form of a sorted set: records, their order, and an index by member.
//
// Invariants, checked by CheckInvariants():
//   1. Order and index hold exactly the live records.
//   2. Those of the three parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rung/base/hash.h"
#include "rung/base/memory.h"
#include "rung/base/rng.h"
#include "rung/types/extendible_table.h"
#include "rung/types/sorted_set.h"
#include "types/blocked_skiplist.h"
#include "types/score_records.h"

namespace rung {

class LargeSortedSet {
 public:
  using Handle = ScoreRecords::Handle;

  LargeSortedSet(Rng* rng, const SmallFormLimit* limit) : limit_(limit), order_(rng, &records_) {}

  Rng* rng() const { return order_.rng(); }
  const SmallFormLimit* limit() const { return limit_; }
  std::size_t size() const { return records_.size(); }
  std::size_t MemoryBytes() const;
  const ScoreRecords& records() const { return records_; }
  const BlockedSkiplist& order() const { return order_; }

  // Whether one more member may be added.
  bool HasRoom() const { return records_.HasRoom(); }

  std::optional<Handle> Find(std::string_view member, std::uint64_t hash) const;
  // Hints: a member's place in the index, and the record that is there.
  void PrefetchMember(std::uint64_t hash) const { index_.Prefetch(hash); }
  void PrefetchRecord(std::uint64_t hash) const;
  double Score(Handle handle) const { return records_.Score(handle); }
  std::size_t Rank(Handle handle) const;

  // Requires that `member` is absent, `hash` is HashBytes(member), and HasRoom().
  void Add(std::string_view member, std::uint64_t hash, double score);
  void Move(Handle handle, double score);
  bool Remove(std::string_view member);
  // Requires that the members exist.
  void RemoveRank(std::size_t first, std::size_t count);
  void DropEnd(ZEnd end, std::size_t count);

  template <typename Visit>
  std::uint64_t Scan(std::uint64_t cursor, Visit visit) const;

  void CheckInvariants() const;

 private:
  struct MemberOf {
    const ScoreRecords* records;
    std::string_view operator()(Handle handle) const { return records->Member(handle); }
  };

  BlockedSkiplist::Entry EntryOf(Handle handle) const {
    return {records_.Score(handle), records_.Member(handle), handle};
  }
  void Forget(Handle handle);
  // Moves up to `count` records out of sparse slabs.
  void Compact(std::size_t count);
  void PrefetchForPops(ZEnd end) const;

  const SmallFormLimit* limit_;
  ScoreRecords records_;
  BlockedSkiplist order_;
  ExtendibleTable<Handle, MemberOf> index_{MemberOf{&records_}};
};

template <typename Visit>
std::uint64_t LargeSortedSet::Scan(std::uint64_t cursor, Visit visit) const {
  return index_.Scan(
      cursor, [&](Handle handle) { visit(records_.Member(handle), records_.Score(handle)); });
}

}  // namespace rung

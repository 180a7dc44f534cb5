// The large form of a sorted set: keeps its three parts in step.

#include "types/large_sorted_set.h"

#include <algorithm>

#include "rung/base/check.h"

namespace rung {

std::size_t LargeSortedSet::MemoryBytes() const {
  return sizeof(*this) + records_.MemoryBytes() + order_.MemoryBytes() + index_.MemoryBytes();
}

std::optional<LargeSortedSet::Handle> LargeSortedSet::Find(std::string_view member,
                                                           std::uint64_t hash) const {
  const Handle* const slot = index_.Find(member, hash);
  if (slot == nullptr) return std::nullopt;
  return *slot;
}

std::size_t LargeSortedSet::Rank(Handle handle) const {
  const BeforeKey through = {records_.Score(handle), records_.Member(handle), true};
  return order_.PartitionPoint(through).rank - 1;
}

void LargeSortedSet::Add(std::string_view member, std::uint64_t hash, double score) {
  BlockedSkiplist::Path way = order_.WayTo(score, member);
  const Handle handle = records_.Add(member, score);
  const std::uint32_t below = order_.CountBelow(way, score);
  index_.Insert(member, hash, handle);
  order_.Insert(way, below, {score, member, handle});
}

void LargeSortedSet::Move(Handle handle, double score) {
  order_.Move(EntryOf(handle), score);
  records_.SetScore(handle, score);
}

bool LargeSortedSet::Remove(std::string_view member) {
  const std::uint64_t hash = HashBytes(member);
  Handle* const slot = index_.Find(member, hash);
  if (slot == nullptr) return false;
  const Handle handle = *slot;
  order_.Erase(EntryOf(handle));
  index_.EraseAt(slot, hash);
  records_.Remove(handle);
  Compact(1);
  return true;
}

void LargeSortedSet::Forget(Handle handle) {
  const std::string_view member = records_.Member(handle);
  index_.Erase(member, HashBytes(member));
  records_.Remove(handle);
}

void LargeSortedSet::RemoveRank(std::size_t first, std::size_t count) {
  constexpr std::size_t kPortion = 64;  // So that compaction keeps up, slab by slab.
  while (count > 0) {
    const std::size_t portion = std::min(count, kPortion);
    order_.EraseRange(first, portion, [this](Handle handle) { Forget(handle); });
    Compact(portion);
    count -= portion;
  }
}

void LargeSortedSet::DropEnd(ZEnd end, std::size_t count) {
  const auto forget = [this](Handle handle) { Forget(handle); };
  for (; count > 0; --count) {
    PrefetchForPops(end);
    end == ZEnd::kLowest ? order_.EraseFront(1, forget) : order_.EraseBack(1, forget);
    Compact(1);
  }
}

void LargeSortedSet::Compact(std::size_t count) {
  for (; count > 0; --count) {
    const std::optional<Handle> from = records_.FindMovable();
    if (!from) return;
    const std::string_view member = records_.Member(*from);
    Handle* const slot = index_.Find(member, HashBytes(member));
    order_.ChangeHandle(EntryOf(*from), [&] { return *slot = records_.Move(*from); });
  }
}

void LargeSortedSet::PrefetchRecord(std::uint64_t hash) const {
  index_.ForEachCandidate(hash, [this](Handle handle) { records_.Prefetch(handle); });
}

// What stands next in the order stands anywhere in the records and in the index. Whoever pops one
// will pop the next ones too: their record is asked for some pops ahead, and when it has come, the
// place in the index that its member hashes to.
void LargeSortedSet::PrefetchForPops(ZEnd end) const {
  constexpr std::size_t kPrefetchFrom = 4096;  // Smaller sets stay in the cache.
  constexpr std::size_t kRecordAhead = 12;
  constexpr std::size_t kIndexAhead = 6;
  if (size() < kPrefetchFrom) return;
  records_.Prefetch(order_.HandleFrom(end, kRecordAhead));
  index_.Prefetch(HashBytes(records_.Member(order_.HandleFrom(end, kIndexAhead))));
}

void LargeSortedSet::CheckInvariants() const {
  records_.CheckInvariants();
  order_.CheckInvariants();
  index_.CheckInvariants();
  RUNG_CHECK(order_.size() == records_.size(), "large set: the order holds all records");
  RUNG_CHECK(index_.size() == records_.size(), "large set: the index holds all records");
  for (const BlockedSkiplist::Leaf* leaf = order_.first_leaf(); leaf != nullptr;
       leaf = leaf->next) {
    for (std::uint32_t i = 0; i < leaf->count; ++i) {
      const Handle handle = leaf->HandleAt(i);
      const std::string_view member = records_.Member(handle);
      RUNG_CHECK(Find(member, HashBytes(member)) == handle,
                 "large set: the index finds the record that the order holds");
    }
  }
}

}  // namespace rung

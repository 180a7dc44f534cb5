// How an ExtendibleTable is searched, walked and checked; the contracts are in extendible_table.h,
// which includes this file.
#pragma once

#include <bit>

#include "rung/types/extendible_table.h"

namespace rung {

// ---- Search, insertion, removal

template <typename Item, typename KeyOf, typename HashKey>
inline void ExtendibleTable<Item, KeyOf, HashKey>::PrefetchGroup(const Group* group) {
  // Tags, codes and items of a group share two to four cache lines. Asking for them at once saves
  // one trip to memory per search.
  const char* first = reinterpret_cast<const char*>(group);
  for (std::size_t at = 0; at < sizeof(Group); at += 64) __builtin_prefetch(first + at);
}

template <typename Item, typename KeyOf, typename HashKey>
const Item* ExtendibleTable<Item, KeyOf, HashKey>::Find(std::string_view key,
                                                        std::uint64_t hash) const {
  const Ref& ref = RefOf(hash);
  const std::uint16_t code = ref.CodeOf(hash);
  const std::uint8_t tag = table_internal::TagOf(hash);
  std::uint32_t index = ref.HomeOf(code);
  const Group* group = &ref.segment->groups[index];
  PrefetchGroup(group);
  for (std::uint32_t left = ref.groups;; --left) {
    for (unsigned mask = group->Match(tag); mask != 0; mask &= mask - 1) {
      const int slot = std::countr_zero(mask);
      if (group->codes[slot] == code && key_of_(group->items[slot]) == key) [[likely]] {
        return &group->items[slot];
      }
    }
    if ((group->overflow & table_internal::OverflowFlag(tag)) == 0) [[likely]]
      return nullptr;
    if (left <= 1) return nullptr;  // All around: every group has the flag set.
    index = ref.Behind(index);
    group = &ref.segment->groups[index];
  }
}

template <typename Item, typename KeyOf, typename HashKey>
Item* ExtendibleTable<Item, KeyOf, HashKey>::Insert([[maybe_unused]] std::string_view key,
                                                    std::uint64_t hash, Item item) {
#if defined(_GLIBCXX_ASSERTIONS)
  RUNG_CHECK(Find(key, hash) == nullptr, "a key may be inserted once");
#endif
  while (RefOf(hash).segment->count >= RefOf(hash).segment->limit) [[unlikely]] Grow(hash);
  const Ref& ref = RefOf(hash);
  ++size_;
  return ref.Place(table_internal::TagOf(hash), ref.CodeOf(hash), item);
}

template <typename Item, typename KeyOf, typename HashKey>
bool ExtendibleTable<Item, KeyOf, HashKey>::Erase(std::string_view key, std::uint64_t hash) {
  Item* slot = Find(key, hash);
  if (slot == nullptr) return false;
  EraseAt(slot, hash);
  return true;
}

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::EraseAt(Item* slot, std::uint64_t hash) {
  const Ref& ref = RefOf(hash);
  const char* first = reinterpret_cast<const char*>(ref.segment->groups);
  const auto offset = static_cast<std::size_t>(reinterpret_cast<const char*>(slot) - first);
  const auto index = static_cast<std::uint32_t>(offset / sizeof(Group));
  ref.Remove(index, static_cast<unsigned>(slot - ref.segment->groups[index].items));
  --size_;
  if (ref.segment->count < ref.groups * kSparseGroup) [[unlikely]]
    Shrink(hash);
}

template <typename Item, typename KeyOf, typename HashKey>
inline void ExtendibleTable<Item, KeyOf, HashKey>::Prefetch(std::uint64_t hash) const {
  const Ref& ref = RefOf(hash);
  PrefetchGroup(&ref.segment->groups[ref.HomeOf(ref.CodeOf(hash))]);
}

// ---- Walking

template <typename Item, typename KeyOf, typename HashKey>
template <typename F>
void ExtendibleTable<Item, KeyOf, HashKey>::ForEachSegment(F visit) const {
  const std::size_t entries = std::size_t{1} << depth_;
  for (std::size_t i = 0; i < entries; i += RunOf(directory_[i])) visit(i, directory_[i]);
}

template <typename Item, typename KeyOf, typename HashKey>
template <typename F>
void ExtendibleTable<Item, KeyOf, HashKey>::ForEach(F visit) const {
  ForEachSegment([&visit](std::size_t, const Ref& ref) {
    ref.ForEachSlot(
        [&visit](const Group& group, unsigned slot, std::uint32_t) { visit(group.items[slot]); });
  });
}

template <typename Item, typename KeyOf, typename HashKey>
template <typename F>
std::uint64_t ExtendibleTable<Item, KeyOf, HashKey>::VisitPortion(std::uint64_t cursor,
                                                                  F visit) const {
  cursor &= kCursorEnd - 1;
  const Ref& ref = RefOf(cursor << 16);
  const std::uint32_t from = ref.PositionOf(ref.CodeOf(cursor << 16));
  const std::uint32_t home = ref.HomeOfPosition(from);
  std::uint32_t index = home;
  for (std::uint32_t left = ref.groups;; --left) {
    Group& group = ref.segment->groups[index];
    for (unsigned mask = group.Occupied(); mask != 0; mask &= mask - 1) {
      const int slot = std::countr_zero(mask);
      const std::uint32_t position = ref.PositionOf(group.codes[slot]);
      if (position >= from && ref.HomeOfPosition(position) == home) visit(group.items[slot]);
    }
    if (group.overflow == 0 || left <= 1) break;
    index = ref.Behind(index);
  }
  const std::uint64_t range = kCursorEnd >> ref.depth;
  const std::uint64_t start = cursor & ~(range - 1);
  const std::uint64_t next = start + (std::uint64_t{ref.PositionBehind(home)} << (32 - ref.depth));
  return next == kCursorEnd ? 0 : next;
}

template <typename Item, typename KeyOf, typename HashKey>
template <typename F>
std::uint64_t ExtendibleTable<Item, KeyOf, HashKey>::Scan(std::uint64_t cursor, F visit) const {
  return VisitPortion(cursor, [&visit](const Item& item) { visit(item); });
}

template <typename Item, typename KeyOf, typename HashKey>
Item* ExtendibleTable<Item, KeyOf, HashKey>::RandomItem(Rng& rng) {
  if (size_ == 0) return nullptr;
  // Each try hits each slot of the table with the same probability, whatever its segment's size
  // and depth: only one entry of a run counts, and narrow segments leave a part unhit.
  const std::uint32_t groups = depth_ == 0 ? root_.groups : widest_;
  for (int i = 0; i < kRandomTries; ++i) {
    const std::uint64_t random = rng.Next();
    const std::size_t entry = IndexOf(random);
    const Ref& ref = directory_[entry];
    const auto index = static_cast<std::uint32_t>(rng.Below(groups));
    if ((entry & (RunOf(ref) - 1)) != 0 || index >= ref.groups) continue;
    Group& group = ref.segment->groups[index];
    const std::uint64_t slot = ((random & 0xffff) * table_internal::kGroupSlots) >> 16;
    if (group.tags[slot] != 0) return &group.items[slot];
  }
  // Almost empty: take one from the next portion that has any.
  Item* chosen = nullptr;
  std::uint64_t seen = 0;
  for (std::uint64_t cursor = rng.Next() >> 16; chosen == nullptr;) {
    cursor = VisitPortion(cursor, [&](Item& item) {
      if (rng.Below(++seen) == 0) chosen = &item;
    });
  }
  return chosen;
}

// ---- Checks

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::CheckInvariants() const {
  CheckDirectory();
  std::size_t items = 0;
  std::size_t bytes = depth_ == 0 ? 0 : AllocationSize(sizeof(Ref) << depth_);
  ForEachSegment([&](std::size_t i, const Ref& ref) {
    CheckSegment(i, ref);
    items += ref.segment->count;
    if (ref.groups != 0) bytes += AllocationSize(Shape::BytesOf(ref.segment->limit));
  });
  RUNG_CHECK(items == size_, "the segments' counts add up to the size");
  RUNG_CHECK(bytes == bytes_, "the memory of segments and directory is counted");
}

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::CheckDirectory() const {
  std::size_t segments = 0;
  std::size_t deepest = 0;
  ForEachSegment([&](std::size_t i, const Ref& ref) {
    RUNG_CHECK(ref.depth <= depth_ && i % RunOf(ref) == 0, "a segment's run is aligned");
    for (std::size_t j = i; j < i + RunOf(ref); ++j) {
      RUNG_CHECK(directory_[j].segment == ref.segment && directory_[j].groups == ref.groups &&
                     directory_[j].depth == ref.depth && directory_[j].window == ref.window,
                 "the entries of a run are equal");
    }
    RUNG_CHECK(ref.window <= ref.depth && ref.depth <= ref.window + table_internal::kMaxSlide,
               "the codes reach far enough");
    RUNG_CHECK(ref.groups == Shape::GroupsOf(ref.segment->limit), "the size is the limit's");
    ++segments;
    if (ref.depth == depth_) ++deepest;
  });
  RUNG_CHECK(segments == segments_, "all segments are counted");
  RUNG_CHECK(deepest == deepest_, "the segments of full depth are counted");
}

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::CheckSegment(std::size_t index, const Ref& ref) const {
  std::uint32_t items = 0;
  ref.ForEachSlot([&](const Group& group, unsigned slot, std::uint32_t) {
    const std::string_view key = key_of_(group.items[slot]);
    const std::uint64_t hash = hash_key_(key);
    RUNG_CHECK(IndexOf(hash) / RunOf(ref) == index / RunOf(ref), "an item is in its segment");
    RUNG_CHECK(group.tags[slot] == table_internal::TagOf(hash), "the tag is the hash's");
    RUNG_CHECK(group.codes[slot] == ref.CodeOf(hash), "the code is the hash's");
    RUNG_CHECK(Find(key, hash) == &group.items[slot], "an item is found where it lies");
    ++items;
  });
  RUNG_CHECK(items == ref.segment->count, "a segment's items are counted");
  RUNG_CHECK(items <= ref.segment->limit, "a segment is not overfull");
  for (std::uint32_t i = 0; i < ref.groups; ++i) {
    RUNG_CHECK(ref.segment->groups[i].overflow == ref.ExactOverflow(i), "the flags are exact");
  }
}

}  // namespace rung

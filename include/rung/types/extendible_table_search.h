// How an ExtendibleTable is searched, walked and checked; the contracts are in extendible_table.h,
// which includes this file.
#pragma once

#include "rung/base/prefetch.h"
#include "rung/types/extendible_table.h"

namespace rung {

// ---- Search, insertion, removal

template <typename Item, typename KeyOf, typename HashKey>
const Item* ExtendibleTable<Item, KeyOf, HashKey>::Find(std::string_view key,
                                                        std::uint64_t hash) const {
  const Ref& ref = RefOf(hash);
  const std::uint32_t home = ref.HomeOfHash(hash);
  const Tags* tags = &ref.tags(home);
  const Slots* slots = &ref.slots(home);
  // Both are often out of the cache: wait for them together, not for one after the other.
  slots->PrefetchItems();
  const std::uint8_t tag = table_internal::TagOf(hash);
  for (unsigned mask = tags->Match(tag); mask != 0; mask &= mask - 1) {
    const Item* item = slots->items + table_internal::SlotOf(mask);
    if (key_of_(*item) == key) [[likely]]
      return item;
  }
  if (!tags->MayHavePassed(tag)) [[likely]]
    return nullptr;
  return FindBehind(key, hash);
}

// Goes on behind the home group. Apart, so that the common path needs few registers.
template <typename Item, typename KeyOf, typename HashKey>
const Item* ExtendibleTable<Item, KeyOf, HashKey>::FindBehind(std::string_view key,
                                                              std::uint64_t hash) const {
  const Ref& ref = RefOf(hash);
  const std::uint8_t tag = table_internal::TagOf(hash);
  std::uint32_t group = ref.HomeOfHash(hash);
  // `left` runs out only when the flag is set in every group.
  for (std::uint32_t left = ref.groups(); left > 1; --left) {
    group = ref.Behind(group);
    for (unsigned mask = ref.tags(group).Match(tag); mask != 0; mask &= mask - 1) {
      const Item* item = ref.slots(group).items + table_internal::SlotOf(mask);
      if (key_of_(*item) == key) return item;
    }
    if (!ref.tags(group).MayHavePassed(tag)) return nullptr;
  }
  return nullptr;
}

template <typename Item, typename KeyOf, typename HashKey>
Item* ExtendibleTable<Item, KeyOf, HashKey>::Insert([[maybe_unused]] std::string_view key,
                                                    std::uint64_t hash, Item item) {
#if defined(_GLIBCXX_ASSERTIONS)
  RUNG_CHECK(Find(key, hash) == nullptr, "a key may be inserted once");
#endif
  while (IsFull(RefOf(hash))) [[unlikely]] Grow(hash);
  ++size_;
  return RefOf(hash).Add(hash, item);
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
  ref.Remove(slot, hash);
  --size_;
  if (ref.segment().count < ref.groups() * kSparseGroup) [[unlikely]]
    Shrink(hash);
}

template <typename Item, typename KeyOf, typename HashKey>
inline void ExtendibleTable<Item, KeyOf, HashKey>::Prefetch(std::uint64_t hash) const {
  const Ref& ref = RefOf(hash);
  const std::uint32_t home = ref.HomeOfHash(hash);
  rung::Prefetch(&ref.tags(home));
  ref.slots(home).PrefetchItems();
}

template <typename Item, typename KeyOf, typename HashKey>
template <typename F>
void ExtendibleTable<Item, KeyOf, HashKey>::ForEachCandidate(std::uint64_t hash, F visit) const {
  const Ref& ref = RefOf(hash);
  const std::uint32_t home = ref.HomeOfHash(hash);
  const Slots& slots = ref.slots(home);
  for (unsigned mask = ref.tags(home).Match(table_internal::TagOf(hash)); mask != 0;
       mask &= mask - 1) {
    visit(slots.items[table_internal::SlotOf(mask)]);
  }
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
  auto visit_slot = [&visit](const Tags&, const Slots& slots, std::size_t i) {
    visit(slots.items[i]);
  };
  ForEachSegment([&visit_slot](std::size_t, const Ref& ref) {
    for (std::uint32_t group = 0; group < ref.groups(); ++group) {
      ref.PrefetchTargets(group + 1);
      ref.ForEachSlotOf(group, visit_slot);
    }
  });
}

template <typename Item, typename KeyOf, typename HashKey>
template <typename F>
std::uint64_t ExtendibleTable<Item, KeyOf, HashKey>::VisitPortion(std::uint64_t cursor,
                                                                  F visit) const {
  cursor &= kCursorEnd - 1;
  const Ref& ref = RefOf(cursor << 16);
  const std::uint32_t from = ref.PositionOfHash(cursor << 16);
  const std::uint32_t home = ref.HomeOfPosition(from);
  auto visit_if_at_home = [&](const Tags&, Slots& slots, std::size_t i) {
    const std::uint32_t position = ref.PositionOfCode(slots.codes[i]);
    if (position >= from && ref.HomeOfPosition(position) == home) visit(slots.items[i]);
  };
  ref.PrefetchTargets(home);
  std::uint32_t group = home;
  for (std::uint32_t left = ref.groups(); left > 0; --left) {
    ref.ForEachSlotOf(group, visit_if_at_home);
    if (ref.tags(group).overflow == 0) break;
    group = ref.Behind(group);
  }
  const std::uint64_t range = kCursorEnd >> ref.depth();
  const std::uint64_t start = cursor & ~(range - 1);
  const std::uint64_t next =
      start + (std::uint64_t{ref.PositionBehind(home)} << (32 - ref.depth()));
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
  const std::uint32_t groups = depth_ == 0 ? root_.groups() : widest_;
  for (int tries = 0; tries < kRandomTries; ++tries) {
    const std::uint64_t random = rng.Next();
    const std::size_t entry = IndexOf(random);
    const Ref& ref = directory_[entry];
    const auto group = static_cast<std::uint32_t>(rng.Below(groups));
    if ((entry & (RunOf(ref) - 1)) != 0 || group >= ref.groups()) continue;
    const std::uint64_t slot = ((random & 0xffff) * table_internal::kGroupSlots) >> 16;
    if (ref.tags(group).tags[slot] != 0) return &ref.slots(group).items[slot];
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
    items += ref.segment().count;
    if (ref.groups() != 0) bytes += AllocationSize(Sizes::BytesOf(ref.segment().limit));
  });
  RUNG_CHECK(items == size_, "the segments' counts add up to the size");
  RUNG_CHECK(bytes == bytes_, "the memory of segments and directory is counted");
}

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::CheckDirectory() const {
  std::size_t segments = 0;
  std::size_t deepest = 0;
  ForEachSegment([&](std::size_t i, const Ref& ref) {
    RUNG_CHECK(ref.depth() <= depth_ && i % RunOf(ref) == 0, "a segment's run is aligned");
    for (std::size_t j = i; j < i + RunOf(ref); ++j) {
      RUNG_CHECK(directory_[j] == ref, "the entries of a run are equal");
    }
    RUNG_CHECK(ref.slide() <= table_internal::kMaxSlide, "the codes reach far enough");
    RUNG_CHECK(ref.groups() == Sizes::GroupsOf(ref.segment().limit), "the size is the limit's");
    ++segments;
    if (ref.depth() == depth_) ++deepest;
  });
  RUNG_CHECK(segments == segments_, "all segments are counted");
  RUNG_CHECK(deepest == deepest_, "the segments of full depth are counted");
}

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::CheckSegment(std::size_t index, const Ref& ref) const {
  std::uint32_t items = 0;
  ref.ForEachSlot([&](const Tags& tags, const Slots& slots, std::size_t i) {
    const std::string_view key = key_of_(slots.items[i]);
    const std::uint64_t hash = hash_key_(key);
    RUNG_CHECK(IndexOf(hash) / RunOf(ref) == index / RunOf(ref), "an item is in its segment");
    RUNG_CHECK(tags.tags[i] == table_internal::TagOf(hash), "the tag is the hash's");
    RUNG_CHECK(slots.codes[i] == ref.CodeOf(hash), "the code is the hash's");
    RUNG_CHECK(Find(key, hash) == &slots.items[i], "an item is found where it lies");
    ++items;
  });
  RUNG_CHECK(items == ref.segment().count, "a segment's items are counted");
  RUNG_CHECK(items <= ref.segment().limit, "a segment is not overfull");
  for (std::uint32_t i = 0; i < ref.groups(); ++i) {
    RUNG_CHECK(ref.tags(i).overflow == ref.ExactOverflow(i), "the flags are exact");
    RUNG_CHECK(ref.tags(i).overflow == 0 || ref.tags(i).Free() == 0, "only full groups are passed");
  }
}

}  // namespace rung

// How an ExtendibleTable's segments come, grow, split, merge and go; the contracts are in
// extendible_table.h, which includes this file.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "rung/types/extendible_table.h"

namespace rung {

// ---- Segments

template <typename Item, typename KeyOf, typename HashKey>
auto ExtendibleTable<Item, KeyOf, HashKey>::NewSegment(std::uint32_t limit, unsigned depth,
                                                       unsigned window) -> Ref {
  if (limit == 0) return Ref::Empty(depth, window);
  const std::size_t bytes = Sizes::BytesOf(limit);
  // Where items are pointers, a look-up goes on to memory in ordinary pages: less is to be gained.
  const Pages pages = std::is_pointer_v<Item> ? Pages::kOrdinary : PagesBeyond(bytes_);
  auto* segment = static_cast<table_internal::Segment*>(AllocateBlock(bytes, pages));
  bytes_ += AllocationSize(bytes);
  segment->count = 0;
  segment->limit = limit;
  const Ref ref(segment, depth, window);
  std::memset(&ref.tags(0), 0, ref.groups() * sizeof(Tags));
  widest_ = std::max(widest_, ref.groups());
  return ref;
}

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::FreeSegment(const Ref& ref) {
  if (ref.groups() == 0) return;
  const std::size_t bytes = Sizes::BytesOf(ref.segment().limit);
  bytes_ -= AllocationSize(bytes);
  FreeBlock(&ref.segment(), bytes);
}

// Makes `ref` the segment of its depth's range around `hash`.
template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::SetRun(std::uint64_t hash, const Ref& ref) {
  const std::size_t run = RunOf(ref);
  std::fill_n(directory_ + (IndexOf(hash) & ~(run - 1)), run, ref);
}

// Moves the items of `source`, whose range begins at `start`, with codes for an earlier window: the
// bits that a code lacks at its front are those of the range.
template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::Refill(Filler& filler, const Ref& source,
                                                   unsigned window, std::uint64_t start) {
  const unsigned shift = source.window() - window;
  const unsigned front = (start >> (48 - window)) & (0xffffu << (16 - shift)) & 0xffffu;
  source.ForEachSlot([&](const Tags& tags, const Slots& slots, std::size_t i) {
    const auto code = static_cast<std::uint16_t>(front | (slots.codes[i] >> shift));
    filler.Add(tags.tags[i], code, slots.items[i]);
  });
}

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::Resize(std::uint64_t hash, std::uint32_t limit) {
  const Ref source = RefOf(hash);
  const Ref target = NewSegment(limit, source.depth(), source.window());
  Filler filler(target);
  Refill(filler, source, source.window(), 0);
  SetRun(hash, target);
  FreeSegment(source);
}

// ---- Growing

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::Grow(std::uint64_t hash) {
  const Ref& ref = RefOf(hash);
  if (ref.segment().limit >= Sizes::kWidestLimit && MaySplit(ref)) {
    Split(hash);
  } else {
    Resize(hash, Sizes::NextLimit(ref.segment().limit));
  }
}

template <typename Item, typename KeyOf, typename HashKey>
bool ExtendibleTable<Item, KeyOf, HashKey>::MaySplit(const Ref& ref) const {
  if (ref.depth() == kMaxDepth) return false;
  return ref.depth() < depth_ || (kMinItemsPerEntry << (depth_ + 1)) <= size_;
}

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::Split(std::uint64_t hash) {
  if (RefOf(hash).depth() == depth_) DoubleDirectory();
  Ref source = RefOf(hash);
  const unsigned depth = source.depth() + 1;
  if (depth - source.window() > table_internal::kMaxSlide) RenewCodes(source);

  std::uint32_t counts[2] = {0, 0};
  source.ForEachSlot([&](const Tags&, const Slots& slots, std::size_t i) {
    ++counts[source.SideOf(slots.codes[i])];
  });
  const Ref low = NewSegment(Sizes::FittingLimit(counts[0]), depth, source.window());
  const Ref high = NewSegment(Sizes::FittingLimit(counts[1]), depth, source.window());
  Filler fillers[2] = {Filler(low), Filler(high)};
  source.ForEachSlot([&](const Tags& tags, const Slots& slots, std::size_t i) {
    const std::uint16_t code = slots.codes[i];
    fillers[source.SideOf(code)].Add(tags.tags[i], code, slots.items[i]);
  });
  const std::uint64_t side_bit = std::uint64_t{1} << (64 - depth);
  SetRun(hash & ~side_bit, low);
  SetRun(hash | side_bit, high);
  FreeSegment(source);
  ++segments_;
  if (depth == depth_) deepest_ += 2;
}

// Takes codes that reach further down from the keys: once in four doublings of the table. Homes may
// change with it, so the segment must be refilled at once.
template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::RenewCodes(Ref& ref) {
  ref.set_window(ref.depth());
  auto renew = [this, &ref](const Tags&, Slots& slots, std::size_t i) {
    slots.codes[i] = ref.CodeOf(hash_key_(key_of_(slots.items[i])));
  };
  for (std::uint32_t group = 0; group < ref.groups(); ++group) {
    ref.PrefetchTargets(group + 1);
    ref.ForEachSlotOf(group, renew);
  }
}

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::DoubleDirectory() {
  const std::size_t entries = std::size_t{1} << depth_;
  const std::size_t bytes = 2 * entries * sizeof(Ref);
  Ref* wider = static_cast<Ref*>(Allocate(bytes));
  for (std::size_t i = 0; i < entries; ++i) wider[2 * i] = wider[2 * i + 1] = directory_[i];
  ReplaceDirectory(wider, depth_ + 1u);
  deepest_ = 0;
}

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::ReplaceDirectory(Ref* directory, unsigned depth) {
  if (depth_ > 0) {
    bytes_ -= AllocationSize(sizeof(Ref) << depth_);
    Free(directory_, sizeof(Ref) << depth_);
  }
  depth_ = static_cast<std::uint8_t>(depth);
  shift_ = static_cast<std::uint8_t>(63 - depth);
  directory_ = directory;
  if (depth_ > 0) bytes_ += AllocationSize(sizeof(Ref) << depth_);
}

// ---- Shrinking

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::Shrink(std::uint64_t hash) {
  if (MergeWithBuddy(hash)) return;
  const table_internal::Segment& segment = RefOf(hash).segment();
  const std::uint32_t limit = Sizes::FittingLimit(segment.count);
  if (limit < segment.limit) Resize(hash, limit);
}

template <typename Item, typename KeyOf, typename HashKey>
bool ExtendibleTable<Item, KeyOf, HashKey>::MergeWithBuddy(std::uint64_t hash) {
  const Ref one = RefOf(hash);
  if (one.depth() == 0) return false;
  const std::uint64_t side_bit = std::uint64_t{1} << (64 - one.depth());
  const Ref other = RefOf(hash ^ side_bit);
  const std::uint32_t total = one.segment().count + other.segment().count;
  if (other.depth() != one.depth() || total > kMergeLimit) return false;

  const unsigned depth = one.depth() - 1;
  const unsigned window = std::min({one.window(), other.window(), depth});
  const Ref merged = NewSegment(Sizes::FittingLimit(total), depth, window);
  const std::uint64_t start = hash & ~(side_bit - 1);
  Filler filler(merged);
  Refill(filler, one, window, start);
  Refill(filler, other, window, start ^ side_bit);
  SetRun(hash, merged);
  FreeSegment(one);
  FreeSegment(other);
  --segments_;
  if (one.depth() == depth_) deepest_ -= 2;
  while (MayHalve()) HalveDirectory();
  return true;
}

// Not before there are four entries for each segment, so that a table that hovers around a size
// does not double and halve its directory again and again.
template <typename Item, typename KeyOf, typename HashKey>
bool ExtendibleTable<Item, KeyOf, HashKey>::MayHalve() const {
  if (depth_ == 0 || deepest_ != 0) return false;
  return segments_ == 1 || segments_ * 4 <= std::size_t{1} << depth_;
}

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::HalveDirectory() {
  const unsigned depth = depth_ - 1u;
  const std::size_t entries = std::size_t{1} << depth;
  Ref* narrower = depth == 0 ? &root_ : static_cast<Ref*>(Allocate(entries * sizeof(Ref)));
  for (std::size_t i = 0; i < entries; ++i) {
    narrower[i] = directory_[2 * i];
    if (narrower[i].depth() == depth) ++deepest_;
  }
  ReplaceDirectory(narrower, depth);
}

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::Clear() {
  ForEachSegment([this](std::size_t, const Ref& ref) { FreeSegment(ref); });
  root_ = Ref();
  ReplaceDirectory(&root_, 0);
  size_ = 0;
  segments_ = 1;
  deepest_ = 1;
  widest_ = 0;
}

template <typename Item, typename KeyOf, typename HashKey>
void ExtendibleTable<Item, KeyOf, HashKey>::Swap(ExtendibleTable& other) {
  std::swap(key_of_, other.key_of_);
  std::swap(hash_key_, other.hash_key_);
  std::swap(root_, other.root_);
  std::swap(directory_, other.directory_);
  std::swap(size_, other.size_);
  std::swap(bytes_, other.bytes_);
  std::swap(segments_, other.segments_);
  std::swap(deepest_, other.deepest_);
  std::swap(widest_, other.widest_);
  std::swap(depth_, other.depth_);
  std::swap(shift_, other.shift_);
  if (depth_ == 0) directory_ = &root_;
  if (other.depth_ == 0) other.directory_ = &other.root_;
}

}  // namespace rung

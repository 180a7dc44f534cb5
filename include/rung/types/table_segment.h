// Segments: the blocks of slots that an ExtendibleTable (extendible_table.h) is made of.
//
// A segment holds the items of one range of the hash space. It is a row of groups of 15 slots; an
// item's home group follows from its place in the range, so groups lie in hash order. Of each
// item's hash a slot keeps 8 low bits (the tag, compared 16 at a time) and 16 high bits (the code),
// so that an item can be moved, and told from nearly every other, without touching its key.
//
// An item whose home is full goes to the next group with room. Each group passed over notes that
// in `overflow`, a set of 8 flags chosen by the tag: a search ends at the first group whose flag
// for the tag is clear. Removal recomputes the flags of the groups passed, so that they stay exact
// and no tombstones are needed.
//
// Only ExtendibleTable uses this header.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace rung::table_internal {

inline constexpr std::uint32_t kGroupSlots = 15;
// How far a segment's depth may run ahead of its window: 10 of the code's 16 bits are then left to
// spread the items over at most a hundred groups.
inline constexpr unsigned kMaxSlide = 6;

// 0 marks an empty slot, so it stands for no hash.
inline std::uint8_t TagOf(std::uint64_t hash) {
  const auto tag = static_cast<std::uint8_t>(hash);
  return tag == 0 ? std::uint8_t{1} : tag;
}

inline std::uint8_t OverflowFlag(std::uint8_t tag) {
  return static_cast<std::uint8_t>(1u << (tag & 7));
}

template <typename Item>
struct Group {
  std::uint8_t tags[kGroupSlots];
  std::uint8_t overflow;  // One load compares the tags and reads this along.
  std::uint16_t codes[kGroupSlots];
  Item items[kGroupSlots];

  // One bit per slot, for the slots whose tag is `tag`.
  unsigned Match(std::uint8_t tag) const {
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(tag));
    const __m128i found = _mm_loadu_si128(reinterpret_cast<const __m128i*>(tags));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(wanted, found))) & 0x7fff;
#else
    unsigned mask = 0;
    for (unsigned i = 0; i < kGroupSlots; ++i) mask |= static_cast<unsigned>(tags[i] == tag) << i;
    return mask;
#endif
  }
  unsigned Free() const { return Match(0); }
  unsigned Occupied() const { return ~Match(0) & 0x7fff; }

  void Set(unsigned slot, std::uint8_t tag, std::uint16_t code, Item item) {
    tags[slot] = tag;
    codes[slot] = code;
    items[slot] = item;
  }
};

// The block as it is allocated: `groups` goes on past its declared end. A tiny segment (see
// Shape) is cut off inside its only group.
template <typename Item>
struct Segment {
  std::uint32_t count;  // Items held.
  std::uint32_t limit;  // Items that may be held before it must grow or split.
  Group<Item> groups[1];
};

// What a segment without items points at, so that no search has to test for null. Never written:
// its limit of 0 makes any insertion grow first.
template <typename Item>
inline constexpr Segment<Item> kEmptySegment{};

// The sizes that a segment may have. A size is named by its limit.
template <typename Item>
struct Shape {
  static constexpr std::size_t kHeaderBytes = offsetof(Segment<Item>, groups);
  static constexpr std::size_t kItemsOffset = offsetof(Group<Item>, items);
  static constexpr std::size_t kTinyBytes = sizeof(Item) == 8 ? 128 : 96;
  static constexpr std::uint32_t kTinyLimit =
      static_cast<std::uint32_t>((kTinyBytes - kHeaderBytes - kItemsOffset) / sizeof(Item));
  // 13 of 15 slots: above that, searches begin to run on into the next groups.
  static constexpr std::uint32_t kGroupLimit = 13;

  static constexpr std::uint32_t LimitOf(std::uint32_t groups) {
    return groups == 1 ? kGroupSlots : groups * kGroupLimit;
  }
  static constexpr std::uint32_t GroupsOf(std::uint32_t limit) {
    if (limit == 0) return 0;
    return limit <= kGroupSlots ? 1 : limit / kGroupLimit;
  }
  static constexpr std::size_t BytesOf(std::uint32_t limit) {
    if (limit == 0) return 0;
    if (limit == kTinyLimit) return kHeaderBytes + kItemsOffset + kTinyLimit * sizeof(Item);
    return kHeaderBytes + GroupsOf(limit) * sizeof(Group<Item>);
  }

  // Steps chosen to fill jemalloc's size classes. The last one is the widest normal segment: it
  // splits instead of growing.
  static constexpr std::array<std::uint32_t, 13> kLimits = [] {
    constexpr std::array<std::size_t, 12> bytes = {192,  384,  512,  768,  1024, 1536,
                                                   2048, 3072, 4096, 6144, 8192, 10240};
    std::array<std::uint32_t, 13> limits{kTinyLimit};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      limits[i + 1] =
          LimitOf(static_cast<std::uint32_t>((bytes[i] - kHeaderBytes) / sizeof(Group<Item>)));
    }
    return limits;
  }();
  static constexpr std::uint32_t kWidestLimit = kLimits.back();

  static constexpr std::uint32_t NextLimit(std::uint32_t limit) {
    for (const std::uint32_t step : kLimits) {
      if (step > limit) return step;
    }
    return limit * 2;
  }
  // The smallest size that holds `count` items with a tenth to spare.
  static constexpr std::uint32_t FittingLimit(std::uint32_t count) {
    if (count == 0) return 0;
    for (const std::uint32_t step : kLimits) {
      if (count * std::uint64_t{10} <= step * std::uint64_t{9}) return step;
    }
    std::uint32_t limit = kWidestLimit;
    while (count * std::uint64_t{10} > limit * std::uint64_t{9}) limit *= 2;
    return limit;
  }
};

// A segment together with how hashes map into it. Kept in the directory, so that a search needs
// nothing of the segment but the group. The range of the hash space is the one whose first `depth`
// bits are given by the place in the directory; a code holds the 16 bits from bit `window` on.
// Always window <= depth <= window + kMaxSlide.
template <typename Item>
struct SegmentRef {
  Segment<Item>* segment = const_cast<Segment<Item>*>(&kEmptySegment<Item>);
  std::uint32_t groups = 0;
  std::uint8_t depth = 0;
  std::uint8_t window = 0;

  std::uint16_t CodeOf(std::uint64_t hash) const {
    return static_cast<std::uint16_t>(hash >> (48 - window));
  }
  // Where in the range: 0 to 65535, a multiple of 1 << (depth - window).
  std::uint32_t PositionOf(std::uint16_t code) const {
    return static_cast<std::uint16_t>(code << (depth - window));
  }
  std::uint32_t HomeOfPosition(std::uint32_t position) const {
    return static_cast<std::uint32_t>((std::uint64_t{position} * groups) >> 16);
  }
  std::uint32_t HomeOf(std::uint16_t code) const { return HomeOfPosition(PositionOf(code)); }
  // The first position whose home lies behind group `home`; 65536 when there is none.
  std::uint32_t PositionBehind(std::uint32_t home) const {
    if (home + 1 >= groups) return 65536;
    const std::uint64_t first = (((std::uint64_t{home} + 1) << 16) + groups - 1) / groups;
    const std::uint64_t step = std::uint64_t{1} << (depth - window);
    return static_cast<std::uint32_t>((first + step - 1) / step * step);
  }
  // Which half of the range a code lies in: 0 or 1.
  unsigned SideOf(std::uint16_t code) const { return (code >> (15 - (depth - window))) & 1u; }

  std::uint32_t Behind(std::uint32_t group) const { return group + 1 == groups ? 0 : group + 1; }

  template <typename F>
  void ForEachSlot(F visit) const {
    for (std::uint32_t i = 0; i < groups; ++i) {
      Group<Item>& group = segment->groups[i];
      for (unsigned mask = group.Occupied(); mask != 0; mask &= mask - 1) {
        visit(group, static_cast<unsigned>(std::countr_zero(mask)), i);
      }
    }
  }

  // Requires: count < limit.
  Item* Place(std::uint8_t tag, std::uint16_t code, Item item) const {
    std::uint32_t index = HomeOf(code);
    Group<Item>* group = &segment->groups[index];
    unsigned free = group->Free();
    while (free == 0) [[unlikely]] {
        group->overflow |= OverflowFlag(tag);
        index = Behind(index);
        group = &segment->groups[index];
        free = group->Free();
      }
    const auto slot = static_cast<unsigned>(std::countr_zero(free));
    group->Set(slot, tag, code, item);
    ++segment->count;
    return &group->items[slot];
  }

  void Remove(std::uint32_t index, unsigned slot) const {
    Group<Item>& group = segment->groups[index];
    group.tags[slot] = 0;
    --segment->count;
    for (std::uint32_t i = HomeOf(group.codes[slot]); i != index; i = Behind(i)) {
      segment->groups[i].overflow = ExactOverflow(i);
    }
  }

  // The flags that the items placed behind `index` on their way past it call for.
  std::uint8_t ExactOverflow(std::uint32_t index) const {
    std::uint8_t flags = 0;
    std::uint32_t current = index;
    for (std::uint32_t distance = 1; distance < groups; ++distance) {
      if (segment->groups[current].overflow == 0) break;
      current = Behind(current);
      const Group<Item>& group = segment->groups[current];
      for (unsigned mask = group.Occupied(); mask != 0; mask &= mask - 1) {
        const int slot = std::countr_zero(mask);
        const std::uint32_t home = HomeOf(group.codes[slot]);
        const std::uint32_t way = current >= home ? current - home : current + groups - home;
        if (way >= distance) flags |= OverflowFlag(group.tags[slot]);
      }
    }
    return flags;
  }
};

// Fills a fresh segment. Counts the used slots beside the block: reading back 16 tags right after
// writing one of them would stall on each item.
template <typename Item>
class SegmentFiller {
 public:
  explicit SegmentFiller(const SegmentRef<Item>& target) : target_(target), used_(target.groups) {}

  void Add(std::uint8_t tag, std::uint16_t code, Item item) {
    std::uint32_t index = target_.HomeOf(code);
    while (used_[index] == kGroupSlots) {
      target_.segment->groups[index].overflow |= OverflowFlag(tag);
      index = target_.Behind(index);
    }
    target_.segment->groups[index].Set(used_[index]++, tag, code, item);
    ++target_.segment->count;
  }

 private:
  const SegmentRef<Item> target_;
  std::vector<std::uint8_t> used_;
};

}  // namespace rung::table_internal

// What the segments of an ExtendibleTable are made of: tags, slots, and the sizes of the blocks.
// table_segment.h tells how they work together.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>

#if defined(__SSE2__)
#include <emmintrin.h>

#include "rung/base/prefetch.h"
#endif

namespace rung::table_internal {

inline constexpr std::uint32_t kGroupSlots = 15;
// 0 marks an empty slot, so it stands for no hash.
inline std::uint8_t TagOf(std::uint64_t hash) {
  const auto tag = static_cast<std::uint8_t>(hash);
  return static_cast<std::uint8_t>(tag + (tag == 0 ? 1 : 0));
}

inline std::uint8_t OverflowFlag(std::uint8_t tag) {
  return static_cast<std::uint8_t>(1u << (tag & 7));
}

// The lowest slot in a mask that is not 0.
inline std::size_t SlotOf(unsigned mask) {
  return static_cast<std::size_t>(std::countr_zero(mask));
}

// What a search reads of a group first.
struct alignas(16) GroupTags {
  std::uint8_t tags[kGroupSlots];
  std::uint8_t overflow;  // One load compares the tags and brings this along.

  // One bit per slot, for the slots whose tag is `tag`.
  unsigned Match(std::uint8_t tag) const {
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi8(static_cast<char>(tag));
    const __m128i found = _mm_load_si128(reinterpret_cast<const __m128i*>(tags));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(wanted, found))) & 0x7fff;
#else
    unsigned mask = 0;
    for (unsigned i = 0; i < kGroupSlots; ++i) mask |= static_cast<unsigned>(tags[i] == tag) << i;
    return mask;
#endif
  }
  unsigned Free() const { return Match(0); }
  unsigned Occupied() const { return ~Match(0) & 0x7fff; }
  bool MayHavePassed(std::uint8_t tag) const { return ((overflow >> (tag & 7)) & 1) != 0; }
};

// The rest of a group.
template <typename Item>
struct GroupSlots {
  std::uint16_t codes[kGroupSlots + 1];  // The last one only rounds up to two 16-byte loads.
  Item items[kGroupSlots];

  // One bit per slot, for the slots whose code, shifted left by `shift`, lies in the `length`
  // numbers from `first` on; 0 follows 65535. Slots that are not taken give any bit.
  unsigned InRange(unsigned shift, std::uint16_t first, std::uint16_t length) const {
    if (length == 0) return 0;
#if defined(__SSE2__)
    const __m128i start = _mm_set1_epi16(static_cast<short>(first));
    const __m128i last = _mm_set1_epi16(static_cast<short>(length - 1));
    const __m128i count = _mm_cvtsi32_si128(static_cast<int>(shift));
    auto outside = [&](const std::uint16_t* from) {  // 0 where inside.
      const __m128i code = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
      return _mm_subs_epu16(_mm_sub_epi16(_mm_sll_epi16(code, count), start), last);
    };
    const __m128i zero = _mm_setzero_si128();
    const __m128i inside = _mm_packs_epi16(_mm_cmpeq_epi16(outside(codes), zero),
                                           _mm_cmpeq_epi16(outside(codes + 8), zero));
    return static_cast<unsigned>(_mm_movemask_epi8(inside)) & 0x7fff;
#else
    unsigned mask = 0;
    for (unsigned i = 0; i < kGroupSlots; ++i) {
      const auto way = static_cast<std::uint16_t>((codes[i] << shift) - first);
      mask |= static_cast<unsigned>(way < length) << i;
    }
    return mask;
#endif
  }

  // Starts loading the items. They span up to three cache lines; these two hold most of them.
  void PrefetchItems() const {
    rung::Prefetch(items + kGroupSlots / 4);
    rung::Prefetch(items + kGroupSlots * 3 / 4);
  }
};

// The head of a segment's block. Behind it come the tags of all groups, close together so that
// they stay in the cache, and then the slots of all groups. A tiny segment (see SegmentSizes) is
// cut off inside the slots of its only group.
struct alignas(16) Segment {
  std::uint32_t count;  // Items held.
  std::uint32_t limit;  // Items that may be held before it must grow or split.
};

// What a segment without items points at, so that no search has to test for null. Never written:
// its limit of 0 makes any insertion grow first.
struct EmptySegment {
  Segment head;
  GroupTags tags;
};
inline constexpr EmptySegment kEmptySegment{};

// The sizes that a segment may have, each named by its limit.
template <typename Item>
struct SegmentSizes {
  static constexpr std::uint32_t kTinyLimit = 8;
  // 13 of 15 slots: above that, too many items find their home full.
  static constexpr std::uint32_t kGroupLimit = 13;

  static constexpr std::size_t BytesOfGroups(std::size_t groups) {
    return sizeof(Segment) + groups * (sizeof(GroupTags) + sizeof(GroupSlots<Item>));
  }
  static constexpr std::uint32_t GroupsOf(std::uint32_t limit) {
    if (limit == 0) return 0;
    return limit <= kGroupSlots ? 1 : limit / kGroupLimit;
  }
  static constexpr std::size_t BytesOf(std::uint32_t limit) {
    if (limit == 0) return 0;
    const std::size_t bytes = BytesOfGroups(GroupsOf(limit));
    return limit == kTinyLimit ? bytes - (kGroupSlots - kTinyLimit) * sizeof(Item) : bytes;
  }

  // Chosen to fill jemalloc's size classes. The last one is the widest normal segment: it splits
  // instead of growing. Wide segments keep the directory small enough for the cache; 40 KiB still
  // split in some ten microseconds.
  static constexpr auto kLimits = [] {
    constexpr std::size_t bytes[] = {192,  384,  512,   768,   1024,  1536,  2048,  3072, 4096,
                                     6144, 8192, 10240, 14336, 20480, 24576, 32768, 40960};
    std::array<std::uint32_t, std::size(bytes) + 1> limits{kTinyLimit};
    for (std::size_t i = 0; i < std::size(bytes); ++i) {
      std::uint32_t groups = 1;
      while (BytesOfGroups(groups + 1) <= bytes[i]) ++groups;
      limits[i + 1] = groups == 1 ? kGroupSlots : groups * kGroupLimit;
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

}  // namespace rung::table_internal

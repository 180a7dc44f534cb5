// Segments: the blocks of slots that an ExtendibleTable (extendible_table.h) is made of.
//
// A segment holds the items of one range of the hash space. It is a row of groups of 15 slots; an
// item's home group follows from its place in the range, so groups lie in hash order. Of each
// item's hash a slot keeps 8 low bits (the tag, compared 16 at a time) and 16 high bits (the code),
// so that an item can be moved without touching its key.
//
// An item whose home is full goes to the next group with room. Each group passed over notes that
// in `overflow`, a set of 8 flags chosen by the tag: a search ends at the first group whose flag
// for the tag is clear. Removal keeps the flags exact and brings such items back into the room it
// makes: there are no tombstones, and only full groups have flags.
//
// Only ExtendibleTable uses this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "rung/base/prefetch.h"
#include "rung/types/table_blocks.h"

namespace rung::table_internal {

// How far a segment's depth may run ahead of its window: the 12 bits of a code that are left then
// spread the items evenly enough over the groups of the widest segment.
inline constexpr unsigned kMaxSlide = 4;

// A segment together with how hashes map into it. Kept in the directory, so that a search needs
// nothing of the segment but one group. The range of the hash space is the one whose first depth()
// bits are given by the place in the directory; a code holds the 16 bits from window() on. What an
// item's hash says beyond its code is not known later, so it does not count for its place.
template <typename Item>
class SegmentRef {
 public:
  SegmentRef() = default;
  SegmentRef(Segment* segment, unsigned depth, unsigned window)
      : segment_(segment),
        groups_(SegmentSizes<Item>::GroupsOf(segment->limit)),
        depth_(static_cast<std::uint8_t>(depth)) {
    set_window(window);
  }
  static SegmentRef Empty(unsigned depth, unsigned window) {
    return SegmentRef(EmptyBlock(), depth, window);
  }

  Segment& segment() const { return *segment_; }
  std::uint32_t groups() const { return groups_; }
  unsigned depth() const { return depth_; }
  unsigned window() const { return static_cast<unsigned>(depth_ - slide_); }
  unsigned slide() const { return slide_; }
  void set_window(unsigned window) {
    slide_ = static_cast<std::uint8_t>(depth_ - window);
    known_ = static_cast<std::uint16_t>(0xffffu << slide_);
  }
  bool operator==(const SegmentRef&) const = default;

  GroupTags& tags(std::uint32_t group) const {
    return reinterpret_cast<GroupTags*>(segment_ + 1)[group];
  }
  GroupSlots<Item>& slots(std::uint32_t group) const {
    return reinterpret_cast<GroupSlots<Item>*>(&tags(groups_))[group];
  }

  std::uint16_t CodeOf(std::uint64_t hash) const {
    return static_cast<std::uint16_t>(hash >> (48 - window()));
  }
  // Where in the range: 0 to 65535, a multiple of 1 << slide().
  std::uint32_t PositionOfHash(std::uint64_t hash) const {
    return static_cast<std::uint32_t>(hash << depth_ >> 48) & known_;
  }
  std::uint32_t PositionOfCode(std::uint16_t code) const {
    return static_cast<std::uint16_t>(code << slide_);
  }
  std::uint32_t HomeOfPosition(std::uint32_t position) const {
    return static_cast<std::uint32_t>((std::uint64_t{position} * groups_) >> 16);
  }
  std::uint32_t HomeOfHash(std::uint64_t hash) const {
    return HomeOfPosition(PositionOfHash(hash));
  }
  // The first position whose home lies behind group `home`; 65536 when there is none.
  std::uint32_t PositionBehind(std::uint32_t home) const {
    if (home + 1 >= groups_) return 65536;
    const std::uint64_t first = (((std::uint64_t{home} + 1) << 16) + groups_ - 1) / groups_;
    const std::uint64_t step = std::uint64_t{1} << slide_;
    return static_cast<std::uint32_t>((first + step - 1) / step * step);
  }
  // Which half of the range a code lies in: 0 or 1.
  unsigned SideOf(std::uint16_t code) const { return (code >> (15 - slide_)) & 1u; }

  std::uint32_t Behind(std::uint32_t group) const { return group + 1 == groups_ ? 0 : group + 1; }

  // Calls visit(tags, slots, i) for each slot i of `group` that is taken.
  template <typename F>
  void ForEachSlotOf(std::uint32_t group, F& visit) const {
    for (unsigned mask = tags(group).Occupied(); mask != 0; mask &= mask - 1) {
      visit(tags(group), slots(group), SlotOf(mask));
    }
  }
  template <typename F>
  void ForEachSlot(F visit) const {
    for (std::uint32_t group = 0; group < groups_; ++group) ForEachSlotOf(group, visit);
  }

  // Starts loading what the items of `group` point at.
  void PrefetchTargets(std::uint32_t group) const {
    if constexpr (std::is_pointer_v<Item>) {
      if (group >= groups_) return;
      for (unsigned mask = tags(group).Occupied(); mask != 0; mask &= mask - 1) {
        rung::Prefetch(slots(group).items[SlotOf(mask)]);
      }
    }
  }

  // Requires: count < limit.
  Item* Add(std::uint64_t hash, Item item) const {
    const std::uint8_t tag = TagOf(hash);
    std::uint32_t group = HomeOfHash(hash);
    unsigned free = tags(group).Free();
    while (free == 0) [[unlikely]] {
        tags(group).overflow |= OverflowFlag(tag);
        group = Behind(group);
        free = tags(group).Free();
      }
    Set(Place{group, SlotOf(free)}, tag, CodeOf(hash), item);
    ++segment_->count;
    return &slots(group).items[SlotOf(free)];
  }

  // Empties the slot in which the item with `hash` lies, or that of an item that moves there.
  void Remove(const Item* item, std::uint64_t hash) const {
    const char* first = reinterpret_cast<const char*>(&slots(0));
    const auto offset = static_cast<std::size_t>(reinterpret_cast<const char*>(item) - first);
    const auto group = static_cast<std::uint32_t>(offset / sizeof(GroupSlots<Item>));
    Place hole{group, static_cast<std::size_t>(item - slots(group).items)};
    tags(group).tags[hole.slot] = 0;
    --segment_->count;
    const std::uint32_t home = HomeOfHash(hash);
    for (std::uint32_t i = home; i != group; i = Behind(i)) tags(i).overflow = ExactOverflow(i);
    while (tags(hole.group).overflow != 0) [[unlikely]] hole = PullBack(hole);
  }

  // The flags that the items placed behind `group` on their way past it call for.
  std::uint8_t ExactOverflow(std::uint32_t group) const {
    std::uint8_t flags = 0;
    ForEachPassed(group, [&](Place at) { flags |= OverflowFlag(tags(at.group).tags[at.slot]); });
    return flags;
  }

 private:
  struct Place {
    std::uint32_t group;
    std::size_t slot;
  };

  static Segment* EmptyBlock() { return const_cast<Segment*>(&kEmptySegment.head); }

  void Set(Place place, std::uint8_t tag, std::uint16_t code, Item item) const {
    tags(place.group).tags[place.slot] = tag;
    slots(place.group).codes[place.slot] = code;
    slots(place.group).items[place.slot] = item;
  }

  // Calls visit(place) for the items that were placed behind `group` on their way past it.
  template <typename F>
  void ForEachPassed(std::uint32_t group, F visit) const {
    std::uint32_t current = group;
    for (std::uint32_t left = groups_; left > 1 && tags(current).overflow != 0; --left) {
      current = Behind(current);
      for (unsigned mask = Passed(group, current); mask != 0; mask &= mask - 1) {
        visit(Place{current, SlotOf(mask)});
      }
    }
  }
  // The slots of group `current` whose items have passed `group`: their home is neither `current`
  // nor between the two.
  unsigned Passed(std::uint32_t group, std::uint32_t current) const {
    const unsigned taken = tags(current).Occupied();
    const std::uint32_t first = PositionBehind(current);
    const std::uint32_t end = PositionBehind(group);
    // More groups than positions: none of the groups between is a home.
    if (first == end) return current > group ? taken : 0;
    return taken & slots(current).InRange(slide_, static_cast<std::uint16_t>(first),
                                          static_cast<std::uint16_t>(end - first));
  }

  // Moves an item that was placed past the group of `hole` there, and returns the hole it leaves.
  // Else a table whose items come and go at a constant size would end with a fifth of them away
  // from home.
  Place PullBack(Place hole) const {
    Place source = hole;
    std::uint8_t flags = 0;  // Of the other items that have passed.
    ForEachPassed(hole.group, [&](Place at) {
      if (source.group == hole.group) {
        source = at;
      } else {
        flags |= OverflowFlag(tags(at.group).tags[at.slot]);
      }
    });
    const GroupSlots<Item>& old = slots(source.group);
    Set(hole, tags(source.group).tags[source.slot], old.codes[source.slot], old.items[source.slot]);
    tags(source.group).tags[source.slot] = 0;
    tags(hole.group).overflow = flags;
    for (std::uint32_t i = Behind(hole.group); i != source.group; i = Behind(i)) {
      tags(i).overflow = ExactOverflow(i);
    }
    return source;
  }

  Segment* segment_ = EmptyBlock();
  std::uint32_t groups_ = 0;
  std::uint8_t depth_ = 0;
  std::uint8_t slide_ = 0;        // depth - window, at most kMaxSlide.
  std::uint16_t known_ = 0xffff;  // The bits of a position that codes can tell.
};

// Fills a fresh segment. Counts the used slots beside the block: reading back 16 tags right after
// writing one of them would stall on each item.
template <typename Item>
class SegmentFiller {
 public:
  explicit SegmentFiller(const SegmentRef<Item>& target)
      : target_(target), used_(target.groups()) {}

  void Add(std::uint8_t tag, std::uint16_t code, Item item) {
    std::uint32_t group = target_.HomeOfPosition(target_.PositionOfCode(code));
    while (used_[group] == kGroupSlots) {
      target_.tags(group).overflow |= OverflowFlag(tag);
      group = target_.Behind(group);
    }
    const unsigned slot = used_[group]++;
    target_.tags(group).tags[slot] = tag;
    target_.slots(group).codes[slot] = code;
    target_.slots(group).items[slot] = item;
    ++target_.segment().count;
  }

 private:
  const SegmentRef<Item> target_;
  std::vector<std::uint8_t> used_;
};

}  // namespace rung::table_internal

// PackedSortedSet: the small form of a sorted set, one block of memory with everything inside.
//
// The block is this header, then the scores, the members' lengths and the members' bytes, each as
// an array in order. Scores stand by themselves so that a search by score is a binary search,
// lengths so that a search by member skips what cannot match without reading it. Nothing stores
// where a member's bytes begin: the sum of the lengths before it says so, which is a few
// nanoseconds for a set of this size and saves an update of all the later ones at each change.
//
// Invariants, checked by CheckInvariants():
//   1. Members strictly ascend by (score, member); no score is NaN.
//   2. The lengths sum up to byte_count_; counts keep within capacities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rung/base/rng.h"
#include "rung/types/sorted_set.h"
#include "types/sorted_set_bounds.h"

namespace rung {

class PackedSortedSet {
 public:
  // An entry: its number, and where its member's bytes begin.
  struct Place {
    std::uint32_t index;
    std::uint32_t offset;
  };

  static PackedSortedSet* Create(Rng* rng, const SmallFormLimit* limit);
  static void Destroy(PackedSortedSet* set);
  // Returns `set`, or a larger copy that replaces it, with room for one more member of
  // `member_bytes`. Requires CanHold(member_bytes).
  static PackedSortedSet* WithRoomFor(PackedSortedSet* set, std::size_t member_bytes);
  static PackedSortedSet* Clone(const PackedSortedSet* set, Rng* rng);

  PackedSortedSet(const PackedSortedSet&) = delete;
  PackedSortedSet& operator=(const PackedSortedSet&) = delete;

  Rng* rng() const { return rng_; }
  const SmallFormLimit* limit() const { return limit_; }
  std::size_t size() const { return count_; }
  std::size_t MemoryBytes() const { return block_bytes_; }
  // Whether one more member of `member_bytes` keeps within the limit.
  bool CanHold(std::size_t member_bytes) const;

  std::optional<Place> Find(std::string_view member) const;  // O(n) compares of lengths.
  // The first entry for which `before` is false; size() if there is none. O(log n) compares.
  template <typename Before>
  Place PartitionPoint(const Before& before) const;
  Place PlaceAt(std::uint32_t index) const { return {index, OffsetOf(index)}; }
  Place End() const { return {count_, byte_count_}; }

  double ScoreAt(std::uint32_t index) const { return scores()[index]; }
  std::string_view MemberAt(Place place) const {
    return {bytes() + place.offset, lengths()[place.index]};
  }
  std::size_t LengthAt(std::uint32_t index) const { return lengths()[index]; }

  // Requires room (WithRoomFor), and that `place` is the key's partition point.
  void Insert(Place place, std::string_view member, double score);
  // Gives the entry another score and its new place in the order.
  void Move(Place from, double score);
  void Erase(std::uint32_t first, std::uint32_t count);

  void CheckInvariants() const;

 private:
  PackedSortedSet(Rng* rng, const SmallFormLimit* limit, std::size_t entry_capacity,
                  std::size_t block_bytes);
  static PackedSortedSet* Allocate(Rng* rng, const SmallFormLimit* limit, std::size_t entries,
                                   std::size_t member_bytes);
  // An empty block's copy of `source`'s entries. Requires capacity.
  void CopyFrom(const PackedSortedSet& source);

  std::uint32_t OffsetOf(std::uint32_t index) const;
  std::size_t byte_capacity() const;

  double* scores() { return reinterpret_cast<double*>(this + 1); }
  const double* scores() const { return reinterpret_cast<const double*>(this + 1); }
  std::uint16_t* lengths() { return reinterpret_cast<std::uint16_t*>(scores() + entry_capacity_); }
  const std::uint16_t* lengths() const {
    return reinterpret_cast<const std::uint16_t*>(scores() + entry_capacity_);
  }
  char* bytes() { return reinterpret_cast<char*>(lengths() + entry_capacity_); }
  const char* bytes() const { return reinterpret_cast<const char*>(lengths() + entry_capacity_); }

  Rng* rng_;
  const SmallFormLimit* limit_;
  std::uint32_t count_ = 0;
  std::uint32_t byte_count_ = 0;
  std::uint32_t entry_capacity_;
  std::uint32_t block_bytes_;
};

template <typename Before>
PackedSortedSet::Place PackedSortedSet::PartitionPoint(const Before& before) const {
  Place low = {0, 0};
  std::uint32_t high = count_;
  while (low.index < high) {
    const std::uint32_t middle = low.index + (high - low.index) / 2;
    std::uint32_t offset = low.offset;
    for (std::uint32_t i = low.index; i < middle; ++i) offset += lengths()[i];
    const Place place = {middle, offset};
    if (before(ScoreAt(middle), [&] { return MemberAt(place); })) {
      low = {middle + 1, offset + lengths()[middle]};
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace rung

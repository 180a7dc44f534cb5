// ScoreRecords: where a large sorted set keeps its members, each with its score, behind 32-bit
// handles.
//
// Why not one heap block each. A handle takes 4 bytes where a pointer takes 8, in the order and in
// the index; and a record is rounded up to 4 bytes where the allocator rounds to 16. Together that
// is some 15 bytes a member.
//
// Records live in slabs, arrays of slots of one size. A slab is given back when its last record
// goes; since slots are filled in order of time, a queue gives back its oldest slabs. Slabs grow
// with the number of records of their size, so that a set of some hundred members wastes little. A
// member too long for a slot lies in a block of its own, and its record points there.
//
// Invariants, checked by CheckInvariants():
//   1. In each slab: live slots + freed slots on its list = slots touched so far <= slots.
//   2. The slabs with room of one slot size, and no others, are on that size's list.
//   3. MemoryBytes() is the sum of what slabs, blocks and tables take.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace rung {

class ScoreRecords {
 public:
  using Handle = std::uint32_t;

  ScoreRecords() = default;
  ~ScoreRecords();
  ScoreRecords(const ScoreRecords&) = delete;
  ScoreRecords& operator=(const ScoreRecords&) = delete;

  // Whether Add may be called. False when 2^20 slabs are full, some 64 GB of members.
  bool HasRoom() const { return slabs_.size() < kSlabsMax || !unused_slabs_.empty(); }
  // Copies `member`. The handle and the bytes stay where they are until Remove. O(1).
  Handle Add(std::string_view member, double score);
  void Remove(Handle handle);

  std::string_view Member(Handle handle) const {
    const char* const slot = SlotOf(handle);
    const auto length = static_cast<unsigned char>(slot[kLengthAt]);
    if (length != kOutside) [[likely]]
      return {slot + kHeaderBytes, length};
    const OutsideBlock block = Outside(slot);
    return {block.bytes, block.length};
  }
  double Score(Handle handle) const {
    double score;
    std::memcpy(&score, SlotOf(handle), sizeof(score));
    return score;
  }
  void SetScore(Handle handle, double score) { std::memcpy(SlotOf(handle), &score, sizeof(score)); }
  // Always inline: GCC takes a function that only prefetches for one without effect, and drops it.
  [[gnu::always_inline]] void Prefetch(Handle handle) const { __builtin_prefetch(SlotOf(handle)); }

  std::size_t size() const { return size_; }
  std::size_t MemoryBytes() const { return bytes_ + slabs_.capacity() * sizeof(Slab); }

  void CheckInvariants() const;

 private:
  // A slot: score (8 bytes), length (1 byte), member. Instead of a length, kOutside tells that an
  // OutsideBlock stands in place of the member, and kFreed that the slot is on its slab's list:
  // then it begins with the number of the slot freed before it (2 bytes).
  static constexpr std::size_t kLengthAt = sizeof(double);
  static constexpr std::size_t kHeaderBytes = kLengthAt + 1;
  static constexpr unsigned char kOutside = 255;
  static constexpr unsigned char kFreed = 254;
  static constexpr std::size_t kInsideMax = 247;

  struct OutsideBlock {
    char* bytes;
    std::size_t length;
  };
  static OutsideBlock Outside(const char* slot) {
    OutsideBlock block;
    std::memcpy(&block, slot + kHeaderBytes, sizeof(block));
    return block;
  }

  // Slot sizes: multiples of 4 up to 64, of 8 up to 128, of 16 up to 256.
  static constexpr std::size_t kSizeClasses = 32;
  static std::size_t SizeClassOf(std::size_t bytes);
  static std::size_t BytesOf(std::size_t size_class);

  static constexpr unsigned kSlotBits = 12;
  static constexpr std::size_t kSlotsMax = std::size_t{1} << kSlotBits;
  static constexpr std::size_t kSlabsMax = std::size_t{1} << (32 - kSlotBits);
  static constexpr std::size_t kSlabBytesMin = 512;
  static constexpr std::size_t kSlabBytesMax = 64 * 1024;
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::uint16_t kNoSlot = 0xffff;

  struct Slab {
    char* slots = nullptr;  // Null: unused.
    std::uint16_t slot_bytes = 0;
    std::uint16_t size_class = 0;
    std::uint16_t slot_count = 0;
    std::uint16_t live = 0;
    std::uint16_t touched = 0;       // Slots from here on were never used.
    std::uint16_t freed = kNoSlot;   // The last slot freed; each holds the one before.
    std::uint32_t previous = kNone;  // Neighbours on the list of slabs with room.
    std::uint32_t next = kNone;
  };
  struct SizeClass {
    std::uint32_t with_room = kNone;  // The first slab of the list.
    std::size_t slab_bytes = 0;       // Of all its slabs.
  };

  char* SlotOf(Handle handle) const {
    const Slab& slab = slabs_[handle >> kSlotBits];
    return slab.slots + (handle & (kSlotsMax - 1)) * std::size_t{slab.slot_bytes};
  }

  Handle TakeSlot(std::size_t size_class);
  void FreeOutside(const char* slot);
  std::uint32_t NewSlab(std::size_t size_class);
  void FreeSlab(std::uint32_t number);
  void Link(std::uint32_t number);
  void Unlink(std::uint32_t number);
  void CheckSlab(const Slab& slab) const;

  std::vector<Slab> slabs_;
  std::vector<std::uint32_t> unused_slabs_;
  std::array<SizeClass, kSizeClasses> size_classes_;
  std::size_t size_ = 0;
  std::size_t outside_ = 0;  // Live members that lie in blocks of their own.
  std::size_t bytes_ = 0;    // Of slabs and such blocks.
};

}  // namespace rung

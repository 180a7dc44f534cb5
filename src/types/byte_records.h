// ByteRecords: where large sets and hashes keep their members, each a string of bytes behind a
// 32-bit handle.
//
// Why not one heap block each. A handle takes 4 bytes in the hash table where a pointer takes 8,
// and a record is rounded up to 4 bytes where the allocator rounds to 16: together some 15 bytes a
// member.
//
// Records lie in slabs, arrays of slots of one size. Slabs grow with the number of records of their
// size, so that a set of some hundred members wastes little. A record too long for a slot lies in a
// block of its own, and its slot points there.
//
// A slab is given back when its last record goes. Removal at random empties no slab for long, so
// whoever removes also moves one record by FindMovable() and Move(): while less than half of a
// size's slots are in use (or another share), they empty one slab after another. Memory follows the
// content, and no call moves more than one record.
//
// Invariants, checked by CheckInvariants():
//   1. In each slab: live slots + freed slots on its list = slots touched so far <= slots.
//   2. The slabs with room of one slot size are on that size's list, but for the one being emptied.
//   3. The counts of a size and MemoryBytes() are the sums of what its slabs and blocks have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "rung/base/prefetch.h"

namespace rung {

class ByteRecords {
 public:
  using Handle = std::uint32_t;

  // Slabs are emptied while less than 1/`sparse` of a size's slots are in use.
  explicit ByteRecords(std::uint32_t sparse = 2) : sparse_(sparse) {}
  ~ByteRecords();
  ByteRecords(const ByteRecords&) = delete;
  ByteRecords& operator=(const ByteRecords&) = delete;

  // Whether Add may be called. False when 2^20 slabs are full, which is some 32 GB of records.
  bool HasRoom() const { return slabs_.size() < kSlabsMax || !unused_slabs_.empty(); }
  // A record of `bytes` bytes, to be written at Data(). It stays where it is until Remove() or
  // Move(). O(1).
  Handle Add(std::size_t bytes);
  void Remove(Handle handle);

  std::string_view Bytes(Handle handle) const {
    const char* const slot = SlotOf(handle);
    const auto length = static_cast<unsigned char>(*slot);
    if (length != kOutside) [[likely]]
      return {slot + 1, length};
    const OutsideBlock block = Outside(slot);
    return {block.bytes, block.length};
  }
  char* Data(Handle handle) { return const_cast<char*>(Bytes(handle).data()); }
  // Asks for the first bytes of a record, which may lie in two cache lines.
  void Prefetch(Handle handle) const { PrefetchSlot(SlotOf(handle)); }

  // A record that lies in a sparse slab, to be moved; nothing if memory is well used.
  std::optional<Handle> FindMovable();
  // Moves what FindMovable() has just returned. Returns its new handle, which the caller puts in
  // the place of the old one.
  Handle Move(Handle from);

  std::size_t size() const { return size_; }
  std::size_t MemoryBytes() const { return bytes_ + slabs_.capacity() * sizeof(Slab); }

  void CheckInvariants() const;

 private:
  // A slot: length (1 byte), then the bytes. Instead of a length, kOutside tells that an
  // OutsideBlock follows, and kFreed that the slot is on its slab's list: then the number of the
  // slot freed before it follows (2 bytes).
  static constexpr unsigned char kOutside = 255;
  static constexpr unsigned char kFreed = 254;
  static constexpr std::size_t kInsideMax = 253;

  struct OutsideBlock {
    char* bytes;
    std::size_t length;
  };
  static OutsideBlock Outside(const char* slot) {
    OutsideBlock block;
    std::memcpy(&block, slot + 1, sizeof(block));
    return block;
  }

  // Slot sizes: multiples of 4 up to 64, of 8 up to 128, of 16 up to 256.
  static constexpr std::size_t kSizeClasses = 32;
  static void PrefetchSlot(const char* slot) {
    constexpr std::size_t kUsualBytes = 28;
    rung::Prefetch(slot);
    rung::Prefetch(slot + kUsualBytes - 1);
  }
  static std::size_t SizeClassOf(std::size_t slot_bytes);
  static std::size_t BytesOf(std::size_t size_class);

  static constexpr unsigned kSlotBits = 12;
  static constexpr std::size_t kSlotsMax = std::size_t{1} << kSlotBits;
  static constexpr std::size_t kSlabsMax = std::size_t{1} << (32 - kSlotBits);
  static constexpr std::size_t kSlotsMin = 4;
  static constexpr std::size_t kSlabBytesMin = 128;
  static constexpr std::size_t kSlabBytesMax = 32768;
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

    char* SlotAt(std::size_t index) const { return slots + index * slot_bytes; }
    std::size_t bytes() const { return std::size_t{slot_count} * slot_bytes; }
    bool HasRoom() const { return live < slot_count; }
    bool IsSparse(std::size_t sparse) const { return live * sparse < slot_count; }
  };
  struct SizeClass {
    std::uint32_t with_room = kNone;  // The first slab of the list.
    std::uint32_t slots = 0;          // Of all its slabs.
    std::uint32_t live = 0;

    bool IsSparse(std::size_t sparse) const { return live * sparse < slots; }
  };

  char* SlotOf(Handle handle) const {
    const Slab& slab = slabs_[handle >> kSlotBits];
    return slab.slots + (handle & (kSlotsMax - 1)) * std::size_t{slab.slot_bytes};
  }

  Handle TakeSlot(std::size_t size_class);
  void FreeSlot(Handle handle);
  void FreeOutside(const char* slot);
  void NewSlab(std::size_t size_class);
  void FreeSlab(std::uint32_t number);
  void Link(std::uint32_t number);
  void Unlink(std::uint32_t number);
  void StopEmptying() {
    emptying_ = kNone;
    emptying_at_ = 0;
  }
  void CheckSlab(std::uint32_t number) const;
  void CheckLists() const;

  std::uint32_t sparse_;
  std::vector<Slab> slabs_;
  std::vector<std::uint32_t> unused_slabs_;
  std::array<SizeClass, kSizeClasses> size_classes_;
  std::size_t size_ = 0;
  std::size_t outside_ = 0;  // Records that lie in blocks of their own.
  std::size_t bytes_ = 0;    // Of slabs and such blocks.

  // The slab that is being emptied, if any: it is on no list and takes no new records.
  std::uint32_t emptying_ = kNone;
  std::uint16_t emptying_at_ = 0;  // Its slots before this one are free.
};

}  // namespace rung

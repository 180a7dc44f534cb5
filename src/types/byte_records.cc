// Slabs of records.

#include "types/byte_records.h"

#include <algorithm>

#include "rung/base/check.h"
#include "rung/base/memory.h"

namespace rung {

std::size_t ByteRecords::SizeClassOf(std::size_t slot_bytes) {
  if (slot_bytes <= 64) return (slot_bytes + 3) / 4 - 1;
  if (slot_bytes <= 128) return 16 + (slot_bytes - 64 + 7) / 8 - 1;
  return 24 + (slot_bytes - 128 + 15) / 16 - 1;
}

std::size_t ByteRecords::BytesOf(std::size_t size_class) {
  if (size_class < 16) return (size_class + 1) * 4;
  if (size_class < 24) return 64 + (size_class - 15) * 8;
  return 128 + (size_class - 23) * 16;
}

ByteRecords::~ByteRecords() {
  for (const Slab& slab : slabs_) {
    if (slab.slots == nullptr) continue;
    for (std::size_t i = 0; outside_ > 0 && i < slab.touched; ++i) {
      const char* const slot = slab.SlotAt(i);
      if (static_cast<unsigned char>(*slot) == kOutside) FreeOutside(slot);
    }
    FreeBlock(slab.slots, slab.bytes());
  }
}

ByteRecords::Handle ByteRecords::Add(std::size_t bytes) {
  const bool inside = bytes <= kInsideMax;
  const Handle handle = TakeSlot(SizeClassOf(1 + (inside ? bytes : sizeof(OutsideBlock))));
  char* const slot = SlotOf(handle);
  if (inside) {
    *slot = static_cast<char>(bytes);
  } else {
    const OutsideBlock block = {static_cast<char*>(Allocate(bytes)), bytes};
    *slot = static_cast<char>(kOutside);
    std::memcpy(slot + 1, &block, sizeof(block));
    bytes_ += AllocationSize(bytes);
    ++outside_;
  }
  ++size_;
  return handle;
}

void ByteRecords::Remove(Handle handle) {
  const char* const slot = SlotOf(handle);
  if (static_cast<unsigned char>(*slot) == kOutside) FreeOutside(slot);
  --size_;
  const std::uint32_t number = handle >> kSlotBits;
  Slab& slab = slabs_[number];
  const SizeClass& owner = size_classes_[slab.size_class];
  FreeSlot(handle);
  // A slab that is sparse among sparse ones is the next to be emptied.
  if (emptying_ == kNone && slab.slots != nullptr && owner.IsSparse(sparse_) &&
      slab.IsSparse(sparse_) && owner.slots - slab.slot_count >= owner.live) {
    Unlink(number);
    emptying_ = number;
  }
}

// Puts a slot on its slab's list; the slab goes with its last record.
void ByteRecords::FreeSlot(Handle handle) {
  const std::uint32_t number = handle >> kSlotBits;
  Slab& slab = slabs_[number];
  --size_classes_[slab.size_class].live;
  if (--slab.live == 0) return FreeSlab(number);
  char* const slot = SlotOf(handle);
  const bool was_full = slab.live + 1 == slab.slot_count;
  *slot = static_cast<char>(kFreed);
  std::memcpy(slot + 1, &slab.freed, sizeof(slab.freed));
  slab.freed = static_cast<std::uint16_t>(handle & (kSlotsMax - 1));
  if (was_full) Link(number);
}

void ByteRecords::FreeOutside(const char* slot) {
  const OutsideBlock block = Outside(slot);
  bytes_ -= AllocationSize(block.length);
  --outside_;
  Free(block.bytes, block.length);
}

std::optional<ByteRecords::Handle> ByteRecords::FindMovable() {
  if (emptying_ == kNone) return std::nullopt;
  const Slab& slab = slabs_[emptying_];
  if (size_classes_[slab.size_class].with_room == kNone) {
    Link(emptying_);
    StopEmptying();
    return std::nullopt;
  }
  // One of them is live, since a slab without live slots is freed.
  while (static_cast<unsigned char>(*slab.SlotAt(emptying_at_)) == kFreed) ++emptying_at_;
  return (emptying_ << kSlotBits) | emptying_at_;
}

ByteRecords::Handle ByteRecords::Move(Handle from) {
  const Slab& slab = slabs_[from >> kSlotBits];
  const Handle to = TakeSlot(slab.size_class);
  std::memcpy(SlotOf(to), SlotOf(from), slab.slot_bytes);
  FreeSlot(from);
  return to;
}

ByteRecords::Handle ByteRecords::TakeSlot(std::size_t size_class) {
  SizeClass& owner = size_classes_[size_class];
  if (owner.with_room == kNone) {
    if (emptying_ != kNone && slabs_[emptying_].size_class == size_class) {
      Link(emptying_);
      StopEmptying();
    } else {
      NewSlab(size_class);
    }
  }
  const std::uint32_t number = owner.with_room;
  Slab& slab = slabs_[number];
  std::uint16_t index = slab.freed;
  if (index != kNoSlot) {
    std::memcpy(&slab.freed, slab.SlotAt(index) + 1, sizeof(slab.freed));
  } else {
    index = slab.touched++;
  }
  ++slab.live;
  ++owner.live;
  if (!slab.HasRoom()) Unlink(number);
  // It will say which one follows it when it is taken, and has not been touched for long.
  if (slab.freed != kNoSlot) PrefetchSlot(slab.SlotAt(slab.freed));
  return (number << kSlotBits) | index;
}

void ByteRecords::NewSlab(std::size_t size_class) {
  std::uint32_t number;
  if (unused_slabs_.empty()) {
    RUNG_CHECK(slabs_.size() < kSlabsMax, "records: no handles are left");
    number = static_cast<std::uint32_t>(slabs_.size());
    slabs_.emplace_back();
  } else {
    number = unused_slabs_.back();
    unused_slabs_.pop_back();
  }
  SizeClass& owner = size_classes_[size_class];
  const std::size_t slot_bytes = BytesOf(size_class);
  const std::size_t least = std::max(kSlabBytesMin, kSlotsMin * slot_bytes);
  const std::size_t wanted =
      AllocationSize(std::clamp(owner.slots * slot_bytes / 8, least, kSlabBytesMax));
  const std::size_t slot_count = std::min(wanted / slot_bytes, kSlotsMax);
  Slab& slab = slabs_[number];
  slab.slots = static_cast<char*>(AllocateBlock(slot_count * slot_bytes, PagesBeyond(bytes_)));
  slab.slot_bytes = static_cast<std::uint16_t>(slot_bytes);
  slab.size_class = static_cast<std::uint16_t>(size_class);
  slab.slot_count = static_cast<std::uint16_t>(slot_count);
  owner.slots += slab.slot_count;
  bytes_ += AllocationSize(slab.bytes());
  Link(number);
}

void ByteRecords::FreeSlab(std::uint32_t number) {
  Slab& slab = slabs_[number];
  // It had room until now, for a slab has two slots at least.
  number == emptying_ ? StopEmptying() : Unlink(number);
  size_classes_[slab.size_class].slots -= slab.slot_count;
  bytes_ -= AllocationSize(slab.bytes());
  FreeBlock(slab.slots, slab.bytes());
  slab = Slab();
  unused_slabs_.push_back(number);
}

void ByteRecords::Link(std::uint32_t number) {
  Slab& slab = slabs_[number];
  std::uint32_t& first = size_classes_[slab.size_class].with_room;
  slab.previous = kNone;
  slab.next = first;
  if (first != kNone) slabs_[first].previous = number;
  first = number;
}

void ByteRecords::Unlink(std::uint32_t number) {
  Slab& slab = slabs_[number];
  if (slab.previous == kNone) {
    size_classes_[slab.size_class].with_room = slab.next;
  } else {
    slabs_[slab.previous].next = slab.next;
  }
  if (slab.next != kNone) slabs_[slab.next].previous = slab.previous;
}

void ByteRecords::CheckSlab(std::uint32_t number) const {
  const Slab& slab = slabs_[number];
  std::size_t freed = 0;
  for (std::uint16_t i = slab.freed; i != kNoSlot; ++freed) {
    RUNG_CHECK(i < slab.touched, "records: a freed slot was touched before");
    const char* const slot = slab.SlotAt(i);
    RUNG_CHECK(static_cast<unsigned char>(*slot) == kFreed,
               "records: a slot on the list of the freed is marked so");
    std::memcpy(&i, slot + 1, sizeof(i));
  }
  RUNG_CHECK(slab.live > 0 && slab.live + freed == slab.touched,
             "records: live and freed slots are the touched ones");
  RUNG_CHECK(slab.touched <= slab.slot_count, "records: no slot beyond the slab");
}

void ByteRecords::CheckLists() const {
  std::array<SizeClass, kSizeClasses> sums;
  std::size_t with_room = 0;
  for (std::uint32_t number = 0; number < slabs_.size(); ++number) {
    const Slab& slab = slabs_[number];
    if (slab.slots == nullptr) continue;
    sums[slab.size_class].slots += slab.slot_count;
    sums[slab.size_class].live += slab.live;
    if (slab.HasRoom() && number != emptying_) ++with_room;
  }
  std::size_t listed = 0;
  for (std::size_t i = 0; i < kSizeClasses; ++i) {
    RUNG_CHECK(sums[i].slots == size_classes_[i].slots && sums[i].live == size_classes_[i].live,
               "records: counts of a slot size");
    for (std::uint32_t n = size_classes_[i].with_room; n != kNone; n = slabs_[n].next) {
      RUNG_CHECK(slabs_[n].size_class == i && slabs_[n].HasRoom() && n != emptying_,
                 "records: a listed slab has room and the list's slot size");
      ++listed;
    }
  }
  RUNG_CHECK(listed == with_room, "records: all slabs with room are listed");
}

void ByteRecords::CheckInvariants() const {
  std::size_t live = 0;
  std::size_t bytes = 0;
  for (std::uint32_t number = 0; number < slabs_.size(); ++number) {
    const Slab& slab = slabs_[number];
    if (slab.slots == nullptr) continue;
    CheckSlab(number);
    live += slab.live;
    bytes += AllocationSize(slab.bytes());
    for (std::size_t i = 0; i < slab.touched; ++i) {
      const char* const slot = slab.SlotAt(i);
      if (static_cast<unsigned char>(*slot) != kOutside) continue;
      bytes += AllocationSize(Outside(slot).length);
    }
  }
  RUNG_CHECK(live == size_, "records: slabs hold exactly the live records");
  RUNG_CHECK(bytes == bytes_, "records: bytes add up");
  CheckLists();
}

}  // namespace rung

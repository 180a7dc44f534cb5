// Slabs of member records.

#include "types/score_records.h"

#include <algorithm>

#include "rung/base/check.h"
#include "rung/base/memory.h"

namespace rung {

std::size_t ScoreRecords::SizeClassOf(std::size_t bytes) {
  if (bytes <= 64) return (bytes + 3) / 4 - 1;
  if (bytes <= 128) return 16 + (bytes - 64 + 7) / 8 - 1;
  return 24 + (bytes - 128 + 15) / 16 - 1;
}

std::size_t ScoreRecords::BytesOf(std::size_t size_class) {
  if (size_class < 16) return (size_class + 1) * 4;
  if (size_class < 24) return 64 + (size_class - 15) * 8;
  return 128 + (size_class - 23) * 16;
}

ScoreRecords::~ScoreRecords() {
  for (const Slab& slab : slabs_) {
    if (slab.slots == nullptr) continue;
    for (std::size_t i = 0; outside_ > 0 && i < slab.touched; ++i) {
      const char* const slot = slab.slots + i * slab.slot_bytes;
      if (static_cast<unsigned char>(slot[kLengthAt]) == kOutside) FreeOutside(slot);
    }
    Free(slab.slots, std::size_t{slab.slot_count} * slab.slot_bytes);
  }
}

ScoreRecords::Handle ScoreRecords::Add(std::string_view member, double score) {
  const bool inside = member.size() <= kInsideMax;
  const std::size_t slot_bytes = kHeaderBytes + (inside ? member.size() : sizeof(OutsideBlock));
  const Handle handle = TakeSlot(SizeClassOf(slot_bytes));
  char* const slot = SlotOf(handle);
  std::memcpy(slot, &score, sizeof(score));
  if (inside) {
    slot[kLengthAt] = static_cast<char>(member.size());
    std::copy_n(member.data(), member.size(), slot + kHeaderBytes);
  } else {
    const OutsideBlock block = {static_cast<char*>(Allocate(member.size())), member.size()};
    std::copy_n(member.data(), member.size(), block.bytes);
    slot[kLengthAt] = static_cast<char>(kOutside);
    std::memcpy(slot + kHeaderBytes, &block, sizeof(block));
    bytes_ += AllocationSize(member.size());
    ++outside_;
  }
  ++size_;
  return handle;
}

void ScoreRecords::Remove(Handle handle) {
  char* const slot = SlotOf(handle);
  if (static_cast<unsigned char>(slot[kLengthAt]) == kOutside) FreeOutside(slot);
  const std::uint32_t number = handle >> kSlotBits;
  Slab& slab = slabs_[number];
  --size_;
  if (--slab.live == 0) {
    FreeSlab(number);
    return;
  }
  const bool was_full = slab.freed == kNoSlot && slab.touched == slab.slot_count;
  std::memcpy(slot, &slab.freed, sizeof(slab.freed));
  slot[kLengthAt] = static_cast<char>(kFreed);
  slab.freed = static_cast<std::uint16_t>(handle & (kSlotsMax - 1));
  if (was_full) Link(number);
}

void ScoreRecords::FreeOutside(const char* slot) {
  const OutsideBlock block = Outside(slot);
  bytes_ -= AllocationSize(block.length);
  --outside_;
  Free(block.bytes, block.length);
}

ScoreRecords::Handle ScoreRecords::TakeSlot(std::size_t size_class) {
  std::uint32_t number = size_classes_[size_class].with_room;
  if (number == kNone) number = NewSlab(size_class);
  Slab& slab = slabs_[number];
  std::uint16_t index = slab.freed;
  if (index != kNoSlot) {
    std::memcpy(&slab.freed, slab.slots + std::size_t{index} * slab.slot_bytes, sizeof(slab.freed));
  } else {
    index = slab.touched++;
  }
  ++slab.live;
  if (slab.freed == kNoSlot && slab.touched == slab.slot_count) Unlink(number);
  return (number << kSlotBits) | index;
}

std::uint32_t ScoreRecords::NewSlab(std::size_t size_class) {
  RUNG_CHECK(HasRoom(), "no handles are left");
  std::uint32_t number;
  if (unused_slabs_.empty()) {
    number = static_cast<std::uint32_t>(slabs_.size());
    slabs_.emplace_back();
  } else {
    number = unused_slabs_.back();
    unused_slabs_.pop_back();
  }
  SizeClass& owner = size_classes_[size_class];
  const std::size_t slot_bytes = BytesOf(size_class);
  const std::size_t wanted =
      AllocationSize(std::clamp(owner.slab_bytes / 8, kSlabBytesMin, kSlabBytesMax));
  const std::size_t slot_count = std::min(wanted / slot_bytes, kSlotsMax);
  Slab& slab = slabs_[number];
  slab.slots = static_cast<char*>(Allocate(slot_count * slot_bytes));
  slab.slot_bytes = static_cast<std::uint16_t>(slot_bytes);
  slab.size_class = static_cast<std::uint16_t>(size_class);
  slab.slot_count = static_cast<std::uint16_t>(slot_count);
  owner.slab_bytes += slot_count * slot_bytes;
  bytes_ += AllocationSize(slot_count * slot_bytes);
  Link(number);
  return number;
}

void ScoreRecords::FreeSlab(std::uint32_t number) {
  Slab& slab = slabs_[number];
  const bool listed = slab.freed != kNoSlot || slab.touched < slab.slot_count;
  if (listed) Unlink(number);
  const std::size_t slab_bytes = std::size_t{slab.slot_count} * slab.slot_bytes;
  size_classes_[slab.size_class].slab_bytes -= slab_bytes;
  bytes_ -= AllocationSize(slab_bytes);
  Free(slab.slots, slab_bytes);
  slab = Slab();
  unused_slabs_.push_back(number);
}

void ScoreRecords::Link(std::uint32_t number) {
  Slab& slab = slabs_[number];
  std::uint32_t& first = size_classes_[slab.size_class].with_room;
  slab.previous = kNone;
  slab.next = first;
  if (first != kNone) slabs_[first].previous = number;
  first = number;
}

void ScoreRecords::Unlink(std::uint32_t number) {
  Slab& slab = slabs_[number];
  if (slab.previous == kNone) {
    size_classes_[slab.size_class].with_room = slab.next;
  } else {
    slabs_[slab.previous].next = slab.next;
  }
  if (slab.next != kNone) slabs_[slab.next].previous = slab.previous;
}

void ScoreRecords::CheckSlab(const Slab& slab) const {
  std::size_t freed = 0;
  for (std::uint16_t i = slab.freed; i != kNoSlot; ++freed) {
    RUNG_CHECK(i < slab.touched, "records: a freed slot was touched before");
    const char* const slot = slab.slots + std::size_t{i} * slab.slot_bytes;
    RUNG_CHECK(static_cast<unsigned char>(slot[kLengthAt]) == kFreed,
               "records: a slot on the list of the freed is marked so");
    std::memcpy(&i, slot, sizeof(i));
  }
  RUNG_CHECK(slab.live > 0 && slab.live + freed == slab.touched,
             "records: live and freed slots are the touched ones");
  RUNG_CHECK(slab.touched <= slab.slot_count, "records: no slot beyond the slab");
}

void ScoreRecords::CheckInvariants() const {
  std::size_t live = 0;
  std::size_t slab_bytes = 0;
  std::size_t with_room = 0;
  std::size_t outside_bytes = 0;
  for (const Slab& slab : slabs_) {
    if (slab.slots == nullptr) continue;
    CheckSlab(slab);
    live += slab.live;
    slab_bytes += AllocationSize(std::size_t{slab.slot_count} * slab.slot_bytes);
    if (slab.live < slab.slot_count) ++with_room;
    for (std::size_t i = 0; i < slab.touched; ++i) {
      const char* const slot = slab.slots + i * slab.slot_bytes;
      if (static_cast<unsigned char>(slot[kLengthAt]) != kOutside) continue;
      outside_bytes += AllocationSize(Outside(slot).length);
    }
  }
  RUNG_CHECK(live == size_, "records: slabs hold exactly the live records");
  RUNG_CHECK(slab_bytes + outside_bytes == bytes_, "records: bytes add up");

  std::size_t listed = 0;
  for (std::size_t i = 0; i < kSizeClasses; ++i) {
    for (std::uint32_t n = size_classes_[i].with_room; n != kNone; n = slabs_[n].next) {
      RUNG_CHECK(slabs_[n].size_class == i && slabs_[n].live < slabs_[n].slot_count,
                 "records: a listed slab has room and the list's slot size");
      ++listed;
    }
  }
  RUNG_CHECK(listed == with_room, "records: all slabs with room are listed");
}

}  // namespace rung

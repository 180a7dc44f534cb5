// List: its ends, cursors and searches. Changes in the middle are in list_edit.cc, the care of the
// blocks in list_directory.cc.

#include "rung/types/list.h"

#include <algorithm>
#include <string>
#include <utility>

#include "types/list_block.h"
#include "types/list_directory.h"
#include "types/same_bytes.h"

namespace rung {
namespace {

using list_entry::Entry;
using list_entry::EntryBytes;
using list_entry::ReadBackward;
using list_entry::ReadForward;

// Sliding a block moves up to this many bytes for each byte of room that it wins.
constexpr std::size_t kSlideCost = 3;
constexpr std::size_t kValueBytesMax = std::size_t{1} << 31;
// A block of this size or more is not worth a larger copy.
constexpr std::size_t kFullBytes = 7168;
// A lone block keeps its size down to this, and until it is so many times too large.
constexpr std::size_t kShrinkAbove = 256;
constexpr std::size_t kShrinkFactor = 8;

}  // namespace

List& List::operator=(List&& other) noexcept {
  if (this != &other) {
    Clear();
    root_ = std::exchange(other.root_, 0);
  }
  return *this;
}

void List::Push(ListEnd end, std::string_view value) {
  Block* block = EndBlock(end);
  const std::size_t entry_bytes = EntryBytes(value.size());
  if (block == nullptr || block->Room(end) < entry_bytes) [[unlikely]] {
    return PushSlow(end, value);
  }
  block->Add(end, value, entry_bytes);
  if (IsLarge()) ++directory().size;
}

// `value` may lie in a block that moves here, so it is copied before or read before the block goes.
void List::PushSlow(ListEnd end, std::string_view value) {
  RUNG_CHECK(value.size() < kValueBytesMax, "list element too long");
  Block* block = EndBlock(end);
  const std::size_t entry_bytes = EntryBytes(value.size());
  if (block == nullptr || entry_bytes > Block::kSharedEntryMax) return PushBlock(end, value);

  const std::size_t slack = block->slack();
  if (slack >= entry_bytes && slack * kSlideCost >= block->used()) {
    // Most of the gap to this end, some to the other: pushes at alternating ends shall not slide
    // the block each time.
    const std::size_t gap = std::max(entry_bytes, slack - slack / 4);
    const std::string copy(block->Holds(value.data()) ? value : std::string_view());
    block->Slide(end == ListEnd::kHead ? gap : slack - gap);
    block->Add(end, copy.empty() ? value : copy, entry_bytes);
    if (IsLarge()) ++directory().size;
    return;
  }
  if (block->bytes() >= kFullBytes || !block->CanTake(entry_bytes)) {
    return PushBlock(end, value);
  }
  Block* grown = block->Grown(entry_bytes, end);
  grown->Add(end, value, entry_bytes);
  ReplaceBlock(EndNumber(end), grown);
}

// Adds a block at `end` for `value`. The block that was there gives back what it does not need.
void List::PushBlock(ListEnd end, std::string_view value) {
  const std::size_t entry_bytes = EntryBytes(value.size());
  std::size_t room = entry_bytes;
  if (room <= Block::kSharedEntryMax) {
    // Small beside little, full-grown beside much.
    room = std::clamp(MemoryBytes() / 4, room, Block::kRoomMax);
  }
  Block* added = Block::Create(room, end);
  added->Add(end, value, entry_bytes);
  if (root_ != 0) {
    const Block* neighbour = EndBlock(end);
    if (neighbour->slack() > neighbour->capacity / 8) {
      ReplaceBlock(EndNumber(end), neighbour->Copy(neighbour->used(), end));
    }
  }
  InsertBlock(end == ListEnd::kHead ? 0 : BlockCount(), added);
}

std::string_view List::Peek(ListEnd end) const {
  const Block* block = EndBlock(end);
  RUNG_CHECK(block != nullptr, "List::Peek on an empty list");
  return end == ListEnd::kHead ? ReadForward(block->data() + block->begin).value
                               : ReadBackward(block->data() + block->end).value;
}

void List::Drop(ListEnd end, std::size_t count) {
  while (count > 0 && root_ != 0) {
    const std::size_t held = EndBlock(end)->count;
    if (count < held) return DropEntries(end, count);
    RemoveBlock(EndNumber(end));
    count -= held;
  }
}

// Takes `count` entries off the block at `end`, which has more than that.
void List::DropEntries(ListEnd end, std::size_t count) {
  Block* block = EndBlock(end);
  block->count -= static_cast<std::uint32_t>(count);
  if (IsLarge()) directory().size -= count;
  for (; count > 0; --count) {
    if (end == ListEnd::kHead) {
      block->begin += ReadForward(block->data() + block->begin).bytes;
    } else {
      block->end -= ReadBackward(block->data() + block->end).bytes;
    }
  }
  if (!IsLarge()) ShrinkOnlyBlock();
}

// A list that has drained to a few elements shall not hold a full block.
void List::ShrinkOnlyBlock() {
  const Block* block = only_block();
  if (block->capacity <= kShrinkAbove || block->used() * kShrinkFactor > block->capacity) return;
  ReplaceBlock(0, block->Copy(2 * block->used(), ListEnd::kTail));
}

void List::Trim(std::size_t first, std::size_t last) {
  const std::size_t count = size();
  if (first > last || first >= count) return Clear();
  Drop(ListEnd::kTail, count - 1 - std::min(last, count - 1));
  Drop(ListEnd::kHead, first);
}

List::Cursor List::CursorAt(std::size_t number, std::uint32_t offset) const {
  const Block* block = BlockAt(number);
  Cursor cursor;
  cursor.list_ = this;
  cursor.number_ = number;
  cursor.at_ = block->data() + offset;
  cursor.block_begin_ = block->data() + block->begin;
  cursor.block_end_ = block->data() + block->end;
  cursor.ReadEntry();
  return cursor;
}

std::uint32_t List::OffsetOf(const Cursor& cursor) const {
  return BlockAt(cursor.number_)->begin +
         static_cast<std::uint32_t>(cursor.at_ - cursor.block_begin_);
}

List::Cursor List::First() const {
  return root_ == 0 ? Cursor() : CursorAt(0, EndBlock(ListEnd::kHead)->begin);
}

List::Cursor List::Last() const {
  if (root_ == 0) return Cursor();
  const Block* block = EndBlock(ListEnd::kTail);
  const std::uint32_t bytes = ReadBackward(block->data() + block->end).bytes;
  return CursorAt(BlockCount() - 1, block->end - bytes);
}

void List::Cursor::Prev() {
  if (at_ == block_begin_) return EnterBlock(ListEnd::kHead);
  const Entry entry = ReadBackward(at_);
  entry_end_ = at_;
  at_ -= entry.bytes;
  value_ = entry.value;
}

// To the nearest entry of the next block in that direction.
void List::Cursor::EnterBlock(ListEnd towards) {
  const bool forward = towards == ListEnd::kTail;
  if (number_ == (forward ? list_->BlockCount() - 1 : 0)) {
    at_ = nullptr;
    return;
  }
  number_ += forward ? 1 : std::size_t{0} - 1;
  const Block* block = list_->BlockAt(number_);
  block_begin_ = block->data() + block->begin;
  block_end_ = block->data() + block->end;
  at_ = forward ? block_begin_ : block_end_ - ReadBackward(block_end_).bytes;
  ReadEntry();
}

void List::Cursor::ReadLongEntry() {
  const Entry entry = ReadForward(at_);
  value_ = entry.value;
  entry_end_ = at_ + entry.bytes;
}

List::Cursor List::At(std::int64_t index) const {
  const std::int64_t count = static_cast<std::int64_t>(size());
  if (index < 0) index += count;
  if (index < 0 || index >= count) return Cursor();

  std::size_t number = 0;
  std::uint32_t rank = static_cast<std::uint32_t>(index);  // In the block, once that is known.
  const std::int64_t in_head = EndBlock(ListEnd::kHead)->count;
  if (index >= in_head) {
    const auto& slots = directory().slots;
    const std::int64_t position = slots[1].position + (index - in_head);
    const auto behind = std::upper_bound(
        slots.begin() + 2, slots.end(), position,
        [](std::int64_t wanted, const Directory::Slot& slot) { return wanted < slot.position; });
    number = static_cast<std::size_t>(behind - slots.begin()) - 1;
    rank = static_cast<std::uint32_t>(position - slots[number].position);
  }

  const Block* block = BlockAt(number);
  std::uint32_t offset = block->begin;
  if (rank <= block->count / 2) {
    for (; rank > 0; --rank) offset += ReadForward(block->data() + offset).bytes;
  } else {
    offset = block->end;
    for (; rank < block->count; ++rank) offset -= ReadBackward(block->data() + offset).bytes;
  }
  return CursorAt(number, offset);
}

std::vector<std::size_t> List::Find(std::string_view value, const FindRule& rule) const {
  std::vector<std::size_t> found;
  const bool from_tail = rule.rank < 0;
  // Its size also for the smallest rank, whose negative is no int64_t.
  const std::uint64_t rank =
      from_tail ? 0 - static_cast<std::uint64_t>(rule.rank) : static_cast<std::uint64_t>(rule.rank);
  std::uint64_t matches = 0;
  std::size_t compared = 0;
  for (Cursor cursor = from_tail ? Last() : First(); cursor.Valid();
       from_tail ? cursor.Prev() : cursor.Next()) {
    if (rule.max_compared != 0 && compared == rule.max_compared) break;
    ++compared;
    if (!SameBytes(cursor.value(), value) || ++matches < rank) continue;
    found.push_back(from_tail ? size() - compared : compared - 1);
    if (rule.count != 0 && found.size() == rule.count) break;
  }
  return found;
}

}  // namespace rung

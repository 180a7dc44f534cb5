// List: changes in the middle.

#include <algorithm>

#include "rung/types/list.h"
#include "types/list_block.h"
#include "types/list_directory.h"
#include "types/same_bytes.h"

namespace rung {
namespace {

using list_entry::EntryBytes;

// Neighbours that are together no fuller than this become one block. Well below a full block, so
// that the next insertion does not split it again.
constexpr std::size_t kMergedBytesMax = 6144;

}  // namespace

bool List::Set(std::int64_t index, std::string_view value) {
  const Cursor cursor = At(index);
  if (!cursor.Valid()) return false;
  const std::size_t number = cursor.number_;
  Block* block = BlockAt(number);
  const std::size_t entry_bytes = EntryBytes(value.size());
  const std::uint32_t old_offset = OffsetOf(cursor);
  const std::uint32_t old_bytes = static_cast<std::uint32_t>(cursor.entry_end_ - cursor.at_);
  if (entry_bytes == old_bytes) {
    list_entry::Write(block->data() + old_offset, value);
    return true;
  }
  if (block->count == 1) {
    ReplaceBlock(number, Block::CreateFor(value));
    return true;
  }
  const std::uint32_t offset = block->Erase(old_offset, old_bytes);
  if (block->CanTake(entry_bytes) && block->slack() >= entry_bytes) {
    block->Insert(offset, value);
    return true;
  }
  Recount(number, -1);
  InsertEntry(number, offset, value);
  return true;
}

bool List::InsertBeside(std::string_view pivot, std::string_view value, Where where) {
  for (Cursor cursor = First(); cursor.Valid(); cursor.Next()) {
    if (!SameBytes(cursor.value(), pivot)) continue;
    const std::ptrdiff_t behind = where == Where::kAfter ? cursor.entry_end_ - cursor.at_ : 0;
    InsertEntry(cursor.number_, OffsetOf(cursor) + static_cast<std::uint32_t>(behind), value);
    return true;
  }
  return false;
}

// Adds an entry before the one at `offset` of a block (its end: behind its last one).
void List::InsertEntry(std::size_t number, std::uint32_t offset, std::string_view value) {
  Block* block = BlockAt(number);
  const std::size_t entry_bytes = EntryBytes(value.size());
  if (number == 0 && offset == block->begin) return Push(ListEnd::kHead, value);
  if (number + 1 == BlockCount() && offset == block->end) return Push(ListEnd::kTail, value);

  // Between two blocks the other one may have more room. Without this, insertions before the first
  // element of a full block would make a block each.
  const auto is_better = [&](std::size_t other) {
    return BlockAt(other)->CanTake(entry_bytes) &&
           (BlockAt(other)->slack() >= entry_bytes || !block->CanTake(entry_bytes));
  };
  if (block->slack() < entry_bytes && offset == block->begin && is_better(number - 1)) {
    return InsertEntry(number - 1, BlockAt(number - 1)->end, value);
  }
  if (block->slack() < entry_bytes && offset == block->end && is_better(number + 1)) {
    return InsertEntry(number + 1, BlockAt(number + 1)->begin, value);
  }
  if (!block->CanTake(entry_bytes)) return SplitInsert(number, offset, value);
  if (block->slack() < entry_bytes) {
    const std::uint32_t distance = offset - block->begin;
    ReplaceBlock(number, block->Grown(entry_bytes, ListEnd::kTail));
    block = BlockAt(number);
    offset = block->begin + distance;
  }
  block->Insert(offset, value);
  Recount(number, 1);
}

// Adds an entry to a block that cannot take it: the block is cut in two there, and the entry goes
// to the smaller part, or between the parts if it is one for a block of its own.
void List::SplitInsert(std::size_t number, std::uint32_t offset, std::string_view value) {
  const Block* block = BlockAt(number);
  const bool at_begin = offset == block->begin;
  if (!at_begin && offset != block->end) {
    Block* left = block->CopyPart(block->begin, offset);
    Block* right = block->CopyPart(offset, block->end);
    ReplaceBlock(number, left);
    InsertBlock(number + 1, right);
    const bool left_is_smaller = left->used() <= right->used();
    if ((left_is_smaller ? left : right)->CanTake(EntryBytes(value.size()))) {
      return left_is_smaller ? InsertEntry(number, left->end, value)
                             : InsertEntry(number + 1, right->begin, value);
    }
  }
  const std::size_t added = at_begin ? number : number + 1;
  InsertBlock(added, Block::CreateFor(value));
  ShiftPositions(added, 1);
}

std::size_t List::RemoveEqual(std::string_view value, std::int64_t count) {
  if (count >= 0) {
    const std::size_t limit = count == 0 ? size() : static_cast<std::size_t>(count);
    return RemoveFrom(First(), value, limit);
  }
  // From the tail: the `limit`-th match seen from there is the first to go seen from the head.
  const std::size_t limit = std::size_t{0} - static_cast<std::size_t>(count);
  return RemoveFrom(FindFromTail(value, limit), value, limit);
}

// The match number `count` from the tail, or the one nearest to the head if there are fewer.
List::Cursor List::FindFromTail(std::string_view value, std::size_t count) const {
  Cursor found;
  for (Cursor cursor = Last(); cursor.Valid(); cursor.Prev()) {
    if (!SameBytes(cursor.value(), value)) continue;
    found = cursor;
    if (--count == 0) break;
  }
  return found;
}

std::size_t List::RemoveFrom(const Cursor& start, std::string_view value, std::size_t limit) {
  if (!start.Valid()) return 0;
  std::size_t removed = 0;
  std::size_t blocks_changed = 0;
  std::size_t last_changed = 0;
  std::size_t last_removed = 0;
  for (std::size_t i = start.number_; i < BlockCount() && removed < limit; ++i) {
    Block* block = BlockAt(i);
    const std::uint32_t offset = i == start.number_ ? OffsetOf(start) : block->begin;
    const std::size_t here = block->EraseEqual(offset, value, limit - removed);
    if (here == 0) continue;
    removed += here;
    ++blocks_changed;
    last_changed = i;
    last_removed = here;
  }
  if (blocks_changed == 1) {
    Recount(last_changed, -static_cast<std::int64_t>(last_removed));
    Tidy(last_changed);
  } else if (blocks_changed > 1) {
    Compact();
  }
  return removed;
}

// After removals from one block: an empty block goes, a sparse one joins a neighbour.
void List::Tidy(std::size_t number) {
  const Block* block = BlockAt(number);
  if (block->count == 0) return RemoveBlock(number);
  if (!IsLarge()) return ShrinkOnlyBlock();
  if (block->used() > kMergedBytesMax / 2) return;
  if (number + 1 < BlockCount() && block->used() + BlockAt(number + 1)->used() <= kMergedBytesMax) {
    return MergeWithNext(number);
  }
  if (number > 0 && block->used() + BlockAt(number - 1)->used() <= kMergedBytesMax) {
    MergeWithNext(number - 1);
  }
}

void List::MergeWithNext(std::size_t number) {
  const Block* block = BlockAt(number);
  Block* next = BlockAt(number + 1);
  Block* merged = block->Copy(block->used() + next->used(), ListEnd::kTail);
  merged->Append(*next);
  next->count = 0;  // Its elements are counted in the merged block from here on.
  directory().size -= merged->count - block->count;
  ReplaceBlock(number, merged);
  RemoveBlock(number + 1);
}

// After removals from many blocks: empty ones go, sparse neighbours become one. O(blocks), and
// moves the bytes of sparse blocks only.
void List::Compact() {
  std::vector<Block*> kept;
  for (std::size_t i = 0; i < BlockCount(); ++i) {
    Block* block = BlockAt(i);
    if (block->count == 0) {
      Block::Destroy(block);
      continue;
    }
    if (kept.empty() || kept.back()->used() + block->used() > kMergedBytesMax) {
      kept.push_back(block);
      continue;
    }
    Block*& last = kept.back();
    if (last->Room(ListEnd::kTail) < block->used()) {
      Block* wide = last->Copy(kMergedBytesMax, ListEnd::kTail);
      Block::Destroy(last);
      last = wide;
    }
    last->Append(*block);
    Block::Destroy(block);
  }
  for (Block*& block : kept) {
    if (block->used() * 2 > block->capacity) continue;
    Block* fitting = block->Copy(block->used(), ListEnd::kTail);
    Block::Destroy(block);
    block = fitting;
  }
  AdoptBlocks(kept);
}

}  // namespace rung

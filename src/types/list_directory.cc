// List: its blocks, one or many, behind one set of functions. See list_directory.h.

#include "types/list_directory.h"

#include "types/list_block.h"

namespace rung {
namespace {

// What a std::deque takes beside its elements: a map and half-filled chunks.
constexpr std::size_t kDequeBytes = 640;

}  // namespace

std::size_t List::size() const {
  if (IsLarge()) return directory().size;
  return root_ == 0 ? 0 : only_block()->count;
}

std::size_t List::MemoryBytes() const {
  if (!IsLarge()) return root_ == 0 ? 0 : only_block()->reserved();
  const Directory& all = directory();
  return all.block_bytes + AllocationSize(sizeof(Directory)) + kDequeBytes +
         all.slots.size() * sizeof(Directory::Slot);
}

bool List::IsSmall() const {
  return !IsLarge() && (root_ == 0 || only_block()->bytes() <= Block::kBytes);
}

List::Block* List::EndBlock(ListEnd end) const {
  if (!IsLarge()) return only_block();
  return end == ListEnd::kHead ? directory().head : directory().tail;
}

std::size_t List::BlockCount() const {
  if (IsLarge()) return directory().slots.size();
  return root_ == 0 ? 0 : 1;
}

List::Block* List::BlockAt(std::size_t number) const {
  return IsLarge() ? directory().slots[number].block : only_block();
}

// Puts `block` in the place of another, which is destroyed.
void List::ReplaceBlock(std::size_t number, Block* block) {
  if (!IsLarge()) {
    Block::Destroy(only_block());
    root_ = reinterpret_cast<std::uintptr_t>(block);
    return;
  }
  Directory& all = directory();
  Block* old = all.slots[number].block;
  all.size = all.size - old->count + block->count;
  all.block_bytes = all.block_bytes - old->reserved() + block->reserved();
  all.slots[number].block = block;
  all.CacheEnds();
  Block::Destroy(old);
}

// Adds a block. In the middle its elements take the positions before the next block's first: the
// caller shifts what follows if they are new to the list.
void List::InsertBlock(std::size_t number, Block* block) {
  if (root_ == 0) {
    root_ = reinterpret_cast<std::uintptr_t>(block);
    return;
  }
  if (!IsLarge()) {
    Block* other = only_block();
    AdoptBlocks(number == 0 ? std::vector<Block*>{block, other}
                            : std::vector<Block*>{other, block});
    return;
  }
  Directory& all = directory();
  auto& slots = all.slots;
  all.size += block->count;
  all.block_bytes += block->reserved();
  if (number == 0) {
    slots.front().position = slots[1].position - slots.front().block->count;
    slots.push_front({block, 0});
  } else if (number == slots.size()) {
    slots.push_back({block, slots.back().position + slots.back().block->count});
  } else {
    const std::int64_t position = slots[number].position - block->count;
    slots.insert(slots.begin() + static_cast<std::ptrdiff_t>(number), {block, position});
  }
  all.CacheEnds();
}

// Destroys a block: any at an end; in the middle only one without elements or whose elements have
// moved into the block before it.
void List::RemoveBlock(std::size_t number) {
  if (!IsLarge()) {
    Block::Destroy(only_block());
    root_ = 0;
    return;
  }
  Directory& all = directory();
  Block* block = all.slots[number].block;
  all.size -= block->count;
  all.block_bytes -= block->reserved();
  Block::Destroy(block);
  if (number == 0) {
    all.slots.pop_front();
  } else {
    all.slots.erase(all.slots.begin() + static_cast<std::ptrdiff_t>(number));
  }
  if (all.slots.size() == 1) {
    Block* last = all.slots.front().block;
    delete &all;
    root_ = reinterpret_cast<std::uintptr_t>(last);
  } else {
    all.CacheEnds();
  }
}

// Takes `blocks` as the whole content. A directory that there was is replaced, its blocks are not
// touched.
void List::AdoptBlocks(const std::vector<Block*>& blocks) {
  if (IsLarge()) delete &directory();
  if (blocks.size() < 2) {
    root_ = blocks.empty() ? 0 : reinterpret_cast<std::uintptr_t>(blocks.front());
    return;
  }
  auto* all = new Directory;
  std::int64_t position = 0;
  for (Block* block : blocks) {
    all->slots.push_back({block, position});
    position += block->count;
    all->block_bytes += block->reserved();
  }
  all->size = static_cast<std::size_t>(position);
  all->CacheEnds();
  root_ = reinterpret_cast<std::uintptr_t>(all) | 1;
}

// Tells the directory that block `number` has `delta` more elements than it had.
void List::Recount(std::size_t number, std::int64_t delta) {
  if (!IsLarge()) return;
  directory().size += static_cast<std::size_t>(delta);
  ShiftPositions(number + 1, delta);
}

// Moves block `first` and all behind it by `delta` on the axis, or those before it the other way:
// whichever are fewer.
void List::ShiftPositions(std::size_t first, std::int64_t delta) {
  if (!IsLarge()) return;
  auto& slots = directory().slots;
  if (first > slots.size() / 2) {
    for (std::size_t i = first; i < slots.size(); ++i) slots[i].position += delta;
  } else {
    for (std::size_t i = 1; i < first; ++i) slots[i].position -= delta;
  }
}

void List::Clear() {
  if (!IsLarge()) {
    if (root_ != 0) Block::Destroy(only_block());
  } else {
    for (const Directory::Slot& slot : directory().slots) Block::Destroy(slot.block);
    delete &directory();
  }
  root_ = 0;
}

std::unique_ptr<List> List::Clone() const {
  std::vector<Block*> blocks;
  for (std::size_t i = 0; i < BlockCount(); ++i) {
    blocks.push_back(BlockAt(i)->Copy(BlockAt(i)->used(), ListEnd::kTail));
  }
  auto clone = std::make_unique<List>();
  clone->AdoptBlocks(blocks);
  return clone;
}

void List::CheckInvariants() const {
  for (std::size_t i = 0; i < BlockCount(); ++i) BlockAt(i)->CheckInvariants();
  if (!IsLarge()) return;
  const Directory& all = directory();
  RUNG_CHECK(all.slots.size() >= 2, "list: directory of one block");
  RUNG_CHECK(all.head == all.slots.front().block && all.tail == all.slots.back().block,
             "list: cached ends");
  std::size_t size = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < all.slots.size(); ++i) {
    const Block* block = all.slots[i].block;
    RUNG_CHECK(
        i < 2 || all.slots[i].position == all.slots[i - 1].position + all.slots[i - 1].block->count,
        "list: positions");
    size += block->count;
    bytes += block->reserved();
  }
  RUNG_CHECK(size == all.size, "list: size");
  RUNG_CHECK(bytes == all.block_bytes, "list: bytes");
}

}  // namespace rung

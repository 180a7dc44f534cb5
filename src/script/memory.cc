// Free lists by size over slabs; large blocks from the process's allocator. See memory.h.

#include "script/memory.h"

#include <algorithm>
#include <cstring>

#include "rung/base/memory.h"

namespace rung {

ScriptMemory::~ScriptMemory() {
  for (void* slab : slabs_) Free(slab, kSlabBytes);
}

void* ScriptMemory::Provide(void* memory, void* block, std::size_t old_bytes,
                            std::size_t new_bytes) {
  ScriptMemory& self = *static_cast<ScriptMemory*>(memory);
  if (new_bytes == 0) {
    if (block != nullptr) self.GiveBack(block, old_bytes);
    return nullptr;
  }
  // Shrinking must never fail.
  const bool grows = new_bytes > old_bytes;
  if (grows && self.strict_ && self.limit_ != 0 &&
      self.used_ + (new_bytes - old_bytes) > self.limit_) {
    return nullptr;
  }
  if (self.used_ > self.pressure_) {
    self.pressure_ = SIZE_MAX;
    self.on_pressure_(self.owner_);
  }
  return block == nullptr ? self.Take(new_bytes) : self.Resize(block, old_bytes, new_bytes);
}

void* ScriptMemory::Take(std::size_t bytes) {
  used_ += bytes;
  if (bytes > kSmallMax) return Allocate(bytes);
  const std::size_t size_class = ClassOf(bytes);
  if (FreeBlock* block = free_[size_class]) {
    free_[size_class] = block->next;
    return block;
  }
  return TakeSmall(size_class);
}

// The end of a slab that is too small for this block goes to the free lists.
void* ScriptMemory::TakeSmall(std::size_t size_class) {
  const std::size_t bytes = size_class * kStep;
  if (slab_left_ < bytes) {
    if (slab_left_ > 0) {
      auto* rest = reinterpret_cast<FreeBlock*>(slab_at_);
      rest->next = free_[slab_left_ / kStep];
      free_[slab_left_ / kStep] = rest;
    }
    slabs_.push_back(Allocate(kSlabBytes));
    slab_at_ = static_cast<char*>(slabs_.back());
    slab_left_ = kSlabBytes;
  }
  void* block = slab_at_;
  slab_at_ += bytes;
  slab_left_ -= bytes;
  return block;
}

void ScriptMemory::GiveBack(void* block, std::size_t bytes) {
  used_ -= bytes;
  if (bytes > kSmallMax) {
    Free(block, bytes);
    return;
  }
  auto* free_block = static_cast<FreeBlock*>(block);
  free_block->next = free_[ClassOf(bytes)];
  free_[ClassOf(bytes)] = free_block;
}

void* ScriptMemory::Resize(void* block, std::size_t old_bytes, std::size_t new_bytes) {
  const bool both_small = old_bytes <= kSmallMax && new_bytes <= kSmallMax;
  if (both_small && ClassOf(old_bytes) == ClassOf(new_bytes)) {
    used_ += new_bytes - old_bytes;
    return block;
  }
  if (old_bytes > kSmallMax && new_bytes > kSmallMax) {
    used_ += new_bytes - old_bytes;
    return Reallocate(block, old_bytes, new_bytes);
  }
  void* moved = Take(new_bytes);
  std::memcpy(moved, block, std::min(old_bytes, new_bytes));
  GiveBack(block, old_bytes);
  return moved;
}

}  // namespace rung

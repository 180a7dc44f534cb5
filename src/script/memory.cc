// Free lists by size over slabs; large blocks from the process's allocator. See memory.h.

#include "script/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>

#include "rung/base/memory.h"

namespace rung {

ScriptMemory::~ScriptMemory() {
  for (char* slab : slabs_) Free(slab, kSlabBytes);
}

void* ScriptMemory::Provide(void* memory, void* block, std::size_t old_bytes,
                            std::size_t new_bytes) {
  ScriptMemory& self = *static_cast<ScriptMemory*>(memory);
  if (new_bytes == 0) {
    if (block != nullptr) self.GiveBack(block, old_bytes);
    return nullptr;
  }
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

// Whether `bytes` more may be taken from the process: see memory.h.
bool ScriptMemory::MayReserve(std::size_t bytes) {
  const auto is_too_much = [&] {
    return large_bytes_ + slab_bytes() + bytes > limit_ + limit_ / 2;
  };
  if (!strict_ || limit_ == 0 || !is_too_much()) return true;
  if (MaySweep()) GiveBackSlabs();
  return !is_too_much();
}

void* ScriptMemory::Take(std::size_t bytes) {
  void* block = nullptr;
  if (bytes > kSmallMax) {
    if (!MayReserve(bytes)) return nullptr;
    large_bytes_ += bytes;
    block = Allocate(bytes);
  } else if (FreeBlock* const free_block = free_[ClassOf(bytes)]) {
    free_[ClassOf(bytes)] = free_block->next;
    block = free_block;
  } else {
    block = TakeSmall(ClassOf(bytes));
  }
  if (block != nullptr) used_ += bytes;
  return block;
}

// The end of a slab that is too small for this block goes to the free lists.
void* ScriptMemory::TakeSmall(std::size_t size_class) {
  const std::size_t bytes = size_class * kStep;
  if (slab_left_ < bytes) {
    if (!MayReserve(kSlabBytes)) return nullptr;
    if (slab_left_ > 0) {
      auto* rest = reinterpret_cast<FreeBlock*>(slab_at_);
      rest->next = free_[slab_left_ / kStep];
      free_[slab_left_ / kStep] = rest;
    }
    slabs_.push_back(static_cast<char*>(Allocate(kSlabBytes)));
    slab_at_ = slabs_.back();
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
    large_bytes_ -= bytes;
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
    if (new_bytes > old_bytes && !MayReserve(new_bytes - old_bytes)) return nullptr;
    used_ += new_bytes - old_bytes;
    large_bytes_ += new_bytes - old_bytes;
    return Reallocate(block, old_bytes, new_bytes);
  }
  // Shrinking must never fail.
  const MemoryMode mode(*this, strict_ && new_bytes > old_bytes);
  void* const moved = Take(new_bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(old_bytes, new_bytes));
  GiveBack(block, old_bytes);
  return moved;
}

// Finds the slab of an address: millions of times, in any order, so by a table with an entry for
// each stretch as long as a slab. Where slabs lie too far apart for that, by bisection.
class ScriptMemory::SlabFinder {
 public:
  // `slabs` in order of their addresses.
  explicit SlabFinder(const std::vector<char*>& slabs) : slabs_(slabs) {
    if (slabs.empty()) return;
    const std::size_t stretches = StretchOf(slabs.back()) + 2;
    if (stretches / 64 > slabs.size()) return;
    last_of_.resize(stretches);
    std::size_t next = 0;
    for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
      while (next < slabs.size() && StretchOf(slabs[next]) <= stretch) ++next;
      last_of_[stretch] = static_cast<std::uint32_t>(next - 1);
    }
  }

  std::size_t IndexOf(const void* address) const {
    const auto* const at = static_cast<const char*>(address);
    if (last_of_.empty()) {
      const auto above = std::upper_bound(slabs_.begin(), slabs_.end(), at, std::less<>());
      return static_cast<std::size_t>(above - slabs_.begin()) - 1;
    }
    // At most one slab begins in a stretch.
    const std::size_t last = last_of_[StretchOf(at)];
    return slabs_[last] <= at ? last : last - 1;
  }

 private:
  std::size_t StretchOf(const char* at) const {
    return static_cast<std::size_t>(at - slabs_.front()) / kSlabBytes;
  }

  const std::vector<char*>& slabs_;
  std::vector<std::uint32_t> last_of_;  // The last slab that begins in the stretch or before.
};

std::vector<std::size_t> ScriptMemory::FreeBytesOfSlabs() const {
  const SlabFinder finder(slabs_);
  std::vector<std::size_t> bytes(slabs_.size());
  if (slab_left_ > 0) bytes[finder.IndexOf(slab_at_)] += slab_left_;
  for (std::size_t size_class = 1; size_class < free_.size(); ++size_class) {
    for (const FreeBlock* block = free_[size_class]; block != nullptr; block = block->next) {
      bytes[finder.IndexOf(block)] += size_class * kStep;
    }
  }
  return bytes;
}

void ScriptMemory::GiveBackSlabs() {
  std::sort(slabs_.begin(), slabs_.end(), std::less<>());
  const std::vector<std::size_t> free_bytes = FreeBytesOfSlabs();
  const SlabFinder finder(slabs_);
  for (FreeBlock*& list : free_) {
    FreeBlock** link = &list;
    while (FreeBlock* const block = *link) {
      if (free_bytes[finder.IndexOf(block)] == kSlabBytes) {
        *link = block->next;
      } else {
        link = &block->next;
      }
    }
  }
  if (slab_left_ > 0 && free_bytes[finder.IndexOf(slab_at_)] == kSlabBytes) slab_left_ = 0;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < slabs_.size(); ++at) {
    if (free_bytes[at] == kSlabBytes) {
      Free(slabs_[at], kSlabBytes);
    } else {
      slabs_[kept++] = slabs_[at];
    }
  }
  slabs_.resize(kept);
  slab_bytes_at_sweep_ = slab_bytes();
  used_at_sweep_ = used_;
}

}  // namespace rung

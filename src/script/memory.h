// ScriptMemory: where one Lua machine's memory comes from, counted and bounded.
//
// Why an allocator of its own. Lua asks for and gives back many small blocks in each script; it
// tells the old size, so free lists by size need no headers and no look-up. A third of what scripts
// cost elsewhere goes into malloc.
//
// The bound holds only while Lua code runs protected (strict): then a request beyond it fails, and
// Lua raises "not enough memory". Lua throws by longjmp, which must not pass a C++ frame that has
// something to clean up; so while host code runs every request is granted, and the host looks at
// over_limit() when it is done.
//
// Half way to the bound the owner is told, once, so that it can have garbage collected in a hurry:
// Lua 5.1 itself collects at its own pace, and gives up where memory ends, garbage or not.
//
// A block that is given back serves its own size again, and no other: to a script that needs ever
// other sizes the process may lend half as much again as the bound. Then, too, a request fails.
//
// A slab goes back to the process only when all its blocks are free, which is looked for seldom:
// one script may have needed hundreds of megabytes, and the next million of them nothing.
//
// Invariant: used() is the sum of the sizes that Lua holds; what the process lends is the slabs and
// large_bytes_. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rung {

class ScriptMemory {
 public:
  // Called in the middle of a request: it may set the collector's pace, and nothing else.
  using OnPressure = void (*)(void* owner);

  // `owner` is for the machine to find itself again, from a lua_State.
  ScriptMemory(void* owner, OnPressure on_pressure) : owner_(owner), on_pressure_(on_pressure) {}
  ~ScriptMemory();
  ScriptMemory(const ScriptMemory&) = delete;
  ScriptMemory& operator=(const ScriptMemory&) = delete;

  // A lua_Alloc. `memory` is the ScriptMemory.
  static void* Provide(void* memory, void* block, std::size_t old_bytes, std::size_t new_bytes);

  void* owner() const { return owner_; }
  std::size_t used() const { return used_; }

  // Whether GiveBackSlabs() is worth its time now: most of the slabs is free.
  bool HasSpareSlabs() const { return MaySweep() && slab_bytes() / 2 > used_; }
  // Gives back the slabs that hold nothing. Takes some 0.2 us for each block that is free.
  void GiveBackSlabs();
  std::size_t slab_bytes() const { return slabs_.size() * kSlabBytes; }

  // 0: no bound.
  void set_limit(std::size_t bytes) {
    limit_ = bytes;
    pressure_ = bytes == 0 ? SIZE_MAX : bytes / 2;
  }
  // In between the owner is told nothing: strings live that no Lua value holds.
  void PausePressure() { pressure_ = SIZE_MAX; }
  void ResumePressure() { set_limit(limit_); }
  bool over_limit() const { return limit_ != 0 && used_ > limit_; }
  // Whether a request beyond the limit fails.
  bool strict() const { return strict_; }
  void set_strict(bool strict) { strict_ = strict; }

 private:
  static constexpr std::size_t kStep = 16;
  static constexpr std::size_t kSmallMax = 256;
  static constexpr std::size_t kSlabBytes = 32 * 1024;
  static constexpr std::size_t kMuch = std::size_t{16} << 20;

  struct FreeBlock {
    FreeBlock* next;
  };
  class SlabFinder;

  static std::size_t ClassOf(std::size_t bytes) { return (bytes + kStep - 1) / kStep; }
  // Whether enough has come or gone since the last sweep to pay for another.
  bool MaySweep() const {
    const std::size_t much = limit_ == 0 ? kMuch : std::min(kMuch, limit_ / 8);
    return slab_bytes() >= slab_bytes_at_sweep_ + much ||
           used_ + used_at_sweep_ / 4 + much <= used_at_sweep_;
  }
  bool MayReserve(std::size_t bytes);
  // Null only while strict.
  void* Take(std::size_t bytes);
  void* TakeSmall(std::size_t size_class);
  void GiveBack(void* block, std::size_t bytes);
  void* Resize(void* block, std::size_t old_bytes, std::size_t new_bytes);
  std::vector<std::size_t> FreeBytesOfSlabs() const;

  void* owner_;
  OnPressure on_pressure_;
  std::size_t used_ = 0;
  std::size_t large_bytes_ = 0;  // Of used_, what is not in slabs.
  std::size_t limit_ = 0;
  std::size_t pressure_ = SIZE_MAX;  // Where the owner is told.
  bool strict_ = false;
  std::array<FreeBlock*, kSmallMax / kStep + 1> free_{};
  char* slab_at_ = nullptr;  // Room in the last slab.
  std::size_t slab_left_ = 0;
  std::vector<char*> slabs_;
  std::size_t slab_bytes_at_sweep_ = 0;
  std::size_t used_at_sweep_ = 0;
};

// While it lives, requests beyond the limit fail, or do not; then it is as before.
class MemoryMode {
 public:
  MemoryMode(ScriptMemory& memory, bool strict) : memory_(memory), before_(memory.strict()) {
    memory_.set_strict(strict);
  }
  ~MemoryMode() { memory_.set_strict(before_); }
  MemoryMode(const MemoryMode&) = delete;
  MemoryMode& operator=(const MemoryMode&) = delete;

 private:
  ScriptMemory& memory_;
  bool before_;
};

}  // namespace rung

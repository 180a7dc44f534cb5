// Counted memory: every byte that the process takes from the heap passes here.
//
// The global operator new and delete are replaced (memory.cc), so containers are counted without
// knowing it. Raw records of variable size use Allocate/Reallocate/Free. The count includes the
// allocator's rounding, so INFO used_memory is what the allocator has really handed out.
// Thread-safe: the counter is one relaxed atomic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rung {

// Never returns null: running out of memory ends the process with a message.
[[nodiscard]] void* Allocate(std::size_t bytes);
// `bytes` must be what was asked for at Allocate or the last Reallocate.
[[nodiscard]] void* Reallocate(void* block, std::size_t old_bytes, std::size_t new_bytes);
void Free(void* block, std::size_t bytes);

// Blocks that hold many items. A structure that is looked up all over and has grown beyond what the
// processor's own tables of pages reach takes its further blocks from huge pages, if there are any.
enum class Pages : std::uint8_t { kOrdinary, kHuge };
[[nodiscard]] void* AllocateBlock(std::size_t bytes, Pages pages);
void FreeBlock(void* block, std::size_t bytes);
// For the next block of a structure that has `held` bytes.
constexpr Pages PagesBeyond(std::size_t held) {
  constexpr std::size_t kOrdinaryBytes = std::size_t{1} << 20;
  return held < kOrdinaryBytes ? Pages::kOrdinary : Pages::kHuge;
}
// Gives a block in huge pages, or null if there is no room at hand. An alignment of 0: any.
using HugeAllocator = void* (*)(std::size_t bytes, std::size_t alignment);
// Whence such blocks come from now on. They are freed as all others. Not thread-safe.
void SetHugeAllocator(HugeAllocator allocate);

// What the allocator really reserves for a request of `bytes`. For MEMORY USAGE and accounting.
std::size_t AllocationSize(std::size_t bytes);

// Bytes handed out and not yet returned, in the whole process.
std::size_t AllocatedBytes();

// "jemalloc-5.3.0" or "libc", for INFO mem_allocator.
const char* AllocatorName();

// What the allocator holds, in bytes: pages with something in them, and pages in memory. All of
// AllocatedBytes() where the allocator does not tell. Takes microseconds.
struct AllocatorUse {
  std::size_t active = 0;
  std::size_t resident = 0;
};
AllocatorUse ReadAllocatorUse();

// The allocator's own report, for people (MEMORY MALLOC-STATS).
std::string AllocatorReport();

// Gives pages back to the system that have long been unused. The allocator does so by itself while
// it is asked for memory; to be called now and then, in case it is not.
void AgeAllocator();

// Gives unused pages back to the system (MEMORY PURGE).
void PurgeAllocator();

}  // namespace rung

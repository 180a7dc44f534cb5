// Counting in front of the allocator. See memory.h.

#include "rung/base/memory.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

#if defined(RUNG_JEMALLOC)
#include <jemalloc/jemalloc.h>
#else
#include <malloc.h>
#endif

#define RUNG_STRINGIZE_(x) #x
#define RUNG_STRINGIZE(x) RUNG_STRINGIZE_(x)

#if defined(RUNG_JEMALLOC)
// Read by jemalloc when the process starts; the environment's MALLOC_CONF comes after it. What is
// freed goes back to the system after a second instead of ten, which is a byte for each small
// string and 7 for a member of a sorted set, and costs nothing that could be measured. Of its own
// accord it takes no huge pages, whatever the system would give: see server/huge_pages.h.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "dirty_decay_ms:1000,thp:never";
}
#endif

namespace rung {
namespace {

std::atomic<std::size_t> g_allocated{0};

// Larger blocks jemalloc moves by a random part of a page, and adds a page for it, unless asked for
// an alignment.
constexpr std::size_t kUnalignedBytesMax = 14336;
constexpr std::size_t kPageBytes = 4096;

[[noreturn]] void OutOfMemory(std::size_t bytes) {
  std::fprintf(stderr, "rungd: out of memory asking for %zu bytes\n", bytes);
  std::abort();
}

#if defined(RUNG_JEMALLOC)
// The size class is known from the request alone, so no look-up of the block is needed.
std::size_t SizeFor(const void* /*block*/, std::size_t bytes) {
  return nallocx(bytes == 0 ? 1 : bytes, 0);
}
std::size_t SizeOf(void* block) { return sallocx(block, 0); }
#else
std::size_t SizeFor(void* block, std::size_t /*bytes*/) { return malloc_usable_size(block); }
std::size_t SizeOf(void* block) { return malloc_usable_size(block); }
#endif

void Count(std::size_t bytes) { g_allocated.fetch_add(bytes, std::memory_order_relaxed); }
void Uncount(std::size_t bytes) { g_allocated.fetch_sub(bytes, std::memory_order_relaxed); }

void* AllocateAligned(std::size_t bytes, std::size_t alignment) {
  void* block = nullptr;
  if (posix_memalign(&block, alignment, bytes) != 0) OutOfMemory(bytes);
  Count(SizeOf(block));
  return block;
}

void FreeUnsized(void* block) {
  if (block == nullptr) return;
  Uncount(SizeOf(block));
  std::free(block);
}

}  // namespace

void* Allocate(std::size_t bytes) {
  void* block = std::malloc(bytes);
  if (block == nullptr) OutOfMemory(bytes);
  Count(SizeFor(block, bytes));
  return block;
}

namespace {

HugeAllocator g_huge_allocator = nullptr;

void* TryAllocateHuge(std::size_t bytes) {
  if (g_huge_allocator == nullptr) return nullptr;
  void* const block = g_huge_allocator(bytes, bytes > kUnalignedBytesMax ? kPageBytes : 0);
  if (block != nullptr) Count(SizeFor(block, bytes));
  return block;
}

}  // namespace

void SetHugeAllocator(HugeAllocator allocate) { g_huge_allocator = allocate; }

void* AllocateBlock(std::size_t bytes, Pages pages) {
  if (pages == Pages::kHuge) {
    if (void* const block = TryAllocateHuge(bytes)) return block;
  }
  return bytes > kUnalignedBytesMax ? AllocateAligned(bytes, kPageBytes) : Allocate(bytes);
}

void FreeBlock(void* block, std::size_t bytes) {
  bytes > kUnalignedBytesMax ? FreeUnsized(block) : Free(block, bytes);
}

void* Reallocate(void* block, std::size_t old_bytes, std::size_t new_bytes) {
  if (block == nullptr) return Allocate(new_bytes);
  Uncount(SizeFor(block, old_bytes));
  void* moved = std::realloc(block, new_bytes);
  if (moved == nullptr) OutOfMemory(new_bytes);
  Count(SizeFor(moved, new_bytes));
  return moved;
}

void Free(void* block, std::size_t bytes) {
  if (block == nullptr) return;
  Uncount(SizeFor(block, bytes));
#if defined(RUNG_JEMALLOC)
  sdallocx(block, bytes == 0 ? 1 : bytes, 0);
#else
  std::free(block);
#endif
}

std::size_t AllocatedBytes() { return g_allocated.load(std::memory_order_relaxed); }

#if defined(RUNG_JEMALLOC)
std::size_t AllocationSize(std::size_t bytes) { return nallocx(bytes == 0 ? 1 : bytes, 0); }

const char* AllocatorName() {
  return "jemalloc-" RUNG_STRINGIZE(JEMALLOC_VERSION_MAJOR) "." RUNG_STRINGIZE(
      JEMALLOC_VERSION_MINOR) "." RUNG_STRINGIZE(JEMALLOC_VERSION_BUGFIX);
}

AllocatorUse ReadAllocatorUse() {
  // Figures are cached by jemalloc until its epoch moves on.
  std::uint64_t epoch = 1;
  std::size_t size = sizeof(epoch);
  mallctl("epoch", &epoch, &size, &epoch, size);
  AllocatorUse use;
  size = sizeof(std::size_t);
  mallctl("stats.active", &use.active, &size, nullptr, 0);
  mallctl("stats.resident", &use.resident, &size, nullptr, 0);
  return use;
}

std::string AllocatorReport() {
  std::string report;
  malloc_stats_print(
      [](void* text, const char* piece) { static_cast<std::string*>(text)->append(piece); },
      &report, nullptr);
  return report;
}

void AgeAllocator() {
  mallctl("arena." RUNG_STRINGIZE(MALLCTL_ARENAS_ALL) ".decay", nullptr, nullptr, nullptr, 0);
}

void PurgeAllocator() {
  mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
  mallctl("arena." RUNG_STRINGIZE(MALLCTL_ARENAS_ALL) ".purge", nullptr, nullptr, nullptr, 0);
}
#else
// Exact, so that a sanitizer sees every byte beyond what was asked for.
std::size_t AllocationSize(std::size_t bytes) { return bytes; }
const char* AllocatorName() { return "libc"; }
AllocatorUse ReadAllocatorUse() {
  return {.active = AllocatedBytes(), .resident = AllocatedBytes()};
}
std::string AllocatorReport() { return "Stats not supported for the current allocator"; }
void AgeAllocator() {}
void PurgeAllocator() { malloc_trim(0); }
#endif

}  // namespace rung

void* operator new(std::size_t bytes) { return rung::Allocate(bytes); }
void* operator new[](std::size_t bytes) { return rung::Allocate(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return rung::Allocate(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return rung::Allocate(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return rung::AllocateAligned(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return rung::AllocateAligned(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { rung::FreeUnsized(block); }
void operator delete[](void* block) noexcept { rung::FreeUnsized(block); }
void operator delete(void* block, std::size_t bytes) noexcept { rung::Free(block, bytes); }
void operator delete[](void* block, std::size_t bytes) noexcept { rung::Free(block, bytes); }
void operator delete(void* block, std::align_val_t) noexcept { rung::FreeUnsized(block); }
void operator delete[](void* block, std::align_val_t) noexcept { rung::FreeUnsized(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  rung::FreeUnsized(block);
}
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept {
  rung::FreeUnsized(block);
}

// Jemalloc's hooks for growing its heap. See huge_pages.h.
//
// Look-ups in much memory go all over it, and each page of 4 KB that one touches is a page table to
// walk, in a virtual machine two of them: a tenth of what adding to a large sorted set costs.
// Asking jemalloc for huge pages (thp:always) is not enough: it gives unused pages back to the
// system one by one, and each of them breaks up the huge page around it.
//
// So the heap grows in two parts. The first 64 MB lie where jemalloc puts them, and cost a small
// server nothing. The others lie one after another in one range of huge pages, reserved at the
// start; what jemalloc gives back there is only noted while much of the huge page is in use
// (chunk_use.h). To jemalloc such pages are not committed, which it knows how to handle.

#include "server/huge_pages.h"

#if defined(RUNG_JEMALLOC)
#include <jemalloc/jemalloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <mutex>

#include "server/chunk_use.h"

namespace rung {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kChunkBytes = ChunkUse::kChunkPages * kPageBytes;
// Below this what is resident is exact to the page, and most of it is within reach of the
// processor's own tables.
constexpr std::size_t kOrdinaryBytes = std::size_t{64} << 20;

std::size_t RoundUp(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// jemalloc hands its hooks back to each of them, so they may have something behind them. It calls
// them from any thread.
struct Heap {
  extent_hooks_t hooks;
  extent_hooks_t* system;  // Those that were there before.
  char* range;
  std::size_t range_bytes;
  ChunkUse use;
  std::mutex mutex;                // Of what follows, and of `use`.
  std::size_t ordinary_bytes = 0;  // Taken outside the range.
  std::size_t taken_bytes = 0;     // Of the range.
  std::size_t opened_bytes = 0;    // Of the range, in whole chunks, for reading and writing.

  static Heap& Of(extent_hooks_t* hooks) { return *reinterpret_cast<Heap*>(hooks); }
  bool Holds(const void* address) const {
    const auto* const at = static_cast<const char*>(address);
    return at >= range && at < range + range_bytes;
  }
  std::size_t PageOf(const void* address) const {
    return static_cast<std::size_t>(static_cast<const char*>(address) - range) / kPageBytes;
  }
};

// The next piece of the range; null if there is no room. Requires the lock.
void* TakeFromRange(Heap& heap, std::size_t bytes, std::size_t alignment) {
  const std::size_t at = RoundUp(heap.taken_bytes, alignment);
  const std::size_t open = RoundUp(at + bytes, kChunkBytes);
  if (open > heap.range_bytes) return nullptr;
  if (open > heap.opened_bytes) {
    char* const first = heap.range + heap.opened_bytes;
    if (mprotect(first, open - heap.opened_bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
    heap.opened_bytes = open;
  }
  heap.taken_bytes = at + bytes;
  // New pages: there is nothing stale in them, whatever is in their chunk.
  heap.use.Take(at / kPageBytes, bytes / kPageBytes, [](std::size_t, std::size_t) {});
  return heap.range + at;
}

void* Alloc(extent_hooks_t* hooks, void* address, std::size_t bytes, std::size_t alignment,
            bool* zero, bool* commit, unsigned arena) {
  Heap& heap = Heap::Of(hooks);
  if (address == nullptr) {
    const std::lock_guard lock(heap.mutex);
    if (heap.ordinary_bytes >= kOrdinaryBytes) {
      if (void* const taken = TakeFromRange(heap, bytes, alignment)) {
        *zero = *commit = true;
        return taken;
      }
    }
    heap.ordinary_bytes += bytes;
  }
  return heap.system->alloc(heap.system, address, bytes, alignment, zero, commit, arena);
}

// False if done; true if the piece stays here, to be used again.
bool Dalloc(extent_hooks_t* hooks, void* address, std::size_t bytes, bool committed,
            unsigned arena) {
  Heap& heap = Heap::Of(hooks);
  return heap.Holds(address) || heap.system->dalloc(heap.system, address, bytes, committed, arena);
}

void Destroy(extent_hooks_t* hooks, void* address, std::size_t bytes, bool committed,
             unsigned arena) {
  Heap& heap = Heap::Of(hooks);
  if (!heap.Holds(address)) heap.system->destroy(heap.system, address, bytes, committed, arena);
}

// Pages that were given back are used again: jemalloc expects zeros in them.
bool Commit(extent_hooks_t* hooks, void* address, std::size_t bytes, std::size_t offset,
            std::size_t length, unsigned arena) {
  Heap& heap = Heap::Of(hooks);
  if (!heap.Holds(address)) {
    return heap.system->commit(heap.system, address, bytes, offset, length, arena);
  }
  const std::lock_guard lock(heap.mutex);
  heap.use.Take(heap.PageOf(address) + offset / kPageBytes, length / kPageBytes,
                [&heap](std::size_t first, std::size_t count) {
                  std::memset(heap.range + first * kPageBytes, 0, count * kPageBytes);
                });
  return false;
}

bool Decommit(extent_hooks_t* hooks, void* address, std::size_t bytes, std::size_t offset,
              std::size_t length, unsigned arena) {
  Heap& heap = Heap::Of(hooks);
  if (!heap.Holds(address)) {
    return heap.system->decommit(heap.system, address, bytes, offset, length, arena);
  }
  const std::lock_guard lock(heap.mutex);
  heap.use.Give(heap.PageOf(address) + offset / kPageBytes, length / kPageBytes,
                [&heap](std::size_t first, std::size_t count) {
                  madvise(heap.range + first * kPageBytes, count * kPageBytes, MADV_DONTNEED);
                });
  return false;
}

bool PurgeLazy(extent_hooks_t* hooks, void* address, std::size_t bytes, std::size_t offset,
               std::size_t length, unsigned arena) {
  Heap& heap = Heap::Of(hooks);
  return heap.Holds(address) || heap.system->purge_lazy == nullptr ||
         heap.system->purge_lazy(heap.system, address, bytes, offset, length, arena);
}

bool PurgeForced(extent_hooks_t* hooks, void* address, std::size_t bytes, std::size_t offset,
                 std::size_t length, unsigned arena) {
  Heap& heap = Heap::Of(hooks);
  return heap.Holds(address) || heap.system->purge_forced == nullptr ||
         heap.system->purge_forced(heap.system, address, bytes, offset, length, arena);
}

bool Split(extent_hooks_t* hooks, void* address, std::size_t bytes, std::size_t first,
           std::size_t second, bool committed, unsigned arena) {
  Heap& heap = Heap::Of(hooks);
  return !heap.Holds(address) &&
         heap.system->split(heap.system, address, bytes, first, second, committed, arena);
}

bool Merge(extent_hooks_t* hooks, void* one, std::size_t one_bytes, void* other,
           std::size_t other_bytes, bool committed, unsigned arena) {
  Heap& heap = Heap::Of(hooks);
  if (heap.Holds(one) != heap.Holds(other)) return true;
  return !heap.Holds(one) &&
         heap.system->merge(heap.system, one, one_bytes, other, other_bytes, committed, arena);
}

// Addresses, not memory: so many that the range outlasts what the machine has.
std::size_t RangeBytes() {
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  return RoundUp(pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) * 2, kChunkBytes);
}

// Addresses without memory behind them; null if the system refuses.
char* Reserve(std::size_t bytes, int protection) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const mapped = mmap(nullptr, bytes, protection, kFlags, -1, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<char*>(mapped);
}

}  // namespace

void UseHugePages() {
  extent_hooks_t* system = nullptr;
  std::size_t size = sizeof(system);
  if (mallctl("arena.0.extent_hooks", &system, &size, nullptr, 0) != 0) return;
  const std::size_t bytes = RangeBytes();
  char* const reserved = Reserve(bytes + kChunkBytes, PROT_NONE);
  const std::size_t notes_bytes = bytes / kChunkBytes * sizeof(ChunkUse::Chunk);
  char* const notes = Reserve(notes_bytes, PROT_READ | PROT_WRITE);
  if (reserved == nullptr || notes == nullptr) return;
  auto* const range =
      reinterpret_cast<char*>(RoundUp(reinterpret_cast<std::uintptr_t>(reserved), kChunkBytes));
  if (madvise(range, bytes, MADV_HUGEPAGE) != 0) return;
  // This stays as long as the process: memory is freed until its very end.
  auto* const heap = new Heap{.hooks = {.alloc = &Alloc,
                                        .dalloc = &Dalloc,
                                        .destroy = &Destroy,
                                        .commit = &Commit,
                                        .decommit = &Decommit,
                                        .purge_lazy = &PurgeLazy,
                                        .purge_forced = &PurgeForced,
                                        .split = &Split,
                                        .merge = &Merge},
                              .system = system,
                              .range = range,
                              .range_bytes = bytes,
                              .use = ChunkUse(reinterpret_cast<ChunkUse::Chunk*>(notes)),
                              .mutex = {}};
  extent_hooks_t* hooks = &heap->hooks;
  mallctl("arena.0.extent_hooks", nullptr, nullptr, &hooks, sizeof(hooks));
}

}  // namespace rung
#else
namespace rung {

void UseHugePages() {}

}  // namespace rung
#endif

// An arena of jemalloc whose memory is made of huge pages. See huge_pages.h.
//
// Look-ups in a large structure go all over it, and each page of 4 KB that one touches is a page
// table to walk, in a virtual machine two of them: a sixth of what adding to a sorted set of a
// million members costs. What is written and read in order gains nothing, and of a value that is a
// page or less nobody knows whether it will be looked up; so only structures that ask for it get
// huge pages (base/memory.h), and a server that holds no large one has none.
//
// To ask jemalloc for huge pages (thp:always) is not enough: it gives unused pages back to the
// system one by one, and each of them breaks up the huge page around it. So the arena grows in one
// range of addresses, reserved at the start; what jemalloc gives back there is only noted while
// much of the huge page is in use (chunk_use.h). To jemalloc such pages are not committed, which it
// knows how to handle.

#include "server/huge_pages.h"

#if defined(RUNG_JEMALLOC)
#include <jemalloc/jemalloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <mutex>

#include "rung/base/memory.h"
#include "server/chunk_use.h"

namespace rung {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kChunkBytes = ChunkUse::kChunkPages * kPageBytes;

std::size_t RoundUp(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// jemalloc hands its hooks back to each of them, so they may have something behind them. It calls
// them from any thread.
struct Range {
  extent_hooks_t hooks;
  char* start;
  std::size_t bytes;
  ChunkUse use;
  std::mutex mutex;  // Of what follows, and of `use`.
  std::size_t taken_bytes = 0;
  std::size_t opened_bytes = 0;  // In whole chunks, for reading and writing.

  static Range& Of(extent_hooks_t* hooks) { return *reinterpret_cast<Range*>(hooks); }
  std::size_t PageOf(const void* address) const {
    return static_cast<std::size_t>(static_cast<const char*>(address) - start) / kPageBytes;
  }
};

// The next piece; null if there is no room, or if a certain one is asked for.
void* Alloc(extent_hooks_t* hooks, void* address, std::size_t bytes, std::size_t alignment,
            bool* zero, bool* commit, unsigned /*arena*/) {
  Range& range = Range::Of(hooks);
  if (address != nullptr) return nullptr;
  const std::lock_guard lock(range.mutex);
  const std::size_t at = RoundUp(range.taken_bytes, alignment);
  const std::size_t open = RoundUp(at + bytes, kChunkBytes);
  if (open > range.bytes) return nullptr;
  if (open > range.opened_bytes) {
    char* const first = range.start + range.opened_bytes;
    if (mprotect(first, open - range.opened_bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
    range.opened_bytes = open;
  }
  range.taken_bytes = at + bytes;
  // New pages: there is nothing stale in them, whatever is in their chunk.
  range.use.Take(at / kPageBytes, bytes / kPageBytes, [](std::size_t, std::size_t) {});
  *zero = *commit = true;
  return range.start + at;
}

// True: the piece stays here, to be used again.
bool Dalloc(extent_hooks_t* /*hooks*/, void* /*address*/, std::size_t /*bytes*/, bool /*committed*/,
            unsigned /*arena*/) {
  return true;
}

// Pages that were given back are used again: jemalloc expects zeros in them.
bool Commit(extent_hooks_t* hooks, void* address, std::size_t /*bytes*/, std::size_t offset,
            std::size_t length, unsigned /*arena*/) {
  Range& range = Range::Of(hooks);
  const std::lock_guard lock(range.mutex);
  range.use.Take(range.PageOf(address) + offset / kPageBytes, length / kPageBytes,
                 [&range](std::size_t first, std::size_t count) {
                   std::memset(range.start + first * kPageBytes, 0, count * kPageBytes);
                 });
  return false;
}

bool Decommit(extent_hooks_t* hooks, void* address, std::size_t /*bytes*/, std::size_t offset,
              std::size_t length, unsigned /*arena*/) {
  Range& range = Range::Of(hooks);
  const std::lock_guard lock(range.mutex);
  range.use.Give(range.PageOf(address) + offset / kPageBytes, length / kPageBytes,
                 [&range](std::size_t first, std::size_t count) {
                   madvise(range.start + first * kPageBytes, count * kPageBytes, MADV_DONTNEED);
                 });
  return false;
}

// Pieces may be cut and joined as jemalloc likes.
bool Split(extent_hooks_t* /*hooks*/, void* /*address*/, std::size_t /*bytes*/,
           std::size_t /*first*/, std::size_t /*second*/, bool /*committed*/, unsigned /*arena*/) {
  return false;
}

bool Merge(extent_hooks_t* /*hooks*/, void* /*one*/, std::size_t /*one_bytes*/, void* /*other*/,
           std::size_t /*other_bytes*/, bool /*committed*/, unsigned /*arena*/) {
  return false;
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
  const std::size_t bytes = RangeBytes();
  char* const reserved = Reserve(bytes + kChunkBytes, PROT_NONE);
  const std::size_t notes_bytes = bytes / kChunkBytes * sizeof(ChunkUse::Chunk);
  char* const notes = Reserve(notes_bytes, PROT_READ | PROT_WRITE);
  if (reserved == nullptr || notes == nullptr) return;
  auto* const start =
      reinterpret_cast<char*>(RoundUp(reinterpret_cast<std::uintptr_t>(reserved), kChunkBytes));
  if (madvise(start, bytes, MADV_HUGEPAGE) != 0) return;
  // This stays as long as the process: memory is freed until its very end. Without hooks for
  // purging, what is unused is decommitted.
  auto* const range = new Range{.hooks = {.alloc = &Alloc,
                                          .dalloc = &Dalloc,
                                          .destroy = nullptr,
                                          .commit = &Commit,
                                          .decommit = &Decommit,
                                          .purge_lazy = nullptr,
                                          .purge_forced = nullptr,
                                          .split = &Split,
                                          .merge = &Merge},
                                .start = start,
                                .bytes = bytes,
                                .use = ChunkUse(reinterpret_cast<ChunkUse::Chunk*>(notes)),
                                .mutex = {}};
  extent_hooks_t* hooks = &range->hooks;
  unsigned arena = 0;
  std::size_t size = sizeof(arena);
  if (mallctl("arenas.create", &arena, &size, &hooks, sizeof(hooks)) != 0) return;
  SetHugePagesArena(arena);
}

}  // namespace rung
#else
namespace rung {

void UseHugePages() {}

}  // namespace rung
#endif

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
// much of the huge page is in use (chunk_use.h). To jemalloc such pages, and those that were never
// used, are not committed, which it knows how to handle.
//
// To find and clear a huge page takes 0.2 ms, and in some virtual machines 5. So that nobody waits
// for it when the heap grows, a thread brings the next one into memory while the last one is
// filled, and as long as it has not come, whoever asks gets ordinary pages. (Only where the heap
// has shrunk and grows again, pages that went back to the system come when they are written to.)

#include "server/huge_pages.h"

#if defined(RUNG_JEMALLOC)
#include <jemalloc/jemalloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <thread>

#include "rung/base/memory.h"
#include "server/chunk_use.h"

namespace rung {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kChunkBytes = ChunkUse::kChunkPages * kPageBytes;

// When no more than this is left of what is in memory, the next chunk is sent for.
constexpr std::size_t kAheadBytes = kChunkBytes / 2;
// When no more than this is left, it is left to what jemalloc puts around the blocks.
constexpr std::size_t kReserveBytes = kChunkBytes / 8;

// jemalloc hands its hooks back to each of them, so they may have something behind them. It calls
// them from any thread.
struct Range {
  extent_hooks_t hooks;
  char* start;
  std::size_t bytes;
  ChunkUse use;
  int flags = 0;                // For mallocx. 0: the arena is not there yet.
  std::mutex mutex;             // Of what follows, and of `use`.
  std::size_t taken_bytes = 0;  // By jemalloc, for its arena.

  // Counted from the start. Those in use end before `used`, those in memory at `warm`; up to
  // `wanted`, whole chunks, they are to be brought there.
  std::atomic<std::size_t> used = 0;
  std::atomic<std::size_t> warm = 0;
  std::atomic<std::size_t> wanted = 0;

  static Range& Of(extent_hooks_t* hooks) { return *reinterpret_cast<Range*>(hooks); }
  // The one there is; null if there is none.
  static Range*& Get() {
    static Range* range = nullptr;
    return range;
  }

  // Requires the lock.
  void Use(std::size_t first, std::size_t length) {
    use.Take(first / kPageBytes, length / kPageBytes, [this](std::size_t page, std::size_t count) {
      std::memset(start + page * kPageBytes, 0, count * kPageBytes);
    });
    if (first + length > used.load(std::memory_order_relaxed)) used = first + length;
  }
};

std::size_t RoundUp(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// Addresses without memory behind them; null if the system refuses.
char* Reserve(std::size_t bytes, std::size_t alignment) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const mapped = mmap(nullptr, bytes + alignment, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  return reinterpret_cast<char*>(RoundUp(reinterpret_cast<std::uintptr_t>(mapped), alignment));
}

// The next piece; null if there is no room, or if a certain one is asked for.
void* Alloc(extent_hooks_t* hooks, void* address, std::size_t bytes, std::size_t alignment,
            bool* zero, bool* commit, unsigned /*arena*/) {
  Range& range = Range::Of(hooks);
  if (address != nullptr) return nullptr;
  *zero = true;
  // The arena's own notes, of which it uses a few pages.
  if (range.flags == 0) return *commit = true, Reserve(bytes, alignment);
  const std::lock_guard lock(range.mutex);
  const std::size_t at = RoundUp(range.taken_bytes, alignment);
  if (at + bytes > range.bytes) return nullptr;
  range.taken_bytes = at + bytes;
  if (*commit) range.Use(at, bytes);
  return range.start + at;
}

// True: the piece stays here, to be used again.
bool Dalloc(extent_hooks_t* /*hooks*/, void* /*address*/, std::size_t /*bytes*/, bool /*committed*/,
            unsigned /*arena*/) {
  return true;
}

// jemalloc expects zeros in pages that it commits.
bool Commit(extent_hooks_t* hooks, void* address, std::size_t /*bytes*/, std::size_t offset,
            std::size_t length, unsigned /*arena*/) {
  Range& range = Range::Of(hooks);
  const std::lock_guard lock(range.mutex);
  range.Use(static_cast<std::size_t>(static_cast<char*>(address) - range.start) + offset, length);
  return false;
}

bool Decommit(extent_hooks_t* hooks, void* address, std::size_t /*bytes*/, std::size_t offset,
              std::size_t length, unsigned /*arena*/) {
  Range& range = Range::Of(hooks);
  const std::lock_guard lock(range.mutex);
  const std::size_t first =
      static_cast<std::size_t>(static_cast<char*>(address) - range.start) + offset;
  range.use.Give(first / kPageBytes, length / kPageBytes,
                 [&range](std::size_t page, std::size_t count) {
                   madvise(range.start + page * kPageBytes, count * kPageBytes, MADV_DONTNEED);
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

// Brings chunks into memory, as they are wanted. A kernel before 5.14 does not know how; then
// whoever writes there first waits.
void Warm(Range& range) {
  for (std::size_t warm = 0;; range.wanted.wait(warm)) {
    for (; warm < range.wanted; range.warm = warm) {
      madvise(range.start + warm, kChunkBytes, MADV_POPULATE_WRITE);
      warm += kChunkBytes;
    }
  }
}

void* AllocateHuge(std::size_t bytes, std::size_t alignment) {
  Range& range = *Range::Get();
  const std::size_t used = range.used;
  const std::size_t warm = range.warm;
  if (const std::size_t want = RoundUp(used + kAheadBytes, kChunkBytes);
      want > range.wanted && want <= range.bytes) {
    range.wanted = want;
    range.wanted.notify_one();
  }
  if (used + kReserveBytes > warm) return nullptr;
  return mallocx(bytes, range.flags | (alignment > 0 ? MALLOCX_ALIGN(alignment) : 0));
}

// Addresses, not memory: so many that the range outlasts what the machine has.
std::size_t RangeBytes() {
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  return RoundUp(pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) * 2, kChunkBytes);
}

}  // namespace

void UseHugePages() {
  const std::size_t bytes = RangeBytes();
  char* const start = Reserve(bytes, kChunkBytes);
  char* const notes = Reserve(bytes / kChunkBytes * sizeof(ChunkUse::Chunk), kPageBytes);
  if (start == nullptr || notes == nullptr) return;
  if (madvise(start, bytes, MADV_HUGEPAGE) != 0) return;
  // It lives as long as the process: memory is freed until the very end. Without hooks for purging,
  // what is unused is decommitted.
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
  range->flags = MALLOCX_ARENA(arena) | MALLOCX_TCACHE_NONE;
  Range::Get() = range;
  std::thread([range] { Warm(*range); }).detach();
  SetHugeAllocator(&AllocateHuge);
}

}  // namespace rung
#else
namespace rung {

void UseHugePages() {}

}  // namespace rung
#endif

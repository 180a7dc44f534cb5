// Huge pages for much memory. See UseHugePages in memory.h.
//
// Look-ups in much memory go all over it, and each page of 4 KB that one touches is a page table to
// walk: a tenth of what adding to a large sorted set costs. jemalloc's own option for it
// (thp:always) makes the smallest server 6 MB larger; here it is only what jemalloc takes in large
// pieces, which it does once it holds some eighty megabytes.

#include "rung/base/memory.h"

#if defined(RUNG_JEMALLOC)
#include <jemalloc/jemalloc.h>
#include <sys/mman.h>

namespace rung {
namespace {

constexpr std::size_t kHugeFrom = std::size_t{16} << 20;

// jemalloc hands its hooks back to each of them, so they may have something behind them.
struct Hooks {
  extent_hooks_t hooks;
  extent_hooks_t* system;  // Those that were there before.
};

void* TakeFromSystem(extent_hooks_t* hooks, void* address, size_t bytes, size_t alignment,
                     bool* zero, bool* commit, unsigned arena) {
  extent_hooks_t* const system = reinterpret_cast<Hooks*>(hooks)->system;
  void* const taken = system->alloc(system, address, bytes, alignment, zero, commit, arena);
  if (taken != nullptr && bytes >= kHugeFrom) madvise(taken, bytes, MADV_HUGEPAGE);
  return taken;
}

}  // namespace

void UseHugePages() {
  static Hooks ours;
  size_t size = sizeof(ours.system);
  if (mallctl("arena.0.extent_hooks", &ours.system, &size, nullptr, 0) != 0) return;
  ours.hooks = *ours.system;
  ours.hooks.alloc = &TakeFromSystem;
  extent_hooks_t* hooks = &ours.hooks;
  mallctl("arena.0.extent_hooks", nullptr, nullptr, &hooks, sizeof(hooks));
}

}  // namespace rung
#else
namespace rung {

void UseHugePages() {}

}  // namespace rung
#endif

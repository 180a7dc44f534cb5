// ChunkUse: which pages of a range of memory are in use, chunk by chunk, a chunk being what one
// huge page covers.
//
// Memory is taken and given page by page, but to give a single page back to the system breaks up
// the huge page around it. So a page that is given stays where it is, stale, as long as enough of
// its chunk is in use; when less than a quarter is, all its stale pages are dropped. What a range
// holds is thus at most four times what is in use.
//
// Invariants:
//   1. A page is in use, or stale, or all zeros and costs nothing.
//   2. A chunk with less than a quarter in use has no stale pages.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>

#include "rung/base/check.h"

namespace rung {

class ChunkUse {
 public:
  static constexpr std::size_t kChunkPages = 512;

  struct Chunk {
    std::uint16_t used = 0;
    std::bitset<kChunkPages> stale;
  };

  // `chunks`: one for each of the range, all zero, and kept by the caller.
  explicit ChunkUse(Chunk* chunks) : chunks_(chunks) {}

  // Takes `count` pages from page `first` on, none of them in use. Calls clear(first, count) for
  // those that hold something. O(count).
  template <typename Clear>
  void Take(std::size_t first, std::size_t count, Clear clear) {
    ForEachChunk(first, count, [&](std::size_t number, std::size_t from, std::size_t to) {
      Chunk& chunk = chunks_[number];
      ForEachStale(number, from, to, clear);
      chunk.used = static_cast<std::uint16_t>(chunk.used + (to - from));
      RUNG_CHECK(chunk.used <= kChunkPages, "chunk use: a page is taken once");
    });
  }

  // Gives pages that are in use. Calls drop(first, count) for those that are to go back to the
  // system. O(count), or O(pages of a chunk) for one that is little used.
  template <typename Drop>
  void Give(std::size_t first, std::size_t count, Drop drop) {
    ForEachChunk(first, count, [&](std::size_t number, std::size_t from, std::size_t to) {
      Chunk& chunk = chunks_[number];
      RUNG_CHECK(chunk.used >= to - from, "chunk use: a page is given once");
      for (std::size_t page = from; page < to; ++page) chunk.stale.set(page);
      chunk.used = static_cast<std::uint16_t>(chunk.used - (to - from));
      if (chunk.used < kChunkPages / 4) ForEachStale(number, 0, kChunkPages, drop);
    });
  }

 private:
  // Calls visit(chunk, from, to) for each chunk that has some of the pages, [from, to) of its own.
  template <typename Visit>
  static void ForEachChunk(std::size_t first, std::size_t count, Visit visit) {
    while (count > 0) {
      const std::size_t from = first % kChunkPages;
      const std::size_t pages = std::min(count, kChunkPages - from);
      visit(first / kChunkPages, from, from + pages);
      first += pages;
      count -= pages;
    }
  }

  // Calls visit(first page of the range, count) for each run of stale pages among [from, to) of the
  // chunk, which are not stale any more.
  template <typename Visit>
  void ForEachStale(std::size_t number, std::size_t from, std::size_t to, Visit visit) {
    std::bitset<kChunkPages>& stale = chunks_[number].stale;
    for (std::size_t page = from; page < to; ++page) {
      const std::size_t begin = page;
      for (; page < to && stale.test(page); ++page) stale.reset(page);
      if (page > begin) visit(number * kChunkPages + begin, page - begin);
    }
  }

  Chunk* chunks_;
};

}  // namespace rung

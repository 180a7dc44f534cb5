// ChunkUse against a naive twin: what each page holds, page by page.

#include "server/chunk_use.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rung/base/rng.h"

namespace rung {
namespace {

constexpr std::size_t kPages = ChunkUse::kChunkPages;

// A run of pages, as the callbacks are given them.
using Pages = std::pair<std::size_t, std::size_t>;

class Range {
 public:
  explicit Range(std::size_t chunks) : chunks_(chunks), use_(chunks_.data()) {}

  std::vector<Pages> Take(std::size_t first, std::size_t count) {
    std::vector<Pages> cleared;
    use_.Take(first, count, [&](std::size_t at, std::size_t n) { cleared.emplace_back(at, n); });
    return cleared;
  }
  std::vector<Pages> Give(std::size_t first, std::size_t count) {
    std::vector<Pages> dropped;
    use_.Give(first, count, [&](std::size_t at, std::size_t n) { dropped.emplace_back(at, n); });
    return dropped;
  }

 private:
  std::vector<ChunkUse::Chunk> chunks_;
  ChunkUse use_;
};

TEST(ChunkUseTest, NewPagesNeedNoClearing) {
  Range range(3);
  EXPECT_TRUE(range.Take(0, 3 * kPages).empty());
}

TEST(ChunkUseTest, APageGivenStaysAsLongAsAQuarterOfItsChunkIsInUse) {
  Range range(1);
  range.Take(0, 512);
  EXPECT_TRUE(range.Give(0, 384).empty());                                  // 128 are in use.
  EXPECT_EQ(range.Give(500, 1), (std::vector<Pages>{{0, 384}, {500, 1}}));  // 127 are.
}

TEST(ChunkUseTest, AStalePageIsClearedWhenItIsTakenAgain) {
  Range range(1);
  range.Take(0, 512);
  range.Give(10, 5);
  EXPECT_EQ(range.Take(12, 2), (std::vector<Pages>{{12, 2}}));
  EXPECT_EQ(range.Take(10, 2), (std::vector<Pages>{{10, 2}}));
}

TEST(ChunkUseTest, ADroppedPageNeedsNoClearing) {
  Range range(1);
  range.Take(0, 512);
  EXPECT_EQ(range.Give(0, 512), (std::vector<Pages>{{0, 512}}));
  EXPECT_TRUE(range.Take(0, 512).empty());
}

TEST(ChunkUseTest, APieceMayLieInManyChunks) {
  Range range(4);
  range.Take(0, 4 * kPages);
  EXPECT_EQ(range.Give(500, 12 + 2 * kPages + 100),
            (std::vector<Pages>{{kPages, kPages}, {2 * kPages, kPages}}));
  EXPECT_EQ(range.Take(500, 12 + kPages), (std::vector<Pages>{{500, 12}}));
}

TEST(ChunkUseTest, NothingStaleIsEverTakenUnclearedAndLittleIsKept) {
  enum class State : std::uint8_t { kZero, kUsed, kStale };
  constexpr std::size_t kChunks = 4;
  Rng rng(1);
  Range range(kChunks);
  std::vector<State> pages(kChunks * kPages, State::kZero);
  const auto set = [&](const std::vector<Pages>& runs, State from, State to) {
    for (const auto& [first, count] : runs) {
      for (std::size_t page = first; page < first + count; ++page) {
        ASSERT_EQ(pages[page], from) << page;
        pages[page] = to;
      }
    }
  };
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t first = rng.Below(pages.size());
    const bool used = pages[first] == State::kUsed;
    std::size_t end = first;
    const std::size_t limit = std::min(pages.size(), first + 1 + rng.Below(700));
    while (end < limit && (pages[end] == State::kUsed) == used) ++end;
    if (used) {
      std::fill(pages.begin() + static_cast<std::ptrdiff_t>(first),
                pages.begin() + static_cast<std::ptrdiff_t>(end), State::kStale);
      set(range.Give(first, end - first), State::kStale, State::kZero);
    } else {
      set(range.Take(first, end - first), State::kStale, State::kZero);
      for (std::size_t page = first; page < end; ++page) {
        ASSERT_EQ(pages[page], State::kZero) << page;
        pages[page] = State::kUsed;
      }
    }
    for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
      const auto begin = pages.begin() + static_cast<std::ptrdiff_t>(chunk * kPages);
      const auto in_use = std::count(begin, begin + kPages, State::kUsed);
      const auto stale = std::count(begin, begin + kPages, State::kStale);
      ASSERT_TRUE(stale == 0 || in_use >= 128) << "step " << step;
    }
  }
}

}  // namespace
}  // namespace rung

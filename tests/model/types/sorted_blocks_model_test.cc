// SortedBlocks against std::map under random changes.

#include "rung/types/sorted_blocks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "rung/base/rng.h"

namespace rung {
namespace {

struct Pair {
  std::uint32_t key;
  std::uint32_t value;
};
struct KeyOfPair {
  std::uint32_t operator()(const Pair& pair) const { return pair.key; }
};
using Blocks = SortedBlocks<std::uint32_t, Pair, KeyOfPair>;
using Twin = std::map<std::uint32_t, std::uint32_t>;

void ExpectEqual(const Blocks& blocks, const Twin& twin) {
  blocks.CheckInvariants();
  ASSERT_EQ(blocks.size(), twin.size());
  auto expected = twin.begin();
  for (const Pair& pair : blocks) {
    ASSERT_EQ(pair.key, expected->first);
    ASSERT_EQ(pair.value, expected->second);
    ++expected;
  }
  if (twin.empty()) return;
  EXPECT_EQ(blocks.front().key, twin.begin()->first);
  EXPECT_EQ(blocks.back().key, twin.rbegin()->first);
}

// `erase_percent` of the steps remove a random key; the others add one, at the end or anywhere.
void Churn(std::uint64_t seed, int steps, std::uint64_t keys, std::uint64_t erase_percent) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Rng rng(seed);
  Blocks blocks;
  Twin twin;
  for (int step = 0; step < steps; ++step) {
    auto key = static_cast<std::uint32_t>(rng.Below(keys));
    if (rng.Below(100) < erase_percent) {
      if (rng.Below(3) == 0 && !twin.empty()) key = twin.begin()->first;
      ASSERT_EQ(blocks.Erase(key), twin.erase(key) == 1);
    } else {
      if (rng.Below(2) == 0 && !twin.empty()) key = twin.rbegin()->first + 1;
      if (!twin.emplace(key, step).second) continue;
      EXPECT_EQ(blocks.Insert({key, static_cast<std::uint32_t>(step)}).key, key);
    }
    const auto probe = static_cast<std::uint32_t>(rng.Below(keys));
    const auto bound = twin.lower_bound(probe);
    const Blocks::Iterator found = blocks.LowerBound(probe);
    ASSERT_EQ(found == blocks.end(), bound == twin.end());
    if (bound != twin.end()) {
      ASSERT_EQ(found->key, bound->first);
    }
    ASSERT_EQ(blocks.Find(probe) != nullptr, twin.contains(probe));
    if (step % 512 == 0) ExpectEqual(blocks, twin);
  }
  ExpectEqual(blocks, twin);
}

TEST(SortedBlocksModelTest, GrowingHoldsWhatTheTwinHolds) { Churn(1, 20'000, 1'000'000, 10); }
TEST(SortedBlocksModelTest, ShrinkingHoldsWhatTheTwinHolds) { Churn(2, 20'000, 3'000, 60); }
TEST(SortedBlocksModelTest, EvenChurnHoldsWhatTheTwinHolds) { Churn(3, 40'000, 20'000, 50); }

TEST(SortedBlocksModelTest, RemovalsAllOverGiveTheMemoryBack) {
  Blocks blocks;
  for (std::uint32_t key = 0; key < 64'000; ++key) blocks.Insert({key, key});
  const std::size_t full = blocks.MemoryBytes();
  for (std::uint32_t key = 0; key < 64'000; ++key) {
    if (key % 64 != 7) {
      ASSERT_TRUE(blocks.Erase(key));
    }
  }
  blocks.CheckInvariants();
  EXPECT_EQ(blocks.size(), 1'000u);
  EXPECT_LT(blocks.MemoryBytes(), full / 8);
}

}  // namespace
}  // namespace rung

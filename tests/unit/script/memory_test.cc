// ScriptMemory against a count of one's own: blocks keep their bytes, the sum is right, and the
// bound holds where it is to hold.

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "rung/base/rng.h"
#include "script/memory.h"

namespace rung {
namespace {

struct Owner {
  int told = 0;
  static void OnPressure(void* owner) { ++static_cast<Owner*>(owner)->told; }
};

struct Block {
  unsigned char* bytes = nullptr;
  std::size_t size = 0;
  unsigned char mark = 0;
};

void Fill(Block& block, unsigned char mark) {
  block.mark = mark;
  std::memset(block.bytes, mark, block.size);
}

bool Holds(const Block& block, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    if (block.bytes[i] != block.mark) return false;
  }
  return true;
}

TEST(ScriptMemoryTest, RandomRequestsKeepEveryByte) {
  Owner owner;
  ScriptMemory memory(&owner, &Owner::OnPressure);
  Rng rng(7);
  std::vector<Block> blocks;
  std::size_t sum = 0;
  const auto provide = [&](Block& block, std::size_t size) {
    void* moved = ScriptMemory::Provide(&memory, block.bytes, block.size, size);
    sum += size - block.size;
    block.bytes = static_cast<unsigned char*>(moved);
    block.size = size;
  };
  for (int step = 0; step < 200000; ++step) {
    const std::size_t size = 1 + rng.Below(rng.Below(10) == 0 ? 2000 : 300);
    if (blocks.empty() || rng.Below(5) < 2) {
      blocks.emplace_back();
      provide(blocks.back(), size);
      Fill(blocks.back(), static_cast<unsigned char>(step));
    } else {
      const std::size_t at = rng.Below(blocks.size());
      const std::size_t before = blocks[at].size;
      ASSERT_TRUE(Holds(blocks[at], before));
      if (rng.Below(3) == 0) {
        provide(blocks[at], size);
        ASSERT_TRUE(Holds(blocks[at], std::min(size, before)));
        Fill(blocks[at], static_cast<unsigned char>(step));
      } else {
        provide(blocks[at], 0);
        blocks[at] = blocks.back();
        blocks.pop_back();
      }
    }
    ASSERT_EQ(memory.used(), sum);
  }
  for (Block& block : blocks) provide(block, 0);
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_EQ(owner.told, 0);
}

TEST(ScriptMemoryTest, SlabsThatHoldNothingGoBackAndTheOthersKeepTheirBytes) {
  Owner owner;
  ScriptMemory memory(&owner, &Owner::OnPressure);
  Rng rng(11);
  std::vector<Block> blocks;
  const auto take = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Block block;
      block.size = 1 + rng.Below(256);
      block.bytes =
          static_cast<unsigned char*>(ScriptMemory::Provide(&memory, nullptr, 0, block.size));
      Fill(block, static_cast<unsigned char>(blocks.size()));
      blocks.push_back(block);
    }
  };
  const auto give_back = [&](std::size_t kept) {
    for (; blocks.size() > kept; blocks.pop_back()) {
      ScriptMemory::Provide(&memory, blocks.back().bytes, blocks.back().size, 0);
    }
  };
  for (int round = 0; round < 3; ++round) {
    take(200'000);  // Some 27 MB.
    EXPECT_GT(memory.slab_bytes(), 26'000'000u);
    EXPECT_FALSE(memory.HasSpareSlabs());
    give_back(3000);
    ASSERT_TRUE(memory.HasSpareSlabs());
    memory.GiveBackSlabs();
    // What was taken first lies together; the last slab may be in use in part.
    EXPECT_LT(memory.slab_bytes(), 600'000u);
    EXPECT_FALSE(memory.HasSpareSlabs());
    for (const Block& block : blocks) ASSERT_TRUE(Holds(block, block.size));
  }
  give_back(0);
  memory.GiveBackSlabs();
  EXPECT_EQ(memory.slab_bytes(), 0u);
  take(100);
  give_back(0);
  EXPECT_EQ(memory.used(), 0u);
}

TEST(ScriptMemoryTest, TheBoundHoldsWhileStrict) {
  Owner owner;
  ScriptMemory memory(&owner, &Owner::OnPressure);
  memory.set_limit(1000);
  memory.set_strict(true);
  void* const first = ScriptMemory::Provide(&memory, nullptr, 0, 600);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(ScriptMemory::Provide(&memory, nullptr, 0, 401), nullptr);
  EXPECT_EQ(memory.used(), 600u);
  EXPECT_FALSE(memory.over_limit());
  void* second = nullptr;
  {
    const MemoryMode granted(memory, false);
    second = ScriptMemory::Provide(&memory, nullptr, 0, 500);
    EXPECT_NE(second, nullptr);
    EXPECT_TRUE(memory.over_limit());
  }
  EXPECT_TRUE(memory.strict());
  // Shrinking is always granted.
  second = ScriptMemory::Provide(&memory, second, 500, 100);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(memory.used(), 700u);
  ScriptMemory::Provide(&memory, first, 600, 0);
  ScriptMemory::Provide(&memory, second, 100, 0);
}

TEST(ScriptMemoryTest, WhatWasNeededInOneSizeServesTheNext) {
  Owner owner;
  ScriptMemory memory(&owner, &Owner::OnPressure);
  constexpr std::size_t kLimit = 10'000'000;
  memory.set_limit(kLimit);
  memory.set_strict(true);
  for (std::size_t size = 16; size <= 4096; size = size < 256 ? size + 16 : size * 2) {
    std::vector<void*> blocks;
    while (memory.used() + size <= kLimit) {
      blocks.push_back(ScriptMemory::Provide(&memory, nullptr, 0, size));
      ASSERT_NE(blocks.back(), nullptr) << size << " bytes, with " << memory.used() << " in use";
      ASSERT_LE(memory.slab_bytes(), kLimit + kLimit / 2);
    }
    for (void* block : blocks) ScriptMemory::Provide(&memory, block, size, 0);
  }
}

TEST(ScriptMemoryTest, WhatIsFreeButInUseInPartCountsAboveTheBound) {
  Owner owner;
  ScriptMemory memory(&owner, &Owner::OnPressure);
  constexpr std::size_t kLimit = 4'000'000;
  memory.set_limit(kLimit);
  memory.set_strict(true);
  // Of each size one block in a hundred stays.
  std::vector<Block> kept;
  bool refused = false;
  for (std::size_t size = 16; size <= 256 && !refused; size += 16) {
    std::vector<void*> blocks;
    while (memory.used() + size <= kLimit && !refused) {
      blocks.push_back(ScriptMemory::Provide(&memory, nullptr, 0, size));
      refused = blocks.back() == nullptr;
      if (refused) blocks.pop_back();
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i % 100 == 0) {
        kept.push_back(Block{static_cast<unsigned char*>(blocks[i]), size, 0});
      } else {
        ScriptMemory::Provide(&memory, blocks[i], size, 0);
      }
    }
  }
  EXPECT_TRUE(refused);
  EXPECT_LT(memory.used(), kLimit / 2);
  EXPECT_LE(memory.slab_bytes(), kLimit + kLimit / 2);
  // Shrinking is granted even so, and a large block is not.
  EXPECT_EQ(ScriptMemory::Provide(&memory, nullptr, 0, 100'000), nullptr);
  for (Block& block : kept) {
    void* const less = ScriptMemory::Provide(&memory, block.bytes, block.size, 1);
    ASSERT_NE(less, nullptr);
    ScriptMemory::Provide(&memory, less, 1, 0);
  }
  EXPECT_EQ(memory.used(), 0u);
}

TEST(ScriptMemoryTest, TheOwnerIsToldOnceHalfWay) {
  Owner owner;
  ScriptMemory memory(&owner, &Owner::OnPressure);
  memory.set_limit(1000);
  void* const first = ScriptMemory::Provide(&memory, nullptr, 0, 600);
  EXPECT_EQ(owner.told, 0);
  void* const second = ScriptMemory::Provide(&memory, nullptr, 0, 10);
  void* const third = ScriptMemory::Provide(&memory, nullptr, 0, 10);
  EXPECT_EQ(owner.told, 1);
  ScriptMemory::Provide(&memory, first, 600, 0);
  ScriptMemory::Provide(&memory, second, 10, 0);
  ScriptMemory::Provide(&memory, third, 10, 0);
}

}  // namespace
}  // namespace rung

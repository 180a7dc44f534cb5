// The count of what is handed out.

#include "rung/base/memory.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rung {
namespace {

TEST(AllocationTest, BlocksAreCountedWithTheirRoundingAndUncounted) {
  for (const Pages pages : {Pages::kOrdinary, Pages::kHuge}) {
    for (const std::size_t bytes : {8u, 100u, 1536u, 14335u, 14336u, 14337u, 32768u, 40000u}) {
      const std::size_t before = AllocatedBytes();
      void* const block = AllocateBlock(bytes, pages);
      std::memset(block, 1, bytes);
      EXPECT_EQ(AllocatedBytes(), before + AllocationSize(bytes)) << bytes;
      FreeBlock(block, bytes);
      EXPECT_EQ(AllocatedBytes(), before) << bytes;
    }
  }
}

TEST(AllocationTest, LargeBlocksBeginWithAPage) {
  constexpr std::size_t kBytes = 32768;
  for (int i = 0; i < 16; ++i) {
    void* const block = AllocateBlock(kBytes, Pages::kOrdinary);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 4096, 0u);
    FreeBlock(block, kBytes);
  }
}

TEST(AllocationTest, OnlyTheFurtherBlocksOfALargeStructureWantHugePages) {
  EXPECT_EQ(PagesBeyond(0), Pages::kOrdinary);
  EXPECT_EQ(PagesBeyond((std::size_t{1} << 20) - 1), Pages::kOrdinary);
  EXPECT_EQ(PagesBeyond(std::size_t{1} << 20), Pages::kHuge);
}

}  // namespace
}  // namespace rung

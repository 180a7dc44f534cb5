// The index of jobs by id: ids are not hashed at random, so their patterns are tried.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "rung/types/queue.h"

namespace rung {
namespace {

constexpr std::uint64_t kJobs = 30000;

// Fills the queue with jobs whose ids are so far apart, as when only these are left of many.
void FillWithStride(Queue& queue, std::uint64_t stride) {
  for (std::uint64_t i = 1; i <= kJobs; ++i) {
    queue.Add({.id = i * stride, .seq = static_cast<std::int64_t>(i * stride)});
  }
}

TEST(QueueIndexTest, HoldsJobsWhateverTheDistanceOfTheirIds) {
  Queue dense;
  FillWithStride(dense, 1);
  // Powers of two, and distances whose multiples of the golden ratio lie closest together.
  constexpr std::array<std::uint64_t, 11> kStrides = {
      2, 3, 4, 5, 8, 64, 4096, 1 << 20, 4 * 987, 4 * 46368, 4 * 832040};
  for (const std::uint64_t stride : kStrides) {
    Queue queue;
    FillWithStride(queue, stride);
    queue.CheckInvariants();
    EXPECT_NE(queue.Find(stride), nullptr);
    EXPECT_NE(queue.Find(kJobs * stride), nullptr);
    EXPECT_EQ(queue.Find(kJobs * stride + 1), nullptr);
    EXPECT_LE(queue.MemoryBytes(), dense.MemoryBytes() * 6 / 5) << stride;
  }
}

}  // namespace
}  // namespace rung

// Limits: exactly as many as allowed, and free at the exact millisecond.

#include "rung/types/queue_limits.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "rung/base/rng.h"

namespace rung {
namespace {

constexpr std::int64_t kNow = 1'800'000'000'000;

TEST(RateLimitTest, NoLimitIsAlwaysFree) {
  RateLimit limit;
  for (int i = 0; i < 5; ++i) limit.Take(kNow);
  EXPECT_TRUE(limit.MayTake(kNow));
  EXPECT_EQ(limit.FreeAt(kNow), kNow);
}

TEST(RateLimitTest, ABurstIsTheCountThenOnePerShareOfThePeriod) {
  RateLimit limit(3, 1000);
  EXPECT_EQ(limit.Room(kNow), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(limit.MayTake(kNow));
    limit.Take(kNow);
  }
  EXPECT_FALSE(limit.MayTake(kNow));
  EXPECT_EQ(limit.Room(kNow), 0);
  EXPECT_EQ(limit.FreeAt(kNow), kNow + 334);  // A third of a second, never early.
  EXPECT_FALSE(limit.MayTake(kNow + 333));
  limit.Take(kNow + 334);
  EXPECT_EQ(limit.FreeAt(kNow + 334), kNow + 667);
  EXPECT_EQ(limit.Room(kNow + 2'000), 3);
}

TEST(RateLimitTest, ThirdsOfASecondDoNotDrift) {
  RateLimit limit(3, 1000);
  std::int64_t now = kNow;
  for (int i = 0; i < 3'000'002; ++i) {
    now = limit.FreeAt(now);
    limit.Take(now);
  }
  // Three at once, and from then on exactly three a second.
  EXPECT_EQ(now, kNow + 1'000'000'000 - 333);
}

TEST(RateLimitTest, OneAtATimeIsSpacedByThePeriod) {
  RateLimit limit(1, 250);
  limit.Take(kNow);
  EXPECT_EQ(limit.FreeAt(kNow), kNow + 250);
  EXPECT_EQ(limit.FreeAt(kNow + 400), kNow + 400);
}

TEST(RateLimitTest, TheLargestValuesFit) {
  RateLimit limit(RateLimit::kMostCount, RateLimit::kLongestPeriodMs);
  for (int i = 0; i < 1000; ++i) limit.Take(kNow);
  EXPECT_TRUE(limit.MayTake(kNow));
  RateLimit fast(RateLimit::kMostCount, 1);
  fast.Take(kNow);
  EXPECT_EQ(fast.Room(kNow), RateLimit::kMostCount - 1);
}

TEST(RateLimitTest, AChangedRateCountsWhatHasNotDrained) {
  RateLimit limit(10, 1000);
  for (int i = 0; i < 4; ++i) limit.Take(kNow);
  limit.Change(5, 1000, kNow);
  EXPECT_EQ(limit.Room(kNow), 1);
  limit.Change(2, 1000, kNow);
  EXPECT_EQ(limit.Room(kNow), 0);
  EXPECT_EQ(limit.FreeAt(kNow), kNow + 500);
  limit.Change(0, 1000, kNow);
  EXPECT_TRUE(limit.MayTake(kNow));
}

// Against its definition: in any stretch of t ms at most count + t * count / period.
TEST(RateLimitTest, NoStretchOfTimeHoldsMoreThanItsShare) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed);
    const auto count = static_cast<std::int64_t>(1 + rng.Below(7));
    const auto period = static_cast<std::int64_t>(1 + rng.Below(500));
    RateLimit limit(count, period);
    std::vector<std::int64_t> takes;
    for (std::int64_t now = kNow; takes.size() < 400;) {
      if (limit.MayTake(now)) {
        limit.Take(now);
        takes.push_back(now);
      } else {
        ASSERT_GT(limit.FreeAt(now), now);
        ASSERT_FALSE(limit.MayTake(limit.FreeAt(now) - 1));
        now = limit.FreeAt(now);
      }
      if (rng.Below(4) == 0) now += static_cast<std::int64_t>(rng.Below(200));
    }
    for (std::size_t i = 0; i < takes.size(); ++i) {
      for (std::size_t j = i; j < takes.size(); ++j) {
        const auto held = static_cast<std::int64_t>(j - i + 1);
        ASSERT_LE(held * period, count * period + (takes[j] - takes[i]) * count);
      }
    }
  }
}

}  // namespace
}  // namespace rung

// FlowMeter and WaitHistogram: what STATS tells of the last minutes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rung/base/rng.h"
#include "types/queue/flow_meter.h"
#include "types/queue/wait_histogram.h"

namespace rung {
namespace {

constexpr std::int64_t kNow = 1'800'000'000'000;  // The beginning of a slot.
constexpr std::int64_t kMinute = 60'000;
using Window = WaitHistogram::Window;

TEST(FlowMeterTest, NothingHappenedIsNothing) {
  const FlowMeter meter;
  EXPECT_EQ(meter.Over(kMinute, kNow).jobs, 0u);
  EXPECT_EQ(meter.Over(kMinute, kNow).PerSecond(), 0);
}

TEST(FlowMeterTest, ASteadyFlowIsItsRateInEveryWindow) {
  FlowMeter meter;
  for (std::int64_t now = kNow; now < kNow + 20 * kMinute; now += 100) meter.Add(now);
  const std::int64_t now = kNow + 20 * kMinute;
  EXPECT_NEAR(meter.Over(kMinute, now).PerSecond(), 10, 0.01);
  EXPECT_NEAR(meter.Over(5 * kMinute, now).PerSecond(), 10, 0.01);
  EXPECT_NEAR(meter.Over(15 * kMinute, now).PerSecond(), 10, 0.01);
  EXPECT_EQ(meter.total(), 12'000u);
}

TEST(FlowMeterTest, AYoungMeterTellsTheRateSinceItsBirth) {
  FlowMeter meter;
  for (int second = 0; second < 10; ++second) meter.Add(kNow + second * 1000, 5);
  EXPECT_NEAR(meter.Over(15 * kMinute, kNow + 10'000).PerSecond(), 5, 0.01);
}

TEST(FlowMeterTest, WhatIsPastIsForgottenAfterItsWindow) {
  FlowMeter meter;
  meter.Add(kNow, 600);
  EXPECT_EQ(meter.Over(kMinute, kNow + 59'999).jobs, 600u);
  EXPECT_EQ(meter.Over(kMinute, kNow + kMinute).jobs, 0u);
  EXPECT_EQ(meter.Over(15 * kMinute, kNow + 15 * kMinute - 1).jobs, 600u);
  EXPECT_EQ(meter.Over(15 * kMinute, kNow + 15 * kMinute).jobs, 0u);
  meter.Add(kNow + 1'000 * kMinute, 7);
  EXPECT_EQ(meter.Over(15 * kMinute, kNow + 1'000 * kMinute).jobs, 7u);
}

TEST(WaitHistogramTest, NothingServedIsAllZeroAndTakesNoMemory) {
  const WaitHistogram histogram;
  const auto waits = histogram.Over(Window::kHour, kNow);
  EXPECT_EQ(waits.count, 0u);
  EXPECT_EQ(waits.p99_ms, 0);
  EXPECT_EQ(histogram.MemoryBytes(), 0u);
}

TEST(WaitHistogramTest, PercentilesAreRightToAFifthAndTheMaximumIsExact) {
  Rng rng(3);
  for (const std::int64_t longest :
       {std::int64_t{3}, std::int64_t{100}, std::int64_t{50'000}, std::int64_t{3'000'000'000}}) {
    WaitHistogram histogram;
    std::vector<std::int64_t> all;
    for (int i = 0; i < 5'000; ++i) {
      all.push_back(static_cast<std::int64_t>(rng.Below(static_cast<std::uint64_t>(longest))));
      histogram.Record(kNow, all.back());
    }
    std::sort(all.begin(), all.end());
    const auto waits = histogram.Over(Window::kMinute, kNow + 1);
    const auto near = [](std::int64_t got, std::int64_t exact) {
      return got >= exact && static_cast<double>(got) <= 1.26 * static_cast<double>(exact);
    };
    EXPECT_TRUE(near(waits.p50_ms, all[2'499])) << waits.p50_ms << " " << all[2'499];
    EXPECT_TRUE(near(waits.p95_ms, all[4'749])) << waits.p95_ms << " " << all[4'749];
    EXPECT_TRUE(near(waits.p99_ms, all[4'949])) << waits.p99_ms << " " << all[4'949];
    EXPECT_EQ(waits.max_ms, all.back());
    EXPECT_EQ(waits.count, 5'000u);
    histogram.CheckInvariants();
    EXPECT_LE(histogram.MemoryBytes(), 4'400u);
  }
}

TEST(WaitHistogramTest, TheMinuteForgetsWhatTheHourKeeps) {
  WaitHistogram histogram;
  histogram.Record(kNow, 5'000);
  EXPECT_EQ(histogram.Over(Window::kMinute, kNow + 59'999).max_ms, 5'000);
  EXPECT_EQ(histogram.Over(Window::kMinute, kNow + 60'000).count, 0u);
  EXPECT_EQ(histogram.Over(Window::kHour, kNow + 60'000).count, 1u);
  EXPECT_EQ(histogram.Over(Window::kHour, kNow + 60 * kMinute).count, 0u);
  histogram.Record(kNow + 60 * kMinute, 1);
  EXPECT_EQ(histogram.Over(Window::kHour, kNow + 60 * kMinute).max_ms, 1);
}

TEST(WaitHistogramTest, AbsurdWaitsCountToo) {
  WaitHistogram histogram;
  histogram.Record(kNow, -7);
  histogram.Record(kNow, std::int64_t{1} << 60);
  const auto waits = histogram.Over(Window::kHour, kNow);
  EXPECT_EQ(waits.p50_ms, 0);
  EXPECT_EQ(waits.max_ms, std::int64_t{1} << 60);
}

}  // namespace
}  // namespace rung

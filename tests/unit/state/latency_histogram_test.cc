// Percentiles and the cumulative distribution of durations.

#include "rung/state/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "rung/base/rng.h"

namespace rung {
namespace {

TEST(LatencyHistogramTest, IsEmptyAtFirst) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.PercentileNs(50), 0u);
  EXPECT_TRUE(histogram.Distribution().empty());
}

TEST(LatencyHistogramTest, CumulatesByPowersOfTwo) {
  LatencyHistogram histogram;
  for (const std::uint64_t ns : {0u, 1023u, 1024u, 2047u, 2048u, 100000u}) histogram.Record(ns);
  const std::vector<LatencyHistogram::Step> steps = histogram.Distribution();
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_EQ(steps[0].up_to_ns, 1024u);
  EXPECT_EQ(steps[0].calls, 2u);
  EXPECT_EQ(steps[1].up_to_ns, 2048u);
  EXPECT_EQ(steps[1].calls, 4u);
  EXPECT_EQ(steps[2].up_to_ns, 4096u);
  EXPECT_EQ(steps[2].calls, 5u);
  EXPECT_EQ(steps[3].up_to_ns, 131072u);
  EXPECT_EQ(steps[3].calls, 6u);
  histogram.CheckInvariants();
}

TEST(LatencyHistogramTest, LongestDurationIsKeptInTheLastBucket) {
  LatencyHistogram histogram;
  histogram.Record(UINT64_MAX);
  EXPECT_EQ(histogram.PercentileNs(100), LatencyHistogram::kLongestNs);
  histogram.CheckInvariants();
}

TEST(LatencyHistogramTest, PercentilesAreRightToThreePercentAndNeverTooLow) {
  Rng rng(7);
  LatencyHistogram histogram;
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 20000; ++i) {
    // Spread over all octaves.
    const std::uint64_t value = rng.Next() >> (28 + rng.Below(30));
    values.push_back(value);
    histogram.Record(value);
  }
  std::sort(values.begin(), values.end());
  for (const double percentile : {0.0, 1.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
    const double rank = static_cast<double>(values.size()) * percentile / 100;
    const auto index = static_cast<std::size_t>(std::max(rank - 1, 0.0));
    const std::uint64_t exact = values[index];
    const std::uint64_t given = histogram.PercentileNs(percentile);
    EXPECT_GE(given, exact) << percentile;
    // A bucket is a 32nd of its octave, so at most 1/32 of the value; below 1024 ns it is 32 ns.
    EXPECT_LE(given, exact + std::max<std::uint64_t>(32, exact / 32 + 1)) << percentile;
  }
  histogram.CheckInvariants();
}

}  // namespace
}  // namespace rung

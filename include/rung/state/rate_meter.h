// RateMeter: how fast a counter has been growing lately (INFO instantaneous_*).
//
// The counter is sampled ten times a second; the rate is taken over the last kSamples of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rung/base/time.h"

namespace rung {

class RateMeter {
 public:
  static constexpr std::size_t kSamples = 16;

  // The counter's value at `now`. A value below the last one is a counter set back: starts anew.
  void Sample(MonoTime now, std::uint64_t total);
  // Per second; 0 before the second sample.
  double PerSecond() const;

 private:
  struct Point {
    MonoTime at{};
    std::uint64_t total = 0;
  };

  const Point& Newest() const { return points_[(next_ + kSamples - 1) % kSamples]; }

  std::array<Point, kSamples> points_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

}  // namespace rung

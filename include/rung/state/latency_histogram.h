// LatencyHistogram: how long the calls of one command took, for percentiles.
//
// Why log-linear. A duration lies in an octave (between two powers of two), and each octave is cut
// into 32 equal buckets: any percentile is right to 3 %, from 32 ns to 68 s. Octaves get their
// memory when the first call falls into them; a command mostly uses three to six, so that its
// histogram takes 1 to 2 KB. Record() is a shift, a subtraction and an increment.
//
// Invariants: 1. count() is the sum of all buckets. 2. An octave that exists has been hit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rung {

class LatencyHistogram {
 public:
  // Longer calls count as this long.
  static constexpr std::uint64_t kLongestNs = (std::uint64_t{1} << 36) - 1;

  void Record(std::uint64_t nanoseconds);
  std::uint64_t count() const { return count_; }
  // The upper end of the bucket that holds the given percentile (0 to 100). 0 without any call.
  std::uint64_t PercentileNs(double percentile) const;

  struct Step {
    std::uint64_t up_to_ns = 0;
    std::uint64_t calls = 0;  // That took so long or less.
  };
  // The cumulative distribution by powers of two from 1024 ns on; steps without a call are left
  // out.
  std::vector<Step> Distribution() const;

  void CheckInvariants() const;

 private:
  // Octave 0 is everything below 2^10 ns, octave i > 0 is [2^(9+i), 2^(10+i)).
  static constexpr unsigned kFirstOctaveBits = 10;
  static constexpr unsigned kBucketBits = 5;
  static constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
  static constexpr std::size_t kOctaves = 36 - kFirstOctaveBits + 1;
  using Octave = std::array<std::uint64_t, kBuckets>;

  static std::uint64_t OctaveEnd(std::size_t octave) {
    return std::uint64_t{1} << (kFirstOctaveBits + octave);
  }

  std::uint64_t count_ = 0;
  std::array<std::unique_ptr<Octave>, kOctaves> octaves_;
};

}  // namespace rung

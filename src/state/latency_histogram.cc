// See latency_histogram.h.

#include "rung/state/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "rung/base/check.h"

namespace rung {

void LatencyHistogram::Record(std::uint64_t nanoseconds) {
  const std::uint64_t value = std::min(nanoseconds, kLongestNs);
  const auto bits = static_cast<unsigned>(std::bit_width(value));
  const std::size_t octave = bits <= kFirstOctaveBits ? 0 : bits - kFirstOctaveBits;
  // Octave 0 starts at 0 and is as wide as octave 1 ends high; the others span half their end.
  const std::size_t shift = kFirstOctaveBits - kBucketBits + (octave == 0 ? 0 : octave - 1);
  const std::uint64_t start = octave == 0 ? 0 : OctaveEnd(octave - 1);
  std::unique_ptr<Octave>& buckets = octaves_[octave];
  if (buckets == nullptr) buckets = std::make_unique<Octave>();
  ++(*buckets)[(value - start) >> shift];
  ++count_;
}

std::uint64_t LatencyHistogram::PercentileNs(double percentile) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(static_cast<double>(count_) * percentile / 100);
  const std::uint64_t rank =
      std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count_);
  std::uint64_t seen = 0;
  for (std::size_t octave = 0; octave < kOctaves; ++octave) {
    if (octaves_[octave] == nullptr) continue;
    const std::uint64_t start = octave == 0 ? 0 : OctaveEnd(octave - 1);
    const std::uint64_t width = (OctaveEnd(octave) - start) / kBuckets;
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
      seen += (*octaves_[octave])[bucket];
      if (seen >= rank) return start + (bucket + 1) * width - 1;
    }
  }
  return kLongestNs;
}

std::vector<LatencyHistogram::Step> LatencyHistogram::Distribution() const {
  std::vector<Step> steps;
  std::uint64_t seen = 0;
  for (std::size_t octave = 0; octave < kOctaves; ++octave) {
    if (octaves_[octave] == nullptr) continue;
    for (const std::uint64_t calls : *octaves_[octave]) seen += calls;
    steps.push_back({.up_to_ns = OctaveEnd(octave), .calls = seen});
  }
  return steps;
}

void LatencyHistogram::CheckInvariants() const {
  std::uint64_t sum = 0;
  for (const auto& octave : octaves_) {
    if (octave == nullptr) continue;
    std::uint64_t calls = 0;
    for (const std::uint64_t bucket : *octave) calls += bucket;
    RUNG_CHECK(calls > 0, "a latency octave exists without a call");
    sum += calls;
  }
  RUNG_CHECK(sum == count_, "latency buckets and count disagree");
}

}  // namespace rung

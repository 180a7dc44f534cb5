// WaitHistogram: how long jobs have waited, as percentiles over the last minute and the last hour.
//
// Waits fall into buckets of a quarter of an octave: a percentile is right to a quarter, from 1 ms
// to 49 days; the maximum is exact. Each window is four slots in a ring, so that it forgets a
// quarter at a time and covers between three quarters of its length and all of it. 4.1 KB, taken
// when the first wait is recorded.
//
// Invariant: each slot's count is the sum of its buckets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rung {

class WaitHistogram {
 public:
  enum class Window : std::uint8_t { kMinute, kHour };

  struct Waits {
    std::uint64_t count = 0;
    std::int64_t p50_ms = 0;
    std::int64_t p95_ms = 0;
    std::int64_t p99_ms = 0;
    std::int64_t max_ms = 0;
  };

  // A job that had waited `wait_ms` was served at `now_ms`. Negative waits count as 0.
  void Record(std::int64_t now_ms, std::int64_t wait_ms);
  // All 0 if nothing was served. A percentile is the upper end of its bucket, or the maximum.
  Waits Over(Window window, std::int64_t now_ms) const;
  std::size_t MemoryBytes() const { return slots_.capacity() * sizeof(Slot); }

  void CheckInvariants() const;

 private:
  // Bucket b < 4 holds the wait b; then four buckets to an octave.
  static constexpr std::size_t kBuckets = 4 * 31;
  static constexpr std::size_t kSlotsEach = 4;
  struct Slot {
    std::int64_t number = -1;  // Which stretch of time since the epoch it counts.
    std::uint64_t count = 0;
    std::int64_t max_ms = 0;
    std::array<std::uint32_t, kBuckets> buckets{};
  };

  static std::size_t Bucket(std::int64_t wait_ms);
  // The longest wait of the bucket.
  static std::int64_t UpTo(std::size_t bucket);
  static std::int64_t SlotMs(Window window);

  std::vector<Slot> slots_;  // Empty, or those of the minute, then those of the hour.
};

}  // namespace rung

// WaitHistogram: buckets by the position of the highest bit and the two below it.
#include "types/queue/wait_histogram.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "rung/base/check.h"

namespace rung {

std::size_t WaitHistogram::Bucket(std::int64_t wait_ms) {
  if (wait_ms < 4) return static_cast<std::size_t>(std::max<std::int64_t>(0, wait_ms));
  const auto wait = static_cast<std::uint64_t>(wait_ms);
  const auto octave = static_cast<std::size_t>(std::bit_width(wait)) - 3;
  return std::min(kBuckets - 1, octave * 4 + static_cast<std::size_t>(wait >> octave));
}

std::int64_t WaitHistogram::UpTo(std::size_t bucket) {
  if (bucket < 8) return static_cast<std::int64_t>(bucket);
  const std::size_t octave = bucket / 4 - 1;
  return static_cast<std::int64_t>(((bucket % 4 + 5) << octave) - 1);
}

std::int64_t WaitHistogram::SlotMs(Window window) {
  return window == Window::kMinute ? 15'000 : 900'000;
}

void WaitHistogram::Record(std::int64_t now_ms, std::int64_t wait_ms) {
  slots_.resize(2 * kSlotsEach);
  for (const Window window : {Window::kMinute, Window::kHour}) {
    const std::int64_t number = now_ms / SlotMs(window);
    const std::size_t base = window == Window::kMinute ? 0 : kSlotsEach;
    Slot& slot = slots_[base + static_cast<std::size_t>(number) % kSlotsEach];
    if (slot.number != number) {
      slot = Slot{};
      slot.number = number;
    }
    std::uint32_t& bucket = slot.buckets[Bucket(wait_ms)];
    if (bucket == std::numeric_limits<std::uint32_t>::max()) continue;
    ++bucket;
    ++slot.count;
    slot.max_ms = std::max(slot.max_ms, wait_ms);
  }
}

WaitHistogram::Waits WaitHistogram::Over(Window window, std::int64_t now_ms) const {
  Waits waits;
  if (slots_.empty()) return waits;
  std::array<std::uint64_t, kBuckets> sums{};
  const std::int64_t number = now_ms / SlotMs(window);
  const std::size_t base = window == Window::kMinute ? 0 : kSlotsEach;
  for (std::size_t i = base; i < base + kSlotsEach; ++i) {
    const Slot& slot = slots_[i];
    if (slot.number + static_cast<std::int64_t>(kSlotsEach) <= number) continue;
    waits.count += slot.count;
    waits.max_ms = std::max(waits.max_ms, slot.max_ms);
    for (std::size_t b = 0; b < kBuckets; ++b) sums[b] += slot.buckets[b];
  }
  const auto percentile = [&](std::uint64_t percent) {
    std::uint64_t below = (waits.count * percent + 99) / 100;
    for (std::size_t b = 0; b < kBuckets; ++b) {
      if (sums[b] >= below) return std::min(UpTo(b), waits.max_ms);
      below -= sums[b];
    }
    return waits.max_ms;
  };
  if (waits.count == 0) return waits;
  waits.p50_ms = percentile(50);
  waits.p95_ms = percentile(95);
  waits.p99_ms = percentile(99);
  return waits;
}

void WaitHistogram::CheckInvariants() const {
  for (const Slot& slot : slots_) {
    const std::uint64_t sum =
        std::accumulate(slot.buckets.begin(), slot.buckets.end(), std::uint64_t{0});
    RUNG_CHECK(sum == slot.count, "count of a slot");
  }
}

}  // namespace rung

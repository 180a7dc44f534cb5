// FlowMeter: how many jobs came, or went, per second over the last 1, 5 and 15 minutes.
//
// Counts in slots of 15 seconds, 61 of them in a ring: the sums are exact, and the time they are
// taken over is told with them. Nothing moves while nothing happens.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace rung {

class FlowMeter {
 public:
  static constexpr std::int64_t kSlotMs = 15'000;
  static constexpr std::int64_t kLongestMs = 900'000;

  // Time never goes back; an earlier `now_ms` counts as the latest.
  void Add(std::int64_t now_ms, std::uint64_t jobs = 1) {
    const std::int64_t slot = now_ms / kSlotMs;
    if (first_ms_ < 0) {
      first_ms_ = now_ms;
      last_slot_ = slot;
    }
    for (; last_slot_ < slot; ++last_slot_) {
      if (slot - last_slot_ > kSlots) last_slot_ = slot - kSlots;
      At(last_slot_ + 1) = 0;
    }
    At(last_slot_) += jobs;
    total_ += jobs;
  }

  struct Flow {
    std::uint64_t jobs = 0;
    std::int64_t over_ms = 0;  // 0 only before anything happened.

    double PerSecond() const {
      return over_ms == 0 ? 0 : static_cast<double>(jobs) * 1000 / static_cast<double>(over_ms);
    }
  };
  // Over the last `window_ms`, a multiple of kSlotMs up to kLongestMs: the slot under way and as
  // many before it as fit. Over less if the meter is younger, but over a second at least.
  Flow Over(std::int64_t window_ms, std::int64_t now_ms) const {
    if (first_ms_ < 0) return {};
    const std::int64_t slot = std::max(last_slot_, now_ms / kSlotMs);
    const std::int64_t oldest = slot - window_ms / kSlotMs + 1;
    Flow flow;
    for (std::int64_t i = std::max(oldest, last_slot_ - kSlots + 1); i <= last_slot_; ++i) {
      flow.jobs += slots_[static_cast<std::size_t>(i % kSlots)];
    }
    const std::int64_t begin_ms = std::max(first_ms_, oldest * kSlotMs);
    flow.over_ms = std::max<std::int64_t>(1000, now_ms - begin_ms);
    return flow;
  }
  std::uint64_t total() const { return total_; }

 private:
  static constexpr std::int64_t kSlots = kLongestMs / kSlotMs + 1;

  std::uint64_t& At(std::int64_t slot) { return slots_[static_cast<std::size_t>(slot % kSlots)]; }

  std::array<std::uint64_t, kSlots> slots_{};
  std::int64_t last_slot_ = 0;
  std::int64_t first_ms_ = -1;
  std::uint64_t total_ = 0;
};

}  // namespace rung

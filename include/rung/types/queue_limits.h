// RateLimit: when a queue or a tier may be served again.
//
// It is the generic cell rate algorithm (a leaky bucket without a drip): one number, the
// time at which the bucket would be empty. It is kept in units of 1 / count milliseconds, in which
// all that is added is whole; so n takes per period are exactly n, for years.
//
// Invariant: level of the bucket <= count takes, by the clock of the last Take.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rung/base/check.h"

namespace rung {

// At most `count` takes at once, refilled at `count` per `period_ms`: in any stretch of t ms at
// most count + t * count / period_ms. Count 0 is no limit.
class RateLimit {
 public:
  static constexpr std::int64_t kMostCount = 1'000'000;
  static constexpr std::int64_t kLongestPeriodMs = 31'622'400'000;  // 366 days.

  RateLimit() = default;
  // Requires 0 <= count <= kMostCount and 0 < period_ms <= kLongestPeriodMs.
  RateLimit(std::int64_t count, std::int64_t period_ms) : count_(count), period_ms_(period_ms) {
    RUNG_CHECK(count >= 0 && count <= kMostCount, "count of a rate");
    RUNG_CHECK(period_ms > 0 && period_ms <= kLongestPeriodMs, "period of a rate");
  }

  std::int64_t count() const { return count_; }
  std::int64_t period_ms() const { return period_ms_; }

  // Whether one may be taken. Times are since the epoch, and not before 1970.
  bool MayTake(std::int64_t now_ms) const { return FreeAt(now_ms) <= now_ms; }
  // One was taken, allowed or not (what is replayed was allowed once).
  void Take(std::int64_t now_ms) {
    if (count_ > 0) empty_at_ = std::max(empty_at_, now_ms * count_) + period_ms_;
  }
  // The first time from `now_ms` on when one may be taken.
  std::int64_t FreeAt(std::int64_t now_ms) const {
    if (count_ == 0) return now_ms;
    const std::int64_t room_at = empty_at_ - (count_ - 1) * period_ms_;
    if (room_at <= 0) return now_ms;
    return std::max(now_ms, (room_at + count_ - 1) / count_);
  }
  // How many may be taken at once.
  std::int64_t Room(std::int64_t now_ms) const {
    const std::int64_t level = std::max<std::int64_t>(0, empty_at_ - now_ms * count_);
    return std::max<std::int64_t>(0, (count_ * period_ms_ - level) / period_ms_);
  }

  // Another rate, at once: takes that have not drained yet count for the new one, too.
  void Change(std::int64_t count, std::int64_t period_ms, std::int64_t now_ms) {
    const std::int64_t taken = count_ == 0 ? 0 : count_ - Room(now_ms);
    *this = RateLimit(count, period_ms);
    if (count > 0) empty_at_ = now_ms * count + std::min(taken, count) * period_ms;
  }

  // To be written down and read back.
  std::int64_t empty_at() const { return empty_at_; }
  void set_empty_at(std::int64_t empty_at) { empty_at_ = empty_at; }

  bool operator==(const RateLimit&) const = default;

 private:
  std::int64_t count_ = 0;
  std::int64_t period_ms_ = 1;
  std::int64_t empty_at_ = 0;  // In 1 / count_ ms since the epoch.
};

}  // namespace rung

// TimedValue: a value with work of its own to do at certain times (a queue's leases and delays).
// The store keeps the keys of such values in order of their next deadline (timed_entries.h).
#pragma once

#include <cstdint>
#include <optional>

namespace rung {

class TimedValue {
 public:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  TimedValue() = default;
  TimedValue(const TimedValue&) = delete;
  TimedValue& operator=(const TimedValue&) = delete;
  virtual ~TimedValue() = default;

  // When its next piece of work is due, in milliseconds since the epoch; nothing: never. O(1).
  virtual std::optional<std::int64_t> NextDeadline() const = 0;

  // Where it stands in the store's order of deadlines; the store's own.
  std::uint32_t timer_place = kNowhere;
};

}  // namespace rung

// CronSchedule: when a schedule comes due, in a time zone, across changes of its clocks.
//
// A time of the day ("30 2 * * *") comes once on each of its days:
//   clocks set forward over it   at the instant at which they were set (02:30 -> 03:00)
//   clocks set back over it      at the first of the two
// A rhythm (hours, minutes or seconds begin with a star) follows the clock as it runs: in the
// skipped hour there is nothing to come, in the repeated one it comes twice; "*/30 * * * *" is
// always half an hour apart.
// "@every 30000" is a rhythm in milliseconds, independent of clocks: at the whole multiples of it
// since 1970.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rung/base/result.h"
#include "types/queue/cron_expression.h"
#include "types/queue/time_zone.h"

namespace rung {

class CronSchedule {
 public:
  // The shortest time between two jobs of one schedule.
  static constexpr std::int64_t kShortestMs = 1000;

  // Errors: those of the expression and of the zone's name.
  static Result<CronSchedule> Parse(std::string_view text, std::string_view zone = "UTC");

  // The first time due after `after_ms` (since the epoch), strictly. None if it never comes again.
  std::optional<std::int64_t> Next(std::int64_t after_ms) const;

  const TimeZone& zone() const { return zone_; }

 private:
  CronSchedule() = default;

  std::optional<std::int64_t> NextTimeOfDay(std::int64_t after_s) const;
  std::optional<std::int64_t> NextOfRhythm(std::int64_t after_s) const;

  CronExpression expression_;
  TimeZone zone_;
  std::int64_t every_ms_ = 0;  // Then there is no expression.
};

}  // namespace rung

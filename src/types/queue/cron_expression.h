// CronExpression: the times that a line of cron stands for, on the local clock.
//
//   minute hour day month weekday            or, with seconds first, six fields
//   *   a   a-b   */n   a-b/n   a/n (from a on)   lists with commas
//   months 1-12 or JAN-DEC, weekdays 0-7 or SUN-SAT (0 and 7 are Sunday), ? as * for days
//   day: L the last of the month; weekday: FRI#2 the second Friday, FRIL the last one
//   @hourly @daily @midnight @weekly @monthly @yearly @annually
// As in cron, a job with both a day and a weekday runs when either fits, unless one of the two
// begins with a star.
//
// Each field is a bit mask, so that the next time is found by shifts; days are walked one by one,
// months that do not fit are leapt over.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rung/base/result.h"

namespace rung {

class CronExpression {
 public:
  // Errors name the field. An expression that never comes (30 February) is one, too.
  static Result<CronExpression> Parse(std::string_view text);

  // The first fitting local time from `local_seconds` on (time_zone.h); none if it does not come
  // within 41 years. At most 0.5 ms, mostly below 1 us.
  std::optional<std::int64_t> Next(std::int64_t local_seconds) const;

  // Whether it stands for a rhythm and not for a time of the day: hours, minutes or seconds begin
  // with a star. The two differ when clocks are set.
  bool IsRhythm() const { return rhythm_; }

 private:
  friend class CronParser;
  using Mask = std::uint64_t;

  bool DayFits(std::int64_t day) const;
  // The first fitting second of a day from `second` on.
  std::optional<std::int64_t> NextInDay(std::int64_t second) const;

  Mask seconds_ = 1;
  Mask minutes_ = 0;
  Mask hours_ = 0;
  Mask days_ = 0;  // Bit d is day d.
  Mask months_ = 0;
  Mask weekdays_ = 0;                          // Bit 0 is Sunday.
  std::array<std::uint8_t, 7> nth_weekday_{};  // Bit n: the n-th of the month; bit 0: the last.
  bool last_day_ = false;
  bool either_day_ = false;  // Day or weekday will do.
  bool rhythm_ = false;
};

}  // namespace rung

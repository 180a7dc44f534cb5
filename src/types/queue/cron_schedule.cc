// CronSchedule: from local times to instants.
#include "types/queue/cron_schedule.h"

#include <utility>

#include "rung/base/numbers.h"

namespace rung {

namespace {

constexpr std::string_view kEvery = "@every ";

}  // namespace

Result<CronSchedule> CronSchedule::Parse(std::string_view text, std::string_view zone) {
  CronSchedule schedule;
  auto loaded = TimeZone::Load(zone);
  if (!loaded.ok()) return loaded.error();
  schedule.zone_ = std::move(*loaded);
  if (EqualsIgnoreCase(text.substr(0, kEvery.size()), kEvery)) {
    constexpr std::int64_t kLongestMs = 366ll * 86'400'000;
    const auto every = ParseInt64(text.substr(kEvery.size()));
    if (!every || *every < kShortestMs || *every > kLongestMs) {
      return Error("ERR @every takes milliseconds, from 1000 to those of a year");
    }
    schedule.every_ms_ = *every;
    return schedule;
  }
  auto expression = CronExpression::Parse(text);
  if (!expression.ok()) return expression.error();
  schedule.expression_ = *expression;
  return schedule;
}

std::optional<std::int64_t> CronSchedule::Next(std::int64_t after_ms) const {
  if (every_ms_ > 0) return (after_ms / every_ms_ + 1) * every_ms_;
  const std::int64_t after_s = after_ms / 1000;
  const auto next = expression_.IsRhythm() ? NextOfRhythm(after_s) : NextTimeOfDay(after_s);
  if (!next) return std::nullopt;
  return *next * 1000;
}

std::optional<std::int64_t> CronSchedule::NextTimeOfDay(std::int64_t after_s) const {
  // Local times rise with those they stand for, but not strictly: what lies in the past (the first
  // of two) or is no later is stepped over.
  auto local = expression_.Next(zone_.ToLocal(after_s) + 1);
  for (; local; local = expression_.Next(*local + 1)) {
    const std::int64_t at = zone_.FromLocal(*local).at;
    if (at > after_s) return at;
  }
  return std::nullopt;
}

std::optional<std::int64_t> CronSchedule::NextOfRhythm(std::int64_t after_s) const {
  // Between two changes of the clocks local time runs as any other.
  std::int64_t from = after_s + 1;
  while (true) {
    const std::int64_t local = zone_.ToLocal(from);
    const auto next = expression_.Next(local);
    if (!next) return std::nullopt;
    const std::int64_t at = from + (*next - local);
    const auto change = zone_.NextChange(from);
    if (!change || at < *change) return at;
    from = *change;
  }
}

}  // namespace rung

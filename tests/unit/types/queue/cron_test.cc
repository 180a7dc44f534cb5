// Cron: which times an expression stands for, and which instants these are where clocks are set.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "rung/base/rng.h"
#include "types/queue/cron_expression.h"
#include "types/queue/cron_schedule.h"
#include "types/queue/time_zone.h"

namespace rung {
namespace {

// 2026-03-29 01:30:00 and such, in UTC.
std::int64_t Utc(int year, unsigned month, unsigned day, int hour, int minute, int second = 0) {
  const std::chrono::sys_days date =
      std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
  return date.time_since_epoch().count() * 86'400LL + hour * 3600 + minute * 60 + second;
}

std::string Text(std::int64_t seconds) {
  const std::chrono::sys_days day{
      std::chrono::floor<std::chrono::days>(std::chrono::seconds(seconds))};
  const std::chrono::year_month_day date(day);
  const std::int64_t rest = seconds - day.time_since_epoch().count() * 86'400LL;
  char text[80];
  std::snprintf(text, sizeof text, "%d-%02u-%02u %02d:%02d:%02d", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(rest / 3600), static_cast<int>(rest / 60 % 60),
                static_cast<int>(rest % 60));
  return text;
}

// The next `count` local times.
std::vector<std::string> NextLocal(std::string_view expression, std::int64_t from, int count) {
  auto cron = CronExpression::Parse(expression);
  EXPECT_TRUE(cron.ok()) << expression;
  std::vector<std::string> times;
  for (auto at = cron->Next(from); at && count > 0; at = cron->Next(*at + 1), --count) {
    times.push_back(Text(*at));
  }
  return times;
}

// The next `count` instants in UTC.
std::vector<std::string> NextUtc(std::string_view expression, std::string_view zone,
                                 std::int64_t after, int count) {
  auto schedule = CronSchedule::Parse(expression, zone);
  EXPECT_TRUE(schedule.ok()) << expression << " " << zone;
  std::vector<std::string> times;
  for (auto at = schedule->Next(after * 1000); at && count > 0; at = schedule->Next(*at), --count) {
    times.push_back(Text(*at / 1000));
  }
  return times;
}

using Times = std::vector<std::string>;

TEST(CronExpressionTest, FieldsAreMinuteHourDayMonthWeekday) {
  const std::int64_t from = Utc(2026, 11, 30, 22, 58, 1);
  EXPECT_EQ(NextLocal("* * * * *", from, 2), (Times{"2026-11-30 22:59:00", "2026-11-30 23:00:00"}));
  EXPECT_EQ(NextLocal("15 3 * * *", from, 2),
            (Times{"2026-12-01 03:15:00", "2026-12-02 03:15:00"}));
  EXPECT_EQ(NextLocal("0 0 1 1 *", from, 2), (Times{"2027-01-01 00:00:00", "2028-01-01 00:00:00"}));
  EXPECT_EQ(NextLocal("0 12 * * 1", from, 2),
            (Times{"2026-12-07 12:00:00", "2026-12-14 12:00:00"}));
  EXPECT_EQ(NextLocal("30 59 22 30 11 *", from, 2),
            (Times{"2026-11-30 22:59:30", "2027-11-30 22:59:30"}));
}

TEST(CronExpressionTest, ListsRangesAndSteps) {
  const std::int64_t from = Utc(2026, 1, 1, 0, 0);
  EXPECT_EQ(NextLocal("5,1-3,*/20 0 1 1 *", from, 7),
            (Times{"2026-01-01 00:00:00", "2026-01-01 00:01:00", "2026-01-01 00:02:00",
                   "2026-01-01 00:03:00", "2026-01-01 00:05:00", "2026-01-01 00:20:00",
                   "2026-01-01 00:40:00"}));
  EXPECT_EQ(NextLocal("0 9-17/4 * * *", from, 3),
            (Times{"2026-01-01 09:00:00", "2026-01-01 13:00:00", "2026-01-01 17:00:00"}));
  EXPECT_EQ(NextLocal("50/5 0 * * *", from, 2),
            (Times{"2026-01-01 00:50:00", "2026-01-01 00:55:00"}));
}

TEST(CronExpressionTest, NamesInAnyCaseAndSevenIsSunday) {
  const std::int64_t from = Utc(2026, 6, 1, 0, 0);  // A Monday.
  EXPECT_EQ(NextLocal("0 0 * jul-AUG fri", from, 1), (Times{"2026-07-03 00:00:00"}));
  EXPECT_EQ(NextLocal("0 0 * * 7", from, 1), NextLocal("0 0 * * SUN", from, 1));
  EXPECT_EQ(NextLocal("0 0 * * 5-7", from, 3),
            (Times{"2026-06-05 00:00:00", "2026-06-06 00:00:00", "2026-06-07 00:00:00"}));
}

TEST(CronExpressionTest, DayAndWeekdayAreEitherUnlessOneBeginsWithAStar) {
  const std::int64_t from = Utc(2026, 6, 1, 0, 0);
  EXPECT_EQ(NextLocal("0 0 13 * FRI", from, 3),
            (Times{"2026-06-05 00:00:00", "2026-06-12 00:00:00", "2026-06-13 00:00:00"}));
  EXPECT_EQ(NextLocal("0 0 */2 * FRI", from, 2),
            (Times{"2026-06-05 00:00:00", "2026-06-19 00:00:00"}));
  EXPECT_EQ(NextLocal("0 0 ? * FRI", from, 1), (Times{"2026-06-05 00:00:00"}));
}

TEST(CronExpressionTest, LastDaysAndNthWeekdays) {
  const std::int64_t from = Utc(2026, 1, 1, 0, 0);
  EXPECT_EQ(NextLocal("0 0 L * *", from, 3),
            (Times{"2026-01-31 00:00:00", "2026-02-28 00:00:00", "2026-03-31 00:00:00"}));
  EXPECT_EQ(NextLocal("0 0 * * FRI#2", from, 3),
            (Times{"2026-01-09 00:00:00", "2026-02-13 00:00:00", "2026-03-13 00:00:00"}));
  EXPECT_EQ(NextLocal("0 0 * * 1L", from, 2),
            (Times{"2026-01-26 00:00:00", "2026-02-23 00:00:00"}));
  EXPECT_EQ(NextLocal("0 0 * * 6#5", from, 2),
            (Times{"2026-01-31 00:00:00", "2026-05-30 00:00:00"}));
}

TEST(CronExpressionTest, LeapDaysAreFoundAcrossTheCenturyWithoutOne) {
  EXPECT_EQ(NextLocal("0 0 29 2 *", Utc(2095, 1, 1, 0, 0), 2),
            (Times{"2096-02-29 00:00:00", "2104-02-29 00:00:00"}));
}

TEST(CronExpressionTest, Shorthands) {
  const std::int64_t from = Utc(2026, 6, 1, 0, 0, 1);
  EXPECT_EQ(NextLocal("@hourly", from, 1), (Times{"2026-06-01 01:00:00"}));
  EXPECT_EQ(NextLocal("@DAILY", from, 1), (Times{"2026-06-02 00:00:00"}));
  EXPECT_EQ(NextLocal("@weekly", from, 1), (Times{"2026-06-07 00:00:00"}));
  EXPECT_EQ(NextLocal("@monthly", from, 1), (Times{"2026-07-01 00:00:00"}));
  EXPECT_EQ(NextLocal("@annually", from, 1), (Times{"2027-01-01 00:00:00"}));
}

TEST(CronExpressionTest, WhatIsWrongIsNamed) {
  const auto error = [](std::string_view text) {
    return CronExpression::Parse(text).error().text();
  };
  const std::string prefix = "ERR cron expression: ";
  EXPECT_EQ(error(""), prefix + "five fields, or six with seconds, expected");
  EXPECT_EQ(error("* * * *"), prefix + "five fields, or six with seconds, expected");
  EXPECT_EQ(error("60 * * * *"), prefix + "minute expected");
  EXPECT_EQ(error("* 24 * * *"), prefix + "hour expected");
  EXPECT_EQ(error("* * 0 * *"), prefix + "day expected");
  EXPECT_EQ(error("* * * 13 *"), prefix + "month expected");
  EXPECT_EQ(error("* * * * 8"), prefix + "weekday expected");
  EXPECT_EQ(error("* * * * MON#6"), prefix + "weekday expected");
  EXPECT_EQ(error("60 * * * * *"), prefix + "second expected");
  for (const std::string_view bad : {"1- * * * *", "5-1 * * * *", "*/0 * * * *", "1,,2 * * * *",
                                     "-1 * * * *", "a * * * *", "1/2/3 * * * *", "+1 * * * *"}) {
    EXPECT_EQ(error(bad), prefix + "minute expected") << bad;
  }
  EXPECT_EQ(error("0 0 30 2 *"), prefix + "this day never comes");
}

// Against a look at each minute.
TEST(CronExpressionTest, TheNextTimeIsTheFirstThatFits) {
  Rng rng(5);
  for (int round = 0; round < 200; ++round) {
    const unsigned minute = static_cast<unsigned>(rng.Below(60));
    const unsigned hour = static_cast<unsigned>(rng.Below(24));
    const unsigned day = static_cast<unsigned>(1 + rng.Below(28));
    const unsigned weekday = static_cast<unsigned>(rng.Below(7));
    const std::string text = std::to_string(minute) + "," + std::to_string(minute / 2) + " */" +
                             std::to_string(1 + hour) + " " + std::to_string(day) + " * " +
                             std::to_string(weekday);
    auto cron = CronExpression::Parse(text);
    ASSERT_TRUE(cron.ok()) << text;
    const auto from = static_cast<std::int64_t>(rng.Below(2'000'000'000));
    std::int64_t first = (from + 59) / 60 * 60;
    const auto fits = [&](std::int64_t at) {
      const std::chrono::sys_days date{std::chrono::days(at / 86'400)};
      const bool days = unsigned(std::chrono::year_month_day(date).day()) == day ||
                        std::chrono::weekday(date).c_encoding() == weekday;
      const unsigned at_minute = static_cast<unsigned>(at / 60 % 60);
      return days && at / 3600 % 24 % (1 + hour) == 0 &&
             (at_minute == minute || at_minute == minute / 2);
    };
    while (!fits(first)) first += 60;
    ASSERT_EQ(cron->Next(from), first) << text << " from " << from;
  }
}

TEST(TimeZoneTest, OnlyNamesOfTheDatabaseAreKnown) {
  EXPECT_TRUE(TimeZone::Load("UTC").ok());
  EXPECT_TRUE(TimeZone::Load("Europe/Berlin").ok());
  EXPECT_TRUE(TimeZone::Load("America/Argentina/Buenos_Aires").ok());
  for (const std::string_view bad : {"", "Europe/Nowhere", "/etc/localtime", "../zoneinfo/UTC",
                                     "localtime", "europe berlin", "Europe", "Europe/../UTC"}) {
    EXPECT_EQ(TimeZone::Load(bad).error().text(),
              "ERR unknown time zone, names are such as Europe/Berlin or UTC")
        << bad;
  }
}

TEST(CronScheduleTest, LocalTimesFollowTheSeasons) {
  EXPECT_EQ(NextUtc("0 9 * * *", "Europe/Berlin", Utc(2026, 3, 28, 0, 0), 2),
            (Times{"2026-03-28 08:00:00", "2026-03-29 07:00:00"}));
  EXPECT_EQ(NextUtc("0 9 * * *", "UTC", Utc(2026, 3, 28, 0, 0), 2),
            (Times{"2026-03-28 09:00:00", "2026-03-29 09:00:00"}));
  // Far ahead, by the rule and not by the table.
  EXPECT_EQ(NextUtc("0 9 1 7 *", "Europe/Berlin", Utc(2060, 1, 1, 0, 0), 1),
            (Times{"2060-07-01 07:00:00"}));
}

// Berlin, 29 March 2026: 02:00 becomes 03:00 at 01:00 UTC.
TEST(CronScheduleTest, ATimeOfDayInTheSpringGapComesWhenTheClocksAreSet) {
  EXPECT_EQ(NextUtc("30 2 * * *", "Europe/Berlin", Utc(2026, 3, 28, 0, 0), 3),
            (Times{"2026-03-28 01:30:00", "2026-03-29 01:00:00", "2026-03-30 00:30:00"}));
  // Asked for in the last second before.
  EXPECT_EQ(NextUtc("30 2 * * *", "Europe/Berlin", Utc(2026, 3, 29, 0, 59, 59), 1),
            (Times{"2026-03-29 01:00:00"}));
  // Twice in the gap, and once at its end: once.
  EXPECT_EQ(NextUtc("10,20 2 29 3 *", "Europe/Berlin", Utc(2026, 1, 1, 0, 0), 2),
            (Times{"2026-03-29 01:00:00", "2027-03-29 00:10:00"}));
  EXPECT_EQ(NextUtc("0 2,3 29 3 *", "Europe/Berlin", Utc(2026, 1, 1, 0, 0), 2),
            (Times{"2026-03-29 01:00:00", "2027-03-29 00:00:00"}));
}

TEST(CronScheduleTest, ARhythmHasNothingToComeInTheSpringGap) {
  EXPECT_EQ(NextUtc("*/30 * * * *", "Europe/Berlin", Utc(2026, 3, 29, 0, 0), 4),
            (Times{"2026-03-29 00:30:00", "2026-03-29 01:00:00", "2026-03-29 01:30:00",
                   "2026-03-29 02:00:00"}));
  EXPECT_EQ(NextUtc("*/30 2 * * *", "Europe/Berlin", Utc(2026, 3, 28, 2, 0), 1),
            (Times{"2026-03-30 00:00:00"}));
}

// Berlin, 25 October 2026: 03:00 becomes 02:00 at 01:00 UTC.
TEST(CronScheduleTest, ATimeOfDayInTheRepeatedHourComesOnce) {
  EXPECT_EQ(NextUtc("30 2 * * *", "Europe/Berlin", Utc(2026, 10, 24, 12, 0), 2),
            (Times{"2026-10-25 00:30:00", "2026-10-26 01:30:00"}));
  // Asked for between the two.
  EXPECT_EQ(NextUtc("30 2 * * *", "Europe/Berlin", Utc(2026, 10, 25, 1, 10), 1),
            (Times{"2026-10-26 01:30:00"}));
  EXPECT_EQ(NextUtc("0 3 * * *", "Europe/Berlin", Utc(2026, 10, 24, 12, 0), 1),
            (Times{"2026-10-25 02:00:00"}));
}

TEST(CronScheduleTest, ARhythmRunsOnThroughTheRepeatedHour) {
  EXPECT_EQ(NextUtc("*/30 * * * *", "Europe/Berlin", Utc(2026, 10, 24, 23, 59), 6),
            (Times{"2026-10-25 00:00:00", "2026-10-25 00:30:00", "2026-10-25 01:00:00",
                   "2026-10-25 01:30:00", "2026-10-25 02:00:00", "2026-10-25 02:30:00"}));
}

TEST(CronScheduleTest, HalfHoursOfLordHoweAndTheLostDayOfSamoa) {
  // Clocks go from 02:00 to 02:30.
  EXPECT_EQ(NextUtc("15 2 * * *", "Australia/Lord_Howe", Utc(2026, 10, 3, 0, 0), 1),
            (Times{"2026-10-03 15:30:00"}));
  // There was no 30 December 2011: its job came at the first instant of the 31st.
  EXPECT_EQ(NextUtc("0 12 30 12 *", "Pacific/Apia", Utc(2011, 12, 29, 0, 0), 1),
            (Times{"2011-12-30 10:00:00"}));
}

TEST(CronScheduleTest, EveryCountsFromTheEpochAndKnowsNoClocks) {
  auto schedule = CronSchedule::Parse("@every 90000", "Europe/Berlin");
  ASSERT_TRUE(schedule.ok());
  EXPECT_EQ(schedule->Next(0), 90'000);
  EXPECT_EQ(schedule->Next(89'999), 90'000);
  EXPECT_EQ(schedule->Next(90'000), 180'000);
  for (const std::string_view bad : {"@every 999", "@every", "@every x", "@every 99999999999999"}) {
    EXPECT_FALSE(CronSchedule::Parse(bad).ok()) << bad;
  }
}

TEST(CronScheduleTest, TheNextTimeIsStrictlyLater) {
  auto schedule = CronSchedule::Parse("* * * * *");
  ASSERT_TRUE(schedule.ok());
  EXPECT_EQ(schedule->Next(59'999), 60'000);
  EXPECT_EQ(schedule->Next(60'000), 120'000);
  EXPECT_EQ(schedule->Next(60'001), 120'000);
}

// Whatever the schedule and the zone: times rise, none is left out, asking in between changes
// nothing.
TEST(CronScheduleTest, AskingInBetweenGivesTheSameTimes) {
  Rng rng(6);
  const std::vector<std::string_view> zones = {
      "UTC",          "Europe/Berlin",     "America/New_York", "Australia/Lord_Howe",
      "Asia/Kolkata", "America/Sao_Paulo", "Pacific/Apia"};
  const std::vector<std::string_view> texts = {
      "30 2 * * *",       "0 0 * * *", "*/17 * * * *",    "0 */5 * * *",
      "59 1 * 3,10,11 *", "5 2 L * *", "*/20 1-3 * * SUN"};
  for (int round = 0; round < 300; ++round) {
    auto schedule =
        CronSchedule::Parse(texts[rng.Below(texts.size())], zones[rng.Below(zones.size())]);
    ASSERT_TRUE(schedule.ok());
    const auto after = static_cast<std::int64_t>(rng.Below(2'000'000'000'000));
    const std::int64_t next = *schedule->Next(after);
    ASSERT_GT(next, after);
    const auto between =
        after + static_cast<std::int64_t>(rng.Below(static_cast<std::uint64_t>(next - after)));
    ASSERT_EQ(schedule->Next(between), next);
    ASSERT_EQ(schedule->Next(next - 1), next);
  }
}

}  // namespace
}  // namespace rung

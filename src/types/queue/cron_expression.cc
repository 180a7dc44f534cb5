// CronExpression: a small parser, and a search by field.
#include "types/queue/cron_expression.h"

#include <bit>
#include <charconv>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "rung/base/numbers.h"
#include "types/queue/setting_words.h"

namespace rung {

namespace {

constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::int64_t kHorizonDays = 41 * 366;

constexpr std::array<std::string_view, 12> kMonths = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                      "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> kWeekdays = {"SUN", "MON", "TUE", "WED",
                                                       "THU", "FRI", "SAT"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kShorthands = {{
    {"@hourly", "0 * * * *"},
    {"@daily", "0 0 * * *"},
    {"@midnight", "0 0 * * *"},
    {"@weekly", "0 0 * * 0"},
    {"@monthly", "0 0 1 * *"},
    {"@yearly", "0 0 1 1 *"},
    {"@annually", "0 0 1 1 *"},
}};

struct Range {
  unsigned first = 0;
  unsigned last = 0;
};

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : Split(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

// The lowest bit of `mask` from `from` on.
std::optional<unsigned> LowestFrom(std::uint64_t mask, std::int64_t from) {
  if (from >= 64 || (mask >> from) == 0) return std::nullopt;
  return static_cast<unsigned>(from) + static_cast<unsigned>(std::countr_zero(mask >> from));
}

}  // namespace

// One expression on its way from text to masks. A field that is wrong makes `false`.
class CronParser {
 public:
  using Mask = std::uint64_t;

  bool Parse(std::string_view text, std::string& wrong) {
    for (const auto& [shorthand, meaning] : kShorthands) {
      if (EqualsIgnoreCase(text, shorthand)) text = meaning;
    }
    std::vector<std::string_view> fields = Words(text);
    wrong = "five fields, or six with seconds,";
    if (fields.size() != 5 && fields.size() != 6) return false;
    if (fields.size() == 6) {
      if (wrong = "second"; !ParseField(fields[0], {0, 59}, cron_.seconds_)) return false;
      cron_.rhythm_ = fields[0].front() == '*';
      fields.erase(fields.begin());
    }
    for (const std::string_view field : {fields[0], fields[1]}) {
      cron_.rhythm_ |= field.front() == '*';
    }
    if (wrong = "minute"; !ParseField(fields[0], {0, 59}, cron_.minutes_)) return false;
    if (wrong = "hour"; !ParseField(fields[1], {0, 23}, cron_.hours_)) return false;
    if (wrong = "day"; !ParseDays(fields[2])) return false;
    if (wrong = "month"; !ParseField(fields[3], {1, 12}, cron_.months_)) return false;
    if (wrong = "weekday"; !ParseWeekdays(fields[4])) return false;
    const auto restricts = [](std::string_view field) {
      return field.front() != '*' && field.front() != '?';
    };
    cron_.either_day_ = restricts(fields[2]) && restricts(fields[4]);
    return true;
  }

  const CronExpression& cron() const { return cron_; }

 private:
  // A number, or the name of a month or a weekday where `range` is theirs.
  static std::optional<unsigned> ParseValue(std::string_view text, Range range) {
    const auto named = [&](const auto& names) -> std::optional<unsigned> {
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (EqualsIgnoreCase(text, names[i])) return static_cast<unsigned>(i) + range.first;
      }
      return std::nullopt;
    };
    if (range.last == 12) {
      if (const auto month = named(kMonths)) return month;
    }
    if (range.last == 7) {
      if (const auto weekday = named(kWeekdays)) return weekday;
    }
    unsigned value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    if (value < range.first || value > range.last) return std::nullopt;
    return value;
  }

  // `*`, `a`, `a-b`, each perhaps with `/n`.
  static bool ParsePart(std::string_view part, Range range, Mask& mask) {
    const std::size_t slash = part.find('/');
    unsigned step = 1;
    if (slash != std::string_view::npos) {
      const auto given = ParseValue(part.substr(slash + 1), {1, 60});
      if (!given) return false;
      step = *given;
      part = part.substr(0, slash);
    }
    unsigned first = range.first;
    unsigned last = range.last;
    if (part != "*") {
      const std::size_t dash = part.find('-');
      const auto from = ParseValue(part.substr(0, dash), range);
      if (!from) return false;
      first = *from;
      if (dash != std::string_view::npos) {
        const auto to = ParseValue(part.substr(dash + 1), range);
        if (!to || *to < first) return false;
        last = *to;
      } else if (slash == std::string_view::npos) {
        last = first;
      }
    }
    for (unsigned value = first; value <= last; value += step) mask |= Mask{1} << value;
    return true;
  }

  static bool ParseField(std::string_view field, Range range, Mask& mask) {
    mask = 0;
    for (const std::string_view part : Split(field, ',')) {
      if (!ParsePart(part, range, mask)) return false;
    }
    return true;
  }

  bool ParseDays(std::string_view field) {
    if (field == "?") field = "*";
    for (const std::string_view part : Split(field, ',')) {
      if (EqualsIgnoreCase(part, "L")) {
        cron_.last_day_ = true;
      } else if (!ParsePart(part, {1, 31}, cron_.days_)) {
        return false;
      }
    }
    return true;
  }

  bool ParseWeekdays(std::string_view field) {
    if (field == "?") field = "*";
    for (const std::string_view part : Split(field, ',')) {
      if (!ParseNthWeekday(part) && !ParsePart(part, {0, 7}, cron_.weekdays_)) return false;
    }
    if ((cron_.weekdays_ & Mask{1} << 7) != 0) cron_.weekdays_ |= 1;
    return true;
  }

  // `FRI#2` or `FRIL`.
  bool ParseNthWeekday(std::string_view part) {
    const bool last = part.size() > 1 && (part.back() == 'L' || part.back() == 'l');
    const std::size_t sharp = part.find('#');
    if (!last && sharp == std::string_view::npos) return false;
    const auto weekday =
        ParseValue(last ? part.substr(0, part.size() - 1) : part.substr(0, sharp), {0, 7});
    const auto nth = last ? std::optional(0u) : ParseValue(part.substr(sharp + 1), {1, 5});
    if (!weekday || !nth) return false;
    cron_.nth_weekday_[*weekday % 7] |= static_cast<std::uint8_t>(1u << *nth);
    return true;
  }

  CronExpression cron_;
};

Result<CronExpression> CronExpression::Parse(std::string_view text) {
  CronParser parser;
  std::string wrong;
  if (!parser.Parse(text, wrong)) return Error("ERR cron expression: " + wrong + " expected");
  if (!parser.cron().Next(0)) return Error("ERR cron expression: this day never comes");
  return parser.cron();
}

bool CronExpression::DayFits(std::int64_t day) const {
  const std::chrono::sys_days point{std::chrono::days(day)};
  const std::chrono::year_month_day date(point);
  const unsigned number = static_cast<unsigned>(date.day());
  const std::chrono::year_month_day_last end(date.year(),
                                             std::chrono::month_day_last(date.month()));
  const unsigned length = static_cast<unsigned>(end.day());
  const bool by_day = (days_ >> number & 1) != 0 || (last_day_ && number == length);
  const unsigned weekday = std::chrono::weekday(point).c_encoding();
  const unsigned nth = nth_weekday_[weekday];
  const bool by_weekday = (weekdays_ >> weekday & 1) != 0 || (nth >> ((number + 6) / 7) & 1) != 0 ||
                          ((nth & 1) != 0 && number + 7 > length);
  return either_day_ ? by_day || by_weekday : by_day && by_weekday;
}

std::optional<std::int64_t> CronExpression::NextInDay(std::int64_t second) const {
  std::int64_t hour = second / 3600;
  std::int64_t minute = second / 60 % 60;
  std::int64_t rest = second % 60;
  while (const auto at_hour = LowestFrom(hours_, hour)) {
    if (*at_hour > hour) minute = rest = 0;
    hour = *at_hour;
    while (const auto at_minute = LowestFrom(minutes_, minute)) {
      if (*at_minute > minute) rest = 0;
      minute = *at_minute;
      if (const auto at_second = LowestFrom(seconds_, rest)) {
        return hour * 3600 + minute * 60 + *at_second;
      }
      ++minute;
      rest = 0;
    }
    ++hour;
    minute = rest = 0;
  }
  return std::nullopt;
}

std::optional<std::int64_t> CronExpression::Next(std::int64_t local_seconds) const {
  std::int64_t day = local_seconds / kDaySeconds;
  if (local_seconds % kDaySeconds < 0) --day;
  std::int64_t second = local_seconds - day * kDaySeconds;
  for (const std::int64_t end = day + kHorizonDays; day < end; second = 0) {
    const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
    if ((months_ >> static_cast<unsigned>(date.month()) & 1) == 0) {
      const auto next = date.year() / date.month() / 1 + std::chrono::months(1);
      day = std::chrono::sys_days(next).time_since_epoch().count();
      continue;
    }
    if (DayFits(day)) {
      if (const auto found = NextInDay(second)) return day * kDaySeconds + *found;
    }
    ++day;
  }
  return std::nullopt;
}

}  // namespace rung

// The fields of Q.CONF: parsing, printing, checking. See queue_settings.h.

#include <algorithm>
#include <array>

#include "rung/base/numbers.h"
#include "rung/types/queue_settings.h"

namespace rung {
namespace {

constexpr std::int64_t kTriesMax = 60000;

std::optional<std::int64_t> ParseTime(std::string_view text) {
  const std::optional<std::int64_t> value = ParseInt64(text);
  if (!value || *value < 0 || *value > kTimeMaxMs) return std::nullopt;
  return value;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Letters, digits and "-_.", not a number, so that a name is never taken for something else.
bool IsTierName(std::string_view text) {
  if (text.empty() || text.size() > 64 || ParseInt64(text)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

bool SetLadder(QueueSettings& settings, std::string_view value) {
  std::vector<std::string> ladder;
  if (value != "*") {
    for (const std::string_view name : Split(value, ',')) {
      const bool twice = std::find(ladder.begin(), ladder.end(), name) != ladder.end();
      if (!IsTierName(name) || name == "-" || twice) return false;
      ladder.emplace_back(name);
    }
  }
  if (ladder.size() > kClosedTiersMax) return false;
  // A default by number would mean another tier in another ladder.
  if (ladder != settings.ladder) settings.default_tier.reset();
  settings.ladder = std::move(ladder);
  return true;
}

bool SetDefault(QueueSettings& settings, std::string_view value) {
  const Result<std::uint32_t> tier = settings.ParseTier(value);
  if (tier.ok()) settings.default_tier = *tier;
  return tier.ok();
}

bool SetTimeAbove(std::int64_t& target, std::int64_t min, std::string_view value) {
  const std::optional<std::int64_t> time = ParseTime(value);
  if (!time || *time < min) return false;
  target = *time;
  return true;
}

bool SetNumber(std::uint32_t& target, std::int64_t max, std::string_view value) {
  const std::optional<std::int64_t> number = ParseInt64(value);
  if (!number || *number < 0 || *number > max) return false;
  target = static_cast<std::uint32_t>(*number);
  return true;
}

template <typename T>
bool SetParsed(T& target, std::string_view value) {
  std::optional<T> parsed = T::Parse(value);
  if (parsed) target = *std::move(parsed);
  return parsed.has_value();
}

bool SetRetryPosition(QueueSettings& settings, std::string_view value) {
  const bool back = EqualsIgnoreCase(value, "back");
  if (!back && !EqualsIgnoreCase(value, "keep")) return false;
  settings.retry_to_back = back;
  return true;
}

std::string PrintLadder(const QueueSettings& settings) {
  if (settings.open_ladder()) return "*";
  std::string text;
  for (const std::string& name : settings.ladder) {
    if (!text.empty()) text += ',';
    text += name;
  }
  return text;
}

struct Field {
  std::string_view name;
  bool (*set)(QueueSettings& settings, std::string_view value);
  std::string (*print)(const QueueSettings& settings);
};

using S = QueueSettings;
using V = std::string_view;

// In the order in which they are printed: TIERS before what names a tier.
constexpr std::array kFields = {
    Field{"tiers", &SetLadder, &PrintLadder},
    Field{"default", &SetDefault, [](const S& s) { return s.TierName(s.DefaultTier()); }},
    Field{"lease", [](S& s, V v) { return SetTimeAbove(s.lease_ms, 1, v); },
          [](const S& s) { return std::to_string(s.lease_ms); }},
    Field{"tries", [](S& s, V v) { return SetNumber(s.tries, kTriesMax, v); },
          [](const S& s) { return std::to_string(s.tries); }},
    Field{"backoff", [](S& s, V v) { return SetParsed(s.backoff, v); },
          [](const S& s) { return s.backoff.Print(); }},
    Field{"jitter", [](S& s, V v) { return SetNumber(s.jitter_percent, 100, v); },
          [](const S& s) { return std::to_string(s.jitter_percent); }},
    Field{"retrypos", &SetRetryPosition,
          [](const S& s) { return std::string(s.retry_to_back ? "back" : "keep"); }},
    Field{"dedup", [](S& s, V v) { return SetTimeAbove(s.dedup_ms, 0, v); },
          [](const S& s) { return std::to_string(s.dedup_ms); }},
    Field{"keep", [](S& s, V v) { return SetParsed(s.keep, v); },
          [](const S& s) { return s.keep.Print(); }},
    Field{"deadkeep", [](S& s, V v) { return SetParsed(s.dead_keep, v); },
          [](const S& s) { return s.dead_keep.Print(); }},
};

}  // namespace

std::int64_t Backoff::After(std::uint32_t failures) const {
  switch (kind) {
    case Kind::kFixed:
      return first_ms;
    case Kind::kList:
      return list[std::min<std::size_t>(failures - 1, list.size() - 1)];
    case Kind::kExponential:
      break;
  }
  std::int64_t wait = first_ms;
  for (std::uint32_t i = 1; i < failures && wait < max_ms; ++i) wait *= 2;
  return std::min(wait, max_ms);
}

std::optional<Backoff> Backoff::Parse(std::string_view text) {
  const std::vector<std::string_view> parts = Split(text, ':');
  Backoff backoff;
  if (parts[0] == "exp" && parts.size() == 3) {
    const auto first = ParseTime(parts[1]);
    const auto max = ParseTime(parts[2]);
    if (!first || !max || *max < *first) return std::nullopt;
    backoff.first_ms = *first;
    backoff.max_ms = *max;
    return backoff;
  }
  if (parts[0] == "fix" && parts.size() == 2) {
    const auto wait = ParseTime(parts[1]);
    if (!wait) return std::nullopt;
    backoff.kind = Kind::kFixed;
    backoff.first_ms = *wait;
    return backoff;
  }
  backoff.kind = Kind::kList;
  for (const std::string_view part : Split(text, ',')) {
    const auto wait = ParseTime(part);
    if (!wait) return std::nullopt;
    backoff.list.push_back(*wait);
  }
  return backoff;
}

std::string Backoff::Print() const {
  if (kind == Kind::kExponential) {
    return "exp:" + std::to_string(first_ms) + ":" + std::to_string(max_ms);
  }
  if (kind == Kind::kFixed) return "fix:" + std::to_string(first_ms);
  std::string text;
  for (const std::int64_t wait : list) {
    if (!text.empty()) text += ',';
    text += std::to_string(wait);
  }
  return text;
}

std::optional<Retention> Retention::Parse(std::string_view text) {
  const std::vector<std::string_view> parts = Split(text, ':');
  if (parts.size() != 2) return std::nullopt;
  const auto count = ParseInt64(parts[0]);
  const auto ms = ParseTime(parts[1]);
  if (!count || *count < 0 || !ms) return std::nullopt;
  return Retention{.count = static_cast<std::uint64_t>(*count), .ms = *ms};
}

std::string Retention::Print() const { return std::to_string(count) + ":" + std::to_string(ms); }

std::uint32_t QueueSettings::DefaultTier() const {
  constexpr std::uint32_t kOpenDefault = 100;
  if (default_tier) return *default_tier;
  return open_ladder() ? kOpenDefault : static_cast<std::uint32_t>(ladder.size() / 2);
}

Result<std::uint32_t> QueueSettings::ParseTier(std::string_view text) const {
  const auto named = std::find(ladder.begin(), ladder.end(), text);
  if (named != ladder.end()) return static_cast<std::uint32_t>(named - ladder.begin());
  const std::optional<std::int64_t> number = ParseInt64(text);
  const std::int64_t last = open_ladder() ? kTierMax : static_cast<std::int64_t>(ladder.size()) - 1;
  if (!number || *number < 0 || *number > last) {
    return Error("QTIER tier=" + std::string(text.substr(0, 64)) + " is not of 0-" +
                 std::to_string(last) + (open_ladder() ? "" : " nor a name of the ladder"));
  }
  return static_cast<std::uint32_t>(*number);
}

std::string QueueSettings::TierName(std::uint32_t tier) const {
  return tier < ladder.size() ? ladder[tier] : std::to_string(tier);
}

std::optional<Error> QueueSettings::Set(std::string_view field, std::string_view value) {
  const auto* found = std::find_if(kFields.begin(), kFields.end(), [&](const Field& candidate) {
    return EqualsIgnoreCase(candidate.name, field);
  });
  const std::string shown(field.substr(0, 64));
  if (found == kFields.end()) return Error("ERR unknown setting '" + shown + "'");
  if (!found->set(*this, value)) {
    return Error("ERR invalid value '" + std::string(value.substr(0, 64)) + "' for setting '" +
                 shown + "'");
  }
  return std::nullopt;
}

std::optional<Error> QueueSettings::Check() const {
  const auto last = open_ladder() ? kTierMax : static_cast<std::uint32_t>(ladder.size() - 1);
  if (DefaultTier() > last) return Error("ERR the default tier is not of the ladder");
  return std::nullopt;
}

std::vector<std::pair<std::string_view, std::string>> QueueSettings::Print() const {
  std::vector<std::pair<std::string_view, std::string>> fields;
  for (const Field& field : kFields) fields.emplace_back(field.name, field.print(*this));
  return fields;
}

}  // namespace rung

// The fields of Q.CONF: parsing, printing, checking. See queue_settings.h.

#include <algorithm>
#include <array>

#include "rung/base/numbers.h"
#include "rung/types/queue_limits.h"
#include "rung/types/queue_settings.h"
#include "types/queue/setting_words.h"

namespace rung {
namespace {

constexpr std::int64_t kTriesMax = 60000;
// 30 days a tier: so the keys of aging fit 64 bits on the longest ladder.
constexpr std::int64_t kAgingMax = std::int64_t{30} * 24 * 3600 * 1000;

// Letters, digits and "-_.", not a number, so that a name is never taken for something else.
bool IsTierName(std::string_view text) {
  if (text.empty() || text.size() > 64 || ParseInt64(text)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

// "*", or "name[:weight],..." from the top down.
bool SetLadder(QueueSettings& settings, std::string_view value) {
  std::vector<std::string> ladder;
  std::vector<std::uint32_t> weights;
  for (const std::string_view part : Split(value, ',')) {
    if (value == "*") break;
    const std::size_t colon = part.find(':');
    const std::string_view name = part.substr(0, colon);
    const auto weight =
        colon == std::string_view::npos ? std::optional(1u) : ParseWeight(part.substr(colon + 1));
    const bool twice = std::find(ladder.begin(), ladder.end(), name) != ladder.end();
    if (!IsTierName(name) || name == "-" || twice || !weight) return false;
    ladder.emplace_back(name);
    weights.push_back(*weight);
  }
  if (ladder.size() > kClosedTiersMax) return false;
  // What was said of tiers by number would mean others in another ladder.
  if (ladder != settings.ladder) {
    settings.default_tier.reset();
    settings.steps.clear();
    settings.floors.clear();
    settings.max_waits_ms.clear();
    settings.tier_limits.clear();
    settings.cap = 0;
  }
  settings.ladder = std::move(ladder);
  settings.weights = std::move(weights);
  return true;
}

bool SetMode(QueueSettings& settings, std::string_view value) {
  for (const QueueMode mode : {QueueMode::kStrict, QueueMode::kWeighted, QueueMode::kAging,
                               QueueMode::kStep, QueueMode::kFloors}) {
    if (!EqualsIgnoreCase(value, QueueModeName(mode))) continue;
    settings.mode = mode;
    return true;
  }
  return false;
}

bool SetCap(QueueSettings& settings, std::string_view value) {
  const Result<std::uint32_t> tier = settings.ParseTier(value);
  if (tier.ok()) settings.cap = *tier;
  return tier.ok();
}

// "none", or "tier:milliseconds:tier,...".
bool SetSteps(QueueSettings& settings, std::string_view value) {
  std::vector<QueueStep> steps;
  for (const std::string_view part : Split(value, ',')) {
    if (value == "none") break;
    const std::vector<std::string_view> words = Split(part, ':');
    if (words.size() != 3) return false;
    const Result<std::uint32_t> tier = settings.ParseTier(words[0]);
    const std::optional<std::int64_t> after_ms = ParseTime(words[1]);
    const Result<std::uint32_t> to = settings.ParseTier(words[2]);
    if (!tier.ok() || !after_ms || !to.ok() || *to >= *tier) return false;
    steps.push_back({.tier = *tier, .after_ms = *after_ms, .to = *to});
  }
  if (steps.size() > 1000) return false;
  settings.steps = std::move(steps);
  return true;
}

// "none", or "tier:number,..." of a closed ladder: numbers by tier, 0 where none is given.
template <typename Number>
bool SetByTier(const QueueSettings& settings, std::vector<Number>& target, std::int64_t factor,
               std::string_view value) {
  std::vector<Number> numbers;
  for (const std::string_view part : Split(value, ',')) {
    if (value == "none") break;
    const std::vector<std::string_view> words = Split(part, ':');
    if (words.size() != 2 || settings.open_ladder()) return false;
    const Result<std::uint32_t> tier = settings.ParseTier(words[0]);
    const std::optional<std::int64_t> number = ParseTime(words[1]);
    if (!tier.ok() || !number || *number < 1) return false;
    if (factor > 1 && *number > 100) return false;
    numbers.resize(settings.ladder.size());
    numbers[*tier] = static_cast<Number>(*number * factor);
  }
  target = std::move(numbers);
  return true;
}

// Thousandths inside, so that finer floors need no new arithmetic; whole per cent outside.
bool SetFloors(QueueSettings& settings, std::string_view value) {
  return SetByTier(settings, settings.floors, 10, value);
}
bool SetMaxWaits(QueueSettings& settings, std::string_view value) {
  return SetByTier(settings, settings.max_waits_ms, 1, value);
}

std::string_view OnDeadName(OnDead policy) {
  constexpr std::array<std::string_view, 3> kNames = {"block", "fail", "run"};
  return kNames[static_cast<std::size_t>(policy)];
}

std::string_view GroupOrderName(GroupOrder order) {
  constexpr std::array<std::string_view, 3> kNames = {"off", "fair", "exact"};
  return kNames[static_cast<std::size_t>(order)];
}

bool SetGroups(QueueSettings& settings, std::string_view value) {
  for (const GroupOrder order : {GroupOrder::kOff, GroupOrder::kFair, GroupOrder::kExact}) {
    if (!EqualsIgnoreCase(value, GroupOrderName(order))) continue;
    settings.group_order = order;
    return true;
  }
  return false;
}

// "none", "all", or names apart by commas.
bool SetEvents(QueueSettings& settings, std::string_view value) {
  std::uint32_t events = 0;
  for (const std::string_view name : Split(value, ',')) {
    if (value == "none") break;
    std::uint32_t matching = 0;
    for (std::size_t i = 0; i < kQueueEvents; ++i) {
      const bool wanted =
          value == "all" || EqualsIgnoreCase(name, QueueEventName(static_cast<QueueEvent>(i)));
      if (wanted) matching |= 1u << i;
    }
    if (matching == 0) return false;
    events |= matching;
  }
  settings.events = events;
  return true;
}

std::string PrintEvents(const QueueSettings& settings) {
  std::string text;
  for (std::size_t i = 0; i < kQueueEvents; ++i) {
    const auto event = static_cast<QueueEvent>(i);
    if (!settings.Publishes(event)) continue;
    if (!text.empty()) text += ',';
    text += QueueEventName(event);
  }
  return text.empty() ? "none" : text;
}

bool SetOnDead(QueueSettings& settings, std::string_view value) {
  for (const OnDead policy : {OnDead::kBlock, OnDead::kFail, OnDead::kRun}) {
    if (!EqualsIgnoreCase(value, OnDeadName(policy))) continue;
    settings.on_dead = policy;
    return true;
  }
  return false;
}

// "server": an answer means what the server's files are kept for. No queue has its own promise yet.
bool SetDurable(QueueSettings& /*settings*/, std::string_view value) {
  return EqualsIgnoreCase(value, "server");
}

bool SetCharge(QueueSettings& settings, std::string_view value) {
  const bool cost = EqualsIgnoreCase(value, "cost");
  if (!cost && !EqualsIgnoreCase(value, "jobs")) return false;
  settings.charge_cost = cost;
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
    const std::uint32_t weight = settings.weights[static_cast<std::size_t>(
        std::find(settings.ladder.begin(), settings.ladder.end(), name) - settings.ladder.begin())];
    if (weight != 1) text += ":" + std::to_string(weight);
  }
  return text;
}

std::string PrintSteps(const QueueSettings& settings) {
  std::string text;
  for (const QueueStep& step : settings.steps) {
    if (!text.empty()) text += ',';
    text += settings.TierName(step.tier) + ":" + std::to_string(step.after_ms) + ":" +
            settings.TierName(step.to);
  }
  return text.empty() ? "none" : text;
}

template <typename Number>
std::string PrintByTier(const QueueSettings& settings, const std::vector<Number>& numbers,
                        Number divisor) {
  std::string text;
  for (std::size_t tier = 0; tier < numbers.size(); ++tier) {
    if (numbers[tier] == 0) continue;
    if (!text.empty()) text += ',';
    text += settings.TierName(static_cast<std::uint32_t>(tier)) + ":" +
            std::to_string(numbers[tier] / divisor);
  }
  return text.empty() ? "none" : text;
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
    Field{"mode", &SetMode, [](const S& s) { return std::string(QueueModeName(s.mode)); }},
    Field{"default", &SetDefault, [](const S& s) { return s.TierName(s.DefaultTier()); }},
    Field{"aging",
          [](S& s, V v) { return SetTimeAbove(s.aging_ms, 1, v) && s.aging_ms <= kAgingMax; },
          [](const S& s) { return std::to_string(s.aging_ms); }},
    Field{"cap", &SetCap, [](const S& s) { return s.TierName(s.cap); }},
    Field{"steps", &SetSteps, &PrintSteps},
    Field{"floors", &SetFloors,
          [](const S& s) { return PrintByTier<std::uint32_t>(s, s.floors, 10); }},
    Field{"maxwait", &SetMaxWaits,
          [](const S& s) { return PrintByTier<std::int64_t>(s, s.max_waits_ms, 1); }},
    Field{"charge", &SetCharge,
          [](const S& s) { return std::string(s.charge_cost ? "cost" : "jobs"); }},
    Field{"len", [](S& s, V v) { return SetCount(s.limits.length, v); },
          [](const S& s) { return std::to_string(s.limits.length); }},
    Field{"bytes", [](S& s, V v) { return SetCount(s.limits.bytes, v); },
          [](const S& s) { return std::to_string(s.limits.bytes); }},
    Field{"full", [](S& s, V v) { return SetFull(s.limits.full, v, true); },
          [](const S& s) { return std::string(FullPolicyName(s.limits.full)); }},
    Field{"marks", [](S& s, V v) { return SetMarks(s.limits, v); },
          [](const S& s) { return PrintMarks(s.limits); }},
    Field{"conc", [](S& s, V v) { return SetNumber(s.limits.leases, kConcurrencyMax, v); },
          [](const S& s) { return std::to_string(s.limits.leases); }},
    Field{"rate", [](S& s, V v) { return SetRate(s.limits, v); },
          [](const S& s) { return PrintRate(s.limits); }},
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
    Field{"groups", &SetGroups,
          [](const S& s) { return std::string(GroupOrderName(s.group_order)); }},
    Field{"glen", [](S& s, V v) { return SetCount(s.group_limits.length, v); },
          [](const S& s) { return std::to_string(s.group_limits.length); }},
    Field{"gbytes", [](S& s, V v) { return SetCount(s.group_limits.bytes, v); },
          [](const S& s) { return std::to_string(s.group_limits.bytes); }},
    Field{"gfull", [](S& s, V v) { return SetFull(s.group_limits.full, v, false); },
          [](const S& s) { return std::string(FullPolicyName(s.group_limits.full)); }},
    Field{"gmarks", [](S& s, V v) { return SetMarks(s.group_limits, v); },
          [](const S& s) { return PrintMarks(s.group_limits); }},
    Field{"gconc", [](S& s, V v) { return SetNumber(s.group_limits.leases, kConcurrencyMax, v); },
          [](const S& s) { return std::to_string(s.group_limits.leases); }},
    Field{"grate", [](S& s, V v) { return SetRate(s.group_limits, v); },
          [](const S& s) { return PrintRate(s.group_limits); }},
    Field{"events", &SetEvents, &PrintEvents},
    Field{"durable", &SetDurable, [](const S& /*s*/) { return std::string("server"); }},
    Field{"ondead", &SetOnDead, [](const S& s) { return std::string(OnDeadName(s.on_dead)); }},
    Field{"deadkeep", [](S& s, V v) { return SetParsed(s.dead_keep, v); },
          [](const S& s) { return s.dead_keep.Print(); }},
};

// ---- Of one tier

template <typename Number>
std::string PrintAt(const std::vector<Number>& numbers, std::uint32_t tier, Number divisor) {
  return std::to_string(tier < numbers.size() ? numbers[tier] / divisor : 0);
}

bool SetWeightAt(QueueSettings& settings, std::uint32_t tier, std::string_view value) {
  const std::optional<std::uint32_t> weight = ParseWeight(value);
  if (settings.open_ladder() || !weight) return false;
  settings.weights[tier] = *weight;
  return true;
}

template <typename Number>
bool SetAt(const QueueSettings& settings, std::vector<Number>& numbers, std::uint32_t tier,
           std::optional<std::int64_t> number) {
  if (settings.open_ladder() || !number || *number < 0) return false;
  numbers.resize(settings.ladder.size());
  numbers[tier] = static_cast<Number>(*number);
  const bool none = std::all_of(numbers.begin(), numbers.end(), [](Number n) { return n == 0; });
  if (none) numbers.clear();
  return true;
}

bool SetFloorAt(QueueSettings& settings, std::uint32_t tier, std::string_view value) {
  const std::optional<std::int64_t> percent = ParseInt64(value);
  if (!percent || *percent > 100) return false;
  return SetAt(settings, settings.floors, tier, *percent * 10);
}

// Room for a tier's limits, made where they are set first.
ScopeLimits& At(QueueSettings& settings, std::uint32_t tier) { return settings.tier_limits[tier]; }

struct TierField {
  std::string_view name;
  bool (*set)(QueueSettings& settings, std::uint32_t tier, std::string_view value);
  std::string (*print)(const QueueSettings& settings, std::uint32_t tier);
};

using T = std::uint32_t;

constexpr std::array kTierFields = {
    TierField{
        "weight", &SetWeightAt,
        [](const S& s, T t) { return t < s.weights.size() ? PrintAt(s.weights, t, 1u) : "1"; }},
    TierField{"floor", &SetFloorAt, [](const S& s, T t) { return PrintAt(s.floors, t, 10u); }},
    TierField{"maxwait", [](S& s, T t, V v) { return SetAt(s, s.max_waits_ms, t, ParseTime(v)); },
              [](const S& s, T t) { return PrintAt<std::int64_t>(s.max_waits_ms, t, 1); }},
    TierField{"len", [](S& s, T t, V v) { return SetCount(At(s, t).length, v); },
              [](const S& s, T t) { return std::to_string(s.LimitsOf(t).length); }},
    TierField{"bytes", [](S& s, T t, V v) { return SetCount(At(s, t).bytes, v); },
              [](const S& s, T t) { return std::to_string(s.LimitsOf(t).bytes); }},
    TierField{"full", [](S& s, T t, V v) { return SetFull(At(s, t).full, v, false); },
              [](const S& s, T t) { return std::string(FullPolicyName(s.LimitsOf(t).full)); }},
    TierField{"marks", [](S& s, T t, V v) { return SetMarks(At(s, t), v); },
              [](const S& s, T t) { return PrintMarks(s.LimitsOf(t)); }},
    TierField{"conc", [](S& s, T t, V v) { return SetNumber(At(s, t).leases, kConcurrencyMax, v); },
              [](const S& s, T t) { return std::to_string(s.LimitsOf(t).leases); }},
    TierField{"rate", [](S& s, T t, V v) { return SetRate(At(s, t), v); },
              [](const S& s, T t) { return PrintRate(s.LimitsOf(t)); }},
};

}  // namespace

std::string_view QueueEventName(QueueEvent event) {
  constexpr std::array<std::string_view, kQueueEvents> kNames = {
      "add",   "due",     "take",  "done",   "fail", "dead", "stall", "cancel",
      "boost", "unboost", "pause", "resume", "conf", "full", "ease"};
  return kNames[static_cast<std::size_t>(event)];
}

std::string_view QueueModeName(QueueMode mode) {
  switch (mode) {
    case QueueMode::kStrict:
      return "strict";
    case QueueMode::kWeighted:
      return "weighted";
    case QueueMode::kAging:
      return "aging";
    case QueueMode::kStep:
      return "step";
    case QueueMode::kFloors:
      return "floors";
  }
  return {};
}

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

const ScopeLimits& QueueSettings::LimitsOf(std::uint32_t tier) const {
  static constexpr ScopeLimits kNone;
  const auto found = tier_limits.find(tier);
  return found == tier_limits.end() ? kNone : found->second;
}

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

std::optional<Error> QueueSettings::Set(std::span<const std::string_view> words) {
  if (!words.empty() && EqualsIgnoreCase(words[0], "tier")) {
    const Result<std::uint32_t> tier = ParseTier(words[1]);
    if (!tier.ok()) return tier.error();
    if (auto error = SetOfTier(*tier, words.subspan(2))) return error;
    return Check();
  }
  if (!words.empty() && EqualsIgnoreCase(words[0], "group")) {
    return SetOfGroup(words[1], words.subspan(2));
  }
  for (const bool ladder_now : {true, false}) {
    for (std::size_t i = 0; i < words.size(); i += 2) {
      if (EqualsIgnoreCase(words[i], "tiers") != ladder_now) continue;
      if (auto error = SetOne(words[i], words[i + 1])) return error;
    }
  }
  return Check();
}

std::optional<Error> QueueSettings::SetOfTier(std::uint32_t tier,
                                              std::span<const std::string_view> words) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const auto* found = std::find_if(kTierFields.begin(), kTierFields.end(), [&](const auto& each) {
      return EqualsIgnoreCase(each.name, words[i]);
    });
    const std::string shown(words[i].substr(0, 64));
    if (found == kTierFields.end()) return Error("ERR unknown setting '" + shown + "' of a tier");
    if (!found->set(*this, tier, words[i + 1])) {
      return Error("ERR invalid value '" + std::string(words[i + 1].substr(0, 64)) +
                   "' for setting '" + shown + "'");
    }
  }
  const auto own = tier_limits.find(tier);
  if (own != tier_limits.end() && own->second == ScopeLimits{}) tier_limits.erase(own);
  return std::nullopt;
}

std::vector<std::pair<std::string_view, std::string>> QueueSettings::PrintTier(
    std::uint32_t tier) const {
  std::vector<std::pair<std::string_view, std::string>> fields;
  for (const TierField& field : kTierFields) {
    fields.emplace_back(field.name, field.print(*this, tier));
  }
  return fields;
}

std::optional<Error> QueueSettings::SetOne(std::string_view field, std::string_view value) {
  const auto* found = std::find_if(kFields.begin(), kFields.end(), [&](const Field& candidate) {
    return EqualsIgnoreCase(candidate.name, field);
  });
  const std::string shown(field.substr(0, 64));
  if (found == kFields.end()) return Error("ERR unknown setting '" + shown + "'");
  if (found->name == "durable" && EqualsIgnoreCase(value, "always")) {
    return Error("ERR DURABLE always is not possible: this server keeps no files yet");
  }
  if (!found->set(*this, value)) {
    return Error("ERR invalid value '" + std::string(value.substr(0, 64)) + "' for setting '" +
                 shown + "'");
  }
  return std::nullopt;
}

std::optional<Error> QueueSettings::Check() const {
  const auto last = open_ladder() ? kTierMax : static_cast<std::uint32_t>(ladder.size() - 1);
  if (DefaultTier() > last) return Error("ERR the default tier is not of the ladder");
  const bool needs_closed =
      mode == QueueMode::kWeighted || mode == QueueMode::kStep || mode == QueueMode::kFloors;
  if (needs_closed && open_ladder()) {
    return Error("ERR mode " + std::string(QueueModeName(mode)) +
                 " needs a closed ladder: set TIERS");
  }
  std::uint32_t granted = 0;
  for (const std::uint32_t floor : floors) granted += floor;
  if (granted > 1000) return Error("ERR floors are more than 100 per cent in all");
  return std::nullopt;
}

std::vector<std::pair<std::string_view, std::string>> QueueSettings::Print() const {
  std::vector<std::pair<std::string_view, std::string>> fields;
  for (const Field& field : kFields) fields.emplace_back(field.name, field.print(*this));
  return fields;
}

}  // namespace rung

// Q.STATS: a queue in numbers.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/families.h"
#include "commands/queue_hindrance.h"
#include "commands/queue_scope.h"
#include "commands/queue_text.h"
#include "commands/queue_work.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "types/queue/queue_meters.h"

namespace rung {
namespace {

// How long the job that waits longest has been ready; 0 without one.
std::int64_t OldestWait(const QueueTier& tier, std::int64_t now_ms) {
  if (tier.ready.empty()) return 0;
  return std::max<std::int64_t>(0, now_ms - tier.ready.front()->since_ms);
}

std::string_view PauseWord(const PauseTimes& pause) {
  if (pause.in_until_ms != 0 && pause.out_until_ms != 0) return "all";
  if (pause.in_until_ms != 0) return "in";
  return pause.out_until_ms != 0 ? "out" : "no";
}

// How much more the limits of a scope admit, null without one; and whether it counts as full, of
// which the events `full` and `ease` tell.
void AddHeadroom(FieldList& fields, const ScopeLimits& limits, const ScopeLoad& load) {
  const auto add = [&](std::string_view name, std::uint64_t limit, std::uint64_t use) {
    if (limit == 0) return fields.AddNull(name);
    fields.Add(name, limit - std::min(limit, use));
  };
  add("headroom", limits.length, load.length);
  add("headroom-bytes", limits.bytes, load.bytes);
  fields.Add("full", load.full ? "yes" : "no");
}

// With three decimals, for there are no doubles here.
std::string PerSecond(const FlowMeter& meter, std::int64_t minutes, std::int64_t now_ms) {
  const FlowMeter::Flow flow = meter.Over(minutes * 60000, now_ms);
  const std::uint64_t per_1000_s =
      flow.over_ms == 0 ? 0 : flow.jobs * 1000000 / static_cast<std::uint64_t>(flow.over_ms);
  std::string decimals = std::to_string(per_1000_s % 1000);
  decimals.insert(0, 3 - decimals.size(), '0');
  return std::to_string(per_1000_s / 1000) + "." + decimals;
}

FieldList FlowFields(const FlowMeter& meter, std::int64_t now_ms) {
  FieldList fields;
  fields.Add("1m", PerSecond(meter, 1, now_ms));
  fields.Add("5m", PerSecond(meter, 5, now_ms));
  fields.Add("15m", PerSecond(meter, 15, now_ms));
  return fields;
}

FieldList WaitFields(const WaitHistogram& histogram, WaitHistogram::Window window,
                     std::int64_t now_ms) {
  const WaitHistogram::Waits waits = histogram.Over(window, now_ms);
  FieldList fields;
  fields.Add("count", waits.count);
  fields.Add("p50", waits.p50_ms);
  fields.Add("p95", waits.p95_ms);
  fields.Add("p99", waits.p99_ms);
  fields.Add("max", waits.max_ms);
  return fields;
}

// Jobs a second, and how long those waited that were taken.
void AddMeters(FieldList& fields, const QueueMeters& meters, std::int64_t now_ms) {
  fields.Add("in", FlowFields(meters.in, now_ms));
  fields.Add("out", FlowFields(meters.out, now_ms));
  fields.Add("waited-1m", WaitFields(meters.waits, WaitHistogram::Window::kMinute, now_ms));
  fields.Add("waited-1h", WaitFields(meters.waits, WaitHistogram::Window::kHour, now_ms));
}

FieldList TierFields(const Queue& queue, const QueueTier& tier, std::int64_t now_ms) {
  FieldList fields;
  fields.Add("tier", queue.settings().TierName(tier.number));
  fields.Add("len", tier.waiting());
  fields.Add("bytes", tier.waiting_bytes);
  fields.Add("ready", tier.count(JobState::kReady));
  fields.Add("delayed", tier.count(JobState::kDelayed));
  fields.Add("blocked", tier.count(JobState::kBlocked));
  fields.Add("leased", tier.count(JobState::kLeased));
  fields.Add("oldest", OldestWait(tier, now_ms));
  fields.Add("paused", PauseWord(tier.pause));
  const LoadScope scope{LoadScope::Kind::kTier, tier.number};
  AddHeadroom(fields, queue.LimitsOf(scope), queue.LoadOf(scope));
  if (tier.meters != nullptr) AddMeters(fields, *tier.meters, now_ms);
  return fields;
}

bool IsWorthTelling(const Queue& queue, const QueueTier& tier) {
  return !queue.settings().open_ladder() || tier.waiting() > 0 ||
         tier.count(JobState::kLeased) > 0 || tier.pause.any();
}

FieldList DeathFields(const QueueTotals& totals) {
  FieldList fields;
  for (std::size_t i = 1; i < kDeathReasons; ++i) {
    fields.Add(DeathReasonName(static_cast<DeathReason>(i)), totals.died[i]);
  }
  return fields;
}

FieldList QueueFields(const Queue& queue, std::int64_t now_ms) {
  FieldList fields;
  std::int64_t oldest = 0;
  std::uint64_t bytes = 0;
  std::vector<FieldList> tiers;
  for (const auto& tier : queue.tiers()) {
    oldest = std::max(oldest, OldestWait(*tier, now_ms));
    bytes += tier->waiting_bytes;
    if (IsWorthTelling(queue, *tier)) tiers.push_back(TierFields(queue, *tier, now_ms));
  }
  for (std::size_t i = 0; i < kJobStates; ++i) {
    const auto state = static_cast<JobState>(i);
    fields.Add(JobStateName(state), queue.count(state));
  }
  fields.Add("bytes", bytes);
  fields.Add("oldest", oldest);
  fields.Add("paused", PauseWord(queue.pause()));
  AddHeadroom(fields, queue.LimitsOf({}), queue.LoadOf({}));
  const QueueTotals& totals = queue.totals();
  fields.Add("added", totals.added);
  fields.Add("delivered", totals.delivered);
  fields.Add("finished", totals.done);
  fields.Add("failed", totals.failed);
  fields.Add("gone", totals.gone);
  fields.Add("died", DeathFields(totals));
  AddMeters(fields, queue.meters(), now_ms);
  fields.Add("last-id", queue.last_id());
  fields.Add("memory", static_cast<std::uint64_t>(queue.MemoryBytes()));
  fields.Add("tiers", std::move(tiers));
  return fields;
}

// How long the group's job that waits longest has been ready; 0 without one.
std::int64_t OldestWait(const Queue& queue, std::uint32_t group, std::int64_t now_ms) {
  if (group == JobScope::kNoGroup || queue.groups()[group].count(JobState::kReady) == 0) return 0;
  std::int64_t oldest = 0;
  for (const auto& [tier, jobs] : ReadyIn(queue, {.tier = std::nullopt, .group = group})) {
    oldest = std::max(oldest, now_ms - jobs->front()->since_ms);
  }
  return oldest;
}

FieldList GroupFields(const Queue& queue, std::string_view name, std::uint32_t number,
                      std::int64_t now_ms) {
  const QueueGroup none;
  const QueueGroup& group = number == JobScope::kNoGroup ? none : queue.groups()[number];
  const std::string hindrance = GroupHindrance(queue, group);
  FieldList fields;
  fields.Add("group", name);
  fields.Add("weight", queue.settings().GroupWeight(name));
  fields.Add("len", group.waiting());
  fields.Add("bytes", group.waiting_bytes);
  for (const JobState state :
       {JobState::kReady, JobState::kDelayed, JobState::kBlocked, JobState::kLeased}) {
    fields.Add(JobStateName(state), group.count(state));
  }
  fields.Add("oldest", OldestWait(queue, number, now_ms));
  fields.Add("paused", PauseWord(group.pause));
  fields.Add("held", hindrance.empty() ? std::string_view("no") : hindrance);
  AddHeadroom(fields, queue.settings().LimitsOfGroup(name),
              {.length = group.waiting(), .bytes = group.waiting_bytes, .full = group.full});
  return fields;
}

// The `count` groups of which `measure` is largest, and not 0.
template <typename Measure>
std::vector<FieldList> Heaviest(const Queue& queue, std::size_t count, std::int64_t now_ms,
                                const Measure& measure) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> found;
  for (std::uint32_t number = 0; number < queue.groups().size(); ++number) {
    const std::uint64_t size = measure(number);
    if (size != 0) found.emplace_back(size, number);
  }
  const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min(count, found.size()));
  // Of equals those with the smaller number, which is as a rule the older group.
  std::partial_sort(found.begin(), end, found.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<FieldList> fields;
  for (auto each = found.begin(); each != end; ++each) {
    fields.push_back(GroupFields(queue, queue.groups()[each->second].name, each->second, now_ms));
  }
  return fields;
}

FieldList GroupsFields(const Queue& queue, std::size_t count, std::int64_t now_ms) {
  const QueueGroups& groups = queue.groups();
  std::int64_t used = 0;
  for (std::uint32_t number = 1; number < groups.size(); ++number) {
    if (groups[number].jobs != 0) ++used;
  }
  FieldList fields;
  fields.Add("groups", used);
  fields.Add("waiting", Heaviest(queue, count, now_ms,
                                 [&](std::uint32_t group) { return groups[group].waiting(); }));
  fields.Add("leased", Heaviest(queue, count, now_ms, [&](std::uint32_t group) {
               return std::uint64_t{groups[group].count(JobState::kLeased)};
             }));
  fields.Add("oldest", Heaviest(queue, count, now_ms, [&](std::uint32_t group) {
               return static_cast<std::uint64_t>(OldestWait(queue, group, now_ms));
             }));
  return fields;
}

FieldList FieldsOf(const Queue& queue, const ScopeWords& words, const JobScope& scope,
                   std::int64_t now_ms) {
  if (words.group) return GroupFields(queue, *words.group, *scope.group, now_ms);
  if (!scope.tier) return QueueFields(queue, now_ms);
  QueueTier none;
  none.number = *scope.tier;
  const QueueTier* known = queue.FindTier(*scope.tier);
  return TierFields(queue, known == nullptr ? none : *known, now_ms);
}

Outcome Stats(ExecContext& ctx, ArgReader& args) {
  constexpr std::int64_t kGroupsMax = 10000;
  const std::string_view key = args.Bytes();
  ScopeWords words;
  std::optional<std::int64_t> groups;
  if (args.TakeWithValue("GROUPS")) {
    groups = args.IntegerIn(1, kGroupsMax, errors::kOutOfRange);
  } else {
    words.Take(args);
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const Queue*> queue = QueueWork::Read(ctx, key);
  if (!queue.ok()) return ctx.Fail(queue.error());
  if (*queue == nullptr) return ctx.Fail(NoQueue(key));
  const std::int64_t now_ms = ctx.db.store().now_ms();
  const Result<JobScope> scope = JobScope::Of(**queue, words);
  if (!scope.ok()) return ctx.Fail(scope.error());
  if (groups) {
    GroupsFields(**queue, static_cast<std::size_t>(*groups), now_ms).Write(ctx.reply);
  } else {
    FieldsOf(**queue, words, *scope, now_ms).Write(ctx.reply);
  }
  return Outcome::kReplied;
}

constexpr std::array kCommands = {
    Declare({.name = "Q.STATS",
             .arity = -2,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead)},
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Tells what a queue holds and has done, in all, by tier and by group.",
             .complexity = "O(n) for n tiers; with GROUPS O(n * log(k)) for n groups and k told",
             .syntax = "key:key [TIER tier | GROUP group | GROUPS count:integer]",
             .handler = &Stats}),
};

}  // namespace

std::span<const CommandSpec> QueueStatsCommands() { return kCommands; }

}  // namespace rung

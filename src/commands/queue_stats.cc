// Q.STATS: a queue in numbers.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/families.h"
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

Outcome Stats(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  std::optional<std::string_view> tier;
  if (args.TakeWithValue("TIER")) tier = args.Bytes();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const Queue*> queue = QueueWork::Read(ctx, key);
  if (!queue.ok()) return ctx.Fail(queue.error());
  if (*queue == nullptr) return ctx.Fail(NoQueue(key));
  const std::int64_t now_ms = ctx.db.store().now_ms();
  if (!tier) {
    QueueFields(**queue, now_ms).Write(ctx.reply);
    return Outcome::kReplied;
  }
  const Result<std::uint32_t> number = (*queue)->settings().ParseTier(*tier);
  if (!number.ok()) return ctx.Fail(number.error());
  QueueTier none;
  none.number = *number;
  const QueueTier* known = (*queue)->FindTier(*number);
  TierFields(**queue, known == nullptr ? none : *known, now_ms).Write(ctx.reply);
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
             .summary = "Tells what a queue holds and has done, in all and by tier.",
             .complexity = "O(n) for n tiers",
             .syntax = "key:key [TIER tier]",
             .handler = &Stats}),
};

}  // namespace

std::span<const CommandSpec> QueueStatsCommands() { return kCommands; }

}  // namespace rung

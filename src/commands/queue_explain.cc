// Q.EXPLAIN: what is taken next and why, and why a job is not.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/families.h"
#include "commands/queue_hindrance.h"
#include "commands/queue_text.h"
#include "commands/queue_work.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/queue_preview.h"
#include "types/queue/tier_chooser.h"

namespace rung {
namespace {

constexpr std::int64_t kNextMax = 10000;

// ---- The queue

struct Planned {
  const Job* job;
  std::string_view reason;
};

std::vector<Planned> Plan(const Queue& queue, std::int64_t now_ms, std::size_t count) {
  std::vector<Planned> planned;
  QueuePreview preview(queue, now_ms);
  while (planned.size() < count) {
    const std::optional<QueuePick> pick = preview.Next();
    if (!pick) break;
    planned.push_back({.job = pick->job, .reason = pick->reason});
  }
  return planned;
}

void ReplyPlan(ExecContext& ctx, const Queue& queue, const std::vector<Planned>& planned) {
  ctx.reply.Array(planned.size());
  for (const auto& [job, reason] : planned) {
    ctx.reply.Array(5);
    ctx.reply.Integer(static_cast<std::int64_t>(job->id));
    ctx.reply.Bulk(queue.settings().TierName(job->tier()));
    ctx.reply.Integer(job->seq);
    if (const auto score = queue.ScoreOf(*job)) {
      ctx.reply.Integer(*score);
    } else {
      ctx.reply.Null();
    }
    ctx.reply.Bulk(reason);
  }
}

Outcome ExplainQueue(ExecContext& ctx, const Queue& queue, std::size_t count) {
  const std::vector<Planned> planned = Plan(queue, ctx.db.store().now_ms(), count);
  std::vector<std::pair<std::string, std::string>> idle;
  for (const auto& tier : queue.tiers()) {
    const std::string cause = TierHindrance(queue, *tier);
    const bool told = !queue.settings().open_ladder() || tier->waiting() > 0;
    if (!cause.empty() && told) idle.emplace_back(queue.settings().TierName(tier->number), cause);
  }
  ctx.reply.Map(4);
  ctx.reply.Bulk("mode");
  ctx.reply.Bulk(QueueModeName(queue.settings().mode));
  ctx.reply.Bulk("takeable");
  ctx.reply.Integer(planned.empty() ? 0 : 1);
  ctx.reply.Bulk("next");
  ReplyPlan(ctx, queue, planned);
  ctx.reply.Bulk("idle");
  ctx.reply.Array(idle.size());
  for (const auto& [tier, cause] : idle) {
    ctx.reply.Array(2);
    ctx.reply.Bulk(tier);
    ctx.reply.Bulk(cause);
  }
  return Outcome::kReplied;
}

// ---- A job

// Why the job is not to be had, be it the first one; empty if it is.
std::string HindranceOf(const Queue& queue, const Job& job) {
  const std::string of_tier = TierHindrance(queue, *queue.FindTier(job.tier()));
  if (!of_tier.empty() && of_tier != "groups") return of_tier;
  const std::string of_group = GroupHindrance(queue, queue.GroupOf(job));
  return of_group.empty() ? of_group : "group " + of_group;
}

// How many are taken before the job, in strict order without groups; nothing if turns are in play.
std::optional<std::uint64_t> StrictRankOf(const Queue& queue, const Job& job) {
  const QueueTier& tier = *queue.FindTier(job.tier());
  if (queue.settings().mode != QueueMode::kStrict || tier.lanes != nullptr) return std::nullopt;
  std::uint64_t rank = tier.ready.RankOf(BySeq::KeyOf(&job));
  for (const QueueTier* other : queue.active_tiers()) {
    if (other->number >= job.tier()) break;
    if (other->lanes != nullptr) return std::nullopt;
    rank += other->ready.size();
  }
  return rank;
}

// How many are taken before the job; nothing if that is too far away to be counted out.
std::optional<std::uint64_t> RankOf(const Queue& queue, const Job& job, std::int64_t now_ms) {
  if (const auto rank = StrictRankOf(queue, job)) return rank;
  QueuePreview preview(queue, now_ms);
  for (std::uint64_t rank = 0; rank < kNextMax; ++rank) {
    const std::optional<QueuePick> pick = preview.Next();
    if (!pick) break;
    if (pick->job == &job) return rank;
  }
  return std::nullopt;
}

// Where a job has its urgency from: "own", "boost", or those who wait for it: "30 <- 44 (high)".
std::string WhenceOf(const Queue& queue, const Job& job) {
  constexpr int kLinksMax = 100;
  std::string chain;
  const Job* link = &job;
  for (int i = 0; i < kLinksMax; ++i) {
    if (link->tier() == link->own_tier() || link->tier() == link->boost()) break;
    const auto& dependents = link->extra->dependents;
    const auto next = std::find_if(dependents.begin(), dependents.end(), [&](std::uint64_t id) {
      return queue.Find(id)->tier() == link->tier();
    });
    link = queue.Find(*next);
    chain += (chain.empty() ? "" : " <- ") + std::to_string(link->id);
  }
  if (!chain.empty()) return chain + " (" + queue.settings().TierName(job.tier()) + ")";
  return job.tier() == job.own_tier() ? "own" : "boost";
}

void AddAge(FieldList& fields, const Queue& queue, const Job& job, std::int64_t now_ms) {
  const QueueSettings& settings = queue.settings();
  const std::int64_t age_ms = std::max<std::int64_t>(0, now_ms - job.since_ms);
  fields.Add("age", age_ms);
  if (settings.mode == QueueMode::kAging) {
    const std::int64_t cap = std::min(settings.cap, job.tier());
    const std::int64_t climbed = age_ms / settings.aging_ms;
    const std::int64_t level = std::max(cap, std::int64_t{job.tier()} - climbed);
    fields.Add("level", settings.TierName(static_cast<std::uint32_t>(level)));
    if (level > cap) fields.Add("promoted-in", (climbed + 1) * settings.aging_ms - age_ms);
  } else if (settings.mode == QueueMode::kStep) {
    const StepTable& steps = queue.chooser().steps();
    fields.Add("level", settings.TierName(steps.Level(job.tier(), age_ms)));
    if (const auto next = steps.NextAge(job.tier(), age_ms)) {
      fields.Add("promoted-in", *next - age_ms);
    }
  }
}

void AddRank(FieldList& fields, const Queue& queue, const Job& job, std::int64_t now_ms) {
  const std::string cause = HindranceOf(queue, job);
  std::optional<std::uint64_t> rank;
  if (cause.empty()) rank = RankOf(queue, job, now_ms);
  if (rank) {
    fields.Add("before", *rank);
  } else {
    fields.AddNull("before");
  }
  if (!cause.empty()) return fields.Add("next", "no: " + cause);
  const bool first = rank == std::optional<std::uint64_t>(0);
  fields.Add("next", first ? "yes: " + std::string(Plan(queue, now_ms, 1)[0].reason)
                           : "no: others are before it");
}

Outcome ExplainJob(ExecContext& ctx, const Queue& queue, const Job& job) {
  const std::int64_t now_ms = ctx.db.store().now_ms();
  const QueueSettings& settings = queue.settings();
  FieldList fields;
  fields.Add("state", JobStateName(job.state));
  fields.Add("tier", settings.TierName(job.tier()));
  fields.Add("own", settings.TierName(job.own_tier()));
  fields.Add("whence", WhenceOf(queue, job));
  if (job.group != 0) fields.Add("group", queue.GroupOf(job).name);
  if (job.waits()) fields.Add("waits-for", PrintIds(job.extra->waits_for));
  fields.Add("seq", job.seq);
  fields.AddScore("score", queue.ScoreOf(job));
  if (job.state == JobState::kDelayed) fields.Add("due-in", job.at_ms - now_ms);
  if (job.state == JobState::kLeased) {
    fields.Add("worker", job.lease->worker);
    fields.Add("lease-ends-in", job.lease->deadline_ms - now_ms);
  }
  if (job.state == JobState::kDead) fields.Add("reason", DeathReasonName(job.extra->reason));
  if (job.state == JobState::kReady) {
    const QueueTier& tier = *queue.FindTier(job.tier());
    AddAge(fields, queue, job, now_ms);
    const std::size_t before = tier.ready.RankOf(BySeq::KeyOf(&job));
    fields.Add("before-in-tier", static_cast<std::uint64_t>(before));
    AddRank(fields, queue, job, now_ms);
  }
  fields.Write(ctx.reply);
  return Outcome::kReplied;
}

Outcome Explain(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  std::int64_t count = 1;
  std::string_view reference;
  if (args.TakeWithValue("NEXT")) {
    count = args.IntegerIn(1, kNextMax, errors::kOutOfRange);
  } else if (args.More()) {
    reference = args.Bytes();
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const Queue*> queue = QueueWork::Read(ctx, key);
  if (!queue.ok()) return ctx.Fail(queue.error());
  if (*queue == nullptr) return ctx.Fail(NoQueue(key));
  if (reference.empty()) return ExplainQueue(ctx, **queue, static_cast<std::size_t>(count));
  const Job* job = FindJob(**queue, reference);
  if (job == nullptr) return ctx.Fail(UnknownJob(reference));
  return ExplainJob(ctx, **queue, *job);
}

constexpr std::array kCommands = {
    Declare({.name = "Q.EXPLAIN",
             .arity = -2,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Tells which jobs are taken next and why, or what is before a job.",
             .complexity = "O(n * t + g) for n jobs looked ahead, t tiers and g groups",
             .syntax = "key:key [NEXT count:integer | id]",
             .handler = &Explain}),
};

}  // namespace

std::span<const CommandSpec> QueueExplainCommands() { return kCommands; }

}  // namespace rung

// Q.CRON: named schedules, each of which adds a job to its queue whenever it is due.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/families.h"
#include "commands/queue_rights.h"
#include "commands/queue_room.h"
#include "commands/queue_text.h"
#include "commands/queue_work.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "types/queue/cron_schedule.h"

namespace rung {
namespace {

constexpr std::size_t kSchedulesMax = 10000;
constexpr std::size_t kNameMax = 65535;
constexpr std::int64_t kTriesMax = 60000;

std::string TakeName(ArgReader& args) {
  const std::string_view name = args.Bytes();
  if (name.empty() || name.size() > kNameMax) args.Fail("ERR a name has 1 to 65535 bytes");
  return std::string(name);
}

struct SetRequest {
  QueueSchedule schedule;
  std::optional<std::string_view> tier;
};

SetRequest ReadSet(ArgReader& args) {
  SetRequest request;
  QueueSchedule& schedule = request.schedule;
  schedule.name = TakeName(args);
  schedule.expression = args.Bytes();
  schedule.body = args.Bytes();
  schedule.zone = "UTC";
  while (args.More()) {
    if (args.TakeWithValue("ZONE")) {
      schedule.zone = args.Bytes();
    } else if (args.TakeWithValue("PRIO")) {
      request.tier = args.Bytes();
    } else if (args.TakeWithValue("NAME")) {
      schedule.job_name = TakeName(args);
    } else if (args.TakeWithValue("TTL")) {
      schedule.ttl_ms = TakeMilliseconds(args, 1);
    } else if (args.TakeWithValue("COST")) {
      schedule.cost =
          static_cast<std::uint32_t>(args.IntegerIn(1, Job::kCostMax, errors::kOutOfRange));
    } else if (args.TakeWithValue("LEASE")) {
      schedule.lease_ms = TakeMilliseconds(args, 1);
    } else if (args.TakeWithValue("TRIES")) {
      schedule.tries = args.IntegerIn(0, kTriesMax, errors::kOutOfRange);
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  return request;
}

Outcome Set(ExecContext& ctx, ArgReader& args, std::string_view key) {
  SetRequest request = ReadSet(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  QueueSchedule& schedule = request.schedule;
  const Result<CronSchedule> parsed = CronSchedule::Parse(schedule.expression, schedule.zone);
  if (!parsed.ok()) return ctx.Fail(parsed.error());
  Result<QueueWork> work = QueueWork::OpenOrCreate(ctx, key);
  if (!work.ok()) return ctx.Fail(work.error());
  const Queue& queue = work->queue();
  if (request.tier) {
    const Result<std::uint32_t> tier = queue.settings().ParseTier(*request.tier);
    if (!tier.ok()) return ctx.Fail(tier.error());
    schedule.tier = *tier;
  }
  const std::uint32_t adds_at = schedule.tier < 0 ? queue.settings().DefaultTier()
                                                  : static_cast<std::uint32_t>(schedule.tier);
  if (const auto refusal = RefuseTier(ctx.session, adds_at)) return ctx.Fail(*refusal);
  if (ctx.session.user != "default") schedule.user = ctx.session.user;
  if (const QueueSchedule* before = queue.schedules().Find(schedule.name)) {
    schedule.last_ms = before->last_ms;
    schedule.last_id = before->last_id;
    schedule.runs = before->runs;
    schedule.skipped = before->skipped;
  } else if (queue.schedules().size() >= kSchedulesMax) {
    return ctx.Fail("QLIMIT schedules=" + std::to_string(kSchedulesMax));
  }
  schedule.next_ms = parsed->Next(work->now_ms()).value_or(0);
  const std::int64_t next_ms = schedule.next_ms;
  work->SetSchedule(std::move(schedule));
  work->MarkChanged("cron");
  ctx.reply.Integer(next_ms);
  return Outcome::kReplied;
}

Outcome Drop(ExecContext& ctx, ArgReader& args, std::string_view key) {
  const std::span<const std::string_view> names = args.Rest();
  if (names.empty()) return ctx.Fail(errors::kSyntax);
  Result<QueueWork> work = QueueWork::Open(ctx, key);
  if (!work.ok()) return ctx.Fail(work.error());
  std::int64_t dropped = 0;
  for (const std::string_view name : names) {
    if (*work && work->queue().schedules().Find(name) != nullptr) {
      work->DropSchedule(name);
      ++dropped;
    }
  }
  if (dropped > 0) work->MarkChanged("cron");
  ctx.reply.Integer(dropped);
  return Outcome::kReplied;
}

FieldList FieldsOf(const Queue& queue, const QueueSchedule& schedule) {
  FieldList fields;
  const auto add_time = [&](std::string_view name, std::int64_t time_ms) {
    time_ms == 0 ? fields.AddNull(name) : fields.Add(name, time_ms);
  };
  fields.Add("name", schedule.name);
  fields.Add("schedule", schedule.expression);
  fields.Add("zone", schedule.zone);
  fields.Add("body", schedule.body);
  const auto tier = static_cast<std::uint32_t>(schedule.tier);
  fields.Add("tier",
             queue.settings().TierName(schedule.tier < 0 ? queue.settings().DefaultTier() : tier));
  add_time("next", schedule.next_ms);
  add_time("last", schedule.last_ms);
  schedule.last_id == 0 ? fields.AddNull("last-id") : fields.Add("last-id", schedule.last_id);
  fields.Add("runs", schedule.runs);
  fields.Add("skipped", schedule.skipped);
  if (!schedule.job_name.empty()) fields.Add("job-name", schedule.job_name);
  if (schedule.ttl_ms != 0) fields.Add("ttl", schedule.ttl_ms);
  if (schedule.cost != 1) fields.Add("cost", schedule.cost);
  if (schedule.lease_ms != 0) fields.Add("lease", schedule.lease_ms);
  if (schedule.tries >= 0) fields.Add("tries", schedule.tries);
  if (!schedule.user.empty()) fields.Add("user", schedule.user);
  return fields;
}

Outcome Get(ExecContext& ctx, ArgReader& args, std::string_view key) {
  const std::string_view name = args.Bytes();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const Queue*> queue = QueueWork::Read(ctx, key);
  if (!queue.ok()) return ctx.Fail(queue.error());
  const QueueSchedule* found = *queue == nullptr ? nullptr : (*queue)->schedules().Find(name);
  if (found == nullptr) {
    ctx.reply.NullArray();
  } else {
    FieldsOf(**queue, *found).Write(ctx.reply);
  }
  return Outcome::kReplied;
}

Outcome List(ExecContext& ctx, std::string_view key) {
  const Result<const Queue*> queue = QueueWork::Read(ctx, key);
  if (!queue.ok()) return ctx.Fail(queue.error());
  if (*queue == nullptr) {
    ctx.reply.Array(0);
    return Outcome::kReplied;
  }
  ctx.reply.Array((*queue)->schedules().size());
  (*queue)->schedules().ForEach(
      [&](const QueueSchedule& schedule) { FieldsOf(**queue, schedule).Write(ctx.reply); });
  return Outcome::kReplied;
}

Outcome Cron(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  if (!args.More()) return List(ctx, key);
  if (args.Take("SET")) return Set(ctx, args, key);
  if (args.Take("DEL")) return Drop(ctx, args, key);
  if (args.Take("GET")) return Get(ctx, args, key);
  return ctx.Fail(errors::kSyntax);
}

constexpr std::array kCommands = {
    Declare({.name = "Q.CRON",
             .arity = -2,
             .flags = kWrite,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyUpdate)},
             .log = LogPolicy::kRewritten,
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Sets, removes or tells schedules that add jobs at certain times.",
             .complexity = "O(log n) for n schedules; O(n) to list them",
             .syntax = "key:key [SET name schedule body [ZONE zone] [PRIO tier] [NAME name] "
                       "[TTL milliseconds:integer] [COST cost:integer] [LEASE "
                       "milliseconds:integer] [TRIES count:integer] | GET name | DEL name...]",
             .handler = &Cron}),
};

// Whether adds into `tier` wait.
bool AddsArePaused(const Queue& queue, std::uint32_t tier) {
  const QueueTier* known = queue.FindTier(tier);
  return queue.pause().in_until_ms != 0 || (known != nullptr && known->pause.in_until_ms != 0);
}

}  // namespace

void QueueWork::SetSchedule(QueueSchedule schedule) {
  Record("CRON", schedule.name, schedule.expression, schedule.zone, schedule.body,
         schedule.job_name, schedule.user, schedule.tier, schedule.cost, schedule.ttl_ms,
         schedule.lease_ms, schedule.tries, schedule.next_ms, schedule.last_ms, schedule.last_id,
         schedule.runs, schedule.skipped);
  edit_->schedules().Set(std::move(schedule));
}

void QueueWork::DropSchedule(std::string_view name) {
  edit_->schedules().Drop(name);
  Record("UNCRON", name);
}

void QueueWork::RunSchedule(const QueueSchedule& schedule, std::int64_t at_ms) {
  const QueueSettings& settings = edit_->settings();
  const auto asked = static_cast<std::uint32_t>(schedule.tier);
  const bool known =
      schedule.tier >= 0 && (settings.open_ladder() || asked < settings.ladder.size());
  const std::uint32_t tier = known ? asked : settings.DefaultTier();
  const Result<CronSchedule> parsed = CronSchedule::Parse(schedule.expression, schedule.zone);
  const std::int64_t next_ms =
      parsed.ok() ? parsed->Next(std::max(at_ms, now_ms())).value_or(0) : 0;
  const std::string name = schedule.name;
  std::uint64_t id = 0;
  const bool taken = !schedule.job_name.empty() && HolderOf(schedule.job_name) != nullptr;
  if (!taken && !AddsArePaused(*edit_, tier)) {
    const RoomPlan plan = PlanRoom(
        *edit_, {.tier = tier, .bytes = schedule.body.size() + schedule.job_name.size()}, at_ms);
    for (const Victim& victim : plan.victims) {
      const Job& job = *edit_->Find(victim.id);
      Kill(job, victim.reason, at_ms, job.failures);
    }
    if (!plan.refusal) id = AddScheduled(schedule, tier, at_ms);
  }
  edit_->schedules().Ran(name, at_ms, id, next_ms);
  Record("RAN", name, at_ms, id, next_ms);
}

std::uint64_t QueueWork::AddScheduled(const QueueSchedule& schedule, std::uint32_t tier,
                                      std::int64_t at_ms) {
  JobDraft draft{.since_ms = at_ms,
                 .tier = tier,
                 .cost = schedule.cost,
                 .expires_ms = schedule.ttl_ms == 0 ? 0 : at_ms + schedule.ttl_ms,
                 .lease_ms = schedule.lease_ms,
                 .tries = schedule.tries,
                 .name = schedule.job_name,
                 .user = schedule.user,
                 .body = schedule.body};
  return Add(draft);
}

std::span<const CommandSpec> QueueCronCommands() { return kCommands; }

}  // namespace rung

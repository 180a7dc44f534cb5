// Q.ADD: a job, or several alike, into a queue.

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "commands/families.h"
#include "commands/queue_rights.h"
#include "commands/queue_room.h"
#include "commands/queue_text.h"
#include "commands/queue_work.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

constexpr std::int64_t kTriesMax = 60000;
constexpr std::size_t kNameMax = 65535;
constexpr std::int64_t kAfterMax = 1000;
// Jobs that wait for one, and jobs that one waits for directly or not: so a change of urgency, and
// the end of a job, stay short work.
constexpr std::size_t kDependentsMax = 10000;
constexpr std::size_t kAncestorsMax = 10000;

enum class TakenName : std::uint8_t { kMerge, kNothing, kReplace };

struct AddRequest {
  std::string_view key;
  std::vector<std::string_view> bodies;
  std::optional<std::string_view> tier;
  std::optional<std::int64_t> delay_ms;
  std::optional<std::int64_t> at_ms;
  std::optional<std::int64_t> ttl_ms;
  std::string_view group;
  std::string_view name;
  TakenName taken_name = TakenName::kMerge;
  std::span<const std::string_view> after;
  std::int64_t cost = 1;
  std::int64_t lease_ms = 0;
  std::int64_t tries = -1;
  bool several = false;
  bool blocks = false;
  std::optional<std::chrono::nanoseconds> timeout;
};

void TakeName(ArgReader& args, AddRequest& request) {
  request.name = args.Bytes();
  if (request.name.empty() || request.name.size() > kNameMax) {
    args.Fail("ERR a name has 1 to 65535 bytes");
  }
  if (args.Take("NX")) {
    request.taken_name = TakenName::kNothing;
  } else if (args.Take("REPLACE")) {
    request.taken_name = TakenName::kReplace;
  }
}

void TakeAfter(ArgReader& args, AddRequest& request) {
  const std::int64_t count = args.IntegerIn(1, kAfterMax, "QLIMIT at most 1000 ids with AFTER");
  if (!args.ok() || args.left() < static_cast<std::size_t>(count)) {
    return args.Fail(errors::kSyntax);
  }
  request.after = args.Take(static_cast<std::size_t>(count));
}

void TakeMore(ArgReader& args, AddRequest& request) {
  const std::int64_t count = args.IntegerIn(1, 100000, errors::kOutOfRange);
  if (!args.ok() || args.left() < static_cast<std::size_t>(count)) {
    return args.Fail(errors::kSyntax);
  }
  request.several = true;
  for (const std::string_view body : args.Take(static_cast<std::size_t>(count))) {
    request.bodies.push_back(body);
  }
}

AddRequest ReadAdd(ArgReader& args) {
  AddRequest request;
  request.key = args.Bytes();
  request.bodies.push_back(args.Bytes());
  while (args.More()) {
    if (args.TakeWithValue("PRIO")) {
      request.tier = args.Bytes();
    } else if (args.TakeWithValue("DELAY")) {
      request.delay_ms = TakeMilliseconds(args, 0);
    } else if (args.TakeWithValue("AT")) {
      request.at_ms = TakeMilliseconds(args, 0);
    } else if (args.TakeWithValue("TTL")) {
      request.ttl_ms = TakeMilliseconds(args, 1);
    } else if (args.TakeWithValue("NAME")) {
      TakeName(args, request);
    } else if (args.TakeWithValue("GROUP")) {
      request.group = args.Bytes();
      if (request.group.size() > kGroupNameMax)
        args.Fail("ERR a group's name has at most 255 bytes");
    } else if (args.TakeWithValue("AFTER")) {
      TakeAfter(args, request);
    } else if (args.TakeWithValue("COST")) {
      request.cost = args.IntegerIn(1, Job::kCostMax, errors::kOutOfRange);
    } else if (args.TakeWithValue("LEASE")) {
      request.lease_ms = TakeMilliseconds(args, 1);
    } else if (args.TakeWithValue("TRIES")) {
      request.tries = args.IntegerIn(0, kTriesMax, errors::kOutOfRange);
    } else if (args.TakeWithValue("BLOCK")) {
      request.blocks = true;
      request.timeout = TakeBlock(args);
    } else if (args.TakeWithValue("MORE")) {
      TakeMore(args, request);
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  if (request.delay_ms && request.at_ms) args.Fail("ERR DELAY and AT exclude each other");
  if (request.several && !request.name.empty()) args.Fail("ERR MORE and NAME exclude each other");
  if (!request.after.empty() && request.taken_name == TakenName::kReplace) {
    // The holder is older than what it would wait for: circles could come of that.
    args.Fail("ERR AFTER and REPLACE exclude each other");
  }
  return request;
}

JobDraft DraftOf(const ExecContext& ctx, const AddRequest& request, std::uint32_t tier) {
  const std::int64_t now_ms = ctx.db.store().now_ms();
  JobDraft draft{.tier = tier,
                 .cost = static_cast<std::uint32_t>(request.cost),
                 .lease_ms = request.lease_ms,
                 .tries = request.tries,
                 .group = request.group,
                 .name = request.name,
                 .body = request.bodies[0]};
  if (ctx.session.user != "default") draft.user = ctx.session.user;
  const std::int64_t due_ms = request.at_ms.value_or(now_ms + request.delay_ms.value_or(0));
  if (due_ms > now_ms) {
    draft.state = JobState::kDelayed;
    draft.at_ms = due_ms;
  }
  if (request.ttl_ms) draft.expires_ms = now_ms + *request.ttl_ms;
  return draft;
}

// The unfinished jobs among those that AFTER names, in ascending order. Errors: QNOJOB, QLIMIT.
Result<std::vector<std::uint64_t>> FindDependencies(const Queue& queue, const AddRequest& request) {
  std::set<std::uint64_t> ids;
  for (const std::string_view reference : request.after) {
    const Job* job = FindJob(queue, reference);
    const std::optional<std::uint64_t> id = ParseUint64(reference);
    // One that was here once and is not any more is done with.
    const bool gone = id && *id >= 1 && *id <= queue.last_id();
    if (job == nullptr && !gone) return Error(UnknownJob(reference));
    if (job == nullptr || job->state == JobState::kDone) continue;
    if (job->state == JobState::kDead && queue.settings().on_dead == OnDead::kRun) continue;
    if (job->has_dependents() &&
        job->extra->dependents.size() + request.bodies.size() > kDependentsMax) {
      return Error("QLIMIT id=" + std::to_string(job->id) + " has 10000 dependents");
    }
    ids.insert(job->id);
  }
  std::set<std::uint64_t> ancestors = ids;
  for (auto id = ancestors.rbegin(); id != ancestors.rend(); ++id) {
    const Job& job = *queue.Find(*id);
    if (job.waits()) ancestors.insert(job.extra->waits_for.begin(), job.extra->waits_for.end());
    if (ancestors.size() > kAncestorsMax) return Error("QLIMIT ancestors=10000");
  }
  return std::vector<std::uint64_t>(ids.begin(), ids.end());
}

bool WaitsForTheDead(const Queue& queue, const std::vector<std::uint64_t>& ids) {
  return std::any_of(ids.begin(), ids.end(),
                     [&](std::uint64_t id) { return queue.Find(id)->state == JobState::kDead; });
}

// The name is taken: the reply for that.
Outcome AddToHolder(ExecContext& ctx, QueueWork& work, const AddRequest& request, const Job& holder,
                    JobDraft draft) {
  const auto id = static_cast<std::int64_t>(holder.id);
  if (request.taken_name == TakenName::kNothing) {
    ctx.reply.Null();
    return Outcome::kReplied;
  }
  const bool waits = holder.state != JobState::kLeased && holder.Unfinished();
  if (request.taken_name == TakenName::kReplace) {
    if (!waits) {
      return ctx.Fail("QNAME id=" + std::to_string(id) +
                      " state=" + std::string(JobStateName(holder.state)));
    }
    draft.id = holder.id;
    draft.seq = holder.seq;
    draft.since_ms = holder.since_ms;
    if (draft.state == JobState::kReady && draft.seq == 0) {
      draft.seq = work.queue().last_seq() + 1;
      draft.since_ms = std::max(work.now_ms(), work.queue().latest_since_ms());
    }
    work.Replace(draft);
    work.MarkChanged("add");
  } else if (holder.Unfinished() && draft.tier < holder.own_tier()) {
    work.SetTier(holder, {.own_tier = draft.tier,
                          .boost = holder.boost(),
                          .seq = holder.seq,
                          .since_ms = holder.since_ms});
    work.MarkChanged("prio");
  }
  ctx.reply.Integer(id);
  return Outcome::kReplied;
}

// Adds the request's jobs, for which there is room, and replies their ids.
void AddAll(ExecContext& ctx, QueueWork& work, const AddRequest& request, JobDraft draft,
            std::vector<std::uint64_t> waits_for) {
  // Making room may have ended one of these.
  const bool runs = work.queue().settings().on_dead == OnDead::kRun;
  std::erase_if(waits_for, [&](std::uint64_t id) {
    const Job* job = work.queue().Find(id);
    return job == nullptr || (runs && job->state == JobState::kDead);
  });
  if (!waits_for.empty()) {
    draft.state = JobState::kBlocked;
    draft.waits_for = waits_for;
  }
  // With ONDEAD fail a job that would wait for a dead one is dead from the start.
  const bool fails =
      work.queue().settings().on_dead == OnDead::kFail && WaitsForTheDead(work.queue(), waits_for);
  std::vector<std::uint64_t> ids;
  for (const std::string_view body : request.bodies) {
    draft.body = body;
    ids.push_back(work.Add(draft));
  }
  if (request.several) ctx.reply.Array(ids.size());
  for (const std::uint64_t id : ids) {
    ctx.reply.Integer(static_cast<std::int64_t>(id));
    if (fails) work.Kill(*work.queue().Find(id), DeathReason::kDependency, work.now_ms(), 0);
  }
}

// "tier=low", "group=a": what of the add's target takes no jobs now.
std::optional<std::string> PausedScope(const Queue& queue, std::uint32_t tier,
                                       std::string_view group) {
  const QueueTier* target = queue.FindTier(tier);
  if (queue.pause().in_until_ms != 0 || (target != nullptr && target->pause.in_until_ms != 0)) {
    return "tier=" + queue.settings().TierName(tier);
  }
  const std::optional<std::uint32_t> number = queue.groups().Find(group);
  if (!number || queue.groups()[*number].pause.in_until_ms == 0) return std::nullopt;
  return "group=" + std::string(group.substr(0, 64));
}

// In which line a producer has to wait, if it has to: where there is no room, or behind those who
// came before it and want more than there is.
std::optional<std::uint64_t> LineFor(const ExecContext& ctx, const Queue& queue,
                                     const AddRequest& request, const RoomRequest& room,
                                     const RoomPlan& plan) {
  if (plan.refusal) return plan.may_wait ? std::optional(LineOf(plan.full)) : std::nullopt;
  // Who waits already is asked in turn.
  if (ctx.attempt == Attempt::kRetry) return std::nullopt;
  // Behind whoever came first, where people wait in more than one of its lines.
  std::optional<LineHead> first;
  for (const std::uint64_t line : LinesOf(queue, room)) {
    const auto head =
        ctx.broker.waiters.HeadOf(ctx.db.index(), WaitTopic::kRoom, request.key, line);
    if (head && (!first || head->arrival < first->arrival)) first = head;
  }
  return first ? std::optional(first->line) : std::nullopt;
}

Outcome Add(ExecContext& ctx, ArgReader& args) {
  const AddRequest request = ReadAdd(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Result<QueueWork> opened = QueueWork::OpenOrCreate(ctx, request.key);
  if (!opened.ok()) return ctx.Fail(opened.error());
  QueueWork& work = *opened;
  std::uint32_t tier = work.queue().settings().DefaultTier();
  if (request.tier) {
    const Result<std::uint32_t> parsed = work.queue().settings().ParseTier(*request.tier);
    if (!parsed.ok()) return ctx.Fail(parsed.error());
    tier = *parsed;
  }
  if (const auto refusal = RefuseTier(ctx.session, tier)) return ctx.Fail(*refusal);
  if (const auto paused = PausedScope(work.queue(), tier, request.group)) {
    return ctx.Fail("QPAUSED in " + *paused);
  }
  JobDraft draft = DraftOf(ctx, request, tier);
  if (!request.name.empty()) {
    if (const Job* holder = work.HolderOf(request.name)) {
      return AddToHolder(ctx, work, request, *holder, draft);
    }
  }
  auto waits_for = FindDependencies(work.queue(), request);
  if (!waits_for.ok()) return ctx.Fail(waits_for.error());
  RoomRequest room{.tier = tier, .group = request.group, .jobs = request.bodies.size()};
  for (const std::string_view body : request.bodies) room.bytes += body.size() + draft.name.size();
  const RoomPlan plan = PlanRoom(work.queue(), room, work.now_ms());
  if (request.blocks && ctx.MayBlock()) {
    if (const auto line = LineFor(ctx, work.queue(), request, room, plan)) {
      return ctx.BlockInLine(WaitTopic::kRoom, std::span(&request.key, 1), *line, request.timeout);
    }
  }
  if (plan.refusal) return ctx.Fail(*plan.refusal);
  for (const Victim& victim : plan.victims) {
    const Job& job = *work.queue().Find(victim.id);
    work.Kill(job, victim.reason, work.now_ms(), job.failures);
  }
  AddAll(ctx, work, request, draft, *std::move(waits_for));
  work.MarkChanged("add");
  return Outcome::kReplied;
}

constexpr std::array kCommands = {
    Declare({.name = "Q.ADD",
             .arity = -3,
             .flags = kWrite | kDenyOom | kFast | kBlocking,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyInsert)},
             .log = LogPolicy::kRewritten,
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Adds a job to a queue, made if it is missing.",
             .complexity = "O(log n) for each job, with n jobs in its tier",
             .syntax =
                 "key:key body [PRIO tier] [DELAY milliseconds:integer | "
                 "AT unix-time-milliseconds:unix-time] [TTL milliseconds:integer] [GROUP group] "
                 "[AFTER count:integer id...] "
                 "[NAME name [NX | REPLACE]] [COST cost:integer] [LEASE "
                 "milliseconds:integer] [TRIES count:integer] [BLOCK "
                 "milliseconds:integer] [MORE count:integer body...]",
             .handler = &Add}),
};

}  // namespace

std::span<const CommandSpec> QueueAddCommands() { return kCommands; }

}  // namespace rung

// Running a queue: Q.CONF, Q.PAUSE, Q.RESUME, Q.CANCEL, Q.REDRIVE.

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
#include "commands/queue_scope.h"
#include "commands/queue_text.h"
#include "commands/queue_work.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

// What one command removes or revives when it is not told a number.
constexpr std::int64_t kSliceJobs = 10000;

// ---- Q.CONF

// Of the queue, or of the tier or group that `words` ("TIER", tier) name.
Outcome ReplySettings(ExecContext& ctx, std::string_view key,
                      std::span<const std::string_view> words) {
  const Result<const Queue*> queue = QueueWork::Read(ctx, key);
  if (!queue.ok()) return ctx.Fail(queue.error());
  if (*queue == nullptr) return ctx.Fail(NoQueue(key));
  auto fields = (*queue)->settings().Print();
  if (!words.empty() && EqualsIgnoreCase(words[0], "GROUP")) {
    fields = (*queue)->settings().PrintGroup(words[1]);
  } else if (!words.empty()) {
    const Result<std::uint32_t> tier = (*queue)->settings().ParseTier(words[1]);
    if (!tier.ok()) return ctx.Fail(tier.error());
    fields = (*queue)->settings().PrintTier(*tier);
  }
  ctx.reply.Map(fields.size());
  for (const auto& [name, value] : fields) {
    ctx.reply.Bulk(name);
    ctx.reply.Bulk(value);
  }
  return Outcome::kReplied;
}

// A tier that still holds jobs and would not be of the ladder any more.
std::optional<std::uint32_t> LostTier(const Queue& queue, const QueueSettings& settings) {
  if (settings.open_ladder()) return std::nullopt;
  const std::size_t size = settings.ladder.size();
  for (const auto& tier : queue.tiers()) {
    const bool used = tier->waiting() + tier->count(JobState::kLeased) > 0;
    if (tier->number >= size && used) return tier->number;
  }
  for (auto cursor = queue.dead().First(); cursor.Valid(); cursor.Next()) {
    if ((*cursor)->own_tier() >= size) return (*cursor)->own_tier();
  }
  return std::nullopt;
}

Outcome Conf(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::span<const std::string_view> fields = args.Rest();
  if (fields.size() % 2 != 0) return ctx.Fail(errors::kSyntax);
  const bool scoped = !fields.empty() &&
                      (EqualsIgnoreCase(fields[0], "TIER") || EqualsIgnoreCase(fields[0], "GROUP"));
  const bool reads = fields.empty() || (fields.size() == 2 && scoped);
  if (reads) return ReplySettings(ctx, key, fields);
  Result<QueueWork> work = QueueWork::OpenOrCreate(ctx, key);
  if (!work.ok()) return ctx.Fail(work.error());
  QueueSettings settings = work->queue().settings();
  if (const auto error = settings.Set(fields)) return ctx.Fail(*error);
  if (const auto lost = LostTier(work->queue(), settings)) {
    return ctx.Fail("QSTATE tier=" + std::to_string(*lost) + " holds jobs");
  }
  work->Configure(std::move(settings), fields);
  work->MarkChanged("conf");
  ctx.reply.Ok();
  return Outcome::kReplied;
}

// ---- Q.PAUSE, Q.RESUME

struct PauseRequest {
  std::string_view key;
  bool in = false;
  bool out = false;
  ScopeWords scope;
  std::optional<std::int64_t> for_ms;
};

PauseRequest ReadPause(ArgReader& args, bool resumes) {
  PauseRequest request;
  request.key = args.Bytes();
  while (args.More()) {
    if (args.Take("IN")) {
      request.in = true;
    } else if (args.Take("OUT")) {
      request.out = true;
    } else if (args.Take("ALL")) {
      request.in = request.out = true;
    } else if (!resumes && args.TakeWithValue("FOR")) {
      request.for_ms = TakeMilliseconds(args, 1);
    } else if (!request.scope.Take(args)) {
      args.Fail(errors::kSyntax);
    }
  }
  if (request.scope.tier && request.scope.group) args.Fail("ERR TIER and GROUP exclude each other");
  if (request.scope.group &&
      (request.scope.group->empty() || request.scope.group->size() > kGroupNameMax)) {
    args.Fail("ERR a group's name has 1 to 255 bytes");
  }
  if (!request.in && !request.out) {
    request.out = true;
    request.in = resumes;
  }
  return request;
}

PauseTimes PauseOf(const Queue& queue, const JobScope& scope) {
  if (scope.tier) {
    const QueueTier* known = queue.FindTier(*scope.tier);
    return known == nullptr ? PauseTimes{} : known->pause;
  }
  if (scope.group == JobScope::kNoGroup) return {};
  return scope.group ? queue.groups()[*scope.group].pause : queue.pause();
}

// Sets both ends of what the request names to `until_ms`.
Outcome ChangePause(ExecContext& ctx, const PauseRequest& request, std::int64_t until_ms) {
  Result<QueueWork> work = QueueWork::Open(ctx, request.key);
  if (!work.ok()) return ctx.Fail(work.error());
  if (!*work) return ctx.Fail(NoQueue(request.key));
  const Result<JobScope> scope = JobScope::Of(work->queue(), request.scope);
  if (!scope.ok()) return ctx.Fail(scope.error());
  const PauseTimes before = PauseOf(work->queue(), *scope);
  PauseTimes pause = before;
  if (request.in) pause.in_until_ms = until_ms;
  if (request.out) pause.out_until_ms = until_ms;
  if (pause != before) {
    if (request.scope.group) {
      work->SetGroupPause(*request.scope.group, pause);
    } else {
      work->SetPause(scope->tier, pause);
    }
    work->MarkChanged(until_ms == 0 ? "resume" : "pause");
  }
  ctx.reply.Integer(pause != before ? 1 : 0);
  return Outcome::kReplied;
}

Outcome Pause(ExecContext& ctx, ArgReader& args) {
  const PauseRequest request = ReadPause(args, false);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const std::int64_t until_ms =
      request.for_ms ? ctx.db.store().now_ms() + *request.for_ms : PauseTimes::kForever;
  return ChangePause(ctx, request, until_ms);
}

Outcome Resume(ExecContext& ctx, ArgReader& args) {
  const PauseRequest request = ReadPause(args, true);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  return ChangePause(ctx, request, 0);
}

// ---- Q.CANCEL

// What becomes of those that wait for a cancelled job.
enum class Followers : std::uint8_t { kNone, kCascade, kDetach };

// Returns how many jobs that is.
std::int64_t CancelOne(QueueWork& work, const Job& job, bool force, Followers followers) {
  work.Publish(QueueEvent::kCancel, job);
  if (followers == Followers::kCascade) return work.RemoveWithDependents(job, force);
  work.Detach(job);
  if (job.state != JobState::kLeased || force) {
    work.Remove(job);
  } else if (!job.cancelled) {
    work.FlagCancelled(job);
  }
  return 1;
}

Outcome CancelIds(ExecContext& ctx, ArgReader& args, std::string_view key) {
  std::vector<std::string_view> references;
  while (args.More() && IsJobReference(args.Peek())) references.push_back(args.Bytes());
  if (references.empty()) args.Fail("ERR an id is a number or =name");
  bool force = false;
  Followers followers = Followers::kNone;
  while (args.More()) {
    if (args.Take("FORCE")) {
      force = true;
    } else if (followers == Followers::kNone && args.Take("CASCADE")) {
      followers = Followers::kCascade;
    } else if (followers == Followers::kNone && args.Take("DETACH")) {
      followers = Followers::kDetach;
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Result<QueueWork> work = QueueWork::Open(ctx, key);
  if (!work.ok()) return ctx.Fail(work.error());
  for (const std::string_view reference : references) {
    const Job* job = *work ? FindJob(work->queue(), reference) : nullptr;
    if (job == nullptr || followers != Followers::kNone || !job->has_dependents()) continue;
    return ctx.Fail("QSTATE id=" + std::to_string(job->id) +
                    " dependents=" + std::to_string(job->extra->dependents.size()));
  }
  std::int64_t cancelled = 0;
  for (const std::string_view reference : references) {
    const Job* job = *work ? FindJob(work->queue(), reference) : nullptr;
    if (job != nullptr) cancelled += CancelOne(*work, *job, force, followers);
  }
  if (cancelled > 0) work->MarkChanged("cancel");
  ctx.reply.Integer(cancelled);
  return Outcome::kReplied;
}

// The first `count` ids of a state.
std::vector<std::uint64_t> IdsIn(const Queue& queue, JobState state, const JobScope& scope,
                                 std::size_t count, bool with_dependents) {
  std::vector<std::uint64_t> ids;
  const auto add = [&](const Job& job) {
    // Those that others wait for are cancelled by id only.
    const bool wanted = with_dependents || !job.has_dependents();
    if (wanted && scope.Holds(job)) ids.push_back(job.id);
    return ids.size() < count;
  };
  const auto walk = [&](auto cursor) {
    while (cursor.Valid() && add(**cursor)) cursor.Next();
  };
  switch (state) {
    case JobState::kReady:
      for (const auto& [tier, jobs] : ReadyIn(queue, scope)) {
        if (ids.size() < count) walk(jobs->First());
      }
      break;
    case JobState::kDelayed:
      walk(queue.delayed().First());
      break;
    case JobState::kDead:
      walk(queue.dead().First());
      break;
    case JobState::kDone:
      walk(queue.done().First());
      break;
    case JobState::kLeased:
      for (auto cursor = queue.leases().First(); cursor.Valid(); cursor.Next()) {
        // Those that are flagged already would be found again and again.
        if (!(*cursor)->job->cancelled && !add(*(*cursor)->job)) break;
      }
      break;
    case JobState::kBlocked:
      walk(queue.blocked().First());
      break;
  }
  return ids;
}

Outcome CancelState(ExecContext& ctx, ArgReader& args, std::string_view key) {
  const std::string_view word = args.Bytes();
  const std::optional<JobState> state = ParseJobState(word);
  if (!state) args.Fail("ERR a state is ready, delayed, leased, blocked, dead or done");
  ScopeWords words;
  std::int64_t count = kSliceJobs;
  bool force = false;
  while (args.More()) {
    if (args.TakeWithValue("COUNT")) {
      count = args.IntegerIn(1, 1000000, errors::kOutOfRange);
    } else if (args.Take("FORCE")) {
      force = true;
    } else if (!words.Take(args)) {
      args.Fail(errors::kSyntax);
    }
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Result<QueueWork> work = QueueWork::Open(ctx, key);
  if (!work.ok()) return ctx.Fail(work.error());
  if (!*work) {
    ctx.reply.Integer(0);
    return Outcome::kReplied;
  }
  const Result<JobScope> scope = JobScope::Of(work->queue(), words);
  if (!scope.ok()) return ctx.Fail(scope.error());
  const auto ids = IdsIn(work->queue(), *state, *scope, static_cast<std::size_t>(count), false);
  for (const std::uint64_t id : ids) {
    CancelOne(*work, *work->queue().Find(id), force, Followers::kNone);
  }
  if (!ids.empty()) work->MarkChanged("cancel");
  ctx.reply.Integer(static_cast<std::int64_t>(ids.size()));
  return Outcome::kReplied;
}

Outcome Cancel(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  if (args.TakeWithValue("STATE")) return CancelState(ctx, args, key);
  return CancelIds(ctx, args, key);
}

// ---- Q.REDRIVE

struct RedriveRequest {
  std::string_view key;
  std::vector<std::string_view> references;
  std::int64_t count = kSliceJobs;
  std::optional<std::string_view> tier;
  bool fresh = false;
};

RedriveRequest ReadRedrive(ArgReader& args) {
  RedriveRequest request;
  request.key = args.Bytes();
  bool counted = false;
  while (args.More()) {
    if (args.TakeWithValue("ID")) {
      while (args.More() && IsJobReference(args.Peek())) {
        request.references.push_back(args.Bytes());
      }
      if (request.references.empty()) args.Fail("ERR an id is a number or =name");
    } else if (args.TakeWithValue("COUNT")) {
      request.count = args.IntegerIn(1, 1000000, errors::kOutOfRange);
      counted = true;
    } else if (args.TakeWithValue("PRIO")) {
      request.tier = args.Bytes();
    } else if (args.Take("FRESH")) {
      request.fresh = true;
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  if (counted && !request.references.empty()) args.Fail("ERR ID and COUNT exclude each other");
  return request;
}

// A dead job has given its name away; if somebody holds it now, the dead one stays dead.
bool RedriveOne(QueueWork& work, const Job* job, const RedriveRequest& request,
                std::optional<std::uint32_t> tier) {
  if (job == nullptr || job->state != JobState::kDead) return false;
  if (job->name_size != 0 && work.HolderOf(job->name()) != nullptr) return false;
  // A dead job pushes nobody out.
  const std::uint32_t own_tier = tier.value_or(job->own_tier());
  const RoomRequest room{.tier = work.queue().EffectiveTier(*job, own_tier),
                         .group = work.queue().GroupOf(*job).name,
                         .bytes = job->text_bytes()};
  const RoomPlan plan = PlanRoom(work.queue(), room, work.now_ms());
  if (plan.refusal || !plan.victims.empty()) return false;
  if (tier) {
    work.SetTier(
        *job,
        {.own_tier = *tier, .boost = job->boost(), .seq = job->seq, .since_ms = job->since_ms});
  }
  work.Revive(*job, request.fresh);
  return true;
}

// The dead jobs that the request means.
std::vector<std::uint64_t> ChooseDead(const Queue& queue, const RedriveRequest& request) {
  if (request.references.empty()) {
    return IdsIn(queue, JobState::kDead, {}, static_cast<std::size_t>(request.count), true);
  }
  std::vector<std::uint64_t> ids;
  for (const std::string_view reference : request.references) {
    const Job* job = FindJob(queue, reference);
    if (job != nullptr && job->state == JobState::kDead) ids.push_back(job->id);
  }
  return ids;
}

Outcome Redrive(ExecContext& ctx, ArgReader& args) {
  const RedriveRequest request = ReadRedrive(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Result<QueueWork> work = QueueWork::Open(ctx, request.key);
  if (!work.ok()) return ctx.Fail(work.error());
  std::int64_t revived = 0;
  if (*work) {
    const Queue& queue = work->queue();
    std::optional<std::uint32_t> tier;
    if (request.tier) {
      const Result<std::uint32_t> parsed = queue.settings().ParseTier(*request.tier);
      if (!parsed.ok()) return ctx.Fail(parsed.error());
      tier = *parsed;
    }
    const std::vector<std::uint64_t> ids = ChooseDead(queue, request);
    for (const std::uint64_t id : ids) {
      if (!tier) break;
      const auto refusal = RefuseRaise(ctx.session, queue.Find(id)->own_tier(), *tier);
      if (refusal) return ctx.Fail(*refusal);
    }
    for (const std::uint64_t id : ids) {
      if (RedriveOne(*work, queue.Find(id), request, tier)) ++revived;
    }
    if (revived > 0) work->MarkChanged("redrive");
  }
  ctx.reply.Integer(revived);
  return Outcome::kReplied;
}

constexpr int kWholeKey = kKeyReadWrite | kKeyUpdate;

constexpr std::array kCommands = {
    Declare({.name = "Q.CONF",
             .arity = -2,
             .flags = kWrite | kDenyOom,
             .keys = {KeyAt(1, kWholeKey | kKeyAccess)},
             .log = LogPolicy::kRewritten,
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Configures a queue, made if it is missing, or tells its settings.",
             .complexity = "O(n) for n fields; O(n) for n dead jobs where TIERS becomes shorter; "
                           "O(n) for n groups",
             .syntax = "key:key [TIER tier | GROUP group] [(field value)...]",
             .handler = &Conf}),
    Declare({.name = "Q.PAUSE",
             .arity = -2,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kWholeKey)},
             .log = LogPolicy::kRewritten,
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Stops takes, adds or both, of a queue, one of its tiers or groups.",
             .complexity = "O(n) for n tiers",
             .syntax = "key:key [IN | OUT | ALL] [TIER tier | GROUP group] "
                       "[FOR milliseconds:integer]",
             .handler = &Pause}),
    Declare({.name = "Q.RESUME",
             .arity = -2,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kWholeKey)},
             .log = LogPolicy::kRewritten,
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Ends what Q.PAUSE began.",
             .complexity = "O(n) for n tiers",
             .syntax = "key:key [IN | OUT | ALL] [TIER tier | GROUP group]",
             .handler = &Resume}),
    Declare({.name = "Q.CANCEL",
             .arity = -3,
             .flags = kWrite,
             .keys = {KeyAt(1, kWholeKey | kKeyDelete)},
             .log = LogPolicy::kRewritten,
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Removes jobs; a leased one goes when its worker is heard of.",
             .complexity = "O(log n) for each job; with TIER or GROUP in a state other than ready "
                           "also O(n) for n jobs passed over",
             .syntax = "key:key (id... | STATE state [TIER tier] [GROUP group] "
                       "[COUNT count:integer]) [FORCE] [CASCADE | DETACH]",
             .handler = &Cancel}),
    Declare({.name = "Q.REDRIVE",
             .arity = -2,
             .flags = kWrite | kDenyOom,
             .keys = {KeyAt(1, kWholeKey)},
             .log = LogPolicy::kRewritten,
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Gives dead jobs another life.",
             .complexity = "O(log n) for each job",
             .syntax = "key:key [ID id... | COUNT count:integer] [PRIO tier] [FRESH]",
             .handler = &Redrive}),
};

}  // namespace

std::span<const CommandSpec> QueueManageCommands() { return kCommands; }

}  // namespace rung

// Q.EFFECT: one change of a queue as the log has it. For replaying; not for clients.
//
// What may stand in it is what QueueWork records (queue_work.h); the words are in the table below.
// An effect that does not fit the queue is an error, and changes nothing.

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/families.h"
#include "commands/queue_text.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/queue.h"

namespace rung {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMax32 = std::numeric_limits<std::uint32_t>::max();

struct EffectReader {
  ExecContext& ctx;
  Queue& queue;
  ArgReader& args;

  std::int64_t Number(std::int64_t max = kMax) {
    return args.IntegerIn(-1, max, errors::kOutOfRange);
  }
  std::uint64_t Count() {
    return static_cast<std::uint64_t>(args.IntegerIn(0, kMax, errors::kOutOfRange));
  }
  std::uint32_t Small(std::int64_t max = kMax32) {
    return static_cast<std::uint32_t>(args.IntegerIn(0, max, errors::kOutOfRange));
  }
  // Positions in front of all others are negative.
  std::int64_t Seq() { return args.Integer(); }
  JobState State() {
    const std::string_view word = args.Bytes();
    for (std::size_t i = 0; i < kJobStates; ++i) {
      if (word == JobStateName(static_cast<JobState>(i))) return static_cast<JobState>(i);
    }
    args.Fail(errors::kSyntax);
    return JobState::kReady;
  }
  DeathReason Reason() {
    const std::string_view word = args.Bytes();
    for (std::size_t i = 0; i < kDeathReasons; ++i) {
      const auto reason = static_cast<DeathReason>(i);
      if (word == DeathReasonName(reason)) return reason;
    }
    args.Fail(errors::kSyntax);
    return DeathReason::kNone;
  }
  // The job of the id that comes next.
  const Job* KnownJob() {
    const Job* job = queue.Find(Count());
    if (job == nullptr) args.Fail("ERR effect on an unknown job");
    return job;
  }
  const Job* JobIn(JobState state) {
    const Job* job = KnownJob();
    if (job != nullptr && job->state != state) args.Fail("ERR effect on a job in another state");
    return job;
  }
  bool Complete() { return !args.Finish(); }
};

// "3,5,8": ids of unfinished jobs before this one.
void ReadDependencies(EffectReader& in, JobDraft& draft, std::vector<std::uint64_t>& waits_for) {
  std::string_view text = in.args.Bytes();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const auto id = ParseUint64(text.substr(0, end));
    const Job* job = id ? in.queue.Find(*id) : nullptr;
    const bool ordered = waits_for.empty() || (id && waits_for.back() < *id);
    if (job == nullptr || job->state == JobState::kDone || !ordered || *id >= draft.id) {
      return in.args.Fail("ERR effect on an unknown job");
    }
    waits_for.push_back(*id);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  draft.waits_for = waits_for;
}

// `waits_for` holds what the draft refers to.
JobDraft ReadDraft(EffectReader& in, std::vector<std::uint64_t>& waits_for) {
  JobDraft draft;
  draft.id = in.Count();
  draft.state = in.State();
  draft.seq = in.Seq();
  draft.since_ms = in.Number();
  draft.at_ms = in.Number();
  draft.tier = in.Small(kTierMax);
  draft.cost = in.Small(Job::kCostMax);
  draft.expires_ms = in.Number();
  draft.lease_ms = in.Number();
  draft.tries = in.Number();
  draft.group = in.args.Bytes();
  draft.name = in.args.Bytes();
  draft.user = in.args.Bytes();
  draft.body = in.args.Bytes();
  ReadDependencies(in, draft, waits_for);
  const bool begins = draft.state == JobState::kReady || draft.state == JobState::kDelayed ||
                      draft.state == JobState::kBlocked;
  if (!begins || (draft.state == JobState::kBlocked) == waits_for.empty()) {
    in.args.Fail("ERR effect adds a job in a state it cannot begin in");
  }
  return draft;
}

void ApplyAdd(EffectReader& in) {
  std::vector<std::uint64_t> waits_for;
  const JobDraft draft = ReadDraft(in, waits_for);
  if (draft.id <= in.queue.last_id()) in.args.Fail("ERR effect adds a job twice");
  if (in.Complete()) in.queue.Add(draft);
}

void ApplyReplace(EffectReader& in) {
  std::vector<std::uint64_t> waits_for;
  const JobDraft draft = ReadDraft(in, waits_for);
  if (in.queue.Find(draft.id) == nullptr) in.args.Fail("ERR effect on an unknown job");
  if (in.Complete()) in.queue.Replace(draft);
}

void ApplyLease(EffectReader& in) {
  const Job* job = in.JobIn(JobState::kReady);
  const std::uint64_t token = in.Count();
  const std::int64_t at_ms = in.Number();
  const std::int64_t length_ms = in.Number();
  const std::string_view worker = in.args.Bytes();
  if (!in.Complete()) return;
  // A lease begins anew with its replay: a restart takes nothing from a worker.
  Store& store = in.ctx.db.store();
  in.queue.Grant(job->id, {.token = token,
                           .at_ms = at_ms,
                           .deadline_ms = store.now_ms() + length_ms,
                           .length_ms = length_ms,
                           .worker = worker});
  store.set_lease_token(std::max(store.lease_token(), token));
}

void ApplyPlace(EffectReader& in) {
  const Job* job = in.KnownJob();
  JobPlace place;
  place.state = in.State();
  place.seq = in.Seq();
  place.since_ms = in.Number();
  place.at_ms = in.Number();
  place.expires_ms = in.Number();
  place.failures = in.Small();
  place.reason = in.Reason();
  const bool known = place.state == JobState::kReady || place.state == JobState::kDelayed ||
                     place.state == JobState::kDead;
  if (!known) in.args.Fail("ERR effect places a job in a state that has no places");
  if (in.Complete()) in.queue.Place(job->id, place);
}

void ApplyError(EffectReader& in) {
  const Job* job = in.KnownJob();
  const std::string_view text = in.args.Bytes();
  if (in.Complete()) in.queue.SetError(job->id, text);
}

void ApplyProgress(EffectReader& in) {
  const Job* job = in.KnownJob();
  const std::string_view progress = in.args.Bytes();
  if (in.Complete()) in.queue.SetProgress(job->id, progress);
}

void ApplyDone(EffectReader& in) {
  const Job* job = in.JobIn(JobState::kLeased);
  JobEnd end;
  end.at_ms = in.Number();
  end.expires_ms = in.Number();
  end.keeps_name = in.Small(1) == 1;
  const bool has_result = in.Small(1) == 1;
  const std::string_view result = in.args.Bytes();
  if (has_result) end.result = result;
  if (in.Complete()) in.queue.Finish(job->id, end);
}

void ApplyForget(EffectReader& in) {
  const Job* job = in.JobIn(JobState::kLeased);
  if (in.Complete()) in.queue.FinishAndForget(job->id);
}

void ApplyGone(EffectReader& in) {
  const Job* job = in.KnownJob();
  if (in.Complete()) in.queue.Remove(job->id);
}

void ApplyDetach(EffectReader& in) {
  const Job* job = in.KnownJob();
  if (in.Complete()) in.queue.DetachDependents(job->id);
}

void ApplyCancel(EffectReader& in) {
  const Job* job = in.JobIn(JobState::kLeased);
  if (in.Complete()) in.queue.FlagCancelled(job->id);
}

void ApplyTier(EffectReader& in) {
  const Job* job = in.KnownJob();
  TierChange change;
  change.own_tier = in.Small(kTierMax);
  change.boost = in.Small();
  change.seq = in.Seq();
  change.since_ms = in.Number();
  if (in.Complete()) in.queue.SetTier(job->id, change);
}

void ApplyUnname(EffectReader& in) {
  const Job* job = in.KnownJob();
  if (in.Complete()) in.queue.ReleaseName(job->id);
}

void ApplyBase(EffectReader& in) {
  const std::int64_t base = in.Seq();
  if (in.Complete()) in.queue.SetBase(base);
}

void ApplyConf(EffectReader& in) {
  QueueSettings settings = in.queue.settings();
  const std::int64_t at_ms = in.Number();
  const std::span<const std::string_view> words = in.args.Rest();
  if (words.size() % 2 != 0) return in.args.Fail(errors::kSyntax);
  if (auto error = settings.Set(words)) in.args.Fail(error->text());
  if (in.Complete()) in.queue.SetSettings(std::move(settings), at_ms);
}

void ApplyPause(EffectReader& in) {
  std::optional<std::uint32_t> tier;
  if (!in.args.Take("*")) tier = in.Small(kTierMax);
  PauseTimes pause;
  pause.in_until_ms = in.Number();
  pause.out_until_ms = in.Number();
  if (in.Complete()) in.queue.SetPause(tier, pause);
}

void ApplyGroupPause(EffectReader& in) {
  const std::string_view group = in.args.Bytes();
  if (group.empty()) in.args.Fail("ERR effect on a group without a name");
  PauseTimes pause;
  pause.in_until_ms = in.Number();
  pause.out_until_ms = in.Number();
  if (in.Complete()) in.queue.SetGroupPause(group, pause);
}

void ApplyRefill(EffectReader& in) {
  const std::int64_t at_ms = in.Number();
  if (in.Complete()) in.queue.Refill(at_ms);
}

void ApplySchedule(EffectReader& in) {
  QueueSchedule schedule;
  for (std::string* text : {&schedule.name, &schedule.expression, &schedule.zone, &schedule.body,
                            &schedule.job_name, &schedule.user}) {
    *text = in.args.Bytes();
  }
  schedule.tier = in.Number(kTierMax);
  schedule.cost = in.Small(Job::kCostMax);
  for (std::int64_t* number : {&schedule.ttl_ms, &schedule.lease_ms, &schedule.tries,
                               &schedule.next_ms, &schedule.last_ms}) {
    *number = in.Number();
  }
  schedule.last_id = in.Count();
  schedule.runs = in.Count();
  schedule.skipped = in.Count();
  if (in.Complete()) in.queue.schedules().Set(std::move(schedule));
}

void ApplyUnschedule(EffectReader& in) {
  const std::string_view name = in.args.Bytes();
  if (in.Complete()) in.queue.schedules().Drop(name);
}

void ApplyRun(EffectReader& in) {
  const std::string_view name = in.args.Bytes();
  const std::int64_t last_ms = in.Number();
  const std::uint64_t id = in.Count();
  const std::int64_t next_ms = in.Number();
  if (in.queue.schedules().Find(name) == nullptr) in.args.Fail("ERR effect on an unknown schedule");
  if (in.Complete()) in.queue.schedules().Ran(name, last_ms, id, next_ms);
}

struct EffectWord {
  std::string_view word;
  void (*apply)(EffectReader& in);
  std::string_view event;
};

constexpr std::array kWords = {
    EffectWord{"ADD", &ApplyAdd, "add"},
    EffectWord{"REPLACE", &ApplyReplace, "add"},
    EffectWord{"LEASE", &ApplyLease, "take"},
    EffectWord{"PLACE", &ApplyPlace, "place"},
    EffectWord{"ERROR", &ApplyError, "fail"},
    EffectWord{"PROGRESS", &ApplyProgress, "progress"},
    EffectWord{"DONE", &ApplyDone, "done"},
    EffectWord{"FORGET", &ApplyForget, "done"},
    EffectWord{"GONE", &ApplyGone, "gone"},
    EffectWord{"CANCEL", &ApplyCancel, "cancel"},
    EffectWord{"TIER", &ApplyTier, "prio"},
    EffectWord{"UNNAME", &ApplyUnname, "unname"},
    EffectWord{"BASE", &ApplyBase, "base"},
    EffectWord{"CONF", &ApplyConf, "conf"},
    EffectWord{"DETACH", &ApplyDetach, "detach"},
    EffectWord{"PAUSE", &ApplyPause, "pause"},
    EffectWord{"GPAUSE", &ApplyGroupPause, "pause"},
    EffectWord{"REFILL", &ApplyRefill, "refill"},
    EffectWord{"CRON", &ApplySchedule, "cron"},
    EffectWord{"UNCRON", &ApplyUnschedule, "cron"},
    EffectWord{"RAN", &ApplyRun, "cron"},
};

Outcome Effect(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::int64_t number = args.IntegerIn(1, kMax, errors::kOutOfRange);
  const std::string_view word = args.Bytes();
  const auto* known = std::find_if(kWords.begin(), kWords.end(),
                                   [&](const EffectWord& each) { return each.word == word; });
  if (known == kWords.end()) args.Fail(errors::kSyntax);
  if (!args.ok()) return ctx.Fail(*args.error());
  Result<Edit<Queue>> edit = ctx.db.EditOrCreate<Queue>(key);
  if (!edit.ok()) return ctx.Fail(edit.error());
  Queue& queue = **edit;
  const std::uint64_t news = queue.last_effect() + 1;
  if (static_cast<std::uint64_t>(number) > news) return ctx.Fail("ERR effects are missing");
  if (static_cast<std::uint64_t>(number) == news) {
    EffectReader reader{.ctx = ctx, .queue = queue, .args = args};
    known->apply(reader);
    if (const auto& error = args.Finish()) return ctx.Fail(*error);
    if (queue.CloseEffect(news)) queue.TakeNotices();
    edit->MarkChanged(known->event);
    ctx.broker.waiters.KeyChanged(ctx.db.index(), key);  // Jobs may have ended.
  }
  ctx.reply.Ok();
  return Outcome::kReplied;
}

constexpr std::array kCommands = {
    Declare({.name = "Q.EFFECT",
             .arity = -4,
             .flags = kWrite | kAdmin | kNoScript,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .acl = "queue dangerous",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Repeats one change of a queue as the log has it; not for clients.",
             .complexity = "O(log n)",
             .syntax = "key:key number:integer word [value...]",
             .handler = &Effect}),
};

}  // namespace

std::span<const CommandSpec> QueueEffectCommands() { return kCommands; }

}  // namespace rung

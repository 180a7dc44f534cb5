// What may be done to a queue: applied, logged, told. See queue_work.h.

#include "commands/queue_work.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "commands/queue_text.h"
#include "rung/commands/timed_work.h"

namespace rung {
namespace {

// A result is kept for an hour when KEEP would not keep its job.
constexpr std::int64_t kResultMs = 3600 * 1000;

// What one command, and one tick, settles at most. The rest waits for the next.
constexpr std::size_t kSettledByCommand = 10000;
constexpr std::size_t kSettledByTick = 256;

std::vector<std::uint64_t> DependentsOf(const Job& job) {
  return job.extra == nullptr ? std::vector<std::uint64_t>() : job.extra->dependents;
}

}  // namespace

Result<QueueWork> QueueWork::Open(ExecContext& ctx, std::string_view key) {
  const std::int64_t now_ms = ctx.db.store().now_ms();
  Result<Edit<Queue>> edit = ctx.db.EditExisting<Queue>(key);
  if (!edit.ok()) return edit.error();
  QueueWork work({ctx.broker, ctx.dispatcher, ctx.db, key}, std::move(*edit));
  if (!work || ctx.db.store().expiry_frozen()) return work;
  const std::optional<std::int64_t> deadline = work.queue().NextDeadline();
  if (!deadline || *deadline > now_ms) return work;
  {
    // An edit of its own, so that what was due is told apart from what the command does.
    QueueWork due = std::move(work);
    due.Settle(now_ms, kSettledByCommand);
  }
  edit = ctx.db.EditExisting<Queue>(key);
  return QueueWork({ctx.broker, ctx.dispatcher, ctx.db, key}, std::move(*edit));
}

Result<QueueWork> QueueWork::OpenOrCreate(ExecContext& ctx, std::string_view key) {
  Result<QueueWork> work = Open(ctx, key);
  if (!work.ok() || *work) return work;
  Result<Edit<Queue>> edit = ctx.db.EditOrCreate<Queue>(key);
  if (!edit.ok()) return edit.error();
  return QueueWork({ctx.broker, ctx.dispatcher, ctx.db, key}, std::move(*edit));
}

Result<const Queue*> QueueWork::Read(ExecContext& ctx, std::string_view key) {
  if (const Result<QueueWork> settled = Open(ctx, key); !settled.ok()) return settled.error();
  return ctx.db.Read<Queue>(key);
}

void QueueWork::Append(const std::vector<std::string>& words) {
  const std::string number = std::to_string(edit_->last_effect());
  std::vector<std::string_view> record = {"Q.EFFECT", key_, number};
  record.insert(record.end(), words.begin(), words.end());
  broker_->effects.Append(db_->index(), record);
}

void QueueWork::RecordDraft(std::string_view word, const JobDraft& draft) {
  Record(word, draft.id, JobStateName(draft.state), draft.seq, draft.since_ms, draft.at_ms,
         draft.tier, draft.cost, draft.expires_ms, draft.lease_ms, draft.tries, draft.group,
         draft.name, draft.user, draft.body, PrintIds(draft.waits_for));
}

std::uint64_t QueueWork::Add(JobDraft& draft) {
  draft.id = edit_->last_id() + 1;
  if (draft.state != JobState::kDelayed) {
    // Waiting for others is waiting: a blocked job has its place, too.
    draft.seq = edit_->last_seq() + 1;
    const std::int64_t since_ms = draft.since_ms != 0 ? draft.since_ms : now_ms();
    draft.since_ms = std::max(since_ms, edit_->latest_since_ms());
  }
  edit_->Add(draft);
  edit_->MeterAdd(*edit_->Find(draft.id), now_ms());
  if (edit_->settings().events != 0) {
    Publish(QueueEvent::kAdd, *edit_->Find(draft.id), JobStateName(draft.state));
  }
  RecordDraft("ADD", draft);
  return draft.id;
}

void QueueWork::Replace(const JobDraft& draft) {
  edit_->Replace(draft);
  RecordDraft("REPLACE", draft);
}

void QueueWork::Grant(const Job& job, std::int64_t length_ms, std::string_view worker) {
  Store& store = db_->store();
  const std::uint64_t token = store.lease_token() + 1;
  store.set_lease_token(token);
  const std::int64_t length = length_ms != 0 ? length_ms : edit_->LeaseLengthOf(job);
  edit_->Grant(job.id, {.token = token,
                        .at_ms = now_ms(),
                        .deadline_ms = now_ms() + length,
                        .length_ms = length,
                        .worker = worker});
  edit_->MeterTake(job, now_ms());
  Publish(QueueEvent::kTake, job, worker);
  Record("LEASE", job.id, token, now_ms(), length, worker);
}

void QueueWork::Extend(const Job& job, std::int64_t length_ms) {
  edit_->Extend(job.id, now_ms() + length_ms, length_ms);
}

void QueueWork::Finish(const Job& job, std::optional<std::string_view> result) {
  const QueueSettings& settings = edit_->settings();
  const std::int64_t at_ms = now_ms();
  const bool keeps_name = job.holds_name && settings.dedup_ms > 0;
  const std::int64_t hold_ms = std::max(result ? kResultMs : 0, keeps_name ? settings.dedup_ms : 0);
  const std::uint64_t id = job.id;
  const std::vector<std::uint64_t> dependents = DependentsOf(job);
  Publish(QueueEvent::kDone, job);
  if (settings.keep.count == 0 && hold_ms == 0) {
    edit_->FinishAndForget(id);
    NoteEnd(id);
    Record("FORGET", id);
    return Release(dependents);
  }
  const bool without_end = settings.keep.count > 0 && settings.keep.ms == 0;
  const std::int64_t kept_ms = settings.keep.count > 0 ? settings.keep.ms : 0;
  const JobEnd end{.at_ms = at_ms,
                   .expires_ms = without_end ? 0 : at_ms + std::max(kept_ms, hold_ms),
                   .keeps_name = keeps_name,
                   .result = result};
  edit_->Finish(id, end);
  NoteEnd(id);
  Record("DONE", id, end.at_ms, end.expires_ms, keeps_name ? "1" : "0", result ? "1" : "0",
         result.value_or(""));
  Release(dependents);
  TrimDone();
}

void QueueWork::Release(const std::vector<std::uint64_t>& ids) {
  for (const std::uint64_t id : ids) {
    const Job* job = edit_->Find(id);
    if (job == nullptr || job->state != JobState::kBlocked || job->waits()) continue;
    const bool due = job->at_ms <= now_ms();
    PlaceJob(*job, {.state = due ? JobState::kReady : JobState::kDelayed,
                    .seq = job->seq,
                    .since_ms = job->since_ms,
                    .at_ms = due ? 0 : job->at_ms,
                    .expires_ms = job->expires_ms(),
                    .failures = job->failures});
  }
}

void QueueWork::Detach(const Job& job) {
  const std::vector<std::uint64_t> dependents = DependentsOf(job);
  if (dependents.empty()) return;
  const std::uint64_t id = job.id;
  edit_->DetachDependents(id);
  Record("DETACH", id);
  Release(dependents);
}

std::int64_t QueueWork::RemoveWithDependents(const Job& job, bool force) {
  // The youngest first: nobody waits for them.
  std::set<std::uint64_t> going = {job.id};
  for (auto id = going.begin(); id != going.end(); ++id) {
    for (const std::uint64_t dependent : DependentsOf(*edit_->Find(*id))) going.insert(dependent);
  }
  for (auto id = going.rbegin(); id != going.rend(); ++id) {
    const Job& each = *edit_->Find(*id);
    if (each.state != JobState::kLeased || force) {
      Remove(each);
    } else if (!each.cancelled) {
      FlagCancelled(each);
    }
  }
  return static_cast<std::int64_t>(going.size());
}

void QueueWork::PlaceJob(const Job& job, const JobPlace& place) {
  const std::uint64_t id = job.id;
  edit_->Place(id, place);
  if (place.state == JobState::kDead) NoteEnd(id);
  Record("PLACE", id, JobStateName(place.state), place.seq, place.since_ms, place.at_ms,
         place.expires_ms, place.failures, DeathReasonName(place.reason));
}

void QueueWork::GiveBack(const Job& job) {
  if (job.cancelled) return Remove(job);
  PlaceJob(job, {.state = JobState::kReady,
                 .seq = job.seq,
                 .since_ms = job.since_ms,
                 .failures = job.failures});
}

void QueueWork::Fail(const Job& job, const Failure& failure) {
  if (job.cancelled) return Remove(job);
  const std::uint32_t failures = job.failures + 1u;
  Publish(failure.by_lease ? QueueEvent::kStall : QueueEvent::kFail, job, failure.error);
  if (!failure.error.empty()) {
    edit_->SetError(job.id, failure.error);
    Record("ERROR", job.id, failure.error);
  }
  if (failure.deadly) return Kill(job, DeathReason::kRejected, failure.at_ms, failures);
  if (edit_->IsLastTry(job, failures)) {
    return Kill(job, DeathReason::kFailures, failure.at_ms, failures);
  }
  std::int64_t wait_ms = 0;
  if (failure.delay_ms) {
    wait_ms = *failure.delay_ms;
  } else if (!failure.by_lease || failures > 1) {
    // A worker that vanished once may have met with an accident: its job is tried again at once.
    wait_ms = Jittered(edit_->settings().backoff.After(failures));
  }
  const bool to_back = !failure.by_lease && edit_->settings().retry_to_back;
  JobPlace place{.state = wait_ms > 0 ? JobState::kDelayed : JobState::kReady,
                 .seq = to_back ? 0 : job.seq,
                 .since_ms = to_back ? 0 : job.since_ms,
                 .at_ms = wait_ms > 0 ? failure.at_ms + wait_ms : 0,
                 .failures = failures};
  if (to_back && wait_ms == 0) {
    place.seq = edit_->last_seq() + 1;
    place.since_ms = std::max(failure.at_ms, edit_->latest_since_ms());
  }
  PlaceJob(job, place);
}

std::int64_t QueueWork::Jittered(std::int64_t wait_ms) {
  const std::int64_t spread = wait_ms * edit_->settings().jitter_percent / 100;
  if (spread == 0) return wait_ms;
  const std::uint64_t drawn = db_->store().rng().Below(2 * static_cast<std::uint64_t>(spread) + 1);
  return wait_ms - spread + static_cast<std::int64_t>(drawn);
}

void QueueWork::Kill(const Job& job, DeathReason reason, std::int64_t at_ms,
                     std::uint32_t failures) {
  const OnDead policy = edit_->settings().on_dead;
  if (policy == OnDead::kRun) Detach(job);
  std::vector<std::uint64_t> dying = {job.id};
  for (std::size_t i = 0; i < dying.size(); ++i) {
    const Job& each = *edit_->Find(dying[i]);
    if (policy == OnDead::kFail) {
      // A job that waits for two of them dies once.
      for (const std::uint64_t id : DependentsOf(each)) {
        if (std::find(dying.begin(), dying.end(), id) == dying.end()) dying.push_back(id);
      }
    }
    KillAlone(each, i == 0 ? reason : DeathReason::kDependency, at_ms,
              i == 0 ? failures : each.failures);
  }
  TrimDead();
}

void QueueWork::KillAlone(const Job& job, DeathReason reason, std::int64_t at_ms,
                          std::uint32_t failures) {
  const std::int64_t kept_ms = edit_->settings().dead_keep.ms;
  Publish(QueueEvent::kDead, job, DeathReasonName(reason));
  PlaceJob(job, {.state = JobState::kDead,
                 .seq = job.seq,
                 .since_ms = job.since_ms,
                 .at_ms = at_ms,
                 .expires_ms = kept_ms == 0 ? 0 : at_ms + kept_ms,
                 .failures = failures,
                 .reason = reason});
}

void QueueWork::Revive(const Job& job, bool fresh) {
  const bool anew = fresh || job.seq == 0;
  PlaceJob(job, {.state = JobState::kReady,
                 .seq = anew ? edit_->last_seq() + 1 : job.seq,
                 .since_ms = anew ? std::max(now_ms(), edit_->latest_since_ms()) : job.since_ms});
}

void QueueWork::TrimDead() {
  while (edit_->dead().size() > edit_->settings().dead_keep.count) {
    // A dead job that somebody waits for stays, so that it can be redriven.
    auto oldest = edit_->dead().First();
    while (oldest.Valid() && (*oldest)->has_dependents()) oldest.Next();
    if (!oldest.Valid()) return;
    Remove(**oldest);
  }
}

void QueueWork::TrimDone() {
  const std::uint64_t count = edit_->settings().keep.count;
  while (count > 0 && edit_->done().size() > count) Remove(*edit_->done().front());
}

void QueueWork::Remove(const Job& job) {
  Detach(job);
  const std::uint64_t id = job.id;
  edit_->Remove(id);
  NoteEnd(id);
  Record("GONE", id);
}

void QueueWork::NoteEnd(std::uint64_t id) {
  broker_->waiters.LineChanged(db_->index(), WaitTopic::kResult, key_, id);
}

void QueueWork::FlagCancelled(const Job& job) {
  edit_->FlagCancelled(job.id);
  Record("CANCEL", job.id);
}

void QueueWork::SetTier(const Job& job, const TierChange& change) {
  edit_->SetTier(job.id, change);
  Record("TIER", job.id, change.own_tier, change.boost, change.seq, change.since_ms);
}

void QueueWork::SetProgress(const Job& job, std::string_view progress) {
  edit_->SetProgress(job.id, progress);
  Record("PROGRESS", job.id, progress);
}

void QueueWork::ReleaseName(const Job& job) {
  edit_->ReleaseName(job.id);
  Record("UNNAME", job.id);
}

const Job* QueueWork::HolderOf(std::string_view name) {
  const Job* holder = edit_->FindName(name);
  if (holder == nullptr || holder->Unfinished()) return holder;
  if (now_ms() < holder->at_ms + edit_->settings().dedup_ms) return holder;
  ReleaseName(*holder);
  return nullptr;
}

void QueueWork::NoteEmpty() {
  if (edit_->count(JobState::kReady) != 0 || edit_->base() == edit_->last_seq()) return;
  edit_->SetBase(edit_->last_seq());
  Record("BASE", edit_->last_seq());
  edit_.MarkBookkeeping();
}

void QueueWork::SetPause(std::optional<std::uint32_t> tier, PauseTimes pause) {
  const QueueTier* known = tier ? edit_->FindTier(*tier) : nullptr;
  PauseTimes before = tier ? PauseTimes() : edit_->pause();
  if (known != nullptr) before = known->pause;
  edit_->SetPause(tier, pause);
  Record("PAUSE", tier ? std::to_string(*tier) : "*", pause.in_until_ms, pause.out_until_ms);
  AnnouncePause(tier ? edit_->settings().TierName(*tier) : "*", {}, before, pause);
}

void QueueWork::SetGroupPause(std::string_view group, PauseTimes pause) {
  const std::optional<std::uint32_t> known = edit_->groups().Find(group);
  const PauseTimes before = known ? edit_->groups()[*known].pause : PauseTimes();
  edit_->SetGroupPause(group, pause);
  Record("GPAUSE", group, pause.in_until_ms, pause.out_until_ms);
  AnnouncePause("*", group, before, pause);
}

void QueueWork::Configure(QueueSettings settings, std::span<const std::string_view> fields) {
  edit_->SetSettings(std::move(settings), now_ms());
  const bool more = edit_->CloseEffect(edit_->last_effect() + 1);
  if (broker_->effects.enabled()) {
    std::vector<std::string> words = {"CONF", std::to_string(now_ms())};
    words.insert(words.end(), fields.begin(), fields.end());
    Append(words);
  }
  AnnounceSettings(fields);
  if (more) Announce(edit_->TakeNotices());
  TrimDead();
  TrimDone();
}

// ---- Timed work

bool QueueWork::Settle(std::int64_t until_ms, std::size_t count_max) {
  for (std::size_t i = 0; i < count_max; ++i) {
    const std::optional<DueWork> due = edit_->NextDue();
    if (!due || due->at_ms > until_ms) return true;
    SettleOne(*due);
  }
  return false;
}

void QueueWork::SettleOne(const DueWork& due) {
  switch (due.kind) {
    case DueKind::kExpiry:
      SettleExpiry(*due.job, due.at_ms);
      return MarkChanged("expire");
    case DueKind::kLease:
      Fail(*due.job, {.at_ms = due.at_ms, .by_lease = true});
      return MarkChanged("stall");
    case DueKind::kDelay: {
      const bool first = due.job->seq == 0;
      Publish(QueueEvent::kDue, *due.job);
      PlaceJob(*due.job, {.state = JobState::kReady,
                          .seq = first ? edit_->last_seq() + 1 : due.job->seq,
                          .since_ms = first ? std::max(due.at_ms, edit_->latest_since_ms())
                                            : due.job->since_ms,
                          .expires_ms = due.job->expires_ms(),
                          .failures = due.job->failures});
      return MarkChanged("due");
    }
    case DueKind::kSchedule:
      RunSchedule(*due.schedule, due.at_ms);
      return MarkChanged("cron");
    case DueKind::kPause:
      EndPauses(due.at_ms);
      return MarkChanged("resume");
    case DueKind::kRefill:
      edit_->Refill(due.at_ms);
      Record("REFILL", due.at_ms);
      return MarkChanged("refill");
  }
}

void QueueWork::SettleExpiry(const Job& job, std::int64_t at_ms) {
  if (job.Unfinished()) return Kill(job, DeathReason::kExpired, at_ms, job.failures);
  if (!job.has_dependents()) return Remove(job);
  // Kept without end: somebody waits for it.
  PlaceJob(job, {.state = JobState::kDead,
                 .seq = job.seq,
                 .since_ms = job.since_ms,
                 .at_ms = job.at_ms,
                 .failures = job.failures});
}

void QueueWork::EndPauses(std::int64_t at_ms) {
  const auto after = [&](PauseTimes pause) {
    if (pause.in_until_ms <= at_ms) pause.in_until_ms = 0;
    if (pause.out_until_ms <= at_ms) pause.out_until_ms = 0;
    return pause;
  };
  std::vector<std::pair<std::uint32_t, PauseTimes>> ended;
  for (const auto& tier : edit_->tiers()) {
    if (after(tier->pause) != tier->pause) ended.emplace_back(tier->number, after(tier->pause));
  }
  if (after(edit_->pause()) != edit_->pause()) SetPause(std::nullopt, after(edit_->pause()));
  for (const auto& [number, pause] : ended) SetPause(number, pause);
  for (const auto& [group, pause] : edit_->groups().EndedPauses(at_ms)) SetGroupPause(group, pause);
}

// Queues are the only values with timed work so far.
void RunNextTimedWork(Broker& broker, Dispatcher& dispatcher) {
  Store& store = broker.store;
  Database* next = nullptr;
  for (int i = 0; i < store.database_count(); ++i) {
    Database& db = store.database(i);
    const std::optional<std::int64_t> at = db.timed().NextDeadline();
    if (at && (next == nullptr || *at < *next->timed().NextDeadline())) next = &db;
  }
  const std::string key(next->timed().next()->key());
  Result<Edit<Queue>> edit = next->EditExisting<Queue>(key);
  QueueWork({broker, dispatcher, *next, key}, std::move(*edit))
      .Settle(store.now_ms(), kSettledByTick);
}

}  // namespace rung

// QueueWork: an open queue and what may be done to it. Every change of a queue goes through here:
// it is applied, logged as an effect, and told to whoever listens.
//
// Effects. The log says what became of a job, never what was asked: `Q.EFFECT key n WORD ...` with
// absolute times and drawn numbers. `n` counts a queue's effects; one that is not news to a queue
// is skipped, so that a log applied twice gives what it gives once.
//
// Time. Work that is due is done before anything else, job by job in the order of the times, as if
// each had been done at its time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "rung/base/result.h"
#include "rung/commands/context.h"
#include "rung/state/broker.h"
#include "rung/store/keyspace.h"
#include "rung/types/queue.h"

namespace rung {

class QueueWork {
 public:
  // Where things happen that are not in the queue itself: the log, publishing.
  struct Place {
    Broker& broker;
    Dispatcher& dispatcher;
    Database& db;
    std::string_view key;
  };
  QueueWork(const Place& place, Edit<Queue> edit)
      : broker_(&place.broker),
        dispatcher_(&place.dispatcher),
        db_(&place.db),
        key_(place.key),
        edit_(std::move(edit)) {}

  // The queue of `key`, with nothing due left undone; empty if there is none. Errors: WRONGTYPE.
  static Result<QueueWork> Open(ExecContext& ctx, std::string_view key);
  // The same; makes the queue if there is none.
  static Result<QueueWork> OpenOrCreate(ExecContext& ctx, std::string_view key);

  // For reading only; null if there is none.
  static Result<const Queue*> Read(ExecContext& ctx, std::string_view key);

  explicit operator bool() const { return static_cast<bool>(edit_); }
  const Queue& queue() const { return *edit_; }
  std::string_view key() const { return key_; }
  std::int64_t now_ms() const { return db_->store().now_ms(); }
  // Tells watchers and waiters; `event` is a literal.
  void MarkChanged(std::string_view event) { edit_.MarkChanged(event); }
  // Publishes "event id tier detail" on the queue's channel, if EVENTS has it.
  void Publish(QueueEvent event, const Job& job, std::string_view detail = {}) const {
    if (edit_->settings().Publishes(event)) PublishNow(event, job, detail);
  }

  // --- Jobs. ---

  // Gives the job its id and, if it is ready, its place: as one that is ready since `since_ms`, or
  // since now if that is 0. Returns the id.
  std::uint64_t Add(JobDraft& draft);
  void Replace(const JobDraft& draft);
  // Leases a ready job. `length_ms` 0: as the job or the queue has it.
  void Grant(const Job& job, std::int64_t length_ms, std::string_view worker);
  void Extend(const Job& job, std::int64_t length_ms);
  // A leased job is done. What is kept of it follows from the settings.
  void Finish(const Job& job, std::optional<std::string_view> result);
  // A leased job goes back to its place, its failures not counted.
  void GiveBack(const Job& job);
  struct Failure {
    std::int64_t at_ms = 0;
    bool by_lease = false;  // The lease ended; else the worker said so.
    bool deadly = false;    // NACK DEAD.
    std::optional<std::int64_t> delay_ms{};
    std::string_view error{};
  };
  // A leased job failed: it becomes ready, delayed or dead, and is gone if it was cancelled.
  void Fail(const Job& job, const Failure& failure);
  void Kill(const Job& job, DeathReason reason, std::int64_t at_ms, std::uint32_t failures);
  // A dead job starts anew, in its own place or (`fresh`) behind all others.
  void Revive(const Job& job, bool fresh);
  void Remove(const Job& job);
  // Nobody waits for the job any more; those that wait for nothing else now start.
  void Detach(const Job& job);
  // The job goes, and whoever waits for it, and so on. Returns how many. Leased ones go only if
  // `force`, else they are flagged.
  std::int64_t RemoveWithDependents(const Job& job, bool force);
  void FlagCancelled(const Job& job);
  void SetTier(const Job& job, const TierChange& change);
  void SetProgress(const Job& job, std::string_view progress);
  void ReleaseName(const Job& job);

  // --- The queue. ---

  // Who holds a name now: an unfinished job, or one whose DEDUP time is not over; null if it is
  // free.
  const Job* HolderOf(std::string_view name);
  // A take found no job ready: scores count from here.
  void NoteEmpty();
  void SetPause(std::optional<std::uint32_t> tier, PauseTimes pause);
  void SetGroupPause(std::string_view group, PauseTimes pause);
  // Schedules: in queue_cron.cc.
  void SetSchedule(QueueSchedule schedule);
  void DropSchedule(std::string_view name);
  // It is due since `at_ms`: adds its job, unless adds are paused, its name is taken or there is no
  // room. What was missed meanwhile is not made up for.
  void RunSchedule(const QueueSchedule& schedule, std::int64_t at_ms);
  // Applies settings (`fields`: name and value in turn), which have been checked.
  void Configure(QueueSettings settings, std::span<const std::string_view> fields);

  // Does what is due at `until_ms`, `count_max` pieces at most. Returns whether all was done.
  bool Settle(std::int64_t until_ms, std::size_t count_max);

 private:
  void SettleOne(const DueWork& due);
  void SettleExpiry(const Job& job, std::int64_t at_ms);
  void EndPauses(std::int64_t at_ms);
  std::uint64_t AddScheduled(const QueueSchedule& schedule, std::uint32_t tier, std::int64_t at_ms);
  void PlaceJob(const Job& job, const JobPlace& place);
  // Whoever waits for the job's end is to hear of it.
  void NoteEnd(std::uint64_t id);
  // Those of the jobs that wait for nothing any more become ready, or delayed.
  void Release(const std::vector<std::uint64_t>& ids);
  // One job dies, and nothing follows from it yet.
  void KillAlone(const Job& job, DeathReason reason, std::int64_t at_ms, std::uint32_t failures);
  void TrimDead();
  void TrimDone();
  std::int64_t Jittered(std::int64_t wait_ms);
  // Counts the effect, and logs it: its word and what follows. Nothing is printed while nobody
  // listens.
  template <typename... Parts>
  void Record(std::string_view word, const Parts&... parts) {
    const bool more = edit_->CloseEffect(edit_->last_effect() + 1);
    if (broker_->effects.enabled()) Append({AsWord(word), AsWord(parts)...});
    if (more) Announce(edit_->TakeNotices());
  }
  void Tell(QueueEvent event, std::uint64_t id, std::string_view tier,
            std::string_view detail) const;
  void PublishNow(QueueEvent event, const Job& job, std::string_view detail) const;
  // About no job: its id is 0, and `tier` is "*" where the whole queue is meant.
  void PublishOfScope(QueueEvent event, std::string_view tier, std::string_view detail) const;
  void Announce(const QueueNotices& notices) const;
  void AnnounceSettings(std::span<const std::string_view> fields) const;
  void AnnouncePause(std::string_view tier, std::string_view group, const PauseTimes& before,
                     const PauseTimes& after) const;
  static std::string AsWord(std::string_view text) { return std::string(text); }
  template <typename T>
  requires std::is_integral_v<T>
  static std::string AsWord(T number) { return std::to_string(number); }
  void Append(const std::vector<std::string>& words);
  void RecordDraft(std::string_view word, const JobDraft& draft);

  Broker* broker_;
  Dispatcher* dispatcher_;
  Database* db_;
  std::string_view key_;
  Edit<Queue> edit_;
};

}  // namespace rung

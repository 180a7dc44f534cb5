// Queue: the value behind the Q.* commands: jobs by tier, in every state of their life.
//
// What it is and is not. The Queue keeps jobs in their orders and changes them one primitive at a
// time. It reads no clock, draws no lots and decides nothing: whoever calls it (commands/
// queue_work.h) says what becomes of a job, with absolute times, and logs just that. Since every
// change goes through one of the primitives below, the log of them rebuilds an equal queue.
//
// Order. A job's key is (tier, seq), lower first; seq is a position counter of the queue, given
// when the job first becomes ready and kept over failures. Each tier keeps its ready jobs by seq;
// how the next tier is chosen is a matter of the selector and touches no job. It is told of a
// primitive when that is complete: a tier or group whose only job moves within it keeps its turn.
//
// Dependencies. A job may wait for older ones, so there are no circles. It is blocked meanwhile,
// and each of those is as urgent as itself: a job's effective tier is the most urgent of its own,
// its boost and the effective ones of its dependents. It is brought up to date by the primitives,
// job by job up the chain, only as far as something changes; and back in the same way.
//
// Times. Everything timed stands in an order by its time, so the next deadline is a matter of four
// comparisons. The user settles what is due before anything else, in the order of NextDue().
//
// Invariants (CheckInvariants()):
//  1. Each job stands in the table of ids and in the orders of its state, and in no others.
//  2. Counts per state and tier, and the bytes of jobs, are what a recount gives.
//  3. added = jobs present + gone.
//  4. The table of names holds the jobs that hold a name, each once; a dead job holds none.
//  5. active tiers are those with a ready job of an open group, no pause and no limit reached,
//     ascending.
//  6. A blocked job and each that it waits for know each other; nobody else waits. Its effective
//     tier is that minimum.
//  7. Where a tier has lanes, each ready job is in that of its group; those of open groups wait
//     their turn, and the first job of each stands in the order of heads.
//  8. A scope is full or not as its marks say, and what it was before.
//  9. The counts of a group are what a recount gives, and it is open if nothing keeps it closed.
//
// Once made a queue stays until it is deleted, like a stream: its ids must not be given twice.
// Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/digest.h"
#include "rung/types/extendible_table.h"
#include "rung/types/lease_deadlines.h"
#include "rung/types/ordered_items.h"
#include "rung/types/queue_group.h"
#include "rung/types/queue_job.h"
#include "rung/types/queue_notices.h"
#include "rung/types/queue_parts.h"
#include "rung/types/queue_schedules.h"
#include "rung/types/queue_settings.h"
#include "rung/types/timed_value.h"
#include "rung/types/wait_topic.h"

namespace rung {

class TierChooser;

class Queue final : public TimedValue {
 public:
  Queue();
  ~Queue() override;

  // For the store, which removes empty values: a queue is never one.
  std::size_t size() const { return by_id_.size() + 1; }
  std::size_t MemoryBytes() const;  // O(tiers).
  std::unique_ptr<Queue> Clone() const;
  void AddTo(Digest& digest) const;
  void CheckInvariants() const;

  // --- Asking. Pointers to jobs live until the job is changed. ---

  const Job* Find(std::uint64_t id) const;
  const Job* FindName(std::string_view name) const;
  // The job whose lease has this token, which must be current; null otherwise.
  const Job* FindLeased(std::uint64_t id, std::uint64_t token) const;
  // True also of a job that is unknown.
  bool IsFinished(std::uint64_t id) const;
  std::uint64_t count(JobState state) const { return counts_[static_cast<std::size_t>(state)]; }
  const QueueTotals& totals() const { return totals_; }
  const QueueSettings& settings() const { return settings_; }
  const PauseTimes& pause() const { return pause_; }
  const std::vector<std::unique_ptr<QueueTier>>& tiers() const { return tiers_; }
  const QueueGroup& GroupOf(const Job& job) const { return groups_[job.group]; }
  const QueueGroups& groups() const { return groups_; }
  const QueueTier* FindTier(std::uint32_t number) const;
  const OrderedItems<Job*, ByTime>& delayed() const { return delayed_; }
  const OrderedItems<Job*, ById>& blocked() const { return blocked_; }
  const OrderedItems<Job*, ByTime>& dead() const { return dead_; }
  const OrderedItems<Job*, ByTime>& done() const { return done_; }
  const LeaseDeadlines& leases() const { return leases_; }
  const QueueSchedules& schedules() const { return schedules_; }

  std::uint64_t last_id() const { return last_id_; }
  std::int64_t last_seq() const { return last_seq_; }
  std::int64_t base() const { return base_; }
  // No job has become ready later than that: what is given as `since` next must not be smaller.
  std::int64_t latest_since_ms() const { return latest_since_ms_; }
  // tier * 2^32 + (seq - base); nothing where that would not keep the order.
  std::optional<std::int64_t> ScoreOf(const Job& job) const;
  // Jobs that wait, neither leased nor finished, and the bytes of their names and bodies.
  std::uint64_t waiting() const {
    return count(JobState::kReady) + count(JobState::kDelayed) + count(JobState::kBlocked);
  }
  std::uint64_t waiting_bytes() const { return waiting_bytes_; }
  const RateGate& rate() const { return rate_; }
  // What waits in a scope, and what may.
  ScopeLoad LoadOf(LoadScope scope) const;
  ScopeLimits LimitsOf(LoadScope scope) const;
  // The tier that the job counts as if this were its own: what waits for it is not less urgent.
  std::uint32_t EffectiveTier(const Job& job, std::uint32_t own_tier) const;
  // Jobs that reached their full number of failures at `failures` die.
  bool IsLastTry(const Job& job, std::uint32_t failures) const;
  std::int64_t LeaseLengthOf(const Job& job) const;

  // --- Measuring: no effects. ---

  const QueueMeters& meters() const { return *meters_; }
  void MeterAdd(const Job& job, std::int64_t now_ms);
  void MeterTake(const Job& job, std::int64_t now_ms);

  // --- Choosing. ---

  // True if nothing about the queue as a whole (a pause, a limit) keeps takes waiting.
  bool IsOpen() const;
  // The job that a worker is given next, if there is one, and why. Cost: O(tiers with jobs), but
  // O(1) in strict mode.
  std::optional<QueuePick> PickNext(TierRange range, std::int64_t now_ms) const;
  const TierChooser& chooser() const { return *chooser_; }
  // Tiers with a ready job, no pause and no limit reached, top first.
  const std::vector<QueueTier*>& active_tiers() const { return active_; }

  // What a blocked client may hope for. Ten thousand idle workers are not asked each when the last
  // job is taken; and as workers and producers differ in what serves them, one who was passed over
  // may be served by what became of the next one's request.
  WaitOutlook OutlookFor(WaitTopic topic, std::uint64_t id) const;

  // --- Time. ---

  std::optional<std::int64_t> NextDeadline() const override;
  // The first of all that is timed. At the same time: expiries, leases, delays, schedules, pauses.
  std::optional<DueWork> NextDue() const;

  // --- Primitives: each is one effect. `id` must be of a job here. ---

  // The number of the last effect; each primitive is given its own by the caller, one higher.
  std::uint64_t last_effect() const { return last_effect_; }
  // Counts what the primitives did since the last time as that effect. If that says true, something
  // may have followed from it, and TakeNotices() must be called before the next primitive.
  [[nodiscard]] bool CloseEffect(std::uint64_t number) {
    last_effect_ = number;
    return settings_.limits.length != 0 || settings_.limits.bytes != 0 || full_ ||
           !touched_.empty() || !lifted_before_.empty();
  }
  QueueNotices TakeNotices();

  // Requires an id above last_id().
  void Add(const JobDraft& draft);
  // Puts another job in the place of a waiting one, under its id.
  void Replace(const JobDraft& draft);
  // Ready -> leased.
  void Grant(std::uint64_t id, const LeaseGrant& grant);
  // The lease's new end; not an effect.
  void Extend(std::uint64_t id, std::int64_t deadline_ms, std::int64_t length_ms);
  // Leased, dead, delayed -> ready, delayed, dead.
  void Place(std::uint64_t id, const JobPlace& place);
  void SetError(std::uint64_t id, std::string_view error);
  void SetProgress(std::uint64_t id, std::string_view progress);
  // Leased -> done, and kept.
  void Finish(std::uint64_t id, const JobEnd& end);
  // Leased -> done, and gone at once.
  void FinishAndForget(std::uint64_t id);
  void Remove(std::uint64_t id);
  // Nobody waits for the job any more. (Finish and FinishAndForget do so, too.)
  void DetachDependents(std::uint64_t id);
  void FlagCancelled(std::uint64_t id);
  void SetTier(std::uint64_t id, const TierChange& change);
  void ReleaseName(std::uint64_t id);
  void SetBase(std::int64_t base) { base_ = base; }
  QueueSchedules& schedules() { return schedules_; }
  void SetSettings(QueueSettings settings, std::int64_t at_ms);
  // Rates that give again at `at_ms` do so.
  void Refill(std::int64_t at_ms);
  // Of the whole queue, or of one tier.
  void SetPause(std::optional<std::uint32_t> tier, PauseTimes pause);
  void SetGroupPause(std::string_view group, PauseTimes pause);  // Requires a name.

 private:
  struct JobId {
    std::string_view operator()(const Job* job) const {
      return {reinterpret_cast<const char*>(&job->id), sizeof(job->id)};
    }
  };
  struct JobName {
    std::string_view operator()(const Job* job) const { return job->name(); }
  };
  static std::uint64_t HashId(std::uint64_t id);  // Ids are the queue's own: none are chosen.
  struct HashIdBytes {
    std::uint64_t operator()(std::string_view bytes) const;
  };

  Job* Get(std::uint64_t id) const;
  QueueTier& TierAt(std::uint32_t number);
  void DropIdleTiers();
  void Enter(Job* job);  // Into the orders of its state ...
  void Leave(Job* job);  // ... and out of them.
  void EnterOrder(Job* job, QueueTier* tier);
  void LeaveOrder(Job* job, QueueTier* tier);
  static bool IsServable(const QueueTier& tier);
  // The tier's turn may have come or gone, or its next job be another one.
  void RefreshTier(QueueTier& tier);
  void TellTurns();  // At the end of each primitive.
  void SetActive(QueueTier& tier, bool active);
  void Insert(const JobDraft& draft);
  void DetachFrom(Job* job);
  void TakeRate(RateGate& gate, std::int64_t at_ms);
  void FindNextRefill();
  QueueMeters* MetersOf(std::uint32_t tier);
  // Notices (queue_notices.cc).
  void TouchLoad(const QueueTier& tier);
  void WatchLoad(QueueTier& tier);
  void NoteLift(const Job& job);  // Before its tiers change.
  void CheckMark(LoadScope scope, bool& full, QueueNotices& notices) const;
  void CheckMarks() const;
  void TakeName(Job* job);
  void DropName(Job* job);
  void EndLease(Job* job);
  // Groups (queue_groups.cc).
  std::uint32_t GroupAt(std::string_view name);
  std::uint32_t JoinGroup(std::string_view name);
  void LeaveGroup(std::uint32_t number);
  bool OwesNothing(std::uint32_t group) const;
  void UpdateGroup(std::uint32_t number);
  void ConfigureGroups(const QueueSettings& before, std::int64_t at_ms);
  void LimitGroup(std::uint32_t number, std::int64_t at_ms);
  void BuildLanes(QueueTier& tier);
  void EnterLane(QueueTier& tier, Job* job);
  void LeaveLane(QueueTier& tier, Job* job);
  void SetLaneOpen(QueueTier& tier, std::uint32_t group);
  void TellGroupTurns(QueueTier& tier);
  void RenewTurns(QueueTier& tier);
  void CopyTurns(const Queue& from);
  void CheckLanes(const QueueTier& tier) const;
  void CheckGroups() const;
  // Dependencies (queue_dependencies.cc).
  void LinkDependencies(Job* job, std::span<const std::uint64_t> ids);
  void UnlinkDependencies(Job* job);
  // Moves those whose effective tier is another one now, and whoever that concerns.
  void UpdateTiers(std::vector<Job*> jobs);
  void MoveToTier(Job* job, std::uint32_t tier);
  void CheckDependencies(const Job& job) const;
  void Forget(Job* job);
  void CheckJob(const Job& job) const;
  void CheckCounts() const;
  void AddJobTo(Digest& digest, const Job& job) const;

  QueueSettings settings_;
  ExtendibleTable<Job*, JobId, HashIdBytes> by_id_;
  ExtendibleTable<Job*, JobName> by_name_;
  std::vector<std::unique_ptr<QueueTier>> tiers_;  // Ascending.
  QueueGroups groups_;
  std::vector<QueueTier*> active_;        // Ascending.
  std::unique_ptr<TierChooser> chooser_;  // Knows of the active ones.
  std::vector<QueueTier*> stale_;         // In the order in which they changed.
  OrderedItems<Job*, ByTime> delayed_;
  OrderedItems<Job*, ById> blocked_;
  OrderedItems<Job*, ByTime> dead_;
  OrderedItems<Job*, ByTime> done_;
  OrderedItems<Job*, ByExpiry> expiring_;
  LeaseDeadlines leases_;
  std::vector<std::unique_ptr<Lease>> free_leases_;
  QueueSchedules schedules_;
  PauseTimes pause_;
  std::int64_t next_pause_end_ms_ = PauseTimes::kForever;
  RateGate rate_;
  std::int64_t next_refill_ms_ = PauseTimes::kForever;
  std::uint64_t waiting_bytes_ = 0;
  bool full_ = false;               // As QueueTier::full.
  std::vector<LoadScope> touched_;  // With limits, and another load than before this effect.
  // The effective and own tiers that jobs had before this effect, where that is to be told.
  std::map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> lifted_before_;
  std::array<std::uint64_t, kJobStates> counts_{};
  QueueTotals totals_;
  std::unique_ptr<QueueMeters> meters_;
  std::size_t job_bytes_ = 0;
  std::uint64_t last_id_ = 0;
  std::int64_t last_seq_ = 0;
  std::int64_t base_ = 0;
  std::int64_t latest_since_ms_ = 0;
  std::uint64_t last_effect_ = 0;
};

}  // namespace rung

// QueueTwin: what a queue must do, written down without any data structure: a list of jobs, and
// brute force over it. The model test runs the same requests against it and the engine.
//
// A twin can be given a defect on purpose. The test is worth something only if it finds each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kit/reply.h"
#include "rung/types/queue_job.h"
#include "rung/types/queue_limits.h"

namespace rung::testing {

enum class Defect : std::uint8_t {
  kNone,
  kFreshSeqOnRetry,    // A retried job goes to the back of its tier.
  kStaleAckAccepted,   // An ACK is taken by its id alone.
  kWrappedPosition,    // Positions wrap around, at 64 instead of 2^32.
  kEndedLeaseIsFree,   // A lease that ended is not counted as a failure.
  kForgottenName,      // A name is not free again after its job.
  kForgottenBoost,     // A boost that is taken back stays.
  kAgeAdded,           // Aging makes a job less urgent: the sign is wrong.
  kInheritsForEver,    // Who was waited for stays urgent afterwards.
  kExactServesTwo,     // A group in exact order is given a second job.
  kGroupLeaseStays,    // A lease that ended still counts for its group's CONC.
  kClosedGroupsAge,    // A tier is as old as what it cannot give.
  kBytesOfBodies,      // The names of jobs are not counted.
  kProducersSleep,     // A producer that waits is not told of room.
  kRunsMissedTimes,    // A schedule makes up for what it missed.
  kNoHysteresis,       // A scope has ease again as soon as it is below its upper mark.
  kMergesBeyondRight,  // An add under a taken name is not asked about its tier.
  kProducersOvertake,  // A producer gets room that one before it waits for.
};

struct TwinJob {
  std::uint64_t id = 0;
  std::string body;
  std::string group;
  std::string name;
  JobState state = JobState::kReady;
  std::int64_t seq = 0;
  std::int64_t since = 0;
  std::int64_t at = 0;        // Due, died, finished.
  std::int64_t expires = 0;   // End of TTL or of retention.
  std::int64_t deadline = 0;  // Of the lease.
  std::int64_t length = 0;
  std::int64_t granted = 0;  // Its length at first: what the log knows.
  std::uint64_t token = 0;
  std::string worker;
  std::uint32_t own = 0;
  std::uint32_t boost = Job::kNoBoost;
  mutable std::uint32_t inherited = Job::kNoBoost;  // From those that wait for it.
  std::vector<std::uint64_t> waits_for;
  std::uint32_t failures = 0;
  std::uint32_t deliveries = 0;
  std::int64_t lease = 0;
  std::int64_t tries = -1;
  bool holds_name = false;
  bool cancelled = false;
  std::string error;
  std::string progress;
  std::optional<std::string> result;
  DeathReason reason = DeathReason::kNone;

  std::uint32_t tier() const { return std::min({own, boost, inherited}); }
  bool Unfinished() const { return state != JobState::kDead && state != JobState::kDone; }
  bool Waits() const { return Unfinished() && state != JobState::kLeased; }
};

struct TwinStep {
  std::uint32_t tier;
  std::int64_t after;
  std::uint32_t to;
};

struct TwinLimits {
  std::size_t len = 0;
  std::size_t bytes = 0;
  char full = 'r';  // 'r'eject, 'b'lock, 'o'ldest, 's'hed
  std::uint32_t high = 80;
  std::uint32_t low = 60;
  std::size_t conc = 0;
  std::int64_t rate = 0;
  std::int64_t per = 1;
};

// Of which jobs something is said: of all, of a tier, of a group.
struct TwinScope {
  std::optional<std::uint32_t> tier;
  std::optional<std::string> group;  // Empty: of jobs without one.

  bool Holds(const TwinJob& job) const {
    return (!tier || job.tier() == *tier) && (!group || job.group == *group);
  }
};

struct TwinGate {
  RateLimit limit;
  std::int64_t free_at = 0;
};

struct TwinSettings {
  char groups = 'f';                             // 'o'ff, 'f'air, 'e'xact
  TwinLimits group_limits;                       // Of each group ...
  std::map<std::string, TwinLimits> own_groups;  // ... that has none of its own.
  char on_dead = 'b';                            // 'b'lock, 'f'ail, 'r'un
  TwinLimits limits;
  std::map<std::uint32_t, TwinLimits> tiers;
  // 's'trict, 'a'ging, ste'p'; or 'w'eighted, 'f'loors: there the next ids are told beforehand.
  char mode = 's';
  std::string names;  // Of a closed ladder: a letter each.
  std::int64_t aging = 1800000;
  std::uint32_t cap = 0;
  std::vector<TwinStep> steps;
  std::int64_t lease = 30000;
  std::uint32_t tries = 5;
  std::vector<std::int64_t> backoff = {1000};  // As a list; the last one holds on.
  bool retry_to_back = false;
  std::int64_t dedup = 0;
  std::uint64_t keep_count = 0;
  std::int64_t keep_ms = 0;
  std::uint64_t dead_count = 100000;
  std::int64_t dead_ms = std::int64_t{14} * 24 * 3600 * 1000;
};

// Who asks, and which tiers are his.
struct TwinUser {
  std::string name = "default";
  std::uint32_t first = 0;
  std::uint32_t last = 2097151;
};

struct AddOp {
  int client = 0;
  TwinUser user;
  std::optional<std::int64_t> block;  // 0: for ever.
  std::vector<std::string> bodies;
  std::uint32_t tier = 100;
  std::int64_t delay = 0;
  std::int64_t ttl = 0;
  std::vector<std::uint64_t> after;
  std::string group;
  std::string name;
  char taken_name = 'm';  // 'm'erge, 'n'othing, 'r'eplace
  std::int64_t lease = 0;
  std::int64_t tries = -1;
};

struct TakeOp {
  int client = 0;
  std::size_t count = 1;
  std::optional<std::int64_t> block;  // 0: for ever.
  std::int64_t lease = 0;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> tiers;
  bool without_ack = false;
};

struct PrioOp {
  TwinUser user;
  std::uint64_t id = 0;
  std::uint32_t tier = 0;
  char way = 'k';  // 'k'eep, f'r'esh, 'f'ront, 'b'oost, 'u'nboost
};

struct NackOp {
  std::uint64_t id = 0;
  std::uint64_t token = 0;
  char way = 'b';  // 'b'ackoff, 'd'elay, 'x' dead, 'f'ree
  std::int64_t delay = 0;
  std::string error;
};

struct TwinSchedule {
  TwinUser user;
  std::string name;
  std::string expression;
  std::string body;
  std::string job_name;
  std::optional<std::uint32_t> tier;
  std::int64_t ttl = 0;
  std::int64_t next = 0;
  std::int64_t last = 0;
  std::uint64_t last_id = 0;
  std::uint64_t runs = 0;
  std::uint64_t skipped = 0;
};

struct TwinPause {
  std::int64_t in = 0;
  std::int64_t out = 0;
};

class QueueTwin {
 public:
  QueueTwin(std::int64_t now, Defect defect) : now_(now), defect_(defect) {}

  std::int64_t now() const { return now_; }
  const std::vector<TwinJob>& jobs() const { return jobs_; }
  const TwinSettings& settings() const { return settings_; }
  bool exists() const { return exists_; }
  bool IsBlocked(int client) const;
  bool AnyProducerWaits() const;
  bool HasDeadline(std::int64_t deadline) const;
  std::uint64_t last_token() const { return last_token_; }

  // Replies to blocked clients, in the order in which they come; taken by the caller.
  std::vector<std::pair<int, Reply>> served;
  // Whose turn it is by shares or among groups is told, not computed: by Q.EXPLAIN beforehand or,
  // where a client waits or takes from some tiers only, by what it was given. That it may be given
  // out, and that something is given if anything can be, is checked here.
  std::vector<std::uint64_t> promised;
  // The ids that a client that waits has been given by now.
  std::function<std::vector<std::uint64_t>(int client)> peek;
  bool grouped = false;  // Jobs have groups.
  bool IsTold() const { return grouped || settings_.mode == 'w' || settings_.mode == 'f'; }
  // What was told and cannot be right; empty if nothing was wrong.
  std::string complaint;

  // Time passes with every deadline met; or in one leap, and what was due is found late.
  void AdvanceTo(std::int64_t to);
  void LeapTo(std::int64_t to);
  void SettleNow() { SettleUntil(now_); }
  // After each request: waiters get what has become ready.
  void ServeWaiters();
  void TimeOutWaiters();

  // Each settles what is due, and gives the reply; nothing if the client is blocked.
  std::optional<Reply> Add(const AddOp& op);
  std::optional<Reply> Take(const TakeOp& op);
  Reply Ack(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& receipts,
            const std::optional<std::string>& result);
  Reply Nack(const NackOp& op);
  Reply Extend(std::uint64_t id, std::uint64_t token, std::int64_t length,
               const std::string& progress);
  Reply Prio(const PrioOp& op);
  // `followers`: '-', 'c'ascade, 'd'etach
  Reply Cancel(const std::vector<std::uint64_t>& ids, bool force, char followers);
  // Brings what jobs inherit up to date.
  void Inherit() const;
  Reply Redrive(std::size_t count, std::optional<std::uint32_t> tier, bool fresh,
                const TwinUser& user);
  Reply SetSchedule(TwinSchedule schedule);
  Reply DropSchedule(const std::string& name);
  const std::map<std::string, TwinSchedule>& schedules() const { return schedules_; }
  bool IsFull(const TwinScope& scope) const;
  Reply CancelState(JobState state, const TwinScope& scope, std::size_t count, bool force);
  Reply Pause(const TwinScope& scope, bool in, bool out, std::int64_t until);
  // Of a state in its order, as Q.LIST and Q.CANCEL STATE have it.
  std::vector<const TwinJob*> InOrder(JobState state, const TwinScope& scope) const;
  Reply Configure(const TwinSettings& settings);
  // Q.GET BLOCK 0: only whether the client waits now.
  bool WaitForJob(int client, std::uint64_t id);
  // Nothing of the group is given out now.
  bool IsGroupShut(const std::string& group) const;
  Reply Delete();
  // The engine was killed, and its log replayed: waits are over, leases begin anew.
  void Restart();

 private:
  struct Waiter {
    TakeOp op;
    std::int64_t deadline = 0;   // 0: never.
    std::uint64_t job = 0;       // Q.GET: which; 0: a take ...
    std::optional<AddOp> add{};  // ... or an add that waits for room ...
    std::string line{};          // ... in this scope: "queue", "tier=7", "group=a".

    int topic() const { return add ? 2 : job != 0 ? 1 : 0; }
  };
  struct Room {
    std::optional<Reply> refusal;
    bool may_wait = false;
    std::string line{};  // What is full, or has others waiting.
  };

  TwinJob* Find(std::uint64_t id);
  TwinJob* Holder(const std::string& name);
  void Remove(std::uint64_t id);
  std::optional<std::int64_t> NextDue() const;
  void SettleUntil(std::int64_t until);
  void SettleAt(std::int64_t at);
  void SettleJob(std::uint64_t id, std::int64_t at);
  void MakeReady(TwinJob& job, std::int64_t at, bool fresh);
  void Fail(TwinJob& job, const NackOp& op, std::int64_t at, bool by_lease);
  void Kill(TwinJob& job, DeathReason reason, std::int64_t at);
  std::vector<std::uint64_t> DependentsOf(std::uint64_t id) const;
  // Nobody waits for the job any more.
  void Complete(std::uint64_t id);
  void Finish(TwinJob& job, const std::optional<std::string>& result);
  void TrimDead();
  void TrimDone();
  bool DropFirst(JobState state);
  TwinJob* Next(const TakeOp& op);
  TwinJob* NextPromised(const TwinJob& brute_force, const TakeOp& op);
  bool MayBeGiven(const TwinJob& job, const TakeOp& op) const;
  bool GoesBefore(const TwinJob& a, const TwinJob& b) const;
  std::int64_t LevelOf(const TwinJob& job) const;
  std::string TierName(std::uint32_t tier) const;
  bool ChooseDependencies(const std::vector<std::uint64_t>& after, TwinJob& job);
  bool IsPaused(std::uint32_t tier, bool in) const;
  TwinLimits LimitsOf(std::uint32_t tier) const;
  TwinLimits LimitsOfGroup(const std::string& group) const;
  std::size_t CountWaiting(const TwinScope& scope) const;
  std::size_t CountLeased(const TwinScope& scope) const;
  bool IsShut(std::optional<std::uint32_t> tier) const;
  void TakeRate(TwinGate& gate) const;
  void TakeGroupRate(const std::string& group);
  void ChangeRate(TwinGate& gate, const TwinLimits& limits) const;
  // Makes room at `at` for jobs, or says why not and changes nothing.
  struct RoomFor {
    std::uint32_t tier = 0;
    std::string group{};
    std::size_t count = 1;
    std::size_t bytes = 0;
    bool may_kill = true;
    bool stands_in_line = false;  // Behind those who wait already.
  };
  Room MakeRoom(const RoomFor& request, std::int64_t at);
  std::size_t BytesWaiting(const TwinScope& scope) const;
  std::size_t BytesOf(const std::string& name, const std::string& body) const;
  // The line in which somebody waits already whom the request must not overtake.
  std::optional<std::string> LineAhead(const RoomFor& request) const;
  void UpdateMarks();
  std::uint32_t DefaultTier() const;
  // What the user is told who may not use the tier.
  static std::optional<Reply> Refuse(const TwinUser& user, std::uint32_t tier);
  // Nothing: it waits for room.
  // `again`: the client waits already. Nothing if it has to wait (on), and `line_` says in which
  // line.
  std::optional<Reply> TryAdd(const AddOp& op, bool may_wait, bool again);
  std::optional<Reply> AddToHolder(const AddOp& op, TwinJob& holder, TwinJob job);
  std::optional<Reply> TryWaiter(Waiter& waiter);
  static std::int64_t NextOf(const std::string& expression, std::int64_t after);
  void RunSchedule(TwinSchedule& schedule, std::int64_t at);
  // What a take gives now; nothing if there is no job for it.
  std::optional<Reply> TryTake(const TakeOp& op);
  std::int64_t NewSeq();
  static Reply Stale(std::uint64_t id, std::uint64_t token);

  std::int64_t now_;
  Defect defect_;
  bool exists_ = false;
  std::vector<TwinJob> jobs_;
  TwinSettings settings_;
  TwinPause pause_;
  std::map<std::uint32_t, TwinPause> tier_pauses_;
  TwinGate gate_;
  std::map<std::uint32_t, TwinGate> tier_gates_;
  std::map<std::string, TwinPause> group_pauses_;
  std::map<std::string, TwinGate> group_gates_;
  std::map<std::string, std::size_t> leaked_;  // By a defect: leases that ended and still count.
  std::vector<Waiter> waiters_;
  std::string line_;
  bool changed_ = false;  // The last request that was tried changed something.
  std::map<std::string, TwinSchedule> schedules_;
  bool full_ = false;
  std::map<std::uint32_t, bool> full_tiers_;
  std::map<std::string, bool> full_groups_;
  std::uint64_t last_id_ = 0;
  std::uint64_t last_token_ = 0;
  std::int64_t last_seq_ = 0;
  std::int64_t latest_since_ = 0;
};

}  // namespace rung::testing

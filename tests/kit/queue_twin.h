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

#include "kit/queue_twin_parts.h"
#include "kit/queue_twin_turns.h"
#include "kit/reply.h"

namespace rung::testing {

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
  std::int64_t cost = 1;
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

class QueueTwin {
 public:
  QueueTwin(std::int64_t now, Defect defect) : now_(now), defect_(defect), turns_(defect) {}

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
  // The ids that a client has been given by now: looked at only where two turns are level, so that
  // a rounding decides.
  std::function<std::vector<std::uint64_t>(int client)> peek;
  bool grouped = false;  // Jobs have groups.
  const TwinTurns& turns() const { return turns_; }
  // How many jobs were given out, and how many of them were level with others.
  std::size_t given() const { return given_; }
  std::size_t level() const { return level_; }

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
    bool fresh = true;           // Nothing has changed since it began to wait.

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
  // Nobody waits for the job any more: who did, and who of them is ready.
  std::vector<std::uint64_t> Detach(std::uint64_t id);
  void Release(const std::vector<std::uint64_t>& ids);
  void Finish(TwinJob& job, const std::optional<std::string>& result);
  void TrimDead();
  void TrimDone();
  bool DropFirst(JobState state);
  // `taken`: so many jobs were given to the taker before.
  TwinJob* Next(const TakeOp& op, std::size_t taken);
  // The first jobs of the groups that are open, by tier.
  TwinTurns::Heads HeadsOfGroups();
  // Those tiers that no pause or limit of their own keeps from giving one of `heads`.
  TwinTurns::Tiers OpenTiers(const TwinTurns::Heads& heads) const;
  std::uint32_t NextByAge(const TwinTurns::Heads& heads) const;
  bool GoesBefore(const TwinJob& a, const TwinJob& b) const;
  std::int64_t LevelOf(const TwinJob& job) const;
  std::string TierName(std::uint32_t tier) const;
  bool ChooseDependencies(const std::vector<std::uint64_t>& after, TwinJob& job);
  bool IsPaused(std::uint32_t tier) const;  // For adds.
  TwinLimits LimitsOf(std::uint32_t tier) const;
  TwinLimits LimitsOfGroup(const std::string& group) const;
  std::size_t CountWaiting(const TwinScope& scope) const;
  std::size_t CountLeased(const TwinScope& scope) const;
  bool IsShut() const;
  // Nothing of the tier is given out, for its own sake.
  bool IsTierShut(std::uint32_t tier) const;
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
  // Marks and turns follow.
  void AfterEffect();
  void UpdateMarks();
  void UpdateTurns();
  // By a defect: the job is away while it moves.
  void LoseTurn(TwinJob& job);
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
  void Grant(TwinJob& job, const TakeOp& op);
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
  TwinTurns turns_;
  std::size_t given_ = 0;
  std::size_t level_ = 0;
  std::uint64_t last_id_ = 0;
  std::uint64_t last_token_ = 0;
  std::int64_t last_seq_ = 0;
  std::int64_t latest_since_ = 0;
};

}  // namespace rung::testing

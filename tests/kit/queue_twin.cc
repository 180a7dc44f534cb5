// The twin of a queue. See queue_twin.h.

#include "kit/queue_twin.h"

#include <algorithm>
#include <limits>

namespace rung::testing {
namespace {

constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

// When time alone changes the job next, and in which order that comes among equals.
std::pair<std::int64_t, int> DueOf(const TwinJob& job) {
  std::pair<std::int64_t, int> due = {kForever, 9};
  if (job.expires != 0) due = std::min(due, {job.expires, 0});
  if (job.state == JobState::kLeased) due = std::min(due, {job.deadline, 1});
  if (job.state == JobState::kDelayed) due = std::min(due, {job.at, 2});
  return due;
}

Reply EntryOf(const TwinJob& job) {
  return Bulks({"q", std::to_string(job.id) + "-" + std::to_string(job.token), job.body});
}

Reply NumberOf(std::size_t count) { return Int(static_cast<std::int64_t>(count)); }

}  // namespace

Reply QueueTwin::Stale(std::uint64_t id, std::uint64_t token) {
  return Err("QSTALE receipt=" + std::to_string(id) + "-" + std::to_string(token));
}

TwinJob* QueueTwin::Find(std::uint64_t id) {
  for (TwinJob& job : jobs_) {
    if (job.id == id) return &job;
  }
  return nullptr;
}

TwinJob* QueueTwin::Holder(const std::string& name) {
  for (TwinJob& job : jobs_) {
    if (!job.holds_name || job.name != name) continue;
    if (job.Unfinished() || now_ < job.at + settings_.dedup) return &job;
    job.holds_name = false;
  }
  return nullptr;
}

void QueueTwin::Inherit() const {
  const bool for_ever = defect_ == Defect::kInheritsForEver;
  for (const TwinJob& job : jobs_) {
    if (!for_ever) job.inherited = Job::kNoBoost;
  }
  // From the youngest to the oldest: nobody waits for a younger one.
  std::vector<const TwinJob*> order;
  for (const TwinJob& job : jobs_) order.push_back(&job);
  std::sort(order.begin(), order.end(),
            [](const TwinJob* a, const TwinJob* b) { return a->id > b->id; });
  for (const TwinJob* job : order) {
    if (job->waits_for.empty()) continue;
    for (const TwinJob& other : jobs_) {
      const auto& ids = job->waits_for;
      if (std::find(ids.begin(), ids.end(), other.id) == ids.end()) continue;
      other.inherited = std::min(other.inherited, job->tier());
    }
  }
}

std::vector<std::uint64_t> QueueTwin::DependentsOf(std::uint64_t id) const {
  std::vector<std::uint64_t> ids;
  for (const TwinJob& job : jobs_) {
    const auto& waits = job.waits_for;
    if (std::find(waits.begin(), waits.end(), id) != waits.end()) ids.push_back(job.id);
  }
  return ids;
}

std::vector<std::uint64_t> QueueTwin::Detach(std::uint64_t id) {
  const std::vector<std::uint64_t> dependents = DependentsOf(id);
  for (const std::uint64_t each : dependents) std::erase(Find(each)->waits_for, id);
  return dependents;
}

void QueueTwin::Release(const std::vector<std::uint64_t>& ids) {
  for (const std::uint64_t id : ids) {
    TwinJob* job = Find(id);
    if (job == nullptr || job->state != JobState::kBlocked || !job->waits_for.empty()) continue;
    const bool due = job->at <= now_;
    job->state = due ? JobState::kReady : JobState::kDelayed;
    if (due) job->at = 0;
    AfterEffect();
  }
}

void QueueTwin::Remove(std::uint64_t id) {
  const std::vector<std::uint64_t> dependents = Detach(id);
  AfterEffect();
  Release(dependents);
  std::erase_if(jobs_, [&](const TwinJob& job) { return job.id == id; });
  AfterEffect();
}

std::int64_t QueueTwin::NewSeq() {
  ++last_seq_;
  return defect_ == Defect::kWrappedPosition ? last_seq_ % 64 : last_seq_;
}

// ---- Time

std::optional<std::int64_t> QueueTwin::NextDue() const {
  std::int64_t due = kForever;
  for (const TwinJob& job : jobs_) due = std::min(due, DueOf(job).first);
  const auto offer = [&](const TwinPause& pause) {
    if (pause.in != 0) due = std::min(due, pause.in);
    if (pause.out != 0) due = std::min(due, pause.out);
  };
  offer(pause_);
  for (const auto& [tier, pause] : tier_pauses_) offer(pause);
  for (const auto& [group, pause] : group_pauses_) offer(pause);
  const auto offer_gate = [&](const TwinGate& gate) {
    if (gate.free_at != 0) due = std::min(due, gate.free_at);
  };
  for (const auto& [name, schedule] : schedules_) {
    if (schedule.next != 0) due = std::min(due, schedule.next);
  }
  offer_gate(gate_);
  for (const auto& [tier, gate] : tier_gates_) offer_gate(gate);
  for (const auto& [group, gate] : group_gates_) offer_gate(gate);
  return due == kForever ? std::nullopt : std::optional(due);
}

void QueueTwin::SettleUntil(std::int64_t until) {
  while (const auto due = NextDue()) {
    if (*due > until) break;
    SettleAt(*due);
  }
}

// One thing that is due at `at`, the next in order.
void QueueTwin::SettleAt(std::int64_t at) {
  // Expiries by id, leases by token, delays by id.
  std::optional<std::pair<int, std::uint64_t>> first;
  std::uint64_t id = 0;
  for (const TwinJob& job : jobs_) {
    const auto [when, kind] = DueOf(job);
    if (when != at) continue;
    const std::pair<int, std::uint64_t> rank = {kind, kind == 1 ? job.token : job.id};
    if (first && *first < rank) continue;
    first = rank;
    id = job.id;
  }
  if (first) {
    SettleJob(id, at);
    return AfterEffect();
  }
  for (auto& [name, schedule] : schedules_) {
    if (schedule.next == at) return RunSchedule(schedule, at);
  }
  const auto end = [&](TwinPause& pause) {
    if (pause.in <= at) pause.in = 0;
    if (pause.out <= at) pause.out = 0;
  };
  end(pause_);
  for (auto& [tier, pause] : tier_pauses_) end(pause);
  for (auto& [group, pause] : group_pauses_) end(pause);
  const auto refill = [&](TwinGate& gate) {
    if (gate.free_at <= at) gate.free_at = 0;
  };
  refill(gate_);
  for (auto& [tier, gate] : tier_gates_) refill(gate);
  for (auto& [group, gate] : group_gates_) refill(gate);
  if (defect_ != Defect::kStartForgotten) AfterEffect();
}

void QueueTwin::SettleJob(std::uint64_t id, std::int64_t at) {
  TwinJob& job = *Find(id);
  switch (DueOf(job).second) {
    case 0:
      if (job.Unfinished()) return Kill(job, DeathReason::kExpired, at);
      if (DependentsOf(id).empty()) return Remove(id);
      job.expires = 0;
      return;
    case 1:
      if (defect_ == Defect::kGroupLeaseStays) ++leaked_[job.group];
      if (defect_ == Defect::kEndedLeaseIsFree) return MakeReady(job, at, false);
      return Fail(job, {}, at, true);
    default: {
      const std::int64_t expires = job.expires;
      MakeReady(job, at, job.seq == 0);
      job.expires = expires;
    }
  }
}

void QueueTwin::AdvanceTo(std::int64_t to) {
  while (true) {
    std::int64_t next = NextDue().value_or(kForever);
    for (const Waiter& waiter : waiters_) {
      if (waiter.deadline != 0) next = std::min(next, waiter.deadline);
    }
    if (next > to) break;
    now_ = std::max(now_, next);
    SettleUntil(now_);
    ServeWaiters();
    TimeOutWaiters();
    // Who stood behind one of those may have room now.
    ServeWaiters();
  }
  now_ = to;
}

void QueueTwin::LeapTo(std::int64_t to) { now_ = to; }

// ---- What becomes of jobs

void QueueTwin::MakeReady(TwinJob& job, std::int64_t at, bool fresh) {
  if (fresh) {
    job.seq = NewSeq();
    job.since = std::max(at, latest_since_);
    latest_since_ = job.since;
  }
  job.state = JobState::kReady;
  job.at = 0;
  job.expires = 0;
  job.token = 0;
}

void QueueTwin::Fail(TwinJob& job, const NackOp& op, std::int64_t at, bool by_lease) {
  if (job.cancelled) return Remove(job.id);
  ++job.failures;
  if (!op.error.empty()) job.error = op.error;
  if (op.way == 'x') return Kill(job, DeathReason::kRejected, at);
  const std::int64_t tries = job.tries >= 0 ? job.tries : settings_.tries;
  if (tries != 0 && job.failures >= tries) return Kill(job, DeathReason::kFailures, at);
  std::int64_t wait = 0;
  if (op.way == 'd') {
    wait = op.delay;
  } else if (!by_lease || job.failures > 1) {
    wait = settings_.backoff[std::min<std::size_t>(job.failures, settings_.backoff.size()) - 1];
  }
  const bool to_back =
      (!by_lease && settings_.retry_to_back) || defect_ == Defect::kFreshSeqOnRetry;
  if (wait == 0) return MakeReady(job, at, to_back);
  job.state = JobState::kDelayed;
  job.at = at + wait;
  job.token = 0;
  if (to_back) job.seq = job.since = 0;
}

void QueueTwin::Kill(TwinJob& job, DeathReason reason, std::int64_t at) {
  const std::uint64_t first = job.id;
  if (settings_.on_dead == 'r') {
    const std::vector<std::uint64_t> dependents = Detach(first);
    AfterEffect();
    Release(dependents);
  }
  std::vector<std::uint64_t> dying = {first};
  for (std::size_t i = 0; i < dying.size(); ++i) {
    TwinJob& each = *Find(dying[i]);
    for (const std::uint64_t id : DependentsOf(each.id)) {
      const bool known = std::find(dying.begin(), dying.end(), id) != dying.end();
      if (settings_.on_dead == 'f' && !known) dying.push_back(id);
    }
    each.state = JobState::kDead;
    each.at = at;
    each.reason = i == 0 ? reason : DeathReason::kDependency;
    each.token = 0;
    each.holds_name = false;
    each.waits_for.clear();
    each.expires = settings_.dead_ms == 0 ? 0 : at + settings_.dead_ms;
    AfterEffect();
  }
  TrimDead();
}

void QueueTwin::Finish(TwinJob& job, const std::optional<std::string>& result) {
  const bool keeps_name = job.holds_name && settings_.dedup > 0;
  std::int64_t hold = result ? 3600000 : 0;
  if (keeps_name) hold = std::max(hold, settings_.dedup);
  if (settings_.keep_count == 0 && hold == 0) {
    if (defect_ == Defect::kForgottenName && job.holds_name) {
      job.state = JobState::kDone;
      job.at = job.expires = kForever / 2;
      return;
    }
    const std::uint64_t id = job.id;
    const std::vector<std::uint64_t> dependents = Detach(id);
    std::erase_if(jobs_, [&](const TwinJob& each) { return each.id == id; });
    AfterEffect();
    return Release(dependents);
  }
  const std::vector<std::uint64_t> dependents = Detach(job.id);
  job.state = JobState::kDone;
  job.at = now_;
  job.token = 0;
  job.holds_name = keeps_name;
  job.result = result;
  const std::int64_t kept = settings_.keep_count > 0 ? settings_.keep_ms : 0;
  const bool without_end = settings_.keep_count > 0 && settings_.keep_ms == 0;
  job.expires = without_end ? 0 : now_ + std::max(kept, hold);
  AfterEffect();
  Release(dependents);
  TrimDone();
}

bool QueueTwin::DropFirst(JobState state) {
  const TwinJob* first = nullptr;
  for (const TwinJob& job : jobs_) {
    if (job.state != state || !DependentsOf(job.id).empty()) continue;
    if (first == nullptr || std::pair(job.at, job.id) < std::pair(first->at, first->id)) {
      first = &job;
    }
  }
  if (first != nullptr) Remove(first->id);
  return first != nullptr;
}

void QueueTwin::TrimDead() {
  const auto count = [&] {
    return static_cast<std::size_t>(std::count_if(
        jobs_.begin(), jobs_.end(), [](const TwinJob& j) { return j.state == JobState::kDead; }));
  };
  while (count() > settings_.dead_count && DropFirst(JobState::kDead)) {
  }
}

void QueueTwin::TrimDone() {
  const auto count = [&] {
    return static_cast<std::size_t>(std::count_if(
        jobs_.begin(), jobs_.end(), [](const TwinJob& j) { return j.state == JobState::kDone; }));
  };
  while (settings_.keep_count > 0 && count() > settings_.keep_count) DropFirst(JobState::kDone);
}

Reply QueueTwin::Configure(const TwinSettings& settings) {
  SettleUntil(now_);
  settings_ = settings;
  exists_ = true;
  ChangeRate(gate_, settings_.limits);
  for (auto& [tier, gate] : tier_gates_) ChangeRate(gate, LimitsOf(tier));
  for (const auto& [tier, limits] : settings_.tiers) ChangeRate(tier_gates_[tier], limits);
  for (auto& [group, gate] : group_gates_) ChangeRate(gate, LimitsOfGroup(group));
  turns_.Configure(settings_);
  AfterEffect();
  TrimDead();
  TrimDone();
  return Ok();
}

// ---- Requests

bool QueueTwin::IsPaused(std::uint32_t tier) const {
  const auto found = tier_pauses_.find(tier);
  return pause_.in != 0 || (found != tier_pauses_.end() && found->second.in != 0);
}

std::string QueueTwin::TierName(std::uint32_t tier) const {
  if (tier < settings_.names.size()) return std::string(1, settings_.names[tier]);
  return std::to_string(tier);
}

// The level of a job now, in milliseconds of waiting: smaller is more urgent.
std::int64_t QueueTwin::LevelOf(const TwinJob& job) const {
  const std::int64_t age = (now_ - job.since) * (defect_ == Defect::kAgeAdded ? -1 : 1);
  return std::max(settings_.cap * settings_.aging, job.tier() * settings_.aging - age);
}

// Of two tiers' first jobs: which is more urgent now?
bool QueueTwin::GoesBefore(const TwinJob& a, const TwinJob& b) const {
  if (settings_.mode == 'a' && a.tier() >= settings_.cap && b.tier() >= settings_.cap) {
    // Of two that have reached the cap, the one that reached it first.
    const auto order = [&](const TwinJob& job) {
      return std::tuple(LevelOf(job), job.since + job.tier() * settings_.aging, job.tier());
    };
    return order(a) < order(b);
  }
  if (settings_.mode == 'p') {
    const auto order = [&](const TwinJob& job) {
      std::uint32_t level = job.tier();
      for (const TwinStep& step : settings_.steps) {
        if (step.tier == job.tier() && now_ - job.since >= step.after) {
          level = std::min(level, step.to);
        }
      }
      return std::tuple(level, job.seq, job.tier());
    };
    return order(a) < order(b);
  }
  return a.tier() < b.tier();
}

// Which tier is next in the modes that go by nothing but their first jobs.
std::uint32_t QueueTwin::NextByAge(const TwinTurns::Heads& heads) const {
  const TwinJob* next = nullptr;
  for (const auto& [tier, groups] : heads) {
    const TwinJob* head = TwinTurns::OldestOf(groups);
    for (const TwinJob& job : jobs_) {
      const bool of_closed_group = job.state == JobState::kReady && job.tier() == tier;
      if (defect_ != Defect::kClosedGroupsAge || !of_closed_group) continue;
      if (job.seq < head->seq) head = &job;
    }
    if (next == nullptr || GoesBefore(*head, *next)) next = head;
  }
  return next->tier();
}

TwinJob* QueueTwin::Next(const TakeOp& op, std::size_t taken) {
  if (pause_.out != 0 || IsShut()) return nullptr;
  TwinTurns::Heads heads = HeadsOfGroups();
  const TwinTurns::Tiers open = OpenTiers(heads);
  std::erase_if(heads, [&](const auto& each) {
    const bool asked =
        !op.tiers || (each.first >= op.tiers->first && each.first <= op.tiers->second);
    return !asked || open.count(each.first) == 0;
  });
  if (heads.empty()) return nullptr;
  std::vector<TwinJob*> next;
  if (settings_.mode == 'w' || settings_.mode == 'f') {
    next = turns_.Next(heads, now_);
  } else {
    const std::uint32_t tier = NextByAge(heads);
    next = turns_.NextOf(tier, heads[tier]);
  }
  ++given_;
  if (next.size() == 1) return next.front();
  ++level_;
  const std::vector<std::uint64_t> told = peek(op.client);
  const auto given = std::find_if(next.begin(), next.end(), [&](const TwinJob* job) {
    return told.size() > taken && job->id == told[taken];
  });
  return given == next.end() ? next.front() : *given;
}

void QueueTwin::Grant(TwinJob& job, const TakeOp& op) {
  turns_.Charge(job);
  job.state = JobState::kLeased;
  job.token = ++last_token_;
  job.length = op.lease != 0 ? op.lease : job.lease != 0 ? job.lease : settings_.lease;
  job.granted = job.length;
  job.deadline = now_ + job.length;
  job.expires = 0;
  job.cancelled = false;
  ++job.deliveries;
  TakeRate(gate_);
  if (settings_.tiers.count(job.tier()) != 0) TakeRate(tier_gates_[job.tier()]);
  TakeGroupRate(job.group);
  AfterEffect();
}

std::optional<Reply> QueueTwin::TryTake(const TakeOp& op) {
  std::vector<Reply> entries;
  std::vector<std::uint64_t> ids;
  while (entries.size() < op.count) {
    TwinJob* job = Next(op, entries.size());
    if (job == nullptr) break;
    Grant(*job, op);
    entries.push_back(EntryOf(*job));
    ids.push_back(job->id);
  }
  if (entries.empty()) return std::nullopt;
  changed_ = true;
  if (op.without_ack) {
    for (const std::uint64_t id : ids) Finish(*Find(id), std::nullopt);
  }
  return Array(entries);
}

std::optional<Reply> QueueTwin::Take(const TakeOp& op) {
  SettleUntil(now_);
  if (auto reply = TryTake(op)) return reply;
  if (!op.block) return NullArray();
  waiters_.push_back({.op = op, .deadline = *op.block == 0 ? 0 : now_ + *op.block});
  return std::nullopt;
}

Reply QueueTwin::Ack(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& receipts,
                     const std::optional<std::string>& result) {
  SettleUntil(now_);
  std::vector<Reply> replies;
  for (const auto& [id, token] : receipts) {
    TwinJob* job = Find(id);
    const bool any_token = defect_ == Defect::kStaleAckAccepted;
    if (job == nullptr || job->state != JobState::kLeased || (job->token != token && !any_token)) {
      replies.push_back(receipts.size() == 1 ? Stale(id, token) : Int(0));
    } else if (job->cancelled) {
      replies.push_back(receipts.size() == 1 ? Err("QCANCELLED receipt=" + std::to_string(id) +
                                                   "-" + std::to_string(token))
                                             : Int(0));
      Remove(id);
    } else {
      replies.push_back(receipts.size() == 1 ? Ok() : Int(1));
      Finish(*job, result);
    }
  }
  return receipts.size() == 1 ? replies[0] : Array(replies);
}

Reply QueueTwin::Nack(const NackOp& op) {
  SettleUntil(now_);
  TwinJob* job = Find(op.id);
  if (job == nullptr || job->state != JobState::kLeased || job->token != op.token) {
    return Stale(op.id, op.token);
  }
  if (job->cancelled) {
    Remove(op.id);
    return Err("QCANCELLED receipt=" + std::to_string(op.id) + "-" + std::to_string(op.token));
  }
  if (op.way == 'f') {
    MakeReady(*job, now_, false);
    AfterEffect();
    return Status("ready");
  }
  Fail(*job, op, now_, false);
  AfterEffect();
  job = Find(op.id);
  return Status(job == nullptr ? "dead" : std::string(JobStateName(job->state)));
}

Reply QueueTwin::Extend(std::uint64_t id, std::uint64_t token, std::int64_t length,
                        const std::string& progress) {
  SettleUntil(now_);
  TwinJob* job = Find(id);
  if (job == nullptr || job->state != JobState::kLeased || job->token != token) {
    return Stale(id, token);
  }
  if (job->cancelled) {
    return Err("QCANCELLED receipt=" + std::to_string(id) + "-" + std::to_string(token));
  }
  if (length != 0) job->length = length;
  job->deadline = now_ + job->length;
  if (!progress.empty()) job->progress = progress;
  return Int(job->length);
}

Reply QueueTwin::Prio(const PrioOp& op) {
  SettleUntil(now_);
  TwinJob* job = Find(op.id);
  if (job == nullptr) return Err("QNOJOB id=" + std::to_string(op.id));
  if (!job->Unfinished()) {
    return Err("QSTATE id=" + std::to_string(op.id) +
               " state=" + std::string(JobStateName(job->state)));
  }
  Inherit();
  if (op.way == 'b' || op.way == 'f' || (op.way != 'u' && op.tier < job->own)) {
    if (auto refusal = Refuse(op.user, op.tier)) return *refusal;
  }
  // In front of those that are there before anything changes.
  const TwinJob* head = nullptr;
  const std::uint32_t target = std::min({op.tier, job->boost, job->inherited});
  for (const TwinJob& other : jobs_) {
    if (other.state != JobState::kReady || other.tier() != target) continue;
    if (head == nullptr || std::pair(other.seq, other.id) < std::pair(head->seq, head->id)) {
      head = &other;
    }
  }
  LoseTurn(*job);
  const bool placed = job->state != JobState::kDelayed || job->seq != 0;
  if (op.way == 'r' && placed) {
    job->seq = NewSeq();
    job->since = latest_since_ = std::max(now_, latest_since_);
  }
  if (op.way == 'f' && placed && head != nullptr && (job->seq == 0 || job->seq > head->seq)) {
    job->seq = head->seq - 1;
    job->since = head->since;
  }
  if (op.way == 'b') job->boost = op.tier;
  if (op.way == 'u' && defect_ != Defect::kForgottenBoost) job->boost = Job::kNoBoost;
  if (op.way == 'k' || op.way == 'r' || op.way == 'f') job->own = op.tier;
  AfterEffect();
  return Int(job->tier());
}

Reply QueueTwin::Cancel(const std::vector<std::uint64_t>& ids, bool force, char followers) {
  SettleUntil(now_);
  for (const std::uint64_t id : ids) {
    const std::size_t dependents = DependentsOf(id).size();
    if (followers != '-' || Find(id) == nullptr || dependents == 0) continue;
    return Err("QSTATE id=" + std::to_string(id) + " dependents=" + std::to_string(dependents));
  }
  std::size_t count = 0;
  for (const std::uint64_t id : ids) {
    if (Find(id) == nullptr) continue;
    std::vector<std::uint64_t> going = {id};
    for (std::size_t i = 0; followers == 'c' && i < going.size(); ++i) {
      for (const std::uint64_t dependent : DependentsOf(going[i])) {
        if (std::find(going.begin(), going.end(), dependent) == going.end()) {
          going.push_back(dependent);
        }
      }
    }
    std::sort(going.rbegin(), going.rend());
    for (const std::uint64_t each : going) {
      ++count;
      TwinJob& job = *Find(each);
      if (followers != 'c') {
        const std::vector<std::uint64_t> dependents = Detach(each);
        AfterEffect();
        Release(dependents);
      }
      if (job.state == JobState::kLeased && !force) {
        job.cancelled = true;
      } else {
        Remove(each);
      }
    }
  }
  return NumberOf(count);
}

Reply QueueTwin::Redrive(std::size_t count, std::optional<std::uint32_t> tier, bool fresh,
                         const TwinUser& user) {
  SettleUntil(now_);
  std::vector<std::pair<std::int64_t, std::uint64_t>> dead;
  for (const TwinJob& job : jobs_) {
    if (job.state == JobState::kDead) dead.emplace_back(job.at, job.id);
  }
  std::sort(dead.begin(), dead.end());
  if (dead.size() > count) dead.resize(count);
  for (const auto& [at, id] : dead) {
    if (!tier || *tier >= Find(id)->own) continue;
    if (auto refusal = Refuse(user, *tier)) return *refusal;
  }
  std::size_t revived = 0;
  for (const auto& [at, id] : dead) {
    TwinJob& job = *Find(id);
    if (!job.name.empty() && Holder(job.name) != nullptr) continue;
    Inherit();
    const std::uint32_t tier_then = std::min({tier.value_or(job.own), job.boost, job.inherited});
    const RoomFor request{.tier = tier_then,
                          .group = job.group,
                          .bytes = BytesOf(job.name, job.body),
                          .may_kill = false};
    if (MakeRoom(request, now_).refusal) continue;
    if (tier) job.own = *tier;
    MakeReady(job, now_, fresh || job.seq == 0);
    job.failures = 0;
    job.reason = DeathReason::kNone;
    job.holds_name = !job.name.empty();
    AfterEffect();
    ++revived;
  }
  return NumberOf(revived);
}

Reply QueueTwin::Pause(const TwinScope& scope, bool in, bool out, std::int64_t until) {
  SettleUntil(now_);
  if (!exists_) return Err("QNOQUEUE key=q");
  TwinPause& pause = scope.tier    ? tier_pauses_[*scope.tier]
                     : scope.group ? group_pauses_[*scope.group]
                                   : pause_;
  const TwinPause before = pause;
  if (in) pause.in = until;
  if (out) pause.out = until;
  AfterEffect();
  return Int(pause.in != before.in || pause.out != before.out ? 1 : 0);
}

Reply QueueTwin::Delete() {
  const Reply reply = Int(exists_ ? 1 : 0);
  exists_ = false;
  jobs_.clear();
  settings_ = {};
  pause_ = {};
  tier_pauses_.clear();
  gate_ = {};
  tier_gates_.clear();
  group_pauses_.clear();
  group_gates_.clear();
  leaked_.clear();
  schedules_.clear();
  full_ = false;
  full_tiers_.clear();
  full_groups_.clear();
  turns_ = TwinTurns(defect_);
  last_id_ = 0;
  last_seq_ = 0;
  latest_since_ = 0;
  return reply;
}

void QueueTwin::Restart() {
  waiters_.clear();
  for (TwinJob& job : jobs_) {
    job.length = job.granted;
    job.deadline = now_ + job.granted;
  }
}

}  // namespace rung::testing

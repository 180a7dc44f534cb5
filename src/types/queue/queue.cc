// The primitives of a queue and the orders behind them. See queue.h.

#include "rung/types/queue.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "rung/base/check.h"
#include "rung/base/memory.h"
#include "types/queue/group_lanes.h"
#include "types/queue/queue_meters.h"
#include "types/queue/tier_chooser.h"

namespace rung {
namespace {

// So many tiers without jobs and settings may stand by: making one costs more than keeping it.
constexpr std::size_t kIdleTiersMax = 64;

std::uint64_t IdIn(std::string_view bytes) {
  std::uint64_t id = 0;
  std::memcpy(&id, bytes.data(), sizeof(id));
  return id;
}

std::string_view BytesOf(const std::uint64_t& id) {
  return {reinterpret_cast<const char*>(&id), sizeof(id)};
}

bool IsIdle(const QueueTier& tier) {
  const auto empty = [](std::uint64_t count) { return count == 0; };
  const bool limited = tier.leases_max != 0 || tier.rate.limit.count() != 0;
  return !limited && !tier.full && !tier.stale && tier.meters == nullptr && !tier.pause.any() &&
         std::all_of(tier.counts.begin(), tier.counts.end(), empty);
}

template <typename Tiers>
auto TierPlace(Tiers& tiers, std::uint32_t number) {
  return std::lower_bound(
      tiers.begin(), tiers.end(), number,
      [](const auto& tier, std::uint32_t bound) { return tier->number < bound; });
}

}  // namespace

// Jobs come and go about in the order of their ids, so four that follow each other share a place in
// the table: what one has loaded into the cache serves the next three. The multiples of the golden
// ratio cover the hash space evenly, which leaves hardly any of these fours without room at home;
// strewn at random, a group with room for fifteen would often get four of them.
std::uint64_t Queue::HashId(std::uint64_t id) {
  constexpr std::uint64_t kTogether = 4;
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
  return (id / kTogether * kGoldenRatio & ~(kTogether - 1)) | id % kTogether;
}

std::uint64_t Queue::HashIdBytes::operator()(std::string_view bytes) const {
  return HashId(IdIn(bytes));
}

Queue::Queue()
    : chooser_(std::make_unique<TierChooser>()), meters_(std::make_unique<QueueMeters>()) {}

Queue::~Queue() {
  by_id_.ForEach([](Job* job) { Job::Destroy(job); });
  leases_.ForEach([](Lease* lease) { delete lease; });
}

Job* Queue::Get(std::uint64_t id) const {
  Job* const* slot = by_id_.Find(BytesOf(id), HashId(id));
  RUNG_CHECK(slot != nullptr, "a job that is not here");
  return *slot;
}

const Job* Queue::Find(std::uint64_t id) const {
  Job* const* slot = by_id_.Find(BytesOf(id), HashId(id));
  return slot == nullptr ? nullptr : *slot;
}

const Job* Queue::FindName(std::string_view name) const {
  Job* const* slot = by_name_.Find(name, HashBytes(name));
  return slot == nullptr ? nullptr : *slot;
}

const Job* Queue::FindLeased(std::uint64_t id, std::uint64_t token) const {
  const Job* job = Find(id);
  const bool current =
      job != nullptr && job->state == JobState::kLeased && job->lease->token == token;
  return current ? job : nullptr;
}

bool Queue::IsFinished(std::uint64_t id) const {
  const Job* job = Find(id);
  return job == nullptr || !job->Unfinished();
}

const QueueTier* Queue::FindTier(std::uint32_t number) const {
  const auto place = TierPlace(tiers_, number);
  return place != tiers_.end() && (*place)->number == number ? place->get() : nullptr;
}

QueueTier& Queue::TierAt(std::uint32_t number) {
  auto place = TierPlace(tiers_, number);
  if (place != tiers_.end() && (*place)->number == number) return **place;
  // At each doubling, so that a ladder of many tiers is not searched for idle ones all the time.
  if (tiers_.size() >= kIdleTiersMax && std::has_single_bit(tiers_.size())) {
    DropIdleTiers();
    place = TierPlace(tiers_, number);
  }
  auto tier = std::make_unique<QueueTier>();
  tier->number = number;
  const ScopeLimits& limits = settings_.LimitsOf(number);
  tier->leases_max = limits.leases;
  tier->rate.limit = RateLimit(limits.rate_count, limits.rate_per_ms);
  tier->watches_load = limits.length != 0 || limits.bytes != 0;
  return **tiers_.insert(place, std::move(tier));
}

// Costs O(tiers).
void Queue::DropIdleTiers() {
  const auto idle =
      std::count_if(tiers_.begin(), tiers_.end(), [](const auto& tier) { return IsIdle(*tier); });
  if (static_cast<std::size_t>(idle) < kIdleTiersMax / 2) return;
  std::erase_if(tiers_, [](const auto& tier) { return IsIdle(*tier); });
}

std::optional<std::int64_t> Queue::ScoreOf(const Job& job) const {
  const std::int64_t position = job.seq - base_;
  if (position < 1 || position >= std::int64_t{1} << 32) return std::nullopt;
  return (std::int64_t{job.tier()} << 32) + position;
}

bool Queue::IsLastTry(const Job& job, std::uint32_t failures) const {
  const std::int64_t own = job.extra == nullptr ? -1 : job.extra->tries;
  const std::int64_t tries = own >= 0 ? own : settings_.tries;
  return tries != 0 && failures >= tries;
}

std::int64_t Queue::LeaseLengthOf(const Job& job) const {
  const std::int64_t own = job.extra == nullptr ? 0 : job.extra->lease_ms;
  return own != 0 ? own : settings_.lease_ms;
}

// ---- Measuring

QueueMeters* Queue::MetersOf(std::uint32_t tier) {
  // Of an open ladder, with a tier for each number, that would be too much.
  if (settings_.open_ladder()) return nullptr;
  QueueTier& at = TierAt(tier);
  if (at.meters == nullptr) at.meters = std::make_unique<QueueMeters>();
  return at.meters.get();
}

void Queue::MeterAdd(const Job& job, std::int64_t now_ms) {
  meters_->in.Add(now_ms);
  if (QueueMeters* tier = MetersOf(job.tier())) tier->in.Add(now_ms);
}

void Queue::MeterTake(const Job& job, std::int64_t now_ms) {
  for (QueueMeters* meters : {meters_.get(), MetersOf(job.tier())}) {
    if (meters == nullptr) continue;
    meters->out.Add(now_ms);
    meters->waits.Record(now_ms, now_ms - job.since_ms);
  }
}

// ---- Orders

void Queue::Enter(Job* job) {
  ++counts_[static_cast<std::size_t>(job->state)];
  job_bytes_ += job->MemoryBytes();
  QueueTier* tier = nullptr;
  if (job->Unfinished()) {
    tier = &TierAt(job->tier());
    ++tier->counts[static_cast<std::size_t>(job->state)];
    if (job->state != JobState::kLeased) {
      tier->waiting_bytes += job->text_bytes();
      waiting_bytes_ += job->text_bytes();
      TouchLoad(*tier);
    } else if (tier->leases_max != 0 || tier->rate.free_at_ms != 0) {
      RefreshTier(*tier);
    }
  }
  groups_[job->group].Add(*job);
  EnterOrder(job, tier);
  if (job->group != 0) UpdateGroup(job->group);
  if (job->expires_ms() != 0) expiring_.Insert(job);
}

void Queue::EnterOrder(Job* job, QueueTier* tier) {
  switch (job->state) {
    case JobState::kReady:
      tier->ready.Insert(job);
      if (tier->lanes != nullptr) {
        EnterLane(*tier, job);
      } else if (job->group != 0) {
        BuildLanes(*tier);
      }
      if (tier->lanes != nullptr || !tier->active || tier->ready.front() == job) RefreshTier(*tier);
      break;
    case JobState::kDelayed:
      delayed_.Insert(job);
      break;
    case JobState::kLeased:
      leases_.Insert(job->lease);
      break;
    case JobState::kDead:
      dead_.Insert(job);
      break;
    case JobState::kDone:
      done_.Insert(job);
      break;
    case JobState::kBlocked:
      blocked_.Insert(job);
      break;
  }
}

void Queue::Leave(Job* job) {
  --counts_[static_cast<std::size_t>(job->state)];
  job_bytes_ -= job->MemoryBytes();
  QueueTier* tier = nullptr;
  if (job->Unfinished()) {
    tier = &TierAt(job->tier());
    --tier->counts[static_cast<std::size_t>(job->state)];
    if (job->state != JobState::kLeased) {
      tier->waiting_bytes -= job->text_bytes();
      waiting_bytes_ -= job->text_bytes();
      TouchLoad(*tier);
    } else if (tier->leases_max != 0) {
      RefreshTier(*tier);
    }
  }
  groups_[job->group].Remove(*job);
  LeaveOrder(job, tier);
  if (job->expires_ms() != 0) expiring_.Erase(job);
}

void Queue::LeaveOrder(Job* job, QueueTier* tier) {
  switch (job->state) {
    case JobState::kReady:
      tier->ready.Erase(job);
      if (tier->lanes != nullptr) LeaveLane(*tier, job);
      RefreshTier(*tier);
      break;
    case JobState::kDelayed:
      delayed_.Erase(job);
      break;
    case JobState::kLeased:
      EndLease(job);
      break;
    case JobState::kDead:
      dead_.Erase(job);
      break;
    case JobState::kDone:
      done_.Erase(job);
      break;
    case JobState::kBlocked:
      blocked_.Erase(job);
      break;
  }
}

void Queue::EndLease(Job* job) {
  Lease* const lease = job->lease;
  leases_.Erase(lease);
  job->at_ms = 0;
  lease->job = nullptr;
  lease->worker.clear();
  free_leases_.emplace_back(lease);
}

bool Queue::IsServable(const QueueTier& tier) {
  const bool full = tier.leases_max != 0 && tier.count(JobState::kLeased) >= tier.leases_max;
  return OldestOf(tier) != nullptr && !full && tier.pause.out_until_ms == 0 &&
         tier.rate.free_at_ms == 0;
}

void Queue::RefreshTier(QueueTier& tier) {
  if (!tier.stale) stale_.push_back(&tier);
  tier.stale = true;
}

// First all stop waiting that do, then the others start.
void Queue::TellTurns() {
  for (QueueTier* tier : stale_) {
    if (tier->lanes != nullptr) TellGroupTurns(*tier);
  }
  for (QueueTier* tier : stale_) {
    if (tier->active && !IsServable(*tier)) SetActive(*tier, false);
  }
  for (QueueTier* tier : stale_) {
    tier->stale = false;
    if (tier->active) {
      chooser_->SetCost(tier->number, NextOf(*tier)->cost());
    } else if (IsServable(*tier)) {
      SetActive(*tier, true);
    }
  }
  stale_.clear();
}

void Queue::SetActive(QueueTier& tier, bool active) {
  tier.active = active;
  const auto place = TierPlace(active_, tier.number);
  if (active) {
    active_.insert(place, &tier);
    chooser_->Activate(tier.number, NextOf(tier)->cost());
  } else {
    active_.erase(place);
    chooser_->Deactivate(tier.number);
  }
}

void Queue::TakeName(Job* job) {
  if (job->name_size == 0) return;
  const std::uint64_t hash = HashBytes(job->name());
  if (by_name_.Find(job->name(), hash) != nullptr) return;
  by_name_.Insert(job->name(), hash, job);
  job->holds_name = true;
}

void Queue::DropName(Job* job) {
  if (!job->holds_name) return;
  by_name_.Erase(job->name(), HashBytes(job->name()));
  job->holds_name = false;
}

void Queue::Forget(Job* job) {
  DropName(job);
  by_id_.Erase(BytesOf(job->id), HashId(job->id));
  LeaveGroup(job->group);
  Job::Destroy(job);
}

// ---- Time

std::optional<DueWork> Queue::NextDue() const {
  std::optional<DueWork> next;
  const auto offer = [&](DueKind kind, std::int64_t at_ms, const Job* job) {
    if (!next || at_ms < next->at_ms) next = DueWork{.kind = kind, .at_ms = at_ms, .job = job};
  };
  if (!expiring_.empty()) {
    offer(DueKind::kExpiry, expiring_.front()->extra->expires_ms, expiring_.front());
  }
  if (!leases_.empty()) {
    offer(DueKind::kLease, leases_.front()->deadline_ms, leases_.front()->job);
  }
  if (!delayed_.empty()) offer(DueKind::kDelay, delayed_.front()->at_ms, delayed_.front());
  if (const QueueSchedule* schedule = schedules_.Next()) {
    offer(DueKind::kSchedule, schedule->next_ms, nullptr);
    if (next->kind == DueKind::kSchedule) next->schedule = schedule;
  }
  if (next_pause_end_ms_ != PauseTimes::kForever) {
    offer(DueKind::kPause, next_pause_end_ms_, nullptr);
  }
  if (const auto end = groups_.NextPauseEnd()) offer(DueKind::kPause, *end, nullptr);
  if (next_refill_ms_ != PauseTimes::kForever) offer(DueKind::kRefill, next_refill_ms_, nullptr);
  if (const auto refill = groups_.NextRefill()) offer(DueKind::kRefill, *refill, nullptr);
  return next;
}

std::optional<std::int64_t> Queue::NextDeadline() const {
  const std::optional<DueWork> next = NextDue();
  return next ? std::optional(next->at_ms) : std::nullopt;
}

// ---- Primitives

void Queue::Add(const JobDraft& draft) {
  Insert(draft);
  TellTurns();
}

void Queue::Insert(const JobDraft& draft) {
  Job* job = Job::Make(draft.name, draft.body);
  job->id = draft.id;
  job->seq = draft.seq;
  job->since_ms = draft.since_ms;
  job->at_ms = draft.at_ms;
  job->SetTier(draft.tier);
  job->SetOwnTier(draft.tier);
  job->SetCost(draft.cost);
  job->group = JoinGroup(draft.group);
  job->state = draft.state;
  if (draft.expires_ms != 0) job->Extra().expires_ms = draft.expires_ms;
  if (draft.lease_ms != 0) job->Extra().lease_ms = draft.lease_ms;
  if (draft.tries >= 0) job->Extra().tries = draft.tries;
  if (!draft.user.empty()) job->Extra().user = draft.user;
  last_id_ = std::max(last_id_, draft.id);
  last_seq_ = std::max(last_seq_, draft.seq);
  latest_since_ms_ = std::max(latest_since_ms_, draft.since_ms);
  ++totals_.added;
  by_id_.Insert(BytesOf(job->id), HashId(job->id), job);
  TakeName(job);
  Enter(job);
  if (!draft.waits_for.empty()) LinkDependencies(job, draft.waits_for);
}

void Queue::Grant(std::uint64_t id, const LeaseGrant& grant) {
  Job* job = Get(id);
  chooser_->Serve(job->tier(), job->cost());
  if (QueueTier& served = TierAt(job->tier()); served.lanes != nullptr) {
    served.lanes->Serve(*job, settings_.charge_cost);
  }
  Leave(job);
  // The time that it may wait is over once somebody works on it.
  if (job->extra != nullptr) job->extra->expires_ms = 0;
  std::unique_ptr<Lease> lease;
  if (free_leases_.empty()) {
    lease = std::make_unique<Lease>();
  } else {
    lease = std::move(free_leases_.back());
    free_leases_.pop_back();
  }
  lease->job = job;
  lease->token = grant.token;
  lease->deadline_ms = grant.deadline_ms;
  lease->length_ms = grant.length_ms;
  lease->worker = grant.worker;
  job->lease = lease.release();
  job->state = JobState::kLeased;
  job->cancelled = false;
  job->SetDeliveries(job->deliveries() + 1);
  ++totals_.delivered;
  TakeRate(rate_, grant.at_ms);
  TakeRate(TierAt(job->tier()).rate, grant.at_ms);
  if (job->group != 0) {
    groups_[job->group].last_granted = id;
    groups_.TakeRate(job->group, grant.at_ms);
  }
  Enter(job);
  TellTurns();
}

void Queue::TakeRate(RateGate& gate, std::int64_t at_ms) {
  if (gate.limit.count() == 0) return;
  gate.limit.Take(at_ms);
  const std::int64_t free_at_ms = gate.limit.FreeAt(at_ms);
  if (free_at_ms <= at_ms) return;
  gate.free_at_ms = free_at_ms;
  next_refill_ms_ = std::min(next_refill_ms_, free_at_ms);
}

void Queue::Refill(std::int64_t at_ms) {
  for (const std::uint32_t group : groups_.Refill(at_ms)) UpdateGroup(group);
  if (next_refill_ms_ > at_ms) return TellTurns();
  const auto refill = [&](RateGate& gate) {
    const bool refills = gate.free_at_ms != 0 && gate.free_at_ms <= at_ms;
    if (refills) gate.free_at_ms = 0;
    return refills;
  };
  refill(rate_);
  for (const auto& tier : tiers_) {
    if (refill(tier->rate)) RefreshTier(*tier);
  }
  TellTurns();
  FindNextRefill();
}

void Queue::FindNextRefill() {
  next_refill_ms_ = PauseTimes::kForever;
  const auto offer = [&](const RateGate& gate) {
    if (gate.free_at_ms != 0) next_refill_ms_ = std::min(next_refill_ms_, gate.free_at_ms);
  };
  offer(rate_);
  for (const auto& tier : tiers_) offer(tier->rate);
}

void Queue::Extend(std::uint64_t id, std::int64_t deadline_ms, std::int64_t length_ms) {
  Lease* lease = Get(id)->lease;
  lease->length_ms = length_ms;
  leases_.Change(lease, deadline_ms);
}

void Queue::Place(std::uint64_t id, const JobPlace& place) {
  Job* job = Get(id);
  if (place.failures > job->failures) ++totals_.failed;
  if (place.state == JobState::kDead && job->waits()) UnlinkDependencies(job);
  Leave(job);
  const bool revived = job->state == JobState::kDead && place.state != JobState::kDead;
  job->state = place.state;
  job->seq = place.seq;
  job->since_ms = place.since_ms;
  job->at_ms = place.at_ms;
  job->failures = static_cast<std::uint16_t>(std::min<std::uint32_t>(place.failures, 65535));
  if (place.expires_ms != job->expires_ms()) job->Extra().expires_ms = place.expires_ms;
  if (place.reason != DeathReason::kNone) job->Extra().reason = place.reason;
  last_seq_ = std::max(last_seq_, place.seq);
  latest_since_ms_ = std::max(latest_since_ms_, place.since_ms);
  if (place.state == JobState::kDead) {
    DropName(job);
    ++totals_.died[static_cast<std::size_t>(place.reason)];
  } else if (revived) {
    job->extra->reason = DeathReason::kNone;
    TakeName(job);
  }
  Enter(job);
  TellTurns();
}

void Queue::SetError(std::uint64_t id, std::string_view error) {
  Job* job = Get(id);
  job_bytes_ -= job->MemoryBytes();
  job->Extra().error = error;
  job_bytes_ += job->MemoryBytes();
}

void Queue::SetProgress(std::uint64_t id, std::string_view progress) {
  Job* job = Get(id);
  job_bytes_ -= job->MemoryBytes();
  job->Extra().progress = progress;
  job_bytes_ += job->MemoryBytes();
}

void Queue::Finish(std::uint64_t id, const JobEnd& end) {
  Job* job = Get(id);
  DetachFrom(job);
  Leave(job);
  ++totals_.done;
  job->state = JobState::kDone;
  job->at_ms = end.at_ms;
  if (!end.keeps_name) DropName(job);
  if (end.expires_ms != job->expires_ms()) job->Extra().expires_ms = end.expires_ms;
  if (end.result) {
    job->Extra().result = *end.result;
    job->extra->has_result = true;
  }
  Enter(job);
  TellTurns();
}

void Queue::FinishAndForget(std::uint64_t id) {
  ++totals_.done;
  Remove(id);
}

void Queue::Remove(std::uint64_t id) {
  Job* job = Get(id);
  DetachFrom(job);
  if (job->waits()) UnlinkDependencies(job);
  Leave(job);
  Forget(job);
  ++totals_.gone;
  TellTurns();
}

void Queue::Replace(const JobDraft& draft) {
  Job* job = Get(draft.id);
  // Who waits for the old one waits for the new one.
  std::vector<std::uint64_t> dependents;
  if (job->has_dependents()) dependents = job->extra->dependents;
  NoteLift(*job);
  if (job->waits()) UnlinkDependencies(job);
  Leave(job);
  Forget(job);
  Insert(draft);
  --totals_.added;
  if (!dependents.empty()) {
    job = Get(draft.id);
    job_bytes_ -= job->MemoryBytes();
    job->Extra().dependents = std::move(dependents);
    job_bytes_ += job->MemoryBytes();
    UpdateTiers({job});
  }
  TellTurns();
}

void Queue::FlagCancelled(std::uint64_t id) { Get(id)->cancelled = true; }

void Queue::SetTier(std::uint64_t id, const TierChange& change) {
  Job* job = Get(id);
  const bool leased = job->state == JobState::kLeased;
  NoteLift(*job);
  // A leased job stands in no order by its place.
  if (!leased) Leave(job);
  if (leased) job_bytes_ -= job->MemoryBytes();
  if (change.boost != job->boost()) job->Extra().boost = change.boost;
  job->SetOwnTier(change.own_tier);
  job->seq = change.seq;
  job->since_ms = change.since_ms;
  last_seq_ = std::max(last_seq_, change.seq);
  latest_since_ms_ = std::max(latest_since_ms_, change.since_ms);
  if (leased) job_bytes_ += job->MemoryBytes();
  if (!leased) Enter(job);
  UpdateTiers({job});
  TellTurns();
}

void Queue::SetSettings(QueueSettings settings, std::int64_t at_ms) {
  const bool afresh = settings.mode != settings_.mode;
  const QueueSettings before = std::exchange(settings_, std::move(settings));
  chooser_->Configure(settings_);
  if (afresh) {
    for (const QueueTier* tier : active_) {
      chooser_->Activate(tier->number, NextOf(*tier)->cost());
    }
  }
  ConfigureGroups(before, at_ms);
  ChangeRate(rate_, settings_.limits, at_ms);
  for (const auto& tier : tiers_) {
    const ScopeLimits& limits = settings_.LimitsOf(tier->number);
    tier->leases_max = limits.leases;
    ChangeRate(tier->rate, limits, at_ms);
    RefreshTier(*tier);
    WatchLoad(*tier);
  }
  TellTurns();
  FindNextRefill();
}

void Queue::ReleaseName(std::uint64_t id) { DropName(Get(id)); }

void Queue::SetPause(std::optional<std::uint32_t> tier, PauseTimes pause) {
  if (tier) {
    QueueTier& target = TierAt(*tier);
    target.pause = pause;
    RefreshTier(target);
    TellTurns();
  } else {
    pause_ = pause;
  }
  next_pause_end_ms_ = PauseTimes::kForever;
  const auto offer = [&](const PauseTimes& times) {
    for (const std::int64_t until : {times.in_until_ms, times.out_until_ms}) {
      if (until != 0) next_pause_end_ms_ = std::min(next_pause_end_ms_, until);
    }
  };
  offer(pause_);
  for (const auto& each : tiers_) offer(each->pause);
}

}  // namespace rung

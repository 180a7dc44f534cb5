// A queue as a whole: its weight, its copy, its fingerprint, and whether it is sound. See queue.h.

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "rung/base/check.h"
#include "rung/base/memory.h"
#include "rung/types/queue.h"
#include "types/queue/group_lanes.h"
#include "types/queue/queue_meters.h"
#include "types/queue/tier_chooser.h"

namespace rung {
namespace {

void AddNumber(Digest& digest, std::int64_t number) { digest.Append(std::to_string(number)); }
void AddNumber(Digest& digest, std::uint64_t number) { digest.Append(std::to_string(number)); }

void AddPause(Digest& digest, const PauseTimes& pause) {
  AddNumber(digest, pause.in_until_ms);
  AddNumber(digest, pause.out_until_ms);
}

void AddShare(Digest& digest, const FairShare& share) {
  const auto add = [&](const ShareTime& time) {
    const ShareTime::Parts parts = time.parts();
    AddNumber(digest, parts.units);
    for (const std::uint32_t part : {parts.fraction, parts.remainder, parts.divisor}) {
      AddNumber(digest, std::uint64_t{part});
    }
  };
  add(share.clock().now());
  for (std::uint32_t group = 0; group < share.size(); ++group) add(share.flow(group).start());
}

std::size_t MetersBytes(const QueueMeters& meters) {
  return AllocationSize(sizeof(QueueMeters)) + meters.waits.MemoryBytes();
}

void AddRate(Digest& digest, const RateGate& gate) {
  AddNumber(digest, gate.limit.empty_at());
  AddNumber(digest, gate.free_at_ms);
}

void AddExtra(Digest& digest, const JobExtra& extra) {
  AddNumber(digest, extra.expires_ms);
  AddNumber(digest, extra.lease_ms);
  AddNumber(digest, extra.tries);
  AddNumber(digest, std::uint64_t{extra.boost});
  for (const std::uint64_t id : extra.waits_for) AddNumber(digest, id);
  digest.Append(DeathReasonName(extra.reason));
  for (const std::string* text : {&extra.user, &extra.error, &extra.progress, &extra.result}) {
    digest.Append(*text);
  }
}

}  // namespace

std::size_t Queue::MemoryBytes() const {
  std::size_t bytes = AllocationSize(sizeof(Queue)) + AllocationSize(sizeof(TierChooser)) +
                      chooser_->MemoryBytes() + MetersBytes(*meters_) + job_bytes_ +
                      by_id_.MemoryBytes() + by_name_.MemoryBytes() + delayed_.MemoryBytes() +
                      dead_.MemoryBytes() + done_.MemoryBytes() + blocked_.MemoryBytes() +
                      expiring_.MemoryBytes() + leases_.MemoryBytes() + schedules_.MemoryBytes();
  bytes += groups_.MemoryBytes();
  bytes += (leases_.size() + free_leases_.size()) * AllocationSize(sizeof(Lease));
  bytes += (tiers_.capacity() + active_.capacity()) * sizeof(void*);
  for (const auto& tier : tiers_) {
    bytes += AllocationSize(sizeof(QueueTier)) + tier->ready.MemoryBytes();
    if (tier->lanes != nullptr) bytes += tier->lanes->MemoryBytes();
    if (tier->meters != nullptr) bytes += MetersBytes(*tier->meters);
  }
  return bytes;
}

std::unique_ptr<Queue> Queue::Clone() const {
  auto copy = std::make_unique<Queue>();
  copy->settings_ = settings_;
  copy->groups_ = groups_.Emptied();
  copy->schedules_ = schedules_;
  by_id_.ForEach([&](const Job* job) {
    Job* twin = Job::Make(job->name(), job->body());
    twin->id = job->id;
    twin->seq = job->seq;
    twin->since_ms = job->since_ms;
    twin->SetTier(job->tier());
    twin->SetOwnTier(job->own_tier());
    twin->group = job->group;
    twin->SetCost(job->cost());
    twin->SetDeliveries(job->deliveries());
    twin->failures = job->failures;
    twin->state = job->state;
    twin->cancelled = job->cancelled;
    if (job->extra != nullptr) twin->Extra() = *job->extra;
    if (job->state == JobState::kLeased) {
      twin->lease = new Lease(*job->lease);
      twin->lease->job = twin;
    } else {
      twin->at_ms = job->at_ms;
    }
    copy->by_id_.Insert(JobId()(twin), HashId(twin->id), twin);
    if (job->holds_name) copy->TakeName(twin);
    copy->Enter(twin);
  });
  copy->TellTurns();
  copy->totals_ = totals_;
  copy->last_id_ = last_id_;
  copy->last_seq_ = last_seq_;
  copy->base_ = base_;
  copy->latest_since_ms_ = latest_since_ms_;
  copy->last_effect_ = last_effect_;
  copy->SetPause(std::nullopt, pause_);
  for (const auto& tier : tiers_) {
    if (tier->pause.any()) copy->SetPause(tier->number, tier->pause);
  }
  copy->CopyTurns(*this);
  copy->rate_ = rate_;
  for (const auto& tier : tiers_) {
    if (tier->rate.limit.count() == 0) continue;
    QueueTier& twin = copy->TierAt(tier->number);
    twin.rate = tier->rate;
    copy->RefreshTier(twin);
  }
  copy->TellTurns();
  copy->FindNextRefill();
  copy->full_ = full_;
  for (const auto& tier : tiers_) {
    if (tier->full) copy->TierAt(tier->number).full = true;
  }
  copy->touched_.clear();
  // What it was told while the copy filled up is of no meaning.
  *copy->chooser_ = *chooser_;
  return copy;
}

// Deadlines of leases are left out: they are not in the log, and begin anew after a replay.
void Queue::AddJobTo(Digest& digest, const Job& job) const {
  AddNumber(digest, job.id);
  digest.Append(JobStateName(job.state));
  AddNumber(digest, job.seq);
  AddNumber(digest, job.since_ms);
  for (const std::uint32_t number :
       {job.tier(), job.own_tier(), job.cost(), job.deliveries(), std::uint32_t{job.failures}}) {
    AddNumber(digest, std::uint64_t{number});
  }
  digest.Append(job.holds_name ? "holds" : "");
  digest.Append(job.cancelled ? "cancelled" : "");
  digest.Append(groups_[job.group].name);
  digest.Append(job.name());
  digest.Append(job.body());
  if (job.state == JobState::kLeased) {
    AddNumber(digest, job.lease->token);
    digest.Append(job.lease->worker);
  } else {
    AddNumber(digest, job.at_ms);
  }
  AddExtra(digest, job.extra == nullptr ? JobExtra() : *job.extra);
}

void Queue::AddTo(Digest& digest) const {
  for (const auto& [name, value] : settings_.Print()) {
    digest.Append(name);
    digest.Append(value);
  }
  by_id_.ForEach([&](const Job* job) {
    Digest item;
    AddJobTo(item, *job);
    digest.AddUnordered(item);
  });
  for (const auto& [group, own] : settings_.groups) {
    digest.Append(group);
    for (const auto& [name, value] : settings_.PrintGroup(group)) digest.Append(value);
  }
  groups_.AddTo(digest);
  for (const auto& [tier, limits] : settings_.tier_limits) {
    AddNumber(digest, std::uint64_t{tier});
    for (const auto& [name, value] : settings_.PrintTier(tier)) digest.Append(value);
  }
  schedules_.AddTo(digest);
  AddPause(digest, pause_);
  AddRate(digest, rate_);
  if (full_) digest.Append("full");
  for (const auto& tier : tiers_) {
    if (tier->full) AddNumber(digest, std::uint64_t{tier->number});
    if (tier->lanes != nullptr) AddShare(digest, tier->lanes->share);
    if (!tier->pause.any() && tier->rate.limit.count() == 0) continue;
    AddNumber(digest, std::uint64_t{tier->number});
    AddPause(digest, tier->pause);
    AddRate(digest, tier->rate);
  }
  for (const std::uint64_t count : {totals_.added, totals_.delivered, totals_.done, totals_.failed,
                                    totals_.gone, last_id_, last_effect_}) {
    AddNumber(digest, count);
  }
  for (const std::uint64_t count : totals_.died) AddNumber(digest, count);
  for (const std::int64_t number : {last_seq_, base_, latest_since_ms_}) AddNumber(digest, number);
  chooser_->AddTo(digest);
}

void Queue::CheckJob(const Job& job) const {
  if (job.holds_name) RUNG_CHECK(FindName(job.name()) == &job, "a name's holder is not found");
  CheckDependencies(job);
  RUNG_CHECK(!(job.holds_name && job.state == JobState::kDead), "a dead job holds a name");
  RUNG_CHECK(job.id <= last_id_ && job.seq <= last_seq_, "a counter lags behind");
  if (job.state == JobState::kReady) {
    const QueueTier* tier = FindTier(job.tier());
    const auto found = tier->ready.LowerBound(BySeq::KeyOf(&job));
    RUNG_CHECK(found.Valid() && *found == &job, "a ready job is not in its tier");
  }
  if (job.state == JobState::kLeased) {
    RUNG_CHECK(leases_.Has(job.lease) && job.lease->job == &job, "a lease is lost");
  }
  if (job.expires_ms() != 0) {
    const auto found = expiring_.LowerBound(ByExpiry::KeyOf(&job));
    RUNG_CHECK(found.Valid() && *found == &job, "an expiry is lost");
  }
}

void Queue::CheckCounts() const {
  std::array<std::uint64_t, kJobStates> counts{};
  std::map<std::uint32_t, std::array<std::uint64_t, kJobStates>> by_tier;
  std::map<std::uint32_t, std::uint64_t> bytes_by_tier;
  std::size_t bytes = 0;
  std::size_t expiring = 0;
  std::uint64_t waiting_bytes = 0;
  std::size_t names = 0;
  by_id_.ForEach([&](const Job* job) {
    ++counts[static_cast<std::size_t>(job->state)];
    bytes += job->MemoryBytes();
    if (job->expires_ms() != 0) ++expiring;
    if (job->holds_name) ++names;
    if (!job->Unfinished()) return;
    ++by_tier[job->tier()][static_cast<std::size_t>(job->state)];
    if (job->state != JobState::kLeased) {
      bytes_by_tier[job->tier()] += job->text_bytes();
      waiting_bytes += job->text_bytes();
    }
  });
  RUNG_CHECK(counts == counts_ && bytes == job_bytes_, "counts of jobs");
  RUNG_CHECK(waiting_bytes == waiting_bytes_, "bytes of those that wait");
  RUNG_CHECK(expiring == expiring_.size() && names == by_name_.size(), "counts of tables");
  RUNG_CHECK(delayed_.size() == count(JobState::kDelayed), "delayed jobs");
  RUNG_CHECK(blocked_.size() == count(JobState::kBlocked), "blocked jobs");
  RUNG_CHECK(dead_.size() == count(JobState::kDead), "dead jobs");
  RUNG_CHECK(done_.size() == count(JobState::kDone), "done jobs");
  RUNG_CHECK(leases_.size() == count(JobState::kLeased), "leases");
  RUNG_CHECK(totals_.added == by_id_.size() + totals_.gone, "jobs got lost");
  for (const auto& tier : tiers_) {
    RUNG_CHECK(tier->counts == by_tier[tier->number], "counts of a tier");
    RUNG_CHECK(tier->waiting_bytes == bytes_by_tier[tier->number], "bytes of a tier");
    RUNG_CHECK(tier->ready.size() == tier->count(JobState::kReady), "ready jobs of a tier");
  }
}

void Queue::CheckInvariants() const {
  by_id_.CheckInvariants();
  by_name_.CheckInvariants();
  for (const auto* order : {&delayed_, &dead_, &done_}) order->CheckInvariants();
  expiring_.CheckInvariants();
  blocked_.CheckInvariants();
  leases_.CheckInvariants();
  schedules_.CheckInvariants();
  CheckCounts();
  CheckMarks();
  CheckGroups();
  by_id_.ForEach([&](const Job* job) { CheckJob(*job); });
  std::size_t active = 0;
  for (std::size_t i = 0; i < tiers_.size(); ++i) {
    const QueueTier& tier = *tiers_[i];
    tier.ready.CheckInvariants();
    CheckLanes(tier);
    RUNG_CHECK(i == 0 || tiers_[i - 1]->number < tier.number, "tiers out of order");
    const bool listed = active < active_.size() && active_[active] == &tier;
    RUNG_CHECK(listed == tier.active, "the list of active tiers");
    RUNG_CHECK(tier.active == IsServable(tier), "activity");
    if (listed) ++active;
  }
  RUNG_CHECK(active == active_.size(), "a tier that is gone is active");
  RUNG_CHECK(stale_.empty(), "a turn was not told");
}

}  // namespace rung

// Who waits for whom, and how urgent that makes whom. See queue.h.

#include <algorithm>
#include <utility>

#include "rung/base/check.h"
#include "rung/types/queue.h"

namespace rung {
namespace {

void InsertId(std::vector<std::uint64_t>& ids, std::uint64_t id) {
  ids.insert(std::lower_bound(ids.begin(), ids.end(), id), id);
}

void EraseId(std::vector<std::uint64_t>& ids, std::uint64_t id) {
  const auto place = std::lower_bound(ids.begin(), ids.end(), id);
  RUNG_CHECK(place != ids.end() && *place == id, "an edge is missing");
  ids.erase(place);
  if (ids.empty()) std::vector<std::uint64_t>().swap(ids);
}

bool Holds(const std::vector<std::uint64_t>& ids, std::uint64_t id) {
  return std::binary_search(ids.begin(), ids.end(), id);
}

}  // namespace

void Queue::LinkDependencies(Job* job, std::span<const std::uint64_t> ids) {
  std::vector<Job*> concerned;
  job_bytes_ -= job->MemoryBytes();
  for (const std::uint64_t id : ids) {
    InsertId(job->Extra().waits_for, id);
    Job* other = Get(id);
    job_bytes_ -= other->MemoryBytes();
    InsertId(other->Extra().dependents, job->id);
    job_bytes_ += other->MemoryBytes();
    concerned.push_back(other);
  }
  job_bytes_ += job->MemoryBytes();
  UpdateTiers(std::move(concerned));
}

void Queue::UnlinkDependencies(Job* job) {
  std::vector<Job*> concerned;
  job_bytes_ -= job->MemoryBytes();
  for (const std::uint64_t id : std::exchange(job->extra->waits_for, {})) {
    Job* other = Get(id);
    job_bytes_ -= other->MemoryBytes();
    EraseId(other->extra->dependents, job->id);
    job_bytes_ += other->MemoryBytes();
    concerned.push_back(other);
  }
  job_bytes_ += job->MemoryBytes();
  UpdateTiers(std::move(concerned));
}

void Queue::DetachDependents(std::uint64_t id) {
  DetachFrom(Get(id));
  TellTurns();
}

void Queue::DetachFrom(Job* job) {
  if (!job->has_dependents()) return;
  job_bytes_ -= job->MemoryBytes();
  for (const std::uint64_t dependent : std::exchange(job->extra->dependents, {})) {
    Job* other = Get(dependent);
    job_bytes_ -= other->MemoryBytes();
    EraseId(other->extra->waits_for, job->id);
    job_bytes_ += other->MemoryBytes();
  }
  job_bytes_ += job->MemoryBytes();
  UpdateTiers({job});
}

std::uint32_t Queue::EffectiveTier(const Job& job, std::uint32_t own_tier) const {
  std::uint32_t tier = std::min(own_tier, job.boost());
  if (!job.has_dependents()) return tier;
  for (const std::uint64_t id : job.extra->dependents) tier = std::min(tier, Get(id)->tier());
  return tier;
}

// Edges lead to older jobs only, so this ends; each job on the way is looked at once for each of
// its dependents that changed.
void Queue::UpdateTiers(std::vector<Job*> jobs) {
  while (!jobs.empty()) {
    Job* job = jobs.back();
    jobs.pop_back();
    const std::uint32_t tier = EffectiveTier(*job, job->own_tier());
    if (tier == job->tier()) continue;
    NoteLift(*job);
    MoveToTier(job, tier);
    if (!job->waits()) continue;
    for (const std::uint64_t id : job->extra->waits_for) jobs.push_back(Get(id));
  }
}

void Queue::MoveToTier(Job* job, std::uint32_t tier) {
  if (!job->Unfinished()) {
    job->SetTier(tier);
    return;
  }
  if (job->state != JobState::kLeased) {
    Leave(job);
    job->SetTier(tier);
    Enter(job);
    return;
  }
  // A leased job stands in no order of its tier, but is counted there.
  const auto state = static_cast<std::size_t>(job->state);
  QueueTier& before = TierAt(job->tier());
  --before.counts[state];
  RefreshTier(before);
  job->SetTier(tier);
  QueueTier& after = TierAt(tier);
  ++after.counts[state];
  RefreshTier(after);
}

void Queue::CheckDependencies(const Job& job) const {
  RUNG_CHECK(job.tier() == EffectiveTier(job, job.own_tier()),
             "an effective tier is not what it should be");
  RUNG_CHECK(!job.waits() || job.state == JobState::kBlocked, "a job waits and is not blocked");
  if (job.extra == nullptr) return;
  for (const std::uint64_t id : job.extra->waits_for) {
    RUNG_CHECK(id < job.id && Holds(Get(id)->extra->dependents, job.id), "an edge to nowhere");
    RUNG_CHECK(Get(id)->state != JobState::kDone, "a job waits for one that is done");
  }
  for (const std::uint64_t id : job.extra->dependents) {
    RUNG_CHECK(Holds(Get(id)->extra->waits_for, job.id), "an edge from nowhere");
  }
}

}  // namespace rung

// Groups of the twin of a queue. See queue_twin.h.

#include <algorithm>
#include <tuple>

#include "kit/queue_twin.h"

namespace rung::testing {

TwinLimits QueueTwin::LimitsOfGroup(const std::string& group) const {
  if (group.empty()) return {};
  const auto own = settings_.own_groups.find(group);
  return own == settings_.own_groups.end() ? settings_.group_limits : own->second;
}

void QueueTwin::TakeGroupRate(const std::string& group) {
  const TwinLimits limits = LimitsOfGroup(group);
  if (limits.rate == 0) return;
  const auto [gate, first] = group_gates_.try_emplace(group);
  if (first) gate->second.limit = RateLimit(limits.rate, limits.per);
  TakeRate(gate->second);
}

// Nothing of the group is given out.
bool QueueTwin::IsGroupShut(const std::string& group) const {
  if (group.empty()) return false;
  const auto pause = group_pauses_.find(group);
  if (pause != group_pauses_.end() && pause->second.out != 0) return true;
  const auto gate = group_gates_.find(group);
  if (gate != group_gates_.end() && gate->second.free_at != 0) return true;
  const auto leaked = leaked_.find(group);
  const std::size_t leased =
      CountLeased({.tier = {}, .group = group}) + (leaked == leaked_.end() ? 0 : leaked->second);
  const std::size_t conc = LimitsOfGroup(group).conc;
  if (conc != 0 && leased >= conc) return true;
  if (settings_.groups != 'e' || defect_ == Defect::kExactServesTwo) return false;
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const TwinJob& job) {
    const bool retrying = job.state == JobState::kDelayed && job.failures > 0 && job.seq != 0;
    return job.group == group && (job.state == JobState::kLeased || retrying);
  });
}

TwinTurns::Heads QueueTwin::HeadsOfGroups() {
  TwinTurns::Heads heads;
  std::map<std::string, bool> shut;
  for (TwinJob& job : jobs_) {
    if (job.state != JobState::kReady) continue;
    const auto [known, first] = shut.try_emplace(job.group);
    if (first) known->second = IsGroupShut(job.group);
    if (known->second) continue;
    TwinJob*& head = heads[job.tier()][job.group];
    if (head == nullptr || std::pair(job.seq, job.id) < std::pair(head->seq, head->id)) {
      head = &job;
    }
  }
  return heads;
}

TwinTurns::Tiers QueueTwin::OpenTiers(const TwinTurns::Heads& heads) const {
  TwinTurns::Tiers open;
  for (const auto& [tier, groups] : heads) {
    if (!IsTierShut(tier)) open.insert(tier);
  }
  return open;
}

std::vector<const TwinJob*> QueueTwin::InOrder(JobState state, const TwinScope& scope) const {
  Inherit();
  std::vector<const TwinJob*> jobs;
  for (const TwinJob& job : jobs_) {
    if (job.state == state && scope.Holds(job)) jobs.push_back(&job);
  }
  const auto place = [&](const TwinJob* job) {
    const auto id = static_cast<std::int64_t>(job->id);
    const auto token = static_cast<std::int64_t>(job->token);
    switch (state) {
      case JobState::kReady:
        return std::tuple(std::int64_t{job->tier()}, job->seq, id);
      case JobState::kLeased:
        return std::tuple(job->deadline, token, id);
      case JobState::kBlocked:
        return std::tuple(id, id, id);
      default:
        return std::tuple(job->at, id, id);
    }
  };
  std::sort(jobs.begin(), jobs.end(),
            [&](const TwinJob* a, const TwinJob* b) { return place(a) < place(b); });
  return jobs;
}

Reply QueueTwin::CancelState(JobState state, const TwinScope& scope, std::size_t count,
                             bool force) {
  SettleUntil(now_);
  std::vector<std::uint64_t> ids;
  for (const TwinJob* job : InOrder(state, scope)) {
    if (ids.size() == count) break;
    if (DependentsOf(job->id).empty() && !job->cancelled) ids.push_back(job->id);
  }
  for (const std::uint64_t id : ids) {
    if (state == JobState::kLeased && !force) {
      Find(id)->cancelled = true;
    } else {
      Remove(id);
    }
  }
  return Int(static_cast<std::int64_t>(ids.size()));
}

}  // namespace rung::testing

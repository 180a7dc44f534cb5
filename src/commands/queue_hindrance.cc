// Why nothing is given. See queue_hindrance.h.

#include "commands/queue_hindrance.h"

#include <algorithm>

#include "types/queue/group_lanes.h"

namespace rung {

std::string TierHindrance(const Queue& queue, const QueueTier& tier) {
  if (tier.ready.empty()) return "empty";
  if (queue.pause().out_until_ms != 0 || tier.pause.out_until_ms != 0) return "paused";
  const std::int64_t free_at_ms = std::max(queue.rate().free_at_ms, tier.rate.free_at_ms);
  if (free_at_ms != 0) return "rate: free at " + std::to_string(free_at_ms);
  if (OldestOf(tier) == nullptr) return "groups";
  return tier.active && queue.IsOpen() ? "" : "conc";
}

std::string GroupHindrance(const Queue& queue, const QueueGroup& group) {
  if (group.open) return {};
  if (group.pause.out_until_ms != 0) return "paused";
  if (group.rate.free_at_ms != 0) return "rate: free at " + std::to_string(group.rate.free_at_ms);
  if (group.leases_max != 0 && group.count(JobState::kLeased) >= group.leases_max) return "conc";
  // As long as the queue has been exact, that is the one; else there may be more of them.
  const Job* job = queue.Find(group.last_granted);
  if (job != nullptr && job->state == JobState::kLeased) {
    return "exact: job " + std::to_string(job->id) + " is leased";
  }
  if (job != nullptr && job->state == JobState::kDelayed) {
    return "exact: job " + std::to_string(job->id) + " is to be tried again at " +
           std::to_string(job->at_ms);
  }
  return "exact";
}

}  // namespace rung

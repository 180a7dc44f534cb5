// Scopes of requests. See queue_scope.h.

#include "commands/queue_scope.h"

#include "types/queue/group_lanes.h"

namespace rung {

bool ScopeWords::Take(ArgReader& args) {
  if (args.TakeWithValue("TIER")) {
    tier = args.Bytes();
  } else if (args.TakeWithValue("GROUP")) {
    group = args.Bytes();
  } else {
    return false;
  }
  return true;
}

Result<JobScope> JobScope::Of(const Queue& queue, const ScopeWords& words) {
  JobScope scope;
  if (words.tier) {
    const Result<std::uint32_t> tier = queue.settings().ParseTier(*words.tier);
    if (!tier.ok()) return tier.error();
    scope.tier = *tier;
  }
  if (words.group) scope.group = queue.groups().Find(*words.group).value_or(kNoGroup);
  return scope;
}

std::vector<ReadyOrder> ReadyIn(const Queue& queue, const JobScope& scope) {
  std::vector<ReadyOrder> orders;
  const auto offer = [&](const QueueTier& tier) {
    if (scope.tier && tier.number != *scope.tier) return;
    const auto* jobs = scope.group ? ReadyOf(tier, *scope.group) : &tier.ready;
    if (jobs != nullptr) orders.emplace_back(&tier, jobs);
  };
  if (scope.group == JobScope::kNoGroup) return orders;
  if (scope.group.value_or(0) != 0) {
    for (const QueueTier* tier : queue.groups()[*scope.group].tiers) offer(*tier);
  } else {
    for (const auto& tier : queue.tiers()) offer(*tier);
  }
  return orders;
}

}  // namespace rung

// What the twin of a queue admits and gives out. See queue_twin.h.

#include <algorithm>

#include "kit/queue_twin.h"

namespace rung::testing {

TwinLimits QueueTwin::LimitsOf(std::uint32_t tier) const {
  const auto found = settings_.tiers.find(tier);
  return found == settings_.tiers.end() ? TwinLimits{} : found->second;
}

std::size_t QueueTwin::CountWaiting(const TwinScope& scope) const {
  if (scope.tier) Inherit();
  return static_cast<std::size_t>(
      std::count_if(jobs_.begin(), jobs_.end(), [&](const TwinJob& job) {
        const bool waits = job.state == JobState::kReady || job.state == JobState::kDelayed ||
                           job.state == JobState::kBlocked;
        return waits && scope.Holds(job);
      }));
}

std::size_t QueueTwin::CountLeased(const TwinScope& scope) const {
  if (scope.tier) Inherit();
  return static_cast<std::size_t>(std::count_if(
      jobs_.begin(), jobs_.end(),
      [&](const TwinJob& job) { return job.state == JobState::kLeased && scope.Holds(job); }));
}

// At its limit of leases, or of its rate.
bool QueueTwin::IsShut(std::optional<std::uint32_t> tier) const {
  const TwinLimits limits = tier ? LimitsOf(*tier) : settings_.limits;
  if (limits.conc != 0 && CountLeased({.tier = tier, .group = {}}) >= limits.conc) return true;
  if (!tier) return gate_.free_at != 0;
  const auto gate = tier_gates_.find(*tier);
  return gate != tier_gates_.end() && gate->second.free_at != 0;
}

void QueueTwin::TakeRate(TwinGate& gate) const {
  gate.limit.Take(now_);
  if (!gate.limit.MayTake(now_)) gate.free_at = gate.limit.FreeAt(now_);
}

void QueueTwin::ChangeRate(TwinGate& gate, const TwinLimits& limits) const {
  if (gate.limit.count() == limits.rate && gate.limit.period_ms() == limits.per) return;
  gate.limit.Change(limits.rate, limits.per, now_);
  gate.free_at = gate.limit.MayTake(now_) ? 0 : gate.limit.FreeAt(now_);
}

std::optional<Reply> QueueTwin::MakeRoom(std::uint32_t tier, const std::string& group,
                                         std::size_t count, bool may_kill) {
  Inherit();
  const std::vector<TwinJob> before = jobs_;
  const TwinScope of_all, of_tier = {.tier = tier, .group = {}};
  // What the add's own scope has ready in the tier is what may be pushed out of it.
  const TwinScope of_group = {.tier = {}, .group = group}, here = {.tier = tier, .group = group};
  const auto refuse = [&](const std::string& name, const TwinScope& scope, std::size_t len,
                          const TwinScope& ready) {
    std::string text =
        "QFULL " + name + " len=" + std::to_string(CountWaiting(scope)) + "/" + std::to_string(len);
    jobs_ = before;
    const std::vector<const TwinJob*> jobs = InOrder(JobState::kReady, ready);
    if (!jobs.empty()) text += " oldest=" + std::to_string(now_ - jobs[0]->since);
    return Err(text);
  };
  std::vector<std::pair<std::uint64_t, DeathReason>> victims;
  const auto kill = [&](const TwinJob* victim, DeathReason reason) {
    if (victim == nullptr) return false;
    victims.emplace_back(victim->id, reason);
    Find(victim->id)->state = JobState::kDead;
    return true;
  };
  const auto push_out = [&](const TwinScope& scope) {
    const std::vector<const TwinJob*> jobs = InOrder(JobState::kReady, scope);
    return kill(jobs.empty() ? nullptr : jobs[0], DeathReason::kOverflow);
  };
  // The last one of the least urgent tier, if that is less urgent.
  const auto shed = [&] {
    const std::vector<const TwinJob*> jobs = InOrder(JobState::kReady, {});
    const bool less = !jobs.empty() && jobs.back()->tier() > tier;
    return kill(less ? jobs.back() : nullptr, DeathReason::kShed);
  };
  const auto overfull = [&](const TwinScope& scope, const TwinLimits& limits) {
    return limits.len != 0 && CountWaiting(scope) + count > limits.len;
  };
  const TwinLimits groups = LimitsOfGroup(group);
  while (overfull(of_group, groups) && groups.full == 'o' && push_out(here)) {
  }
  if (overfull(of_group, groups)) return refuse("group=" + group, of_group, groups.len, here);
  const TwinLimits own = LimitsOf(tier);
  while (overfull(of_tier, own) && own.full == 'o' && push_out(of_tier)) {
  }
  if (overfull(of_tier, own)) return refuse("tier=" + TierName(tier), of_tier, own.len, of_tier);
  const TwinLimits& whole = settings_.limits;
  while (overfull(of_all, whole) && whole.full != 'r' &&
         (whole.full == 'o' ? push_out(of_tier) : shed())) {
  }
  if (overfull(of_all, whole)) return refuse("queue", of_all, whole.len, of_tier);
  jobs_ = before;
  if (!may_kill && !victims.empty()) return Err("no room");
  for (const auto& [id, reason] : victims) Kill(*Find(id), reason, now_);
  return std::nullopt;
}

}  // namespace rung::testing

// What the twin of a queue admits and gives out. See queue_twin.h.

#include <algorithm>
#include <tuple>

#include "kit/queue_twin.h"

namespace rung::testing {

TwinLimits QueueTwin::LimitsOf(std::uint32_t tier) const {
  const auto found = settings_.tiers.find(tier);
  return found == settings_.tiers.end() ? TwinLimits{} : found->second;
}

std::size_t QueueTwin::CountWaiting(std::optional<std::uint32_t> tier) const {
  Inherit();
  return static_cast<std::size_t>(
      std::count_if(jobs_.begin(), jobs_.end(), [&](const TwinJob& job) {
        const bool waits = job.state == JobState::kReady || job.state == JobState::kDelayed ||
                           job.state == JobState::kBlocked;
        return waits && (!tier || job.tier() == *tier);
      }));
}

std::size_t QueueTwin::CountLeased(std::optional<std::uint32_t> tier) const {
  Inherit();
  return static_cast<std::size_t>(
      std::count_if(jobs_.begin(), jobs_.end(), [&](const TwinJob& job) {
        return job.state == JobState::kLeased && (!tier || job.tier() == *tier);
      }));
}

// At its limit of leases, or of its rate.
bool QueueTwin::IsShut(std::optional<std::uint32_t> tier) const {
  const TwinLimits limits = tier ? LimitsOf(*tier) : settings_.limits;
  if (limits.conc != 0 && CountLeased(tier) >= limits.conc) return true;
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

std::optional<Reply> QueueTwin::MakeRoom(std::uint32_t tier, std::size_t count, bool may_kill) {
  Inherit();
  const std::vector<TwinJob> before = jobs_;
  const auto refuse = [&](const std::string& scope, std::size_t waiting, std::size_t len) {
    std::string text =
        "QFULL " + scope + " len=" + std::to_string(waiting) + "/" + std::to_string(len);
    jobs_ = before;
    const TwinJob* head = nullptr;
    for (const TwinJob& job : jobs_) {
      if (job.state != JobState::kReady || job.tier() != tier) continue;
      if (head == nullptr || std::pair(job.seq, job.id) < std::pair(head->seq, head->id)) {
        head = &job;
      }
    }
    if (head != nullptr) text += " oldest=" + std::to_string(now_ - head->since);
    return Err(text);
  };
  std::vector<std::pair<std::uint64_t, DeathReason>> victims;
  // The first job of the tier, or the last one of the least urgent tier below it; 0: none.
  const auto push_out = [&](bool oldest) {
    TwinJob* victim = nullptr;
    for (TwinJob& job : jobs_) {
      if (job.state != JobState::kReady) continue;
      if (oldest ? job.tier() != tier : job.tier() <= tier) continue;
      const auto order = [&](const TwinJob& j) {
        return oldest
                   ? std::tuple(std::int64_t{0}, j.seq, static_cast<std::int64_t>(j.id))
                   : std::tuple(-std::int64_t{j.tier()}, -j.seq, -static_cast<std::int64_t>(j.id));
      };
      if (victim == nullptr || order(job) < order(*victim)) victim = &job;
    }
    if (victim == nullptr) return false;
    victims.emplace_back(victim->id, oldest ? DeathReason::kOverflow : DeathReason::kShed);
    victim->state = JobState::kDead;
    return true;
  };
  const TwinLimits own = LimitsOf(tier);
  const auto overfull = [&](std::optional<std::uint32_t> scope, const TwinLimits& limits) {
    return limits.len != 0 && CountWaiting(scope) + count > limits.len;
  };
  while (overfull(tier, own) && own.full == 'o' && push_out(true)) {
  }
  if (overfull(tier, own)) return refuse("tier=" + TierName(tier), CountWaiting(tier), own.len);
  const TwinLimits& whole = settings_.limits;
  while (overfull({}, whole) && whole.full != 'r' && push_out(whole.full == 'o')) {
  }
  if (overfull({}, whole)) return refuse("queue", CountWaiting({}), whole.len);
  if (!may_kill && !victims.empty()) {
    jobs_ = before;
    return Err("no room");
  }
  jobs_ = before;
  for (const auto& [id, reason] : victims) Kill(*Find(id), reason, now_);
  return std::nullopt;
}

}  // namespace rung::testing

// What the twin of a queue admits and gives out. See queue_twin.h.

#include <algorithm>
#include <set>

#include "kit/queue_twin.h"

namespace rung::testing {

TwinLimits QueueTwin::LimitsOf(std::uint32_t tier) const {
  const auto found = settings_.tiers.find(tier);
  return found == settings_.tiers.end() ? TwinLimits{} : found->second;
}

std::size_t QueueTwin::CountWaiting(const TwinScope& scope) const {
  if (scope.tier) Inherit();
  return static_cast<std::size_t>(
      std::count_if(jobs_.begin(), jobs_.end(),
                    [&](const TwinJob& job) { return job.Waits() && scope.Holds(job); }));
}

std::size_t QueueTwin::CountLeased(const TwinScope& scope) const {
  if (scope.tier) Inherit();
  return static_cast<std::size_t>(std::count_if(
      jobs_.begin(), jobs_.end(),
      [&](const TwinJob& job) { return job.state == JobState::kLeased && scope.Holds(job); }));
}

// At its limit of leases, or of its rate.
bool QueueTwin::IsShut() const {
  const std::size_t conc = settings_.limits.conc;
  return gate_.free_at != 0 || (conc != 0 && CountLeased({}) >= conc);
}

bool QueueTwin::IsTierShut(std::uint32_t tier) const {
  const auto pause = tier_pauses_.find(tier);
  if (pause != tier_pauses_.end() && pause->second.out != 0) return true;
  const auto gate = tier_gates_.find(tier);
  if (gate != tier_gates_.end() && gate->second.free_at != 0) return true;
  const std::size_t conc = LimitsOf(tier).conc;
  return conc != 0 && CountLeased({.tier = tier, .group = {}}) >= conc;
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

std::size_t QueueTwin::BytesOf(const std::string& name, const std::string& body) const {
  return body.size() + (defect_ == Defect::kBytesOfBodies ? 0 : name.size());
}

std::size_t QueueTwin::BytesWaiting(const TwinScope& scope) const {
  Inherit();
  std::size_t bytes = 0;
  for (const TwinJob& job : jobs_) {
    if (job.Waits() && scope.Holds(job)) bytes += BytesOf(job.name, job.body);
  }
  return bytes;
}

QueueTwin::Room QueueTwin::MakeRoom(const RoomFor& request, std::int64_t at) {
  Inherit();
  const std::vector<TwinJob> before = jobs_;
  const auto& [tier, group, count, bytes, may_kill, stands_in_line] = request;
  const TwinScope of_all, of_tier = {.tier = tier, .group = {}};
  // What the add's own scope has ready in the tier is what may be pushed out of it.
  const TwinScope of_group = {.tier = {}, .group = group}, here = {.tier = tier, .group = group};
  const auto refuse = [&](const std::string& name, const TwinScope& scope, const TwinLimits& limits,
                          const TwinScope& ready) {
    std::string text = "QFULL " + name;
    const auto add = [&](const std::string& word, std::size_t use, std::size_t limit) {
      if (limit != 0) text += word + std::to_string(use) + "/" + std::to_string(limit);
    };
    add(" len=", CountWaiting(scope), limits.len);
    add(" bytes=", BytesWaiting(scope), limits.bytes);
    jobs_ = before;
    const std::vector<const TwinJob*> jobs = InOrder(JobState::kReady, ready);
    if (!jobs.empty()) text += " oldest=" + std::to_string(at - jobs[0]->since);
    const bool fits_alone = (limits.len == 0 || request.count <= limits.len) &&
                            (limits.bytes == 0 || request.bytes <= limits.bytes);
    return Room{.refusal = Err(text), .may_wait = limits.full == 'b' && fits_alone, .line = name};
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
    const bool less = !jobs.empty() && jobs.back()->tier() > request.tier;
    return kill(less ? jobs.back() : nullptr, DeathReason::kShed);
  };
  const auto overfull = [&](const TwinScope& scope, const TwinLimits& limits) {
    return (limits.len != 0 && CountWaiting(scope) + request.count > limits.len) ||
           (limits.bytes != 0 && BytesWaiting(scope) + request.bytes > limits.bytes);
  };
  const TwinLimits groups = LimitsOfGroup(group);
  while (overfull(of_group, groups) && groups.full == 'o' && push_out(here)) {
  }
  if (overfull(of_group, groups)) return refuse("group=" + group, of_group, groups, here);
  const TwinLimits own = LimitsOf(tier);
  while (overfull(of_tier, own) && own.full == 'o' && push_out(of_tier)) {
  }
  if (overfull(of_tier, own)) return refuse("tier=" + TierName(tier), of_tier, own, of_tier);
  const TwinLimits& whole = settings_.limits;
  while (overfull(of_all, whole) && (whole.full == 'o'   ? push_out(of_tier)
                                     : whole.full == 's' ? shed()
                                                         : false)) {
  }
  if (overfull(of_all, whole)) return refuse("queue", of_all, whole, of_tier);
  jobs_ = before;
  if (!may_kill && !victims.empty()) return {.refusal = Err("no room")};
  if (const auto line = LineAhead(request); line && stands_in_line) {
    return {.refusal = Err("others wait"), .may_wait = true, .line = *line};
  }
  for (const auto& [id, reason] : victims) Kill(*Find(id), reason, at);
  return {};
}

std::optional<std::string> QueueTwin::LineAhead(const RoomFor& request) const {
  if (defect_ == Defect::kProducersOvertake) return std::nullopt;
  const std::set<std::string> lines = {"queue", "tier=" + TierName(request.tier),
                                       "group=" + request.group};
  for (const Waiter& waiter : waiters_) {
    if (waiter.add && lines.count(waiter.line) != 0) return waiter.line;
  }
  return std::nullopt;
}

// ---- What follows

void QueueTwin::AfterEffect() {
  UpdateMarks();
  UpdateTurns();
}

void QueueTwin::UpdateTurns() {
  Inherit();
  const TwinTurns::Heads heads = HeadsOfGroups();
  TwinTurns::Tiers open = OpenTiers(heads);
  if (defect_ == Defect::kPauseEarns) {
    for (const auto& [tier, pause] : tier_pauses_) {
      if (pause.out != 0 && heads.count(tier) != 0) open.insert(tier);
    }
  }
  turns_.Update(heads, open);
}

bool QueueTwin::IsFull(const TwinScope& scope) const {
  if (scope.group) {
    const auto found = full_groups_.find(*scope.group);
    return found != full_groups_.end() && found->second;
  }
  if (!scope.tier) return full_;
  const auto found = full_tiers_.find(*scope.tier);
  return found != full_tiers_.end() && found->second;
}

void QueueTwin::UpdateMarks() {
  Inherit();
  struct Load {
    std::size_t length = 0;
    std::size_t bytes = 0;
  };
  Load all;
  std::map<std::uint32_t, Load> tiers;
  std::map<std::string, Load> groups;
  for (const auto& [tier, full] : full_tiers_) tiers[tier];
  for (const auto& [group, full] : full_groups_) groups[group];
  for (const TwinJob& job : jobs_) {
    if (!job.Waits()) continue;
    for (Load* load : {&all, &tiers[job.tier()], &groups[job.group]}) {
      ++load->length;
      load->bytes += BytesOf(job.name, job.body);
    }
  }
  const auto after = [&](const TwinLimits& limits, const Load& load, bool full) {
    const auto above = [&](std::size_t use, std::size_t limit) {
      return limit != 0 && use * 100 >= limit * limits.high;
    };
    const auto below = [&](std::size_t use, std::size_t limit) {
      return limit == 0 || use * 100 <= limit * limits.low;
    };
    const bool reaches = above(load.length, limits.len) || above(load.bytes, limits.bytes);
    if (!full || defect_ == Defect::kNoHysteresis) return reaches;
    return !below(load.length, limits.len) || !below(load.bytes, limits.bytes);
  };
  full_ = after(settings_.limits, all, full_);
  for (const auto& [tier, load] : tiers) {
    full_tiers_[tier] = after(LimitsOf(tier), load, IsFull({.tier = tier, .group = {}}));
  }
  for (const auto& [group, load] : groups) {
    full_groups_[group] = after(LimitsOfGroup(group), load, IsFull({.tier = {}, .group = group}));
  }
}

void QueueTwin::LoseTurn(TwinJob& job) {
  if (defect_ != Defect::kMoveLosesTurn || job.state != JobState::kReady) return;
  job.state = JobState::kDelayed;
  UpdateTurns();
  job.state = JobState::kReady;
}

// ---- Rights

std::optional<Reply> QueueTwin::Refuse(const TwinUser& user, std::uint32_t tier) {
  if (tier >= user.first && tier <= user.last) return std::nullopt;
  return Err("NOPERM tier " + std::to_string(tier) + " not allowed for user " + user.name +
             " (allowed " + std::to_string(user.first) + "-" + std::to_string(user.last) + ")");
}

}  // namespace rung::testing

// Turns in the twin of a queue. See queue_twin_turns.h.

#include "kit/queue_twin_turns.h"

#include <algorithm>
#include <tuple>

namespace rung::testing {

ShareDefect TwinTurns::TierDefect(Defect defect) {
  switch (defect) {
    case Defect::kDebtForgiven:
      return ShareDefect::kDebtForgiven;
    case Defect::kIdlingEarns:
      return ShareDefect::kIdlingEarns;
    case Defect::kWeightStays:
      return ShareDefect::kWeightStays;
    default:
      return ShareDefect::kNone;
  }
}

ShareDefect TwinTurns::GroupDefect(Defect defect) {
  switch (defect) {
    case Defect::kGroupDebtForgiven:
      return ShareDefect::kDebtForgiven;
    case Defect::kGroupWeightStays:
      return ShareDefect::kWeightStays;
    default:
      return ShareDefect::kNone;
  }
}

std::int64_t TwinTurns::WeightOf(std::uint32_t tier) const {
  const auto& weights = settings_.weights;
  if (tier >= weights.size()) return 1;
  return weights[(tier + (defect_ == Defect::kNeighboursWeight ? 1 : 0)) % weights.size()];
}

std::int64_t TwinTurns::WeightOf(const std::string& group) const {
  const auto own = settings_.group_weights.find(group);
  return own == settings_.group_weights.end() ? 1 : own->second;
}

std::int64_t TwinTurns::FloorOf(std::uint32_t tier) const {
  return tier < settings_.floors.size() ? settings_.floors[tier] : 0;
}

std::int64_t TwinTurns::Claim(std::uint32_t tier) const {
  const auto found = claims_.find(tier);
  return found == claims_.end() ? 0 : found->second;
}

void TwinTurns::Configure(const TwinSettings& settings) {
  const bool afresh = settings.mode != settings_.mode;
  const bool groups_afresh = (settings.groups == 'o') != (settings_.groups == 'o');
  settings_ = settings;
  if (afresh) {
    tiers_ = ShareTwin<std::uint32_t>(TierDefect(defect_));
    open_.clear();
    claims_.clear();
  }
  for (const auto& [tier, flow] : tiers_.flows()) tiers_.SetWeight(tier, WeightOf(tier));
  std::erase_if(claims_, [&](const auto& claim) { return FloorOf(claim.first) == 0; });
  if (groups_afresh) groups_.clear();
  for (auto& [tier, share] : groups_) {
    for (const auto& [group, flow] : share.flows()) share.SetWeight(group, WeightOf(group));
  }
}

// ---- Who waits

// First all stop waiting that do, then the others start.
void TwinTurns::Update(const Heads& heads, const Tiers& open) {
  if (settings_.groups != 'o') UpdateGroups(heads);
  if (settings_.mode == 'f') {
    const auto idles = [&](const auto& claim) { return open.count(claim.first) == 0; };
    if (defect_ != Defect::kClaimKept) std::erase_if(claims_, idles);
    open_ = open;
  }
  if (settings_.mode != 'w') return;
  for (const auto& [tier, flow] : tiers_.flows()) {
    if (flow.waits && open.count(tier) == 0) tiers_.Deactivate(tier);
  }
  for (const std::uint32_t tier : open) {
    std::int64_t dearest = 0;
    for (const TwinJob* job : NextOf(tier, heads.at(tier))) {
      dearest = std::max(dearest, CostOf(*job));
    }
    tiers_.Activate(tier, WeightOf(tier), dearest);
  }
}

void TwinTurns::UpdateGroups(const Heads& heads) {
  for (auto& [tier, share] : groups_) {
    const auto here = heads.find(tier);
    for (const auto& [group, flow] : share.flows()) {
      const bool waits = here != heads.end() && here->second.count(group) != 0;
      if (flow.waits && !waits) share.Deactivate(group);
    }
  }
  for (const auto& [tier, groups] : heads) {
    const auto share = groups_.try_emplace(tier, GroupDefect(defect_)).first;
    for (const auto& [group, job] : groups) {
      share->second.Activate(group, WeightOf(group), CostOf(*job));
    }
  }
}

void TwinTurns::Charge(const TwinJob& job) {
  const std::int64_t cost = defect_ == Defect::kCostNotCharged ? 1 : CostOf(job);
  const std::uint32_t tier = defect_ == Defect::kBoostIsFree ? job.own : job.tier();
  if (settings_.mode == 'w') tiers_.Serve(tier, cost);
  if (settings_.mode == 'f') ServeByFloors(tier);
  if (settings_.groups == 'o') return;
  groups_.try_emplace(job.tier(), GroupDefect(defect_)).first->second.Serve(job.group, cost);
}

void TwinTurns::ServeByFloors(std::uint32_t tier) {
  const auto floored = std::count_if(settings_.floors.begin(), settings_.floors.end(),
                                     [](std::int64_t floor) { return floor > 0; });
  for (const std::uint32_t each : open_) {
    if (FloorOf(each) == 0) continue;
    claims_[each] = std::min<std::int64_t>(Claim(each) + FloorOf(each), floored * 1000);
  }
  const auto claim = claims_.find(tier);
  if (claim != claims_.end()) claim->second = std::max<std::int64_t>(0, claim->second - 1000);
}

// ---- Who is next

TwinJob* TwinTurns::OldestOf(const Groups& groups) {
  const auto oldest = std::min_element(groups.begin(), groups.end(), [](auto& a, auto& b) {
    return std::pair(a.second->seq, a.second->id) < std::pair(b.second->seq, b.second->id);
  });
  return oldest->second;
}

std::vector<TwinJob*> TwinTurns::NextOf(std::uint32_t tier, const Groups& groups) const {
  if (settings_.groups == 'o') return {OldestOf(groups)};
  std::vector<TwinJob*> next;
  const auto any = [](const std::string&) { return true; };
  for (const auto& [group, job] : groups) {
    if (groups_.at(tier).MayServe(group, CostOf(*job), any)) next.push_back(job);
  }
  return next;
}

std::vector<TwinJob*> TwinTurns::Next(const Heads& heads, std::int64_t now) const {
  if (settings_.mode == 'f') {
    const std::uint32_t tier = NextByFloors(heads);
    return NextOf(tier, heads.at(tier));
  }
  std::vector<TwinJob*> next;
  if (FindOverdue(heads, now, next)) return next;
  const auto among = [&](std::uint32_t tier) { return heads.count(tier) != 0; };
  for (const auto& [tier, groups] : heads) {
    for (TwinJob* job : NextOf(tier, groups)) {
      if (tiers_.MayServe(tier, CostOf(*job), among)) next.push_back(job);
    }
  }
  return next;
}

bool TwinTurns::FindOverdue(const Heads& heads, std::int64_t now,
                            std::vector<TwinJob*>& next) const {
  std::set<std::pair<std::int64_t, std::uint32_t>> overdue;
  for (const auto& [tier, groups] : heads) {
    const std::int64_t longest = tier < settings_.max_waits.size() ? settings_.max_waits[tier] : 0;
    const std::int64_t deadline = OldestOf(groups)->since + longest;
    if (longest != 0 && deadline <= now) overdue.emplace(deadline, tier);
  }
  for (const auto& [deadline, tier] : overdue) {
    bool certain = true;
    for (TwinJob* job : NextOf(tier, heads.at(tier))) {
      // Not a whole round, one unit of virtual time, ahead of its share.
      const std::int64_t room = tiers_.clock() + kShareUnit - tiers_.DueOf(tier, CostOf(*job));
      const bool unbounded = defect_ == Defect::kOverdueUnbounded;
      if (room >= -kShareTolerance || unbounded) next.push_back(job);
      if (room <= kShareTolerance && !unbounded) certain = false;
    }
    if (certain) return true;
  }
  return false;
}

std::uint32_t TwinTurns::NextByFloors(const Heads& heads) const {
  std::uint32_t next = heads.begin()->first;
  if (heads.size() == 1) return next;
  std::int64_t longest = -1;
  for (const auto& [tier, groups] : heads) {
    const std::int64_t claim = Claim(tier) + FloorOf(tier);
    if (claim < 1000 || FloorOf(tier) == 0) continue;
    const std::int64_t takes = (claim - 1000) / FloorOf(tier);
    if (takes <= longest) continue;
    longest = takes;
    next = tier;
  }
  return next;
}

}  // namespace rung::testing

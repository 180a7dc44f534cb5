// Groups: tenants that share each tier fairly. See queue.h and group_lanes.h.

#include <algorithm>

#include "rung/base/check.h"
#include "rung/types/queue.h"
#include "types/queue/group_lanes.h"
#include "types/queue/queue_meters.h"
#include "types/queue/tier_chooser.h"

namespace rung {

QueueTier::QueueTier() = default;
QueueTier::~QueueTier() = default;

const Job* NextOf(const QueueTier& tier) {
  return tier.lanes == nullptr ? tier.ready.front() : tier.lanes->Next();
}

// The number of a group, which has one more job now. A number is used again when its group has no
// job and owes nobody a turn.
std::uint32_t Queue::JoinGroup(std::string_view name) {
  if (name.empty()) return 0;
  const auto known = group_numbers_.find(name);
  std::uint32_t number = 0;
  if (known != group_numbers_.end()) {
    number = known->second;
  } else {
    if (!resting_groups_.empty()) {
      const std::uint32_t resting = resting_groups_.front();
      resting_groups_.pop_front();
      const bool empty = groups_[resting].jobs == 0;
      if (empty && OwesNothing(resting)) number = resting;
      if (empty && number == 0) resting_groups_.push_back(resting);
    }
    if (number == 0) {
      number = static_cast<std::uint32_t>(groups_.size());
      groups_.emplace_back();
    } else {
      group_numbers_.erase(groups_[number].name);
    }
    groups_[number] = {.name = std::string(name), .weight = settings_.GroupWeight(name), .jobs = 0};
    group_numbers_.emplace(name, number);
  }
  ++groups_[number].jobs;
  return number;
}

void Queue::LeaveGroup(std::uint32_t group) {
  if (group == 0) return;
  if (--groups_[group].jobs == 0) resting_groups_.push_back(group);
}

bool Queue::OwesNothing(std::uint32_t group) const {
  return std::all_of(tiers_.begin(), tiers_.end(), [&](const auto& tier) {
    if (tier->lanes == nullptr || group >= tier->lanes->share.size()) return true;
    const FairShare& share = tier->lanes->share;
    return !share.waits(group) && share.flow(group).start() <= share.clock().now();
  });
}

void Queue::BuildLanes(QueueTier& tier) {
  tier.lanes = std::make_unique<GroupLanes>();
  for (auto cursor = tier.ready.First(); cursor.Valid(); cursor.Next()) EnterLane(tier, *cursor);
}

void Queue::EnterLane(QueueTier& tier, Job* job) {
  GroupLanes& lanes = *tier.lanes;
  if (job->group >= lanes.ready.size()) lanes.ready.resize(std::size_t{job->group} + 1);
  auto& lane = lanes.ready[job->group];
  lane.Insert(job);
  const std::uint32_t cost = settings_.charge_cost ? lane.front()->cost : 1;
  if (lane.size() == 1 || lane.front() == job) {
    lanes.share.Activate(job->group, groups_[job->group].weight, cost);
  }
}

void Queue::LeaveLane(QueueTier& tier, Job* job) {
  GroupLanes& lanes = *tier.lanes;
  auto& lane = lanes.ready[job->group];
  lane.Erase(job);
  if (lane.empty()) {
    lanes.share.Deactivate(job->group);
  } else if (settings_.charge_cost) {
    lanes.share.SetCost(job->group, lane.front()->cost);
  }
}

void Queue::ServeLane(QueueTier& tier, const Job& job) {
  tier.lanes->share.Serve(job.group, settings_.charge_cost ? job.cost : 1);
}

// After a change of the settings.
void Queue::ConfigureGroups(bool were_fair) {
  for (std::uint32_t group = 1; group < groups_.size(); ++group) {
    const std::uint32_t weight = settings_.GroupWeight(groups_[group].name);
    if (groups_[group].weight == weight) continue;
    groups_[group].weight = weight;
    for (const auto& tier : tiers_) {
      if (tier->lanes == nullptr || group >= tier->lanes->share.size()) continue;
      tier->lanes->share.SetWeight(group, weight);
    }
  }
  if (settings_.fair_groups != were_fair) RenewLanes();
  for (const QueueTier* tier : active_) chooser_->SetCost(tier->number, NextOf(*tier)->cost);
}

void Queue::RenewLanes() {
  for (const auto& tier : tiers_) {
    if (!settings_.fair_groups) {
      tier->lanes.reset();
      continue;
    }
    bool grouped = false;
    for (auto cursor = tier->ready.First(); cursor.Valid() && !grouped; cursor.Next()) {
      grouped = (*cursor)->group != 0;
    }
    if (grouped) BuildLanes(*tier);
  }
}

// What the shares remember, once the jobs are there.
void Queue::CopyShares(const Queue& from) {
  for (const auto& tier : from.tiers_) {
    if (tier->lanes == nullptr) continue;
    QueueTier& twin = TierAt(tier->number);
    if (twin.lanes == nullptr) BuildLanes(twin);
    twin.lanes->share = tier->lanes->share;
  }
}

void Queue::CheckLanes(const QueueTier& tier) const {
  if (tier.lanes == nullptr) return;
  const GroupLanes& lanes = *tier.lanes;
  lanes.share.CheckInvariants();
  std::size_t count = 0;
  for (std::uint32_t group = 0; group < lanes.ready.size(); ++group) {
    const auto& lane = lanes.ready[group];
    lane.CheckInvariants();
    count += lane.size();
    RUNG_CHECK(lanes.share.waits(group) == !lane.empty(), "a group's turn");
    for (auto cursor = lane.First(); cursor.Valid(); cursor.Next()) {
      RUNG_CHECK((*cursor)->group == group && (*cursor)->tier == tier.number, "a wrong lane");
    }
  }
  RUNG_CHECK(count == tier.ready.size(), "lanes and the order of a tier");
}

}  // namespace rung

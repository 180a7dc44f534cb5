// Groups: tenants that share each tier, and what holds for each of them. See queue.h, queue_group.h
// and group_lanes.h.

#include <algorithm>

#include "rung/base/check.h"
#include "rung/types/queue.h"
#include "types/queue/group_lanes.h"
#include "types/queue/queue_meters.h"
#include "types/queue/tier_chooser.h"

namespace rung {
namespace {

auto TierPlace(std::vector<const QueueTier*>& tiers, const QueueTier& tier) {
  return std::lower_bound(
      tiers.begin(), tiers.end(), tier.number,
      [](const QueueTier* each, std::uint32_t number) { return each->number < number; });
}

}  // namespace

QueueTier::QueueTier() = default;
QueueTier::~QueueTier() = default;

const Job* NextOf(const QueueTier& tier) {
  return tier.lanes == nullptr ? tier.ready.front() : tier.lanes->Next();
}

const Job* OldestOf(const QueueTier& tier) {
  if (tier.lanes == nullptr) return tier.ready.empty() ? nullptr : tier.ready.front();
  return tier.lanes->heads.empty() ? nullptr : tier.lanes->heads.front();
}

const OrderedItems<Job*, BySeq>* ReadyOf(const QueueTier& tier, std::uint32_t group) {
  if (tier.lanes == nullptr) return group == 0 && !tier.ready.empty() ? &tier.ready : nullptr;
  if (group >= tier.lanes->ready.size() || tier.lanes->ready[group].empty()) return nullptr;
  return &tier.lanes->ready[group];
}

// ---- What holds for a group as a whole

std::uint32_t Queue::GroupAt(std::string_view name) {
  return groups_.At(name, settings_, latest_since_ms_,
                    [this](std::uint32_t group) { return OwesNothing(group); });
}

std::uint32_t Queue::JoinGroup(std::string_view name) {
  if (name.empty()) return 0;
  const std::uint32_t number = GroupAt(name);
  ++groups_[number].jobs;
  return number;
}

void Queue::LeaveGroup(std::uint32_t number) {
  if (number == 0) return;
  --groups_[number].jobs;
  groups_.Rest(number);
  UpdateGroup(number);
}

bool Queue::OwesNothing(std::uint32_t group) const {
  return std::all_of(tiers_.begin(), tiers_.end(), [&](const auto& tier) {
    if (tier->lanes == nullptr || group >= tier->lanes->share.size()) return true;
    const FairShare& share = tier->lanes->share;
    return !share.waits(group) && share.flow(group).start() <= share.clock().now();
  });
}

// To be told once a job of it has found its next state.
void Queue::UpdateGroup(std::uint32_t number) {
  if (number == 0) return;
  QueueGroup& group = groups_[number];
  if (group.watches_load || group.full) touched_.push_back({LoadScope::Kind::kGroup, number});
  const bool open = group.MayServe(settings_.group_order == GroupOrder::kExact);
  if (open == group.open) return;
  group.open = open;
  for (const QueueTier* tier : group.tiers) SetLaneOpen(TierAt(tier->number), number);
}

void Queue::SetGroupPause(std::string_view name, PauseTimes pause) {
  const std::uint32_t number = GroupAt(name);
  groups_.SetPause(number, pause);
  UpdateGroup(number);
  TellTurns();
}

// After a change of the settings.
void Queue::ConfigureGroups(const QueueSettings& before, std::int64_t at_ms) {
  const bool by_turn = settings_.group_order != GroupOrder::kOff;
  const bool turns_change = by_turn != (before.group_order != GroupOrder::kOff);
  for (const auto& tier : tiers_) {
    if (tier->lanes == nullptr) continue;
    if (turns_change || settings_.charge_cost != before.charge_cost) RenewTurns(*tier);
  }
  const bool limits_change =
      settings_.groups != before.groups || settings_.group_limits != before.group_limits;
  for (std::uint32_t number = 1; number < groups_.size(); ++number) {
    if (groups_[number].name.empty()) continue;
    if (limits_change) LimitGroup(number, at_ms);
    UpdateGroup(number);
  }
}

void Queue::LimitGroup(std::uint32_t number, std::int64_t at_ms) {
  QueueGroup& group = groups_[number];
  const std::uint32_t weight = group.weight;
  groups_.Limit(number, settings_, at_ms);
  if (group.weight == weight) return;
  for (const auto& tier : tiers_) {
    if (tier->lanes == nullptr || number >= tier->lanes->share.size()) continue;
    tier->lanes->share.SetWeight(number, group.weight);
  }
}

// ---- Lanes

void Queue::BuildLanes(QueueTier& tier) {
  tier.lanes = std::make_unique<GroupLanes>();
  tier.lanes->by_turn = settings_.group_order != GroupOrder::kOff;
  for (auto cursor = tier.ready.First(); cursor.Valid(); cursor.Next()) EnterLane(tier, *cursor);
}

void Queue::EnterLane(QueueTier& tier, Job* job) {
  GroupLanes& lanes = *tier.lanes;
  if (job->group >= lanes.ready.size()) lanes.ready.resize(std::size_t{job->group} + 1);
  auto& lane = lanes.ready[job->group];
  lane.Insert(job);
  QueueGroup& group = groups_[job->group];
  if (lane.size() == 1 && job->group != 0) group.tiers.insert(TierPlace(group.tiers, tier), &tier);
  if (!group.open || lane.front() != job) return;
  if (lane.size() > 1) {
    auto second = lane.First();
    second.Next();
    lanes.heads.Erase(*second);
  }
  lanes.heads.Insert(job);
  lanes.stale.push_back(job->group);
}

void Queue::LeaveLane(QueueTier& tier, Job* job) {
  GroupLanes& lanes = *tier.lanes;
  auto& lane = lanes.ready[job->group];
  QueueGroup& group = groups_[job->group];
  const bool was_head = lane.front() == job;
  lane.Erase(job);
  if (lane.empty() && job->group != 0) group.tiers.erase(TierPlace(group.tiers, tier));
  if (!group.open || !was_head) return;
  lanes.heads.Erase(job);
  if (!lane.empty()) lanes.heads.Insert(lane.front());
  lanes.stale.push_back(job->group);
}

// The group has a ready job in the tier, and was opened or closed.
void Queue::SetLaneOpen(QueueTier& tier, std::uint32_t number) {
  GroupLanes& lanes = *tier.lanes;
  Job* const head = lanes.ready[number].front();
  if (groups_[number].open) {
    lanes.heads.Insert(head);
  } else {
    lanes.heads.Erase(head);
  }
  lanes.stale.push_back(number);
  RefreshTier(tier);
}

void Queue::TellGroupTurns(QueueTier& tier) {
  GroupLanes& lanes = *tier.lanes;
  const auto takes_part = [&](std::uint32_t number) {
    return lanes.by_turn && groups_[number].open && !lanes.ready[number].empty();
  };
  for (const std::uint32_t number : lanes.stale) {
    if (!takes_part(number)) lanes.share.Deactivate(number);
  }
  for (const std::uint32_t number : lanes.stale) {
    if (!takes_part(number)) continue;
    const std::uint32_t cost = settings_.charge_cost ? lanes.ready[number].front()->cost() : 1;
    lanes.share.Activate(number, groups_[number].weight, cost);
  }
  lanes.stale.clear();
}

// The turns begin afresh, or only the costs of what is next are others.
void Queue::RenewTurns(QueueTier& tier) {
  GroupLanes& lanes = *tier.lanes;
  const bool by_turn = settings_.group_order != GroupOrder::kOff;
  if (lanes.by_turn != by_turn) lanes.share = FairShare();
  lanes.by_turn = by_turn;
  if (!by_turn) return;
  for (std::uint32_t number = 0; number < lanes.ready.size(); ++number) {
    const auto& lane = lanes.ready[number];
    if (lane.empty() || !groups_[number].open) continue;
    const std::uint32_t cost = settings_.charge_cost ? lane.front()->cost() : 1;
    lanes.share.Activate(number, groups_[number].weight, cost);
  }
}

// ---- The whole

// What the shares remember, once the jobs are there.
void Queue::CopyTurns(const Queue& from) {
  for (const auto& tier : from.tiers_) {
    if (tier->lanes == nullptr) continue;
    QueueTier& twin = TierAt(tier->number);
    if (twin.lanes == nullptr) BuildLanes(twin);
    TellGroupTurns(twin);
    twin.lanes->share = tier->lanes->share;
  }
}

void Queue::CheckLanes(const QueueTier& tier) const {
  if (tier.lanes == nullptr) return;
  const GroupLanes& lanes = *tier.lanes;
  RUNG_CHECK(lanes.stale.empty(), "a group's turn was not told");
  lanes.share.CheckInvariants();
  lanes.heads.CheckInvariants();
  std::size_t count = 0;
  std::size_t heads = 0;
  for (std::uint32_t number = 0; number < lanes.ready.size(); ++number) {
    const auto& lane = lanes.ready[number];
    lane.CheckInvariants();
    count += lane.size();
    const QueueGroup& group = groups_[number];
    const bool takes_part = !lane.empty() && group.open;
    RUNG_CHECK(lanes.share.waits(number) == (takes_part && lanes.by_turn), "a group's turn");
    if (takes_part) {
      ++heads;
      const auto found = lanes.heads.LowerBound(BySeq::KeyOf(lane.front()));
      RUNG_CHECK(found.Valid() && *found == lane.front(), "the first job of a group");
    }
    if (number != 0) {
      const bool listed = std::count(group.tiers.begin(), group.tiers.end(), &tier) == 1;
      RUNG_CHECK(listed == !lane.empty(), "the tiers of a group");
    }
    for (auto cursor = lane.First(); cursor.Valid(); cursor.Next()) {
      RUNG_CHECK((*cursor)->group == number && (*cursor)->tier() == tier.number, "a wrong lane");
    }
  }
  RUNG_CHECK(heads == lanes.heads.size(), "heads of groups");
  RUNG_CHECK(count == tier.ready.size(), "lanes and the order of a tier");
  RUNG_CHECK(lanes.by_turn == (settings_.group_order != GroupOrder::kOff), "the order of groups");
}

void Queue::CheckGroups() const {
  std::vector<QueueGroup> recounted(groups_.size());
  by_id_.ForEach([&](const Job* job) {
    ++recounted[job->group].jobs;
    recounted[job->group].Add(*job);
  });
  groups_.CheckInvariants(recounted, settings_.group_order == GroupOrder::kExact);
}

}  // namespace rung

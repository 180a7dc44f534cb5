// FloorShare: claims grow by takes, not by time.
#include "types/queue/floor_share.h"

#include <algorithm>

#include "rung/base/check.h"

namespace rung {

FloorShare::FloorShare(std::vector<std::uint32_t> floors) { SetFloors(std::move(floors)); }

void FloorShare::SetFloors(std::vector<std::uint32_t> floors) {
  tiers_.resize(std::max(tiers_.size(), floors.size()));
  floors.resize(tiers_.size());
  floored_ = 0;
  for (std::size_t i = 0; i < tiers_.size(); ++i) {
    tiers_[i].floor = floors[i];
    floored_ += floors[i] > 0 ? 1 : 0;
    if (floors[i] == 0) tiers_[i].claim = 0;
  }
}

void FloorShare::Activate(std::uint32_t tier) {
  if (tier >= tiers_.size()) tiers_.resize(std::size_t{tier} + 1);
  tiers_[tier].waits = true;
}

void FloorShare::Deactivate(std::uint32_t tier) {
  if (tier >= tiers_.size()) return;
  tiers_[tier].waits = false;
  tiers_[tier].claim = 0;
}

std::optional<TierPick> FloorShare::Pick(Heads heads) const {
  std::optional<std::size_t> owed;
  std::int64_t longest = -1;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::int64_t takes = OwedFor(heads[i].tier);
    if (takes <= longest) continue;
    owed = i;
    longest = takes;
  }
  if (!owed || heads.size() == 1) return PickStrict(heads);
  return TierPick{*owed, PickReason::kFloorDue};
}

void FloorShare::Serve(std::uint32_t served) {
  for (std::uint32_t tier = 0; tier < tiers_.size(); ++tier) {
    tiers_[tier].claim = std::min(ClaimThen(tier), kWhole * floored_);
  }
  if (served >= tiers_.size()) return;
  std::int64_t& claim = tiers_[served].claim;
  claim = std::max<std::int64_t>(0, claim - kWhole);
}

std::int64_t FloorShare::Claim(std::uint32_t tier) const {
  return tier < tiers_.size() ? tiers_[tier].claim : 0;
}

std::int64_t FloorShare::ClaimThen(std::uint32_t tier) const {
  if (tier >= tiers_.size() || !tiers_[tier].waits) return 0;
  return tiers_[tier].claim + tiers_[tier].floor;
}

std::int64_t FloorShare::OwedFor(std::uint32_t tier) const {
  const std::int64_t claim = ClaimThen(tier);
  return claim < kWhole ? -1 : (claim - kWhole) / tiers_[tier].floor;
}

void FloorShare::CheckInvariants() const {
  for (const Tier& tier : tiers_) {
    RUNG_CHECK(tier.claim >= 0, "invariant 1");
    RUNG_CHECK(tier.claim == 0 || (tier.waits && tier.floor > 0), "invariant 2");
  }
}

}  // namespace rung

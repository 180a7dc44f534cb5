// FloorShare: strict order, but some tiers are granted a share of the takes at least.
//
// "High first, but nothing starves." Each take adds its floor to the claim of every waiting tier
// that has one; a tier whose claim reaches a whole take is served before all others, and of several
// the one that has been owed for the most takes. (By the largest claim, a small floor could be
// overtaken again and again by large ones.) A service pays one take, and less if the claim was
// smaller: being served by strict order is no debt, and idling is no credit.
//
// The head of a tier with floor f waits at most ceil(1 / f) + F - 1 takes, F the number of tiers
// with floors, if these sum up to 1 at most. For its claim is whole after ceil(1 / f) takes at
// most, and then fewer than F takes are owed in all: when last none was, the claims were below F,
// and as long as some are owed they grow by at most what is served.
//
// No claim grows beyond F takes, where only workers can bring it that do not take from the tier.
//
// Exact: floors are thousandths. A value: a copy can be run ahead.
//
// Invariants: 1. a claim is >= 0; 2. only waiting tiers with a floor have one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "types/queue/tier_selector.h"

namespace rung {

class FloorShare {
 public:
  static constexpr std::int64_t kWhole = 1000;

  // Thousandths of the takes by tier, 0 for none. Their sum should be 1000 at most: what is granted
  // beyond cannot be kept.
  explicit FloorShare(std::vector<std::uint32_t> floors = {});

  // Live: claims are kept, but those of tiers without a floor now.
  void SetFloors(std::vector<std::uint32_t> floors);
  // `tier` has something to be taken, or nothing any more.
  void Activate(std::uint32_t tier);
  void Deactivate(std::uint32_t tier);

  // Among `heads`, top first. Changes nothing. Cost: one look at each.
  std::optional<TierPick> Pick(Heads heads) const;
  // A job of `tier` was taken. To be told before its Deactivate. Cost: the number of tiers.
  void Serve(std::uint32_t tier);

  // In thousandths of a take; 0 for tiers without.
  std::int64_t Claim(std::uint32_t tier) const;

  void CheckInvariants() const;

 private:
  struct Tier {
    std::uint32_t floor = 0;
    bool waits = false;
    std::int64_t claim = 0;
  };

  // The claim at the next take.
  std::int64_t ClaimThen(std::uint32_t tier) const;
  // For how many takes one has been owed to `tier` by then; negative if none is.
  std::int64_t OwedFor(std::uint32_t tier) const;

  std::vector<Tier> tiers_;
  std::int64_t floored_ = 0;  // Tiers with a floor.
};

}  // namespace rung

// Which tier is served next, in the modes that need only the heads of the tiers.
//
// Inside a tier the order is always that of seq, and a job's `since` never falls as seq rises; so
// in every mode the best job of a tier is its head, and no mode ever keeps a score in a job:
//   strict   the topmost tier
//   aging    the smallest since + tier * interval. The level tier - age / interval of two jobs
//   falls
//            equally fast, so that this key orders them as their levels do, at any time. With a cap
//            the tiers above it stay strictly in front, and nobody ages beyond it.
//   step     the smallest (level of the head's age, seq): levels by a table, exact to a millisecond
//   weighted the turn by weight (fair_share.h); heads older than their tier's maxwait go first, the
//            earliest deadline first, as long as the tier is not a whole round ahead of its share:
//            so the shares stay those of the weights however old the backlog is
// Strict with floors: floor_share.h.
//
// All take the heads of those tiers that can be served now to this worker, top first. Cost: one
// look at each (aging on an open ladder of many tiers, too; strict looks at the first only).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "types/queue/fair_share.h"

namespace rung {

struct TierHead {
  std::uint32_t tier = 0;
  std::int64_t since_ms = 0;
  std::int64_t seq = 0;
};

enum class PickReason : std::uint8_t {
  kOnlyTier,    // No other could be served.
  kStrictTop,   // The most urgent one.
  kAged,        // A less urgent tier whose head has aged past the more urgent ones.
  kPromoted,    // The same, by a step.
  kShareDue,    // Its turn by weight.
  kCatchingUp,  // The least served of those this worker takes from.
  kOverdue,     // Its head has waited longer than maxwait.
  kFloorDue,    // The share that it is granted at least.
};

// "only-tier", "strict-top" and so on.
std::string_view ReasonCode(PickReason reason);

struct TierPick {
  std::size_t index = 0;  // Into the heads.
  PickReason reason = PickReason::kOnlyTier;

  bool operator==(const TierPick&) const = default;
};

using Heads = std::span<const TierHead>;

std::optional<TierPick> PickStrict(Heads heads);

struct Aging {
  std::int64_t interval_ms = 1'800'000;  // Of waiting, worth one tier. > 0.
  std::uint32_t cap = 0;                 // The topmost tier that can be reached.
};

// The static key: of two tiers not above the cap, the smaller one goes first. Fits 64 bits for
// tiers below 2^21 and intervals up to 49 days.
inline std::int64_t AgingKey(const Aging& aging, const TierHead& head) {
  return head.since_ms + head.tier * aging.interval_ms;
}
std::optional<TierPick> PickAging(Heads heads, const Aging& aging);

// "After so long, a job of `tier` is served as one of `to`."
struct Step {
  std::uint32_t tier = 0;
  std::int64_t after_ms = 0;
  std::uint32_t to = 0;

  bool operator==(const Step&) const = default;
};

// Levels by age. A later step never leads further down than an earlier one of the same tier.
class StepTable {
 public:
  // In any order. Steps that would lead down are without effect.
  explicit StepTable(std::vector<Step> steps = {});

  // By tier, then age; those without effect are gone.
  const std::vector<Step>& steps() const { return steps_; }
  // As which tier a job of `tier` counts that has waited so long.
  std::uint32_t Level(std::uint32_t tier, std::int64_t age_ms) const;
  // The age at which the level changes next, if it does.
  std::optional<std::int64_t> NextAge(std::uint32_t tier, std::int64_t age_ms) const;

 private:
  std::vector<Step> steps_;
};

std::optional<TierPick> PickStep(Heads heads, const StepTable& steps, std::int64_t now_ms);

// Tiers are the entities of `share`. `heads` may hold fewer tiers than wait there.
std::optional<TierPick> PickWeighted(Heads heads, const FairShare& share);

// The longest wait in milliseconds per tier, by tier; 0 or none is without limit.
std::optional<TierPick> PickWeightedWithMaxWait(Heads heads, const FairShare& share,
                                                std::span<const std::int64_t> max_wait_ms,
                                                std::int64_t now_ms);

}  // namespace rung

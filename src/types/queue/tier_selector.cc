// The selectors: each is one pass over the heads.
#include "types/queue/tier_selector.h"

#include <algorithm>
#include <tuple>

namespace rung {

std::string_view ReasonCode(PickReason reason) {
  switch (reason) {
    case PickReason::kOnlyTier:
      return "only-tier";
    case PickReason::kStrictTop:
      return "strict-top";
    case PickReason::kAged:
      return "aged";
    case PickReason::kPromoted:
      return "promoted";
    case PickReason::kShareDue:
      return "share-due";
    case PickReason::kCatchingUp:
      return "catching-up";
    case PickReason::kOverdue:
      return "overdue";
    case PickReason::kFloorDue:
      return "floor-due";
  }
  return {};
}

namespace {

// A pick of `index` for `reason`, unless a simpler one holds.
TierPick Because(Heads heads, std::size_t index, PickReason reason) {
  return {index, heads.size() == 1 ? PickReason::kOnlyTier : reason};
}

TierPick TopOr(Heads heads, std::size_t index, PickReason reason) {
  return Because(heads, index, index == 0 ? PickReason::kStrictTop : reason);
}

}  // namespace

std::optional<TierPick> PickStrict(Heads heads) {
  if (heads.empty()) return std::nullopt;
  return TopOr(heads, 0, PickReason::kStrictTop);
}

std::optional<TierPick> PickAging(Heads heads, const Aging& aging) {
  if (heads.empty()) return std::nullopt;
  if (heads.front().tier < aging.cap) return PickStrict(heads);
  std::size_t best = 0;
  for (std::size_t i = 1; i < heads.size(); ++i) {
    if (AgingKey(aging, heads[i]) < AgingKey(aging, heads[best])) best = i;
  }
  return TopOr(heads, best, PickReason::kAged);
}

StepTable::StepTable(std::vector<Step> steps) {
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return std::tie(a.tier, a.after_ms, a.to) < std::tie(b.tier, b.after_ms, b.to);
  });
  for (const Step& step : steps) {
    const bool first = steps_.empty() || steps_.back().tier != step.tier;
    if (step.to < (first ? step.tier : steps_.back().to)) steps_.push_back(step);
  }
}

std::uint32_t StepTable::Level(std::uint32_t tier, std::int64_t age_ms) const {
  std::uint32_t level = tier;
  for (const Step& step : steps_) {
    if (step.tier == tier && step.after_ms <= age_ms) level = step.to;
  }
  return level;
}

std::optional<std::int64_t> StepTable::NextAge(std::uint32_t tier, std::int64_t age_ms) const {
  for (const Step& step : steps_) {
    if (step.tier == tier && step.after_ms > age_ms) return step.after_ms;
  }
  return std::nullopt;
}

std::optional<TierPick> PickStep(Heads heads, const StepTable& steps, std::int64_t now_ms) {
  if (heads.empty()) return std::nullopt;
  const auto order = [&](const TierHead& head) {
    return std::pair(steps.Level(head.tier, now_ms - head.since_ms), head.seq);
  };
  std::size_t best = 0;
  auto least = order(heads[0]);
  for (std::size_t i = 1; i < heads.size(); ++i) {
    const auto here = order(heads[i]);
    if (here >= least) continue;
    best = i;
    least = here;
  }
  return TopOr(heads, best, PickReason::kPromoted);
}

std::optional<TierPick> PickWeighted(Heads heads, const FairShare& share) {
  const auto find = [&](std::uint32_t tier) {
    return std::find_if(heads.begin(), heads.end(),
                        [&](const TierHead& head) { return head.tier == tier; });
  };
  auto turn = share.Pick();
  if (heads.empty() || !turn) return std::nullopt;
  auto found = find(*turn);
  auto reason = PickReason::kShareDue;
  if (found == heads.end()) {
    turn = share.PickAmong([&](std::uint32_t tier) { return find(tier) != heads.end(); });
    if (!turn) return std::nullopt;
    found = find(*turn);
    if (share.flow(*turn).start() > share.clock().now()) reason = PickReason::kCatchingUp;
  }
  return Because(heads, static_cast<std::size_t>(found - heads.begin()), reason);
}

std::optional<TierPick> PickWeightedWithMaxWait(Heads heads, const FairShare& share,
                                                std::span<const std::int64_t> max_wait_ms,
                                                std::int64_t now_ms) {
  std::optional<std::size_t> overdue;
  std::int64_t earliest = 0;
  // A round is one unit of virtual time, in which each tier is served as often as its weight says.
  const ShareTime round_ahead = share.clock().now().After(share.clock().now().divisor());
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::uint32_t tier = heads[i].tier;
    const std::int64_t longest = tier < max_wait_ms.size() ? max_wait_ms[tier] : 0;
    const std::int64_t deadline = heads[i].since_ms + longest;
    if (longest == 0 || deadline > now_ms || (overdue && deadline >= earliest)) continue;
    if (!share.waits(tier) || share.flow(tier).finish() > round_ahead) continue;
    overdue = i;
    earliest = deadline;
  }
  if (overdue) return Because(heads, *overdue, PickReason::kOverdue);
  return PickWeighted(heads, share);
}

}  // namespace rung

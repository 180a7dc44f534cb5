// The modes of a queue, put together. See tier_chooser.h.

#include "types/queue/tier_chooser.h"

#include <string>

#include "rung/base/check.h"

namespace rung {
namespace {

void AddTime(Digest& digest, const ShareTime& time) {
  const ShareTime::Parts parts = time.parts();
  for (const std::uint64_t part : {parts.units, std::uint64_t{parts.fraction},
                                   std::uint64_t{parts.remainder}, std::uint64_t{parts.divisor}}) {
    digest.Append(std::to_string(part));
  }
}

}  // namespace

void TierChooser::Configure(const QueueSettings& settings) {
  if (settings.mode != mode_) {
    share_ = FairShare();
    floors_ = FloorShare();
  }
  mode_ = settings.mode;
  by_cost_ = settings.charge_cost;
  weights_ = settings.weights;
  max_waits_ms_ = settings.max_waits_ms;
  aging_ = {.interval_ms = settings.aging_ms, .cap = settings.cap};
  std::vector<Step> steps;
  for (const QueueStep& step : settings.steps) {
    steps.push_back({.tier = step.tier, .after_ms = step.after_ms, .to = step.to});
  }
  steps_ = StepTable(std::move(steps));
  if (mode_ == QueueMode::kFloors) floors_.SetFloors(settings.floors);
  if (mode_ != QueueMode::kWeighted) return;
  for (std::uint32_t tier = 0; tier < share_.size(); ++tier) {
    share_.SetWeight(tier, WeightOf(tier));
  }
}

void TierChooser::Activate(std::uint32_t tier, std::uint32_t cost) {
  if (mode_ == QueueMode::kWeighted) share_.Activate(tier, WeightOf(tier), by_cost_ ? cost : 1);
  if (mode_ == QueueMode::kFloors) floors_.Activate(tier);
}

void TierChooser::Deactivate(std::uint32_t tier) {
  if (mode_ == QueueMode::kWeighted) share_.Deactivate(tier);
  if (mode_ == QueueMode::kFloors) floors_.Deactivate(tier);
}

void TierChooser::SetCost(std::uint32_t tier, std::uint32_t cost) {
  if (mode_ == QueueMode::kWeighted) share_.SetCost(tier, by_cost_ ? cost : 1);
}

void TierChooser::Serve(std::uint32_t tier, std::uint32_t cost) {
  const bool shares = mode_ == QueueMode::kWeighted && tier < share_.size();
  if (shares) share_.Serve(tier, by_cost_ ? cost : 1);
  if (mode_ == QueueMode::kFloors) floors_.Serve(tier);
}

std::optional<TierPick> TierChooser::Pick(Heads heads, std::int64_t now_ms) const {
  switch (mode_) {
    case QueueMode::kStrict:
      return PickStrict(heads);
    case QueueMode::kAging:
      return PickAging(heads, aging_);
    case QueueMode::kStep:
      return PickStep(heads, steps_, now_ms);
    case QueueMode::kFloors:
      return floors_.Pick(heads);
    case QueueMode::kWeighted:
      if (max_waits_ms_.empty()) return PickWeighted(heads, share_);
      return PickWeightedWithMaxWait(heads, share_, max_waits_ms_, now_ms);
  }
  RUNG_CHECK(false, "unknown mode of a queue");
}

std::optional<double> TierChooser::AheadBy(std::uint32_t tier) const {
  if (mode_ != QueueMode::kWeighted || tier >= share_.size()) return std::nullopt;
  const double distance = share_.flow(tier).start().ToDouble() - share_.clock().now().ToDouble();
  return distance * share_.flow(tier).weight();
}

std::optional<std::int64_t> TierChooser::Claim(std::uint32_t tier) const {
  if (mode_ != QueueMode::kFloors) return std::nullopt;
  return floors_.Claim(tier);
}

void TierChooser::AddTo(Digest& digest) const {
  if (mode_ == QueueMode::kWeighted) {
    AddTime(digest, share_.clock().now());
    for (std::uint32_t tier = 0; tier < share_.size(); ++tier) {
      AddTime(digest, share_.flow(tier).start());
      digest.Append(share_.waits(tier) ? "waits" : "");
    }
  }
  for (std::uint32_t tier = 0; mode_ == QueueMode::kFloors && tier < kClosedTiersMax; ++tier) {
    digest.Append(std::to_string(floors_.Claim(tier)));
  }
}

}  // namespace rung

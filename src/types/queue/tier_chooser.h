// TierChooser: which tier of a queue is served next, in the queue's mode. It puts the parts
// together (tier_selector.h, fair_share.h, floor_share.h) and holds what a mode must remember.
//
// A value: a copy runs ahead of the queue for Q.EXPLAIN NEXT. What it remembers follows from the
// queue's primitives alone, so a replay of them gives the same.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rung/base/digest.h"
#include "rung/types/queue_settings.h"
#include "types/queue/fair_share.h"
#include "types/queue/floor_share.h"
#include "types/queue/tier_selector.h"

namespace rung {

class TierChooser {
 public:
  // What is asked of it depends on the settings alone. Weights and floors change at once; a change
  // of mode begins afresh, with no tier active.
  void Configure(const QueueSettings& settings);

  // `tier` can be served, its head costing `cost`; or not any more. Told in every mode.
  void Activate(std::uint32_t tier, std::uint32_t cost);
  void Deactivate(std::uint32_t tier);
  // An active tier has another head.
  void SetCost(std::uint32_t tier, std::uint32_t cost);
  // Its head is served; before what follows from it is told.
  void Serve(std::uint32_t tier, std::uint32_t cost);

  // Among `heads`, those of active tiers that may be served, top first.
  std::optional<TierPick> Pick(Heads heads, std::int64_t now_ms) const;
  // True if only the first head is ever looked at.
  bool takes_first() const { return mode_ == QueueMode::kStrict; }

  // By weight: how far `tier` is ahead of its share, in takes of its own; negative: it is owed.
  std::optional<double> AheadBy(std::uint32_t tier) const;
  std::optional<std::int64_t> Claim(std::uint32_t tier) const;
  const StepTable& steps() const { return steps_; }

  void AddTo(Digest& digest) const;
  std::size_t MemoryBytes() const { return share_.MemoryBytes(); }

 private:
  std::uint32_t WeightOf(std::uint32_t tier) const {
    return tier < weights_.size() ? weights_[tier] : 1;
  }

  QueueMode mode_ = QueueMode::kStrict;
  bool by_cost_ = false;
  std::vector<std::uint32_t> weights_;
  std::vector<std::int64_t> max_waits_ms_;
  Aging aging_;
  StepTable steps_;
  FairShare share_;
  FloorShare floors_;
};

}  // namespace rung

// TwinTurns: whose turn it is in the twin of a queue (queue_twin.h), by shares and by floors, among
// tiers and among the groups of each.
//
// All is brute force over exact numbers. The broker rounds, a little: where two are level up to
// that, either may be next.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kit/queue_twin_parts.h"
#include "kit/share_twin.h"

namespace rung::testing {

class TwinTurns {
 public:
  using Groups = std::map<std::string, TwinJob*>;  // The first job that each may give now.
  using Heads = std::map<std::uint32_t, Groups>;   // By tier; without empty ones.
  using Tiers = std::set<std::uint32_t>;

  explicit TwinTurns(Defect defect) : defect_(defect), tiers_(TierDefect(defect)) {}

  const ShareTwin<std::uint32_t>& tiers() const { return tiers_; }
  const std::map<std::uint32_t, ShareTwin<std::string>>& groups() const { return groups_; }
  // In thousandths of a take.
  std::int64_t Claim(std::uint32_t tier) const;

  // Weights and floors hold at once. What another mode or order brings about begins afresh.
  void Configure(const TwinSettings& settings);
  // After each effect as a whole: what may be given by now, limits and pauses of tiers aside, and
  // the tiers that may give it. Who left and came back within the effect has not been away.
  void Update(const Heads& heads, const Tiers& open);
  // The job is being given out.
  void Charge(const TwinJob& job);

  // The next job of a tier; several, if they are level.
  std::vector<TwinJob*> NextOf(std::uint32_t tier, const Groups& groups) const;
  // The same of all of `heads`, which may be given now; by shares or floors.
  std::vector<TwinJob*> Next(const Heads& heads, std::int64_t now) const;
  // The oldest job that a tier may give.
  static TwinJob* OldestOf(const Groups& groups);

 private:
  static ShareDefect TierDefect(Defect defect);
  static ShareDefect GroupDefect(Defect defect);
  std::int64_t CostOf(const TwinJob& job) const { return settings_.charge ? job.cost : 1; }
  std::int64_t WeightOf(std::uint32_t tier) const;
  std::int64_t WeightOf(const std::string& group) const;
  std::int64_t FloorOf(std::uint32_t tier) const;
  void UpdateGroups(const Heads& heads);
  void ServeByFloors(std::uint32_t tier);
  std::uint32_t NextByFloors(const Heads& heads) const;
  // Adds those that have waited too long to `next`; true if it can be no other.
  bool FindOverdue(const Heads& heads, std::int64_t now, std::vector<TwinJob*>& next) const;

  Defect defect_;
  TwinSettings settings_;
  ShareTwin<std::uint32_t> tiers_;
  std::map<std::uint32_t, ShareTwin<std::string>> groups_;
  Tiers open_;
  std::map<std::uint32_t, std::int64_t> claims_;
};

}  // namespace rung::testing

// ShareTwin: fair sharing by the rules of fair_flow.h, in plain loops and whole numbers. What knows
// whose turn it is must agree with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>

namespace rung::testing {

// Planted in the twin on purpose: a test is worth something only if it finds them.
enum class ShareDefect : std::uint8_t {
  kNone,
  kDebtForgiven,  // Who leaves and comes back owes nothing any more.
  kIdlingEarns,   // Who comes back is owed what the others got meanwhile.
  kWeightStays,   // A change of weight waits until its holder has idled.
};

// Virtual time since the clock began, in units of 1 / kShareUnit: every weight and every sum of
// weights up to 24 divides it.
inline constexpr std::int64_t kShareUnit = 5'354'228'880;
// Ties may fall the other way after a rounding; more than that is a fault.
inline constexpr std::int64_t kShareTolerance = kShareUnit / 200'000;

// `Key` names who shares.
template <typename Key>
class ShareTwin {
 public:
  struct Flow {
    std::int64_t start = 0;
    std::int64_t weight = 1;
    std::int64_t cost = 1;
    bool waits = false;
  };

  explicit ShareTwin(ShareDefect defect = ShareDefect::kNone) : defect_(defect) {}

  const std::map<Key, Flow>& flows() const { return flows_; }
  std::int64_t clock() const { return clock_; }

  void Activate(const Key& key, std::int64_t weight, std::int64_t cost) {
    Flow& flow = flows_[key];
    Reweigh(flow, weight);
    flow.cost = cost;
    const bool idled = !flow.waits && defect_ != ShareDefect::kIdlingEarns;
    if (idled) flow.start = std::max(flow.start, clock_);
    flow.waits = true;
  }
  void Deactivate(const Key& key) {
    const auto found = flows_.find(key);
    if (found == flows_.end() || !found->second.waits) return;
    Flow& flow = found->second;
    flow.waits = false;
    // What it gives up goes to the others.
    const std::int64_t owed = std::max<std::int64_t>(0, clock_ - flow.start);
    if (defect_ == ShareDefect::kDebtForgiven) flow.start = std::min(flow.start, clock_);
    Work(static_cast<Wide>(owed) * flow.weight);
    for (const auto& [name, each] : flows_) {
      if (each.waits) return;
    }
    for (const auto& [name, each] : flows_) clock_ = std::max(clock_, each.start);
  }
  // Of one that is known; of another it has no meaning yet.
  void SetWeight(const Key& key, std::int64_t weight) {
    const auto found = flows_.find(key);
    if (found != flows_.end()) Reweigh(found->second, weight);
  }

  using Among = std::function<bool(const Key&)>;
  // Whether it may be the turn of `key`, whose next job costs `cost`, among those that a worker
  // takes from: it has not had more than its share, and no deadline is earlier.
  bool MayServe(const Key& key, std::int64_t cost, const Among& among) const {
    const auto found = flows_.find(key);
    if (found == flows_.end() || !found->second.waits) return false;
    const Flow& flow = found->second;
    const auto any = [](const Flow&) { return true; };
    const std::int64_t least = Least(among, any, &StartOf);
    // All have had more than their shares: the one that has had the least more.
    if (least > clock_ + kShareTolerance) return flow.start <= least + kShareTolerance;
    // Starts are rounded down, and the clock up: who has not had more is never taken for one who
    // has.
    const auto due = [&](const Flow& each) { return each.start <= clock_ + kShareTolerance; };
    return due(flow) && FinishOf(flow, cost) - kShareTolerance <= Least(among, due, &FinishAtCost);
  }
  // When a next job of `cost` is due. Requires a known one.
  std::int64_t DueOf(const Key& key, std::int64_t cost) const {
    return FinishOf(flows_.at(key), cost);
  }
  void Serve(const Key& key, std::int64_t cost) {
    const auto all = [](const auto&) { return true; };
    const std::int64_t least = Least(all, all, &StartOf);
    if (least != kNever) clock_ = std::max(clock_, least);
    Work(static_cast<Wide>(cost) * kShareUnit);
    Flow& flow = flows_[key];
    flow.start += cost * kShareUnit / flow.weight;
  }

 private:
  __extension__ using Wide = __int128;
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  static std::int64_t StartOf(const Flow& flow) { return flow.start; }
  static std::int64_t FinishAtCost(const Flow& flow) { return FinishOf(flow, flow.cost); }
  static std::int64_t FinishOf(const Flow& flow, std::int64_t cost) {
    return flow.start + cost * kShareUnit / flow.weight;
  }
  template <typename Which>
  std::int64_t Least(const Among& among, const Which& which,
                     std::int64_t (*time)(const Flow&)) const {
    std::int64_t least = kNever;
    for (const auto& [key, flow] : flows_) {
      if (flow.waits && which(flow) && among(key)) least = std::min(least, time(flow));
    }
    return least;
  }

  bool Counts(const Flow& flow) const { return flow.waits || flow.start > clock_; }
  // What it owes or is owed stays the same work.
  void Reweigh(Flow& flow, std::int64_t weight) {
    if (flow.weight == weight || (defect_ == ShareDefect::kWeightStays && flow.waits)) return;
    if (Counts(flow)) flow.start = clock_ + (flow.start - clock_) * flow.weight / weight;
    flow.weight = weight;
  }
  std::int64_t Weight() const {
    std::int64_t weight = 0;
    for (const auto& [key, flow] : flows_) weight += Counts(flow) ? flow.weight : 0;
    return weight;
  }
  // Moves the clock by `work`, from one start of an idle flow to the next.
  void Work(Wide work) {
    while (Weight() > 0) {
      std::int64_t next = kNever;
      for (const auto& [key, flow] : flows_) {
        if (!flow.waits && flow.start > clock_) next = std::min(next, flow.start);
      }
      const Wide way = std::min<Wide>(work / Weight(), next - clock_);
      if (way == 0) break;
      work -= way * Weight();
      clock_ += static_cast<std::int64_t>(way);
    }
  }

  std::map<Key, Flow> flows_;
  ShareDefect defect_;
  std::int64_t clock_ = 0;
};

}  // namespace rung::testing

// FairShare against the same rules in exact integers, and against its bounds, under random coming,
// going, weights and costs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "rung/base/rng.h"
#include "types/queue/fair_share.h"

namespace rung {
namespace {

__extension__ using Wide = __int128;

// Virtual time since the clock began, in units of 1 / kUnit: every weight and every sum of weights
// up to 24 divides it.
constexpr std::int64_t kUnit = 5'354'228'880;

std::int64_t ScaledUp(const ShareTime& time) {
  const ShareTime::Parts parts = time.parts();
  const Wide fraction = static_cast<Wide>(parts.fraction) * kUnit * parts.divisor +
                        static_cast<Wide>(parts.remainder) * kUnit;
  const Wide whole = fraction / parts.divisor;
  const auto units =
      static_cast<std::int64_t>(parts.units) - static_cast<std::int64_t>(FairClock::kFirstUnits);
  return units * kUnit + static_cast<std::int64_t>(whole >> 32);
}

// Planted in the twin on purpose: the test is worth something only if it finds them.
enum class Defect : std::uint8_t {
  kNone,
  kDebtForgiven,  // Who leaves and comes back owes nothing any more.
  kIdlingEarns,   // Who comes back is owed what the others got meanwhile.
};

// The rules of fair_flow.h in plain loops.
class Twin {
 public:
  struct Flow {
    std::int64_t start = 0;
    std::int64_t weight = 1;
    std::int64_t cost = 1;
    bool waits = false;

    std::int64_t Finish() const { return start + cost * kUnit / weight; }
  };

  Twin(std::size_t flows, Defect defect) : flows_(flows), defect_(defect) {}

  const Flow& flow(std::size_t i) const { return flows_[i]; }
  std::int64_t clock() const { return clock_; }

  void Activate(std::size_t i, std::int64_t weight, std::int64_t cost) {
    flows_[i].weight = weight;
    flows_[i].cost = cost;
    const bool idled = !flows_[i].waits && defect_ != Defect::kIdlingEarns;
    if (idled) flows_[i].start = std::max(flows_[i].start, clock_);
    flows_[i].waits = true;
  }
  void Deactivate(std::size_t i) {
    if (!flows_[i].waits) return;
    flows_[i].waits = false;
    // What it gives up goes to the others.
    const std::int64_t owed = std::max<std::int64_t>(0, clock_ - flows_[i].start);
    if (defect_ == Defect::kDebtForgiven) flows_[i].start = std::min(flows_[i].start, clock_);
    Work(static_cast<Wide>(owed) * flows_[i].weight);
    for (const Flow& flow : flows_) {
      if (flow.waits) return;
    }
    for (const Flow& flow : flows_) clock_ = std::max(clock_, flow.start);
  }

  // The time up to which a start is eligible.
  std::int64_t Horizon() const {
    std::int64_t least = INT64_MAX;
    for (const Flow& flow : flows_) {
      if (flow.waits) least = std::min(least, flow.start);
    }
    return std::max(clock_, least);
  }
  // Of those that start `before`.
  std::int64_t EarliestFinish(std::int64_t before) const {
    std::int64_t earliest = INT64_MAX;
    for (const Flow& flow : flows_) {
      if (flow.waits && flow.start < before) earliest = std::min(earliest, flow.Finish());
    }
    return earliest;
  }
  void Serve(std::size_t i, std::int64_t cost) {
    clock_ = Horizon();
    Work(static_cast<Wide>(cost) * kUnit);
    flows_[i].start += cost * kUnit / flows_[i].weight;
  }

 private:
  std::int64_t Weight() const {
    std::int64_t weight = 0;
    for (const Flow& flow : flows_) weight += flow.waits || flow.start > clock_ ? flow.weight : 0;
    return weight;
  }

  // Moves the clock by `work`, from one start of an idle flow to the next.
  void Work(Wide work) {
    while (Weight() > 0) {
      std::int64_t next = INT64_MAX;
      for (const Flow& flow : flows_) {
        if (!flow.waits && flow.start > clock_) next = std::min(next, flow.start);
      }
      const Wide way = std::min<Wide>(work / Weight(), next - clock_);
      if (way == 0) break;
      work -= way * Weight();
      clock_ += static_cast<std::int64_t>(way);
    }
  }

  std::vector<Flow> flows_;
  Defect defect_;
  std::int64_t clock_ = 0;
};

// Ties may fall the other way after a rounding; more than that is a fault.
constexpr std::int64_t kTolerance = kUnit / 1'000'000;

// What is wrong with a turn that was given; empty if it is right.
std::string WrongWith(const Twin& twin, std::uint32_t turn) {
  if (!twin.flow(turn).waits) return "it does not wait";
  if (twin.flow(turn).start > twin.Horizon() + kTolerance) return "it is ahead of its share";
  const std::int64_t earliest = twin.EarliestFinish(twin.Horizon() - kTolerance);
  return twin.flow(turn).Finish() - kTolerance <= earliest ? "" : "another one is due before it";
}

// Random coming, going and serving; the first difference, or nothing.
std::string CompareWithTwin(std::uint64_t seed, Defect defect) {
  Rng rng(seed);
  const std::size_t flows = 2 + rng.Below(5);
  std::vector<std::int64_t> weights(flows);
  for (std::int64_t& weight : weights) weight = static_cast<std::int64_t>(1 + rng.Below(4));
  FairShare share;
  Twin twin(flows, defect);
  for (int step = 0; step < 20'000; ++step) {
    const auto i = static_cast<std::uint32_t>(rng.Below(flows));
    const auto cost = static_cast<std::uint32_t>(1 + rng.Below(3));
    const std::uint64_t action = rng.Below(8);
    if (action == 0) {
      share.Activate(i, static_cast<std::uint32_t>(weights[i]), cost);
      twin.Activate(i, weights[i], cost);
    } else if (action == 1) {
      share.Deactivate(i);
      twin.Deactivate(i);
    } else if (const auto turn = share.Pick()) {
      if (const std::string wrong = WrongWith(twin, *turn); !wrong.empty()) return wrong;
      const std::uint32_t paid = share.flow(*turn).cost();
      twin.Serve(*turn, paid);
      share.Serve(*turn, paid);
    }
    if (std::abs(ScaledUp(share.clock().now()) - twin.clock()) > kTolerance) return "the clock";
  }
  for (std::uint32_t i = 0; i < share.size(); ++i) {
    const std::int64_t start = std::max(twin.flow(i).start, twin.clock());
    const std::int64_t ours = std::max(ScaledUp(share.flow(i).start()), twin.clock());
    if (std::abs(ours - start) > kTolerance) return "a start";
  }
  share.CheckInvariants();
  return {};
}

TEST(FairShareModelTest, FollowsTheRulesUnderRandomComingAndGoing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ASSERT_EQ(CompareWithTwin(seed, Defect::kNone), "") << "seed " << seed;
  }
}

TEST(FairShareModelTest, PlantedDefectsAreFound) {
  for (const Defect defect : {Defect::kDebtForgiven, Defect::kIdlingEarns}) {
    EXPECT_NE(CompareWithTwin(1, defect), "") << "defect " << static_cast<int>(defect);
  }
}

// Random arrivals into tiers with queues; each head's wait in takes against its bound.
struct Waits {
  double after_idling = 0;  // The longest, as a share of ceil(W / w).
  double otherwise = 0;
};

Waits LongestWaits(std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::uint32_t> weights(2 + rng.Below(5));
  for (std::uint32_t& weight : weights) weight = static_cast<std::uint32_t>(1 + rng.Below(30));
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  FairShare share;
  std::vector<std::uint64_t> jobs(weights.size()), since(weights.size());
  std::vector<bool> idled(weights.size());
  Waits longest;
  for (std::uint64_t take = 0; take < 20'000; ++take) {
    const std::uint64_t burst = rng.Below(10) == 0 ? 60 : 2;
    const auto tier = static_cast<std::uint32_t>(rng.Below(weights.size()));
    if (const std::uint64_t coming = rng.Below(burst); coming > 0) {
      if (jobs[tier] == 0) {
        const bool owes = tier < share.size() && share.flow(tier).start() > share.clock().now();
        share.Activate(tier, weights[tier]);
        since[tier] = take;
        idled[tier] = !owes;
      }
      jobs[tier] += coming;
    }
    const auto turn = share.Pick();
    if (!turn) continue;
    const double bound = std::ceil(all / weights[*turn]);
    double& worst = idled[*turn] ? longest.after_idling : longest.otherwise;
    worst = std::max(worst, static_cast<double>(take - since[*turn] + 1) / bound);
    share.Serve(*turn);
    since[*turn] = take + 1;
    idled[*turn] = false;
    if (--jobs[*turn] == 0) share.Deactivate(*turn);
  }
  return longest;
}

TEST(FairShareModelTest, NoHeadWaitsLongerThanItsBoundWhoeverComesAndGoes) {
  Waits longest;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Waits waits = LongestWaits(seed);
    longest.after_idling = std::max(longest.after_idling, waits.after_idling);
    longest.otherwise = std::max(longest.otherwise, waits.otherwise);
  }
  RecordProperty("after_idling", std::to_string(longest.after_idling));
  EXPECT_LE(longest.after_idling, 1.0);
  EXPECT_LT(longest.otherwise, 2.0);
}

// Invariant 15: a share is off by less than a job, and one more for each change of who waits.
TEST(FairShareModelTest, SharesAreOffByLessThanOneAndTheNumberOfChanges) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Rng rng(seed);
    std::vector<std::uint32_t> weights(2 + rng.Below(6));
    for (std::uint32_t& weight : weights) weight = static_cast<std::uint32_t>(1 + rng.Below(1000));
    FairShare share;
    for (std::uint32_t i = 0; i < weights.size(); ++i) share.Activate(i, weights[i]);
    std::vector<double> exact(weights.size());
    std::vector<double> served(weights.size());
    double changes = 0;
    for (int take = 0; take < 5'000; ++take) {
      if (rng.Below(200) == 0) {
        const auto i = static_cast<std::uint32_t>(rng.Below(weights.size()));
        ++changes;
        if (!share.waits(i)) {
          share.Activate(i, weights[i]);
        } else if (share.waiting() > 1) {
          share.Deactivate(i);
        }
      }
      const std::uint32_t turn = *share.Pick();
      const auto all = static_cast<double>(share.clock().weight());
      for (std::uint32_t i = 0; i < weights.size(); ++i) {
        if (share.waits(i)) exact[i] += weights[i] / all;
      }
      ++served[turn];
      share.Serve(turn);
      for (std::uint32_t i = 0; i < weights.size(); ++i) {
        ASSERT_LT(std::abs(served[i] - exact[i]), 1.0 + changes);
      }
    }
  }
}

}  // namespace
}  // namespace rung

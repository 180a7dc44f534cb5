// FairShare against the same rules in exact integers, and against its bounds, under random coming,
// going, weights and costs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "kit/share_twin.h"
#include "rung/base/rng.h"
#include "types/queue/fair_share.h"

namespace rung {
namespace {

__extension__ using Wide = __int128;
using testing::kShareTolerance;
using testing::kShareUnit;
using testing::ShareDefect;
using Twin = testing::ShareTwin<std::uint32_t>;

std::int64_t ScaledUp(const ShareTime& time) {
  const ShareTime::Parts parts = time.parts();
  const Wide fraction = static_cast<Wide>(parts.fraction) * kShareUnit * parts.divisor +
                        static_cast<Wide>(parts.remainder) * kShareUnit;
  const Wide whole = fraction / parts.divisor;
  const auto units =
      static_cast<std::int64_t>(parts.units) - static_cast<std::int64_t>(FairClock::kFirstUnits);
  return units * kShareUnit + static_cast<std::int64_t>(whole >> 32);
}

// Whether both stand where they should: who idles is nowhere before the clock.
bool Agree(const FairShare& share, const Twin& twin, std::uint32_t i) {
  const auto known = twin.flows().find(i);
  const bool waits = known != twin.flows().end() && known->second.waits;
  if (share.waits(i) != waits) return false;
  if (i >= share.size() || known == twin.flows().end()) return true;
  const std::int64_t least = waits ? std::numeric_limits<std::int64_t>::min() : twin.clock();
  const std::int64_t start = std::max(known->second.start, least);
  return std::abs(std::max(ScaledUp(share.flow(i).start()), least) - start) <= kShareTolerance;
}

// Random coming, going, serving and changes of weight; the first difference, or nothing.
std::string CompareWithTwin(std::uint64_t seed, ShareDefect defect) {
  Rng rng(seed);
  const auto flows = static_cast<std::uint32_t>(2 + rng.Below(5));
  std::vector<std::uint32_t> weights(flows);
  const auto weight = [&] { return static_cast<std::uint32_t>(1 + rng.Below(4)); };
  for (std::uint32_t& each : weights) each = weight();
  FairShare share;
  Twin twin(defect);
  for (int step = 0; step < 20'000; ++step) {
    const auto i = static_cast<std::uint32_t>(rng.Below(flows));
    const auto cost = static_cast<std::uint32_t>(1 + rng.Below(3));
    const std::uint64_t action = rng.Below(80);
    if (action == 0 && i < share.size()) {
      weights[i] = weight();
      share.SetWeight(i, weights[i]);
      twin.SetWeight(i, weights[i]);
    } else if (action < 10) {
      share.Activate(i, weights[i], cost);
      twin.Activate(i, weights[i], cost);
    } else if (action < 20) {
      share.Deactivate(i);
      twin.Deactivate(i);
    } else if (const auto turn = share.Pick()) {
      const std::uint32_t paid = share.flow(*turn).cost();
      if (!twin.MayServe(*turn, paid, [](std::uint32_t) { return true; })) return "a turn";
      twin.Serve(*turn, paid);
      share.Serve(*turn, paid);
    }
    if (std::abs(ScaledUp(share.clock().now()) - twin.clock()) > kShareTolerance) {
      return "the clock";
    }
    if (!Agree(share, twin, i)) return "a start";
  }
  share.CheckInvariants();
  return {};
}

TEST(FairShareModelTest, FollowsTheRulesUnderRandomComingAndGoing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ASSERT_EQ(CompareWithTwin(seed, ShareDefect::kNone), "") << "seed " << seed;
  }
}

TEST(FairShareModelTest, PlantedDefectsAreFound) {
  for (const ShareDefect defect :
       {ShareDefect::kDebtForgiven, ShareDefect::kIdlingEarns, ShareDefect::kWeightStays}) {
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

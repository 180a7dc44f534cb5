// FairShare's promises: exact shares, bounded waits, nothing gained by idling, live weights.

#include "types/queue/fair_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "rung/base/rng.h"

namespace rung {
namespace {

FairShare Waiting(const std::vector<std::uint32_t>& weights) {
  FairShare share;
  for (std::uint32_t i = 0; i < weights.size(); ++i) share.Activate(i, weights[i]);
  return share;
}

std::uint32_t Take(FairShare& share) {
  const std::uint32_t turn = *share.Pick();
  share.Serve(turn, share.flow(turn).cost());
  return turn;
}

std::string Turns(FairShare& share, const std::string& names, int count) {
  std::string turns;
  for (int i = 0; i < count; ++i) turns += names[Take(share)];
  return turns;
}

TEST(FairShareTest, NobodyWaitsAtFirst) {
  const FairShare share;
  EXPECT_EQ(share.Pick(), std::nullopt);
  EXPECT_FALSE(share.waits(0));
  EXPECT_EQ(share.waiting(), 0u);
}

TEST(FairShareTest, SeventyTwentyTenIsASmoothPattern) {
  FairShare share = Waiting({70, 20, 10});
  EXPECT_EQ(Turns(share, "HML", 30), "HMHHLHHMHHHMHHLHHMHHHMHHLHHMHH");
}

TEST(FairShareTest, EqualWeightsTakeTurnsFromTheLowestNumber) {
  FairShare share = Waiting({1, 1, 1});
  EXPECT_EQ(Turns(share, "abc", 9), "abcabcabc");
}

TEST(FairShareTest, AnAlignedWindowHoldsExactlyTheWeights) {
  const std::vector<std::vector<std::uint32_t>> ladders = {
      {7, 2, 1}, {70, 20, 10}, {1000, 999, 1}, {3, 3, 2, 1}, {64, 1, 1, 1, 1, 1, 1}, {5}};
  for (const auto& weights : ladders) {
    FairShare share = Waiting(weights);
    std::uint32_t all = 0;
    for (const std::uint32_t weight : weights) all += weight;
    for (int window = 0; window < 20; ++window) {
      std::vector<std::uint32_t> served(weights.size());
      for (std::uint32_t i = 0; i < all; ++i) ++served[Take(share)];
      ASSERT_EQ(served, weights);
    }
    share.CheckInvariants();
  }
}

// Theorem 4 of the design: the slots of each service, for random ladders.
TEST(FairShareTest, EachServiceFallsIntoItsWindow) {
  Rng rng(4);
  for (int ladder = 0; ladder < 200; ++ladder) {
    std::vector<std::uint32_t> weights(1 + rng.Below(8));
    std::uint64_t all = 0;
    for (std::uint32_t& weight : weights) {
      weight = static_cast<std::uint32_t>(1 + rng.Below(rng.Below(2) == 0 ? 5 : 1000));
      all += weight;
    }
    FairShare share = Waiting(weights);
    std::vector<std::uint64_t> served(weights.size());
    for (std::uint64_t slot = 0; slot < 4000; ++slot) {
      const std::uint32_t turn = Take(share);
      const std::uint64_t weight = weights[turn];
      const std::uint64_t k = served[turn]++;
      ASSERT_GE(slot, (k * all + weight - 1) / weight);
      ASSERT_LT(slot, ((k + 1) * all + weight - 1) / weight);
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double exact = 4000.0 * weights[i] / static_cast<double>(all);
      ASSERT_LT(std::abs(static_cast<double>(served[i]) - exact), 1.0);
    }
  }
}

TEST(FairShareTest, IdlingEarnsNothing) {
  FairShare share = Waiting({1, 1});
  share.Deactivate(1);
  EXPECT_EQ(Turns(share, "ab", 100), std::string(100, 'a'));
  share.Activate(1, 1);
  // Not a hundred turns to make up for: every second one.
  EXPECT_EQ(Turns(share, "ab", 6), "ababab");
}

TEST(FairShareTest, LeavingAndComingBackClearsNoDebt) {
  FairShare share = Waiting({1, 1});
  EXPECT_EQ(Take(share), 0u);
  share.Deactivate(0);
  share.Activate(0, 1);
  EXPECT_EQ(Take(share), 1u);
}

TEST(FairShareTest, ALightTierComesWithinItsBoundAfterIdling) {
  FairShare share = Waiting({70, 20, 10});
  share.Deactivate(2);
  bool owed_once = false;
  for (int phase = 0; phase < 200; ++phase) {
    for (int i = 0; i < phase; ++i) Take(share);
    const bool owes = share.flow(2).start() > share.clock().now();
    share.Activate(2, 10);
    int takes = 1;
    while (Take(share) != 2) ++takes;
    // What it had ahead of its share is to be waited for, too: then it has not really been idle.
    ASSERT_LE(takes, owes ? 19 : 10);
    ASSERT_TRUE(!owes || phase < 10);
    owed_once |= owes;
    share.Deactivate(2);
  }
  EXPECT_TRUE(owed_once);
}

TEST(FairShareTest, CostsCountInsteadOfJobs) {
  FairShare share;
  share.Activate(0, 1, 9);
  share.Activate(1, 1, 1);
  std::array<std::uint64_t, 2> cost{};
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t turn = *share.Pick();
    cost[turn] += share.flow(turn).cost();
    share.Serve(turn, share.flow(turn).cost());
    // The lag is at most the largest cost.
    ASSERT_LE(std::max(cost[0], cost[1]) - std::min(cost[0], cost[1]), 2 * 9u);
  }
}

TEST(FairShareTest, TheHeadsCostDecidesNotTheLastOnes) {
  FairShare share;
  share.Activate(0, 1, 100);
  share.Activate(1, 1, 10);
  EXPECT_EQ(share.Pick(), 1u);
  share.SetCost(0, 1);
  EXPECT_EQ(share.Pick(), 0u);
}

TEST(FairShareTest, AHigherWeightActsFromTheNextPick) {
  FairShare share = Waiting({9, 1});
  EXPECT_EQ(Turns(share, "ab", 10).find('b'), 1u);
  // b was served in this round and would wait for the next; at weight 90 it owes a tenth as long.
  share.SetWeight(1, 90);
  const std::string turns = Turns(share, "ab", 99);
  EXPECT_LE(turns.find('b'), 1u);
  EXPECT_EQ(std::count(turns.begin(), turns.end(), 'a'), 9);
}

TEST(FairShareTest, ALowerWeightKeepsWhatIsOwedAndNoMore) {
  FairShare share = Waiting({50, 50});
  Turns(share, "ab", 31);
  share.SetWeight(0, 1);
  const std::string turns = Turns(share, "ab", 510);
  EXPECT_NEAR(static_cast<double>(std::count(turns.begin(), turns.end(), 'a')), 10.0, 1.0);
}

TEST(FairShareTest, ALowerWeightKeepsWhatIsOwedFromTheFirstTakeOn) {
  FairShare share;
  share.Activate(0, 10);
  share.Activate(1, 10);
  share.Serve(0);
  // Half a take is owed to the other one, which is ten times as long ago for a tenth of its weight.
  share.SetWeight(1, 1);
  share.CheckInvariants();
  EXPECT_EQ(share.Pick(), 1u);
  share.Serve(1);
  share.CheckInvariants();
  EXPECT_EQ(share.Pick(), 0u);
}

TEST(FairShareTest, ARestrictedWorkerGetsTheLeastServedOfItsTiers) {
  FairShare share = Waiting({1, 1, 1});
  const auto not_first = [](std::uint32_t tier) { return tier != 0; };
  for (const std::uint32_t expected : {1u, 2u, 1u, 2u}) {
    const std::uint32_t turn = *share.PickAmong(not_first);
    EXPECT_EQ(turn, expected);
    share.Serve(turn);
  }
  // The others catch up afterwards: the totals keep the weights.
  EXPECT_EQ(Turns(share, "abc", 2), "aa");
  EXPECT_EQ(share.PickAmong([](std::uint32_t) { return false; }), std::nullopt);
}

// A log is applied that was written when the tier was open.
TEST(FairShareTest, WhoNeverWaitedMayBeServed) {
  FairShare share;
  share.Activate(0);
  share.Serve(5);
  share.CheckInvariants();
  EXPECT_EQ(share.Pick(), 0u);
  share.Activate(5);
  share.CheckInvariants();
  EXPECT_EQ(share.Pick(), 0u);
}

TEST(FairShareTest, WhenNobodyWaitsAllStartAfresh) {
  FairShare share = Waiting({1, 1, 1});
  EXPECT_EQ(Turns(share, "abc", 2), "ab");
  for (std::uint32_t i = 0; i < 3; ++i) share.Deactivate(i);
  EXPECT_EQ(share.clock().weight(), 0u);
  for (std::uint32_t i = 0; i < 3; ++i) share.Activate(i, 1);
  EXPECT_EQ(Turns(share, "abc", 3), "abc");
}

TEST(FairShareTest, AnIdleEntityIsForgottenWhenTheClockHasPassedIt) {
  FairShare share = Waiting({1, 1, 1});
  EXPECT_EQ(Take(share), 0u);
  share.Deactivate(0);
  EXPECT_EQ(share.Forget(), std::nullopt);
  Take(share);
  EXPECT_EQ(share.Forget(), std::nullopt);
  Take(share);
  Take(share);
  EXPECT_EQ(share.Forget(), 0u);
  EXPECT_EQ(share.Forget(), std::nullopt);
  share.CheckInvariants();
}

TEST(FairShareTest, PickChangesNothing) {
  FairShare share = Waiting({2, 1});
  Take(share);
  const ShareTime before = share.clock().now();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(share.Pick(), share.Pick());
  EXPECT_EQ(share.clock().now().parts(), before.parts());
}

TEST(FairShareTest, ACopyRunsAheadByItself) {
  FairShare share = Waiting({5, 3, 2});
  Turns(share, "abc", 7);
  FairShare copy = share;
  const std::string ahead = Turns(copy, "abc", 50);
  EXPECT_EQ(Turns(share, "abc", 50), ahead);
}

// One tenant with very many jobs beside 1,999 with two each.
TEST(FairShareTest, SmallTenantsDoNotWaitForABigOne) {
  constexpr std::uint32_t kTenants = 2000;
  FairShare share;
  std::vector<int> jobs(kTenants, 2);
  jobs[0] = 20'000;
  for (std::uint32_t tenant = 0; tenant < kTenants; ++tenant) share.Activate(tenant, 1);
  int small_left = 2 * (kTenants - 1);
  int takes = 0;
  for (; small_left > 0; ++takes) {
    const std::uint32_t turn = Take(share);
    if (turn != 0) --small_left;
    if (--jobs[turn] == 0) share.Deactivate(turn);
  }
  EXPECT_LE(takes, 2 * (kTenants - 1) + 3);
  share.CheckInvariants();
}

}  // namespace
}  // namespace rung

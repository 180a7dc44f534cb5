// What each mode promises, in small hands of heads.

#include "types/queue/tier_selector.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "types/queue/floor_share.h"

namespace rung {
namespace {

constexpr std::int64_t kMinute = 60'000;
using Hand = std::vector<TierHead>;

TEST(TierSelectorTest, NothingToServeIsNoPick) {
  EXPECT_EQ(PickStrict({}), std::nullopt);
  EXPECT_EQ(PickAging({}, {}), std::nullopt);
  EXPECT_EQ(PickStep({}, StepTable(), 0), std::nullopt);
  EXPECT_EQ(PickWeighted({}, FairShare()), std::nullopt);
  EXPECT_EQ(FloorShare({0, 100}).Pick({}), std::nullopt);
}

TEST(TierSelectorTest, StrictTakesTheTopmost) {
  const Hand hand = {{3, 500, 9}, {4, 0, 1}};
  EXPECT_EQ(PickStrict(hand), (TierPick{0, PickReason::kStrictTop}));
  EXPECT_EQ(PickStrict(Hand{{7, 0, 1}}), (TierPick{0, PickReason::kOnlyTier}));
}

TEST(TierSelectorTest, AnAgedJobPassesATierPerInterval) {
  const Aging aging{30 * kMinute, 0};
  const Hand level = {{0, 60 * kMinute, 5}, {2, 0, 1}};
  EXPECT_EQ(PickAging(level, aging)->index, 0u);  // Equals: the more urgent tier.
  const Hand aged = {{0, 60 * kMinute + 1, 5}, {2, 0, 1}};
  EXPECT_EQ(PickAging(aged, aging), (TierPick{1, PickReason::kAged}));
}

TEST(TierSelectorTest, AboveTheCapOrderIsStrict) {
  const Aging aging{kMinute, 1};
  EXPECT_EQ(PickAging(Hand{{0, 1'000 * kMinute, 9}, {1, 0, 1}}, aging)->index, 0u);
  EXPECT_EQ(PickAging(Hand{{1, 1'000 * kMinute, 9}, {4, 0, 1}}, aging)->index, 1u);
}

TEST(TierSelectorTest, TheHighestTierOfAllStillFitsTheKey) {
  const Aging aging{3'600'000, 0};
  const TierHead head{2'097'151, 1'800'000'000'000, 1};
  EXPECT_EQ(AgingKey(aging, head), 9'349'743'600'000);
}

TEST(TierSelectorTest, StepsActAtTheExactMillisecond) {
  const StepTable steps({{2, 30 * kMinute, 1}, {2, 60 * kMinute, 0}});
  const Hand hand = {{1, 0, 7}, {2, 0, 3}};
  EXPECT_EQ(PickStep(hand, steps, 30 * kMinute - 1), (TierPick{0, PickReason::kStrictTop}));
  EXPECT_EQ(PickStep(hand, steps, 30 * kMinute), (TierPick{1, PickReason::kPromoted}));
  // Level with its new tier, it stands there by its seq.
  const Hand younger = {{1, 0, 2}, {2, 0, 3}};
  EXPECT_EQ(PickStep(younger, steps, 30 * kMinute)->index, 0u);
  EXPECT_EQ(PickStep(younger, steps, 60 * kMinute)->index, 1u);
}

TEST(TierSelectorTest, AStepTableTellsWhenALevelChangesNext) {
  const StepTable steps({{2, 60, 0}, {2, 30, 1}, {3, 10, 2}});
  EXPECT_EQ(steps.Level(2, 29), 2u);
  EXPECT_EQ(steps.Level(2, 59), 1u);
  EXPECT_EQ(steps.Level(2, 60), 0u);
  EXPECT_EQ(steps.NextAge(2, 0), 30);
  EXPECT_EQ(steps.NextAge(2, 30), 60);
  EXPECT_EQ(steps.NextAge(2, 60), std::nullopt);
  EXPECT_EQ(steps.NextAge(1, 0), std::nullopt);
}

TEST(TierSelectorTest, StepsThatLeadDownAreDropped) {
  const StepTable steps({{2, 30, 1}, {2, 60, 2}, {2, 90, 1}, {2, 120, 0}, {1, 10, 1}});
  EXPECT_EQ(steps.steps(), (std::vector<Step>{{2, 30, 1}, {2, 120, 0}}));
}

TEST(TierSelectorTest, WeightedTakesTheTurnOrTheLeastServedOfTheWorkersTiers) {
  FairShare share;
  share.Activate(0, 7);
  share.Activate(1, 2);
  share.Activate(2, 1);
  const Hand all = {{0, 0, 1}, {1, 0, 2}, {2, 0, 3}};
  EXPECT_EQ(PickWeighted(all, share), (TierPick{0, PickReason::kShareDue}));
  const Hand low = {{1, 0, 2}, {2, 0, 3}};
  EXPECT_EQ(PickWeighted(low, share), (TierPick{0, PickReason::kShareDue}));
  share.Serve(1);
  share.Serve(2);
  EXPECT_EQ(PickWeighted(low, share), (TierPick{0, PickReason::kCatchingUp}));
  EXPECT_EQ(PickWeighted(Hand{{2, 0, 3}}, share), (TierPick{0, PickReason::kOnlyTier}));
}

TEST(TierSelectorTest, AnOverdueHeadGoesFirstTheEarliestDeadlineBeforeOthers) {
  FairShare share;
  for (std::uint32_t tier = 0; tier < 3; ++tier) share.Activate(tier, tier == 0 ? 98 : 1);
  const std::vector<std::int64_t> longest = {0, 1'000, 500};
  const Hand hand = {{0, 0, 1}, {1, 100, 2}, {2, 550, 3}};
  EXPECT_EQ(PickWeightedWithMaxWait(hand, share, longest, 1'049)->reason, PickReason::kShareDue);
  EXPECT_EQ(PickWeightedWithMaxWait(hand, share, longest, 1'050),
            (TierPick{2, PickReason::kOverdue}));
  EXPECT_EQ(PickWeightedWithMaxWait(hand, share, longest, 1'100),
            (TierPick{2, PickReason::kOverdue}));
  share.Serve(2);
  // Tier 2 is a round ahead now: the next one overdue, then the shares again.
  EXPECT_EQ(PickWeightedWithMaxWait(hand, share, longest, 1'100),
            (TierPick{1, PickReason::kOverdue}));
  share.Serve(1);
  EXPECT_EQ(PickWeightedWithMaxWait(hand, share, longest, 1'100),
            (TierPick{0, PickReason::kShareDue}));
}

TEST(FloorShareTest, ATierIsServedWhenItsFloorAddsUpToATake) {
  FloorShare floors({0, 0, 100});
  for (std::uint32_t tier = 0; tier < 3; ++tier) floors.Activate(tier);
  const Hand hand = {{0, 0, 1}, {1, 0, 2}, {2, 0, 3}};
  std::string turns;
  for (int take = 0; take < 30; ++take) {
    const TierPick pick = *floors.Pick(hand);
    turns += "HML"[pick.index];
    floors.Serve(hand[pick.index].tier);
  }
  EXPECT_EQ(turns, "HHHHHHHHHLHHHHHHHHHLHHHHHHHHHL");
}

TEST(FloorShareTest, IdlingIsNoCreditAndStrictServiceIsNoDebt) {
  FloorShare floors({0, 250});
  floors.Activate(0);
  for (int take = 0; take < 100; ++take) floors.Serve(0);
  floors.Activate(1);
  EXPECT_EQ(floors.Claim(1), 0);
  for (int take = 0; take < 3; ++take) floors.Serve(0);
  EXPECT_EQ(floors.Claim(1), 750);
  floors.Serve(1);
  floors.Serve(1);
  floors.Serve(1);
  EXPECT_EQ(floors.Claim(1), 0);
  floors.Serve(0);
  EXPECT_EQ(floors.Claim(1), 250);
  floors.Deactivate(1);
  EXPECT_EQ(floors.Claim(1), 0);
  floors.CheckInvariants();
}

TEST(FloorShareTest, TakesByOthersWorkersAddUpToNoBurst) {
  FloorShare floors({0, 500, 100});
  for (std::uint32_t tier = 0; tier < 3; ++tier) floors.Activate(tier);
  for (int take = 0; take < 1'000; ++take) floors.Serve(0);
  EXPECT_EQ(floors.Claim(1), 2 * FloorShare::kWhole);
  EXPECT_EQ(floors.Claim(2), 2 * FloorShare::kWhole);
}

TEST(FloorShareTest, NewFloorsActAtOnce) {
  FloorShare floors({0, 250, 10});
  for (std::uint32_t tier = 0; tier < 3; ++tier) floors.Activate(tier);
  floors.Serve(0);
  floors.SetFloors({0, 750});
  EXPECT_EQ(floors.Claim(1), 250);
  EXPECT_EQ(floors.Claim(2), 0);
  EXPECT_EQ(floors.Pick(Hand{{0, 0, 1}, {1, 0, 2}}), (TierPick{1, PickReason::kFloorDue}));
}

TEST(TierSelectorTest, EveryReasonHasACode) {
  EXPECT_EQ(ReasonCode(PickReason::kOnlyTier), "only-tier");
  EXPECT_EQ(ReasonCode(PickReason::kStrictTop), "strict-top");
  EXPECT_EQ(ReasonCode(PickReason::kAged), "aged");
  EXPECT_EQ(ReasonCode(PickReason::kPromoted), "promoted");
  EXPECT_EQ(ReasonCode(PickReason::kShareDue), "share-due");
  EXPECT_EQ(ReasonCode(PickReason::kCatchingUp), "catching-up");
  EXPECT_EQ(ReasonCode(PickReason::kOverdue), "overdue");
  EXPECT_EQ(ReasonCode(PickReason::kFloorDue), "floor-due");
}

}  // namespace
}  // namespace rung

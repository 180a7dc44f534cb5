// What a sorted set promises its commands, in both of its forms.

#include "rung/types/sorted_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/memory.h"
#include "rung/base/rng.h"

namespace rung {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr SmallFormLimit kAlwaysLarge = {.entries_max = 0, .value_bytes_max = 0};

using Presence = PutRule::Presence;
using Direction = PutRule::Direction;
using Kind = LexRange::Bound::Kind;

std::vector<ScoredMember> Contents(const SortedSet& set) {
  std::vector<ScoredMember> all;
  for (auto cursor = set.First(); cursor.Valid(); cursor.Next()) {
    all.push_back({std::string(cursor.member()), cursor.score()});
  }
  return all;
}

PutOutcome Put(SortedSet& set, std::string_view member, double score, PutRule rule = {}) {
  return set.Put(member, score, rule).value();
}

// Each promise is kept by the small form and by the large one.
class SortedSetTest : public testing::TestWithParam<const SmallFormLimit*> {
 protected:
  Rng rng_{1};
  SortedSet set_{rng_, GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Forms, SortedSetTest,
                         testing::Values(&kDefaultSmallFormLimit, &kAlwaysLarge),
                         [](const auto& form) { return form.index == 0 ? "Small" : "Large"; });

TEST_P(SortedSetTest, OrdersByScoreThenByBytesThenByLength) {
  using namespace std::string_literals;
  for (const std::string& member : {"b"s, "a\xff"s, "a"s, "a\0"s, ""s}) Put(set_, member, 1);
  Put(set_, "z", -1);
  EXPECT_EQ(Contents(set_),
            (std::vector<ScoredMember>{
                {"z", -1}, {"", 1}, {"a", 1}, {"a\0"s, 1}, {"a\xff", 1}, {"b", 1}}));
  set_.CheckInvariants();
}

TEST_P(SortedSetTest, PutTellsAddedMovedAndUnchanged) {
  EXPECT_EQ(Put(set_, "m", 1), PutOutcome::kAdded);
  EXPECT_EQ(Put(set_, "m", 1), PutOutcome::kUnchanged);
  EXPECT_EQ(Put(set_, "m", 2), PutOutcome::kMoved);
  EXPECT_EQ(set_.Score("m"), 2);
  EXPECT_EQ(set_.size(), 1u);
}

TEST_P(SortedSetTest, PutRefusesNanAndLeavesTheSetAlone) {
  Put(set_, "m", 1);
  EXPECT_EQ(set_.Put("m", std::nan("")).error(), Error(errors::kNaN));
  EXPECT_EQ(set_.Put("other", std::nan("")).error(), Error(errors::kNaN));
  EXPECT_EQ(Contents(set_), (std::vector<ScoredMember>{{"m", 1}}));
}

TEST_P(SortedSetTest, PresenceRuleDecidesWhoMayBeTouched) {
  EXPECT_EQ(Put(set_, "m", 1, {.presence = Presence::kPresentOnly}), PutOutcome::kRefused);
  EXPECT_TRUE(set_.empty());
  EXPECT_EQ(Put(set_, "m", 1, {.presence = Presence::kAbsentOnly}), PutOutcome::kAdded);
  EXPECT_EQ(Put(set_, "m", 2, {.presence = Presence::kAbsentOnly}), PutOutcome::kRefused);
  EXPECT_EQ(Put(set_, "m", 3, {.presence = Presence::kPresentOnly}), PutOutcome::kMoved);
  EXPECT_EQ(set_.Score("m"), 3);
}

TEST_P(SortedSetTest, DirectionRuleLetsScoresOnlyRiseOrFall) {
  EXPECT_EQ(Put(set_, "m", 5, {.direction = Direction::kUpOnly}), PutOutcome::kAdded);
  EXPECT_EQ(Put(set_, "m", 4, {.direction = Direction::kUpOnly}), PutOutcome::kRefused);
  EXPECT_EQ(Put(set_, "m", 5, {.direction = Direction::kUpOnly}), PutOutcome::kRefused);
  EXPECT_EQ(Put(set_, "m", 6, {.direction = Direction::kUpOnly}), PutOutcome::kMoved);
  EXPECT_EQ(Put(set_, "m", 7, {.direction = Direction::kDownOnly}), PutOutcome::kRefused);
  EXPECT_EQ(Put(set_, "m", 1, {.direction = Direction::kDownOnly}), PutOutcome::kMoved);
}

TEST_P(SortedSetTest, NegativeZeroIsStoredAsZero) {
  Put(set_, "m", -0.0);
  EXPECT_FALSE(std::signbit(*set_.Score("m")));
  EXPECT_FALSE(std::signbit(set_.First().score()));
  EXPECT_EQ(Put(set_, "m", 0.0), PutOutcome::kUnchanged);
  EXPECT_FALSE(std::signbit(set_.Increment("m", -0.0)->score));
}

TEST_P(SortedSetTest, IncrementStartsFromZeroAndReturnsTheNewScore) {
  EXPECT_EQ(set_.Increment("m", 2.5)->outcome, PutOutcome::kAdded);
  const auto second = set_.Increment("m", 2.5);
  EXPECT_EQ(second->outcome, PutOutcome::kMoved);
  EXPECT_EQ(second->score, 5.0);
  EXPECT_EQ(set_.Score("m"), 5.0);
}

TEST_P(SortedSetTest, IncrementOfInfinityByItsOppositeIsAnErrorUnlessRefusedFirst) {
  Put(set_, "m", kInfinity);
  EXPECT_EQ(set_.Increment("m", -kInfinity).error(), Error(errors::kNaN));
  EXPECT_EQ(set_.Increment("m", -kInfinity, {.direction = Direction::kUpOnly}).error(),
            Error(errors::kNaN));
  EXPECT_EQ(set_.Increment("m", -kInfinity, {.presence = Presence::kAbsentOnly})->outcome,
            PutOutcome::kRefused);
  EXPECT_EQ(set_.Score("m"), kInfinity);
}

TEST_P(SortedSetTest, IncrementObeysTheRule) {
  EXPECT_EQ(set_.Increment("m", 1, {.presence = Presence::kPresentOnly})->outcome,
            PutOutcome::kRefused);
  Put(set_, "m", 1);
  EXPECT_EQ(set_.Increment("m", -1, {.direction = Direction::kUpOnly})->outcome,
            PutOutcome::kRefused);
  EXPECT_EQ(set_.Increment("m", 0, {.direction = Direction::kUpOnly})->outcome,
            PutOutcome::kRefused);
  EXPECT_EQ(set_.Increment("m", 1, {.direction = Direction::kUpOnly})->score, 2);
}

TEST_P(SortedSetTest, RemoveTakesOneMemberAndTellsIfItWasThere) {
  Put(set_, "a", 1);
  Put(set_, "b", 2);
  EXPECT_TRUE(set_.Remove("a"));
  EXPECT_FALSE(set_.Remove("a"));
  EXPECT_EQ(Contents(set_), (std::vector<ScoredMember>{{"b", 2}}));
}

TEST_P(SortedSetTest, PopEndTakesTheNearestToThatEndFirst) {
  for (const char* member : {"a", "b", "c", "d"}) Put(set_, member, member[0]);
  EXPECT_EQ(set_.PopEnd(ZEnd::kLowest, 1), (std::vector<ScoredMember>{{"a", 'a'}}));
  EXPECT_EQ(set_.PopEnd(ZEnd::kHighest, 2), (std::vector<ScoredMember>{{"d", 'd'}, {"c", 'c'}}));
  EXPECT_EQ(set_.PopEnd(ZEnd::kLowest, 0), (std::vector<ScoredMember>{}));
  EXPECT_EQ(set_.PopEnd(ZEnd::kLowest, 9), (std::vector<ScoredMember>{{"b", 'b'}}));
  EXPECT_TRUE(set_.empty());
}

TEST_P(SortedSetTest, RanksCountFromTheEndAskedFor) {
  for (const char* member : {"a", "b", "c"}) Put(set_, member, member[0]);
  EXPECT_EQ(set_.Rank("a", ZEnd::kLowest)->rank, 0u);
  EXPECT_EQ(set_.Rank("a", ZEnd::kHighest)->rank, 2u);
  EXPECT_EQ(set_.Rank("c", ZEnd::kHighest)->score, 'c');
  EXPECT_FALSE(set_.Rank("d", ZEnd::kLowest).has_value());
}

TEST_P(SortedSetTest, ScoreRangesHaveOpenAndClosedEnds) {
  Put(set_, "low", -kInfinity);
  for (const char* member : {"1", "2", "3"}) Put(set_, member, member[0] - '0');
  Put(set_, "high", kInfinity);
  EXPECT_EQ(set_.CountIn(ScoreRange{}), 5u);
  EXPECT_EQ(set_.CountIn(ScoreRange{.min = 1, .max = 3}), 3u);
  EXPECT_EQ(set_.CountIn(ScoreRange{.min = 1, .max = 3, .min_open = true}), 2u);
  EXPECT_EQ(set_.CountIn(ScoreRange{.min = 1, .max = 3, .max_open = true}), 2u);
  EXPECT_EQ(set_.CountIn(ScoreRange{.min_open = true, .max_open = true}), 3u);
  EXPECT_EQ(set_.CountIn(ScoreRange{.min = 3, .max = 1}), 0u);
  EXPECT_EQ(set_.CountIn(ScoreRange{.min = 2, .max = 2, .min_open = true}), 0u);
  EXPECT_EQ(set_.SeekFirst(ScoreRange{.min = 1, .min_open = true}).member(), "2");
  EXPECT_EQ(set_.SeekLast(ScoreRange{.max = 2.5}).member(), "2");
  EXPECT_FALSE(set_.SeekFirst(ScoreRange{.min = 2.1, .max = 2.9}).Valid());
  EXPECT_FALSE(set_.SeekLast(ScoreRange{.min = 2.1, .max = 2.9}).Valid());
}

TEST_P(SortedSetTest, LexRangesHaveOpenClosedAndInfiniteEnds) {
  for (const char* member : {"a", "b", "c", "d"}) Put(set_, member, 0);
  EXPECT_EQ(set_.CountIn(LexRange{}), 4u);
  EXPECT_EQ(set_.CountIn(LexRange{{Kind::kClosed, "b"}, {Kind::kClosed, "c"}}), 2u);
  EXPECT_EQ(set_.CountIn(LexRange{{Kind::kOpen, "b"}, {Kind::kOpen, "d"}}), 1u);
  EXPECT_EQ(set_.CountIn(LexRange{{Kind::kPlusInfinity}, {Kind::kMinusInfinity}}), 0u);
  EXPECT_EQ(set_.CountIn(LexRange{{Kind::kMinusInfinity}, {Kind::kOpen, "a"}}), 0u);
  EXPECT_EQ(set_.SeekFirst(LexRange{{Kind::kOpen, "b"}, {Kind::kPlusInfinity}}).member(), "c");
  EXPECT_EQ(set_.SeekLast(LexRange{{Kind::kMinusInfinity}, {Kind::kOpen, "b"}}).member(), "a");
  EXPECT_FALSE(set_.SeekFirst(LexRange{{Kind::kOpen, "d"}, {Kind::kPlusInfinity}}).Valid());
  EXPECT_EQ(set_.RemoveIn(LexRange{{Kind::kClosed, "b"}, {Kind::kOpen, "d"}}), 2u);
  EXPECT_EQ(Contents(set_), (std::vector<ScoredMember>{{"a", 0}, {"d", 0}}));
}

TEST_P(SortedSetTest, RemoveRankClampsItsEndAndIgnoresAnEmptyInterval) {
  for (const char* member : {"a", "b", "c", "d"}) Put(set_, member, member[0]);
  EXPECT_EQ(set_.RemoveRank(3, 2), 0u);
  EXPECT_EQ(set_.RemoveRank(4, 9), 0u);
  EXPECT_EQ(set_.RemoveRank(2, 9), 2u);
  EXPECT_EQ(Contents(set_), (std::vector<ScoredMember>{{"a", 'a'}, {"b", 'b'}}));
  EXPECT_EQ(set_.RemoveIn(ScoreRange{.min = 'a', .min_open = true}), 1u);
  EXPECT_EQ(Contents(set_), (std::vector<ScoredMember>{{"a", 'a'}}));
}

TEST_P(SortedSetTest, CursorsWalkBothWaysAndEndInvalid) {
  for (const char* member : {"a", "b", "c"}) Put(set_, member, member[0]);
  auto cursor = set_.SeekRank(1);
  cursor.Next();
  EXPECT_EQ(cursor.member(), "c");
  cursor.Prev();
  cursor.Prev();
  EXPECT_EQ(cursor.member(), "a");
  cursor.Prev();
  EXPECT_FALSE(cursor.Valid());
  cursor = set_.Last();
  EXPECT_EQ(cursor.member(), "c");
  cursor.Next();
  EXPECT_FALSE(cursor.Valid());
  EXPECT_FALSE(set_.SeekRank(3).Valid());
}

TEST_P(SortedSetTest, EmptySetAnswersEveryQuestion) {
  EXPECT_FALSE(set_.First().Valid());
  EXPECT_FALSE(set_.Last().Valid());
  EXPECT_FALSE(set_.Random(rng_).Valid());
  EXPECT_FALSE(set_.SeekFirst(LexRange{}).Valid());
  EXPECT_FALSE(set_.SeekLast(ScoreRange{}).Valid());
  EXPECT_EQ(set_.CountIn(ScoreRange{}), 0u);
  EXPECT_EQ(set_.RemoveRank(0, 0), 0u);
  EXPECT_EQ(set_.Scan(0, [](std::string_view, double) { FAIL(); }), 0u);
  EXPECT_EQ(set_.Score("m"), std::nullopt);
  set_.CheckInvariants();
}

TEST_P(SortedSetTest, RandomReachesEveryMemberAboutEquallyOften) {
  for (const char* member : {"a", "b", "c", "d"}) Put(set_, member, member[0]);
  std::vector<int> hits(4);
  for (int i = 0; i < 4000; ++i)
    ++hits[static_cast<std::size_t>(set_.Random(rng_).member()[0] - 'a')];
  for (const int count : hits) EXPECT_NEAR(count, 1000, 150);
}

TEST_P(SortedSetTest, CloneIsEqualAndIndependent) {
  for (const char* member : {"a", "b", "c"}) Put(set_, member, member[0]);
  Rng other(2);
  const std::unique_ptr<SortedSet> copy = set_.Clone(other);
  Put(set_, "a", 1000);
  EXPECT_EQ(Contents(*copy), (std::vector<ScoredMember>{{"a", 'a'}, {"b", 'b'}, {"c", 'c'}}));
  EXPECT_EQ(copy->IsSmall(), set_.IsSmall());
  copy->CheckInvariants();
}

TEST_P(SortedSetTest, MoveTakesTheMembersAlong) {
  Put(set_, "a", 1);
  SortedSet taken = std::move(set_);
  EXPECT_EQ(taken.Score("a"), 1);
  SortedSet assigned(rng_);
  assigned = std::move(taken);
  EXPECT_EQ(Contents(assigned), (std::vector<ScoredMember>{{"a", 1}}));
}

// ---- The change of forms

std::string Numbered(int number) { return "member:" + std::to_string(number); }

TEST(SortedSetFormTest, StaysSmallUpToTheLimitAndNotBeyond) {
  Rng rng(1);
  SortedSet set(rng);
  for (int i = 0; i < 128; ++i) Put(set, Numbered(i), i);
  EXPECT_TRUE(set.IsSmall());
  Put(set, Numbered(0), 1000);  // A move is no growth.
  EXPECT_TRUE(set.IsSmall());
  Put(set, Numbered(128), 128);
  EXPECT_FALSE(set.IsSmall());
  EXPECT_EQ(set.size(), 129u);
  EXPECT_EQ(set.Last().member(), "member:0");
  set.CheckInvariants();
}

TEST(SortedSetFormTest, OneLongMemberMakesItLarge) {
  Rng rng(1);
  SortedSet set(rng);
  Put(set, std::string(64, 'x'), 1);
  EXPECT_TRUE(set.IsSmall());
  Put(set, std::string(65, 'x'), 1);
  EXPECT_FALSE(set.IsSmall());
}

TEST(SortedSetFormTest, ShrinkingToAQuarterOfTheLimitMakesItSmallAgain) {
  Rng rng(1);
  SortedSet set(rng);
  for (int i = 0; i < 200; ++i) Put(set, Numbered(i), i);
  for (int i = 0; i < 167; ++i) EXPECT_TRUE(set.Remove(Numbered(i)));
  EXPECT_EQ(set.size(), 33u);
  EXPECT_FALSE(set.IsSmall());
  EXPECT_TRUE(set.Remove(Numbered(167)));
  EXPECT_TRUE(set.IsSmall());
  EXPECT_EQ(set.First().member(), "member:168");
  EXPECT_LT(set.MemoryBytes(), 1500u);
  set.CheckInvariants();
}

TEST(SortedSetFormTest, StaysLargeWhileALongMemberIsThere) {
  Rng rng(1);
  SortedSet set(rng);
  Put(set, std::string(65, 'x'), 1000);
  for (int i = 0; i < 5; ++i) Put(set, Numbered(i), i);
  EXPECT_TRUE(set.Remove(Numbered(0)));
  EXPECT_FALSE(set.IsSmall());
  EXPECT_EQ(set.PopEnd(ZEnd::kHighest, 1)[0].score, 1000);
  EXPECT_TRUE(set.IsSmall());
}

TEST(SortedSetFormTest, ALimitLoweredLaterCountsAtTheNextGrowth) {
  Rng rng(1);
  SmallFormLimit limit;
  SortedSet set(rng, &limit);
  for (int i = 0; i < 10; ++i) Put(set, Numbered(i), i);
  limit.entries_max = 5;
  EXPECT_TRUE(set.IsSmall());
  Put(set, Numbered(10), 10);
  EXPECT_FALSE(set.IsSmall());
}

// ---- Memory

TEST(SortedSetMemoryTest, CountsWhatTheAllocatorHandsOut) {
  Rng rng(1);
  const std::size_t before = AllocatedBytes();
  {
    SortedSet set(rng);
    for (int i = 0; i < 20'000; ++i) {
      Put(set, Numbered(i) + std::string(static_cast<std::size_t>(i % 400), 'x'), rng.Unit());
      if (i % 997 > 0) continue;
      EXPECT_NEAR(static_cast<double>(set.MemoryBytes()),
                  static_cast<double>(AllocatedBytes() - before),
                  0.05 * static_cast<double>(set.MemoryBytes()) + 200);
    }
  }
  EXPECT_EQ(AllocatedBytes(), before);
}

TEST(SortedSetMemoryTest, AMemberOf16BytesTakesLessThan60InOrderOrNot) {
  for (const bool in_order : {true, false}) {
    Rng rng(1);
    SortedSet set(rng);
    for (int i = 0; i < 100'000; ++i) {
      const std::string member = "job:" + std::to_string(100'000'000'000 + i);
      Put(set, member, in_order ? i : rng.Unit());
    }
    EXPECT_LT(set.MemoryBytes() / set.size(), 60u) << in_order;
  }
}

// Tier times 2^32 plus a counter: each tier grows in the middle of the order. Its leaves are left
// as full as those of a single queue.
TEST(SortedSetMemoryTest, TiersAreAsDenseAsASingleQueue) {
  Rng rng(1);
  SortedSet set(rng);
  for (int i = 0; i < 100'000; ++i) {
    const std::string member = "job:" + std::to_string(100'000'000'000 + i);
    Put(set, member, static_cast<double>(i % 3) * 4294967296.0 + i);
  }
  EXPECT_LT(set.MemoryBytes() / set.size(), 53u);
}

TEST(SortedSetMemoryTest, TheSameSeedAndTheSameCallsBuildTheSameSet) {
  const auto build = [](std::uint64_t seed) {
    Rng heights(seed);
    Rng scores(1);
    SortedSet set(heights);
    for (int i = 0; i < 50'000; ++i) Put(set, Numbered(i), scores.Unit());
    return set.MemoryBytes();
  };
  EXPECT_EQ(build(1), build(1));
  EXPECT_NE(build(1), build(2));
}

TEST(SortedSetMemoryTest, AQueueThatRunsDryGivesItsMemoryBack) {
  Rng rng(1);
  SortedSet set(rng);
  for (int i = 0; i < 100'000; ++i) Put(set, Numbered(i), i);
  const std::size_t full = set.MemoryBytes();
  set.PopEnd(ZEnd::kLowest, 99'000);
  EXPECT_LT(set.MemoryBytes(), full / 30);
  set.CheckInvariants();
}

TEST(SortedSetMemoryTest, ASetThatIsDrainedAtRandomGivesItsMemoryBack) {
  Rng rng(1);
  SortedSet set(rng);
  for (int i = 0; i < 100'000; ++i) Put(set, Numbered(i), rng.Unit());
  const std::size_t full = set.MemoryBytes();
  set.PopEnd(ZEnd::kLowest, 50'000);
  for (int i = 0; i < 100'000 && set.size() > 10'000; ++i) set.Remove(Numbered(i));
  EXPECT_LT(set.MemoryBytes(), full / 5);
  EXPECT_EQ(set.RemoveRank(1'000, 9'999), 9'000u);
  EXPECT_LT(set.MemoryBytes(), full / 30);
  set.CheckInvariants();
}

}  // namespace
}  // namespace rung

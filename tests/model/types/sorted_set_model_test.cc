// A sorted set against a naive twin: a sorted vector. Hundreds of thousands of random operations,
// across both forms and their changes, with every query compared.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/rng.h"
#include "rung/types/sorted_set.h"

namespace rung {
namespace {

using Kind = LexRange::Bound::Kind;
using Presence = PutRule::Presence;
using Direction = PutRule::Direction;

// Everything by linear search and re-sorting, except that insertion finds its place by bisection.
class Twin {
 public:
  using Entry = std::pair<double, std::string>;

  std::optional<double> Score(const std::string& member) const {
    const auto found = scores_.find(member);
    return found == scores_.end() ? std::nullopt : std::optional(found->second);
  }

  void Put(const std::string& member, double score) {
    Remove(member);
    scores_[member] = score;
    entries_.insert(std::lower_bound(entries_.begin(), entries_.end(), Entry{score, member}),
                    {score, member});
  }

  bool Remove(const std::string& member) {
    const auto found = scores_.find(member);
    if (found == scores_.end()) return false;
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(RankOf(member)));
    scores_.erase(found);
    return true;
  }

  std::size_t RankOf(const std::string& member) const {
    const auto at =
        std::lower_bound(entries_.begin(), entries_.end(), Entry{scores_.at(member), member});
    return static_cast<std::size_t>(at - entries_.begin());
  }

  template <typename Inside>
  std::vector<Entry> Select(Inside inside) const {
    std::vector<Entry> chosen;
    std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(chosen), inside);
    return chosen;
  }

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::map<std::string, double> scores_;
  std::vector<Entry> entries_;
};

bool Inside(const ScoreRange& range, double score) {
  return (range.min_open ? score > range.min : score >= range.min) &&
         (range.max_open ? score < range.max : score <= range.max);
}

bool Inside(const LexRange& range, std::string_view member) {
  const auto compare = [&](const LexRange::Bound& bound) {
    switch (bound.kind) {
      case Kind::kMinusInfinity:
        return 1;
      case Kind::kPlusInfinity:
        return -1;
      default:
        return member.compare(bound.value);
    }
  };
  const int to_min = compare(range.min);
  const int to_max = compare(range.max);
  return (range.min.kind == Kind::kOpen ? to_min > 0 : to_min >= 0) &&
         (range.max.kind == Kind::kOpen ? to_max < 0 : to_max <= 0);
}

struct Scenario {
  const char* name;
  SmallFormLimit limit;
  std::size_t size_max;  // The size swings between nothing and this.
  int member_kinds;      // How many different members there are, about.
  bool one_score;        // All scores equal, so that lexical ranges mean something.
  std::uint64_t scores;  // How many different scores there are; 0: any double.
  bool long_members;     // Up to 5 KB.
  int steps;
};

std::ostream& operator<<(std::ostream& out, const Scenario& scenario) {
  return out << scenario.name;
}

class SortedSetModelTest : public testing::TestWithParam<std::tuple<Scenario, int>> {
 protected:
  void Run();

  std::string DrawMember();
  double DrawScore();
  ScoreRange DrawScoreRange();
  LexRange::Bound DrawBound();
  std::string DrawPresent();

  void Change();
  void PutOne(const std::string& member);
  void IncrementOne(const std::string& member);
  void RemoveSome();
  void PopSome();
  void Ask();
  void CompareRange(const ScoreRange& range);
  void CompareRange(const LexRange& range);
  template <typename Range>
  void CompareSelection(const Range& range, const std::vector<Twin::Entry>& expected);
  void CompareAll(const SortedSet& set);

  const Scenario& scenario() const { return std::get<0>(GetParam()); }

  Rng rng_{static_cast<std::uint64_t>(std::get<1>(GetParam()))};
  Rng heights_{static_cast<std::uint64_t>(std::get<1>(GetParam())) + 1000};
  SmallFormLimit limit_{scenario().limit};
  SortedSet set_{heights_, &limit_};
  Twin twin_;
  bool growing_ = true;
  double next_in_run_ = 0;
};

std::string SortedSetModelTest::DrawMember() {
  const std::uint64_t number = rng_.Below(static_cast<std::uint64_t>(scenario().member_kinds));
  std::string member = "m";
  // Binary, and with long common beginnings: any byte may follow, zero as well.
  for (std::uint64_t rest = number; rest > 0; rest /= 7) member += static_cast<char>(rest % 7 * 41);
  if (scenario().long_members) {
    const std::uint64_t kind = number % 16;
    if (kind == 0) member.append(number % 5000, 'x');
    if (kind == 1) member.append(230 + number % 30, 'y');
    if (kind == 2) member.append(number % 100, '\0');
  }
  return member;
}

double SortedSetModelTest::DrawScore() {
  if (scenario().one_score) return 7;
  switch (rng_.Below(8)) {
    case 0:
      return next_in_run_ += 1;
    case 1:
      return -(next_in_run_ += 1);
    case 2:
      if (rng_.Below(20) == 0) {
        constexpr double kSpecial[] = {-std::numeric_limits<double>::infinity(),
                                       std::numeric_limits<double>::infinity(),
                                       0.0,
                                       -0.0,
                                       std::numeric_limits<double>::denorm_min(),
                                       1e308};
        return kSpecial[rng_.Below(6)];
      }
      [[fallthrough]];
    default:
      break;
  }
  if (scenario().scores > 0) return static_cast<double>(rng_.Below(scenario().scores));
  return (rng_.Unit() - 0.5) * 1e6;
}

ScoreRange SortedSetModelTest::DrawScoreRange() {
  ScoreRange range;
  if (rng_.Below(8) > 0) range.min = DrawScore();
  if (rng_.Below(8) > 0) range.max = DrawScore();
  range.min_open = rng_.Below(2) == 0;
  range.max_open = rng_.Below(2) == 0;
  return range;
}

LexRange::Bound SortedSetModelTest::DrawBound() {
  static constexpr Kind kKinds[] = {Kind::kMinusInfinity, Kind::kPlusInfinity, Kind::kClosed,
                                    Kind::kOpen,          Kind::kClosed,       Kind::kOpen};
  return {.kind = kKinds[rng_.Below(6)]};
}

std::string SortedSetModelTest::DrawPresent() {
  if (twin_.entries().empty()) return DrawMember();
  return twin_.entries()[rng_.Below(twin_.entries().size())].second;
}

void SortedSetModelTest::PutOne(const std::string& member) {
  constexpr Presence kPresences[] = {Presence::kAny, Presence::kAny, Presence::kAbsentOnly,
                                     Presence::kPresentOnly};
  constexpr Direction kDirections[] = {Direction::kAny, Direction::kAny, Direction::kUpOnly,
                                       Direction::kDownOnly};
  PutRule rule;
  if (rng_.Below(4) == 0) {
    rule = {kPresences[rng_.Below(4)], kDirections[rng_.Below(4)]};
  }
  const double score = DrawScore();
  const std::optional<double> old = twin_.Score(member);
  PutOutcome expected = PutOutcome::kAdded;
  if (old ? rule.presence == Presence::kAbsentOnly : rule.presence == Presence::kPresentOnly) {
    expected = PutOutcome::kRefused;
  } else if (old) {
    expected = score == *old ? PutOutcome::kUnchanged : PutOutcome::kMoved;
    if (rule.direction == Direction::kUpOnly && !(score > *old)) expected = PutOutcome::kRefused;
    if (rule.direction == Direction::kDownOnly && !(score < *old)) expected = PutOutcome::kRefused;
  }
  ASSERT_EQ(set_.Put(member, score, rule).value(), expected);
  if (expected == PutOutcome::kAdded || expected == PutOutcome::kMoved) twin_.Put(member, score);
}

void SortedSetModelTest::IncrementOne(const std::string& member) {
  if (scenario().one_score) return;
  // Small steps, which keep the place, and large ones.
  const double delta = rng_.Below(2) == 0 ? rng_.Unit() - 0.5 : DrawScore();
  const std::optional<double> old = twin_.Score(member);
  const double sum = old.value_or(0) + delta;
  const Result<SortedSet::Incremented> got = set_.Increment(member, delta);
  if (std::isnan(sum)) {
    ASSERT_FALSE(got.ok());
    return;
  }
  ASSERT_EQ(got->score, sum);
  if (!old) {
    ASSERT_EQ(got->outcome, PutOutcome::kAdded);
  } else {
    ASSERT_EQ(got->outcome, sum == *old ? PutOutcome::kUnchanged : PutOutcome::kMoved);
  }
  if (!old || sum != *old) twin_.Put(member, sum);
}

void SortedSetModelTest::RemoveSome() {
  std::vector<Twin::Entry> gone;
  const std::string low = DrawPresent();
  const std::string high = DrawPresent();
  switch (rng_.Below(40)) {
    case 0: {
      const std::size_t size = twin_.entries().size();
      const std::size_t first = rng_.Below(size + 2);
      const std::size_t last = first + rng_.Below(growing_ ? 4 : size / 4 + 2);
      for (std::size_t i = first; i <= last && i < size; ++i) gone.push_back(twin_.entries()[i]);
      ASSERT_EQ(set_.RemoveRank(first, last), gone.size());
      break;
    }
    case 1: {
      ScoreRange range = DrawScoreRange();
      if (rng_.Below(2) == 0) range.max = range.min + 1;
      gone = twin_.Select([&](const Twin::Entry& entry) { return Inside(range, entry.first); });
      if (gone.size() > (growing_ ? 8 : twin_.entries().size() / 2)) return;
      ASSERT_EQ(set_.RemoveIn(range), gone.size());
      break;
    }
    case 2: {
      if (!scenario().one_score) return;
      const LexRange range = {{Kind::kClosed, low}, {Kind::kOpen, high}};
      gone = twin_.Select([&](const Twin::Entry& entry) { return Inside(range, entry.second); });
      if (gone.size() > (growing_ ? 8 : twin_.entries().size() / 2)) return;
      ASSERT_EQ(set_.RemoveIn(range), gone.size());
      break;
    }
    default: {
      const std::string member = DrawPresent();
      ASSERT_EQ(set_.Remove(member), twin_.Remove(member));
      return;
    }
  }
  for (const Twin::Entry& entry : gone) twin_.Remove(entry.second);
}

void SortedSetModelTest::PopSome() {
  const std::size_t count = rng_.Below(!growing_ && rng_.Below(8) == 0 ? 200 : 4);
  const ZEnd end = rng_.Below(2) == 0 ? ZEnd::kLowest : ZEnd::kHighest;
  std::vector<ScoredMember> expected;
  for (std::size_t i = 0; i < std::min(count, twin_.entries().size()); ++i) {
    const auto& entries = twin_.entries();
    const auto& [score, member] = entries[end == ZEnd::kLowest ? i : entries.size() - 1 - i];
    expected.push_back({member, score});
  }
  ASSERT_EQ(set_.PopEnd(end, count), expected);
  for (const ScoredMember& gone : expected) twin_.Remove(gone.member);
}

void SortedSetModelTest::Change() {
  if (twin_.entries().size() >= scenario().size_max) growing_ = false;
  if (twin_.entries().empty()) growing_ = true;
  const std::uint64_t dice = rng_.Below(10);
  if (dice < (growing_ ? 6u : 2u)) {
    PutOne(DrawMember());
  } else if (dice < (growing_ ? 8u : 4u)) {
    rng_.Below(2) == 0 ? PutOne(DrawPresent()) : IncrementOne(DrawPresent());
  } else if (dice < 9 || rng_.Below(4) > 0) {
    RemoveSome();
  } else {
    PopSome();
  }
}

template <typename Range>
void SortedSetModelTest::CompareSelection(const Range& range,
                                          const std::vector<Twin::Entry>& expected) {
  ASSERT_EQ(set_.CountIn(range), expected.size());
  const SortedSet::Cursor first = set_.SeekFirst(range);
  const SortedSet::Cursor last = set_.SeekLast(range);
  ASSERT_EQ(first.Valid(), !expected.empty());
  ASSERT_EQ(last.Valid(), !expected.empty());
  if (expected.empty()) return;
  ASSERT_EQ(first.member(), expected.front().second);
  ASSERT_EQ(first.score(), expected.front().first);
  ASSERT_EQ(last.member(), expected.back().second);
  ASSERT_EQ(last.score(), expected.back().first);
}

void SortedSetModelTest::CompareRange(const ScoreRange& range) {
  CompareSelection(
      range, twin_.Select([&](const Twin::Entry& entry) { return Inside(range, entry.first); }));
}

void SortedSetModelTest::CompareRange(const LexRange& range) {
  CompareSelection(
      range, twin_.Select([&](const Twin::Entry& entry) { return Inside(range, entry.second); }));
}

void SortedSetModelTest::Ask() {
  ASSERT_EQ(set_.size(), twin_.entries().size());
  const std::string member = rng_.Below(2) == 0 ? DrawPresent() : DrawMember();
  const std::optional<double> score = twin_.Score(member);
  ASSERT_EQ(set_.Score(member), score);
  const auto position = set_.Rank(member, ZEnd::kLowest);
  ASSERT_EQ(position.has_value(), score.has_value());
  if (score) {
    ASSERT_EQ(position->rank, twin_.RankOf(member));
    ASSERT_EQ(set_.Rank(member, ZEnd::kHighest)->rank, set_.size() - 1 - position->rank);
  }
  const std::size_t rank = rng_.Below(set_.size() + 1);
  const SortedSet::Cursor at = set_.SeekRank(rank);
  ASSERT_EQ(at.Valid(), rank < set_.size());
  if (at.Valid()) {
    ASSERT_EQ(at.member(), twin_.entries()[rank].second);
  }
  if (rng_.Below(8) > 0) return;
  CompareRange(DrawScoreRange());
  if (!scenario().one_score) return;
  const std::string low = DrawMember();
  const std::string high = DrawPresent();
  LexRange range = {DrawBound(), DrawBound()};
  range.min.value = low;
  range.max.value = high;
  CompareRange(range);
}

void SortedSetModelTest::CompareAll(const SortedSet& set) {
  set.CheckInvariants();
  std::size_t i = 0;
  auto cursor = set.First();
  for (; cursor.Valid(); cursor.Next(), ++i) {
    ASSERT_LT(i, twin_.entries().size());
    ASSERT_EQ(cursor.member(), twin_.entries()[i].second);
    ASSERT_EQ(cursor.score(), twin_.entries()[i].first);
  }
  ASSERT_EQ(i, twin_.entries().size());
  for (cursor = set.Last(); cursor.Valid(); cursor.Prev()) {
    ASSERT_EQ(cursor.member(), twin_.entries()[--i].second);
  }
  ASSERT_EQ(i, 0u);
  std::map<std::string, double> scanned;
  std::uint64_t position = 0;
  do {
    position = set.Scan(position, [&](std::string_view member, double score) {
      scanned[std::string(member)] = score;
    });
  } while (position != 0);
  ASSERT_EQ(scanned.size(), twin_.entries().size());
  for (const auto& [member, score] : scanned) ASSERT_EQ(twin_.Score(member), score);
}

void SortedSetModelTest::Run() {
  for (int step = 0; step < scenario().steps; ++step) {
    Change();
    if (HasFatalFailure()) FAIL() << "step " << step;
    Ask();
    if (HasFatalFailure()) FAIL() << "step " << step;
    if (step % 1000 == 0) {
      CompareAll(set_);
      CompareAll(*set_.Clone(heights_));
      if (HasFatalFailure()) FAIL() << "step " << step;
    }
  }
  CompareAll(set_);
}

TEST_P(SortedSetModelTest, AgreesWithItsTwin) { Run(); }

constexpr Scenario kScenarios[] = {
    {"Small", {}, 100, 300, false, 20, false, 60'000},
    {"BothForms", {}, 600, 2'000, false, 0, false, 100'000},
    {"FewScores", {}, 3'000, 20'000, false, 9, false, 60'000},
    {"OneScore", {}, 2'000, 20'000, true, 0, false, 60'000},
    {"LongMembers", {}, 1'000, 5'000, false, 0, true, 60'000},
    {"NeverSmall", {.entries_max = 0}, 300, 1'000, false, 50, false, 60'000},
    {"Large", {.entries_max = 16}, 8'000, 100'000, false, 0, false, 60'000},
};

INSTANTIATE_TEST_SUITE_P(Seeds, SortedSetModelTest,
                         testing::Combine(testing::ValuesIn(kScenarios), testing::Values(1, 2, 3)),
                         [](const auto& run) {
                           return std::string(std::get<0>(run.param).name) +
                                  std::to_string(std::get<1>(run.param));
                         });

// A member that stays all the while is visited, whatever comes and goes between the calls.
TEST(SortedSetScanTest, VisitsEveryMemberThatStays) {
  Rng rng(5);
  SortedSet set(rng);
  std::set<std::string> staying;
  for (int i = 0; i < 3000; ++i) {
    staying.insert("stay" + std::to_string(i));
    set.Put("stay" + std::to_string(i), i).value();
  }
  for (int round = 0; round < 5; ++round) {
    std::set<std::string> visited;
    std::uint64_t position = 0;
    int added = 0;
    do {
      position = set.Scan(
          position, [&](std::string_view member, double) { visited.insert(std::string(member)); });
      for (int i = 0; i < 40; ++i, ++added) {
        const std::string passing = "pass" + std::to_string(added);
        round % 2 == 0 ? set.Put(passing, added).ok() : set.Remove(passing);
      }
    } while (position != 0);
    for (const std::string& member : staying) ASSERT_TRUE(visited.contains(member)) << member;
  }
}

// A set that becomes small in the middle of a scan is visited whole by the next call.
TEST(SortedSetScanTest, SurvivesTheChangeToTheSmallForm) {
  Rng rng(6);
  SortedSet set(rng);
  for (int i = 0; i < 1000; ++i) set.Put(std::to_string(i), i).value();
  std::set<std::string> visited;
  const auto visit = [&](std::string_view member, double) { visited.insert(std::string(member)); };
  const std::uint64_t position = set.Scan(0, visit);
  ASSERT_NE(position, 0u);
  EXPECT_EQ(set.RemoveRank(10, 999), 990u);
  ASSERT_TRUE(set.IsSmall());
  EXPECT_EQ(set.Scan(position, visit), 0u);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(visited.contains(std::to_string(i)));
}

}  // namespace
}  // namespace rung

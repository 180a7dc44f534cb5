// Set against std::set: the same calls, the same content, through all forms and back to nothing.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/rng.h"
#include "rung/types/set.h"

namespace rung {
namespace {

using Twin = std::set<std::string>;

struct Mix {
  const char* name;
  std::uint64_t members;     // Different members drawn.
  std::uint64_t text_every;  // One in so many is no integer.
  unsigned integer_shift;    // Integers lose so many of their 64 bits.
  std::uint64_t removals;    // Of 20 steps, so many remove.
};

class SetModelTest : public ::testing::TestWithParam<Mix> {
 protected:
  std::string RandomMember() {
    const std::uint64_t number = rng_.Below(GetParam().members);
    if (number % GetParam().text_every != 0) {
      // The same number gives the same integer, which is negative half of the time.
      const std::uint64_t spread = number * 0x9e3779b97f4a7c15;
      return std::to_string(static_cast<std::int64_t>(spread) >> GetParam().integer_shift);
    }
    std::string member = "member" + std::to_string(number);
    if (number % 30 == 0) member.resize(70, 'm');
    if (number % 700 == 0) member.resize(300, 'm');
    return number == 0 ? std::string() : member;
  }

  void AddOne() {
    const std::string member = RandomMember();
    ASSERT_EQ(set_.Add(member, rules_), twin_.insert(member).second);
  }
  void AddSome() {
    std::vector<std::string> members;
    for (std::uint64_t i = rng_.Below(9); i > 0; --i) members.push_back(RandomMember());
    const std::vector<std::string_view> views(members.begin(), members.end());
    const std::size_t before = twin_.size();
    twin_.insert(members.begin(), members.end());
    ASSERT_EQ(set_.AddAll(views, rules_), twin_.size() - before);
  }
  void RemoveOne() {
    const std::string member = RandomMember();
    ASSERT_EQ(set_.Remove(member), twin_.erase(member) == 1);
  }
  void Pop() {
    const std::size_t count = std::min<std::size_t>(rng_.Below(4), twin_.size());
    ASSERT_EQ(set_.PopEach(rng_, count,
                           [&](std::string_view member) {
                             ASSERT_EQ(twin_.erase(std::string(member)), 1U);
                           }),
              count);
  }
  void LookAt() {
    const std::string member = RandomMember();
    ASSERT_EQ(set_.Contains(member), twin_.count(member) == 1);
  }
  void Step() {
    const std::uint64_t kind = rng_.Below(20);
    if (kind < GetParam().removals) return kind % 2 == 0 ? RemoveOne() : Pop();
    if (kind == 18) return LookAt();
    if (kind == 19) return AddSome();
    return AddOne();
  }

  static void ExpectEqual(const Set& set, const Twin& twin) {
    set.CheckInvariants();
    ASSERT_EQ(set.size(), twin.size());
    ASSERT_EQ(set.empty(), twin.empty());
    Twin content;
    set.ForEach([&](std::string_view member) { ASSERT_TRUE(content.emplace(member).second); });
    ASSERT_EQ(content, twin);
  }

  Rng rng_{11};
  SetRules rules_;
  Set set_;
  Twin twin_;
};

TEST_P(SetModelTest, SameCallsGiveTheSameSet) {
  for (int step = 0; step < 30000; ++step) {
    Step();
    if (step % 100 == 0) ExpectEqual(set_, twin_);
    if (step % 7000 == 6999) {
      set_.Clear();
      twin_.clear();
    }
    if (HasFatalFailure()) FAIL() << "at step " << step;
  }
  const std::unique_ptr<Set> clone = set_.Clone();
  const Twin kept = twin_;
  for (int step = 0; step < 200; ++step) Step();
  ExpectEqual(*clone, kept);
  ExpectEqual(set_, twin_);
}

// Down to the last member: every shrinking on the way.
TEST_P(SetModelTest, PoppingAllLeavesNothing) {
  for (int i = 0; i < 20000; ++i) AddOne();
  while (!twin_.empty()) {
    ASSERT_EQ(set_.PopEach(rng_, 1,
                           [&](std::string_view member) {
                             ASSERT_EQ(twin_.erase(std::string(member)), 1U);
                           }),
              1U);
    if (twin_.size() % 200 == 0) ExpectEqual(set_, twin_);
  }
  EXPECT_TRUE(set_.empty());
  EXPECT_EQ(set_.MemoryBytes(), 0U);
}

// Whatever comes and goes between the calls, what stays is seen.
TEST_P(SetModelTest, AScanSeesAllThatStays) {
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 400; ++i) AddOne();
    const Twin start = twin_;
    Twin removed;
    Twin seen;
    std::uint64_t cursor = 0;
    do {
      cursor = set_.Scan(cursor, [&](std::string_view member) { seen.emplace(member); });
      for (int i = 0; i < 5; ++i) {
        AddOne();
        const std::string member = RandomMember();
        set_.Remove(member);
        if (twin_.erase(member) == 1) removed.insert(member);
      }
    } while (cursor != 0);
    for (const std::string& member : start) {
      ASSERT_EQ(seen.count(member) + removed.count(member) > 0, true) << member;
    }
  }
}

TEST_P(SetModelTest, ASampleHoldsDifferentMembersOfTheSet) {
  for (int i = 0; i < 1000; ++i) AddOne();
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{3}, twin_.size() / 2, twin_.size(), twin_.size() + 5}) {
    Twin drawn;
    set_.Sample(rng_, count, [&](std::string_view member) {
      ASSERT_EQ(twin_.count(std::string(member)), 1U);
      ASSERT_TRUE(drawn.emplace(member).second);
    });
    ASSERT_EQ(drawn.size(), std::min(count, twin_.size()));
  }
}

INSTANTIATE_TEST_SUITE_P(Mixes, SetModelTest,
                         ::testing::Values(Mix{"FewIntegers", 50, 1000, 58, 8},
                                           Mix{"IntegersAroundTheLimit", 700, 1000, 40, 4},
                                           Mix{"FewTexts", 40, 1, 0, 8},
                                           Mix{"TextsAroundTheLimit", 160, 1, 0, 4},
                                           Mix{"IntegersAndATextNowAndThen", 200, 40, 20, 8},
                                           Mix{"Many", 6000, 2, 10, 4}),
                         [](const auto& mix) { return std::string(mix.param.name); });

}  // namespace
}  // namespace rung

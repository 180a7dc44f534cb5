// What Set promises beyond "the same content as a set" (tests/model/types/set_model_test.cc):
// encodings, fair draws, bytes, and that no removal stalls.

#include "rung/types/set.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/memory.h"

namespace rung {
namespace {

using Members = std::set<std::string>;

Members Content(const Set& set) {
  set.CheckInvariants();
  Members content;
  set.ForEach([&](std::string_view member) { content.emplace(member); });
  return content;
}

std::size_t AddAll(Set& set, const std::vector<std::string>& members, const SetRules& rules = {}) {
  const std::vector<std::string_view> views(members.begin(), members.end());
  return set.AddAll(views, rules);
}

std::vector<std::string> Numbers(int count) {
  std::vector<std::string> members;
  for (int i = 0; i < count; ++i) members.push_back(std::to_string(i));
  return members;
}

TEST(SetTest, EmptySetHoldsNoMemory) {
  Set set;
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.size(), 0U);
  EXPECT_EQ(set.MemoryBytes(), 0U);
  EXPECT_FALSE(set.Contains("a"));
  EXPECT_FALSE(set.Remove("a"));
  EXPECT_EQ(sizeof(Set), 8U);
}

TEST(SetTest, AddAllReportsTheMembersThatAreNew) {
  Set set;
  EXPECT_EQ(AddAll(set, {"a", "b", "a"}), 2U);
  EXPECT_EQ(AddAll(set, {"b", "c"}), 1U);
  EXPECT_EQ(Content(set), (Members{"a", "b", "c"}));
  EXPECT_TRUE(set.Remove("b"));
  EXPECT_FALSE(set.Remove("b"));
  EXPECT_EQ(Content(set), (Members{"a", "c"}));
}

TEST(SetTest, OnlyWhatPrintsBackTheSameIsAnInteger) {
  for (const std::string member :
       {"01", "+1", "-0", " 1", "1 ", "1.0", "", "9223372036854775808"}) {
    Set set;
    AddAll(set, {"1", "0"});
    EXPECT_EQ(set.encoding(), SetEncoding::kIntset);
    EXPECT_FALSE(set.Contains(member));
    EXPECT_TRUE(set.Add(member, {}));
    EXPECT_EQ(set.encoding(), SetEncoding::kListpack);
    EXPECT_EQ(Content(set), (Members{"1", "0", member}));
  }
}

TEST(SetTest, IntegersOfEveryWidthComeBack) {
  const std::vector<std::string> numbers = {"0",
                                            "-1",
                                            "32767",
                                            "-32768",
                                            "32768",
                                            "-32769",
                                            "2147483647",
                                            "-2147483648",
                                            "2147483648",
                                            "-2147483649",
                                            "9223372036854775807",
                                            "-9223372036854775808"};
  Set set;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_TRUE(set.Add(numbers[i], {}));
    EXPECT_FALSE(set.Add(numbers[i], {}));
    EXPECT_EQ(Content(set), Members(numbers.begin(), numbers.begin() + static_cast<long>(i) + 1));
  }
  EXPECT_EQ(set.encoding(), SetEncoding::kIntset);
  EXPECT_TRUE(set.Remove("-9223372036854775808"));
  EXPECT_TRUE(set.Remove("32767"));
  EXPECT_EQ(set.size(), 10U);
}

TEST(SetTest, IntsetEndsBeyond512Members) {
  Set set;
  for (const std::string& member : Numbers(512)) set.Add(member, {});
  EXPECT_EQ(set.encoding(), SetEncoding::kIntset);
  set.Add("1000", {});
  EXPECT_EQ(set.encoding(), SetEncoding::kHashtable);
  EXPECT_EQ(set.size(), 513U);
  set.Remove("1000");
  EXPECT_EQ(set.encoding(), SetEncoding::kHashtable);
}

TEST(SetTest, ATextTurnsAnIntsetIntoAListpackOrATable) {
  Set few;
  AddAll(few, Numbers(127));
  few.Add("text", {});
  EXPECT_EQ(few.encoding(), SetEncoding::kListpack);
  Set many;
  AddAll(many, Numbers(128));
  many.Add("text", {});
  many.CheckInvariants();
  EXPECT_EQ(many.encoding(), SetEncoding::kHashtable);
  Set wide;
  AddAll(wide, Numbers(3));
  wide.Add(std::string(65, 'm'), {});
  EXPECT_EQ(wide.encoding(), SetEncoding::kHashtable);
}

TEST(SetTest, ListpackEndsBeyond128MembersOr64Bytes) {
  Set set;
  for (int i = 0; i < 128; ++i) set.Add("m" + std::to_string(i), {});
  EXPECT_EQ(set.encoding(), SetEncoding::kListpack);
  set.Add("m128", {});
  EXPECT_EQ(set.encoding(), SetEncoding::kHashtable);
  Set wide;
  wide.Add(std::string(64, 'm'), {});
  EXPECT_EQ(wide.encoding(), SetEncoding::kListpack);
  wide.Add(std::string(65, 'm'), {});
  EXPECT_EQ(wide.encoding(), SetEncoding::kHashtable);
  wide.Remove(std::string(65, 'm'));
  EXPECT_EQ(wide.encoding(), SetEncoding::kHashtable);
  EXPECT_EQ(wide.Clone()->encoding(), SetEncoding::kHashtable);
}

TEST(SetTest, TheNumberOfArgumentsChoosesTheEncodingAhead) {
  Set set;
  AddAll(set, std::vector<std::string>(129, "same"));
  EXPECT_EQ(set.size(), 1U);
  EXPECT_EQ(set.encoding(), SetEncoding::kHashtable);
  Set numbers;
  AddAll(numbers, std::vector<std::string>(512, "1"));
  EXPECT_EQ(numbers.encoding(), SetEncoding::kIntset);
}

TEST(SetTest, ConfiguredLimitsDecideTheEncodingWhateverTheForm) {
  const SetRules none{.intset_members_max = 0, .listpack_members_max = 0};
  Set tables;
  AddAll(tables, {"1", "2"}, none);
  EXPECT_EQ(tables.encoding(), SetEncoding::kHashtable);
  EXPECT_EQ(Content(tables), (Members{"1", "2"}));

  const SetRules wide{.intset_members_max = 5000, .listpack_members_max = 5000};
  Set numbers;
  for (const std::string& member : Numbers(5000)) numbers.Add(member, wide);
  EXPECT_EQ(numbers.encoding(), SetEncoding::kIntset);
  numbers.CheckInvariants();
  numbers.Remove("7");
  numbers.Add("text", wide);
  EXPECT_EQ(numbers.encoding(), SetEncoding::kListpack);
  EXPECT_TRUE(numbers.Contains("4999"));
}

TEST(SetTest, RandomDrawsEachMemberAlike) {
  for (const int members : {5, 600}) {
    for (const char* prefix : {"", "m"}) {
      Set set;
      for (int i = 0; i < members; ++i) set.Add(prefix + std::to_string(i), {});
      Rng rng(3);
      NumberBuffer buffer;
      std::map<std::string, int> drawn;
      for (int i = 0; i < members * 200; ++i) ++drawn[std::string(set.Random(rng, buffer))];
      EXPECT_EQ(drawn.size(), static_cast<std::size_t>(members));
      for (const auto& [member, times] : drawn) {
        EXPECT_GT(times, 100) << member;
        EXPECT_LT(times, 320) << member;
      }
    }
  }
}

TEST(SetTest, ASampleDrawsEachMemberAlike) {
  for (const int members : {6, 600}) {
    Set set;
    for (int i = 0; i < members; ++i) set.Add("m" + std::to_string(i), {});
    for (const int part : {2, 6}) {
      Rng rng(5);
      std::map<std::string, int> drawn;
      for (int i = 0; i < 300 * part; ++i) {
        set.Sample(rng, static_cast<std::size_t>(members / part),
                   [&](std::string_view member) { ++drawn[std::string(member)]; });
      }
      EXPECT_EQ(drawn.size(), static_cast<std::size_t>(members));
      for (const auto& [member, times] : drawn) {
        EXPECT_GT(times, 200) << member;
        EXPECT_LT(times, 420) << member;
      }
    }
  }
}

TEST(SetTest, ALargeSetIsGoneWithItsLastMember) {
  Set set;
  for (int i = 0; i < 300; ++i) set.Add("m" + std::to_string(i), {});
  for (int i = 0; i < 300; ++i) {
    EXPECT_FALSE(set.empty());
    EXPECT_TRUE(set.Remove("m" + std::to_string(i)));
  }
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.MemoryBytes(), 0U);
}

TEST(SetTest, MoveLeavesAnEmptySet) {
  Set from;
  from.Add("a", {});
  Set to;
  to.Add("b", {});
  to = std::move(from);
  EXPECT_EQ(Content(to), (Members{"a"}));
  EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): the promise under test.
}

TEST(SetTest, AMemberOf16BytesTakesAtMost32InALargeSet) {
  const std::size_t before = AllocatedBytes();
  Set set;
  for (int i = 0; i < 300000; ++i) set.Add("m00000000" + std::to_string(1000000 + i), {});
  const std::size_t bytes = AllocatedBytes() - before;
  EXPECT_LE(bytes / 300000, 32U);
  EXPECT_NEAR(static_cast<double>(set.MemoryBytes()), static_cast<double>(bytes), 1000.0);
}

TEST(SetTest, SmallSetsAreSmall) {
  Set numbers;
  for (int i = 0; i < 100; ++i) numbers.Add(std::to_string(1000 + i), {});
  EXPECT_LE(numbers.MemoryBytes(), 8U + 100 * 2 * 5 / 4 + 32);
  Set texts;
  for (int i = 0; i < 100; ++i) texts.Add("member-" + std::to_string(100 + i), {});
  EXPECT_LE(texts.MemoryBytes(), 8U + 100 * 11 * 3 / 2);
  Set one;
  one.Add("job:12345", {});
  EXPECT_LE(one.MemoryBytes(), 32U);
}

TEST(SetTest, ALargeSetThatIsPoppedGivesItsMemoryBack) {
  Set set;
  for (int i = 0; i < 100000; ++i) set.Add("member" + std::to_string(1000000 + i), {});
  const std::size_t full = set.MemoryBytes();
  Rng rng(1);
  std::size_t left = 100000;
  for (const std::size_t part : {2, 4, 10, 100}) {
    const std::size_t wanted = 100000 / part;
    set.PopEach(rng, left - wanted, [](std::string_view) {});
    left = wanted;
    set.CheckInvariants();
    EXPECT_LE(set.MemoryBytes(), full * 3 / part) << part;
  }
}

}  // namespace
}  // namespace rung

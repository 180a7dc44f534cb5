// What List promises beyond "the same content as a deque" (tests/model/types/list_model_test.cc):
// ends, indexes, the edges of LREM, LTRIM and LPOS, and what it costs in bytes.

#include "rung/types/list.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/memory.h"

namespace rung {
namespace {

using Strings = std::vector<std::string>;

List Make(const Strings& values) {
  List list;
  for (const std::string& value : values) list.Push(ListEnd::kTail, value);
  return list;
}

Strings Content(const List& list) {
  list.CheckInvariants();
  Strings content;
  list.ForEach([&](std::string_view value) { content.emplace_back(value); });
  return content;
}

// `count` elements of `bytes` bytes, all different.
List MakeMany(std::size_t count, std::size_t bytes, ListEnd end = ListEnd::kTail) {
  List list;
  for (std::size_t i = 0; i < count; ++i) {
    std::string value = std::to_string(i);
    value.resize(bytes, '.');
    list.Push(end, value);
  }
  return list;
}

TEST(ListTest, EmptyListHoldsNoMemory) {
  const List list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.size(), 0U);
  EXPECT_EQ(list.MemoryBytes(), 0U);
  EXPECT_TRUE(list.IsSmall());
  EXPECT_FALSE(list.First().Valid());
  EXPECT_FALSE(list.Last().Valid());
  EXPECT_FALSE(list.At(0).Valid());
  EXPECT_EQ(sizeof(List), 8U);
}

TEST(ListTest, PushesAtBothEndsKeepTheirOrder) {
  List list;
  list.Push(ListEnd::kHead, "b");
  list.Push(ListEnd::kHead, "a");
  list.Push(ListEnd::kTail, "");
  list.Push(ListEnd::kTail, std::string_view("\0\xff", 2));
  EXPECT_EQ(Content(list), (Strings{"a", "b", "", std::string("\0\xff", 2)}));
  EXPECT_EQ(list.Peek(ListEnd::kHead), "a");
  EXPECT_EQ(list.Peek(ListEnd::kTail), std::string_view("\0\xff", 2));
}

TEST(ListTest, DropTakesAtMostWhatIsThere) {
  List list = Make({"a", "b", "c"});
  list.Drop(ListEnd::kHead, 0);
  EXPECT_EQ(Content(list), (Strings{"a", "b", "c"}));
  list.Drop(ListEnd::kTail);
  EXPECT_EQ(Content(list), (Strings{"a", "b"}));
  list.Drop(ListEnd::kHead, 5);
  EXPECT_TRUE(list.empty());
}

TEST(ListTest, EachLengthOfElementReadsBackFromBothSides) {
  for (const std::size_t bytes :
       {0, 1, 253, 254, 255, 4000, 4084, 4085, 8170, 8171, 65535, 65536, 70000, 3000000}) {
    List list;
    const std::string value(bytes, 'v');
    for (int i = 0; i < 3; ++i) list.Push(i == 1 ? ListEnd::kHead : ListEnd::kTail, value);
    list.Push(ListEnd::kHead, "first");
    list.Push(ListEnd::kTail, "last");
    EXPECT_EQ(Content(list), (Strings{"first", value, value, value, "last"})) << bytes;
    list.Drop(ListEnd::kTail);
    EXPECT_EQ(list.Peek(ListEnd::kTail), value) << bytes;
  }
}

TEST(ListTest, IndexesCountFromEitherEnd) {
  const List list = MakeMany(100000, 12);
  EXPECT_FALSE(list.IsSmall());
  EXPECT_EQ(list.At(0).value(), "0...........");
  EXPECT_EQ(list.At(54321).value(), "54321.......");
  EXPECT_EQ(list.At(-1).value(), "99999.......");
  EXPECT_EQ(list.At(-100000).value(), "0...........");
  EXPECT_FALSE(list.At(100000).Valid());
  EXPECT_FALSE(list.At(-100001).Valid());
  EXPECT_FALSE(list.At(std::numeric_limits<std::int64_t>::min()).Valid());
}

TEST(ListTest, IndexesStayRightWhileBothEndsMove) {
  List list;
  for (int i = 0; i < 3000; ++i) list.Push(ListEnd::kHead, "h" + std::to_string(i));
  for (int i = 0; i < 3000; ++i) list.Push(ListEnd::kTail, "t" + std::to_string(i));
  list.Drop(ListEnd::kHead, 1700);
  list.Drop(ListEnd::kTail, 1700);
  EXPECT_EQ(list.At(0).value(), "h1299");
  EXPECT_EQ(list.At(1299).value(), "h0");
  EXPECT_EQ(list.At(1300).value(), "t0");
  for (int i = 0; i < 2000; ++i) list.Push(ListEnd::kHead, "n" + std::to_string(i));
  EXPECT_EQ(list.At(1999).value(), "n0");
  EXPECT_EQ(list.At(3300).value(), "t0");
  EXPECT_EQ(list.At(-1).value(), "t1299");
}

TEST(ListTest, CursorWalksOverBlocksBothWays) {
  const List list = MakeMany(500, 100);
  List::Cursor cursor = list.At(250);
  for (int i = 0; i < 200; ++i) cursor.Next();
  EXPECT_EQ(cursor.value().substr(0, 4), "450.");
  for (int i = 0; i < 400; ++i) cursor.Prev();
  EXPECT_EQ(cursor.value().substr(0, 3), "50.");
  for (int i = 0; i < 50; ++i) cursor.Prev();
  ASSERT_TRUE(cursor.Valid());
  cursor.Prev();
  EXPECT_FALSE(cursor.Valid());
}

TEST(ListTest, AnElementOfTheListItselfMayBePushed) {
  for (const std::size_t bytes : {5U, 100U, 3000U, 9000U}) {
    List list = MakeMany(3, bytes);
    for (int i = 0; i < 300; ++i) list.Push(ListEnd::kHead, list.Peek(ListEnd::kTail));
    EXPECT_EQ(list.size(), 303U);
    EXPECT_EQ(list.Peek(ListEnd::kHead), list.Peek(ListEnd::kTail));
    EXPECT_EQ(list.At(150).value(), list.Peek(ListEnd::kTail));
  }
}

TEST(ListTest, SetReplacesWithShorterAndLongerElements) {
  List list = Make({"a", "bb", "ccc"});
  EXPECT_TRUE(list.Set(1, "longer than before"));
  EXPECT_TRUE(list.Set(-1, ""));
  EXPECT_TRUE(list.Set(0, std::string(10000, 'x')));
  EXPECT_EQ(Content(list), (Strings{std::string(10000, 'x'), "longer than before", ""}));
  EXPECT_FALSE(list.Set(3, "no"));
  EXPECT_FALSE(list.Set(-4, "no"));
  EXPECT_FALSE(List().Set(0, "no"));
}

TEST(ListTest, InsertBesideTakesTheFirstPivot) {
  List list = Make({"x", "p", "p"});
  EXPECT_TRUE(list.InsertBeside("p", "before", List::Where::kBefore));
  EXPECT_TRUE(list.InsertBeside("p", "after", List::Where::kAfter));
  EXPECT_EQ(Content(list), (Strings{"x", "before", "p", "after", "p"}));
  EXPECT_FALSE(list.InsertBeside("absent", "no", List::Where::kAfter));
}

// In a block, before the first and behind the last element of one (80 of them fill a block).
TEST(ListTest, ManyInsertionsAtOnePlaceFillTheirBlocks) {
  for (const auto& [index, where] :
       {std::pair(500, List::Where::kBefore), std::pair(160, List::Where::kBefore),
        std::pair(159, List::Where::kAfter)}) {
    List list = MakeMany(1000, 100);
    const std::string pivot(list.At(index).value());
    for (int i = 0; i < 2000; ++i) list.InsertBeside(pivot, std::string(100, 'n'), where);
    EXPECT_EQ(list.At(where == List::Where::kBefore ? index + 2000 : index).value(), pivot);
    EXPECT_LE(list.MemoryBytes(), 3000U * 110) << index;
    list.CheckInvariants();
  }
}

TEST(ListTest, RemoveEqualCountsFromTheSideThatItsSignNames) {
  const Strings values = {"a", "x", "b", "x", "x", "c"};
  List list = Make(values);
  EXPECT_EQ(list.RemoveEqual("x", 2), 2U);
  EXPECT_EQ(Content(list), (Strings{"a", "b", "x", "c"}));
  list = Make(values);
  EXPECT_EQ(list.RemoveEqual("x", -2), 2U);
  EXPECT_EQ(Content(list), (Strings{"a", "x", "b", "c"}));
  list = Make(values);
  EXPECT_EQ(list.RemoveEqual("x", 0), 3U);
  EXPECT_EQ(Content(list), (Strings{"a", "b", "c"}));
  EXPECT_EQ(list.RemoveEqual("x", std::numeric_limits<std::int64_t>::min()), 0U);
  EXPECT_EQ(list.RemoveEqual("b", std::numeric_limits<std::int64_t>::min()), 1U);
}

TEST(ListTest, RemovingAlmostEverythingGivesItsMemoryBack) {
  List list;
  for (int i = 0; i < 50000; ++i) list.Push(ListEnd::kTail, i % 100 == 0 ? "kept" : "dropped");
  EXPECT_EQ(list.RemoveEqual("dropped", 0), 49500U);
  EXPECT_EQ(list.size(), 500U);
  EXPECT_LE(list.MemoryBytes(), 500U * 12);
  list.CheckInvariants();
}

TEST(ListTest, RemovingOneByOneDoesNotLeaveSparseBlocks) {
  List list = MakeMany(5000, 100);
  for (int i = 0; i < 5000; ++i) {
    if (i % 50 == 0) continue;
    std::string value = std::to_string(i);
    value.resize(100, '.');
    ASSERT_EQ(list.RemoveEqual(value, 1), 1U);
  }
  EXPECT_EQ(list.size(), 100U);
  EXPECT_EQ(list.At(7).value().substr(0, 4), "350.");
  EXPECT_LE(list.MemoryBytes(), 40000U);
}

TEST(ListTest, TrimKeepsBothBounds) {
  List list = MakeMany(1000, 50);
  list.Trim(10, 989);
  EXPECT_EQ(list.size(), 980U);
  EXPECT_EQ(list.Peek(ListEnd::kHead).substr(0, 3), "10.");
  EXPECT_EQ(list.Peek(ListEnd::kTail).substr(0, 4), "989.");
  list.Trim(979, 5000);
  EXPECT_EQ(list.size(), 1U);
  list.Trim(1, 0);
  EXPECT_TRUE(list.empty());
  list = Make({"a"});
  list.Trim(1, 1);
  EXPECT_TRUE(list.empty());
}

TEST(ListTest, FindHonoursRankCountAndLimit) {
  const List list = Make({"a", "b", "c", "1", "2", "3", "c", "c"});
  using Found = std::vector<std::size_t>;
  EXPECT_EQ(list.Find("c", {}), (Found{2}));
  EXPECT_EQ(list.Find("c", {.rank = 2}), (Found{6}));
  EXPECT_EQ(list.Find("c", {.rank = 4}), (Found{}));
  EXPECT_EQ(list.Find("c", {.rank = -1}), (Found{7}));
  EXPECT_EQ(list.Find("c", {.rank = -1, .count = 0}), (Found{7, 6, 2}));
  EXPECT_EQ(list.Find("c", {.rank = 2, .count = 0}), (Found{6, 7}));
  EXPECT_EQ(list.Find("c", {.count = 2}), (Found{2, 6}));
  EXPECT_EQ(list.Find("c", {.count = 0, .max_compared = 7}), (Found{2, 6}));
  EXPECT_EQ(list.Find("c", {.max_compared = 2}), (Found{}));
  EXPECT_EQ(list.Find("c", {.rank = std::numeric_limits<std::int64_t>::min()}), (Found{}));
}

TEST(ListTest, MoveLeavesAnEmptyList) {
  List from = Make({"a", "b"});
  List to = Make({"old"});
  to = std::move(from);
  EXPECT_EQ(Content(to), (Strings{"a", "b"}));
  EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): the promise under test.
  from.Push(ListEnd::kHead, "again");
  EXPECT_EQ(Content(from), (Strings{"again"}));
}

TEST(ListTest, CloneIsIndependentAndWithoutGaps) {
  List list = MakeMany(300, 100);
  list.Drop(ListEnd::kHead, 30);
  const std::unique_ptr<List> clone = list.Clone();
  EXPECT_EQ(Content(*clone), Content(list));
  EXPECT_LE(clone->MemoryBytes(), list.MemoryBytes());
  list.Set(0, "changed");
  EXPECT_EQ(clone->Peek(ListEnd::kHead).substr(0, 3), "30.");
}

TEST(ListTest, SmallMeansOneBlockOfEightKilobytes) {
  List list;
  for (int i = 0; i < 80; ++i) list.Push(ListEnd::kTail, std::string(100, 'v'));
  EXPECT_TRUE(list.IsSmall());
  list.Push(ListEnd::kTail, std::string(100, 'v'));
  EXPECT_FALSE(list.IsSmall());
  list.Drop(ListEnd::kTail, 41);
  EXPECT_TRUE(list.IsSmall());
  EXPECT_FALSE(Make({std::string(8192, 'v')}).IsSmall());
}

TEST(ListTest, AnEntryOfAHundredBytesTakesAtMost104) {
  for (const ListEnd end : {ListEnd::kHead, ListEnd::kTail}) {
    const std::size_t before = AllocatedBytes();
    const List list = MakeMany(100000, 100, end);
    EXPECT_LE(list.MemoryBytes(), 100000U * 104);
    EXPECT_LE(AllocatedBytes() - before, 100000U * 104);
  }
}

TEST(ListTest, MemoryBytesIsWhatTheAllocatorGave) {
  for (const std::size_t count : {1U, 2U, 10U, 100U, 1000U, 10000U}) {
    const std::size_t before = AllocatedBytes();
    const List list = MakeMany(count, 100);
    const double real = static_cast<double>(AllocatedBytes() - before);
    EXPECT_NEAR(static_cast<double>(list.MemoryBytes()), real, real * 0.1) << count;
  }
}

TEST(ListTest, AShortListIsShort) {
  EXPECT_LE(Make({"job"}).MemoryBytes(), 48U);
  EXPECT_LE(MakeMany(10, 36).MemoryBytes(), 2U * 10 * 38);
}

TEST(ListTest, AQueueOfSteadyLengthStaysInItsBlock) {
  List list = MakeMany(20, 100);
  for (int i = 0; i < 10000; ++i) {
    list.Push(ListEnd::kHead, std::string(100, 'q'));
    list.Drop(ListEnd::kTail);
  }
  EXPECT_TRUE(list.IsSmall());
  EXPECT_LE(list.MemoryBytes(), 4096U);
}

TEST(ListTest, AListThatDrainedGivesItsBlockBack) {
  List list = MakeMany(70, 100);
  EXPECT_GT(list.MemoryBytes(), 8000U);
  list.Drop(ListEnd::kHead, 68);
  EXPECT_LE(list.MemoryBytes(), 600U);
  EXPECT_EQ(list.Peek(ListEnd::kHead).substr(0, 3), "68.");
}

}  // namespace
}  // namespace rung

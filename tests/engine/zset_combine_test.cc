// What unions, intersections and differences of sorted sets answer, store and log.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using Lines = std::vector<std::string>;

bool HasKey(EngineTest& test, std::string_view key) {
  return static_cast<bool>(test.engine->broker().store.database(0).Peek(key));
}

class ZSetCombineTest : public EngineTest {
 public:
  ZSetCombineTest() {
    client.Call("ZADD a 1 x 2 y 3 z");
    client.Call("ZADD b 10 y 20 z 30 w");
    TakeLog();
  }

  Client client = Connect();
};

TEST_F(ZSetCombineTest, UnionAddsScoresUnlessToldOtherwise) {
  EXPECT_EQ(client.Call("ZUNION 2 a b WITHSCORES"),
            Bulks({"x", "1", "y", "12", "z", "23", "w", "30"}));
  EXPECT_EQ(client.Call("ZUNION 2 a b"), Bulks({"x", "y", "z", "w"}));
  EXPECT_EQ(client.Call("ZUNION 2 a b AGGREGATE MIN WITHSCORES"),
            Bulks({"x", "1", "y", "2", "z", "3", "w", "30"}));
  EXPECT_EQ(client.Call("ZUNION 2 a b AGGREGATE max WEIGHTS 10 1 WITHSCORES"),
            Bulks({"x", "10", "y", "20", "w", "30", "z", "30"}));
  EXPECT_EQ(client.Call("ZUNION 3 a none a WITHSCORES"), Bulks({"x", "2", "y", "4", "z", "6"}));
}

TEST_F(ZSetCombineTest, IntersectionKeepsWhatAllHave) {
  EXPECT_EQ(client.Call("ZINTER 2 a b WITHSCORES"), Bulks({"y", "12", "z", "23"}));
  EXPECT_EQ(client.Call("ZINTER 2 a b WEIGHTS 2 -1 WITHSCORES"), Bulks({"z", "-14", "y", "-6"}));
  EXPECT_EQ(client.Call("ZINTER 2 a none"), Array({}));
  EXPECT_EQ(client.Call("ZINTERCARD 2 a b"), Int(2));
  EXPECT_EQ(client.Call("ZINTERCARD 2 a b LIMIT 1"), Int(1));
  EXPECT_EQ(client.Call("ZINTERCARD 2 a b LIMIT 0"), Int(2));
  EXPECT_EQ(client.Call("ZINTERCARD 2 a none"), Int(0));
}

TEST_F(ZSetCombineTest, DifferenceKeepsTheScoresOfTheFirst) {
  EXPECT_EQ(client.Call("ZDIFF 2 a b WITHSCORES"), Bulks({"x", "1"}));
  EXPECT_EQ(client.Call("ZDIFF 2 none a"), Array({}));
  EXPECT_EQ(client.Call("ZDIFF 2 a a"), Array({}));
  EXPECT_EQ(client.Call("ZDIFF 1 a"), Bulks({"x", "y", "z"}));
}

// Many small sets to take away from a large one: the way that removes instead of looking.
TEST_F(ZSetCombineTest, DifferenceAgreesWhicheverWayItIsComputed) {
  std::string request = "ZDIFF 21 large";
  for (int i = 0; i < 1000; ++i) {
    client.Call("ZADD large " + std::to_string(i) + " m" + std::to_string(i));
  }
  for (int i = 0; i < 20; ++i) {
    client.Call("ZADD s" + std::to_string(i) + " 0 m" + std::to_string(50 * i));
    request += " s" + std::to_string(i);
  }
  const Reply few_removed = client.Call(request);
  ASSERT_EQ(few_removed.elements.size(), 980u);
  EXPECT_EQ(few_removed.elements.front(), Bulk("m1"));
  EXPECT_EQ(few_removed.elements.back(), Bulk("m999"));
  EXPECT_EQ(client.Call("ZDIFF 2 s1 large"), Array({}));
}

TEST_F(ZSetCombineTest, PairsAreNestedInResp3) {
  Client resp3 = ConnectResp3();
  const Reply x = Array({Array({Bulk("x"), Double("1")})});
  EXPECT_EQ(resp3.Call("ZDIFF 2 a b WITHSCORES"), x);
  EXPECT_EQ(resp3.Call("ZINTER 2 a b"), Bulks({"y", "z"}));
  EXPECT_EQ(resp3.Call("ZUNION 1 b WEIGHTS 0.05 WITHSCORES"),
            Array({Array({Bulk("y"), Double("0.5")}), Array({Bulk("z"), Double("1")}),
                   Array({Bulk("w"), Double("1.5")})}));
}

TEST_F(ZSetCombineTest, MembersOfAPlainSetScoreOne) {
  client.Call("SADD s x y v");
  EXPECT_EQ(client.Call("ZUNION 2 a s WITHSCORES"),
            Bulks({"v", "1", "x", "2", "y", "3", "z", "3"}));
  EXPECT_EQ(client.Call("ZINTER 2 s b WEIGHTS 5 1 WITHSCORES"), Bulks({"y", "15"}));
  EXPECT_EQ(client.Call("ZDIFF 2 s a WITHSCORES"), Bulks({"v", "1"}));
  EXPECT_EQ(client.Call("ZINTERCARD 2 a s LIMIT 1"), Int(1));
  EXPECT_EQ(client.Call("ZUNIONSTORE s 1 s"), Int(3));
  EXPECT_EQ(client.Call("ZRANGE s 0 -1 WITHSCORES"), Bulks({"v", "1", "x", "1", "y", "1"}));
}

TEST_F(ZSetCombineTest, SumOfBothInfinitiesIsZero) {
  client.Call("ZADD p inf m");
  client.Call("ZADD n -inf m");
  EXPECT_EQ(client.Call("ZUNION 2 p n WITHSCORES"), Bulks({"m", "0"}));
  EXPECT_EQ(client.Call("ZINTER 2 p n WITHSCORES"), Bulks({"m", "0"}));
  EXPECT_EQ(client.Call("ZUNION 1 p WEIGHTS 0 WITHSCORES"), Bulks({"m", "0"}));
}

TEST_F(ZSetCombineTest, StoringReplacesTheDestinationAndLogsTheRequest) {
  client.Call("SET d text EX 100");
  TakeLog();
  EXPECT_EQ(client.Call("ZUNIONSTORE d 2 a b WEIGHTS 1 2"), Int(4));
  EXPECT_EQ(client.Call("ZRANGE d 0 -1 WITHSCORES"),
            Bulks({"x", "1", "y", "22", "z", "43", "w", "60"}));
  EXPECT_EQ(client.Call("ZINTERSTORE d 2 a b AGGREGATE MAX"), Int(2));
  EXPECT_EQ(client.Call("ZRANGE d 0 -1 WITHSCORES"), Bulks({"y", "10", "z", "20"}));
  EXPECT_EQ(client.Call("ZDIFFSTORE a 2 a d"), Int(1));
  EXPECT_EQ(client.Call("ZRANGE a 0 -1"), Bulks({"x"}));
  EXPECT_EQ(TakeLog(), (Lines{"ZUNIONSTORE d 2 a b WEIGHTS 1 2",
                              "ZINTERSTORE d 2 a b AGGREGATE MAX", "ZDIFFSTORE a 2 a d"}));
}

TEST_F(ZSetCombineTest, StoringNothingDeletesTheDestination) {
  EXPECT_EQ(client.Call("ZINTERSTORE a 2 b none"), Int(0));
  EXPECT_FALSE(HasKey(*this, "a"));
  EXPECT_EQ(client.Call("ZINTERSTORE a 2 b none"), Int(0));
  EXPECT_EQ(TakeLog(), (Lines{"ZINTERSTORE a 2 b none"}));
}

TEST_F(ZSetCombineTest, RequestsThatCannotBeReadAreRefused) {
  EXPECT_EQ(client.Call("ZUNION 0 a"),
            Err("ERR at least 1 input key is needed for 'zunion' command"));
  EXPECT_EQ(client.Call("ZDIFFSTORE d -1 a"),
            Err("ERR at least 1 input key is needed for 'zdiffstore' command"));
  EXPECT_EQ(client.Call("ZINTER x a"), Err("ERR value is not an integer or out of range"));
  EXPECT_EQ(client.Call("ZUNION 1 a WEIGHTS x"), Err("ERR weight value is not a float"));
  EXPECT_EQ(client.Call("ZUNION 1 a WEIGHTS nan"), Err("ERR weight value is not a float"));
  EXPECT_EQ(client.Call("ZINTERCARD 1 a LIMIT -1"), Err("ERR LIMIT can't be negative"));
  for (const char* line :
       {"ZUNION 2 a", "ZUNION 9223372036854775807 a", "ZUNION 2 a b WEIGHTS 1",
        "ZUNION 1 a AGGREGATE avg", "ZUNION 1 a AGGREGATE", "ZUNIONSTORE d 1 a WITHSCORES",
        "ZDIFF 1 a WEIGHTS 1", "ZDIFF 1 a AGGREGATE SUM", "ZINTERCARD 1 a WITHSCORES",
        "ZINTERCARD 1 a LIMIT"}) {
    EXPECT_EQ(client.Call(line), Err("ERR syntax error")) << line;
  }
  EXPECT_TRUE(TakeLog().empty());
}

}  // namespace
}  // namespace rung::testing

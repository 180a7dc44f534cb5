// What ZRANGE, its older forms and ZRANGESTORE promise.

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

TEST_F(EngineTest, RangeByRankCountsFromEitherEnd) {
  Client client = Connect();
  client.Call("ZADD z 1 a 2 b 3 c 4 d");
  EXPECT_EQ(client.Call("ZRANGE z 0 -1"), Bulks({"a", "b", "c", "d"}));
  EXPECT_EQ(client.Call("ZRANGE z 1 2"), Bulks({"b", "c"}));
  EXPECT_EQ(client.Call("ZRANGE z -2 99"), Bulks({"c", "d"}));
  EXPECT_EQ(client.Call("ZRANGE z -99 0"), Bulks({"a"}));
  EXPECT_EQ(client.Call("ZRANGE z 2 1"), Array({}));
  EXPECT_EQ(client.Call("ZRANGE z 4 5"), Array({}));
  EXPECT_EQ(client.Call("ZRANGE z -9223372036854775808 9223372036854775807"),
            Bulks({"a", "b", "c", "d"}));
  EXPECT_EQ(client.Call("ZRANGE z 0 1 REV"), Bulks({"d", "c"}));
  EXPECT_EQ(client.Call("ZREVRANGE z 1 -2"), Bulks({"c", "b"}));
  EXPECT_EQ(client.Call("ZRANGE none 0 -1"), Array({}));
}

TEST_F(EngineTest, ScoresComeFlatInResp2AndInPairsInResp3) {
  Client client = Connect();
  client.Call("ZADD z 1 a 2.5 b");
  EXPECT_EQ(client.Call("ZRANGE z 0 -1 WITHSCORES"), Bulks({"a", "1", "b", "2.5"}));
  Client resp3 = ConnectResp3();
  const Reply pairs = Array({Array({Bulk("a"), Double("1")}), Array({Bulk("b"), Double("2.5")})});
  EXPECT_EQ(resp3.Call("ZRANGE z 0 -1 WITHSCORES"), pairs);
  EXPECT_EQ(resp3.Call("ZRANGEBYSCORE z -inf inf WITHSCORES"), pairs);
  EXPECT_EQ(resp3.Call("ZREVRANGE z 0 0 WITHSCORES"), Array({Array({Bulk("b"), Double("2.5")})}));
  EXPECT_EQ(resp3.Call("ZRANGE z 0 -1"), Bulks({"a", "b"}));
}

TEST_F(EngineTest, RangeByScoreAndItsLimit) {
  Client client = Connect();
  client.Call("ZADD z 1 a 2 b 3 c 4 d 5 e");
  EXPECT_EQ(client.Call("ZRANGEBYSCORE z 2 4"), Bulks({"b", "c", "d"}));
  EXPECT_EQ(client.Call("ZRANGE z (2 (5 BYSCORE"), Bulks({"c", "d"}));
  EXPECT_EQ(client.Call("ZREVRANGEBYSCORE z 4 2"), Bulks({"d", "c", "b"}));
  EXPECT_EQ(client.Call("ZRANGE z 4 2 BYSCORE REV"), Bulks({"d", "c", "b"}));
  EXPECT_EQ(client.Call("ZRANGEBYSCORE z -inf inf LIMIT 1 2"), Bulks({"b", "c"}));
  EXPECT_EQ(client.Call("ZREVRANGEBYSCORE z inf -inf LIMIT 1 2"), Bulks({"d", "c"}));
  EXPECT_EQ(client.Call("ZRANGEBYSCORE z 2 inf LIMIT 2 -1"), Bulks({"d", "e"}));
  EXPECT_EQ(client.Call("ZRANGEBYSCORE z -inf inf LIMIT 0 0"), Array({}));
  EXPECT_EQ(client.Call("ZRANGEBYSCORE z -inf inf LIMIT -1 2"), Array({}));
  EXPECT_EQ(client.Call("ZRANGEBYSCORE z -inf inf LIMIT 5 2"), Array({}));
  EXPECT_EQ(client.Call("ZRANGEBYSCORE z -inf inf LIMIT 3 9223372036854775807"), Bulks({"d", "e"}));
  EXPECT_EQ(client.Call("ZRANGEBYSCORE z 2 3 WITHSCORES LIMIT 1 1"), Bulks({"c", "3"}));
}

TEST_F(EngineTest, RangeByLexAndItsLimit) {
  Client client = Connect();
  client.Call("ZADD z 0 a 0 b 0 c 0 d");
  EXPECT_EQ(client.Call("ZRANGEBYLEX z [b (d"), Bulks({"b", "c"}));
  EXPECT_EQ(client.Call("ZRANGE z - + BYLEX LIMIT 1 2"), Bulks({"b", "c"}));
  EXPECT_EQ(client.Call("ZREVRANGEBYLEX z + (b"), Bulks({"d", "c"}));
  EXPECT_EQ(client.Call("ZRANGE z + - BYLEX REV LIMIT 1 1"), Bulks({"c"}));
  EXPECT_EQ(client.Call("ZRANGEBYLEX z + -"), Array({}));
  EXPECT_EQ(client.Call("ZRANGEBYLEX z [ [b"), Bulks({"a", "b"}));
}

TEST_F(EngineTest, RangeOptionsThatDoNotGoTogetherAreNamed) {
  Client client = Connect();
  EXPECT_EQ(client.Call("ZRANGE z 0 1 LIMIT 0 1"),
            Err("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or "
                "BYLEX"));
  EXPECT_EQ(client.Call("ZRANGE z - + BYLEX WITHSCORES"),
            Err("ERR syntax error, WITHSCORES not supported in combination with BYLEX"));
  for (const char* line :
       {"ZRANGE z 0 1 REV REV", "ZRANGE z 0 1 BYSCORE BYLEX", "ZREVRANGE z 0 1 REV",
        "ZRANGEBYSCORE z 0 1 BYSCORE", "ZRANGEBYLEX z - + LIMIT 1", "ZRANGE z 0 1 nope",
        "ZRANGESTORE d z 0 1 WITHSCORES"}) {
    EXPECT_EQ(client.Call(line), Err("ERR syntax error")) << line;
  }
  EXPECT_EQ(client.Call("ZRANGEBYSCORE z 0 1 LIMIT a 1"),
            Err("ERR value is not an integer or out of range"));
  EXPECT_EQ(client.Call("ZRANGE z 0 a"), Err("ERR value is not an integer or out of range"));
}

TEST_F(EngineTest, RangesOfALargeSetAgreeWithTheSmallOnes) {
  Client client = Connect();
  for (int i = 0; i < 1000; ++i) {
    client.Call("ZADD z " + std::to_string(i) + " m" + std::to_string(i));
  }
  EXPECT_EQ(client.Call("ZRANGE z 500 502"), Bulks({"m500", "m501", "m502"}));
  EXPECT_EQ(client.Call("ZRANGE z 0 1 REV"), Bulks({"m999", "m998"}));
  EXPECT_EQ(client.Call("ZRANGEBYSCORE z (100 inf LIMIT 700 2"), Bulks({"m801", "m802"}));
  EXPECT_EQ(client.Call("ZREVRANGEBYSCORE z 900 100 LIMIT 800 5"), Bulks({"m100"}));
  EXPECT_EQ(client.Call("ZRANGE z -1 -1 WITHSCORES"), Bulks({"m999", "999"}));
}

TEST_F(EngineTest, ZRangeStoreStoresTheRangeAndLogsTheRequest) {
  Client client = Connect();
  client.Call("ZADD z 1 a 2 b 3 c 4 d");
  TakeLog();
  EXPECT_EQ(client.Call("ZRANGESTORE d z 1 2"), Int(2));
  EXPECT_EQ(client.Call("ZRANGE d 0 -1 WITHSCORES"), Bulks({"b", "2", "c", "3"}));
  EXPECT_EQ(client.Call("ZRANGESTORE d z 4 2 BYSCORE REV LIMIT 0 2"), Int(2));
  EXPECT_EQ(client.Call("ZRANGE d 0 -1"), Bulks({"c", "d"}));
  EXPECT_EQ(client.Call("ZRANGESTORE z z 0 0"), Int(1));
  EXPECT_EQ(client.Call("ZRANGE z 0 -1"), Bulks({"a"}));
  EXPECT_EQ(client.Call("ZRANGESTORE none z 5 6"), Int(0));
  EXPECT_EQ(TakeLog(), (Lines{"ZRANGESTORE d z 1 2", "ZRANGESTORE d z 4 2 BYSCORE REV LIMIT 0 2",
                              "ZRANGESTORE z z 0 0"}));
}

TEST_F(EngineTest, Case90_MembersAreBytes) {
  Client client = Connect();
  client.Call("ZADD x 0 value1 0 value2 0 value10 0 value3");
  EXPECT_EQ(client.Call("ZRANGEBYLEX x - [value3"),
            Bulks({"value1", "value10", "value2", "value3"}));
  client.Call("ZADD y 0 \"a\\xffb\"");
  EXPECT_EQ(client.Call("ZRANGEBYLEX y [a \"(b\\xff\""), Bulks({"a\xff"
                                                                "b"}));
  EXPECT_EQ(client.Call("ZRANGEBYLEX x bad +"), Err("ERR min or max not valid string range item"));
}

TEST_F(EngineTest, Case90_ZRangeStoreReplacesWhateverIsThere) {
  Client client = Connect();
  client.Call("ZADD k 1 a 2 b");
  EXPECT_EQ(client.Call("ZRANGESTORE dst k 5 9"), Int(0));
  EXPECT_FALSE(HasKey(*this, "dst"));
  client.Call("SET dst s EX 100");
  EXPECT_EQ(client.Call("ZRANGESTORE dst k 0 -1"), Int(2));
  EXPECT_EQ(client.Call("ZCARD dst"), Int(2));
  EXPECT_FALSE(engine->broker().store.database(0).Peek("dst").entry()->has_expiry());
  EXPECT_EQ(client.Call("ZRANGESTORE dst none 0 -1"), Int(0));
  EXPECT_FALSE(HasKey(*this, "dst"));
}

}  // namespace
}  // namespace rung::testing

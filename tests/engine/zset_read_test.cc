// What the questions about one sorted set answer: ZCARD ZSCORE ZMSCORE ZRANK ZREVRANK ZCOUNT
// ZLEXCOUNT, and ZREM with its range forms.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using Lines = std::vector<std::string>;

TEST_F(EngineTest, MissingSortedSetAnswersEveryQuestion) {
  Client client = Connect();
  EXPECT_EQ(client.Call("ZCARD z"), Int(0));
  EXPECT_EQ(client.Call("ZSCORE z a"), Nil());
  EXPECT_EQ(client.Call("ZMSCORE z a b"), Array({Nil(), Nil()}));
  EXPECT_EQ(client.Call("ZRANK z a"), Nil());
  EXPECT_EQ(client.Call("ZRANK z a WITHSCORE"), NullArray());
  EXPECT_EQ(client.Call("ZCOUNT z -inf +inf"), Int(0));
  EXPECT_EQ(client.Call("ZLEXCOUNT z - +"), Int(0));
  EXPECT_EQ(client.Call("ZREM z a"), Int(0));
  EXPECT_EQ(client.Call("ZREMRANGEBYRANK z 0 -1"), Int(0));
  EXPECT_EQ(client.Call("ZREMRANGEBYSCORE z -inf +inf"), Int(0));
  EXPECT_EQ(client.Call("ZREMRANGEBYLEX z - +"), Int(0));
  EXPECT_TRUE(TakeLog().empty());
}

TEST_F(EngineTest, StringIsNoSortedSetForAnyOfThem) {
  Client client = Connect();
  client.Call("SET s text");
  for (const char* line : {"ZCARD s",
                           "ZSCORE s a",
                           "ZMSCORE s a",
                           "ZRANK s a",
                           "ZREVRANK s a",
                           "ZCOUNT s 0 1",
                           "ZLEXCOUNT s - +",
                           "ZREM s a",
                           "ZREMRANGEBYRANK s 0 1",
                           "ZREMRANGEBYSCORE s 0 1",
                           "ZREMRANGEBYLEX s - +",
                           "ZRANGE s 0 1",
                           "ZPOPMIN s",
                           "ZMPOP 1 s MIN",
                           "BZPOPMAX s 0",
                           "BZMPOP 0 1 s MAX",
                           "ZUNION 1 s",
                           "ZINTERCARD 1 s",
                           "ZDIFFSTORE d 1 s",
                           "ZRANDMEMBER s",
                           "ZRANDMEMBER s 2",
                           "ZSCAN s 0",
                           "ZRANGESTORE d s 0 1"}) {
    EXPECT_EQ(client.Call(line),
              Err("WRONGTYPE Operation against a key holding the wrong kind of value"))
        << line;
  }
}

TEST_F(EngineTest, RanksAndScoresInBothProtocols) {
  Client client = Connect();
  client.Call("ZADD z 1 a 2.5 b 3 c");
  EXPECT_EQ(client.Call("ZCARD z"), Int(3));
  EXPECT_EQ(client.Call("ZSCORE z b"), Bulk("2.5"));
  EXPECT_EQ(client.Call("ZMSCORE z b nope a"), Array({Bulk("2.5"), Nil(), Bulk("1")}));
  EXPECT_EQ(client.Call("ZRANK z c"), Int(2));
  EXPECT_EQ(client.Call("ZREVRANK z c"), Int(0));
  EXPECT_EQ(client.Call("ZRANK z b WITHSCORE"), Array({Int(1), Bulk("2.5")}));
  EXPECT_EQ(client.Call("ZREVRANK z nope WITHSCORE"), NullArray());

  Client resp3 = ConnectResp3();
  EXPECT_EQ(resp3.Call("ZSCORE z b"), Double("2.5"));
  EXPECT_EQ(resp3.Call("ZMSCORE z b nope"), Array({Double("2.5"), Null3()}));
  EXPECT_EQ(resp3.Call("ZREVRANK z b WITHSCORE"), Array({Int(1), Double("2.5")}));
  EXPECT_EQ(resp3.Call("ZRANK z nope"), Null3());
  EXPECT_EQ(resp3.Call("ZRANK z nope WITHSCORE"), Null3());
}

TEST_F(EngineTest, RankTakesOneOptionOnly) {
  Client client = Connect();
  EXPECT_EQ(client.Call("ZRANK z a WITHSCORES"), Err("ERR syntax error"));
  EXPECT_EQ(client.Call("ZRANK z a WITHSCORE x"),
            Err("ERR wrong number of arguments for 'zrank' command"));
}

TEST_F(EngineTest, CountsWithinOpenAndClosedBounds) {
  Client client = Connect();
  client.Call("ZADD z 1 a 2 b 3 c 4 d");
  EXPECT_EQ(client.Call("ZCOUNT z 2 3"), Int(2));
  EXPECT_EQ(client.Call("ZCOUNT z (2 (4"), Int(1));
  EXPECT_EQ(client.Call("ZCOUNT z -inf (inf"), Int(4));
  EXPECT_EQ(client.Call("ZCOUNT z 3 2"), Int(0));
  EXPECT_EQ(client.Call("ZCOUNT z -1e400 1e400"), Int(4));
  client.Call("ZADD l 0 a 0 b 0 c 0 d");
  EXPECT_EQ(client.Call("ZLEXCOUNT l [b [c"), Int(2));
  EXPECT_EQ(client.Call("ZLEXCOUNT l (b +"), Int(2));
  EXPECT_EQ(client.Call("ZLEXCOUNT l - (a"), Int(0));
  EXPECT_EQ(client.Call("ZLEXCOUNT l + -"), Int(0));
}

TEST_F(EngineTest, BoundsThatCannotBeReadAreRefused) {
  Client client = Connect();
  for (const char* line : {"ZCOUNT z x 1", "ZCOUNT z 1 ((2", "ZCOUNT z nan 1", "ZCOUNT z 1x 2",
                           "ZREMRANGEBYSCORE z 1 y", "ZRANGEBYSCORE z [1 2"}) {
    EXPECT_EQ(client.Call(line), Err("ERR min or max is not a float")) << line;
  }
  for (const char* line : {"ZLEXCOUNT z a +", "ZLEXCOUNT z - b", "ZLEXCOUNT z -x +",
                           "ZREMRANGEBYLEX z \"\" +", "ZRANGEBYLEX z ++ +"}) {
    EXPECT_EQ(client.Call(line), Err("ERR min or max not valid string range item")) << line;
  }
  EXPECT_EQ(client.Call("ZREMRANGEBYRANK z a 1"),
            Err("ERR value is not an integer or out of range"));
}

TEST_F(EngineTest, RemovingAnswersHowManyWentAndLogsTheRequest) {
  Client client = Connect();
  client.Call("ZADD z 1 a 2 b 3 c 4 d 5 e 6 f");
  TakeLog();
  EXPECT_EQ(client.Call("ZREM z a nope a"), Int(1));
  EXPECT_EQ(client.Call("ZREM z nope"), Int(0));
  EXPECT_EQ(client.Call("ZREMRANGEBYSCORE z (2 3"), Int(1));
  EXPECT_EQ(client.Call("ZREMRANGEBYRANK z -1 -1"), Int(1));
  EXPECT_EQ(client.Call("ZREMRANGEBYRANK z 5 9"), Int(0));
  EXPECT_EQ(client.Call("ZRANGE z 0 -1"), Bulks({"b", "d", "e"}));
  EXPECT_EQ(client.Call("ZREMRANGEBYLEX z [a (e"), Int(2));
  EXPECT_EQ(TakeLog(), (Lines{"ZREM z a nope a", "ZREMRANGEBYSCORE z (2 3",
                              "ZREMRANGEBYRANK z -1 -1", "ZREMRANGEBYLEX z [a (e"}));
}

}  // namespace
}  // namespace rung::testing

// What ZADD and ZINCRBY promise, and how scores are printed.

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

TEST_F(EngineTest, ZAddCountsWhatIsNewAndWithChWhatMovedToo) {
  Client client = Connect();
  EXPECT_EQ(client.Call("ZADD z 1 a 2 b 3 c"), Int(3));
  EXPECT_EQ(client.Call("ZADD z 1 a 5 b 4 d"), Int(1));
  EXPECT_EQ(client.Call("ZADD z CH 1 a 6 b 5 e"), Int(2));
  EXPECT_EQ(client.Call("ZRANGE z 0 -1 WITHSCORES"),
            Bulks({"a", "1", "c", "3", "d", "4", "e", "5", "b", "6"}));
}

TEST_F(EngineTest, ZAddIsLoggedAsItWasAskedAndOnlyIfItChangedSomething) {
  Client client = Connect();
  client.Call("ZADD z NX CH 1 a 2 b");
  client.Call("ZADD z 1 a");
  client.Call("ZADD z NX 9 a");
  client.Call("ZADD none XX 9 a");
  client.Call("ZINCRBY z 0 a");
  client.Call("ZINCRBY z 0.5 a");
  client.Call("ZADD z INCR 1 a");
  EXPECT_EQ(TakeLog(), (Lines{"ZADD z NX CH 1 a 2 b", "ZINCRBY z 0.5 a", "ZADD z INCR 1 a"}));
}

TEST_F(EngineTest, ZAddTakesMorePairsThanItHoldsInline) {
  Client client = Connect();
  std::string line = "ZADD z";
  for (int i = 0; i < 40; ++i) line += " " + std::to_string(i) + " m" + std::to_string(i);
  EXPECT_EQ(client.Call(line), Int(40));
  EXPECT_EQ(client.Call("ZSCORE z m39"), Bulk("39"));
  EXPECT_EQ(client.Call("ZSCORE z m0"), Bulk("0"));
}

TEST_F(EngineTest, ZAddRefusesWhatCannotBeRead) {
  Client client = Connect();
  EXPECT_EQ(client.Call("ZADD z 1"), Err("ERR wrong number of arguments for 'zadd' command"));
  EXPECT_EQ(client.Call("ZADD z 1 a 2"), Err("ERR syntax error"));
  EXPECT_EQ(client.Call("ZADD z NX CH"), Err("ERR syntax error"));
  EXPECT_EQ(client.Call("ZADD z XX NX 1"), Err("ERR syntax error"));
  EXPECT_EQ(client.Call("ZADD z INCR 1 a 2 b"),
            Err("ERR INCR option supports a single increment-element pair"));
  EXPECT_EQ(client.Call("ZADD z 1 a x b"), Err("ERR value is not a valid float"));
  EXPECT_FALSE(HasKey(*this, "z"));
  client.Call("SET s text");
  const Reply wrong_type = Err("WRONGTYPE Operation against a key holding the wrong kind of value");
  EXPECT_EQ(client.Call("ZADD s 1 a"), wrong_type);
  EXPECT_EQ(client.Call("ZADD s XX 1 a"), wrong_type);
  EXPECT_EQ(client.Call("ZINCRBY s 1 a"), wrong_type);
}

TEST_F(EngineTest, IncrementsAnswerTheScoreAsTheProtocolHasIt) {
  Client client = Connect();
  EXPECT_EQ(client.Call("ZINCRBY z 2.5 a"), Bulk("2.5"));
  EXPECT_EQ(client.Call("ZADD z INCR -1 a"), Bulk("1.5"));
  Client resp3 = ConnectResp3();
  EXPECT_EQ(resp3.Call("ZINCRBY z 2.5 a"), Double("4"));
  EXPECT_EQ(resp3.Call("ZADD z INCR 1 a"), Double("5"));
  EXPECT_EQ(resp3.Call("ZADD z NX INCR 1 a"), Null3());
  EXPECT_EQ(resp3.Call("ZADD none XX INCR 1 a"), Null3());
}

TEST_F(EngineTest, OptionsGuardWhatMayChange) {
  Client client = Connect();
  client.Call("ZADD z 10 a");
  EXPECT_EQ(client.Call("ZADD z XX 20 a 1 b"), Int(0));
  EXPECT_EQ(client.Call("ZRANGE z 0 -1 WITHSCORES"), Bulks({"a", "20"}));
  EXPECT_EQ(client.Call("ZADD z NX 99 a 1 b"), Int(1));
  EXPECT_EQ(client.Call("ZRANGE z 0 -1 WITHSCORES"), Bulks({"b", "1", "a", "20"}));
  EXPECT_EQ(client.Call("ZADD z LT CH 5 a 5 b 5 c"), Int(2));
  EXPECT_EQ(client.Call("ZRANGE z 0 -1 WITHSCORES"), Bulks({"b", "1", "a", "5", "c", "5"}));
  EXPECT_EQ(client.Call("ZADD z XX GT CH 7 a 7 d"), Int(1));
  EXPECT_EQ(client.Call("ZSCORE z d"), Nil());
}

TEST_F(EngineTest, SmallFormFollowsItsOptionsAsTheyAreNow) {
  Client client = Connect();
  const auto is_small = [this](std::string_view key) {
    const Lookup found = engine->broker().store.database(0).Peek(key);
    return static_cast<const SortedSet*>(found.entry()->object())->IsSmall();
  };
  client.Call("ZADD z 1 a 2 b");
  EXPECT_TRUE(is_small("z"));
  const std::pair<std::string_view, std::string_view> lower[] = {{"zset-max-listpack-entries", "2"},
                                                                 {"zset-max-ziplist-value", "4"}};
  ASSERT_EQ(config.Set(lower, Config::Origin::kLocal, host), std::nullopt);
  engine->broker().ApplyOptions();
  client.Call("ZADD z 3 c");
  EXPECT_FALSE(is_small("z"));
  client.Call("ZADD short 1 four");
  EXPECT_TRUE(is_small("short"));
  client.Call("ZADD short 1 fives");
  EXPECT_FALSE(is_small("short"));
}

// Cases of sorted-set numbers, by their number.

TEST_F(EngineTest, Case01_ScoresAbove2To53TieAndFallIntoByteOrder) {
  Client client = Connect();
  EXPECT_EQ(client.Call("ZADD pq 9007199254740995 c 9007199254740996 b 9007199254740997 a"),
            Int(3));
  EXPECT_EQ(client.Call("ZRANGE pq 0 -1 WITHSCORES"),
            Bulks({"a", "9007199254740996", "b", "9007199254740996", "c", "9007199254740996"}));
}

TEST_F(EngineTest, Case02b_DueTimesPast2039ShareAScore) {
  Client client = Connect();
  EXPECT_EQ(client.Call("ZADD d 9007199254742000 a 9007199254742001 b"), Int(2));
  EXPECT_EQ(client.Call("ZRANGE d 0 -1 WITHSCORES"),
            Bulks({"a", "9007199254742000", "b", "9007199254742000"}));
}

TEST_F(EngineTest, Case42_ScoresPrintTheShortestTextThatReadsBackTheSame) {
  Client client = Connect();
  client.Call(
      "ZADD z 1.1 a 12345678901.25 b 1e300 c inf d -inf e 0x10 f 0.00001 g 1e-7 h 1e20 i 1e18 j");
  EXPECT_EQ(client.Call("ZMSCORE z a b c d e f g h i j"),
            Bulks({"1.1", "12345678901.25", "1e+300", "inf", "-inf", "16", "0.00001", "1e-7",
                   "1e+20", "1000000000000000000"}));
  for (const char* bad : {"nan", "1e400", "\" 1\"", "\"\""}) {
    EXPECT_EQ(client.Call("ZADD z " + std::string(bad) + " x"),
              Err("ERR value is not a valid float"))
        << bad;
  }
}

TEST_F(EngineTest, Case42_MinusZeroPrintsOneWayWhateverTheSize) {
  Client client = Connect();
  client.Call("ZADD small -0 m");
  for (int i = 0; i < 200; ++i) client.Call("ZADD large 1 m" + std::to_string(i));
  client.Call("ZADD large -0 m");
  EXPECT_EQ(client.Call("ZSCORE small m"), Bulk("0"));
  EXPECT_EQ(client.Call("ZSCORE large m"), Bulk("0"));
  EXPECT_EQ(client.Call("ZUNION 1 large WEIGHTS -1 WITHSCORES").elements.back(), Bulk("0"));
}

TEST_F(EngineTest, Case44_IncompatibleOptionsAreNamed) {
  Client client = Connect();
  EXPECT_EQ(client.Call("ZADD z LT GT 1 x"),
            Err("ERR GT, LT, and/or NX options at the same time are not compatible"));
  EXPECT_EQ(client.Call("ZADD z NX GT 1 x"),
            Err("ERR GT, LT, and/or NX options at the same time are not compatible"));
  EXPECT_EQ(client.Call("ZADD z NX XX 1 x"),
            Err("ERR XX and NX options at the same time are not compatible"));
  EXPECT_EQ(client.Call("ZADD z 1 a nan b"), Err("ERR value is not a valid float"));
  EXPECT_FALSE(HasKey(*this, "z"));
}

// The same for a member beside few others, one that is too long for the small form, and one of a
// set that is too large for it.
TEST_F(EngineTest, Case44_GtKeepsTheHigherScoreInEitherForm) {
  Client client = Connect();
  for (int i = 0; i < 200; ++i) client.Call("ZADD large 1 m" + std::to_string(i));
  const std::string long_member(45, 'x');
  for (const auto& [key, member] : std::vector<std::pair<std::string, std::string>>{
           {"z", "m"}, {"long", long_member}, {"large", "m"}}) {
    EXPECT_EQ(client.Call("ZADD " + key + " GT 10 " + member), Int(1));
    EXPECT_EQ(client.Call("ZADD " + key + " GT 3 " + member), Int(0));
    EXPECT_EQ(client.Call("ZADD " + key + " GT CH 3 " + member), Int(0));
    EXPECT_EQ(client.Call("ZSCORE " + key + " " + member), Bulk("10"));
  }
}

TEST_F(EngineTest, Case44_IncrementsThatARuleForbidsAnswerNil) {
  Client client = Connect();
  client.Call("ZADD z 10 m");
  EXPECT_EQ(client.Call("ZADD z GT INCR -5 m"), Nil());
  EXPECT_EQ(client.Call("ZADD z NX INCR 5 m"), Nil());
  EXPECT_EQ(client.Call("ZADD z XX CH 11 m 1 nope"), Int(1));
  EXPECT_EQ(client.Call("ZADD none XX 1 x"), Int(0));
  EXPECT_FALSE(HasKey(*this, "none"));
  client.Call("ZADD z inf q");
  EXPECT_EQ(client.Call("ZINCRBY z -inf q"), Err("ERR resulting score is not a number (NaN)"));
  EXPECT_EQ(client.Call("ZSCORE z q"), Bulk("inf"));
  EXPECT_EQ(client.Call("ZINCRBY z nan m"), Err("ERR value is not a valid float"));
}

}  // namespace
}  // namespace rung::testing

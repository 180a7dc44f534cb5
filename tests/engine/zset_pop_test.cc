// What the pops promise a worker: order, shape, what is logged, and that nobody waits in vain.

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

bool HasKey(EngineTest& test, std::string_view key) {
  return static_cast<bool>(test.engine->broker().store.database(0).Peek(key));
}

TEST_F(EngineTest, ZPopMinTakesTheLowestAndDropsTheEmptiedKey) {
  Client client = Connect();
  client.Call("ZADD jobs 20 slow 10 fast 30 late");
  TakeLog();
  EXPECT_EQ(client.Call("ZPOPMIN jobs"), Bulks({"fast", "10"}));
  EXPECT_EQ(client.Call("ZPOPMAX jobs 1"), Bulks({"late", "30"}));
  EXPECT_EQ(client.Call("ZPOPMIN jobs 5"), Bulks({"slow", "20"}));
  EXPECT_FALSE(HasKey(*this, "jobs"));
  EXPECT_EQ(TakeLog(), (Lines{"ZPOPMIN jobs", "ZPOPMAX jobs 1", "ZPOPMIN jobs 5"}));
}

TEST_F(EngineTest, PopsNestTheirPairsInResp3OnlyIfACountIsGiven) {
  Client client = ConnectResp3();
  client.Call("ZADD z 1 a 2 b 3 c");
  EXPECT_EQ(client.Call("ZPOPMIN z"), Array({Bulk("a"), Double("1")}));
  EXPECT_EQ(client.Call("ZPOPMAX z 1"), Array({Array({Bulk("c"), Double("3")})}));
  EXPECT_EQ(client.Call("ZPOPMIN none"), Array({}));
  EXPECT_EQ(client.Call("ZPOPMIN none 2"), Array({}));
}

TEST_F(EngineTest, PopsRefuseWhatCannotBeRead) {
  Client client = Connect();
  for (const char* line : {"ZPOPMIN z x", "ZPOPMAX z 1.5", "ZPOPMIN z 9223372036854775808"}) {
    EXPECT_EQ(client.Call(line), Err("ERR value is out of range, must be positive")) << line;
  }
  EXPECT_EQ(client.Call("ZPOPMIN z 1 2"), Err("ERR syntax error"));
}

TEST_F(EngineTest, Case92_PoppingNothingIsAnEmptyArrayAndChangesNothing) {
  Client client = Connect();
  EXPECT_EQ(client.Call("ZPOPMIN none"), Array({}));
  client.Call("ZADD z 1 a");
  TakeLog();
  EXPECT_EQ(client.Call("ZPOPMIN z 0"), Array({}));
  EXPECT_EQ(client.Call("ZPOPMIN z -1"), Err("ERR value is out of range, must be positive"));
  EXPECT_EQ(client.Call("ZCARD z"), Int(1));
  EXPECT_TRUE(TakeLog().empty());
}

TEST_F(EngineTest, Case92_TakingTheLastMemberFiresWatch) {
  for (const char* taking : {"ZPOPMIN z", "ZREM z a", "ZREMRANGEBYRANK z 0 0"}) {
    Client watching = Connect();
    Client other = Connect();
    other.Call("ZADD z 1 a");
    watching.Call("WATCH z");
    watching.Call("MULTI");
    watching.Call("ZADD z 9 b");
    other.Call(taking);
    EXPECT_FALSE(HasKey(*this, "z")) << taking;
    EXPECT_EQ(watching.Call("EXEC"), NullArray()) << taking;
  }
}

TEST_F(EngineTest, Case04_JobsPutBackWithOneScoreComeInByteOrder) {
  Client client = Connect();
  EXPECT_EQ(client.Call("ZADD pq 21474836480 9"), Int(1));
  EXPECT_EQ(client.Call("ZADD pq 21474836480 10"), Int(1));
  EXPECT_EQ(client.Call("ZPOPMIN pq"), Bulks({"10", "21474836480"}));
}

TEST_F(EngineTest, ZMPopTakesFromTheFirstKeyThatHasAny) {
  Client client = Connect();
  client.Call("ZADD b 1 x 2 y 3 z");
  TakeLog();
  EXPECT_EQ(client.Call("ZMPOP 2 a b MIN"), Array({Bulk("b"), Array({Bulks({"x", "1"})})}));
  EXPECT_EQ(client.Call("ZMPOP 2 a b MAX COUNT 9"),
            Array({Bulk("b"), Array({Bulks({"z", "3"}), Bulks({"y", "2"})})}));
  EXPECT_EQ(client.Call("ZMPOP 2 a b MIN"), NullArray());
  EXPECT_EQ(TakeLog(), (Lines{"ZPOPMIN b 1", "ZPOPMAX b 2"}));
  Client resp3 = ConnectResp3();
  resp3.Call("ZADD b 1 x");
  EXPECT_EQ(resp3.Call("ZMPOP 1 b MIN"),
            Array({Bulk("b"), Array({Array({Bulk("x"), Double("1")})})}));
  EXPECT_EQ(resp3.Call("ZMPOP 1 b MIN"), Null3());
}

TEST_F(EngineTest, ZMPopRefusesWhatCannotBeRead) {
  Client client = Connect();
  for (const char* line :
       {"ZMPOP 0 z MIN", "ZMPOP -1 z MIN", "ZMPOP x z MIN", "BZMPOP 1 0 z MIN"}) {
    EXPECT_EQ(client.Call(line), Err("ERR numkeys should be greater than 0")) << line;
  }
  for (const char* line :
       {"ZMPOP 1 z MID", "ZMPOP 2 z MIN", "ZMPOP 1 z MIN COUNT", "ZMPOP 1 z MIN COUNT 1 COUNT 2",
        "ZMPOP 9223372036854775807 z MIN", "ZMPOP 1 z MIN MAX"}) {
    EXPECT_EQ(client.Call(line), Err("ERR syntax error")) << line;
  }
  for (const char* line : {"ZMPOP 1 z MIN COUNT 0", "ZMPOP 1 z MIN COUNT x"}) {
    EXPECT_EQ(client.Call(line), Err("ERR count should be greater than 0")) << line;
  }
  EXPECT_EQ(client.Call("BZMPOP -1 1 z MIN"), Err("ERR timeout is negative"));
  EXPECT_EQ(client.Call("BZPOPMIN z x"), Err("ERR timeout is not a float or out of range"));
}

TEST_F(EngineTest, BlockingPopsAnswerAtOnceIfTheyCanAndLogWhatTheyTook) {
  Client client = Connect();
  client.Call("ZADD b 1 x 2 y 3 z");
  TakeLog();
  EXPECT_EQ(client.Call("BZPOPMIN a b 0"), Bulks({"b", "x", "1"}));
  EXPECT_EQ(client.Call("BZPOPMAX a b 0"), Bulks({"b", "z", "3"}));
  EXPECT_EQ(client.Call("BZMPOP 0 2 a b MIN COUNT 5"),
            Array({Bulk("b"), Array({Bulks({"y", "2"})})}));
  EXPECT_EQ(TakeLog(), (Lines{"ZPOPMIN b", "ZPOPMAX b", "ZPOPMIN b 1"}));
  Client resp3 = ConnectResp3();
  resp3.Call("ZADD b 1.5 x");
  EXPECT_EQ(resp3.Call("BZPOPMIN b 0"), Array({Bulk("b"), Bulk("x"), Double("1.5")}));
}

TEST_F(EngineTest, BZPopMinGivesUpAtItsDeadlineAndNotBefore) {
  Client worker = Connect();
  Client resp3 = ConnectResp3();
  worker.Send("BZPOPMIN jobs 1.5");
  resp3.Send("BZMPOP 1.5 1 jobs MAX");
  Advance(1499ms);
  EXPECT_EQ(worker.TryRead(), std::nullopt);
  Advance(1ms);
  EXPECT_EQ(worker.TryRead(), NullArray());
  EXPECT_EQ(resp3.TryRead(), Null3());
  EXPECT_TRUE(TakeLog().empty());
}

TEST_F(EngineTest, WaitersAreServedInOrderEachByTheKeyThatBecameReady) {
  Client first = Connect();
  Client second = Connect();
  Client third = Connect();
  Client producer = Connect();
  first.Send("BZPOPMAX a b 0");
  second.Send("BZMPOP 0 1 b MIN COUNT 2");
  third.Send("BZPOPMIN b 0");
  TakeLog();
  EXPECT_EQ(producer.Call("ZADD b 1 w 2 x 3 y"), Int(3));
  EXPECT_EQ(first.TryRead(), Bulks({"b", "y", "3"}));
  EXPECT_EQ(second.TryRead(), Array({Bulk("b"), Array({Bulks({"w", "1"}), Bulks({"x", "2"})})}));
  EXPECT_EQ(third.TryRead(), std::nullopt);
  EXPECT_EQ(TakeLog(), (Lines{"ZADD b 1 w 2 x 3 y", "ZPOPMAX b", "ZPOPMIN b 2"}));
  producer.Call("ZINCRBY b 5 z");
  EXPECT_EQ(third.TryRead(), Bulks({"b", "z", "5"}));
}

TEST_F(EngineTest, EveryWayToFillAKeyWakesItsWaiter) {
  Client producer = Connect();
  producer.Call("ZADD source 1 m");
  for (const char* filling :
       {"ZADD q 1 m", "ZADD q INCR 1 m", "ZINCRBY q 1 m", "ZUNIONSTORE q 1 source",
        "ZINTERSTORE q 1 source", "ZDIFFSTORE q 1 source", "ZRANGESTORE q source 0 -1"}) {
    Client worker = Connect();
    worker.Send("BZPOPMIN q 0");
    producer.Call(filling);
    EXPECT_EQ(worker.TryRead(), Bulks({"q", "m", "1"})) << filling;
  }
}

TEST_F(EngineTest, ATransactionWakesWaitersOnlyOnceItIsOver) {
  Client worker = Connect();
  Client producer = Connect();
  worker.Send("BZPOPMIN q 0");
  producer.Call("MULTI");
  producer.Call("ZADD q 5 late");
  producer.Call("ZADD q 1 early");
  EXPECT_EQ(worker.TryRead(), std::nullopt);
  producer.Call("EXEC");
  EXPECT_EQ(worker.TryRead(), Bulks({"q", "early", "1"}));
}

TEST_F(EngineTest, InsideATransactionNobodyWaits) {
  Client client = Connect();
  client.Call("MULTI");
  client.Call("BZPOPMIN q 0");
  client.Call("BZMPOP 0 1 q MAX");
  EXPECT_EQ(client.Call("EXEC"), Array({NullArray(), NullArray()}));
}

TEST_F(EngineTest, AKeyOfAnotherTypeDoesNotDisturbTheWait) {
  Client worker = Connect();
  Client producer = Connect();
  worker.Send("BZPOPMIN q 0");
  producer.Call("SET q text");
  EXPECT_EQ(worker.TryRead(), std::nullopt);
  producer.Call("GETDEL q");
  producer.Call("ZADD q 1 m");
  EXPECT_EQ(worker.TryRead(), Bulks({"q", "m", "1"}));
}

TEST_F(EngineTest, Case40_OneMarkerWakesOneWaiter) {
  Client a = Connect();
  Client b = Connect();
  Client c = Connect();
  a.Send("BZPOPMIN mk 0");
  b.Send("BZPOPMIN mk 0");
  EXPECT_EQ(c.Call("ZADD mk 0 0"), Int(1));
  EXPECT_EQ(a.TryRead(), Bulks({"mk", "0", "0"}));
  EXPECT_EQ(b.TryRead(), std::nullopt);
  b.Disconnect();
  EXPECT_EQ(c.Call("ZADD mk 0 0"), Int(1));
  EXPECT_EQ(c.Call("ZADD mk 0 0"), Int(0));
  EXPECT_EQ(c.Call("ZCARD mk"), Int(1));
}

}  // namespace
}  // namespace rung::testing

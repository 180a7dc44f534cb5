// What a blocked client is promised: order, precise time-outs, and that nothing is lost on the way.

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

TEST_F(EngineTest, Case20_FirstToWaitIsFirstServed) {
  Client a = Connect(), b = Connect(), c = Connect(), d = Connect();
  a.Send("BLPOP q 0");
  b.Send("BLPOP q 0");
  c.Send("BLPOP q 0");
  EXPECT_EQ(d.Call("RPUSH q a b"), Int(2));
  EXPECT_EQ(a.TryRead(), Bulks({"q", "a"}));
  EXPECT_EQ(b.TryRead(), Bulks({"q", "b"}));
  EXPECT_EQ(c.TryRead(), std::nullopt);
  EXPECT_EQ(TakeLog(), (Lines{"RPUSH q a b", "LPOP q", "LPOP q"}));
}

TEST_F(EngineTest, Case22_PushInsideMultiWakesAfterExec) {
  std::vector<Client> waiters;
  for (int i = 0; i < 20; ++i) {
    waiters.push_back(Connect());
    waiters.back().Send("BRPOPLPUSH w act 5");
  }
  Client b = Connect();
  b.Call("MULTI");
  for (int i = 0; i < 20; ++i) b.Call("LPUSH w j" + std::to_string(i));
  EXPECT_EQ(waiters[0].TryRead(), std::nullopt);
  b.Call("EXEC");
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(waiters[static_cast<std::size_t>(i)].TryRead(), Bulk("j" + std::to_string(i)));
  }
}

TEST_F(EngineTest, Case24_ChainedMovesRunBeforeThePushersNextCommand) {
  Client a = Connect(), b = Connect(), c = Connect();
  a.Send("BLMOVE src dst LEFT RIGHT 0");
  b.Send("BLMOVE dst src RIGHT LEFT 0");
  c.SendRaw(EncodeRequest({"SET", "k", "1"}) + EncodeRequest({"LPUSH", "src", "e"}) +
            EncodeRequest({"LLEN", "src"}));
  EXPECT_EQ(c.Read(), Ok());
  EXPECT_EQ(c.Read(), Int(1));
  EXPECT_EQ(c.Read(), Int(1));
  EXPECT_EQ(a.TryRead(), Bulk("e"));
  EXPECT_EQ(b.TryRead(), Bulk("e"));
}

TEST_F(EngineTest, Case28_TimeoutIsNotProlongedByKeysThatComeAndGo) {
  Client a = Connect(), b = Connect();
  a.Send("BLPOP b 1");
  for (int i = 0; i < 3; ++i) {
    Advance(250ms);
    b.Call("MULTI");
    b.Call("RPUSH b x");
    b.Call("DEL b");
    b.Call("EXEC");
  }
  Advance(249ms);
  EXPECT_EQ(a.TryRead(), std::nullopt);
  Advance(1ms);
  EXPECT_EQ(a.TryRead(), NullArray());
}

TEST_F(EngineTest, Case34_ServedByTheWaitersOwnOrderOfKeys) {
  Client a = Connect(), b = Connect();
  a.Send("BLPOP k1 k2 0");
  b.Call("MULTI");
  b.Call("RPUSH k2 1");
  b.Call("RPUSH k1 5");
  b.Call("EXEC");
  EXPECT_EQ(a.TryRead(), Bulks({"k1", "5"}));
}

TEST_F(EngineTest, Case36_WrongTargetFailsTheWaiterAndLosesNothing) {
  Client a = Connect(), b = Connect();
  b.Call("SET tgt s");
  a.Send("BRPOPLPUSH bl tgt 0");
  EXPECT_EQ(b.Call("RPUSH bl foo"), Int(1));
  EXPECT_EQ(a.TryRead(), Err("WRONGTYPE Operation against a key holding the wrong kind of value"));
  EXPECT_EQ(b.Call("LRANGE bl 0 -1"), Bulks({"foo"}));
  b.Call("DEL bl");
  a.Send("BRPOPLPUSH bl tgt 0.1");
  Advance(100ms);
  EXPECT_EQ(a.TryRead(), NullArray());
  EXPECT_EQ(a.Call("PING"), Status("PONG"));
}

TEST_F(EngineTest, OneMillisecondIsOneMillisecond) {
  Client a = Connect();
  a.Send("BLPOP q 0.001");
  Advance(999us);
  EXPECT_EQ(a.TryRead(), std::nullopt);
  Advance(1us);
  EXPECT_EQ(a.TryRead(), NullArray());
}

TEST_F(EngineTest, RepliesKeepTheirOrderBehindABlockingCommand) {
  Client a = Connect(), b = Connect();
  a.SendRaw(EncodeRequest({"BLPOP", "q", "0"}) + EncodeRequest({"PING"}) +
            EncodeRequest({"ECHO", "x"}));
  EXPECT_EQ(a.TryRead(), std::nullopt);
  b.Call("RPUSH q e");
  EXPECT_EQ(a.TryRead(), Bulks({"q", "e"}));
  EXPECT_EQ(a.TryRead(), Status("PONG"));
  EXPECT_EQ(a.TryRead(), Bulk("x"));
}

TEST_F(EngineTest, WaiterWhoseSocketDiedEatsNothing) {
  Client a = Connect(), b = Connect(), c = Connect();
  a.Send("BLPOP q 0");
  c.Send("BLPOP q 0");
  a.Disconnect();
  b.Call("RPUSH q e");
  EXPECT_EQ(c.TryRead(), Bulks({"q", "e"}));
}

TEST_F(EngineTest, EveryWayAKeyCanBecomeReadyWakes) {
  Client pusher = Connect();
  struct Way {
    const char* prepare;
    const char* act;
  };
  for (const Way& way :
       {Way{"RPUSH other e", "RENAME other q"}, Way{"RPUSH other e", "COPY other q"},
        Way{"RPUSH other e", "LMOVE other q LEFT LEFT"}, Way{"PING", "RPUSH q e"}}) {
    pusher.Call("FLUSHALL");
    Client waiter = Connect();
    waiter.Send("BLPOP q 0");
    pusher.Call(way.prepare);
    pusher.Call(way.act);
    EXPECT_EQ(waiter.TryRead(), Bulks({"q", "e"})) << way.act;
    pusher.Call("DEL q other");
  }
}

TEST_F(EngineTest, BlockingInsideMultiAnswersAtOnce) {
  Client a = Connect();
  a.Call("MULTI");
  a.Call("BLPOP q 0");
  a.Call("BLMOVE q r LEFT LEFT 0");
  EXPECT_EQ(a.Call("EXEC"), Array({NullArray(), Nil()}));
}

TEST_F(EngineTest, BadTimeoutsAreRefused) {
  Client a = Connect();
  EXPECT_EQ(a.Call("BLPOP q -1"), Err("ERR timeout is negative"));
  EXPECT_EQ(a.Call("BLPOP q x"), Err("ERR timeout is not a float or out of range"));
  EXPECT_EQ(a.Call("BLPOP q 0x7FFFFFFFFFFFFF"), Err("ERR timeout is out of range"));
}

TEST_F(EngineTest, Case30_TenThousandWaitersTimeOutEachInItsMoment) {
  std::vector<Client> waiters;
  for (int i = 0; i < 10000; ++i) {
    waiters.push_back(Connect());
    waiters.back().Send("BRPOP q:" + std::to_string(i) + " 2");
  }
  Advance(2s - 1ns);
  EXPECT_EQ(engine->broker().waiters.blocked_count(), 10000u);
  Advance(1ns);
  EXPECT_EQ(engine->broker().waiters.blocked_count(), 0u);
  EXPECT_EQ(waiters[9999].TryRead(), NullArray());
}

}  // namespace
}  // namespace rung::testing

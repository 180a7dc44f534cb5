// What a queue admits and gives out: LEN, BYTES and their policies, CONC and RATE.

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kit/engine_test.h"
#include "kit/queue_reply.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

class QueueLimitsTest : public EngineTest {
 protected:
  std::string Next(Client& client) {
    const Reply taken = client.Call("Q.TAKE q");
    return taken.elements.empty() ? "-" : BodiesOf(taken)[0];
  }
};

TEST_F(QueueLimitsTest, AFullQueueSaysHowFull) {
  Client a = Connect();
  a.Call("Q.CONF q LEN 2");
  EXPECT_EQ(a.Call("Q.ADD q a MORE 2 b c"), Err("QFULL queue len=0/2"));
  a.Call("Q.ADD q a MORE 1 b");
  Advance(5ms);
  EXPECT_EQ(a.Call("Q.ADD q c"), Err("QFULL queue len=2/2 oldest=5"));
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q"), "headroom"), Int(0));
  EXPECT_EQ(Next(a), "a");
  EXPECT_EQ(a.Call("Q.ADD q c"), Int(3));
  // What comes back from a lease is never refused.
  EXPECT_EQ(a.Call("Q.NACK q 1-1 FREE"), Status("ready"));
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q"), "ready"), Int(3));
}

TEST_F(QueueLimitsTest, BytesCountNamesAndBodies) {
  Client a = Connect();
  a.Call("Q.CONF q BYTES 10");
  EXPECT_EQ(a.Call("Q.ADD q 12345 NAME name"), Int(1));
  EXPECT_EQ(a.Call("Q.ADD q 12"), Err("QFULL queue bytes=9/10 oldest=0"));
  EXPECT_EQ(a.Call("Q.ADD q 1"), Int(2));
}

TEST_F(QueueLimitsTest, ATiersLimitIsItsOwn) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high,low");
  EXPECT_EQ(a.Call("Q.CONF q TIER low LEN 1"), Ok());
  a.Call("Q.ADD q x PRIO low");
  EXPECT_EQ(a.Call("Q.ADD q y PRIO low"), Err("QFULL tier=low len=1/1 oldest=0"));
  EXPECT_EQ(a.Call("Q.ADD q y PRIO high"), Int(2));
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q TIER low"), "headroom"), Int(0));
  EXPECT_EQ(a.Call("Q.CONF q TIER low FULL shed"),
            Err("ERR invalid value 'shed' for setting 'FULL'"));
}

TEST_F(QueueLimitsTest, TheOldestMakesRoom) {
  Client a = Connect();
  a.Call("Q.CONF q LEN 3 FULL oldest");
  a.Call("Q.ADD q a MORE 2 b c");
  EXPECT_EQ(a.Call("Q.ADD q d MORE 1 e"), Array({Int(4), Int(5)}));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 1"), "reason"), Bulk("overflow"));
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q COUNT 9")), (Texts{"c", "d", "e"}));
  a.Call("Q.ADD q z PRIO 1 MORE 2 z z");
  // Only those of its own tier: there are none.
  EXPECT_EQ(a.Call("Q.ADD q y PRIO 2"), Err("QFULL queue len=3/3"));
}

TEST_F(QueueLimitsTest, ShedsFromTheUnimportantEnd) {
  Client a = Connect();
  a.Call("Q.CONF q LEN 3 FULL shed");
  a.Call("Q.ADD q a PRIO 9 MORE 1 b");
  a.Call("Q.ADD q c PRIO 5");
  EXPECT_EQ(a.Call("Q.ADD q urgent PRIO 1"), Int(4));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 2"), "reason"), Bulk("shed"));
  EXPECT_EQ(a.Call("Q.ADD q d PRIO 9"), Err("QFULL queue len=3/3 oldest=0"));
  EXPECT_EQ(a.Call("Q.ADD q d PRIO 5"), Int(5));
  EXPECT_EQ(a.Call("Q.ADD q e PRIO 5"), Err("QFULL queue len=3/3 oldest=0"));
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q COUNT 9")), (Texts{"urgent", "c", "d"}));
}

TEST_F(QueueLimitsTest, ProducersWaitForRoomInTheirOrder) {
  Client a = Connect(), b = Connect(), c = Connect(), d = Connect();
  a.Call("Q.CONF q LEN 1 FULL block");
  a.Call("Q.ADD q x");
  EXPECT_EQ(a.Call("Q.ADD q y"), Err("QFULL queue len=1/1 oldest=0"));
  b.Send("Q.ADD q y BLOCK 0");
  c.Send("Q.ADD q z BLOCK 100");
  d.Send("Q.ADD q v BLOCK 0");
  EXPECT_EQ(b.TryRead(), std::nullopt);
  EXPECT_EQ(Next(a), "x");
  EXPECT_EQ(b.TryRead(), Int(2));
  EXPECT_EQ(c.TryRead(), std::nullopt);
  Advance(100ms);
  EXPECT_EQ(c.TryRead(), Err("QFULL queue len=1/1 oldest=100"));
  a.Call("Q.CANCEL q 2");
  EXPECT_EQ(d.TryRead(), Int(3));
  EXPECT_EQ(a.Call("Q.ADD q w BLOCK 0 MORE 1 w"), Err("QFULL queue len=1/1 oldest=0"));
  a.Call("MULTI");
  a.Call("Q.ADD q w BLOCK 0");
  EXPECT_EQ(a.Call("EXEC"), Array({Err("QFULL queue len=1/1 oldest=0")}));
}

TEST_F(QueueLimitsTest, NobodyOvertakesAProducerThatWantsMore) {
  Client a = Connect(), b = Connect(), c = Connect(), d = Connect(), e = Connect();
  a.Call("Q.CONF q LEN 3 FULL block");
  a.Call("Q.CONF q TIER 7 LEN 1 FULL block");
  a.Call("Q.ADD q x MORE 2 x x");
  b.Send("Q.ADD q two BLOCK 100 MORE 1 two");
  c.Send("Q.ADD q one BLOCK 0");
  Next(a);
  EXPECT_EQ(b.TryRead(), std::nullopt);
  EXPECT_EQ(c.TryRead(), std::nullopt);
  d.Send("Q.ADD q late BLOCK 0");
  EXPECT_EQ(d.TryRead(), std::nullopt);
  // Who does not wait takes what room there is.
  EXPECT_EQ(e.Call("Q.ADD q at-once"), Int(4));
  Next(a);
  EXPECT_EQ(b.TryRead(), std::nullopt);
  // The first one gives up: those behind it have room.
  Advance(100ms);
  EXPECT_EQ(b.TryRead(), Err("QFULL queue len=2/3 oldest=100"));
  EXPECT_EQ(c.TryRead(), Int(5));
  EXPECT_EQ(d.TryRead(), std::nullopt);
  e.Send("Q.ADD q last BLOCK 0");
  d.Disconnect();
  Next(a);
  EXPECT_EQ(e.TryRead(), Int(6));
}

// A tier's room is another line than the queue's; who goes over to it keeps the place of its
// arrival.
TEST_F(QueueLimitsTest, AProducerThatWaitsForAnotherLimitKeepsItsPlace) {
  Client a = Connect(), first = Connect(), second = Connect();
  a.Call("Q.CONF q LEN 2 FULL block");
  a.Call("Q.CONF q TIER 1 LEN 1 FULL block");
  a.Call("Q.ADD q x PRIO 1");
  a.Call("Q.ADD q y PRIO 2");
  first.Send("Q.ADD q first PRIO 1 BLOCK 0");    // Its tier is full.
  second.Send("Q.ADD q second PRIO 2 BLOCK 0");  // The queue is.
  a.Call("Q.PRIO q 1 2");
  EXPECT_EQ(first.TryRead(), std::nullopt);
  EXPECT_EQ(second.TryRead(), std::nullopt);
  Next(a);
  EXPECT_EQ(first.TryRead(), Int(3));
  EXPECT_EQ(second.TryRead(), std::nullopt);
  Next(a);
  EXPECT_EQ(second.TryRead(), Int(4));
}

// Not by the time it takes: by how many commands are run again.
TEST_F(QueueLimitsTest, OneThatIsServedWakesNoneBehindIt) {
  Client a = Connect();
  a.Call("Q.CONF q LEN 1 FULL block");
  a.Call("Q.ADD q x");
  std::vector<Client> producers, readers;
  for (int i = 0; i < 100; ++i) {
    producers.push_back(Connect());
    producers.back().Send("Q.ADD q y BLOCK 0");
  }
  for (int i = 0; i < 100; ++i) {
    readers.push_back(Connect());
    readers.back().Send("Q.GET q 1 BLOCK 0");
  }
  const Reply taken = a.Call("Q.TAKE q");
  EXPECT_EQ(engine->broker().waiters.blocked_count(), 199u);
  EXPECT_EQ(producers[0].TryRead(), Int(2));
  a.Call("Q.CANCEL q 2");
  EXPECT_EQ(producers[1].TryRead(), Int(3));
  EXPECT_EQ(engine->broker().waiters.blocked_count(), 198u);
  a.Call("Q.ACK q " + taken.elements[0].elements[1].text);
  EXPECT_EQ(engine->broker().waiters.blocked_count(), 98u);
  for (Client& reader : readers) EXPECT_EQ(reader.TryRead(), NullArray());
}

// Each of these ends a job otherwise than by its worker.
TEST_F(QueueLimitsTest, WhoWaitsForAResultHearsOfEveryEnd) {
  for (const std::string end :
       {"Q.CANCEL q 2", "Q.NACK q RECEIPT DEAD", "DEL q", "RENAME other q", "SWAPDB 0 1",
        "FLUSHALL", "COPY other q REPLACE",
        "EVAL \"redis.call('DEL', KEYS[1]) redis.call('Q.ADD', KEYS[1], 'z')\" 1 q"}) {
    Client a = Connect(), waiting = Connect(), bystander = Connect();
    a.Call("FLUSHALL");
    a.Call("Q.ADD other z");
    a.Call("Q.ADD q other");
    a.Call("Q.ADD q x");
    bystander.Send("Q.GET q 1 BLOCK 0");
    waiting.Send("Q.GET q 2 BLOCK 0");
    EXPECT_EQ(waiting.TryRead(), std::nullopt) << end;
    std::string command = end;
    if (const auto at = command.find("RECEIPT"); at != std::string::npos) {
      Next(a);
      command.replace(at, 7, a.Call("Q.TAKE q").elements[0].elements[1].text);
    }
    a.Call(command);
    EXPECT_NE(waiting.TryRead(), std::nullopt) << end;
    if (end.starts_with("Q.")) {
      EXPECT_EQ(bystander.TryRead(), std::nullopt) << end;
    }
  }
}

TEST_F(QueueLimitsTest, TheDeadComeBackWhereThereIsRoom) {
  Client a = Connect();
  a.Call("Q.ADD q a MORE 2 b c");
  a.Call("Q.TAKE q COUNT 3");
  for (const char* receipt : {"1-1", "2-2", "3-3"}) {
    a.Call(std::string("Q.NACK q ") + receipt + " DEAD");
  }
  a.Call("Q.CONF q LEN 2 FULL oldest");
  EXPECT_EQ(a.Call("Q.REDRIVE q"), Int(2));
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q"), "dead"), Int(1));
}

TEST_F(QueueLimitsTest, SoManyLeasesAtOnce) {
  Client a = Connect(), b = Connect();
  a.Call("Q.CONF q CONC 3");
  a.Call("Q.CONF q TIER 1 CONC 1");
  a.Call("Q.ADD q one PRIO 1 MORE 1 one");
  a.Call("Q.ADD q two PRIO 2 MORE 3 two two two");
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q NEXT 9"), "next").elements.size(), 3u);
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q COUNT 9")), (Texts{"one", "two", "two"}));
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q 2"), "next"), Bulk("no: conc"));
  b.Send("Q.TAKE q BLOCK 0");
  EXPECT_EQ(b.TryRead(), std::nullopt);
  a.Call("Q.ACK q 3-2");
  EXPECT_EQ(BodiesOf(*b.TryRead()), (Texts{"two"}));
  a.Call("Q.ACK q 1-1");
  EXPECT_EQ(Next(a), "one");
}

TEST_F(QueueLimitsTest, SoManyTakesInSoLong) {
  Client a = Connect(), b = Connect();
  a.Call("Q.CONF q RATE 2/1000");
  a.Call("Q.ADD q a MORE 4 b c d e");
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q NEXT 9"), "next").elements.size(), 2u);
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q COUNT 9")), (Texts{"a", "b"}));
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q 3"), "next"),
            Bulk("no: rate: free at " + std::to_string(FakeClock::kStartMs + 500)));
  b.Send("Q.TAKE q BLOCK 0");
  Advance(499ms);
  EXPECT_EQ(b.TryRead(), std::nullopt);
  Advance(1ms);
  EXPECT_EQ(BodiesOf(*b.TryRead()), (Texts{"c"}));
  EXPECT_EQ(a.Call("Q.CONF q RATE 0"), Ok());
  EXPECT_EQ(Next(a), "d");
  EXPECT_EQ(a.Call("Q.CONF q RATE 5"), Err("ERR invalid value '5' for setting 'RATE'"));
}

TEST_F(QueueLimitsTest, ALimitedTierHoldsUpNoOther) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high:3,low:1 MODE weighted");
  a.Call("Q.CONF q TIER high RATE 1/1000");
  a.Call("Q.ADD q high PRIO high MORE 4 high high high high");
  a.Call("Q.ADD q low PRIO low MORE 4 low low low low");
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q COUNT 4")), (Texts{"high", "low", "low", "low"}));
  Advance(1s);
  EXPECT_EQ(Next(a), "high");
}

TEST_F(QueueLimitsTest, PublishesWhatItIsAskedFor) {
  Client a = Connect();
  Client listener = ConnectResp3();
  listener.Call("SUBSCRIBE __queue@0__:q");
  EXPECT_EQ(a.Call("Q.CONF q EVENTS add,take,dead,due TRIES 1"), Ok());
  EXPECT_EQ(FieldOf(a.Call("Q.CONF q"), "events"), Bulk("add,due,take,dead"));
  a.Call("Q.ADD q j PRIO 7 DELAY 5");
  Advance(5ms);
  a.Call("Q.NACK q " + ReceiptOf(a.Call("Q.TAKE q WORKER w1")) + " ERR oops");
  for (const char* message : {"add 1 7 delayed", "due 1 7", "take 1 7 w1", "dead 1 7 failures"}) {
    EXPECT_EQ(listener.TryRead(), Push({Bulk("message"), Bulk("__queue@0__:q"), Bulk(message)}));
  }
  EXPECT_EQ(listener.TryRead(), std::nullopt);
  EXPECT_EQ(a.Call("Q.CONF q EVENTS everything"),
            Err("ERR invalid value 'everything' for setting 'EVENTS'"));
}

}  // namespace
}  // namespace rung::testing

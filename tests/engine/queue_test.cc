// The core of a queue: adding, taking, finishing, failing, and what time does to jobs.

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
using Lines = std::vector<std::string>;
using Texts = std::vector<std::string>;

Reply Entry(std::string_view key, std::string_view receipt, std::string_view body) {
  return Bulks({key, receipt, body});
}

class QueueTest : public EngineTest {
 protected:
  // The body of the next job, taken and left leased; "-" if there is none.
  std::string Next(Client& client, const std::string& options = "") {
    const Reply taken = client.Call("Q.TAKE q " + options);
    return taken.elements.empty() ? "-" : BodiesOf(taken)[0];
  }
  std::string State(Client& client, const std::string& id) {
    return FieldOf(client.Call("Q.GET q " + id), "state").text;
  }
};

TEST_F(QueueTest, TakesByTierThenByArrival) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.ADD q low PRIO 200"), Int(1));
  EXPECT_EQ(a.Call("Q.ADD q first PRIO 7"), Int(2));
  EXPECT_EQ(a.Call("Q.ADD q second PRIO 7"), Int(3));
  EXPECT_EQ(a.Call("Q.ADD q usual"), Int(4));
  EXPECT_EQ(a.Call("Q.TAKE q"), Array({Entry("q", "2-1", "first")}));
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q COUNT 10")), (Texts{"second", "usual", "low"}));
  EXPECT_EQ(a.Call("Q.TAKE q"), NullArray());
  EXPECT_EQ(a.Call("Q.TAKE nothing"), NullArray());
  EXPECT_EQ(ConnectResp3().Call("Q.TAKE q"), Null3());
}

TEST_F(QueueTest, AFinishedJobIsGoneAndItsReceiptStale) {
  Client a = Connect();
  a.Call("Q.ADD q j");
  EXPECT_EQ(ReceiptOf(a.Call("Q.TAKE q")), "1-1");
  EXPECT_EQ(a.Call("Q.ACK q 1-2"), Err("QSTALE receipt=1-2"));
  EXPECT_EQ(a.Call("Q.ACK q 1-1"), Ok());
  EXPECT_EQ(a.Call("Q.ACK q 1-1"), Err("QSTALE receipt=1-1"));
  EXPECT_EQ(a.Call("Q.GET q 1"), NullArray());
  EXPECT_EQ(a.Call("Q.ACK missing 1-1"), Err("QSTALE receipt=1-1"));
  EXPECT_EQ(a.Call("EXISTS q"), Int(1));
}

TEST_F(QueueTest, SeveralReceiptsAreAnsweredOneByOne) {
  Client a = Connect();
  a.Call("Q.ADD q a MORE 2 b c");
  a.Call("Q.TAKE q COUNT 3");
  EXPECT_EQ(a.Call("Q.EXTEND q 1-1 9-9 2-2"), Array({Int(30000), Int(0), Int(30000)}));
  EXPECT_EQ(a.Call("Q.ACK q 1-1 9-9 2-2"), Array({Int(1), Int(0), Int(1)}));
  EXPECT_EQ(a.Call("Q.ACK q 1-1 3-3 RESULT r"), Err("ERR RESULT goes with one receipt only"));
  EXPECT_EQ(a.Call("Q.ACK q 3-3"), Ok());
}

TEST_F(QueueTest, BadArgumentsChangeNothing) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.ADD q j PRIO 2097152"), Err("QTIER tier=2097152 is not of 0-2097151"));
  EXPECT_EQ(a.Call("Q.ADD q j PRIO x"), Err("QTIER tier=x is not of 0-2097151"));
  EXPECT_EQ(a.Call("Q.ADD q j DELAY 1 AT 2"), Err("ERR DELAY and AT exclude each other"));
  EXPECT_EQ(a.Call("Q.ADD q j DELAY -1"), Err("ERR value is out of range"));
  EXPECT_EQ(a.Call("Q.ADD q j NAME n MORE 1 k"), Err("ERR MORE and NAME exclude each other"));
  EXPECT_EQ(a.Call("Q.ADD q j MORE 2 k"), Err("ERR syntax error"));
  EXPECT_EQ(a.Call("Q.ADD q j GROUP"), Err("ERR syntax error"));
  EXPECT_EQ(a.Call("Q.TAKE q TIERS"), Err("ERR syntax error"));
  EXPECT_EQ(a.Call("Q.ACK q x"), Err("ERR invalid receipt: it is what Q.TAKE gave, such as 42-7"));
  EXPECT_EQ(a.Call("EXISTS q"), Int(0));
  a.Call("SET s v");
  for (const char* request :
       {"Q.ADD s j", "Q.TAKE s", "Q.ACK s 1-1", "Q.NACK s 1-1", "Q.EXTEND s 1-1", "Q.GET s 1",
        "Q.LIST s ready", "Q.STATS s", "Q.CONF s", "Q.PAUSE s", "Q.CANCEL s 1", "Q.REDRIVE s"}) {
    EXPECT_EQ(a.Call(request),
              Err("WRONGTYPE Operation against a key holding the wrong kind of value"))
        << request;
  }
}

TEST_F(QueueTest, BlockedTakersAreServedInTheirOrder) {
  Client a = Connect(), b = Connect(), c = Connect(), d = Connect();
  a.Send("Q.TAKE q BLOCK 0");
  b.Send("Q.TAKE other BLOCK 0 ALSO 1 q");
  c.Send("Q.TAKE q BLOCK 1000 TIERS 0-5");
  EXPECT_EQ(d.Call("Q.ADD q x PRIO 9"), Int(1));
  EXPECT_EQ(a.TryRead(), Array({Entry("q", "1-1", "x")}));
  d.Call("Q.ADD q y PRIO 4");
  EXPECT_EQ(b.TryRead(), Array({Entry("q", "2-2", "y")}));
  d.Call("Q.ADD q z PRIO 9");
  EXPECT_EQ(c.TryRead(), std::nullopt);
  d.Call("Q.ADD q v PRIO 5");
  EXPECT_EQ(c.TryRead(), Array({Entry("q", "4-3", "v")}));
  c.Send("Q.TAKE q BLOCK 1000 TIERS 0-5");
  Advance(1s);
  EXPECT_EQ(c.TryRead(), NullArray());
}

TEST_F(QueueTest, EveryWayAJobBecomesReadyWakes) {
  Client a = Connect(), b = Connect();
  const auto wakes = [&](const std::string& request, std::chrono::milliseconds wait) {
    a.Send("Q.TAKE q BLOCK 0");
    EXPECT_EQ(a.TryRead(), std::nullopt) << request;
    b.Call(request);
    Advance(wait);
    const std::optional<Reply> taken = a.TryRead();
    EXPECT_TRUE(taken && taken->elements.size() == 1) << request;
    return taken ? ReceiptOf(*taken) : std::string();
  };
  std::string receipt = wakes("Q.ADD q x DELAY 50", 50ms);
  receipt = wakes("Q.NACK q " + receipt + " FREE", 0ms);
  receipt = wakes("Q.NACK q " + receipt + " DELAY 20", 20ms);
  receipt = wakes("PING", 32s);  // Its lease ends: the second failure rests for a second or so.
  EXPECT_EQ(receipt, "1-4");
  b.Call("Q.NACK q " + receipt + " DEAD");
  receipt = wakes("Q.REDRIVE q", 0ms);
  b.Call("Q.ACK q " + receipt);
  b.Call("Q.PAUSE q");
  b.Call("Q.ADD q y");
  receipt = wakes("Q.RESUME q", 0ms);
  b.Call("Q.PAUSE q FOR 10");
  b.Call("Q.ADD q z");
  wakes("PING", 10ms);
}

TEST_F(QueueTest, RedeliveryKeepsItsPlace) {
  Client a = Connect();
  a.Call("Q.ADD q a MORE 2 b c");
  const std::string first = ReceiptOf(a.Call("Q.TAKE q"));
  EXPECT_EQ(Next(a), "b");
  EXPECT_EQ(a.Call("Q.NACK q " + first + " FREE"), Status("ready"));
  EXPECT_EQ(Next(a), "a");
  Advance(30s);  // Both leases end at once: back to their places, before c.
  EXPECT_EQ(Next(a), "a");
  EXPECT_EQ(Next(a), "b");
  EXPECT_EQ(Next(a), "c");
}

TEST_F(QueueTest, FailuresRestLongerAndThenKill) {
  Client a = Connect();
  a.Call("Q.CONF q TRIES 3 BACKOFF 100,1000 JITTER 0");
  a.Call("Q.ADD q j");
  EXPECT_EQ(a.Call("Q.NACK q " + ReceiptOf(a.Call("Q.TAKE q")) + " ERR oops"), Status("delayed"));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 1"), "error"), Bulk("oops"));
  Advance(99ms);
  EXPECT_EQ(Next(a), "-");
  Advance(1ms);
  EXPECT_EQ(a.Call("Q.NACK q " + ReceiptOf(a.Call("Q.TAKE q"))), Status("delayed"));
  Advance(1s);
  EXPECT_EQ(a.Call("Q.NACK q " + ReceiptOf(a.Call("Q.TAKE q"))), Status("dead"));
  const Reply job = a.Call("Q.GET q 1");
  EXPECT_EQ(FieldOf(job, "state"), Bulk("dead"));
  EXPECT_EQ(FieldOf(job, "reason"), Bulk("failures"));
  EXPECT_EQ(FieldOf(job, "failures"), Int(3));
  EXPECT_EQ(a.Call("Q.REDRIVE q"), Int(1));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 1"), "failures"), Int(0));
}

TEST_F(QueueTest, BackoffVariesByItsJitterOnly) {
  Client a = Connect();
  a.Call("Q.CONF q TRIES 0 BACKOFF fix:1000");
  a.Call("Q.ADD q j");
  std::int64_t least = 2000, most = 0;
  for (int i = 0; i < 200; ++i) {
    a.Call("Q.NACK q " + ReceiptOf(a.Call("Q.TAKE q")));
    const std::int64_t wait = FieldOf(a.Call("Q.GET q 1"), "due").integer - clock.Read().wall_ms();
    least = std::min(least, wait);
    most = std::max(most, wait);
    Advance(std::chrono::milliseconds(wait));
  }
  EXPECT_GE(least, 800);
  EXPECT_LT(least, 820);
  EXPECT_LE(most, 1200);
  EXPECT_GT(most, 1180);
}

TEST_F(QueueTest, ALeaseEndsAtItsMomentAndIsFenced) {
  Client a = Connect(), b = Connect();
  a.Call("Q.CONF q JITTER 0 BACKOFF fix:500");
  a.Call("Q.ADD q j LEASE 1000");
  EXPECT_EQ(ReceiptOf(a.Call("Q.TAKE q")), "1-1");
  Advance(900ms);
  EXPECT_EQ(a.Call("Q.EXTEND q 1-1"), Int(1000));
  EXPECT_EQ(a.Call("Q.EXTEND q 1-1 LEASE 300"), Int(300));
  Advance(299ms);
  EXPECT_EQ(Next(b), "-");
  Advance(1ms);
  EXPECT_EQ(ReceiptOf(b.Call("Q.TAKE q LEASE 100")), "1-2");
  EXPECT_EQ(a.Call("Q.ACK q 1-1"), Err("QSTALE receipt=1-1"));
  EXPECT_EQ(a.Call("Q.NACK q 1-1"), Err("QSTALE receipt=1-1"));
  EXPECT_EQ(a.Call("Q.EXTEND q 1-1"), Err("QSTALE receipt=1-1"));
  // The first end of a lease redelivers at once, the second one rests.
  Advance(100ms);
  EXPECT_EQ(State(a, "1"), "delayed");
  Advance(500ms);
  EXPECT_EQ(ReceiptOf(a.Call("Q.TAKE q")), "1-3");
}

TEST_F(QueueTest, TokensGrowOverADeletedQueueToo) {
  Client a = Connect();
  a.Call("Q.ADD q j");
  EXPECT_EQ(ReceiptOf(a.Call("Q.TAKE q")), "1-1");
  a.Call("DEL q");
  a.Call("Q.ADD q k");
  EXPECT_EQ(ReceiptOf(a.Call("Q.TAKE q")), "1-2");
  EXPECT_EQ(a.Call("Q.ACK q 1-1"), Err("QSTALE receipt=1-1"));
}

TEST_F(QueueTest, DelayedJobsTakeTheirPlaceWhenTheyFallDue) {
  Client a = Connect();
  a.Call("Q.ADD q late DELAY 1000");
  a.Call("Q.ADD q early");
  Advance(999ms);
  a.Call("Q.ADD q before");
  Advance(1ms);
  a.Call("Q.ADD q after");
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q COUNT 4")), (Texts{"early", "before", "late", "after"}));
  a.Call("Q.ADD q past AT 1000");
  EXPECT_EQ(State(a, "5"), "ready");
  const std::string at = std::to_string(clock.Read().wall_ms() + 10);
  a.Call("Q.ADD q soon AT " + at);
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 6"), "due").integer, clock.Read().wall_ms() + 10);
}

TEST_F(QueueTest, Case12_DueTogetherComesOutByTierThenArrival) {
  Client a = Connect();
  for (int i = 0; i < 100; ++i) {
    a.Call("Q.ADD q " + std::to_string(i) + " PRIO " + std::to_string(i % 7) + " DELAY 500");
  }
  Advance(500ms);
  std::vector<std::string> expected;
  for (int tier = 0; tier < 7; ++tier) {
    for (int i = tier; i < 100; i += 7) expected.push_back(std::to_string(i));
  }
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q COUNT 1000")), expected);
}

TEST_F(QueueTest, Case04_ReturnedJobsComeAheadOfLaterOnesInTheirOrder) {
  Client a = Connect();
  for (int i = 1; i <= 10; ++i) a.Call("Q.ADD q " + std::to_string(i) + " PRIO 5");
  a.Call("Q.TAKE q COUNT 8");
  const std::string nine = ReceiptOf(a.Call("Q.TAKE q"));
  const std::string ten = ReceiptOf(a.Call("Q.TAKE q"));
  a.Call("Q.ADD q later PRIO 5");
  a.Call("Q.NACK q " + ten + " FREE");
  a.Call("Q.NACK q " + nine + " FREE");
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q COUNT 3")), (Texts{"9", "10", "later"}));
}

TEST_F(QueueTest, Case08_ARetryDoesNotLoseItsTier) {
  Client a = Connect();
  a.Call("Q.ADD q y PRIO 50");
  a.Call("Q.ADD q x PRIO 25");
  a.Call("Q.NACK q " + ReceiptOf(a.Call("Q.TAKE q")) + " DELAY 0");
  EXPECT_EQ(Next(a), "x");
}

TEST_F(QueueTest, Case10_EachReturnedOnceKeepsTheOrder) {
  Client a = Connect();
  a.Call("Q.ADD q 1 MORE 3 2 3 4");
  for (int i = 0; i < 4; ++i) {
    a.Call("Q.NACK q " + ReceiptOf(a.Call("Q.TAKE q")) + " DELAY 100");
  }
  Advance(100ms);
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q COUNT 4")), (Texts{"1", "2", "3", "4"}));
}

TEST_F(QueueTest, RetryToTheBackWhereThatIsWanted) {
  Client a = Connect();
  a.Call("Q.CONF q RETRYPOS back");
  a.Call("Q.ADD q a MORE 1 b");
  a.Call("Q.NACK q " + ReceiptOf(a.Call("Q.TAKE q")) + " DELAY 10");
  Advance(10ms);
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q COUNT 2")), (Texts{"b", "a"}));
}

TEST_F(QueueTest, TimeToLiveEndsWithTheFirstTake) {
  Client a = Connect();
  a.Call("Q.ADD q a TTL 100");
  a.Call("Q.ADD q b TTL 100");
  const std::string receipt = ReceiptOf(a.Call("Q.TAKE q"));
  Advance(100ms);
  EXPECT_EQ(State(a, "1"), "leased");
  EXPECT_EQ(State(a, "2"), "dead");
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 2"), "reason"), Bulk("expired"));
  a.Call("Q.NACK q " + receipt + " FREE");
  Advance(10s);
  EXPECT_EQ(State(a, "1"), "ready");
}

TEST_F(QueueTest, ANameIsHeldByOneUnfinishedJob) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.ADD q one NAME n PRIO 50"), Int(1));
  EXPECT_EQ(a.Call("Q.ADD q two NAME n PRIO 90"), Int(1));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q =n"), "tier"), Bulk("50"));
  EXPECT_EQ(a.Call("Q.ADD q two NAME n PRIO 10"), Int(1));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q =n"), "tier"), Bulk("10"));
  EXPECT_EQ(a.Call("Q.ADD q two NAME n NX"), Nil());
  EXPECT_EQ(a.Call("Q.ADD q three NAME n REPLACE PRIO 20"), Int(1));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 1"), "body"), Bulk("three"));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 1"), "tier"), Bulk("20"));
  const std::string receipt = ReceiptOf(a.Call("Q.TAKE q"));
  EXPECT_EQ(a.Call("Q.ADD q four NAME n REPLACE"), Err("QNAME id=1 state=leased"));
  EXPECT_EQ(a.Call("Q.ADD q four NAME n"), Int(1));
  a.Call("Q.ACK q " + receipt);
  EXPECT_EQ(a.Call("Q.ADD q four NAME n"), Int(2));
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q"), "ready"), Int(1));
}

TEST_F(QueueTest, Case96_DeletingAWaitingJobFreesItsName) {
  Client a = Connect();
  a.Call("Q.ADD q one NAME d");
  EXPECT_EQ(a.Call("Q.CANCEL q =d"), Int(1));
  EXPECT_EQ(a.Call("Q.ADD q two NAME d NX"), Int(2));
}

TEST_F(QueueTest, ANameStaysTakenForItsTimeAfterTheJob) {
  Client a = Connect();
  a.Call("Q.CONF q DEDUP 1000");
  a.Call("Q.ADD q one NAME n");
  a.Call("Q.ACK q " + ReceiptOf(a.Call("Q.TAKE q")));
  Advance(999ms);
  EXPECT_EQ(a.Call("Q.ADD q two NAME n"), Int(1));
  EXPECT_EQ(a.Call("Q.ADD q two NAME n REPLACE"), Err("QNAME id=1 state=done"));
  Advance(1ms);
  EXPECT_EQ(a.Call("Q.ADD q two NAME n"), Int(2));
}

TEST_F(QueueTest, ResultsWaitForWhoAsks) {
  Client a = Connect(), b = Connect(), c = Connect();
  a.Call("Q.ADD q call NAME rpc");
  b.Send("Q.GET q =rpc BLOCK 0");
  c.Send("Q.GET q 1 BLOCK 100");
  const std::string receipt = ReceiptOf(a.Call("Q.TAKE q WORKER w1"));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 1"), "worker"), Bulk("w1"));
  Advance(100ms);
  EXPECT_EQ(FieldOf(*c.TryRead(), "state"), Bulk("leased"));
  EXPECT_EQ(a.Call("Q.EXTEND q " + receipt + " PROGRESS half"), Int(30000));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 1"), "progress"), Bulk("half"));
  EXPECT_EQ(b.TryRead(), std::nullopt);
  a.Call("Q.ACK q " + receipt + " RESULT 42");
  const Reply answer = *b.TryRead();
  EXPECT_EQ(FieldOf(answer, "state"), Bulk("done"));
  EXPECT_EQ(FieldOf(answer, "result"), Bulk("42"));
  Advance(3600s - 1ms);
  EXPECT_EQ(State(a, "1"), "done");
  Advance(1ms);
  EXPECT_EQ(a.Call("Q.GET q 1"), NullArray());
  a.Call("Q.ADD q other");
  b.Send("Q.GET q 2 BLOCK 0");
  a.Call("DEL q");
  EXPECT_EQ(b.TryRead(), NullArray());
}

TEST_F(QueueTest, KeepsAsManyFinishedJobsAsItIsTold) {
  Client a = Connect();
  a.Call("Q.CONF q KEEP 2:1000 DEADKEEP 1:0");
  a.Call("Q.ADD q a MORE 4 b c d e");
  a.Call("Q.TAKE q COUNT 5");
  a.Call("Q.ACK q 1-1 2-2 3-3");
  EXPECT_EQ(a.Call("Q.LIST q done").elements[1].elements.size(), 2u);
  EXPECT_EQ(a.Call("Q.GET q 1"), NullArray());
  a.Call("Q.NACK q 4-4 DEAD");
  a.Call("Q.NACK q 5-5 DEAD");
  EXPECT_EQ(a.Call("Q.GET q 4"), NullArray());
  Advance(1s);
  EXPECT_EQ(a.Call("Q.GET q 3"), NullArray());
  EXPECT_EQ(State(a, "5"), "dead");
}

TEST_F(QueueTest, CancellingALeasedJobIsHeardByItsWorker) {
  Client a = Connect();
  a.Call("Q.ADD q a MORE 3 b c d");
  a.Call("Q.TAKE q COUNT 3");
  EXPECT_EQ(a.Call("Q.CANCEL q 1 2 4 77"), Int(3));
  EXPECT_EQ(a.Call("Q.EXTEND q 1-1"), Err("QCANCELLED receipt=1-1"));
  EXPECT_EQ(a.Call("Q.EXTEND q 1-1 3-3"), Array({Int(-1), Int(30000)}));
  EXPECT_EQ(a.Call("Q.ACK q 1-1"), Err("QCANCELLED receipt=1-1"));
  EXPECT_EQ(a.Call("Q.ACK q 1-1"), Err("QSTALE receipt=1-1"));
  Advance(30s);
  EXPECT_EQ(a.Call("Q.GET q 2"), NullArray());
  EXPECT_EQ(State(a, "3"), "ready");
  const std::string receipt = ReceiptOf(a.Call("Q.TAKE q"));
  EXPECT_EQ(a.Call("Q.CANCEL q 3 FORCE"), Int(1));
  EXPECT_EQ(a.Call("Q.ACK q " + receipt), Err("QSTALE receipt=" + receipt));
}

TEST_F(QueueTest, CancelsByStateInSlices) {
  Client a = Connect();
  a.Call("Q.ADD q a PRIO 1 MORE 4 b c d e");
  a.Call("Q.ADD q x PRIO 2");
  a.Call("Q.ADD q y DELAY 5000");
  EXPECT_EQ(a.Call("Q.CANCEL q STATE ready TIER 1 COUNT 3"), Int(3));
  EXPECT_EQ(a.Call("Q.CANCEL q STATE ready TIER 1 COUNT 3"), Int(2));
  EXPECT_EQ(a.Call("Q.CANCEL q STATE ready TIER 1"), Int(0));
  EXPECT_EQ(a.Call("Q.CANCEL q STATE delayed"), Int(1));
  EXPECT_EQ(Next(a), "x");
  EXPECT_EQ(a.Call("Q.CANCEL q STATE leased FORCE"), Int(1));
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q"), "gone"), Int(7));
}

TEST_F(QueueTest, PausesTakesOrAddsOfAQueueOrATier) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.PAUSE q"), Err("QNOQUEUE key=q"));
  a.Call("Q.ADD q a PRIO 1");
  a.Call("Q.ADD q b PRIO 2");
  EXPECT_EQ(a.Call("Q.PAUSE q TIER 1"), Int(1));
  EXPECT_EQ(a.Call("Q.PAUSE q TIER 1"), Int(0));
  EXPECT_EQ(Next(a), "b");
  EXPECT_EQ(Next(a), "-");
  EXPECT_EQ(a.Call("Q.RESUME q TIER 1"), Int(1));
  EXPECT_EQ(a.Call("Q.PAUSE q ALL FOR 1000"), Int(1));
  EXPECT_EQ(Next(a), "-");
  EXPECT_EQ(a.Call("Q.ADD q c PRIO 3"), Err("QPAUSED in tier=3"));
  EXPECT_EQ(a.Call("Q.RESUME q IN"), Int(1));
  EXPECT_EQ(a.Call("Q.ADD q c PRIO 3"), Int(3));
  Advance(999ms);
  EXPECT_EQ(Next(a), "-");
  Advance(1ms);
  EXPECT_EQ(Next(a), "a");
}

TEST_F(QueueTest, AClosedLadderHasNames) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.CONF q TIERS high,medium,low"), Ok());
  a.Call("Q.ADD q l PRIO low");
  a.Call("Q.ADD q m");
  a.Call("Q.ADD q h PRIO 0");
  EXPECT_EQ(a.Call("Q.ADD q x PRIO urgent"),
            Err("QTIER tier=urgent is not of 0-2 nor a name of the ladder"));
  EXPECT_EQ(a.Call("Q.CONF q TIERS high,medium"), Err("QSTATE tier=2 holds jobs"));
  EXPECT_EQ(FieldOf(a.Call("Q.CONF q"), "default"), Bulk("medium"));
  EXPECT_EQ(Next(a, "TIERS medium-low"), "m");
  EXPECT_EQ(Next(a, "TIERS low"), "l");
  EXPECT_EQ(Next(a), "h");
  EXPECT_EQ(a.Call("Q.CONF q TIERS a,a"), Err("ERR invalid value 'a,a' for setting 'TIERS'"));
  EXPECT_EQ(a.Call("Q.CONF q LEASE 5 SPEED 9"), Err("ERR unknown setting 'SPEED'"));
  EXPECT_EQ(FieldOf(a.Call("Q.CONF q"), "lease"), Bulk("30000"));
}

TEST_F(QueueTest, MetaTellsWhatAWorkerMayWantToKnow) {
  Client a = ConnectResp3();
  a.Call("Q.ADD q body PRIO 3 NAME n COST 4");
  Advance(250ms);
  const Reply taken = a.Call("Q.TAKE q META");
  const std::int64_t now = clock.Read().wall_ms();
  EXPECT_EQ(taken.elements[0].elements[3],
            Map({Bulk("id"),         Int(1),         Bulk("tier"),     Bulk("3"),
                 Bulk("own"),        Bulk("3"),      Bulk("seq"),      Int(1),
                 Bulk("since"),      Int(now - 250), Bulk("waited"),   Int(250),
                 Bulk("deliveries"), Int(1),         Bulk("failures"), Int(0),
                 Bulk("group"),      Bulk(""),       Bulk("name"),     Bulk("n"),
                 Bulk("cost"),       Int(4),         Bulk("expires"),  Int(now + 30000),
                 Bulk("user"),       Bulk("default")}));
}

TEST_F(QueueTest, ListsAreStablePages) {
  Client a = Connect();
  for (int i = 0; i < 10; ++i) {
    a.Call("Q.ADD q b" + std::to_string(i) + " PRIO " + std::to_string(i % 2));
  }
  const Reply page = a.Call("Q.LIST q ready COUNT 4");
  const std::int64_t now = clock.Read().wall_ms();
  EXPECT_EQ(page.elements[1].elements[1], Array({Int(3), Bulk("0"), Int(3), Int(now)}));
  a.Call("Q.CANCEL q 9");  // The one that the cursor stands before.
  const Reply rest = a.Call("Q.LIST q ready BODY FROM " + page.elements[0].text);
  EXPECT_EQ(rest.elements[0], Bulk("0"));
  EXPECT_EQ(BodiesOf(Array({})), Texts{});
  ASSERT_EQ(rest.elements[1].elements.size(), 5u);
  EXPECT_EQ(rest.elements[1].elements[0].elements[4], Bulk("b1"));
  EXPECT_EQ(a.Call("Q.LIST q ready FROM x"), Err("ERR invalid cursor"));
  EXPECT_EQ(a.Call("Q.LIST nothing dead"), Array({Bulk("0"), Array({})}));
}

TEST_F(QueueTest, Case95_OldestIsTheOldestReadyJob) {
  Client a = Connect();
  a.Call("Q.ADD q tomorrow DELAY 93600000");
  Advance(24h);
  a.Call("Q.ADD q bulk PRIO 9");
  Advance(1h);
  a.Call("Q.ADD q urgent PRIO 0");
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q"), "oldest"), Int(3600000));
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q TIER 0"), "oldest"), Int(0));
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q TIER 9"), "oldest"), Int(3600000));
  a.Call("Q.TAKE q COUNT 10");
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q"), "oldest"), Int(0));
}

TEST_F(QueueTest, StatsMeasureFlowAndWaits) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high,low");
  for (int i = 0; i < 60; ++i) {
    a.Call("Q.ADD q j PRIO high");
    Advance(500ms);
    a.Call("Q.ACK q " + ReceiptOf(a.Call("Q.TAKE q")));
    Advance(500ms);
  }
  const Reply stats = a.Call("Q.STATS q");
  EXPECT_EQ(FieldOf(FieldOf(stats, "in"), "1m"), Bulk("1.000"));
  EXPECT_EQ(FieldOf(FieldOf(stats, "waited-1m"), "max"), Int(500));
  EXPECT_EQ(FieldOf(FieldOf(stats, "waited-1h"), "count"), Int(60));
  const Reply tier = a.Call("Q.STATS q TIER high");
  EXPECT_EQ(FieldOf(FieldOf(tier, "waited-1h"), "p99"), Int(500));
}

TEST_F(QueueTest, ScoreIsThatOfTheFormulaAndStaysRight) {
  Client a = Connect();
  a.Call("Q.ADD q a PRIO 2");
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 1"), "score"), Int(8589934593));
  a.Call("Q.ADD q b PRIO 0");
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 2"), "score"), Int(2));
  a.Call("Q.TAKE q COUNT 2");
  a.Call("Q.TAKE q");  // Finds the ladder empty: scores count from here.
  a.Call("Q.ADD q c PRIO 1");
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 3"), "score"), Int(4294967297));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 3"), "seq"), Int(3));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 1"), "score"), Nil());
}

TEST_F(QueueTest, WorksInTransactionsAndNeverWaitsThere) {
  Client a = Connect(), b = Connect();
  b.Send("Q.TAKE q BLOCK 0");
  a.Call("MULTI");
  a.Call("Q.TAKE q BLOCK 0");
  a.Call("Q.ADD q x");
  a.Call("Q.ADD q y");
  a.Call("Q.TAKE q");
  EXPECT_EQ(a.Call("EXEC"), Array({NullArray(), Int(1), Int(2), Array({Entry("q", "1-1", "x")})}));
  EXPECT_EQ(b.TryRead(), Array({Entry("q", "2-2", "y")}));
  a.Call("WATCH q");
  b.Call("Q.ACK q 2-2");
  a.Call("MULTI");
  a.Call("PING");
  EXPECT_EQ(a.Call("EXEC"), NullArray());
}

TEST_F(QueueTest, IsAKeyLikeOthers) {
  Client a = Connect();
  a.Call("Q.ADD q x DELAY 1000");
  EXPECT_EQ(a.Call("TYPE q"), Status("queue"));
  EXPECT_EQ(a.Call("OBJECT ENCODING q"), Bulk("queue"));
  EXPECT_EQ(a.Call("SCAN 0 TYPE queue").elements[1], Bulks({"q"}));
  EXPECT_GT(a.Call("MEMORY USAGE q").integer, 72);
  EXPECT_EQ(a.Call("EXPIRE q 10"), Err("ERR a queue has no expiry: its jobs have (TTL)"));
  a.Call("RENAME q r");
  a.Call("COPY r s");
  a.Call("MOVE r 1");
  EXPECT_EQ(a.Call("EXISTS q r s"), Int(1));
  Advance(1s);
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE s")), Texts{"x"});
  a.Call("SELECT 1");
  EXPECT_EQ(FieldOf(a.Call("Q.STATS r"), "ready"), Int(1));
  a.Call("SWAPDB 0 1");
  EXPECT_EQ(FieldOf(a.Call("Q.STATS s"), "leased"), Int(1));
  Advance(30s);
  EXPECT_EQ(FieldOf(a.Call("Q.STATS s"), "ready"), Int(1));
  a.Call("SET s v");
  a.Call("FLUSHALL");
  Advance(60s);
  EXPECT_EQ(a.Call("DBSIZE"), Int(0));
}

TEST_F(QueueTest, WhenMemoryIsFullOnlyAddsAreRefused) {
  Client a = Connect();
  a.Call("Q.ADD q a MORE 2 b c");
  a.Call("CONFIG SET maxmemory 1");
  EXPECT_EQ(a.Call("Q.ADD q d"), Err("OOM command not allowed when used memory > 'maxmemory'."));
  EXPECT_EQ(Next(a), "a");
  EXPECT_EQ(a.Call("Q.NACK q 1-1 FREE"), Status("ready"));
  EXPECT_EQ(a.Call("Q.CANCEL q 2"), Int(1));
  a.Call("Q.TAKE q");
  EXPECT_EQ(a.Call("Q.ACK q 1-2"), Ok());
}

TEST_F(QueueTest, TheLogHasOutcomes) {
  Client a = Connect();
  a.Call("Q.CONF q TRIES 2 JITTER 0 BACKOFF fix:7");
  a.Call("Q.ADD q j PRIO 3");
  a.Call("Q.TAKE q WORKER w BLOCK 0");
  a.Call("Q.EXTEND q 1-1");
  a.Call("Q.NACK q 1-1 ERR e");
  a.Call("Q.TAKE q");
  Advance(7ms);
  const std::string t = std::to_string(clock.Read().wall_ms() - 7);
  const std::string due = std::to_string(clock.Read().wall_ms());
  EXPECT_EQ(TakeLog(),
            (Lines{"Q.EFFECT q 1 CONF " + t + " TRIES 2 JITTER 0 BACKOFF fix:7",
                   "Q.EFFECT q 2 ADD 1 ready 1 " + t + " 0 3 1 0 0 -1    j ",
                   "Q.EFFECT q 3 LEASE 1 1 " + t + " 30000 w", "MULTI", "Q.EFFECT q 4 ERROR 1 e",
                   "Q.EFFECT q 5 PLACE 1 delayed 1 " + t + " " + due + " 0 1 none", "EXEC",
                   "Q.EFFECT q 6 BASE 1", "Q.EFFECT q 7 PLACE 1 ready 1 " + t + " 0 0 1 none"}));
}

TEST_F(QueueTest, EffectsThatDoNotFitAreRefused) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.EFFECT q 2 BASE 1"), Err("ERR effects are missing"));
  EXPECT_EQ(a.Call("Q.EFFECT q 1 GONE 5"), Err("ERR effect on an unknown job"));
  EXPECT_EQ(a.Call("Q.EFFECT q 1 NOTHING"), Err("ERR syntax error"));
  EXPECT_EQ(a.Call("EXISTS q"), Int(0));
  EXPECT_EQ(a.Call("Q.EFFECT q 1 BASE 5"), Ok());
  EXPECT_EQ(a.Call("Q.EFFECT q 1 BASE 6"), Ok());  // Not news.
  EXPECT_EQ(a.Call("Q.EFFECT q 3 BASE 6"), Err("ERR effects are missing"));
}

TEST_F(QueueTest, DurabilityIsTheServersUntilThereAreFiles) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.CONF q DURABLE SERVER TRIES 3"), Ok());
  EXPECT_EQ(FieldOf(a.Call("Q.CONF q"), "durable"), Bulk("server"));
  EXPECT_EQ(a.Call("Q.CONF q TRIES 4 DURABLE always"),
            Err("ERR DURABLE always is not possible: this server keeps no files yet"));
  EXPECT_EQ(FieldOf(a.Call("Q.CONF q"), "tries"), Bulk("3"));
  EXPECT_EQ(a.Call("Q.CONF q DURABLE never"),
            Err("ERR invalid value 'never' for setting 'DURABLE'"));
}

}  // namespace
}  // namespace rung::testing

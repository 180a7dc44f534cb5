// Jobs that wait for others: when they start, how urgent that makes the others, and what becomes of
// them when one dies or is cancelled.

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

class QueueDependencyTest : public EngineTest {
 protected:
  std::string State(Client& client, const std::string& id) {
    return FieldOf(client.Call("Q.GET q " + id), "state").text;
  }
  std::string Tier(Client& client, const std::string& id) {
    return FieldOf(client.Call("Q.GET q " + id), "tier").text;
  }
  void Finish(Client& client) { client.Call("Q.ACK q " + ReceiptOf(client.Call("Q.TAKE q"))); }
};

TEST_F(QueueDependencyTest, StartsWhenAllThatItWaitsForAreDone) {
  Client a = Connect();
  a.Call("Q.ADD q a MORE 1 b");
  EXPECT_EQ(a.Call("Q.ADD q c AFTER 2 1 2"), Int(3));
  EXPECT_EQ(State(a, "3"), "blocked");
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 3"), "waits-for"), Bulk("1,2"));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 1"), "dependents"), Int(1));
  Finish(a);
  EXPECT_EQ(State(a, "3"), "blocked");
  a.Call("Q.ADD q d");
  Finish(a);
  // It has waited all the while: its place is where it was added.
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q COUNT 2")), (Texts{"c", "d"}));
  // What is done and gone does not hold anybody up; what was never there is a mistake.
  EXPECT_EQ(a.Call("Q.ADD q e AFTER 1 1"), Int(5));
  EXPECT_EQ(State(a, "5"), "ready");
  EXPECT_EQ(a.Call("Q.ADD q e AFTER 1 99"), Err("QNOJOB id=99"));
  EXPECT_EQ(a.Call("Q.ADD q e AFTER 1 =name"), Err("QNOJOB id==name"));
}

TEST_F(QueueDependencyTest, AnUrgentJobMakesWhatItWaitsForRunFirst) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high,medium,low");
  for (int i = 0; i < 50; ++i) a.Call("Q.ADD q bulk PRIO medium");
  a.Call("Q.ADD q base PRIO low NAME base");
  a.Call("Q.ADD q step PRIO low AFTER 1 =base");
  EXPECT_EQ(Tier(a, "=base"), "low");
  a.Call("Q.ADD q urgent PRIO high AFTER 1 52");
  EXPECT_EQ(Tier(a, "51"), "high");
  EXPECT_EQ(Tier(a, "52"), "high");
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q 51"), "whence"), Bulk("52 <- 53 (high)"));
  for (const char* body : {"base", "step", "urgent"}) {
    const Reply taken = a.Call("Q.TAKE q");
    EXPECT_EQ(BodiesOf(taken), (Texts{body}));
    a.Call("Q.ACK q " + ReceiptOf(taken));
  }
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q")), (Texts{"bulk"}));
}

TEST_F(QueueDependencyTest, UrgencyIsTakenBackExactly) {
  Client a = Connect();
  a.Call("Q.ADD q base PRIO 90");
  a.Call("Q.ADD q x PRIO 50 AFTER 1 1");
  a.Call("Q.ADD q y PRIO 10 AFTER 1 1");
  EXPECT_EQ(Tier(a, "1"), "10");
  EXPECT_EQ(a.Call("Q.PRIO q 3 70"), Int(70));
  EXPECT_EQ(Tier(a, "1"), "50");
  a.Call("Q.PRIO q 3 20 BOOST");
  EXPECT_EQ(Tier(a, "1"), "20");
  // Leased meanwhile: it comes back as urgent as it is then.
  const std::string receipt = ReceiptOf(a.Call("Q.TAKE q"));
  a.Call("Q.CANCEL q 3");
  EXPECT_EQ(Tier(a, "1"), "50");
  a.Call("Q.NACK q " + receipt + " FREE");
  a.Call("Q.CANCEL q 2");
  EXPECT_EQ(Tier(a, "1"), "90");
}

TEST_F(QueueDependencyTest, TheDeadBlockFailOrLetRun) {
  Client a = Connect();
  for (const char* policy : {"block", "fail", "run"}) {
    a.Call("DEL q");
    a.Call(std::string("Q.CONF q ONDEAD ") + policy);
    a.Call("Q.ADD q base");
    a.Call("Q.ADD q next AFTER 1 1");
    a.Call("Q.ADD q last AFTER 1 2");
    a.Call("Q.NACK q " + ReceiptOf(a.Call("Q.TAKE q")) + " DEAD");
    const std::string word = policy;
    EXPECT_EQ(State(a, "2"), word == "block" ? "blocked" : word == "fail" ? "dead" : "ready");
    EXPECT_EQ(State(a, "3"), word == "fail" ? "dead" : "blocked");
    if (word == "fail") {
      EXPECT_EQ(FieldOf(a.Call("Q.GET q 3"), "reason"), Bulk("dependency"));
      EXPECT_EQ(a.Call("Q.ADD q late AFTER 1 1"), Int(4));
      EXPECT_EQ(State(a, "4"), "dead");
    }
    if (word != "block") continue;
    a.Call("Q.CONF q DEADKEEP 0:0");  // Somebody waits for it: it stays.
    EXPECT_EQ(State(a, "1"), "dead");
    EXPECT_EQ(a.Call("Q.REDRIVE q"), Int(1));
    Finish(a);
    EXPECT_EQ(State(a, "2"), "ready");
  }
}

TEST_F(QueueDependencyTest, CancellingWhatOthersWaitForMustSayWhatOfThem) {
  Client a = Connect();
  a.Call("Q.ADD q base");
  a.Call("Q.ADD q x AFTER 1 1");
  a.Call("Q.ADD q y AFTER 1 2");
  EXPECT_EQ(a.Call("Q.CANCEL q 1"), Err("QSTATE id=1 dependents=1"));
  EXPECT_EQ(a.Call("Q.CANCEL q STATE ready"), Int(0));
  EXPECT_EQ(a.Call("Q.CANCEL q 1 DETACH"), Int(1));
  EXPECT_EQ(State(a, "2"), "ready");
  EXPECT_EQ(a.Call("Q.CANCEL q 2 CASCADE"), Int(2));
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q"), "gone"), Int(3));
}

TEST_F(QueueDependencyTest, ABlockedJobKeepsItsDelayAndItsTimeToLive) {
  Client a = Connect();
  a.Call("Q.ADD q base");
  a.Call("Q.ADD q later AFTER 1 1 DELAY 500");
  a.Call("Q.ADD q mortal AFTER 1 1 TTL 100");
  Advance(100ms);
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 3"), "reason"), Bulk("expired"));
  Finish(a);
  EXPECT_EQ(State(a, "2"), "delayed");
  Advance(400ms);
  EXPECT_EQ(State(a, "2"), "ready");
  EXPECT_EQ(a.Call("Q.LIST q blocked"), Array({Bulk("0"), Array({})}));
}

TEST_F(QueueDependencyTest, BlockedTakersAreWokenByTheEndOfADependency) {
  Client a = Connect(), b = Connect();
  a.Call("Q.ADD q base");
  a.Call("Q.ADD q next AFTER 1 1");
  const std::string receipt = ReceiptOf(a.Call("Q.TAKE q"));
  b.Send("Q.TAKE q BLOCK 0");
  EXPECT_EQ(b.TryRead(), std::nullopt);
  a.Call("Q.ACK q " + receipt);
  EXPECT_EQ(BodiesOf(*b.TryRead()), (Texts{"next"}));
}

TEST_F(QueueDependencyTest, WhoWaitedLongerIsAskedAgainWhenATakeSetsAJobFree) {
  Client a = Connect(), b = Connect(), c = Connect(), d = Connect();
  a.Call("Q.ADD q base PRIO 1");
  a.Call("Q.ADD q next PRIO 9 AFTER 1 1");
  a.Call("Q.PAUSE q");
  b.Send("Q.TAKE q BLOCK 0 TIERS 5-9");
  c.Send("Q.TAKE q BLOCK 0 NOACK");
  d.Send("Q.TAKE q BLOCK 0");
  a.Call("Q.RESUME q");
  EXPECT_EQ(BodiesOf(*c.TryRead()), (Texts{"base"}));
  EXPECT_EQ(BodiesOf(*b.TryRead()), (Texts{"next"}));
  EXPECT_EQ(d.TryRead(), std::nullopt);
}

TEST_F(QueueDependencyTest, LimitsAndContradictionsAreRefused) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.ADD q x AFTER 1001 1"), Err("QLIMIT at most 1000 ids with AFTER"));
  EXPECT_EQ(a.Call("Q.ADD q x AFTER 2 1"), Err("ERR syntax error"));
  a.Call("Q.ADD q base NAME n");
  EXPECT_EQ(a.Call("Q.ADD q x AFTER 1 1 NAME n REPLACE"),
            Err("ERR AFTER and REPLACE exclude each other"));
  EXPECT_EQ(a.Call("Q.CONF q ONDEAD explode"),
            Err("ERR invalid value 'explode' for setting 'ONDEAD'"));
}

}  // namespace
}  // namespace rung::testing

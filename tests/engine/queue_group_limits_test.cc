// What a group admits and gives out, and what is told of groups: limits, pauses, lists, statistics.

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/queue_group_test.h"
#include "kit/engine_test.h"
#include "kit/queue_reply.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
class QueueGroupLimitsTest : public QueueGroupTest {
 protected:
  // The ids of Q.LIST.
  std::vector<std::int64_t> List(Client& client, const std::string& what) {
    std::vector<std::int64_t> ids;
    const Reply page = client.Call("Q.LIST q " + what);
    for (const Reply& job : page.elements[1].elements) ids.push_back(job.elements[0].integer);
    return ids;
  }
  // The names of the groups in one list of Q.STATS GROUPS.
  Texts Names(Client& client, const std::string& list, int count) {
    Texts names;
    const Reply stats = client.Call("Q.STATS q GROUPS " + std::to_string(count));
    for (const Reply& group : FieldOf(stats, list).elements) {
      names.push_back(FieldOf(group, "group").text);
    }
    return names;
  }
};

TEST_F(QueueGroupLimitsTest, OwnValuesHoldAndDefaultsElse) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.CONF q GCONC 3 GRATE 5/1000 GLEN 10 GBYTES 99 GFULL block"), Ok());
  EXPECT_EQ(a.Call("Q.CONF q GROUP a CONC 0 RATE 1/50 WEIGHT 7"), Ok());
  EXPECT_EQ(a.Call("Q.CONF q GROUP a"),
            Bulks({"weight", "7", "len", "10", "bytes", "99", "full", "block", "marks", "80:60",
                   "conc", "0", "rate", "1/50"}));
  EXPECT_EQ(a.Call("Q.CONF q GROUP b"),
            Bulks({"weight", "1", "len", "10", "bytes", "99", "full", "block", "marks", "80:60",
                   "conc", "3", "rate", "5/1000"}));
  EXPECT_EQ(a.Call("Q.CONF q GROUP a CONC default RATE default"), Ok());
  EXPECT_EQ(FieldOf(a.Call("Q.CONF q GROUP a"), "conc"), Bulk("3"));
  EXPECT_EQ(FieldOf(a.Call("Q.CONF q"), "grate"), Bulk("5/1000"));
  EXPECT_EQ(a.Call("Q.CONF q GROUP a FULL shed"),
            Err("ERR invalid value 'shed' for setting 'FULL'"));
  EXPECT_EQ(a.Call("Q.CONF q GFULL shed"), Err("ERR invalid value 'shed' for setting 'GFULL'"));
  EXPECT_EQ(a.CallArgs({"Q.CONF", "q", "GROUP", "", "LEN", "1"}),
            Err("ERR a group's name has 1 to 255 bytes"));
}

TEST_F(QueueGroupLimitsTest, SoManyLeasesOfAGroupAtOnce) {
  Client a = Connect(), b = Connect();
  a.Call("Q.CONF q GROUP a CONC 2");
  Fill(a, "a", 4);
  Fill(a, "b", 4);
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q NEXT 9"), "next").elements.size(), 6u);
  EXPECT_EQ(Next(a, 9), (Texts{"a0", "b0", "a1", "b1", "b2", "b3"}));
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q 3"), "next"), Bulk("no: group conc"));
  b.Send("Q.TAKE q BLOCK 0 LEASE 20");
  EXPECT_EQ(b.TryRead(), std::nullopt);
  a.Call("Q.ACK q 1-1");
  EXPECT_EQ(BodiesOf(*b.TryRead()), (Texts{"a2"}));
  EXPECT_EQ(Next(a, 9), Texts{});
  // A lease that ends makes room, too: for the same job, in its place.
  Advance(20ms);
  EXPECT_EQ(Next(a, 9), (Texts{"a2"}));
  a.Call("Q.CONF q GROUP a CONC 3");
  EXPECT_EQ(Next(a, 9), (Texts{"a3"}));
}

TEST_F(QueueGroupLimitsTest, TheLimitIsOneOverAllTiers) {
  Client a = Connect();
  a.Call("Q.CONF q GCONC 1");
  Fill(a, "a", 1, "PRIO 1");
  Fill(a, "a", 1, "PRIO 2");
  Fill(a, "b", 1, "PRIO 3");
  EXPECT_EQ(Next(a, 9), (Texts{"a0", "b0"}));
  a.Call("Q.ACK q 1-1");
  EXPECT_EQ(Next(a, 9), (Texts{"a0"}));
}

TEST_F(QueueGroupLimitsTest, SoManyTakesOfAGroupInSoLong) {
  Client a = Connect(), b = Connect();
  a.Call("Q.CONF q GRATE 2/1000");
  Fill(a, "a", 5);
  Fill(a, "b", 1);
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q NEXT 9"), "next").elements.size(), 3u);
  EXPECT_EQ(Next(a, 9), (Texts{"a0", "b0", "a1"}));
  const std::string free_at = std::to_string(FakeClock::kStartMs + 500);
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q 3"), "next"), Bulk("no: group rate: free at " + free_at));
  b.Send("Q.TAKE q BLOCK 0");
  Advance(499ms);
  EXPECT_EQ(b.TryRead(), std::nullopt);
  Advance(1ms);
  EXPECT_EQ(BodiesOf(*b.TryRead()), (Texts{"a2"}));
  EXPECT_EQ(Next(a, 9), Texts{});
  EXPECT_EQ(a.Call("Q.CONF q GRATE 0"), Ok());
  EXPECT_EQ(Next(a, 9), (Texts{"a3", "a4"}));
}

TEST_F(QueueGroupLimitsTest, LeavingAndComingBackGivesNoNewRate) {
  Client a = Connect();
  a.Call("Q.CONF q GRATE 1/1000");
  Fill(a, "a", 1);
  a.Call("Q.TAKE q NOACK");
  // Numbers of groups without jobs are given to others; not this one yet.
  for (int i = 0; i < 10; ++i) a.Call("Q.ADD q j GROUP other" + std::to_string(i));
  Fill(a, "a", 1);
  EXPECT_EQ(Next(a, 99).size(), 10u);
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q GROUP a"), "held"),
            Bulk("rate: free at " + std::to_string(FakeClock::kStartMs + 1000)));
  Advance(1000ms);
  EXPECT_EQ(Next(a, 9), (Texts{"a0"}));
}

TEST_F(QueueGroupLimitsTest, ALimitedGroupHoldsUpNoOtherByItsAge) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high,low MODE aging AGING 1000");
  a.Call("Q.CONF q GROUP slow CONC 1");
  Fill(a, "slow", 2, "PRIO low");
  EXPECT_EQ(Next(a, 9), (Texts{"slow0"}));
  Advance(10s);
  // Were the low tier as old as what it cannot give, it would go first.
  Fill(a, "x", 1, "PRIO low");
  Fill(a, "y", 1, "PRIO high");
  EXPECT_EQ(Next(a, 9), (Texts{"y0", "x0"}));
}

TEST_F(QueueGroupLimitsTest, WithoutTurnsLimitsHoldAsWell) {
  Client a = Connect();
  a.Call("Q.CONF q GROUPS off GCONC 2");
  Fill(a, "a", 3);
  Fill(a, "b", 3);
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q NEXT 9"), "next").elements.size(), 4u);
  EXPECT_EQ(Next(a, 9), (Texts{"a0", "a1", "b0", "b1"}));
  a.Call("Q.ACK q 4-3");
  a.Call("Q.ACK q 1-1");
  EXPECT_EQ(Next(a, 9), (Texts{"a2", "b2"}));
}

TEST_F(QueueGroupLimitsTest, AFullGroupRefusesAndOthersDoNot) {
  Client a = Connect();
  a.Call("Q.CONF q GLEN 2");
  Fill(a, "a", 1, "PRIO 1");
  Advance(7ms);
  Fill(a, "a", 1, "PRIO 2");
  EXPECT_EQ(a.Call("Q.ADD q x GROUP a PRIO 1"), Err("QFULL group=a len=2/2 oldest=7"));
  EXPECT_EQ(a.Call("Q.ADD q x GROUP a PRIO 3"), Err("QFULL group=a len=2/2"));
  EXPECT_EQ(a.Call("Q.ADD q x GROUP b"), Int(3));
  EXPECT_EQ(a.Call("Q.ADD q x"), Int(4));  // Jobs without a group are no group.
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q GROUP a"), "headroom"), Int(0));
  Next(a, 1);
  EXPECT_EQ(a.Call("Q.ADD q x GROUP a"), Int(5));
  a.Call("Q.CONF q GROUP c BYTES 3");
  EXPECT_EQ(a.Call("Q.ADD q 1234 GROUP c"), Err("QFULL group=c len=0/2 bytes=0/3"));
}

TEST_F(QueueGroupLimitsTest, TheGroupsOldestMakesRoom) {
  Client a = Connect();
  a.Call("Q.CONF q GLEN 2 GFULL oldest LEN 5 FULL oldest");
  Fill(a, "b", 1);
  Fill(a, "a", 2);
  EXPECT_EQ(a.Call("Q.ADD q a2 GROUP a"), Int(4));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 2"), "reason"), Bulk("overflow"));
  Fill(a, "c", 2);
  // One of its own group makes room for the first of these, one of the whole tier for the queue.
  a.Call("Q.CONF q LEN 4");
  EXPECT_EQ(a.Call("Q.ADD q a3 GROUP a"), Int(7));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 3"), "reason"), Bulk("overflow"));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 1"), "reason"), Bulk("overflow"));
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q"), "ready"), Int(4));
}

TEST_F(QueueGroupLimitsTest, ProducersWaitForRoomInTheirGroup) {
  Client a = Connect(), b = Connect(), c = Connect(), d = Connect();
  a.Call("Q.CONF q GLEN 1 GFULL block");
  Fill(a, "a", 1);
  Fill(a, "b", 1);
  b.Send("Q.ADD q b-waits GROUP b BLOCK 0");
  c.Send("Q.ADD q a-first GROUP a BLOCK 0");
  d.Send("Q.ADD q a-second GROUP a BLOCK 0");
  EXPECT_EQ(b.TryRead(), std::nullopt);
  EXPECT_EQ(Next(a, 1), (Texts{"a0"}));
  EXPECT_EQ(c.TryRead(), Int(3));
  EXPECT_EQ(d.TryRead(), std::nullopt);
  EXPECT_EQ(b.TryRead(), std::nullopt);
  a.Call("Q.CANCEL q 3");
  EXPECT_EQ(d.TryRead(), Int(4));
  EXPECT_EQ(b.TryRead(), std::nullopt);
}

TEST_F(QueueGroupLimitsTest, TheDeadComeBackWhereTheirGroupHasRoom) {
  Client a = Connect();
  Fill(a, "a", 3);
  a.Call("Q.TAKE q COUNT 3");
  for (const char* receipt : {"1-1", "2-2", "3-3"}) {
    a.Call(std::string("Q.NACK q ") + receipt + " DEAD");
  }
  a.Call("Q.CONF q GLEN 2");
  EXPECT_EQ(a.Call("Q.REDRIVE q"), Int(2));
}

TEST_F(QueueGroupLimitsTest, AGroupPauses) {
  Client a = Connect(), b = Connect();
  Fill(a, "a", 2);
  Fill(a, "b", 2);
  EXPECT_EQ(a.Call("Q.PAUSE q GROUP a FOR 100"), Int(1));
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q 1"), "next"), Bulk("no: group paused"));
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q GROUP a"), "paused"), Bulk("out"));
  EXPECT_EQ(Next(a, 9), (Texts{"b0", "b1"}));
  b.Send("Q.TAKE q BLOCK 0");
  Advance(100ms);
  EXPECT_EQ(BodiesOf(*b.TryRead()), (Texts{"a0"}));
  EXPECT_EQ(a.Call("Q.PAUSE q IN GROUP a"), Int(1));
  EXPECT_EQ(a.Call("Q.PAUSE q IN GROUP a"), Int(0));
  EXPECT_EQ(a.Call("Q.ADD q x GROUP a"), Err("QPAUSED in group=a"));
  EXPECT_EQ(Next(a, 9), (Texts{"a1"}));
  EXPECT_EQ(a.Call("Q.RESUME q GROUP a"), Int(1));
  EXPECT_EQ(a.Call("Q.ADD q x GROUP a"), Int(5));
  EXPECT_EQ(a.Call("Q.RESUME q GROUP never-seen"), Int(0));
  EXPECT_EQ(a.Call("Q.PAUSE q TIER 1 GROUP a"), Err("ERR TIER and GROUP exclude each other"));
}

TEST_F(QueueGroupLimitsTest, APauseIsRememberedWithoutJobs) {
  Client a = Connect();
  a.Call("Q.CONF q LEASE 1000");
  EXPECT_EQ(a.Call("Q.PAUSE q GROUP a"), Int(1));
  for (int i = 0; i < 10; ++i) {
    a.Call("Q.ADD q j GROUP other" + std::to_string(i));
    a.Call("Q.TAKE q NOACK");
  }
  Fill(a, "a", 1);
  EXPECT_EQ(a.Call("Q.TAKE q"), NullArray());
}

TEST_F(QueueGroupLimitsTest, ListsAndCancelsWhatIsOfAGroup) {
  Client a = Connect();
  Fill(a, "a", 2, "PRIO 7");
  Fill(a, "a", 1, "PRIO 2");
  Fill(a, "b", 2, "PRIO 7");
  a.Call("Q.ADD q none PRIO 7");
  Fill(a, "a", 2, "DELAY 50");
  Fill(a, "b", 1, "DELAY 50");
  using Ids = std::vector<std::int64_t>;
  EXPECT_EQ(List(a, "ready GROUP a"), (Ids{3, 1, 2}));
  EXPECT_EQ(List(a, "ready GROUP a TIER 7"), (Ids{1, 2}));
  EXPECT_EQ(List(a, "ready GROUP nobody"), Ids{});
  EXPECT_EQ(List(a, "delayed GROUP b"), (Ids{9}));
  const Reply page = a.CallArgs({"Q.LIST", "q", "ready", "GROUP", ""});
  EXPECT_EQ(page.elements[1].elements.size(), 1u);
  // Page by page.
  const Reply first = a.Call("Q.LIST q ready GROUP a COUNT 2");
  EXPECT_EQ(List(a, "ready GROUP a FROM " + first.elements[0].text), (Ids{2}));
  Next(a, 1);
  EXPECT_EQ(List(a, "leased GROUP a"), (Ids{3}));
  EXPECT_EQ(a.Call("Q.CANCEL q STATE ready GROUP a"), Int(2));
  EXPECT_EQ(a.Call("Q.CANCEL q STATE delayed GROUP a COUNT 1"), Int(1));
  EXPECT_EQ(List(a, "delayed"), (Ids{8, 9}));
  EXPECT_EQ(List(a, "ready"), (Ids{4, 5, 6}));
}

TEST_F(QueueGroupLimitsTest, TellsTheHeaviestGroups) {
  Client a = Connect();
  Fill(a, "late", 1);
  Advance(10ms);
  Fill(a, "many", 5);
  Fill(a, "some", 4, "DELAY 100");
  Next(a, 3);
  EXPECT_EQ(Names(a, "waiting", 9), (Texts{"some", "many"}));
  EXPECT_EQ(Names(a, "waiting", 1), (Texts{"some"}));
  EXPECT_EQ(Names(a, "leased", 9), (Texts{"many", "late"}));
  a.Call("Q.NACK q 1-1 FREE");
  Advance(5ms);
  EXPECT_EQ(Names(a, "oldest", 9), (Texts{"late", "many"}));
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q GROUPS 3"), "groups"), Int(3));
  const Reply many = a.Call("Q.STATS q GROUP many");
  EXPECT_EQ(FieldOf(many, "len"), Int(3));
  EXPECT_EQ(FieldOf(many, "bytes"), Int(15));
  EXPECT_EQ(FieldOf(many, "leased"), Int(2));
  EXPECT_EQ(FieldOf(many, "oldest"), Int(5));
  EXPECT_EQ(FieldOf(many, "headroom"), Nil());
  EXPECT_EQ(FieldOf(many, "held"), Bulk("no"));
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q GROUP nobody"), "len"), Int(0));
}

TEST_F(QueueGroupLimitsTest, TellsWhenAGroupIsFullAndWhenItPauses) {
  Client a = Connect();
  Client listener = ConnectResp3();
  listener.Call("SUBSCRIBE __queue@0__:q");
  a.Call("Q.CONF q EVENTS full,ease,pause,resume GLEN 4 GMARKS 75:25");
  Fill(a, "a", 3);
  a.Call("COPY q r");
  a.Call("Q.PAUSE q GROUP a FOR 10");
  Advance(10ms);
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q GROUP a"), "full"), Bulk("yes"));
  Next(a, 2);
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q GROUP a"), "full"), Bulk("no"));
  EXPECT_EQ(FieldOf(a.Call("Q.STATS r GROUP a"), "full"), Bulk("yes"));
  for (const char* message : {"full 0 * group=a len=3/4", "pause 0 * group=a out",
                              "resume 0 * group=a out", "ease 0 * group=a len=1/4"}) {
    EXPECT_EQ(listener.TryRead(), Push({Bulk("message"), Bulk("__queue@0__:q"), Bulk(message)}));
  }
  EXPECT_EQ(listener.TryRead(), std::nullopt);
}

TEST_F(QueueGroupLimitsTest, ACopyKnowsLimitsAndPauses) {
  Client a = Connect();
  a.Call("Q.CONF q GCONC 1 GRATE 1/1000");
  for (const char* group : {"a", "b", "c"}) Fill(a, group, 3);
  a.Call("Q.PAUSE q GROUP c FOR 100");
  EXPECT_EQ(Next(a, 1), (Texts{"a0"}));
  a.Call("COPY q r");
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE r COUNT 9")), (Texts{"b0"}));
  Advance(100ms);
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE r COUNT 9")), (Texts{"c0"}));
  EXPECT_EQ(Next(a, 9), (Texts{"b0", "c0"}));
}

}  // namespace
}  // namespace rung::testing

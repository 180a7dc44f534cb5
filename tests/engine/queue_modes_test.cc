// How a queue chooses among its tiers: every mode, re-prioritising, and Q.EXPLAIN, which must know.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "kit/engine_test.h"
#include "kit/queue_reply.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

class QueueModesTest : public EngineTest {
 protected:
  void Fill(Client& client, const std::string& tier, int count) {
    for (int left = count; left > 0; left -= 500) {
      std::string request = "Q.ADD q " + tier + " PRIO " + tier;
      const int more = std::min(left, 500) - 1;
      if (more > 0) request += " MORE " + std::to_string(more);
      for (int i = 0; i < more; ++i) request += " " + tier;
      client.Call(request);
    }
  }
  // The bodies of the next jobs: here the names of their tiers.
  Texts Next(Client& client, int count) {
    return BodiesOf(client.Call("Q.TAKE q COUNT " + std::to_string(count)));
  }
  std::map<std::string, int> Count(const Texts& bodies) {
    std::map<std::string, int> counts;
    for (const std::string& body : bodies) ++counts[body];
    return counts;
  }
  static Texts IdsOf(const Reply& explained) {
    Texts ids;
    for (const Reply& next : FieldOf(explained, "next").elements) {
      ids.push_back(std::to_string(next.elements[0].integer));
    }
    return ids;
  }
  static Texts ReasonsOf(const Reply& explained) {
    Texts reasons;
    for (const Reply& next : FieldOf(explained, "next").elements) {
      reasons.push_back(next.elements[4].text);
    }
    return reasons;
  }
};

TEST_F(QueueModesTest, Case06_SharesAreExactInEveryAlignedWindow) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high:70,medium:20,low:10 MODE weighted");
  for (const char* tier : {"high", "medium", "low"}) Fill(a, tier, 10000);
  int since_medium = 0;
  for (int window = 0; window < 100; ++window) {
    const Texts taken = Next(a, 100);
    EXPECT_EQ(Count(taken),
              (std::map<std::string, int>{{"high", 70}, {"medium", 20}, {"low", 10}}));
    for (const std::string& tier : taken) {
      // high medium high high low high high medium high high, and so on.
      since_medium = tier == "medium" ? 0 : since_medium + 1;
      EXPECT_LE(since_medium, 5);
    }
  }
}

TEST_F(QueueModesTest, Case16_IdlingEarnsNothingAndCostsNothing) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high:70,medium:20,low:10 MODE weighted");
  Fill(a, "low", 2000);
  EXPECT_EQ(Count(Next(a, 500)), (std::map<std::string, int>{{"low", 500}}));
  Advance(1h);
  Fill(a, "high", 1000);
  // 70 to 10 from now on, and no burst for the idle hour.
  EXPECT_EQ(Count(Next(a, 80)), (std::map<std::string, int>{{"high", 70}, {"low", 10}}));
  EXPECT_EQ(Count(Next(a, 80)), (std::map<std::string, int>{{"high", 70}, {"low", 10}}));
}

TEST_F(QueueModesTest, ATierThatComesBackIsServedWithinItsBound) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high:70,medium:20,low:10 MODE weighted");
  Fill(a, "high", 3000);
  Fill(a, "medium", 3000);
  for (int i = 0; i < 100; ++i) {
    Next(a, 1 + i % 7);
    Fill(a, "low", 1);
    int waited = 1;
    while (Next(a, 1)[0] != "low") ++waited;
    EXPECT_LE(waited, 10) << i;
  }
}

TEST_F(QueueModesTest, WeightsChangeAtOnce) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high,low MODE weighted");
  Fill(a, "high", 500);
  Fill(a, "low", 500);
  EXPECT_EQ(Count(Next(a, 100)), (std::map<std::string, int>{{"high", 50}, {"low", 50}}));
  EXPECT_EQ(a.Call("Q.CONF q TIER high WEIGHT 3"), Ok());
  EXPECT_EQ(FieldOf(a.Call("Q.CONF q TIER high"), "weight"), Bulk("3"));
  EXPECT_EQ(FieldOf(a.Call("Q.CONF q"), "tiers"), Bulk("high:3,low"));
  EXPECT_EQ(Count(Next(a, 100)), (std::map<std::string, int>{{"high", 75}, {"low", 25}}));
}

TEST_F(QueueModesTest, SharesCountCostsWhereTheyAreCharged) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high,low MODE weighted CHARGE cost");
  for (int i = 0; i < 100; ++i) {
    a.Call("Q.ADD q high PRIO high COST 3");
    a.Call("Q.ADD q low PRIO low");
  }
  EXPECT_EQ(Count(Next(a, 40)), (std::map<std::string, int>{{"high", 10}, {"low", 30}}));
}

TEST_F(QueueModesTest, AgingIsExactToTheMillisecond) {
  Client a = Connect();
  a.Call("Q.CONF q MODE aging AGING 1000");
  a.Call("Q.ADD q old PRIO 10");
  Advance(1999ms);
  a.Call("Q.ADD q eight-early PRIO 8");
  EXPECT_EQ(IdsOf(a.Call("Q.EXPLAIN q NEXT 2")), (Texts{"2", "1"}));
  a.Call("Q.CANCEL q 2");
  Advance(1ms);
  a.Call("Q.ADD q eight-level PRIO 8");
  // Level: the more urgent tier goes first.
  EXPECT_EQ(Next(a, 1), (Texts{"eight-level"}));
  Advance(1ms);
  a.Call("Q.ADD q eight-late PRIO 8");
  EXPECT_EQ(ReasonsOf(a.Call("Q.EXPLAIN q NEXT 2")), (Texts{"aged", "only-tier"}));
  EXPECT_EQ(Next(a, 2), (Texts{"old", "eight-late"}));
}

TEST_F(QueueModesTest, Case14_ALowJobOutlastsNoSteadyStream) {
  // High ones at the rate at which they are taken; a tier is worth 5 s.
  for (const bool aging : {false, true}) {
    Client a = Connect();
    a.Call("DEL q");
    a.Call(std::string("Q.CONF q AGING 5000 MODE ") + (aging ? "aging" : "strict"));
    a.Call("Q.ADD q high PRIO 0");
    a.Call("Q.ADD q low PRIO 1");
    int waited = 0;
    while (waited < 200 && Next(a, 1)[0] != "low") {
      a.Call("Q.ADD q high PRIO 0");
      Advance(100ms);
      ++waited;
    }
    // The high one that comes at 5 s is level and still goes first; none that comes later does.
    EXPECT_EQ(waited, aging ? 52 : 200);
  }
}

TEST_F(QueueModesTest, AgingStopsAtItsCap) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS top,high,low MODE aging AGING 1000 CAP high");
  Fill(a, "low", 1);
  Advance(1h);
  Fill(a, "top", 1);
  Fill(a, "high", 1);
  EXPECT_EQ(Next(a, 3), (Texts{"top", "low", "high"}));
}

TEST_F(QueueModesTest, StepsPromoteAsTheArticleHasIt) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high,medium,low MODE step STEPS low:1800000:medium,low:3600000:high");
  Fill(a, "low", 1);
  Advance(30min - 1ms);
  Fill(a, "medium", 1);
  const Reply early = a.Call("Q.EXPLAIN q 1");
  EXPECT_EQ(FieldOf(early, "level"), Bulk("low"));
  EXPECT_EQ(FieldOf(early, "promoted-in"), Int(1));
  EXPECT_EQ(FieldOf(early, "next"), Bulk("no: others are before it"));
  Advance(1ms);
  EXPECT_EQ(IdsOf(a.Call("Q.EXPLAIN q")), (Texts{"1"}));
  Advance(30min);
  Fill(a, "high", 1);
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q 1"), "next"), Bulk("yes: promoted"));
  EXPECT_EQ(Next(a, 3), (Texts{"low", "high", "medium"}));
}

TEST_F(QueueModesTest, FloorsGrantWhatTheySay) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high,medium,low MODE floors FLOORS low:10");
  for (const char* tier : {"high", "medium", "low"}) Fill(a, tier, 1000);
  EXPECT_EQ(Count(Next(a, 100)), (std::map<std::string, int>{{"high", 90}, {"low", 10}}));
  EXPECT_EQ(a.Call("Q.CONF q FLOORS low:60,medium:50"),
            Err("ERR floors are more than 100 per cent in all"));
}

TEST_F(QueueModesTest, MaxWaitServesTheOverdueFirst) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high:3,low:1 MODE weighted MAXWAIT low:1000");
  Fill(a, "high", 50);
  Fill(a, "low", 3);
  EXPECT_EQ(Next(a, 4), (Texts{"high", "low", "high", "high"}));
  Advance(1s);
  EXPECT_EQ(ReasonsOf(a.Call("Q.EXPLAIN q"))[0], "overdue");
  EXPECT_EQ(Next(a, 1), (Texts{"low"}));
}

TEST_F(QueueModesTest, AModeThatNeedsNamedTiersSaysSo) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.CONF q MODE weighted"),
            Err("ERR mode weighted needs a closed ladder: set TIERS"));
  EXPECT_EQ(a.Call("Q.CONF q MODE fastest"), Err("ERR invalid value 'fastest' for setting 'MODE'"));
  EXPECT_EQ(a.Call("Q.CONF q TIERS a:1001"), Err("ERR invalid value 'a:1001' for setting 'TIERS'"));
  EXPECT_EQ(a.Call("EXISTS q"), Int(0));
}

TEST_F(QueueModesTest, ExplainedIsTakenInEveryMode) {
  constexpr std::array kModes = {"MODE strict",
                                 "MODE weighted",
                                 "MODE weighted CHARGE cost",
                                 "MODE aging AGING 500",
                                 "MODE aging AGING 500 CAP b",
                                 "MODE step STEPS c:300:b,d:500:c,d:900:a",
                                 "MODE floors FLOORS c:20,d:10",
                                 "MODE weighted MAXWAIT d:400"};
  Rng rng(7);
  for (const char* mode : kModes) {
    Client a = Connect();
    a.Call("DEL q");
    a.Call("Q.CONF q TIERS a:7,b:3,c:2,d:1 " + std::string(mode));
    for (int round = 0; round < 60; ++round) {
      for (std::uint64_t i = rng.Below(8); i > 0; --i) {
        const std::string tier(1, "abcd"[rng.Below(4)]);
        a.Call("Q.ADD q j PRIO " + tier + " COST " + std::to_string(1 + rng.Below(5)));
      }
      Advance(std::chrono::milliseconds(rng.Below(200)));
      const std::string count = std::to_string(1 + rng.Below(6));
      const Texts promised = IdsOf(a.Call("Q.EXPLAIN q NEXT " + count));
      Texts taken;
      for (const Reply& entry : a.Call("Q.TAKE q COUNT " + count).elements) {
        const std::string& receipt = entry.elements[1].text;
        taken.push_back(receipt.substr(0, receipt.find('-')));
      }
      ASSERT_EQ(taken, promised) << mode << ", round " << round;
    }
  }
}

TEST_F(QueueModesTest, PrioKeepsThePlaceUnlessItIsToldOtherwise) {
  Client a = Connect();
  for (int i = 1; i <= 6; ++i) a.Call("Q.ADD q j PRIO " + std::to_string(i < 4 ? 9 : 5));
  EXPECT_EQ(a.Call("Q.PRIO q 1 5"), Int(5));        // Older than all of tier 5.
  EXPECT_EQ(a.Call("Q.PRIO q 2 5 FRESH"), Int(5));  // Behind them.
  EXPECT_EQ(a.Call("Q.PRIO q 6 5 FRONT"), Int(5));
  EXPECT_EQ(IdsOf(a.Call("Q.EXPLAIN q NEXT 9")), (Texts{"6", "1", "4", "5", "2", "3"}));
  EXPECT_EQ(a.Call("Q.PRIO q 3 1 BOOST"), Int(1));
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q 3"), "whence"), Bulk("boost"));
  EXPECT_EQ(a.Call("Q.PRIO q 3 7"), Int(1));
  EXPECT_EQ(a.Call("Q.PRIO q 3 - BOOST"), Int(7));
  EXPECT_EQ(a.Call("Q.PRIO q 3 5 BOOST FRESH"),
            Err("ERR BOOST keeps the place: no FRESH or FRONT"));
  EXPECT_EQ(a.Call("Q.PRIO q 77 5"), Err("QNOJOB id=77"));
  EXPECT_EQ(a.Call("Q.PRIO nothing 1 5"), Err("QNOJOB id=1"));
  const std::string receipt = ReceiptOf(a.Call("Q.TAKE q"));
  EXPECT_EQ(a.Call("Q.PRIO q 6 9"), Int(9));  // Leased: it comes back there.
  a.Call("Q.NACK q " + receipt + " FREE");
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 6"), "tier"), Bulk("9"));
}

TEST_F(QueueModesTest, ExplainTellsWhyNot) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high,low");
  a.Call("Q.ADD q x PRIO high");
  a.Call("Q.ADD q y PRIO low DELAY 500");
  a.Call("Q.PAUSE q TIER high");
  const Reply explained = a.Call("Q.EXPLAIN q");
  EXPECT_EQ(FieldOf(explained, "mode"), Bulk("strict"));
  EXPECT_EQ(FieldOf(explained, "takeable"), Int(0));
  EXPECT_EQ(FieldOf(explained, "idle"),
            Array({Bulks({"high", "paused"}), Bulks({"low", "empty"})}));
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q 1"), "next"), Bulk("no: paused"));
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q 2"), "due-in"), Int(500));
  EXPECT_EQ(a.Call("Q.EXPLAIN q 3"), Err("QNOJOB id=3"));
  EXPECT_EQ(a.Call("Q.EXPLAIN missing"), Err("QNOQUEUE key=missing"));
}

TEST_F(QueueModesTest, ModeChangesTouchNoJob) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high:3,low:1");
  Fill(a, "high", 4);
  Fill(a, "low", 4);
  const Reply before = a.Call("Q.LIST q ready");
  for (const char* mode : {"weighted", "aging", "step", "floors", "strict"}) {
    a.Call(std::string("Q.CONF q MODE ") + mode);
    EXPECT_EQ(a.Call("Q.LIST q ready"), before) << mode;
  }
}

}  // namespace
}  // namespace rung::testing

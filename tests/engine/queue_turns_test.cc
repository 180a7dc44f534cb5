// Turns by weight where something happens beside the takes: a job that moves, a tier that is
// lifted, a setting that changes. That every turn is right: tests/model/queue_model_test.cc.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kit/engine_test.h"
#include "kit/queue_reply.h"

namespace rung::testing {
namespace {

class QueueTurnsTest : public EngineTest {
 protected:
  void Fill(Client& client, const std::string& body, int count, const std::string& options) {
    for (int i = 0; i < count; ++i) client.Call("Q.ADD q " + body + " " + options);
  }
  // After how many takes `body` comes, if `between` is asked before each further one; 0: not within
  // 100.
  int TakesUntil(Client& client, const std::string& body, const std::string& between) {
    for (int takes = 1; takes <= 100; ++takes) {
      if (BodiesOf(client.Call("Q.TAKE q")) == std::vector<std::string>{body}) return takes;
      client.Call(between);
    }
    return 0;
  }
};

TEST_F(QueueTurnsTest, ATierWhoseOnlyJobIsReplacedKeepsItsTurn) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high:9,low:1 MODE weighted");
  Fill(a, "high", 100, "PRIO high");
  a.Call("Q.ADD q low PRIO low NAME n");
  EXPECT_EQ(TakesUntil(a, "low", "Q.ADD q low PRIO low NAME n REPLACE"), 2);
}

TEST_F(QueueTurnsTest, ATierWhoseOnlyJobGetsAnotherPlaceKeepsItsTurn) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high:9,low:1 MODE weighted");
  Fill(a, "high", 100, "PRIO high");
  a.Call("Q.ADD q low PRIO low");
  EXPECT_EQ(TakesUntil(a, "low", "Q.PRIO q 101 low FRESH"), 2);
}

TEST_F(QueueTurnsTest, AGroupWhoseOnlyJobGetsAnotherPlaceKeepsItsTurn) {
  Client a = Connect();
  a.Call("Q.CONF q GROUP big WEIGHT 9");
  Fill(a, "big", 100, "GROUP big");
  a.Call("Q.ADD q small GROUP small");
  EXPECT_EQ(TakesUntil(a, "small", "Q.PRIO q 101 100 FRESH"), 2);
}

TEST_F(QueueTurnsTest, AFloorIsNotLostWhenTheOnlyJobGetsAnotherPlace) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high,low MODE floors FLOORS low:10");
  Fill(a, "high", 100, "PRIO high");
  a.Call("Q.ADD q low PRIO low");
  EXPECT_EQ(TakesUntil(a, "low", "Q.PRIO q 101 low FRESH"), 10);
}

TEST_F(QueueTurnsTest, ABoostedJobThatIsReplacedKeepsTheTurnOfTheTierItWasLiftedTo) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high:9,middle:1,low:1 MODE weighted");
  Fill(a, "high", 100, "PRIO high");
  a.Call("Q.ADD q lifted PRIO low NAME n");
  a.Call("Q.ADD q waiting PRIO middle AFTER 1 101");
  EXPECT_EQ(TakesUntil(a, "lifted", "Q.ADD q lifted PRIO low NAME n REPLACE"), 2);
}

TEST_F(QueueTurnsTest, TurnsCountJobsAtOnceWhenCostsAreNotChargedAnyMore) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high:1,low:1 MODE weighted CHARGE cost");
  a.Call("Q.ADD q high PRIO high COST 50");
  a.Call("Q.ADD q low PRIO low");
  a.Call("Q.CONF q CHARGE jobs");
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q")), (std::vector<std::string>{"high"}));
}

TEST_F(QueueTurnsTest, WhoWaitsForAJobHearsOfTheEndOfItsQueueBeforeAProducerBeginsANewOne) {
  Client a = Connect(), b = Connect(), c = Connect();
  a.Call("Q.CONF q LEN 1 FULL block");
  EXPECT_EQ(a.Call("Q.ADD q first"), Int(1));
  b.Send("Q.ADD q second BLOCK 0");
  c.Send("Q.GET q 1 BLOCK 0");
  a.Call("DEL q");
  EXPECT_EQ(b.TryRead(), Int(1));
  EXPECT_EQ(c.TryRead(), NullArray());  // That job 1 is another one.
}

}  // namespace
}  // namespace rung::testing

// GROUPS exact: each group is served one job at a time, in its order, whatever fails.

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

class QueueExactTest : public EngineTest {
 protected:
  void SetUp() override { Connect().Call("Q.CONF q GROUPS exact BACKOFF fix:1000 JITTER 0"); }
  void Fill(Client& client, const std::string& group, int count, const std::string& more = "") {
    for (int i = 0; i < count; ++i) {
      client.Call("Q.ADD q " + group + std::to_string(i) + " GROUP " + group + " " + more);
    }
  }
  Texts Next(Client& client, int count) {
    return BodiesOf(client.Call("Q.TAKE q COUNT " + std::to_string(count)));
  }
  Reply NextOf(Client& client, int id) {
    return FieldOf(client.Call("Q.EXPLAIN q " + std::to_string(id)), "next");
  }
};

TEST_F(QueueExactTest, OneJobOfAGroupAtATime) {
  Client a = Connect();
  Fill(a, "a", 3);
  Fill(a, "b", 3);
  EXPECT_EQ(FieldOf(a.Call("Q.CONF q"), "groups"), Bulk("exact"));
  EXPECT_EQ(FieldOf(a.Call("Q.EXPLAIN q NEXT 9"), "next").elements.size(), 2u);
  EXPECT_EQ(Next(a, 9), (Texts{"a0", "b0"}));
  EXPECT_EQ(a.Call("Q.TAKE q"), NullArray());
  EXPECT_EQ(NextOf(a, 2), Bulk("no: group exact: job 1 is leased"));
  a.Call("Q.ACK q 4-2");
  EXPECT_EQ(Next(a, 9), (Texts{"b1"}));
  a.Call("Q.ACK q 1-1");
  EXPECT_EQ(Next(a, 9), (Texts{"a1"}));
}

TEST_F(QueueExactTest, NothingOvertakesAJobThatWaitsForItsRetry) {
  Client a = Connect();
  Fill(a, "a", 3);
  EXPECT_EQ(Next(a, 9), (Texts{"a0"}));
  a.Call("Q.NACK q 1-1");
  EXPECT_EQ(a.Call("Q.TAKE q"), NullArray());
  const std::string due = std::to_string(FakeClock::kStartMs + 1000);
  EXPECT_EQ(NextOf(a, 2), Bulk("no: group exact: job 1 is to be tried again at " + due));
  Advance(1000ms);
  EXPECT_EQ(Next(a, 9), (Texts{"a0"}));
  a.Call("Q.NACK q 1-2 DEAD");
  EXPECT_EQ(Next(a, 9), (Texts{"a1"}));
}

TEST_F(QueueExactTest, AJobThatIsGivenBackIsTheNextOfItsGroup) {
  Client a = Connect();
  Fill(a, "a", 3);
  Next(a, 1);
  a.Call("Q.NACK q 1-1 FREE");
  EXPECT_EQ(Next(a, 9), (Texts{"a0"}));
}

TEST_F(QueueExactTest, ALeaseThatEndsKeepsTheOrder) {
  Client a = Connect();
  Fill(a, "a", 2);
  a.Call("Q.TAKE q LEASE 50");
  Advance(50ms);
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q COUNT 9 LEASE 50")), (Texts{"a0"}));
  Advance(50ms);  // The second failure: after the backoff.
  EXPECT_EQ(Next(a, 9), Texts{});
  Advance(1000ms);
  EXPECT_EQ(Next(a, 9), (Texts{"a0"}));
}

TEST_F(QueueExactTest, ABlockedTakerIsWokenByTheAck) {
  Client a = Connect(), b = Connect();
  Fill(a, "a", 2);
  Next(a, 1);
  b.Send("Q.TAKE q BLOCK 0");
  EXPECT_EQ(b.TryRead(), std::nullopt);
  a.Call("Q.ACK q 1-1");
  EXPECT_EQ(BodiesOf(*b.TryRead()), (Texts{"a1"}));
}

TEST_F(QueueExactTest, OneAtATimeInAllTiers) {
  Client a = Connect();
  Fill(a, "a", 1, "PRIO 5");
  Fill(a, "a", 1, "PRIO 1");
  Fill(a, "b", 1, "PRIO 9");
  EXPECT_EQ(a.Call("Q.TAKE q TIERS 5"), Array({Bulks({"q", "1-1", "a0"})}));
  // The more urgent one waits; its tier gives nothing, and the next one does.
  EXPECT_EQ(Next(a, 9), (Texts{"b0"}));
  const Reply idle = FieldOf(a.Call("Q.EXPLAIN q"), "idle");
  EXPECT_EQ(idle, Array({Bulks({"1", "groups"})}));
}

TEST_F(QueueExactTest, ADelayOrAPlaceAtTheBackHoldsUpNobody) {
  Client a = Connect();
  Fill(a, "a", 1, "DELAY 5000");
  Fill(a, "a", 2);
  EXPECT_EQ(Next(a, 9), (Texts{"a0"}));
  a.Call("Q.CONF q RETRYPOS back");
  a.Call("Q.NACK q 2-1");  // It gives up its place.
  EXPECT_EQ(Next(a, 9), (Texts{"a1"}));
}

TEST_F(QueueExactTest, JobsWithoutAGroupAreNotHeldToIt) {
  Client a = Connect();
  for (int i = 0; i < 3; ++i) a.Call("Q.ADD q none");
  Fill(a, "a", 2);
  EXPECT_EQ(Next(a, 9), (Texts{"none", "a0", "none", "none"}));
}

TEST_F(QueueExactTest, HoldsAndEndsAtOnce) {
  Client a = Connect();
  a.Call("Q.CONF q GROUPS fair");
  Fill(a, "a", 4);
  EXPECT_EQ(Next(a, 2), (Texts{"a0", "a1"}));
  a.Call("Q.CONF q GROUPS exact");
  EXPECT_EQ(Next(a, 9), Texts{});
  a.Call("Q.ACK q 1-1");
  EXPECT_EQ(Next(a, 9), Texts{});
  a.Call("Q.ACK q 2-2");
  EXPECT_EQ(Next(a, 9), (Texts{"a2"}));
  a.Call("Q.CONF q GROUPS off");
  EXPECT_EQ(Next(a, 9), (Texts{"a3"}));
}

TEST_F(QueueExactTest, ACopyIsHeldToItToo) {
  Client a = Connect();
  Fill(a, "a", 2);
  Fill(a, "b", 2);
  Next(a, 1);
  a.Call("COPY q r");
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE r COUNT 9")), (Texts{"b0"}));
  a.Call("RENAME q s");
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE s COUNT 9")), (Texts{"b0"}));
  a.Call("Q.ACK s 1-1");
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE s COUNT 9")), (Texts{"a1"}));
}

TEST_F(QueueExactTest, ACancelledHolderSetsItsGroupFree) {
  Client a = Connect();
  Fill(a, "a", 2);
  Next(a, 1);
  a.Call("Q.CANCEL q 1");
  EXPECT_EQ(Next(a, 9), Texts{});  // It is still at work.
  a.Call("Q.CANCEL q 1 FORCE");
  EXPECT_EQ(Next(a, 9), (Texts{"a1"}));
}

}  // namespace
}  // namespace rung::testing

// What a queue publishes on its channel, and when: jobs, lifts, pauses, settings, marks.

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kit/engine_test.h"
#include "kit/queue_reply.h"
#include "rung/types/queue.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

class QueueEventsTest : public EngineTest {
 protected:
  QueueEventsTest() : client_(Connect()), listener_(Connect()) {
    listener_.Call("SUBSCRIBE __queue@0__:q");
  }
  // The messages since the last call.
  Texts Heard() {
    Texts messages;
    while (const auto message = listener_.TryRead()) messages.push_back(message->elements[2].text);
    return messages;
  }
  Reply Call(std::string_view line) { return client_.Call(line); }
  void Listen(const std::string& events) {
    Call("Q.CONF q EVENTS " + events);
    Heard();
  }

  Client client_;
  Client listener_;
};

TEST_F(QueueEventsTest, NothingIsPublishedUnlessAskedFor) {
  Call("Q.ADD q a");
  Call("Q.TAKE q");
  Call("Q.PAUSE q");
  EXPECT_EQ(Heard(), Texts{});
}

TEST_F(QueueEventsTest, ThoseAskedForAreToldBack) {
  EXPECT_EQ(Call("Q.CONF q EVENTS full,add,unboost"), Ok());
  EXPECT_EQ(FieldOf(Call("Q.CONF q"), "events"), Bulk("add,unboost,full"));
  Call("Q.CONF q EVENTS all");
  EXPECT_EQ(FieldOf(Call("Q.CONF q"), "events"),
            Bulk("add,due,take,done,fail,dead,stall,cancel,boost,unboost,pause,resume,conf,full,"
                 "ease"));
  EXPECT_EQ(Call("Q.CONF q EVENTS add,birth"),
            Err("ERR invalid value 'add,birth' for setting 'EVENTS'"));
}

TEST_F(QueueEventsTest, TheLifeOfAJob) {
  Call("Q.CONF q EVENTS all TRIES 2 BACKOFF fix:10 JITTER 0");
  EXPECT_EQ(Heard(), (Texts{"conf 0 * events,tries,backoff,jitter"}));
  Call("Q.ADD q a PRIO 3 DELAY 5");
  EXPECT_EQ(Heard(), (Texts{"add 1 3 delayed"}));
  Advance(5ms);
  EXPECT_EQ(Heard(), (Texts{"due 1 3"}));
  Call("Q.TAKE q WORKER w LEASE 100");
  EXPECT_EQ(Heard(), (Texts{"take 1 3 w"}));
  Advance(100ms);
  EXPECT_EQ(Heard(), (Texts{"stall 1 3"}));
  Call("Q.TAKE q");
  Call("Q.NACK q 1-2 ERR broken");
  EXPECT_EQ(Heard(), (Texts{"take 1 3", "fail 1 3 broken", "dead 1 3 failures"}));
  Call("Q.REDRIVE q");
  Call("Q.TAKE q");
  Call("Q.ACK q 1-3");
  EXPECT_EQ(Heard(), (Texts{"take 1 3", "done 1 3"}));
  Call("Q.ADD q b");
  Call("Q.CANCEL q 2");
  EXPECT_EQ(Heard(), (Texts{"add 2 100 ready", "cancel 2 100"}));
}

TEST_F(QueueEventsTest, ABoostByHandAndItsEnd) {
  Listen("boost,unboost");
  Call("Q.ADD q a PRIO 5");
  Call("Q.PRIO q 1 2 BOOST");
  EXPECT_EQ(Heard(), (Texts{"boost 1 2 own=5"}));
  Call("Q.PRIO q 1 1 BOOST");
  EXPECT_EQ(Heard(), (Texts{"boost 1 1 own=5"}));
  Call("Q.PRIO q 1 3 BOOST");
  EXPECT_EQ(Heard(), (Texts{"unboost 1 3 own=5"}));
  Call("Q.PRIO q 1 - BOOST");
  EXPECT_EQ(Heard(), (Texts{"unboost 1 5 own=5"}));
  // Its own tier is nobody's boost.
  Call("Q.PRIO q 1 0");
  Call("Q.PRIO q 1 9");
  EXPECT_EQ(Heard(), Texts{});
}

TEST_F(QueueEventsTest, AChainIsLiftedAndSinksBack) {
  Listen("add,boost,unboost");
  Call("Q.ADD q a PRIO 7");
  Call("Q.ADD q b PRIO 8 AFTER 1 1");
  EXPECT_EQ(Heard(), (Texts{"add 1 7 ready", "add 2 8 blocked"}));
  Call("Q.ADD q c PRIO 1 AFTER 1 2");
  EXPECT_EQ(Heard(), (Texts{"add 3 1 blocked", "boost 1 1 own=7", "boost 2 1 own=8"}));
  Call("Q.PRIO q 3 4");
  EXPECT_EQ(Heard(), (Texts{"unboost 1 4 own=7", "unboost 2 4 own=8"}));
  Call("Q.CANCEL q 3");
  EXPECT_EQ(Heard(), (Texts{"unboost 1 7 own=7", "unboost 2 8 own=8"}));
}

TEST_F(QueueEventsTest, AJobThatIsDoneDoesNotSinkBack) {
  Listen("boost,unboost");
  Call("Q.ADD q a PRIO 7");
  Call("Q.ADD q b PRIO 1 AFTER 1 1");
  Heard();
  Call("Q.TAKE q");
  Call("Q.ACK q 1-1 RESULT r");
  EXPECT_EQ(Heard(), Texts{});
}

TEST_F(QueueEventsTest, PausesBeginAndEnd) {
  Listen("pause,resume");
  Call("Q.CONF q TIERS high,low");
  Call("Q.PAUSE q");
  Call("Q.PAUSE q ALL");
  Call("Q.PAUSE q ALL");
  EXPECT_EQ(Heard(), (Texts{"pause 0 * out", "pause 0 * in"}));
  Call("Q.RESUME q");
  EXPECT_EQ(Heard(), (Texts{"resume 0 * all"}));
  Call("Q.PAUSE q OUT TIER low FOR 50");
  EXPECT_EQ(Heard(), (Texts{"pause 0 low out"}));
  Advance(49ms);
  EXPECT_EQ(Heard(), Texts{});
  Advance(1ms);
  EXPECT_EQ(Heard(), (Texts{"resume 0 low out"}));
  Call("Q.RESUME q");
  EXPECT_EQ(Heard(), Texts{});
}

TEST_F(QueueEventsTest, SettingsAreNamed) {
  Listen("conf");
  Call("Q.CONF q TIERS high:2,low Mode weighted");
  Call("Q.CONF q TIER low LEN 5");
  Call("Q.CONF q GROUP acme WEIGHT 3");
  Call("Q.CONF q TRIES none");
  EXPECT_EQ(Heard(),
            (Texts{"conf 0 * tiers,mode", "conf 0 low len", "conf 0 * group=acme weight"}));
}

// LEN 10: full from 8 on, ease from 6 on.
TEST_F(QueueEventsTest, MarksAreExactAndHaveHysteresis) {
  Call("Q.CONF q LEN 10");
  Listen("full,ease");
  Call("Q.ADD q a MORE 6 b c d e f g");
  EXPECT_EQ(Heard(), Texts{});
  EXPECT_EQ(FieldOf(Call("Q.STATS q"), "full"), Bulk("no"));
  Call("Q.ADD q h");
  EXPECT_EQ(Heard(), (Texts{"full 0 * len=8/10"}));
  EXPECT_EQ(FieldOf(Call("Q.STATS q"), "full"), Bulk("yes"));
  EXPECT_EQ(FieldOf(Call("Q.STATS q"), "headroom"), Int(2));
  Call("Q.ADD q i MORE 1 j");
  Call("Q.TAKE q COUNT 3");
  Call("Q.ADD q k");
  EXPECT_EQ(Heard(), Texts{});
  Call("Q.TAKE q COUNT 2");
  EXPECT_EQ(Heard(), (Texts{"ease 0 * len=6/10"}));
  EXPECT_EQ(FieldOf(Call("Q.STATS q"), "full"), Bulk("no"));
  EXPECT_EQ(FieldOf(Call("Q.STATS q"), "headroom"), Int(4));
  Call("Q.ADD q l");
  Call("Q.TAKE q");
  EXPECT_EQ(Heard(), Texts{});
  // What comes back from leases counts.
  Call("Q.NACK q 1-1 FREE");
  Call("Q.NACK q 2-2 FREE");
  EXPECT_EQ(Heard(), (Texts{"full 0 * len=8/10"}));
}

TEST_F(QueueEventsTest, MarksMayBeSetAndRoundOutwards) {
  Call("Q.CONF q LEN 3 MARKS 50:34");
  Listen("full,ease");
  // 50 % of 3 are reached with 2; 34 % of 3 are kept with 1.
  Call("Q.ADD q a");
  EXPECT_EQ(Heard(), Texts{});
  Call("Q.ADD q b");
  EXPECT_EQ(Heard(), (Texts{"full 0 * len=2/3"}));
  Call("Q.TAKE q");
  EXPECT_EQ(Heard(), (Texts{"ease 0 * len=1/3"}));
  for (const char* marks : {"60:60", "50:60", "101:60", "80", "80:-1", "80:60:40", ""}) {
    EXPECT_TRUE(client_.CallArgs({"Q.CONF", "q", "MARKS", marks}).IsError()) << marks;
  }
  EXPECT_EQ(FieldOf(Call("Q.CONF q"), "marks"), Bulk("50:34"));
  EXPECT_EQ(Call("Q.CONF q MARKS 100:0"), Ok());
}

TEST_F(QueueEventsTest, EitherLimitFillsBothMustEase) {
  Call("Q.CONF q LEN 10 BYTES 100");
  Listen("full,ease");
  const std::string body(80, 'x');
  Call("Q.ADD q " + body);
  EXPECT_EQ(Heard(), (Texts{"full 0 * len=1/10 bytes=80/100"}));
  EXPECT_EQ(FieldOf(Call("Q.STATS q"), "headroom-bytes"), Int(20));
  for (int i = 0; i < 6; ++i) Call("Q.ADD q x PRIO 200");
  EXPECT_EQ(Heard(), Texts{});
  Call("Q.TAKE q");
  EXPECT_EQ(Heard(), (Texts{"ease 0 * len=6/10 bytes=6/100"}));
}

TEST_F(QueueEventsTest, ATierHasMarksOfItsOwn) {
  Call("Q.CONF q TIERS high,low LEN 100");
  Call("Q.CONF q TIER low LEN 5 MARKS 100:20");
  Listen("full,ease");
  EXPECT_EQ(FieldOf(Call("Q.CONF q TIER low"), "marks"), Bulk("100:20"));
  Call("Q.ADD q a PRIO low MORE 4 b c d e");
  EXPECT_EQ(Heard(), (Texts{"full 0 low len=5/5"}));
  EXPECT_EQ(FieldOf(Call("Q.STATS q TIER low"), "full"), Bulk("yes"));
  EXPECT_EQ(FieldOf(Call("Q.STATS q"), "full"), Bulk("no"));
  // A job that moves to another tier is none of this one's any more.
  for (int id = 1; id <= 3; ++id) Call("Q.PRIO q " + std::to_string(id) + " high");
  EXPECT_EQ(Heard(), Texts{});
  Call("Q.PRIO q 4 high");
  EXPECT_EQ(Heard(), (Texts{"ease 0 low len=1/5"}));
}

TEST_F(QueueEventsTest, OtherLimitsMakeFullOrEaseAtOnce) {
  Listen("full,ease");
  Call("Q.ADD q a MORE 7 b c d e f g h");
  EXPECT_EQ(Heard(), Texts{});
  Call("Q.CONF q LEN 10");
  EXPECT_EQ(Heard(), (Texts{"full 0 * len=8/10"}));
  Call("Q.CONF q LEN 12");
  EXPECT_EQ(Heard(), Texts{});
  Call("Q.CONF q LEN 14");
  EXPECT_EQ(Heard(), (Texts{"ease 0 * len=8/14"}));
  Call("Q.CONF q LEN 8");
  Call("Q.CONF q LEN 0");
  EXPECT_EQ(Heard(), (Texts{"full 0 * len=8/8", "ease 0 *"}));
}

TEST_F(QueueEventsTest, AFullTierThatEmptiesHasEaseThoughManyTiersComeAndGo) {
  Call("Q.CONF q TIER 7 LEN 2 MARKS 100:0");
  Listen("full,ease");
  Call("Q.ADD q a PRIO 7 MORE 1 b");
  for (int tier = 1000; tier < 1300; ++tier) Call("Q.ADD q x PRIO " + std::to_string(tier));
  Call("Q.TAKE q COUNT 2");
  EXPECT_EQ(Heard(), (Texts{"full 0 7 len=2/2", "ease 0 7 len=0/2"}));
}

TEST_F(QueueEventsTest, TheLogGivesTheSameMarks) {
  Call("Q.CONF q LEN 10");
  Call("Q.ADD q a MORE 7 b c d e f g h");
  Call("Q.TAKE q");
  const auto digest = [](Engine& of) {
    return of.broker().store.database(0).Peek("q").entry()->ValueDigest().Hex();
  };
  const std::string before = digest(*engine);
  const std::string history = log.bytes;
  engine = std::make_unique<Engine>(config, clock, host, 7);
  Client loader = Connect();
  loader.SendRaw(history);
  EXPECT_EQ(digest(*engine), before);
  // 7 of 10: full only for one that was at 8 before.
  EXPECT_EQ(FieldOf(Connect().Call("Q.STATS q"), "full"), Bulk("yes"));
  Connect().Call("COPY q copy");
  EXPECT_EQ(FieldOf(Connect().Call("Q.STATS copy"), "full"), Bulk("yes"));
}

}  // namespace
}  // namespace rung::testing

// Q.CRON: schedules of a queue, on the virtual clock, which starts on 2026-01-01 00:00:00 UTC.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "kit/engine_test.h"
#include "kit/queue_reply.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

constexpr std::int64_t kStart = 1'767'225'600'000;
constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;

class QueueCronTest : public EngineTest {
 protected:
  std::int64_t Ready(Client& client) { return FieldOf(client.Call("Q.STATS q"), "ready").integer; }
};

TEST_F(QueueCronTest, AddsItsJobAtTheExactTimeAgainAndAgain) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.CRON q SET report \"30 2 * * *\" \"make report\" PRIO 7 TRIES 2"),
            Int(kStart + 2 * kHour + 30 * kMinute));
  Advance(std::chrono::hours(2) + 30min - 1ms);
  EXPECT_EQ(a.Call("Q.TAKE q"), NullArray());
  Advance(1ms);
  const Reply taken = a.Call("Q.TAKE q META");
  EXPECT_EQ(BodiesOf(taken), (std::vector<std::string>{"make report"}));
  EXPECT_EQ(FieldOf(taken.elements[0].elements[3], "tier"), Bulk("7"));
  Advance(24h);
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE q")), (std::vector<std::string>{"make report"}));
  EXPECT_EQ(FieldOf(a.Call("Q.CRON q GET report"), "runs"), Int(2));
}

TEST_F(QueueCronTest, WakesABlockedTaker) {
  Client a = Connect();
  Client b = Connect();
  a.Call("Q.CRON q SET tick \"@every 5000\" t");
  b.Send("Q.TAKE q BLOCK 0");
  Advance(4999ms);
  EXPECT_FALSE(b.TryRead());
  Advance(1ms);
  EXPECT_EQ(BodiesOf(b.Read()), (std::vector<std::string>{"t"}));
}

TEST_F(QueueCronTest, FollowsTheClocksOfItsZone) {
  Client a = Connect();
  // Berlin's clocks leave out 02:30 on 29 March 2026: 01:00 UTC, 87 days and an hour from now.
  EXPECT_EQ(a.Call("Q.CRON q SET gap \"30 2 29 3 *\" b ZONE Europe/Berlin"),
            Int(kStart + 87 * 24 * kHour + kHour));
  EXPECT_EQ(a.Call("Q.CRON q SET morning \"0 9 * * *\" b ZONE Europe/Berlin"),
            Int(kStart + 8 * kHour));
}

TEST_F(QueueCronTest, TellsAndListsSchedulesByName) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.CRON q"), Array({}));
  EXPECT_EQ(a.Call("Q.CRON q GET x"), NullArray());
  a.Call("Q.CRON q SET b @hourly two NAME n TTL 1000 COST 3 LEASE 50 TRIES 0");
  a.Call("Q.CRON q SET a @daily one ZONE Asia/Tokyo");
  const Reply list = a.Call("Q.CRON q");
  ASSERT_EQ(list.elements.size(), 2u);
  EXPECT_EQ(FieldOf(list.elements[0], "name"), Bulk("a"));
  EXPECT_EQ(FieldOf(list.elements[0], "zone"), Bulk("Asia/Tokyo"));
  EXPECT_EQ(FieldOf(list.elements[0], "next"), Int(kStart + 15 * kHour));
  const Reply b = a.Call("Q.CRON q GET b");
  EXPECT_EQ(FieldOf(b, "schedule"), Bulk("@hourly"));
  EXPECT_EQ(FieldOf(b, "body"), Bulk("two"));
  EXPECT_EQ(FieldOf(b, "tier"), Bulk("100"));
  EXPECT_EQ(FieldOf(b, "last"), Nil());
  EXPECT_EQ(FieldOf(b, "last-id"), Nil());
  EXPECT_EQ(FieldOf(b, "job-name"), Bulk("n"));
  EXPECT_EQ(FieldOf(b, "ttl"), Int(1000));
  EXPECT_EQ(FieldOf(b, "cost"), Int(3));
  EXPECT_EQ(FieldOf(b, "lease"), Int(50));
  EXPECT_EQ(FieldOf(b, "tries"), Int(0));
  EXPECT_EQ(ConnectResp3().Call("Q.CRON q GET x"), Null3());
}

TEST_F(QueueCronTest, ASecondSetReplacesAndKeepsTheCounts) {
  Client a = Connect();
  a.Call("Q.CRON q SET s \"@every 1000\" old");
  Advance(2s);
  EXPECT_EQ(a.Call("Q.CRON q SET s \"@every 60000\" new"), Int(kStart + kMinute));
  const Reply schedule = a.Call("Q.CRON q GET s");
  EXPECT_EQ(FieldOf(schedule, "runs"), Int(2));
  EXPECT_EQ(FieldOf(schedule, "last"), Int(kStart + 2000));
  EXPECT_EQ(FieldOf(schedule, "last-id"), Int(2));
  EXPECT_EQ(a.Call("Q.CRON q").elements.size(), 1u);
}

TEST_F(QueueCronTest, DroppedSchedulesAddNothingMore) {
  Client a = Connect();
  a.Call("Q.CRON q SET s \"@every 1000\" b");
  EXPECT_EQ(a.Call("Q.CRON q DEL s other"), Int(1));
  EXPECT_EQ(a.Call("Q.CRON q DEL s"), Int(0));
  EXPECT_EQ(a.Call("Q.CRON missing DEL s"), Int(0));
  Advance(5s);
  EXPECT_EQ(a.Call("Q.TAKE q"), NullArray());
}

TEST_F(QueueCronTest, ANamedJobIsNotAddedWhileTheLastOneIsUnfinished) {
  Client a = Connect();
  a.Call("Q.CRON q SET s \"@every 1000\" b NAME only");
  Advance(3s);
  EXPECT_EQ(Ready(a), 1);
  const std::string receipt = ReceiptOf(a.Call("Q.TAKE q LEASE 60000"));
  Advance(1s);
  EXPECT_EQ(Ready(a), 0);
  EXPECT_EQ(a.Call("Q.ACK q " + receipt), Ok());
  Advance(1s);
  EXPECT_EQ(Ready(a), 1);
  const Reply schedule = a.Call("Q.CRON q GET s");
  EXPECT_EQ(FieldOf(schedule, "runs"), Int(2));
  EXPECT_EQ(FieldOf(schedule, "skipped"), Int(3));
}

TEST_F(QueueCronTest, PausedAddsSkipTheRun) {
  Client a = Connect();
  a.Call("Q.CRON q SET s \"@every 1000\" b");
  a.Call("Q.PAUSE q IN");
  Advance(2s);
  a.Call("Q.RESUME q");
  Advance(1s);
  EXPECT_EQ(Ready(a), 1);
  EXPECT_EQ(FieldOf(a.Call("Q.CRON q GET s"), "skipped"), Int(2));
}

TEST_F(QueueCronTest, LimitsHoldForSchedulesAsForProducers) {
  Client a = Connect();
  a.Call("Q.CONF q LEN 2");
  a.Call("Q.CRON q SET s \"@every 1000\" b");
  Advance(3s);
  EXPECT_EQ(Ready(a), 2);
  EXPECT_EQ(FieldOf(a.Call("Q.CRON q GET s"), "skipped"), Int(1));
  a.Call("Q.CONF q FULL oldest");
  Advance(1s);
  EXPECT_EQ(Ready(a), 2);
  EXPECT_EQ(FieldOf(a.Call("Q.CRON q GET s"), "last-id"), Int(3));
}

TEST_F(QueueCronTest, WhatWasMissedIsOneJobNotAFlood) {
  Client a = Connect();
  a.Call("Q.CRON q SET s \"* * * * *\" b");
  clock.Advance(90min + 30s);  // Nobody was there.
  EXPECT_EQ(Ready(a), 1);
  const Reply schedule = a.Call("Q.CRON q GET s");
  EXPECT_EQ(FieldOf(schedule, "last"), Int(kStart + kMinute));
  EXPECT_EQ(FieldOf(schedule, "next"), Int(kStart + 91 * kMinute));
  Advance(30s);
  EXPECT_EQ(Ready(a), 2);
}

TEST_F(QueueCronTest, AJobsTimeToLiveCountsFromItsTime) {
  Client a = Connect();
  a.Call("Q.CRON q SET s \"0 * * * *\" b TTL 60000");
  Advance(1h + 59s);
  EXPECT_EQ(Ready(a), 1);
  Advance(1s);
  EXPECT_EQ(Ready(a), 0);
  EXPECT_EQ(FieldOf(a.Call("Q.STATS q"), "dead").integer, 1);
}

TEST_F(QueueCronTest, ATierThatIsNoLongerThereBecomesTheDefault) {
  Client a = Connect();
  a.Call("Q.CONF q TIERS high,medium,low,bulk");
  a.Call("Q.CRON q SET s \"@every 1000\" b PRIO bulk");
  a.Call("Q.CONF q TIERS high,low");
  Advance(1s);
  const Reply taken = a.Call("Q.TAKE q META");
  EXPECT_EQ(FieldOf(taken.elements.at(0).elements.at(3), "tier"), Bulk("low"));
}

TEST_F(QueueCronTest, BadRequestsChangeNothing) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.CRON q SET s \"61 * * * *\" b"), Err("ERR cron expression: minute expected"));
  EXPECT_EQ(a.Call("Q.CRON q SET s @hourly b ZONE Mars/Olympus"),
            Err("ERR unknown time zone, names are such as Europe/Berlin or UTC"));
  EXPECT_EQ(a.Call("Q.CRON q SET s \"@every 5\" b"),
            Err("ERR @every takes milliseconds, from 1000 to those of a year"));
  EXPECT_EQ(a.Call("Q.CRON q SET \"\" @hourly b"), Err("ERR a name has 1 to 65535 bytes"));
  EXPECT_EQ(a.Call("Q.CRON q SET s @hourly b WHEN now"), Err("ERR syntax error"));
  EXPECT_EQ(a.Call("Q.CRON q SET s @hourly"), Err("ERR syntax error"));
  EXPECT_EQ(a.Call("Q.CRON q DEL"), Err("ERR syntax error"));
  EXPECT_EQ(a.Call("Q.CRON q RUN s"), Err("ERR syntax error"));
  EXPECT_EQ(a.Call("EXISTS q"), Int(0));
  a.Call("SET text x");
  EXPECT_EQ(a.Call("Q.CRON text SET s @hourly b"),
            Err("WRONGTYPE Operation against a key holding the wrong kind of value"));
  EXPECT_EQ(a.Call("Q.CRON text").text.substr(0, 9), "WRONGTYPE");
}

TEST_F(QueueCronTest, TheLogHasOutcomesAndReplaysToTheSame) {
  Client a = Connect();
  a.Call("Q.CRON q SET s \"0 1 * * *\" b ZONE Europe/Berlin PRIO 3");
  Advance(24h);
  a.Call("Q.CRON q DEL s");
  const std::string first = std::to_string(kStart + 24 * kHour);
  const std::string second = std::to_string(kStart + 48 * kHour);
  const Lines lines = TakeLog();
  EXPECT_EQ(
      lines,
      (Lines{"Q.EFFECT q 1 CRON s 0 1 * * * Europe/Berlin b   3 1 0 0 -1 " + first + " 0 0 0 0",
             "MULTI", "Q.EFFECT q 2 ADD 1 ready 1 " + first + " 0 3 1 0 0 -1    b ",
             "Q.EFFECT q 3 RAN s " + first + " 1 " + second, "EXEC", "Q.EFFECT q 4 UNCRON s"}));
}

TEST_F(QueueCronTest, EffectsRebuildSchedulesAndRefuseUnknownOnes) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.EFFECT r 1 CRON s @hourly UTC b \"\" \"\" -1 1 0 0 -1 " +
                   std::to_string(kStart + kHour) + " 0 0 0 0"),
            Ok());
  EXPECT_EQ(a.Call("Q.EFFECT r 2 RAN s 5 0 " + std::to_string(kStart + kHour)), Ok());
  EXPECT_EQ(FieldOf(a.Call("Q.CRON r GET s"), "skipped"), Int(1));
  EXPECT_EQ(a.Call("Q.EFFECT r 3 RAN t 5 0 7"), Err("ERR effect on an unknown schedule"));
  EXPECT_EQ(a.Call("Q.EFFECT r 3 UNCRON s"), Ok());
  EXPECT_EQ(a.Call("Q.CRON r"), Array({}));
}

TEST_F(QueueCronTest, CopiesAndRenamesTakeTheirSchedulesAlong) {
  Client a = Connect();
  a.Call("Q.CRON q SET s \"@every 1000\" b");
  EXPECT_EQ(a.Call("COPY q r"), Int(1));
  EXPECT_EQ(a.Call("RENAME q p"), Ok());
  Advance(1s);
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE r")), (std::vector<std::string>{"b"}));
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE p")), (std::vector<std::string>{"b"}));
}

}  // namespace
}  // namespace rung::testing

// Priority as a right: what a user whose range of tiers is narrow may do, and what not.

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "kit/engine_test.h"
#include "kit/queue_reply.h"

namespace rung::testing {
namespace {

class QueueRightsTest : public EngineTest {
 protected:
  // As ACL users will be: a name and a range.
  Client ConnectAs(std::string user, TierRights rights) {
    Client client = Connect();
    client.session().user = std::move(user);
    client.session().tier_rights = rights;
    return client;
  }
  // The tier of its own that a job has.
  static std::string OwnTier(Client& client, int id) {
    return FieldOf(client.Call("Q.GET q " + std::to_string(id)), "own").text;
  }
};

TEST_F(QueueRightsTest, TheDefaultUserMayUseEveryTier) {
  Client client = Connect();
  EXPECT_EQ(client.Call("Q.ADD q a PRIO 0"), Int(1));
  EXPECT_EQ(client.Call("Q.ADD q b PRIO 2097151"), Int(2));
  EXPECT_EQ(client.Call("Q.PRIO q 2 0 BOOST"), Int(0));
}

TEST_F(QueueRightsTest, AnAddIsAllowedInTheRangeOnly) {
  Client web = ConnectAs("web", {.first = 1, .last = 2});
  EXPECT_EQ(web.Call("Q.ADD q a PRIO 0"),
            Err("NOPERM tier 0 not allowed for user web (allowed 1-2)"));
  EXPECT_EQ(web.Call("Q.ADD q a PRIO 3"),
            Err("NOPERM tier 3 not allowed for user web (allowed 1-2)"));
  EXPECT_EQ(web.Call("Q.ADD q a PRIO 1"), Int(1));
  EXPECT_EQ(web.Call("Q.ADD q a PRIO 2"), Int(2));
  // The default tier, 100, is a tier like others.
  EXPECT_EQ(web.Call("Q.ADD q a"), Err("NOPERM tier 100 not allowed for user web (allowed 1-2)"));
}

TEST_F(QueueRightsTest, OneTierAndNoneAreRangesToo) {
  Client bulk = ConnectAs("bulk", {.first = 3, .last = 3});
  EXPECT_EQ(bulk.Call("Q.ADD q a PRIO 2"),
            Err("NOPERM tier 2 not allowed for user bulk (allowed 3)"));
  Client guest = ConnectAs("guest", {.first = 1, .last = 0});
  EXPECT_EQ(guest.Call("Q.ADD q a PRIO 0"),
            Err("NOPERM tier 0 not allowed for user guest (allowed none)"));
}

TEST_F(QueueRightsTest, RaisingAndBoostingNeedTheRightLoweringDoesNot) {
  Client admin = Connect();
  Client web = ConnectAs("web", {.first = 1, .last = 2});
  admin.Call("Q.ADD q a PRIO 5");
  EXPECT_EQ(web.Call("Q.PRIO q 1 0"), Err("NOPERM tier 0 not allowed for user web (allowed 1-2)"));
  EXPECT_EQ(web.Call("Q.PRIO q 1 4"), Err("NOPERM tier 4 not allowed for user web (allowed 1-2)"));
  EXPECT_EQ(web.Call("Q.PRIO q 1 0 BOOST"),
            Err("NOPERM tier 0 not allowed for user web (allowed 1-2)"));
  EXPECT_EQ(OwnTier(web, 1), "5");
  EXPECT_EQ(web.Call("Q.PRIO q 1 2"), Int(2));
  EXPECT_EQ(web.Call("Q.PRIO q 1 1 BOOST"), Int(1));
  EXPECT_EQ(web.Call("Q.PRIO q 1 - BOOST"), Int(2));
  EXPECT_EQ(web.Call("Q.PRIO q 1 7"), Int(7));
}

TEST_F(QueueRightsTest, TheFrontOfATierIsPartOfTheRight) {
  Client admin = Connect();
  Client web = ConnectAs("web", {.first = 1, .last = 2});
  admin.Call("Q.ADD q a PRIO 0 MORE 1 b");
  EXPECT_EQ(web.Call("Q.PRIO q 2 0 FRONT"),
            Err("NOPERM tier 0 not allowed for user web (allowed 1-2)"));
  EXPECT_EQ(web.Call("Q.PRIO q 1 0 FRESH"), Int(0));
}

TEST_F(QueueRightsTest, AMergeUnderANameRaisesNothingBeyondTheRange) {
  Client admin = Connect();
  Client web = ConnectAs("web", {.first = 1, .last = 2});
  admin.Call("Q.ADD q a PRIO 5 NAME n");
  EXPECT_EQ(web.Call("Q.ADD q a PRIO 0 NAME n"),
            Err("NOPERM tier 0 not allowed for user web (allowed 1-2)"));
  EXPECT_EQ(OwnTier(web, 1), "5");
  EXPECT_EQ(web.Call("Q.ADD q a PRIO 1 NAME n"), Int(1));
  EXPECT_EQ(OwnTier(web, 1), "1");
  EXPECT_EQ(web.Call("Q.ADD q b PRIO 0 NAME n REPLACE"),
            Err("NOPERM tier 0 not allowed for user web (allowed 1-2)"));
}

TEST_F(QueueRightsTest, ARedriveRaisesAllOfItsJobsOrNone) {
  Client admin = Connect();
  Client web = ConnectAs("web", {.first = 1, .last = 2});
  admin.Call("Q.CONF q TRIES 1");
  admin.Call("Q.ADD q a PRIO 0");
  admin.Call("Q.ADD q b PRIO 5");
  admin.Call("Q.TAKE q COUNT 2");
  admin.Call("Q.NACK q 1-1");
  admin.Call("Q.NACK q 2-2");
  // It lowers the first and would raise the second.
  EXPECT_EQ(web.Call("Q.REDRIVE q PRIO 3"),
            Err("NOPERM tier 3 not allowed for user web (allowed 1-2)"));
  EXPECT_EQ(FieldOf(web.Call("Q.STATS q"), "dead"), Int(2));
  EXPECT_EQ(web.Call("Q.REDRIVE q ID 1 PRIO 3"), Int(1));
  // In its own tier a job is nobody's privilege.
  EXPECT_EQ(web.Call("Q.REDRIVE q"), Int(1));
  EXPECT_EQ(OwnTier(web, 2), "5");
}

TEST_F(QueueRightsTest, AScheduleIsAskedAboutWhenItIsSet) {
  Client web = ConnectAs("web", {.first = 1, .last = 2});
  EXPECT_EQ(web.Call("Q.CRON q SET s @hourly body PRIO 0"),
            Err("NOPERM tier 0 not allowed for user web (allowed 1-2)"));
  EXPECT_EQ(web.Call("Q.CRON q SET s @hourly body"),
            Err("NOPERM tier 100 not allowed for user web (allowed 1-2)"));
  EXPECT_EQ(web.Call("Q.CRON q SET s @hourly body PRIO 1").type, ':');
}

TEST_F(QueueRightsTest, WhatAJobWaitsForMayBecomeMoreUrgentThanItsUserMay) {
  Client admin = Connect();
  Client web = ConnectAs("web", {.first = 5, .last = 9});
  web.Call("Q.ADD q a PRIO 5");
  admin.Call("Q.ADD q b PRIO 0 AFTER 1 1");
  EXPECT_EQ(FieldOf(web.Call("Q.GET q 1"), "tier"), Bulk("0"));
  EXPECT_EQ(OwnTier(web, 1), "5");
}

TEST_F(QueueRightsTest, TransactionsAndScriptsHaveTheRightsOfTheirUser) {
  Client web = ConnectAs("web", {.first = 1, .last = 2});
  web.Call("MULTI");
  web.Call("Q.ADD q a PRIO 0");
  EXPECT_EQ(web.Call("EXEC"), Array({Err("NOPERM tier 0 not allowed for user web (allowed 1-2)")}));
  const Reply reply =
      web.CallArgs({"EVAL", "return redis.pcall('Q.ADD', KEYS[1], 'a', 'PRIO', '0')", "1", "q"});
  EXPECT_EQ(reply, Err("NOPERM tier 0 not allowed for user web (allowed 1-2)"));
}

}  // namespace
}  // namespace rung::testing

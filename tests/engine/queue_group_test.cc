// Groups: tenants that share a tier fairly, whatever each of them brings.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "engine/queue_group_test.h"

namespace rung::testing {
namespace {

TEST_F(QueueGroupTest, Case18_SmallTenantsAreDoneWhileALargeOneWaits) {
  Client a = Connect();
  Fill(a, "a", 2000);
  Fill(a, "b", 10);
  Fill(a, "c", 10);
  std::map<char, int> next;
  for (const std::string& body : Next(a, 31)) {
    EXPECT_EQ(body.substr(1), std::to_string(next[body[0]]++));  // Each one's own order.
  }
  EXPECT_EQ(next['b'], 10);
  EXPECT_EQ(next['c'], 10);
}

TEST_F(QueueGroupTest, WeightsAreThoseOfTheSettingsAtOnce) {
  Client a = Connect();
  EXPECT_EQ(a.Call("Q.CONF q GROUP a WEIGHT 3"), Ok());
  for (const char* group : {"a", "b", "c"}) Fill(a, group, 100);
  std::map<char, int> count;
  for (const std::string& body : Next(a, 50)) ++count[body[0]];
  EXPECT_EQ(count, (std::map<char, int>{{'a', 30}, {'b', 10}, {'c', 10}}));
  a.Call("Q.CONF q GROUP a WEIGHT 1");
  EXPECT_EQ(FieldOf(a.Call("Q.CONF q GROUP a"), "weight"), Bulk("1"));
  count.clear();
  for (const std::string& body : Next(a, 30)) ++count[body[0]];
  EXPECT_EQ(count, (std::map<char, int>{{'a', 10}, {'b', 10}, {'c', 10}}));
  EXPECT_EQ(a.Call("Q.CONF q GROUP a SPEED 2"), Err("ERR unknown setting 'SPEED' of a group"));
}

TEST_F(QueueGroupTest, LeavingAndComingBackWinsNothing) {
  Client a = Connect();
  Fill(a, "a", 100);
  Fill(a, "b", 1);
  EXPECT_EQ(Next(a, 2), (Texts{"a0", "b0"}));
  EXPECT_EQ(Next(a, 2), (Texts{"a1", "a2"}));
  Fill(a, "b", 3);
  std::map<char, int> count;
  for (const std::string& body : Next(a, 6)) ++count[body[0]];
  EXPECT_EQ(count, (std::map<char, int>{{'a', 3}, {'b', 3}}));
}

TEST_F(QueueGroupTest, JobsWithoutAGroupAreOneGroup) {
  Client a = Connect();
  for (int i = 0; i < 10; ++i) a.Call("Q.ADD q none");
  Fill(a, "a", 10);
  Fill(a, "b", 10);
  std::map<std::string, int> count;
  for (const std::string& body : Next(a, 9)) ++count[body.substr(0, 1)];
  EXPECT_EQ(count, (std::map<std::string, int>{{"a", 3}, {"b", 3}, {"n", 3}}));
}

TEST_F(QueueGroupTest, OffMeansByAgeAlone) {
  Client a = Connect();
  Fill(a, "a", 3);
  Fill(a, "b", 3);
  a.Call("Q.CONF q GROUPS off");
  EXPECT_EQ(Next(a, 4), (Texts{"a0", "a1", "a2", "b0"}));
  a.Call("Q.CONF q GROUPS fair");
  Fill(a, "a", 2);
  EXPECT_EQ(Next(a, 2), (Texts{"a0", "b1"}));
}

TEST_F(QueueGroupTest, AGroupKeepsItsOrderOverFailures) {
  Client a = Connect();
  Fill(a, "a", 3);
  Fill(a, "b", 3);
  const Reply first = a.Call("Q.TAKE q");
  EXPECT_EQ(BodiesOf(first), (Texts{"a0"}));
  a.Call("Q.NACK q " + ReceiptOf(first) + " FREE");
  EXPECT_EQ(Next(a, 2), (Texts{"b0", "a0"}));
  EXPECT_EQ(FieldOf(a.Call("Q.GET q 1"), "group"), Bulk("a"));
}

TEST_F(QueueGroupTest, TenThousandGroupsThatComeAndGo) {
  Client a = Connect();
  for (int i = 0; i < 10000; ++i) {
    a.Call("Q.ADD q j GROUP t" + std::to_string(i));
    a.Call("Q.ACK q " + ReceiptOf(a.Call("Q.TAKE q")));
  }
  EXPECT_LT(a.Call("MEMORY USAGE q").integer, 20000);
}

TEST_F(QueueGroupTest, ACopyHasTheSameTurns) {
  Client a = Connect();
  for (const char* group : {"a", "b", "c"}) Fill(a, group, 20);
  Next(a, 7);
  a.Call("COPY q r");
  EXPECT_EQ(BodiesOf(a.Call("Q.TAKE r COUNT 20")), Next(a, 20));
}

}  // namespace
}  // namespace rung::testing

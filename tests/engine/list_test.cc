// What the list commands promise, and what of them is logged.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using Lines = std::vector<std::string>;

TEST_F(EngineTest, ListPushesAndPopsAtBothEnds) {
  Client client = Connect();
  EXPECT_EQ(client.Call("RPUSH l a b"), Int(2));
  EXPECT_EQ(client.Call("LPUSH l c d"), Int(4));
  EXPECT_EQ(client.Call("LRANGE l 0 -1"), Bulks({"d", "c", "a", "b"}));
  EXPECT_EQ(client.Call("LPOP l"), Bulk("d"));
  EXPECT_EQ(client.Call("RPOP l 2"), Bulks({"b", "a"}));
  EXPECT_EQ(client.Call("RPOP l 2"), Bulks({"c"}));
  EXPECT_EQ(client.Call("EXISTS l"), Int(0));
  EXPECT_EQ(client.Call("LPOP l"), Nil());
  EXPECT_EQ(client.Call("LPOP l 2"), NullArray());
  EXPECT_EQ(TakeLog(), (Lines{"RPUSH l a b", "LPUSH l c d", "LPOP l", "RPOP l 2", "RPOP l 2"}));
}

TEST_F(EngineTest, ListPopWithCountZeroTakesNothing) {
  Client client = Connect();
  client.Call("RPUSH l a");
  TakeLog();
  EXPECT_EQ(client.Call("LPOP l 0"), Array({}));
  EXPECT_EQ(client.Call("LPOP l -1"), Err("ERR value is out of range, must be positive"));
  EXPECT_TRUE(TakeLog().empty());
}

TEST_F(EngineTest, ListEditsInTheMiddle) {
  Client client = Connect();
  client.Call("RPUSH l a b c b a");
  EXPECT_EQ(client.Call("LINSERT l BEFORE c x"), Int(6));
  EXPECT_EQ(client.Call("LINSERT l AFTER nope x"), Int(-1));
  EXPECT_EQ(client.Call("LSET l -1 z"), Ok());
  EXPECT_EQ(client.Call("LSET l 9 z"), Err("ERR index out of range"));
  EXPECT_EQ(client.Call("LSET none 0 z"), Err("ERR no such key"));
  EXPECT_EQ(client.Call("LREM l -1 b"), Int(1));
  EXPECT_EQ(client.Call("LRANGE l 0 -1"), Bulks({"a", "b", "x", "c", "z"}));
  EXPECT_EQ(client.Call("LPOS l c"), Int(3));
  EXPECT_EQ(client.Call("LPOS l c COUNT 0"), Array({Int(3)}));
  EXPECT_EQ(client.Call("LTRIM l 1 2"), Ok());
  EXPECT_EQ(client.Call("LRANGE l 0 -1"), Bulks({"b", "x"}));
}

TEST_F(EngineTest, LMoveRotatesAndMovesAndSaysSoInTheLog) {
  Client client = Connect();
  client.Call("RPUSH a 1 2 3");
  TakeLog();
  EXPECT_EQ(client.Call("LMOVE a a LEFT RIGHT"), Bulk("1"));
  EXPECT_EQ(client.Call("RPOPLPUSH a b"), Bulk("1"));
  EXPECT_EQ(client.Call("LRANGE a 0 -1"), Bulks({"2", "3"}));
  EXPECT_EQ(client.Call("LRANGE b 0 -1"), Bulks({"1"}));
  EXPECT_EQ(TakeLog(), (Lines{"LMOVE a a LEFT RIGHT", "RPOPLPUSH a b"}));
  EXPECT_EQ(client.Call("LMOVE none b LEFT RIGHT"), Nil());
}

TEST_F(EngineTest, LMoveOfTheLastElementRemovesItsSource) {
  Client client = Connect();
  client.Call("RPUSH a only");
  EXPECT_EQ(client.Call("LMOVE a b LEFT LEFT"), Bulk("only"));
  EXPECT_EQ(client.Call("EXISTS a b"), Int(1));
}

TEST_F(EngineTest, LMoveToAnotherTypeFailsAndTakesNothing) {
  Client client = Connect();
  client.Call("RPUSH a x");
  client.Call("SET s v");
  TakeLog();
  EXPECT_TRUE(client.Call("LMOVE a s LEFT LEFT").IsError());
  EXPECT_EQ(client.Call("LLEN a"), Int(1));
  EXPECT_TRUE(TakeLog().empty());
}

TEST_F(EngineTest, LMPopTakesFromTheFirstListAndLogsWhatItTook) {
  Client client = Connect();
  client.Call("RPUSH b 1 2 3");
  TakeLog();
  EXPECT_EQ(client.Call("LMPOP 2 a b RIGHT COUNT 2"), Array({Bulk("b"), Bulks({"3", "2"})}));
  EXPECT_EQ(TakeLog(), (Lines{"RPOP b 2"}));
  EXPECT_EQ(client.Call("LMPOP 1 a LEFT"), NullArray());
  EXPECT_EQ(client.Call("LMPOP 0 a LEFT"), Err("ERR numkeys should be greater than 0"));
  EXPECT_EQ(client.Call("LMPOP 1 b LEFT COUNT 0"), Err("ERR count should be greater than 0"));
}

}  // namespace
}  // namespace rung::testing

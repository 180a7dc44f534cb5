// Keyspace notifications: when they are sent, to whom, in which order.

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "engine/notification_test.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;

TEST_F(NotificationTest, BothChannelsTellOfAnEventTheKeyspaceOneFirst) {
  Client client = Connect(), listener = Connect();
  Notify("KEA");
  listener.Call("PSUBSCRIBE *");
  client.Call("SET foo bar");
  EXPECT_EQ(listener.Read(), Bulks({"pmessage", "*", "__keyspace@0__:foo", "set"}));
  EXPECT_EQ(listener.Read(), Bulks({"pmessage", "*", "__keyevent@0__:set", "foo"}));
  EXPECT_FALSE(listener.TryRead());
}

TEST_F(NotificationTest, TheDatabaseIsInTheName) {
  Client client = Connect(), listener = Connect();
  Notify("KEA");
  listener.Call("SUBSCRIBE __keyspace@3__:foo");
  client.Call("SET foo bar");
  EXPECT_FALSE(listener.TryRead());
  client.Call("SELECT 3");
  client.Call("SET foo bar");
  EXPECT_EQ(listener.Read(), Bulks({"message", "__keyspace@3__:foo", "set"}));
}

TEST_F(NotificationTest, OnlyTheClassesAskedForAreTold) {
  Client client = Connect(), listener = Connect();
  Notify("KEl");
  listener.Call("PSUBSCRIBE *");
  client.Call("SET foo bar");
  client.Call("LPUSH list a");
  client.Call("DEL list");
  EXPECT_EQ(listener.Read(), Bulks({"pmessage", "*", "__keyspace@0__:list", "lpush"}));
  EXPECT_EQ(listener.Read(), Bulks({"pmessage", "*", "__keyevent@0__:lpush", "list"}));
  EXPECT_FALSE(listener.TryRead());
}

TEST_F(NotificationTest, NeitherMissesNorNewKeysBelongToAll) {
  Client client = Connect(), listener = Connect();
  Notify("EA");
  listener.Call("PSUBSCRIBE *");
  client.Call("GET missing");
  client.Call("SET foo bar");
  EXPECT_EQ(TakeEvents(listener), "set(foo)");
}

TEST_F(NotificationTest, WithoutAChannelChosenNothingIsTold) {
  Client client = Connect(), listener = Connect();
  Notify("A");
  listener.Call("PSUBSCRIBE *");
  client.Call("SET foo bar");
  EXPECT_FALSE(listener.TryRead());
}

TEST_F(NotificationTest, AChangeOfTheOptionHoldsAtOnce) {
  Client client = Connect(), listener = Connect();
  listener.Call("PSUBSCRIBE *");
  client.Call("SET a 1");
  Notify("E$");
  client.Call("SET b 1");
  Notify("");
  client.Call("SET c 1");
  EXPECT_EQ(TakeEvents(listener), "set(b)");
}

TEST_F(NotificationTest, KeyThatExpiresByItselfIsTold) {
  Client client = Connect(), listener = Connect();
  Notify("Ex");
  listener.Call("PSUBSCRIBE *");
  client.Call("SET foo bar PX 100");
  Advance(99ms);
  EXPECT_EQ(TakeEvents(listener), "");
  Advance(1ms);
  EXPECT_EQ(TakeEvents(listener), "expired(foo)");
}

TEST_F(NotificationTest, KeyFoundPastItsTimeIsToldBeforeTheMiss) {
  Client client = Connect(), listener = Connect();
  Notify("Exm");
  listener.Call("PSUBSCRIBE *");
  client.Call("SET foo bar PX 100");
  clock.Advance(100ms);
  client.Call("GET foo");
  EXPECT_EQ(TakeEvents(listener), "expired(foo) keymiss(foo)");
}

TEST_F(NotificationTest, BlockedPopTellsWhenItIsServed) {
  Client waiting = Connect(), client = Connect(), listener = Connect();
  Notify("EA");
  listener.Call("PSUBSCRIBE *");
  waiting.Send("BLPOP k 0");
  EXPECT_EQ(TakeEvents(listener), "");
  client.Call("RPUSH k a b");
  EXPECT_EQ(TakeEvents(listener), "rpush(k) lpop(k)");
}

TEST_F(NotificationTest, BlockedMoveTellsBothLists) {
  Client waiting = Connect(), client = Connect(), listener = Connect();
  Notify("EAn");
  listener.Call("PSUBSCRIBE *");
  waiting.Send("BLMOVE k l LEFT RIGHT 0");
  client.Call("RPUSH k a");
  EXPECT_EQ(TakeEvents(listener), "new(k) rpush(k) new(l) rpush(l) lpop(k) del(k)");
}

TEST_F(NotificationTest, CommandsOfATransactionAreToldInOrder) {
  Client client = Connect(), listener = Connect();
  Notify("EA");
  listener.Call("PSUBSCRIBE *");
  client.Call("MULTI");
  client.Call("SET a 1");
  client.Call("RPUSH b x");
  EXPECT_EQ(TakeEvents(listener), "");
  client.Call("EXEC");
  EXPECT_EQ(TakeEvents(listener), "set(a) rpush(b)");
}

TEST_F(NotificationTest, RefusedCommandTellsNothing) {
  Client client = Connect(), listener = Connect();
  client.Call("SET s v");
  Notify("EA");
  listener.Call("PSUBSCRIBE *");
  EXPECT_TRUE(client.Call("LPUSH s a").IsError());
  EXPECT_TRUE(client.Call("INCR s").IsError());
  EXPECT_EQ(TakeEvents(listener), "");
}

// In RESP3 a client can hear of its own commands: after their replies, and after a whole EXEC.
TEST_F(NotificationTest, OwnEventsFollowTheReply) {
  Client client = ConnectResp3();
  Notify("EA");
  client.Call("PSUBSCRIBE *");
  EXPECT_EQ(client.Call("SET a 1"), Ok());
  EXPECT_EQ(client.Read(),
            Push({Bulk("pmessage"), Bulk("*"), Bulk("__keyevent@0__:set"), Bulk("a")}));
  client.Call("MULTI");
  client.Call("DEL a");
  client.Call("SET b 1");
  EXPECT_EQ(client.Call("EXEC"), Array({Int(1), Ok()}));
  EXPECT_EQ(TakeEvents(client), "del(a) set(b)");
}

TEST_F(NotificationTest, ServedClientHearsOfItsPopAfterItsReply) {
  Client waiting = ConnectResp3(), client = Connect();
  waiting.Call("SUBSCRIBE __keyevent@0__:lpop");
  Notify("EA");
  waiting.Send("BLPOP k 0");
  client.Call("RPUSH k a");
  EXPECT_EQ(waiting.Read(), Bulks({"k", "a"}));
  EXPECT_EQ(waiting.Read(), Push({Bulk("message"), Bulk("__keyevent@0__:lpop"), Bulk("k")}));
}

}  // namespace
}  // namespace rung::testing

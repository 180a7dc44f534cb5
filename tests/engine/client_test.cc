// CLIENT: who is connected, and what clients do to themselves and to others.

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;

class ClientTest : public EngineTest {
 protected:
  // The line of CLIENT LIST that has this name; empty if there is none.
  static std::string LineOf(Client& asker, const std::string& name) {
    const std::string lines = asker.Call("CLIENT LIST").text;
    const std::size_t at = lines.find(" name=" + name + " ");
    if (at == std::string::npos) return "";
    const std::size_t start = lines.rfind('\n', at) + 1;
    return lines.substr(start, lines.find('\n', at) - start);
  }

  static std::string Id(Client& client) { return std::to_string(client.session().id); }
};

TEST_F(ClientTest, LineHasEveryFieldOfRedisInItsOrder) {
  Client client = Connect();
  client.Call("SELECT 3");
  client.Call("CLIENT SETNAME me");
  client.Call("CLIENT SETINFO lib-name rb(x)");
  client.Call("CLIENT SETINFO LIB-VER 1.2");
  Advance(2s);
  const std::string line = client.Call("CLIENT INFO").text;
  EXPECT_TRUE(line.starts_with(
      "id=1 addr=127.0.0.1:50000 laddr=127.0.0.1:6379 fd=-1 name=me age=2 idle=0 flags=N db=3 "
      "sub=0 psub=0 ssub=0 multi=-1 qbuf=26 qbuf-free=0 argv-mem=10 multi-mem=0 rbs="))
      << line;
  EXPECT_NE(line.find(" events=r cmd=client|info user=default redir=-1 resp=2 lib-name=rb(x) "
                      "lib-ver=1.2\n"),
            std::string::npos)
      << line;
}

TEST_F(ClientTest, FlagsTellWhatAClientIsInTheMiddleOf) {
  Client asker = Connect();
  Client other = Connect();
  other.Call("CLIENT SETNAME other");
  other.Call("MULTI");
  other.Call("GET k");
  EXPECT_NE(LineOf(asker, "other").find(" flags=x "), std::string::npos);
  EXPECT_NE(LineOf(asker, "other").find(" multi=1 "), std::string::npos);
  other.Call("DISCARD");
  other.Call("CLIENT NO-EVICT on");
  other.Call("CLIENT NO-TOUCH on");
  other.Send("BLPOP nothing 0");
  EXPECT_NE(LineOf(asker, "other").find(" flags=beT "), std::string::npos);
}

TEST_F(ClientTest, ListFiltersByIdAndType) {
  Client first = Connect();
  Client second = Connect();
  const std::string line = first.Call("CLIENT LIST ID 2 77").text;
  EXPECT_TRUE(line.starts_with("id=2 "));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(first.Call("CLIENT LIST TYPE replica"), Bulk(""));
  EXPECT_EQ(first.Call("CLIENT LIST TYPE nobody"), Err("ERR Unknown client type 'nobody'"));
  EXPECT_EQ(first.Call("CLIENT LIST ID x"), Err("ERR Invalid client ID"));
  EXPECT_EQ(first.Call("CLIENT LIST bad"), Err("ERR syntax error"));
}

TEST_F(ClientTest, NameMustBePrintable) {
  Client client = Connect();
  EXPECT_EQ(client.Call("CLIENT GETNAME"), Nil());
  EXPECT_EQ(client.Call("CLIENT SETNAME \"a b\""),
            Err("ERR Client names cannot contain spaces, newlines or special characters."));
  client.Call("CLIENT SETNAME bull:bWFpbg==:qe");
  EXPECT_EQ(client.Call("CLIENT GETNAME"), Bulk("bull:bWFpbg==:qe"));
  client.Call("CLIENT SETNAME \"\"");
  EXPECT_EQ(client.Call("CLIENT GETNAME"), Nil());
  EXPECT_EQ(client.Call("CLIENT SETINFO lib-color x"), Err("ERR Unrecognized option 'lib-color'"));
  EXPECT_EQ(client.Call("CLIENT SETINFO lib-name \"a b\""),
            Err("ERR lib-name cannot contain spaces, newlines or special characters."));
}

TEST_F(ClientTest, KillClosesOthersAndTakesThemOutOfTheirQueues) {
  Client killer = Connect();
  Client victim = Connect();
  victim.Send("BLPOP list 0");
  EXPECT_EQ(killer.Call("CLIENT KILL ID " + Id(victim)), Int(1));
  EXPECT_TRUE(victim.Closed());
  killer.Call("RPUSH list a");
  EXPECT_EQ(killer.Call("LLEN list"), Int(1));
  EXPECT_EQ(killer.Call("CLIENT KILL ID " + Id(victim)), Int(0));
}

TEST_F(ClientTest, KillSkipsItselfUnlessToldOtherwise) {
  Client killer = Connect();
  Client other = Connect();
  EXPECT_EQ(killer.Call("CLIENT KILL TYPE normal USER default"), Int(1));
  EXPECT_FALSE(killer.Closed());
  EXPECT_EQ(killer.Call("CLIENT KILL LADDR 127.0.0.1:6379 SKIPME no"), Int(1));
  EXPECT_TRUE(killer.Closed());
}

TEST_F(ClientTest, KillInTheOldFormAnswersOkOrNoSuchClient) {
  Client killer = Connect();
  EXPECT_EQ(killer.Call("CLIENT KILL 1.2.3.4:5"), Err("ERR No such client"));
  EXPECT_EQ(killer.Call("CLIENT KILL 127.0.0.1:50000"), Ok());
  EXPECT_TRUE(killer.Closed());
}

TEST_F(ClientTest, KillNamesItsMistakes) {
  Client client = Connect();
  EXPECT_EQ(client.Call("CLIENT KILL ID 0"), Err("ERR client-id should be greater than 0"));
  EXPECT_EQ(client.Call("CLIENT KILL ID x"), Err("ERR client-id should be greater than 0"));
  EXPECT_EQ(client.Call("CLIENT KILL TYPE wrong"), Err("ERR Unknown client type 'wrong'"));
  EXPECT_EQ(client.Call("CLIENT KILL USER nobody"), Err("ERR No such user 'nobody'"));
  EXPECT_EQ(client.Call("CLIENT KILL SKIPME maybe"), Err("ERR syntax error"));
  EXPECT_EQ(client.Call("CLIENT KILL ADDR"), Err("ERR No such client"));
  EXPECT_EQ(client.Call("CLIENT KILL ID 1 ADDR"), Err("ERR syntax error"));
}

TEST_F(ClientTest, UnblockEndsAWaitAsByTimeOutOrWithAnError) {
  Client client = Connect();
  Client waiter = Connect();
  waiter.Send("BLPOP list 0");
  EXPECT_EQ(client.Call("CLIENT UNBLOCK " + Id(waiter)), Int(1));
  EXPECT_EQ(waiter.Read(), NullArray());
  waiter.Send("BLPOP list 0");
  EXPECT_EQ(client.Call("CLIENT UNBLOCK " + Id(waiter) + " ERROR"), Int(1));
  EXPECT_EQ(waiter.Read(), Err("UNBLOCKED client unblocked via CLIENT UNBLOCK"));
  EXPECT_EQ(client.Call("CLIENT UNBLOCK " + Id(waiter)), Int(0));
  EXPECT_EQ(client.Call("CLIENT UNBLOCK 77"), Int(0));
  EXPECT_EQ(client.Call("CLIENT UNBLOCK x"), Err("ERR value is not an integer or out of range"));
  EXPECT_EQ(client.Call("CLIENT UNBLOCK 1 why"),
            Err("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR"));
}

TEST_F(ClientTest, TimeoutClosesWhoIsIdleAndNeitherBusyNorBlockedNorSubscribed) {
  Client idle = Connect();
  Client busy = Connect();
  Client blocked = Connect();
  Client subscribed = Connect();
  EXPECT_EQ(busy.Call("CONFIG SET timeout 2"), Ok());
  idle.Call("PING");
  blocked.Send("BLPOP queue 0");
  subscribed.Call("SUBSCRIBE channel");
  Advance(2s);
  EXPECT_FALSE(idle.Closed());
  busy.Call("PING");
  Advance(1s);
  EXPECT_TRUE(idle.Closed());
  EXPECT_FALSE(blocked.Closed());
  EXPECT_FALSE(subscribed.Closed());
  EXPECT_FALSE(busy.Closed());
  Advance(2s);
  EXPECT_TRUE(busy.Closed());
}

TEST_F(ClientTest, PauseHoldsEverythingBackUntilItsEnd) {
  Client client = Connect();
  EXPECT_EQ(client.Call("CLIENT PAUSE 100"), Ok());
  client.Send("PING");
  Advance(99ms);
  EXPECT_EQ(client.TryRead(), std::nullopt);
  Advance(1ms);
  EXPECT_EQ(client.Read(), Status("PONG"));
}

TEST_F(ClientTest, PauseOfWritesLetsReadsPassAndUnpauseEndsIt) {
  Client client = Connect();
  Client writer = Connect();
  client.Call("CLIENT PAUSE 100000 WRITE");
  EXPECT_EQ(client.Call("GET k"), Nil());
  writer.Send("SET k v");
  EXPECT_EQ(writer.TryRead(), std::nullopt);
  EXPECT_EQ(client.Call("CLIENT UNPAUSE"), Ok());
  EXPECT_EQ(writer.Read(), Ok());
}

TEST_F(ClientTest, LongerPauseStaysInForce) {
  Client client = Connect();
  Client writer = Connect();
  client.Call("CLIENT PAUSE 1000 WRITE");
  client.Call("CLIENT PAUSE 10 WRITE");
  writer.Send("SET k v");
  Advance(999ms);
  EXPECT_EQ(writer.TryRead(), std::nullopt);
  Advance(1ms);
  EXPECT_EQ(writer.Read(), Ok());
}

TEST_F(ClientTest, KeysPastTheirTimeAreHiddenDuringAPauseAndGoAfterIt) {
  Client client = Connect();
  client.Call("SET k v PX 10");
  client.Call("CLIENT PAUSE 100 WRITE");
  TakeLog();
  Advance(50ms);
  EXPECT_EQ(client.Call("GET k"), Nil());
  EXPECT_EQ(client.Call("DBSIZE"), Int(1));
  EXPECT_EQ(TakeLog(), std::vector<std::string>{});
  Advance(60ms);
  EXPECT_EQ(client.Call("DBSIZE"), Int(0));
  EXPECT_EQ(TakeLog(), std::vector<std::string>{"DEL k"});
}

TEST_F(ClientTest, RandomKeyEndsItsSearchWhenAllKeysAreHidden) {
  Client client = Connect();
  client.Call("SET k v PX 10");
  client.Call("CLIENT PAUSE 100 WRITE");
  Advance(50ms);
  EXPECT_EQ(client.Call("RANDOMKEY"), Nil());
}

TEST_F(ClientTest, ReplyOffSilencesEverythingErrorsToo) {
  Client client = Connect();
  client.Send("CLIENT REPLY OFF");
  client.Send("PING");
  client.Send("nonsense");
  client.Send("GET");
  EXPECT_EQ(client.TryRead(), std::nullopt);
  EXPECT_EQ(client.Call("CLIENT REPLY ON"), Ok());
  EXPECT_EQ(client.Call("PING"), Status("PONG"));
}

TEST_F(ClientTest, ReplySkipSilencesTheNextOneOnly) {
  Client client = Connect();
  client.Send("CLIENT REPLY SKIP");
  client.Send("nonsense");
  EXPECT_EQ(client.TryRead(), std::nullopt);
  EXPECT_EQ(client.Call("PING"), Status("PONG"));
  EXPECT_EQ(client.Call("CLIENT REPLY maybe"), Err("ERR syntax error"));
}

TEST_F(ClientTest, TrackingCanOnlyBeTurnedOff) {
  Client client = ConnectResp3();
  EXPECT_EQ(client.Call("CLIENT TRACKING off"), Ok());
  EXPECT_TRUE(client.Call("CLIENT TRACKING on").IsError());
  EXPECT_EQ(client.Call("CLIENT TRACKING maybe"), Err("ERR syntax error"));
  EXPECT_EQ(client.Call("CLIENT GETREDIR"), Int(-1));
  EXPECT_EQ(client.Call("CLIENT TRACKINGINFO"),
            Map({Bulk("flags"), SetOf({Bulk("off")}), Bulk("redirect"), Int(-1), Bulk("prefixes"),
                 Array({})}));
}

TEST_F(EngineTest, ClientListNamesTheCommandThatWasAskedForLast) {
  Client a = Connect(), b = Connect();
  const auto command = [&] {
    const std::string line = b.Call("CLIENT LIST ID 1").text;
    const std::size_t start = line.find(" cmd=") + 5;
    return line.substr(start, line.find(' ', start) - start);
  };
  EXPECT_EQ(command(), "NULL");
  a.Call("GET");  // Refused, and asked for all the same.
  EXPECT_EQ(command(), "get");
  a.Call("MULTI");
  a.Call("INCR n");
  EXPECT_EQ(command(), "incr");
  a.Call("EXEC");
  EXPECT_EQ(command(), "exec");
}

TEST_F(EngineTest, InfoCountsReadsByPiecesNotByRequests) {
  Client client = Connect();
  client.SendRaw("PING\r\nPING\r\n");
  client.Read();
  client.Read();
  EXPECT_NE(client.Call("INFO stats").text.find("\ntotal_reads_processed:2\r\n"),
            std::string::npos);
}

}  // namespace
}  // namespace rung::testing

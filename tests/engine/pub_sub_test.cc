// SUBSCRIBE and its kin, PUBLISH, PUBSUB: in both protocols, in transactions, with slow readers.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;

class PubSubTest : public EngineTest {
 protected:
  void Configure(std::string_view option, std::string_view value) {
    const Config::Pair pair{option, value};
    EXPECT_FALSE(config.Set(std::span(&pair, 1), Config::Origin::kLocal, host));
  }

  ~PubSubTest() override {
    std::vector<Session*> sessions;
    for (const auto& [id, session] : engine->broker().sessions) sessions.push_back(session.get());
    engine->broker().pub_sub.CheckInvariants(sessions);
  }
};

Reply Step(std::string_view step, std::string_view name, std::int64_t count) {
  return Array({Bulk(step), Bulk(name), Int(count)});
}

Reply Step3(std::string_view step, std::string_view name, std::int64_t count) {
  return Push({Bulk(step), Bulk(name), Int(count)});
}

TEST_F(PubSubTest, MessageReachesWhoeverSubscribed) {
  Client a = Connect(), b = Connect(), sender = Connect();
  EXPECT_EQ(a.Call("SUBSCRIBE news"), Step("subscribe", "news", 1));
  EXPECT_EQ(b.Call("SUBSCRIBE news"), Step("subscribe", "news", 1));
  EXPECT_EQ(sender.Call("PUBLISH news hello"), Int(2));
  EXPECT_EQ(a.Read(), Bulks({"message", "news", "hello"}));
  EXPECT_EQ(b.Read(), Bulks({"message", "news", "hello"}));
  EXPECT_EQ(sender.Call("PUBLISH other hello"), Int(0));
  EXPECT_FALSE(a.TryRead());
}

TEST_F(PubSubTest, EachProtocolGetsItsOwnForm) {
  Client resp2 = Connect(), resp3 = ConnectResp3(), sender = Connect();
  resp2.Call("SUBSCRIBE news");
  EXPECT_EQ(resp3.Call("SUBSCRIBE news"), Step3("subscribe", "news", 1));
  resp2.Call("PSUBSCRIBE n*");
  EXPECT_EQ(resp3.Call("PSUBSCRIBE n*"), Step3("psubscribe", "n*", 2));
  EXPECT_EQ(sender.Call("PUBLISH news hello"), Int(4));
  EXPECT_EQ(resp2.Read(), Bulks({"message", "news", "hello"}));
  EXPECT_EQ(resp2.Read(), Bulks({"pmessage", "n*", "news", "hello"}));
  EXPECT_EQ(resp3.Read(), Push({Bulk("message"), Bulk("news"), Bulk("hello")}));
  EXPECT_EQ(resp3.Read(), Push({Bulk("pmessage"), Bulk("n*"), Bulk("news"), Bulk("hello")}));
}

TEST_F(PubSubTest, ChannelsAndMessagesAreAnyBytes) {
  Client listener = Connect(), sender = Connect();
  listener.CallArgs({"SUBSCRIBE", std::string("a\0\r\nb", 5)});
  sender.CallArgs({"PUBLISH", std::string("a\0\r\nb", 5), std::string("\r\n\0", 3)});
  EXPECT_EQ(listener.Read(),
            Bulks({"message", std::string_view("a\0\r\nb", 5), std::string_view("\r\n\0", 3)}));
  sender.CallArgs({"PUBLISH", std::string("a\0\r\nb", 5), ""});
  EXPECT_EQ(listener.Read(), Bulks({"message", std::string_view("a\0\r\nb", 5), ""}));
}

TEST_F(PubSubTest, OneAnswerPerChannelAndOneSubscriptionPerName) {
  Client listener = Connect(), sender = Connect();
  listener.Send("SUBSCRIBE a b a");
  EXPECT_EQ(listener.Read(), Step("subscribe", "a", 1));
  EXPECT_EQ(listener.Read(), Step("subscribe", "b", 2));
  EXPECT_EQ(listener.Read(), Step("subscribe", "a", 2));
  EXPECT_EQ(sender.Call("PUBLISH a x"), Int(1));
  listener.Send("UNSUBSCRIBE a never b");
  EXPECT_EQ(listener.Read(), Bulks({"message", "a", "x"}));
  EXPECT_EQ(listener.Read(), Step("unsubscribe", "a", 1));
  EXPECT_EQ(listener.Read(), Step("unsubscribe", "never", 1));
  EXPECT_EQ(listener.Read(), Step("unsubscribe", "b", 0));
  EXPECT_EQ(sender.Call("PUBLISH a x"), Int(0));
}

TEST_F(PubSubTest, UnsubscribeWithoutNamesLeavesAllOfItsKindInByteOrder) {
  Client listener = Connect(), sender = Connect();
  listener.Send("SUBSCRIBE c a b");
  for (int i = 0; i < 3; ++i) listener.Read();
  listener.Call("PSUBSCRIBE p*");
  listener.Send("UNSUBSCRIBE");
  EXPECT_EQ(listener.Read(), Step("unsubscribe", "a", 3));
  EXPECT_EQ(listener.Read(), Step("unsubscribe", "b", 2));
  EXPECT_EQ(listener.Read(), Step("unsubscribe", "c", 1));
  EXPECT_EQ(sender.Call("PUBLISH p1 x"), Int(1));
  EXPECT_EQ(listener.Read(), Bulks({"pmessage", "p*", "p1", "x"}));
  EXPECT_EQ(listener.Call("PUNSUBSCRIBE"), Step("punsubscribe", "p*", 0));
}

TEST_F(PubSubTest, LeavingNothingIsAnsweredOnce) {
  Client resp2 = Connect(), resp3 = ConnectResp3();
  EXPECT_EQ(resp2.Call("UNSUBSCRIBE"), Array({Bulk("unsubscribe"), Nil(), Int(0)}));
  EXPECT_EQ(resp2.Call("PUNSUBSCRIBE"), Array({Bulk("punsubscribe"), Nil(), Int(0)}));
  EXPECT_EQ(resp2.Call("SUNSUBSCRIBE"), Array({Bulk("sunsubscribe"), Nil(), Int(0)}));
  EXPECT_EQ(resp3.Call("UNSUBSCRIBE"), Push({Bulk("unsubscribe"), Null3(), Int(0)}));
  EXPECT_FALSE(resp2.TryRead());
}

TEST_F(PubSubTest, PatternsAreGlobs) {
  Client listener = Connect(), sender = Connect();
  listener.Call("PSUBSCRIBE h[ae]llo.?*");
  EXPECT_EQ(sender.Call("PUBLISH hello.1 x"), Int(1));
  EXPECT_EQ(sender.Call("PUBLISH hallo.22 x"), Int(1));
  EXPECT_EQ(sender.Call("PUBLISH hillo.1 x"), Int(0));
  EXPECT_EQ(sender.Call("PUBLISH hello. x"), Int(0));
  listener.Call("PUNSUBSCRIBE h[ae]llo.?*");
  listener.TryRead();
  listener.TryRead();
  EXPECT_EQ(sender.Call("PUBLISH hello.1 x"), Int(0));
}

TEST_F(PubSubTest, AMessageComesOncePerSubscriptionThatMatches) {
  Client listener = Connect(), sender = Connect();
  listener.Call("PSUBSCRIBE a*");
  listener.Call("PSUBSCRIBE *b");
  listener.Call("SUBSCRIBE ab");
  EXPECT_EQ(sender.Call("PUBLISH ab x"), Int(3));
  EXPECT_EQ(listener.Read(), Bulks({"message", "ab", "x"}));
  EXPECT_EQ(listener.Read(), Bulks({"pmessage", "a*", "ab", "x"}));
  EXPECT_EQ(listener.Read(), Bulks({"pmessage", "*b", "ab", "x"}));
}

TEST_F(PubSubTest, ShardChannelsAreAWorldOfTheirOwn) {
  Client listener = Connect(), sender = Connect();
  EXPECT_EQ(listener.Call("SSUBSCRIBE ch"), Step("ssubscribe", "ch", 1));
  EXPECT_EQ(listener.Call("SUBSCRIBE other"), Step("subscribe", "other", 1));
  EXPECT_EQ(listener.Call("PSUBSCRIBE c*"), Step("psubscribe", "c*", 2));
  EXPECT_EQ(sender.Call("SPUBLISH ch x"), Int(1));
  EXPECT_EQ(listener.Read(), Bulks({"smessage", "ch", "x"}));
  EXPECT_EQ(sender.Call("PUBLISH ch x"), Int(1));
  EXPECT_EQ(listener.Read(), Bulks({"pmessage", "c*", "ch", "x"}));
  EXPECT_EQ(sender.Call("SPUBLISH other x"), Int(0));
  EXPECT_EQ(listener.Call("SUNSUBSCRIBE"), Step("sunsubscribe", "ch", 0));
}

TEST_F(PubSubTest, SubscribedResp2ConnectionMayDoLittleElse) {
  Client listener = Connect();
  listener.Call("SUBSCRIBE ch");
  EXPECT_EQ(listener.Call("GET k"),
            Err("ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / "
                "RESET are allowed in this context"));
  EXPECT_EQ(listener.Call("PUBSUB NUMPAT"),
            Err("ERR Can't execute 'pubsub|numpat': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING "
                "/ QUIT / RESET are allowed in this context"));
  EXPECT_TRUE(listener.Call("HELLO 3").IsError());
  EXPECT_TRUE(listener.Call("MULTI").IsError());
  EXPECT_EQ(listener.Call("SSUBSCRIBE s"), Step("ssubscribe", "s", 1));
  EXPECT_EQ(listener.Call("UNSUBSCRIBE ch"), Step("unsubscribe", "ch", 0));
  EXPECT_TRUE(listener.Call("GET k").IsError());
  EXPECT_EQ(listener.Call("SUNSUBSCRIBE s"), Step("sunsubscribe", "s", 0));
  EXPECT_EQ(listener.Call("GET k"), Nil());
}

TEST_F(PubSubTest, SubscribedResp3ConnectionMayDoAnything) {
  Client listener = ConnectResp3(), sender = Connect();
  listener.Call("SUBSCRIBE ch");
  EXPECT_EQ(listener.Call("SET k v"), Ok());
  sender.Call("PUBLISH ch x");
  EXPECT_EQ(listener.Read(), Push({Bulk("message"), Bulk("ch"), Bulk("x")}));
  EXPECT_EQ(listener.Call("GET k"), Bulk("v"));
}

TEST_F(PubSubTest, PingAnswersAnArrayAmongResp2Messages) {
  Client resp2 = Connect(), resp3 = ConnectResp3();
  resp2.Call("SUBSCRIBE ch");
  resp3.Call("SUBSCRIBE ch");
  EXPECT_EQ(resp2.Call("PING"), Bulks({"pong", ""}));
  EXPECT_EQ(resp2.Call("PING hello"), Bulks({"pong", "hello"}));
  EXPECT_EQ(resp3.Call("PING"), Status("PONG"));
  EXPECT_EQ(resp3.Call("PING hello"), Bulk("hello"));
  resp2.Call("UNSUBSCRIBE ch");
  EXPECT_EQ(resp2.Call("PING"), Status("PONG"));
}

TEST_F(PubSubTest, ResetQuitAndALostSocketEndAllSubscriptions) {
  Client reset = ConnectResp3(), lost = Connect(), quit = Connect(), sender = Connect();
  for (Client* client : {&reset, &lost, &quit}) {
    client->Call("SUBSCRIBE ch");
    client->Call("PSUBSCRIBE c*");
    client->Call("SSUBSCRIBE ch");
  }
  EXPECT_EQ(sender.Call("PUBLISH ch x"), Int(6));
  for (Client* client : {&reset, &quit}) {
    client->Read();
    client->Read();
  }
  EXPECT_EQ(reset.Call("RESET"), Status("RESET"));
  EXPECT_FALSE(reset.session().subscribed());
  EXPECT_EQ(reset.Call("GET k"), Nil());
  lost.Disconnect();
  EXPECT_EQ(quit.Call("QUIT"), Ok());
  sender.Call("PUBLISH ch x");
  EXPECT_FALSE(quit.TryRead());
  quit.Disconnect();
  EXPECT_EQ(sender.Call("PUBLISH ch x"), Int(0));
  EXPECT_EQ(sender.Call("SPUBLISH ch x"), Int(0));
  EXPECT_EQ(sender.Call("PUBSUB NUMPAT"), Int(0));
}

TEST_F(PubSubTest, PubSubCommandTellsWhoListens) {
  Client a = Connect(), b = Connect(), asking = Connect();
  for (Client* client : {&a, &b}) client->Call("SUBSCRIBE x2");
  a.Call("SUBSCRIBE x1");
  a.Call("SUBSCRIBE y");
  a.Call("PSUBSCRIBE x*");
  b.Call("PSUBSCRIBE x*");
  b.Call("PSUBSCRIBE z*");
  b.Call("SSUBSCRIBE s1");
  EXPECT_EQ(asking.Call("PUBSUB CHANNELS"), Bulks({"x1", "x2", "y"}));
  EXPECT_EQ(asking.Call("PUBSUB CHANNELS x*"), Bulks({"x1", "x2"}));
  EXPECT_EQ(asking.Call("PUBSUB NUMSUB x2 none y"),
            Array({Bulk("x2"), Int(2), Bulk("none"), Int(0), Bulk("y"), Int(1)}));
  EXPECT_EQ(asking.Call("PUBSUB NUMSUB"), Array({}));
  EXPECT_EQ(asking.Call("PUBSUB NUMPAT"), Int(2));
  EXPECT_EQ(asking.Call("PUBSUB SHARDCHANNELS"), Bulks({"s1"}));
  EXPECT_EQ(asking.Call("PUBSUB SHARDCHANNELS q*"), Array({}));
  EXPECT_EQ(asking.Call("PUBSUB SHARDNUMSUB s1 x2"),
            Array({Bulk("s1"), Int(1), Bulk("x2"), Int(0)}));
  EXPECT_EQ(asking.Call("PUBSUB CHANNELS a b"),
            Err("ERR unknown subcommand or wrong number of arguments for 'CHANNELS'. Try PUBSUB "
                "HELP."));
  EXPECT_EQ(asking.Call("PUBSUB NUMPAT a"),
            Err("ERR wrong number of arguments for 'pubsub|numpat' command"));
  EXPECT_EQ(asking.Call("PUBSUB HELP").elements.at(1), Status("CHANNELS [<pattern>]"));
  EXPECT_EQ(asking.Call("PUBSUB NOSUCH"), Err("ERR unknown subcommand 'NOSUCH'. Try PUBSUB HELP."));
}

TEST_F(PubSubTest, ClientListAndInfoCountWhatIsListenedTo) {
  Client listener = Connect(), asking = Connect();
  listener.Call("SUBSCRIBE a");
  listener.Call("PSUBSCRIBE b*");
  listener.Call("PSUBSCRIBE c*");
  listener.Call("SSUBSCRIBE d");
  const std::string line = asking.Call("CLIENT LIST TYPE pubsub").text;
  EXPECT_NE(line.find(" flags=P "), std::string::npos) << line;
  EXPECT_NE(line.find(" sub=1 psub=2 ssub=1 "), std::string::npos) << line;
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  const std::string info = asking.Call("INFO stats").text;
  EXPECT_NE(info.find("pubsub_channels:1\r\npubsub_patterns:2\r\npubsubshard_channels:1\r\n"),
            std::string::npos);
}

TEST_F(PubSubTest, ShardChannelsAreNoKeys) {
  Client asking = Connect();
  EXPECT_EQ(asking.Call("COMMAND GETKEYS SSUBSCRIBE a"),
            Err("ERR The command has no key arguments"));
}

TEST_F(PubSubTest, WrongNumbersOfWordsAreRefused) {
  Client client = Connect();
  EXPECT_EQ(client.Call("SUBSCRIBE"), Err("ERR wrong number of arguments for 'subscribe' command"));
  EXPECT_EQ(client.Call("PUBLISH ch"), Err("ERR wrong number of arguments for 'publish' command"));
  EXPECT_FALSE(client.session().subscribed());
}

TEST_F(PubSubTest, CopiesOfOneOwnFollowTheReply) {
  Client self = ConnectResp3();
  self.Call("SUBSCRIBE ch");
  EXPECT_EQ(self.Call("PUBLISH ch x"), Int(1));
  EXPECT_EQ(self.Read(), Push({Bulk("message"), Bulk("ch"), Bulk("x")}));
}

TEST_F(PubSubTest, CopiesOfOneOwnFollowTheReplyOfTheWholeTransaction) {
  Client self = ConnectResp3(), other = Connect();
  self.Call("SUBSCRIBE foo");
  other.Call("SUBSCRIBE foo");
  self.Call("MULTI");
  for (const std::string_view command :
       {"PING abc", "PUBLISH foo bar", "PUBLISH foo vaz", "PING def"}) {
    EXPECT_EQ(self.Call(command), Status("QUEUED"));
  }
  EXPECT_FALSE(other.TryRead());
  EXPECT_EQ(self.Call("EXEC"), Array({Bulk("abc"), Int(2), Int(2), Bulk("def")}));
  EXPECT_EQ(self.Read(), Push({Bulk("message"), Bulk("foo"), Bulk("bar")}));
  EXPECT_EQ(self.Read(), Push({Bulk("message"), Bulk("foo"), Bulk("vaz")}));
  EXPECT_EQ(other.Read(), Bulks({"message", "foo", "bar"}));
  EXPECT_EQ(other.Read(), Bulks({"message", "foo", "vaz"}));
}

TEST_F(PubSubTest, SubscribingInATransactionAnswersInItsPlace) {
  Client client = Connect(), sender = Connect();
  client.Call("MULTI");
  client.Call("PING");
  client.Call("SUBSCRIBE ch");
  client.Call("UNSUBSCRIBE ch");
  client.Call("PING");
  EXPECT_EQ(client.Call("EXEC"), Array({Status("PONG"), Step("subscribe", "ch", 1),
                                        Step("unsubscribe", "ch", 0), Status("PONG")}));
  client.Call("MULTI");
  client.Call("SSUBSCRIBE ch");
  EXPECT_EQ(client.Call("EXEC"),
            Array({Err("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client")}));
  EXPECT_EQ(sender.Call("SPUBLISH ch x"), Int(0));
}

TEST_F(PubSubTest, SilencedClientStillGetsPushes) {
  Client client = ConnectResp3(), sender = Connect();
  client.session().reply_mode = ReplyMode::kOff;
  EXPECT_EQ(client.Call("SUBSCRIBE ch"), Step3("subscribe", "ch", 1));
  client.Send("PING");
  EXPECT_FALSE(client.TryRead());
  sender.Call("PUBLISH ch x");
  EXPECT_EQ(client.Read(), Push({Bulk("message"), Bulk("ch"), Bulk("x")}));
  client.Send("PUBLISH ch mine");
  EXPECT_EQ(client.Read(), Push({Bulk("message"), Bulk("ch"), Bulk("mine")}));
  EXPECT_FALSE(client.TryRead());
  EXPECT_EQ(client.Call("UNSUBSCRIBE ch"), Step3("unsubscribe", "ch", 0));
  for (const std::string_view silent : {"SUBSCRIBE", "MULTI", "SUBSCRIBE ch"}) client.Send(silent);
  EXPECT_FALSE(client.TryRead());
}

TEST_F(PubSubTest, SkippedReplyIsNotASubscription) {
  Client client = ConnectResp3();
  client.session().reply_mode = ReplyMode::kSkipThis;
  EXPECT_EQ(client.Call("SUBSCRIBE ch"), Step3("subscribe", "ch", 1));
  EXPECT_EQ(client.Call("PING"), Status("PONG"));
}

TEST_F(PubSubTest, BlockedClientGetsMessagesAndGoesOnWaiting) {
  Client waiting = ConnectResp3(), client = Connect();
  waiting.Call("SUBSCRIBE ch");
  waiting.Send("BLPOP k 0");
  client.Call("PUBLISH ch x");
  EXPECT_EQ(waiting.Read(), Push({Bulk("message"), Bulk("ch"), Bulk("x")}));
  client.Call("RPUSH k v");
  EXPECT_EQ(waiting.Read(), Bulks({"k", "v"}));
}

TEST_F(PubSubTest, MessagesKnowNoDatabases) {
  Client listener = Connect(), sender = Connect();
  listener.Call("SELECT 1");
  listener.Call("SUBSCRIBE ch");
  sender.Call("SELECT 2");
  EXPECT_EQ(sender.Call("PUBLISH ch x"), Int(1));
}

TEST_F(PubSubTest, PublishingIsNotLogged) {
  Client listener = Connect(), sender = Connect();
  listener.Call("SUBSCRIBE ch");
  sender.Call("PUBLISH ch x");
  EXPECT_TRUE(TakeLog().empty());
}

TEST_F(PubSubTest, SubscribersAreNotIdle) {
  Configure("timeout", "1");
  Client listener = Connect(), idle = Connect();
  listener.Call("SUBSCRIBE ch");
  Advance(3s);
  EXPECT_FALSE(listener.Closed());
  EXPECT_TRUE(idle.Closed());
}

TEST_F(PubSubTest, ReaderSlowerThanTheHardLimitIsCutOffAndHoldsNoMore) {
  Configure("client-output-buffer-limit", "pubsub 100000 0 0");
  Client slow = Connect(), sender = Connect();
  slow.Call("SUBSCRIBE ch");
  const std::string message(1000, 'x');
  int sent = 0;
  while (!slow.Closed() && sent < 1000) {
    sender.CallArgs({"PUBLISH", "ch", message});
    ++sent;
  }
  EXPECT_TRUE(slow.session().close_now);
  EXPECT_EQ(sent, 97);  // 97 times 1034 bytes are the first above the limit.
  EXPECT_EQ(engine->broker().statistics.output_buffer_disconnects, 1);
  const std::size_t held = slow.session().out.size();
  // It still counts as a subscriber until its socket is closed.
  EXPECT_EQ(sender.CallArgs({"PUBLISH", "ch", message}), Int(1));
  EXPECT_EQ(slow.session().out.size(), held);
}

TEST_F(PubSubTest, ReaderOverTheSoftLimitIsCutOffWhenItsTimeIsOver) {
  Configure("client-output-buffer-limit", "pubsub 0 50000 2");
  Client slow = Connect(), sender = Connect();
  slow.Call("SUBSCRIBE ch");
  sender.CallArgs({"PUBLISH", "ch", std::string(60000, 'x')});
  Advance(2000ms);
  EXPECT_FALSE(slow.Closed());
  Advance(1100ms);
  EXPECT_TRUE(slow.Closed());
}

TEST_F(PubSubTest, TheLimitOfSubscribersIsNotThatOfOthers) {
  Configure("client-output-buffer-limit", "normal 1000 0 0 pubsub 0 0 0");
  Client listener = Connect(), sender = Connect();
  listener.Call("SUBSCRIBE ch");
  sender.CallArgs({"PUBLISH", "ch", std::string(5000, 'x')});
  EXPECT_FALSE(listener.Closed());
  EXPECT_EQ(listener.session().session_class(), SessionClass::kPubSub);
  EXPECT_EQ(sender.session().session_class(), SessionClass::kNormal);
}

TEST_F(PubSubTest, WhatOneSendsOneselfInATransactionIsLimitedToo) {
  Configure("client-output-buffer-limit", "pubsub 100000 0 0");
  Client self = ConnectResp3();
  self.Call("SUBSCRIBE ch");
  self.Call("MULTI");
  for (int i = 0; i < 200; ++i) self.CallArgs({"PUBLISH", "ch", std::string(1000, 'x')});
  self.Send("EXEC");
  EXPECT_TRUE(self.session().close_now);
}

// A model: what each session listens to, kept naively, against random steps.
TEST_F(PubSubTest, RandomSubscriptionsMatchANaiveModel) {
  Rng rng(7);
  PubSub pub_sub;
  BlockPool pool;
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<Session*> views;
  std::vector<std::set<std::pair<int, std::string>>> model(8);
  for (std::uint64_t i = 0; i < model.size(); ++i) {
    sessions.push_back(std::make_unique<Session>(i, PeerInfo{}, pool, clock.Read()));
    views.push_back(sessions.back().get());
  }
  for (int step = 0; step < 20000; ++step) {
    const std::size_t who = rng.Below(model.size());
    const int kind_index = static_cast<int>(rng.Below(kTopicKinds));
    const auto kind = static_cast<TopicKind>(kind_index);
    const std::string name = "n" + std::to_string(rng.Below(12));
    if (rng.Below(50) == 0) {
      pub_sub.UnsubscribeAll(*views[who]);
      model[who].clear();
    } else if (rng.Below(2) == 0) {
      EXPECT_EQ(pub_sub.Subscribe(*views[who], kind, name),
                model[who].emplace(kind_index, name).second);
    } else {
      EXPECT_EQ(pub_sub.Unsubscribe(*views[who], kind, name),
                model[who].erase({kind_index, name}) == 1);
    }
    std::vector<Session*> expected;
    for (std::size_t i = 0; i < model.size(); ++i) {
      if (model[i].contains({kind_index, name})) expected.push_back(views[i]);
    }
    const PubSub::Subscribers found = pub_sub.SubscribersOf(kind, name);
    std::vector<Session*> got(found.begin(), found.end());
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(got, expected) << "step " << step;
    if (step % 100 == 0) pub_sub.CheckInvariants(views);
  }
  for (Session* session : views) pub_sub.UnsubscribeAll(*session);
  EXPECT_TRUE(pub_sub.empty());
  pub_sub.CheckInvariants(views);
}

}  // namespace
}  // namespace rung::testing

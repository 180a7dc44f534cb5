// What ZRANDMEMBER and ZSCAN promise: fair choices, whole scans, and no harm from large counts.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

void AddMembers(Client& client, const std::string& key, int count) {
  for (int i = 0; i < count; ++i) {
    client.Call("ZADD " + key + " " + std::to_string(i) + " m" + std::to_string(i));
  }
}

std::set<std::string> Texts(const Reply& reply) {
  std::set<std::string> texts;
  for (const Reply& element : reply.elements) texts.insert(element.text);
  return texts;
}

TEST_F(EngineTest, ZRandMemberAnswersAsItsCountAsks) {
  Client client = Connect();
  EXPECT_EQ(client.Call("ZRANDMEMBER none"), Nil());
  EXPECT_EQ(client.Call("ZRANDMEMBER none 3"), Array({}));
  client.Call("ZADD z 5 only");
  EXPECT_EQ(client.Call("ZRANDMEMBER z"), Bulk("only"));
  EXPECT_EQ(client.Call("ZRANDMEMBER z 3"), Bulks({"only"}));
  EXPECT_EQ(client.Call("ZRANDMEMBER z 0"), Array({}));
  EXPECT_EQ(client.Call("ZRANDMEMBER z -3"), Bulks({"only", "only", "only"}));
  EXPECT_EQ(client.Call("ZRANDMEMBER z -2 WITHSCORES"), Bulks({"only", "5", "only", "5"}));
  Client resp3 = ConnectResp3();
  EXPECT_EQ(resp3.Call("ZRANDMEMBER z 1 WITHSCORES"), Array({Array({Bulk("only"), Double("5")})}));
  EXPECT_EQ(resp3.Call("ZRANDMEMBER none"), Null3());
}

TEST_F(EngineTest, ZRandMemberWithAPositiveCountNeverRepeats) {
  Client client = Connect();
  AddMembers(client, "small", 50);
  AddMembers(client, "large", 1000);
  for (const char* line : {"ZRANDMEMBER small 20", "ZRANDMEMBER small 50", "ZRANDMEMBER small 99",
                           "ZRANDMEMBER large 3", "ZRANDMEMBER large 900"}) {
    const Reply reply = client.Call(line);
    EXPECT_EQ(Texts(reply).size(), reply.elements.size()) << line;
  }
  EXPECT_EQ(client.Call("ZRANDMEMBER small 99").elements.size(), 50u);
  EXPECT_EQ(client.Call("ZRANDMEMBER large 3").elements.size(), 3u);
  EXPECT_EQ(client.Call("ZRANDMEMBER large 900").elements.size(), 900u);
}

// 4000 draws, 1000 expected of each: five standard deviations are 137.
TEST_F(EngineTest, ZRandMemberChoosesEachMemberAsOften) {
  Client client = Connect();
  client.Call("ZADD z 1 a 2 b 3 c 4 d");
  std::map<std::string, int> hits;
  for (int i = 0; i < 2000; ++i) {
    for (const std::string& member : Texts(client.Call("ZRANDMEMBER z 2"))) ++hits[member];
  }
  for (const auto& [member, count] : hits) EXPECT_NEAR(count, 1000, 137) << member;
  EXPECT_EQ(hits.size(), 4u);
}

TEST_F(EngineTest, Case68_CountsBeyondAllBoundsAreRefused) {
  Client client = Connect();
  client.Call("ZADD z 1 a 2 b");
  EXPECT_EQ(client.Call("ZRANDMEMBER z -9223372036854775808"),
            Err("ERR value is out of range, value must between -9223372036854775807 and "
                "9223372036854775807"));
  for (const char* line :
       {"ZRANDMEMBER z -9223372036854775807 WITHSCORES",
        "ZRANDMEMBER z 9223372036854775807 WITHSCORES", "ZRANDMEMBER z -9223372036854775807"}) {
    EXPECT_EQ(client.Call(line), Err("ERR value is out of range")) << line;
  }
  EXPECT_EQ(Texts(client.Call("ZRANDMEMBER z 9223372036854775807")),
            (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(client.Call("ZPOPMIN z 9223372036854775807"), Bulks({"a", "1", "b", "2"}));
}

TEST_F(EngineTest, ZRandMemberRefusesWhatCannotBeRead) {
  Client client = Connect();
  EXPECT_EQ(client.Call("ZRANDMEMBER z x"), Err("ERR value is not an integer or out of range"));
  EXPECT_EQ(client.Call("ZRANDMEMBER z 1 nope"), Err("ERR syntax error"));
  EXPECT_EQ(client.Call("ZRANDMEMBER z 1 WITHSCORES x"), Err("ERR syntax error"));
}

TEST_F(EngineTest, ZScanAnswersASmallSetWhole) {
  Client client = Connect();
  client.Call("ZADD z 1 apple 2.5 pear 1e300 plum");
  EXPECT_EQ(client.Call("ZSCAN z 0"),
            Array({Bulk("0"), Bulks({"apple", "1", "pear", "2.5", "plum", "1e+300"})}));
  EXPECT_EQ(client.Call("ZSCAN z 0 MATCH p* COUNT 1"),
            Array({Bulk("0"), Bulks({"pear", "2.5", "plum", "1e+300"})}));
  EXPECT_EQ(client.Call("ZSCAN none 17"), Array({Bulk("0"), Array({})}));
  Client resp3 = ConnectResp3();
  EXPECT_EQ(resp3.Call("ZSCAN z 0 MATCH apple"), Array({Bulk("0"), Bulks({"apple", "1"})}));
}

TEST_F(EngineTest, ZScanReachesEveryMemberThatStays) {
  Client client = Connect();
  AddMembers(client, "z", 2000);
  std::set<std::string> seen;
  std::string cursor = "0";
  int calls = 0;
  do {
    const Reply reply = client.Call("ZSCAN z " + cursor + " COUNT 50");
    cursor = reply.elements[0].text;
    const std::vector<Reply>& pairs = reply.elements[1].elements;
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
      const bool comes_and_goes = pairs[i].text.starts_with("new");
      EXPECT_EQ(pairs[i].text, comes_and_goes ? pairs[i].text : "m" + pairs[i + 1].text);
      seen.insert(pairs[i].text);
    }
    // Meanwhile the set shrinks and grows again.
    client.Call("ZREM z m" + std::to_string(1000 + calls));
    const std::string number = std::to_string(5000 + calls);
    client.Call("ZADD z " + number + " m" + number);
    ASSERT_LT(++calls, 500);
  } while (cursor != "0");
  EXPECT_GT(calls, 20);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(seen.contains("m" + std::to_string(i))) << i;
}

TEST_F(EngineTest, ZScanRefusesWhatCannotBeRead) {
  Client client = Connect();
  for (const char* line :
       {"ZSCAN z x", "ZSCAN z -1", "ZSCAN z 1.5", "ZSCAN z \"\"", "ZSCAN z 18446744073709551616"}) {
    EXPECT_EQ(client.Call(line), Err("ERR invalid cursor")) << line;
  }
  for (const char* line : {"ZSCAN z 0 COUNT 0", "ZSCAN z 0 COUNT -1", "ZSCAN z 0 MATCH",
                           "ZSCAN z 0 TYPE zset", "ZSCAN z 0 nope"}) {
    EXPECT_EQ(client.Call(line), Err("ERR syntax error")) << line;
  }
}

}  // namespace
}  // namespace rung::testing

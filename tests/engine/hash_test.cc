// What the hash commands promise, and what of them is logged.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using Lines = std::vector<std::string>;

TEST_F(EngineTest, HashFieldsAreSetReadAndRemoved) {
  Client client = Connect();
  EXPECT_EQ(client.Call("HSET h a 1 b 2"), Int(2));
  EXPECT_EQ(client.Call("HSET h a 3 c 4"), Int(1));
  EXPECT_EQ(client.Call("HMGET h a b c d"), Array({Bulk("3"), Bulk("2"), Bulk("4"), Nil()}));
  EXPECT_EQ(client.Call("HSETNX h a 9"), Int(0));
  EXPECT_EQ(client.Call("HGETALL h"), Bulks({"a", "3", "b", "2", "c", "4"}));
  EXPECT_EQ(client.Call("HDEL h a b c d"), Int(3));
  EXPECT_EQ(client.Call("EXISTS h"), Int(0));
  EXPECT_EQ(client.Call("HSET h a"), Err("ERR wrong number of arguments for 'hset' command"));
  EXPECT_EQ(TakeLog(), (Lines{"HSET h a 1 b 2", "HSET h a 3 c 4", "HDEL h a b c d"}));
}

TEST_F(EngineTest, HashCountersCountAndFloatsAreLoggedByTheirResult) {
  Client client = Connect();
  EXPECT_EQ(client.Call("HINCRBY h n 5"), Int(5));
  EXPECT_EQ(client.Call("HINCRBYFLOAT h n 0.5"), Bulk("5.5"));
  EXPECT_EQ(client.Call("HINCRBY h n 1"), Err("ERR hash value is not an integer"));
  EXPECT_EQ(client.Call("HINCRBYFLOAT h f inf"), Err("ERR value is NaN or Infinity"));
  EXPECT_EQ(client.Call("HINCRBYFLOAT h f nan"), Err("ERR value is not a valid float"));
  EXPECT_EQ(TakeLog(), (Lines{"HINCRBY h n 5", "HSET h n 5.5"}));
}

TEST_F(EngineTest, HashRepliesInResp3AreMaps) {
  Client client = ConnectResp3();
  client.Call("HSET h a 1");
  EXPECT_EQ(client.Call("HGETALL h"), Map({Bulk("a"), Bulk("1")}));
  EXPECT_EQ(client.Call("HRANDFIELD h 1 WITHVALUES"), Array({Bulks({"a", "1"})}));
  EXPECT_EQ(client.Call("HGET h b"), Null3());
}

TEST_F(EngineTest, HRandFieldRefusesWhatNoReplyCanHold) {
  Client client = Connect();
  client.Call("HSET h a 1");
  EXPECT_TRUE(client.Call("HRANDFIELD h -9223372036854775807").IsError());
  EXPECT_TRUE(client.Call("HRANDFIELD h -4611686018427387904 WITHVALUES").IsError());
  EXPECT_EQ(client.Call("HRANDFIELD h -3"), Bulks({"a", "a", "a"}));
  EXPECT_EQ(client.Call("HRANDFIELD h 5"), Bulks({"a"}));
}

TEST_F(EngineTest, HScanSeesEveryField) {
  Client client = Connect();
  for (int i = 0; i < 1000; ++i) client.Call("HSET h f" + std::to_string(i) + " v");
  std::string cursor = "0";
  std::size_t seen = 0;
  do {
    const Reply reply = client.Call("HSCAN h " + cursor + " COUNT 50");
    cursor = reply.elements[0].text;
    seen += reply.elements[1].elements.size() / 2;
  } while (cursor != "0");
  EXPECT_GE(seen, 1000u);
}

// BullMQ reads a parent's children page by page: 72 fields that are too long for a listpack.
TEST_F(EngineTest, HScanOfAHashThatCountsAsTableGoesByPages) {
  Client client = Connect();
  const std::string prefix(70, 'x');
  for (int i = 0; i < 72; ++i) client.Call("HSET h " + prefix + std::to_string(i) + " v");
  std::set<std::string> seen;
  Reply reply = client.Call("HSCAN h 0 COUNT 50");
  EXPECT_GE(reply.elements[1].elements.size(), 2u * 50);
  EXPECT_LT(reply.elements[1].elements.size(), 2u * 72);
  const auto note = [&seen](const Reply& page) {
    for (std::size_t i = 0; i < page.elements[1].elements.size(); i += 2) {
      seen.insert(page.elements[1].elements[i].text);
    }
  };
  note(reply);
  // The form changes in between: what stays is seen all the same.
  for (int i = 0; i < 200; ++i) client.Call("HSET h late" + std::to_string(i) + " v");
  while (reply.elements[0].text != "0") {
    reply = client.Call("HSCAN h " + reply.elements[0].text + " COUNT 50");
    note(reply);
  }
  for (int i = 0; i < 72; ++i) EXPECT_TRUE(seen.contains(prefix + std::to_string(i))) << i;
}

}  // namespace
}  // namespace rung::testing

// What the hash commands promise, and what of them is logged.

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace rung::testing

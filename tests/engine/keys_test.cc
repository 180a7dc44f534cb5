// What holds for any key: names, expiry, iteration.

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

TEST_F(EngineTest, RenameTakesValueAndExpiryAlong) {
  Client client = Connect();
  client.Call("SET a 1 PX 1000");
  client.Call("RPUSH b x");
  TakeLog();
  EXPECT_EQ(client.Call("RENAME a b"), Ok());
  EXPECT_EQ(client.Call("GET b"), Bulk("1"));
  EXPECT_EQ(client.Call("PTTL b"), Int(1000));
  EXPECT_EQ(client.Call("EXISTS a"), Int(0));
  EXPECT_EQ(client.Call("RENAME a b"), Err("ERR no such key"));
  EXPECT_EQ(TakeLog(), (Lines{"RENAME a b"}));
}

TEST_F(EngineTest, CopyIsIndependentOfItsSource) {
  Client client = Connect();
  client.Call("RPUSH a 1 2");
  EXPECT_EQ(client.Call("COPY a b"), Int(1));
  EXPECT_EQ(client.Call("COPY a b"), Int(0));
  client.Call("RPUSH a 3");
  EXPECT_EQ(client.Call("LLEN b"), Int(2));
  EXPECT_EQ(client.Call("COPY a b REPLACE"), Int(1));
  EXPECT_EQ(client.Call("LLEN b"), Int(3));
  EXPECT_EQ(client.Call("COPY a a"), Err("ERR source and destination objects are the same"));
  EXPECT_EQ(client.Call("COPY a b DB 99"), Err("ERR DB index is out of range"));
}

TEST_F(EngineTest, MoveChangesTheDatabase) {
  Client client = Connect();
  client.Call("SET a 1");
  EXPECT_EQ(client.Call("MOVE a 1"), Int(1));
  EXPECT_EQ(client.Call("EXISTS a"), Int(0));
  client.Call("SELECT 1");
  EXPECT_EQ(client.Call("GET a"), Bulk("1"));
}

TEST_F(EngineTest, ExpiryRulesCompareWithTheExpiryThatIsThere) {
  Client client = Connect();
  client.Call("SET k v");
  EXPECT_EQ(client.Call("EXPIRE k 100 XX"), Int(0));
  EXPECT_EQ(client.Call("EXPIRE k 100 GT"), Int(0));
  EXPECT_EQ(client.Call("EXPIRE k 100 LT"), Int(1));
  EXPECT_EQ(client.Call("EXPIRE k 200 LT"), Int(0));
  EXPECT_EQ(client.Call("EXPIRE k 200 GT"), Int(1));
  EXPECT_EQ(client.Call("EXPIRE k 50 NX"), Int(0));
  EXPECT_EQ(client.Call("TTL k"), Int(200));
  EXPECT_EQ(client.Call("EXPIRE k 1 NX GT"),
            Err("ERR NX and XX, GT or LT options at the same time are not compatible"));
  EXPECT_EQ(client.Call("EXPIRE k 1 AB"), Err("ERR Unsupported option AB"));
}

TEST_F(EngineTest, ExpireIsLoggedAsAMomentAndThePastAsADeletion) {
  Client client = Connect();
  client.Call("SET k v");
  TakeLog();
  client.Call("EXPIRE k 10");
  client.Call("EXPIRE k -1");
  EXPECT_EQ(TakeLog(), (Lines{"PEXPIREAT k 1767225610000", "DEL k"}));
  EXPECT_EQ(client.Call("EXPIRE n 9223372036854775807"),
            Err("ERR invalid expire time in 'expire' command"));
}

TEST_F(EngineTest, ActiveExpiryNeedsNobodyToAsk) {
  Client client = Connect();
  for (int i = 0; i < 1000; ++i) client.Call("SET k" + std::to_string(i) + " v PX 50");
  client.Call("SET stays v");
  Advance(50ms);
  EXPECT_EQ(engine->broker().store.key_count(), 1u);
  engine->broker().store.database(0).CheckInvariants();
}

TEST_F(EngineTest, ScanFindsEveryKeyThatStaysWhileTheTableGrowsAndShrinks) {
  Client client = Connect();
  for (int i = 0; i < 500; ++i) client.Call("SET stay:" + std::to_string(i) + " v");
  std::set<std::string> seen;
  std::string cursor = "0";
  int round = 0;
  do {
    const Reply reply = client.Call("SCAN " + cursor + " COUNT 20");
    cursor = reply.elements[0].text;
    for (const Reply& key : reply.elements[1].elements) seen.insert(key.text);
    for (int i = 0; i < 50; ++i) {
      const std::string key =
          " go:" + std::to_string(round % 2 == 0 ? round * 50 + i : (round - 1) * 50 + i);
      client.Call((round % 2 == 0 ? "SET" : "DEL") + key + (round % 2 == 0 ? " v" : ""));
    }
    ++round;
  } while (cursor != "0");
  for (int i = 0; i < 500; ++i) EXPECT_TRUE(seen.count("stay:" + std::to_string(i))) << i;
}

TEST_F(EngineTest, ScanFilters) {
  Client client = Connect();
  client.Call("SET a:1 v");
  client.Call("RPUSH a:2 v");
  client.Call("SET b:1 v");
  EXPECT_EQ(client.Call("SCAN 0 MATCH a:* TYPE list COUNT 100"),
            Array({Bulk("0"), Bulks({"a:2"})}));
  EXPECT_EQ(client.Call("SCAN x"), Err("ERR invalid cursor"));
  EXPECT_EQ(client.Call("SCAN 0 COUNT 0"), Err("ERR syntax error"));
}

}  // namespace
}  // namespace rung::testing

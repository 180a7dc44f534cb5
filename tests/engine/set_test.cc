// What the set commands promise, and what of them is logged.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using Lines = std::vector<std::string>;

std::vector<std::string> Sorted(const Reply& reply) {
  std::vector<std::string> texts;
  for (const Reply& element : reply.elements) texts.push_back(element.text);
  std::sort(texts.begin(), texts.end());
  return texts;
}

TEST_F(EngineTest, SetMembersComeOnce) {
  Client client = Connect();
  EXPECT_EQ(client.Call("SADD s a b a"), Int(2));
  EXPECT_EQ(client.Call("SADD s a"), Int(0));
  EXPECT_EQ(client.Call("SMISMEMBER s a x"), Array({Int(1), Int(0)}));
  EXPECT_EQ(client.Call("SREM s a x"), Int(1));
  EXPECT_EQ(client.Call("SMOVE s t b"), Int(1));
  EXPECT_EQ(client.Call("EXISTS s t"), Int(1));
  EXPECT_EQ(TakeLog(), (Lines{"SADD s a b a", "SREM s a x", "SMOVE s t b"}));
}

TEST_F(EngineTest, SPopLogsWhatChanceHasChosen) {
  Client client = Connect();
  client.Call("SADD s 1 2 3");
  TakeLog();
  const Reply popped = client.Call("SPOP s");
  EXPECT_EQ(TakeLog(), (Lines{"SREM s " + popped.text}));
  const Reply rest = client.Call("SPOP s 5");
  EXPECT_EQ(rest.elements.size(), 2u);
  EXPECT_EQ(TakeLog(), (Lines{"DEL s"}));
  EXPECT_EQ(client.Call("SPOP s"), Nil());
  EXPECT_EQ(client.Call("SPOP s -1"), Err("ERR value is out of range, must be positive"));
}

TEST_F(EngineTest, SetAlgebra) {
  Client client = Connect();
  client.Call("SADD a 1 2 3");
  client.Call("SADD b 2 3 4");
  EXPECT_EQ(Sorted(client.Call("SUNION a b none")), (Lines{"1", "2", "3", "4"}));
  EXPECT_EQ(Sorted(client.Call("SINTER a b")), (Lines{"2", "3"}));
  EXPECT_EQ(Sorted(client.Call("SDIFF a b")), (Lines{"1"}));
  EXPECT_EQ(client.Call("SINTERCARD 2 a b LIMIT 1"), Int(1));
  EXPECT_EQ(client.Call("SINTERSTORE d a b"), Int(2));
  EXPECT_EQ(client.Call("SINTERSTORE d a none"), Int(0));
  EXPECT_EQ(client.Call("EXISTS d"), Int(0));
  client.Call("SET str v");
  EXPECT_TRUE(client.Call("SINTER none str").IsError());
  EXPECT_EQ(client.Call("SINTERCARD 0 a"), Err("ERR numkeys should be greater than 0"));
}

TEST_F(EngineTest, Case68_SRandMemberRefusesWhatNoReplyCanHold) {
  Client client = Connect();
  client.Call("SADD s a");
  EXPECT_TRUE(client.Call("SRANDMEMBER s -9223372036854775808").IsError());
  EXPECT_TRUE(client.Call("SRANDMEMBER s -9223372036854775807").IsError());
  EXPECT_EQ(client.Call("SRANDMEMBER s -2"), Bulks({"a", "a"}));
  EXPECT_EQ(client.Call("SMEMBERS s"), Bulks({"a"}));
}

TEST_F(EngineTest, BitFieldCountsLikeSidekiqsMetrics) {
  Client client = Connect();
  EXPECT_EQ(client.Call("BITFIELD m OVERFLOW SAT INCRBY u16 #3 1 INCRBY u16 #0 70000"),
            Array({Int(1), Int(65535)}));
  EXPECT_EQ(client.Call("BITFIELD_RO m GET u16 #0 GET u16 #3 GET u16 #9"),
            Array({Int(65535), Int(1), Int(0)}));
  EXPECT_EQ(client.Call("BITFIELD m SET i8 0 -1 OVERFLOW FAIL INCRBY i8 0 -128 GET i8 0"),
            Array({Int(-1), Nil(), Int(-1)}));
  EXPECT_EQ(client.Call("BITFIELD m GET u64 0"),
            Err("ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not "
                "supported but i64 is."));
  EXPECT_EQ(client.Call("SETBIT b 7 1"), Int(0));
  EXPECT_EQ(client.Call("GETBIT b 7"), Int(1));
  EXPECT_EQ(client.Call("BITCOUNT b"), Int(1));
}

}  // namespace
}  // namespace rung::testing

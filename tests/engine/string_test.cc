// What the string commands promise, and what of them is logged.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

TEST_F(EngineTest, SetIsLoggedWithTheMomentOfItsExpiry) {
  Client client = Connect();
  EXPECT_EQ(client.Call("SET k v EX 10"), Ok());
  EXPECT_EQ(client.Call("GET k"), Bulk("v"));
  EXPECT_EQ(TakeLog(), (Lines{"SET k v PXAT 1767225610000"}));
}

TEST_F(EngineTest, KeyIsGoneAtItsMomentAndNotBefore) {
  Client client = Connect();
  client.Call("SET k v PX 100");
  TakeLog();
  Advance(99ms);
  EXPECT_EQ(client.Call("GET k"), Bulk("v"));
  Advance(1ms);
  EXPECT_EQ(client.Call("GET k"), Nil());
  EXPECT_EQ(TakeLog(), (Lines{"DEL k"}));
}

TEST_F(EngineTest, CounterCountsAndRefusesWhatIsNoNumber) {
  Client client = Connect();
  EXPECT_EQ(client.Call("INCR n"), Int(1));
  EXPECT_EQ(client.Call("INCRBY n 41"), Int(42));
  EXPECT_EQ(client.Call("GET n"), Bulk("42"));
  client.Call("SET s word");
  EXPECT_EQ(client.Call("INCR s"), Err("ERR value is not an integer or out of range"));
  client.Call("SET m 9223372036854775807");
  EXPECT_EQ(client.Call("INCR m"), Err("ERR increment or decrement would overflow"));
}

TEST_F(EngineTest, SetNxXxGetAnswerAsRedisDoes) {
  Client client = Connect();
  EXPECT_EQ(client.Call("SET k a XX"), Nil());
  EXPECT_EQ(client.Call("SET k a NX"), Ok());
  EXPECT_EQ(client.Call("SET k b NX GET"), Bulk("a"));
  EXPECT_EQ(client.Call("SET k c GET"), Bulk("a"));
  EXPECT_EQ(client.Call("SET k d NX XX"), Err("ERR syntax error"));
  EXPECT_EQ(client.Call("SET k d EX 0"), Err("ERR invalid expire time in 'set' command"));
}

TEST_F(EngineTest, AppendAndSetRangeGrowInPlace) {
  Client client = Connect();
  EXPECT_EQ(client.Call("APPEND k Hello"), Int(5));
  EXPECT_EQ(client.Call("APPEND k \" World\""), Int(11));
  EXPECT_EQ(client.Call("SETRANGE k 6 There"), Int(11));
  EXPECT_EQ(client.Call("GET k"), Bulk("Hello There"));
  EXPECT_EQ(client.Call("SETRANGE z 3 x"), Int(4));
  EXPECT_EQ(client.Call("GETRANGE z 0 -1"), Bulk(std::string("\0\0\0x", 4)));
  EXPECT_EQ(client.Call("SETRANGE q 4294967295 x"),
            Err("ERR string exceeds maximum allowed size (proto-max-bulk-len)"));
}

}  // namespace
}  // namespace rung::testing

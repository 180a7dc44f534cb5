// MULTI, EXEC and WATCH: all or nothing, and what the log says of it.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

TEST_F(EngineTest, Case93_ABadCommandWhileQueueingSpoilsTheWhole) {
  Client client = Connect();
  EXPECT_EQ(client.Call("MULTI"), Ok());
  EXPECT_TRUE(client.Call("NOSUCH").IsError());
  EXPECT_EQ(client.Call("SET c 1"), Status("QUEUED"));
  EXPECT_EQ(client.Call("EXEC"),
            Err("EXECABORT Transaction discarded because of previous errors."));
  EXPECT_EQ(client.Call("EXISTS c"), Int(0));
}

TEST_F(EngineTest, Case93_ARunTimeErrorDoesNotStopTheRest) {
  Client client = Connect();
  client.Call("MULTI");
  client.Call("SET s v");
  client.Call("LPUSH s x");
  client.Call("SET t v");
  EXPECT_EQ(client.Call("EXEC"),
            Array({Ok(), Err("WRONGTYPE Operation against a key holding the wrong kind of value"),
                   Ok()}));
  EXPECT_EQ(TakeLog(), (Lines{"MULTI", "SET s v", "SET t v", "EXEC"}));
}

TEST_F(EngineTest, Case93_MisplacedTransactionCommandsAreErrors) {
  Client client = Connect();
  EXPECT_EQ(client.Call("EXEC"), Err("ERR EXEC without MULTI"));
  EXPECT_EQ(client.Call("DISCARD"), Err("ERR DISCARD without MULTI"));
  client.Call("MULTI");
  EXPECT_EQ(client.Call("MULTI"), Err("ERR MULTI calls can not be nested"));
  EXPECT_EQ(client.Call("WATCH k"), Err("ERR WATCH inside MULTI is not allowed"));
  client.Call("SET k v");
  EXPECT_EQ(client.Call("EXEC"), Array({Ok()}));
}

TEST_F(EngineTest, WatchedKeyThatChangesCancelsExec) {
  Client a = Connect(), b = Connect();
  a.Call("WATCH k");
  b.Call("SET k v");
  a.Call("MULTI");
  a.Call("SET k w");
  EXPECT_EQ(a.Call("EXEC"), NullArray());
  EXPECT_EQ(b.Call("GET k"), Bulk("v"));
  a.Call("MULTI");
  a.Call("SET k w");
  EXPECT_EQ(a.Call("EXEC"), Array({Ok()}));
}

TEST_F(EngineTest, WatchedKeyThatExpiresCancelsExec) {
  Client a = Connect();
  a.Call("SET k v PX 10");
  a.Call("WATCH k");
  Advance(20ms);
  a.Call("MULTI");
  a.Call("PING");
  EXPECT_EQ(a.Call("EXEC"), NullArray());
}

TEST_F(EngineTest, WatchOfAKeyAlreadyPastItsTimeHolds) {
  Client a = Connect();
  a.Call("SET k v PX 10");
  clock.Advance(20ms);
  a.Call("WATCH k");
  a.Call("MULTI");
  a.Call("PING");
  EXPECT_EQ(a.Call("EXEC"), Array({Status("PONG")}));
}

TEST_F(EngineTest, OneEffectNeedsNoMultiInTheLog) {
  Client a = Connect();
  a.Call("MULTI");
  a.Call("GET k");
  a.Call("SET k v");
  a.Call("EXEC");
  EXPECT_EQ(TakeLog(), (Lines{"SET k v"}));
}

TEST_F(EngineTest, ExecThatWouldGrowAFullMemoryIsRefusedWhole) {
  Client client = Connect();
  client.Call("RPUSH l a");
  client.Call("MULTI");
  client.Call("SET k v");
  client.Call("LPOP l");
  Client other = Connect();
  other.Call("CONFIG SET maxmemory 1");
  EXPECT_EQ(client.Call("EXEC"),
            Err("EXECABORT Transaction discarded because of: OOM command not allowed when used "
                "memory > 'maxmemory'."));
  EXPECT_EQ(client.Call("EXEC"), Err("ERR EXEC without MULTI"));
  EXPECT_EQ(client.Call("LLEN l"), Int(1));
  // What takes work out always passes.
  client.Call("MULTI");
  client.Call("LPOP l");
  EXPECT_EQ(client.Call("EXEC"), Array({Bulk("a")}));
  EXPECT_EQ(client.Call("RPUSH l b"),
            Err("OOM command not allowed when used memory > 'maxmemory'."));
  EXPECT_EQ(client.Call("EXISTS k"), Int(0));
}

}  // namespace
}  // namespace rung::testing

// SLOWLOG, LATENCY, MEMORY and OBJECT: what an operator looks at.

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kStartSeconds = FakeClock::kStartMs / 1000;

class WatchingTest : public EngineTest {
 protected:
  WatchingTest() { config.Load("enable-debug-command yes", "test", {}); }
};

TEST_F(WatchingTest, SlowLogKeepsWhatTookLongNewestFirst) {
  Client client = Connect();
  client.Call("CLIENT SETNAME me");
  client.Call("DEBUG SLEEP 0.01");
  client.Call("PING");
  client.Call("DEBUG SLEEP 0.02");
  EXPECT_EQ(client.Call("SLOWLOG LEN"), Int(2));
  EXPECT_EQ(client.Call("SLOWLOG GET 1"),
            Array({Array({Int(1), Int(kStartSeconds), Int(20000), Bulks({"DEBUG", "SLEEP", "0.02"}),
                          Bulk("127.0.0.1:50000"), Bulk("me")})}));
  EXPECT_EQ(client.Call("SLOWLOG GET -1").elements.size(), 2u);
  EXPECT_EQ(client.Call("SLOWLOG GET -2"), Err("ERR count should be greater than or equal to -1"));
  EXPECT_EQ(client.Call("SLOWLOG RESET"), Ok());
  EXPECT_EQ(client.Call("SLOWLOG GET"), Array({}));
}

TEST_F(WatchingTest, ShorterSlowLogIsTrimmedAtOnce) {
  Client client = Connect();
  for (int i = 0; i < 3; ++i) client.Call("DEBUG SLEEP 0.01");
  client.Call("CONFIG SET slowlog-max-len 1");
  EXPECT_EQ(client.Call("SLOWLOG LEN"), Int(1));
}

TEST_F(WatchingTest, SlowLogShowsNoSecrets) {
  Client client = Connect();
  client.Call("CONFIG SET slowlog-log-slower-than 0");
  client.Call("CONFIG SET requirepass secret maxmemory 0");
  client.Call("AUTH secret");
  client.Call("HELLO 2 AUTH default secret");
  EXPECT_EQ(client.Call("SLOWLOG GET 2").elements[0].elements[3],
            Bulks({"HELLO", "2", "AUTH", "(redacted)", "(redacted)"}));
  // The question before is in the log by now, too.
  EXPECT_EQ(client.Call("SLOWLOG GET 4").elements[3].elements[3],
            Bulks({"CONFIG", "SET", "requirepass", "(redacted)", "maxmemory", "0"}));
}

TEST_F(WatchingTest, LatencyKeepsTheWorstOfEachSecond) {
  Client client = Connect();
  client.Call("CONFIG SET latency-monitor-threshold 5");
  client.Call("DEBUG SLEEP 0.01");
  client.Call("DEBUG SLEEP 0.02");
  client.Call("DEBUG SLEEP 0.001");
  Advance(1s);
  client.Call("DEBUG SLEEP 0.006");
  EXPECT_EQ(client.Call("LATENCY HISTORY command"),
            Array({Array({Int(kStartSeconds), Int(20)}), Array({Int(kStartSeconds + 1), Int(6)})}));
  EXPECT_EQ(client.Call("LATENCY LATEST"),
            Array({Array({Bulk("command"), Int(kStartSeconds + 1), Int(6), Int(20)})}));
  EXPECT_EQ(client.Call("LATENCY HISTORY nothing"), Array({}));
  EXPECT_EQ(client.Call("LATENCY RESET nothing command"), Int(1));
  EXPECT_EQ(client.Call("LATENCY LATEST"), Array({}));
}

TEST_F(WatchingTest, LatencyGraphAndDoctorAreForPeople) {
  Client client = Connect();
  EXPECT_NE(client.Call("LATENCY DOCTOR").text.find("latency-monitor-threshold"),
            std::string::npos);
  EXPECT_EQ(client.Call("LATENCY GRAPH command"),
            Err("ERR No samples available for event 'command'"));
  client.Call("CONFIG SET latency-monitor-threshold 1");
  client.Call("DEBUG SLEEP 0.002");
  Advance(1s);
  client.Call("DEBUG SLEEP 0.009");
  EXPECT_EQ(client.Call("LATENCY GRAPH command").text,
            "command - high 9 ms, low 2 ms (all time high 9 ms)\n" + std::string(80, '-') +
                "\n #\n #\n #\n_#\n10\nss\n");
  EXPECT_NE(client.Call("LATENCY DOCTOR").text.find("1. command: 2 spikes, 5 ms on average"),
            std::string::npos);
}

TEST_F(WatchingTest, LatencyHistogramCountsByPowersOfTwo) {
  Client client = ConnectResp3();
  client.Call("CONFIG RESETSTAT");
  client.Call("DEBUG SLEEP 0.001");
  client.Call("DEBUG SLEEP 0.001");
  client.Call("DEBUG SLEEP 0.1");
  EXPECT_EQ(client.Call("LATENCY HISTOGRAM debug get nothing"),
            Map({Bulk("debug"), Map({Bulk("calls"), Int(3), Bulk("histogram_usec"),
                                     Map({Int(1048), Int(2), Int(134217), Int(3)})})}));
  // A container stands for its subcommands.
  EXPECT_EQ(client.Call("LATENCY HISTOGRAM latency").elements[0], Bulk("latency|histogram"));
}

TEST_F(WatchingTest, MemoryUsageGrowsWithTheValue) {
  Client client = Connect();
  EXPECT_EQ(client.Call("MEMORY USAGE k"), Nil());
  client.Call("SET k v");
  const std::int64_t small = client.Call("MEMORY USAGE k").integer;
  EXPECT_GT(small, 0);
  client.Call("SETRANGE k 9999 v");
  EXPECT_GT(client.Call("MEMORY USAGE k SAMPLES 0").integer, small + 9000);
  EXPECT_EQ(client.Call("MEMORY USAGE k SAMPLES -1"), Err("ERR syntax error"));
  EXPECT_EQ(client.Call("MEMORY USAGE k bad"), Err("ERR syntax error"));
}

TEST_F(WatchingTest, MemoryStatsHasTheFieldsOfRedis) {
  Client client = ConnectResp3();
  client.Call("SET k v");
  const Reply stats = client.Call("MEMORY STATS");
  ASSERT_EQ(stats.type, '%');
  EXPECT_EQ(stats.elements[0], Bulk("peak.allocated"));
  EXPECT_EQ(stats.elements.size(), 2u * 28);
  EXPECT_EQ(client.Call("MEMORY PURGE"), Ok());
  EXPECT_FALSE(client.Call("MEMORY DOCTOR").text.empty());
}

TEST_F(WatchingTest, ObjectTellsEncodings) {
  Client client = Connect();
  client.Call("SET n 12345");
  client.Call("SET s short");
  client.Call("SET l " + std::string(45, 'x'));
  client.Call("RPUSH list a");
  client.Call("SADD ints 1 2");
  client.Call("HSET hash f v");
  client.Call("XADD stream * f v");
  const auto encoding = [&](const std::string& key) {
    return client.Call("OBJECT ENCODING " + key).text;
  };
  EXPECT_EQ(encoding("n"), "int");
  EXPECT_EQ(encoding("s"), "embstr");
  EXPECT_EQ(encoding("l"), "raw");
  EXPECT_EQ(encoding("list"), "listpack");
  EXPECT_EQ(encoding("ints"), "intset");
  EXPECT_EQ(encoding("hash"), "listpack");
  EXPECT_EQ(encoding("stream"), "stream");
  EXPECT_EQ(client.Call("OBJECT ENCODING none"), Nil());
}

TEST_F(WatchingTest, ObjectIdleTimeCountsFromTheLastUse) {
  Client client = Connect();
  client.Call("SET k v");
  Advance(10s);
  EXPECT_EQ(client.Call("OBJECT IDLETIME k"), Int(10));
  EXPECT_EQ(client.Call("OBJECT IDLETIME k"), Int(10));
  client.Call("CLIENT NO-TOUCH on");
  client.Call("GET k");
  EXPECT_EQ(client.Call("OBJECT IDLETIME k"), Int(10));
  client.Call("CLIENT NO-TOUCH off");
  client.Call("GET k");
  EXPECT_EQ(client.Call("OBJECT IDLETIME k"), Int(0));
  EXPECT_TRUE(client.Call("OBJECT FREQ k").text.starts_with("ERR An LFU maxmemory policy"));
  EXPECT_EQ(client.Call("OBJECT REFCOUNT k"), Int(1));
  EXPECT_EQ(client.Call("OBJECT FREQ none"), Nil());
}

}  // namespace
}  // namespace rung::testing

// Large values are freed on a thread of their own while commands go on: with both at work at once
// nothing is lost, and nothing is kept. The build for the thread sanitizer watches the same.

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "kit/protocol_test.h"

namespace rung::testing {
namespace {

// A value of every type, each of 1000 elements.
constexpr std::string_view kFill = R"request(EVAL "
for i = 1, 1000 do
  local element = 'element:' .. i
  redis.call('RPUSH', 'list', element)
  redis.call('SADD', 'set', element)
  redis.call('HSET', 'hash', element, 'value')
  redis.call('ZADD', 'sorted', i, element)
  redis.call('XADD', 'stream', '*', 'field', element)
  redis.call('Q.ADD', 'queue', element, 'NAME', element, 'GROUP', 'g' .. i % 10)
end
return redis.call('DBSIZE')" 0)request";

class GarbageTest : public ProtocolTest {
 public:
  static std::int64_t InfoNumber(SocketClient& client, const std::string& field) {
    const std::string text = client.Call("INFO memory").text;
    const std::size_t at = text.find("\n" + field + ":");
    EXPECT_NE(at, std::string::npos) << field;
    return at == std::string::npos ? -1 : std::stoll(text.substr(at + field.size() + 2));
  }
};

INSTANTIATE_TEST_SUITE_P(Drivers, GarbageTest, BothDrivers(), DriverName);

TEST_P(GarbageTest, LargeValuesOfEveryTypeAreFreedBesideCommandsThatMakeNewOnes) {
  constexpr std::int64_t kValues = 6;
  constexpr std::int64_t kRounds = 10;
  Daemon daemon(WithDriver());
  SocketClient client = SocketClient::Tcp(daemon.port());
  ASSERT_EQ(client.Call(kFill), Int(kValues));
  ASSERT_EQ(client.Call("FLUSHALL SYNC"), Ok());
  ASSERT_EQ(client.Call("SCRIPT FLUSH"), Ok());
  const std::int64_t memory = InfoNumber(client, "used_memory");
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_EQ(client.Call(kFill), Int(kValues));
    if (round % 2 == 0) {
      ASSERT_EQ(client.Call("UNLINK list set hash sorted stream queue"), Int(kValues));
    } else {
      ASSERT_EQ(client.Call("FLUSHALL ASYNC"), Ok());
    }
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (InfoNumber(client, "lazyfree_pending_objects") != 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  }
  EXPECT_EQ(InfoNumber(client, "lazyfreed_objects"), kRounds * kValues);
  EXPECT_EQ(client.Call("DBSIZE"), Int(0));
  ASSERT_EQ(client.Call("SCRIPT FLUSH"), Ok());
  // One round's values are some 500 kB.
  EXPECT_LT(InfoNumber(client, "used_memory") - memory, 200'000);
  EXPECT_EQ(daemon.Stop(), 0);
}

}  // namespace
}  // namespace rung::testing

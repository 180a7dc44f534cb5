// Requests as strangers, attackers and careless clients send them: what is answered, and whether
// the connection lives on.

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kit/engine_test.h"
#include "rung/base/memory.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;

class RequestTest : public EngineTest {
 public:
  // Sends `bytes` on a connection of their own; their one reply must be an error that ends it.
  void ExpectFatal(std::string_view bytes, std::string_view reason) {
    Client client = Connect();
    client.SendRaw(bytes);
    EXPECT_EQ(client.TryRead(), Err("ERR Protocol error: " + std::string(reason)))
        << bytes.substr(0, 80);
    EXPECT_TRUE(client.Closed()) << bytes.substr(0, 80);
    // Whatever comes behind it is not run.
    client.SendRaw("SET behind x\r\n");
    EXPECT_EQ(client.TryRead(), std::nullopt);
    Client other = Connect();
    EXPECT_EQ(other.Call("EXISTS behind"), Int(0));
  }
};

TEST_F(RequestTest, Case58_LengthsOutOfRangeEndTheConnection) {
  ExpectFatal("*1\r\n$536870913\r\n", "invalid bulk length");
  ExpectFatal("*2147483648\r\n", "invalid multibulk length");
  ExpectFatal("*01\r\n", "invalid multibulk length");
  ExpectFatal("*+1\r\n", "invalid multibulk length");
  ExpectFatal("*1\r\n$-1\r\n", "invalid bulk length");
  ExpectFatal("*1\r\n$4a\r\n", "invalid bulk length");
  ExpectFatal("*1\r\n:4\r\n", "expected '$', got ':'");
}

TEST_F(RequestTest, Case58_ALargeCountAloneTakesNoMemory) {
  const std::size_t before = AllocatedBytes();
  std::vector<Client> clients;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(Connect());
    clients.back().SendRaw("*1048577\r\n");
    EXPECT_EQ(clients.back().TryRead(), std::nullopt);
    EXPECT_FALSE(clients.back().Closed());
  }
  EXPECT_LT(AllocatedBytes() - before, 100u * 4096);
}

TEST_F(RequestTest, Case58_EmptyRequestsAreSkipped) {
  Client client = Connect();
  client.SendRaw("*-1\r\n*0\r\n\r\n*1\r\n$4\r\nPING\r\n");
  EXPECT_EQ(client.Read(), Status("PONG"));
  EXPECT_EQ(client.TryRead(), std::nullopt);
  client.SendRaw("*1\r\n$0\r\n\r\n");
  EXPECT_EQ(client.Read(), Err("ERR unknown command '', with args beginning with: "));
  EXPECT_EQ(client.Call("PING"), Status("PONG"));
}

TEST_F(RequestTest, Case64_HelloAnswersAMapAndChangesTheProtocol) {
  Client client = Connect();
  EXPECT_EQ(client.Call("HELLO 3"),
            Map({Bulk("server"), Bulk("redis"), Bulk("version"), Bulk("7.2.4"), Bulk("proto"),
                 Int(3), Bulk("id"), Int(1), Bulk("mode"), Bulk("standalone"), Bulk("role"),
                 Bulk("master"), Bulk("modules"), Array({})}));
  EXPECT_EQ(client.Call("HELLO 4"), Err("NOPROTO unsupported protocol version"));
  EXPECT_EQ(client.Call("GET none"), Null3());  // Still the protocol chosen before.
}

TEST_F(RequestTest, Case64_HelloLogsInAndSetsTheNameAtOnce) {
  Client admin = Connect();
  ASSERT_EQ(admin.Call("CONFIG SET requirepass pw"), Ok());
  Client client = Connect();
  EXPECT_EQ(client.Call("HELLO 3 AUTH default wrong SETNAME n"),
            Err("WRONGPASS invalid username-password pair or user is disabled."));
  EXPECT_EQ(client.Call("PING"), Err("NOAUTH Authentication required."));
  EXPECT_EQ(client.Call("HELLO 3 AUTH default pw SETNAME n").type, '%');
  EXPECT_EQ(client.Call("CLIENT GETNAME"), Bulk("n"));
}

TEST_F(RequestTest, Case64_AnUnknownSetInfoIsAnErrorAndNoMore) {
  Client client = Connect();
  EXPECT_EQ(client.Call("CLIENT SETINFO lib-shape round"),
            Err("ERR Unrecognized option 'lib-shape'"));
  EXPECT_EQ(client.Call("CLIENT SETINFO lib-name rung-test"), Ok());
}

TEST_F(RequestTest, Case66_InlineCommandsKnowQuotesAndEitherLineEnd) {
  Client client = Connect();
  client.SendRaw("PING\r\nPING\nSET \"a b\" 'c\\'d'\r\n");
  EXPECT_EQ(client.Read(), Status("PONG"));
  EXPECT_EQ(client.Read(), Status("PONG"));
  EXPECT_EQ(client.Read(), Ok());
  EXPECT_EQ(client.CallArgs({"GET", "a b"}), Bulk("c'd"));
}

TEST_F(RequestTest, Case66_BadInlineCommandsEndTheConnection) {
  ExpectFatal("SET \"a\r\n", "unbalanced quotes in request");
  ExpectFatal(std::string(70'000, 'x'), "too big inline request");
}

// A web page can make a browser send these to a port of its user's machine.
TEST_F(RequestTest, Case66_AWebRequestIsClosedBeforeAnyOfItRuns) {
  for (const char* request : {"POST / HTTP/1.1\r\nSET k v\r\n",
                              "Host: localhost:6379\r\nSET k v\r\n", "host: x\r\nSET k v\r\n"}) {
    Client client = Connect();
    client.SendRaw(request);
    EXPECT_TRUE(client.Closed()) << request;
    EXPECT_EQ(client.TryRead(), std::nullopt) << request;
  }
  Client other = Connect();
  EXPECT_EQ(other.Call("EXISTS k"), Int(0));
}

TEST_F(RequestTest, Case68_NumbersBeyondAllBoundsAreErrorsAndChangeNothing) {
  Client client = Connect();
  client.Call("SET n 1");
  EXPECT_EQ(client.Call("SETRANGE q 4294967295 x"),
            Err("ERR string exceeds maximum allowed size (proto-max-bulk-len)"));
  EXPECT_EQ(client.Call("HINCRBYFLOAT h f inf"), Err("ERR value is NaN or Infinity"));
  EXPECT_EQ(client.Call("HINCRBYFLOAT h f nan"), Err("ERR value is not a valid float"));
  EXPECT_EQ(client.Call("XAUTOCLAIM s g c 0 - COUNT 9223372036854775807"),
            Err("ERR COUNT must be > 0"));
  EXPECT_EQ(client.Call("EXPIRE n 9223372036854775807"),
            Err("ERR invalid expire time in 'expire' command"));
  EXPECT_EQ(client.Call("LMPOP 0 k LEFT"), Err("ERR numkeys should be greater than 0"));
  EXPECT_EQ(client.Call("EVAL 'return 1' -1"), Err("ERR Number of keys can't be negative"));
  EXPECT_EQ(client.Call("EXISTS q h s"), Int(0));
  EXPECT_EQ(client.Call("TTL n"), Int(-1));
}

TEST_F(RequestTest, Case68_ARequestThatOutgrowsTheQueryLimitIsCut) {
  Client admin = Connect();
  ASSERT_EQ(admin.Call("CONFIG SET client-query-buffer-limit 1mb"), Ok());
  Client client = Connect();
  client.SendRaw("*1000000\r\n$500000000\r\n");
  EXPECT_FALSE(client.Closed());
  const std::string part(64 * 1024, 'x');
  int sent = 0;
  while (!client.Closed() && sent < 32) {
    client.SendRaw(part);
    ++sent;
  }
  EXPECT_EQ(sent, 16);
  EXPECT_EQ(client.TryRead(), std::nullopt);
}

}  // namespace
}  // namespace rung::testing

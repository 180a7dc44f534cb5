// What one client, or many, may take of the daemon: descriptors, memory, its time.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "kit/build_paths.h"
#include "kit/protocol_test.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;

class LimitsTest : public ProtocolTest {};

INSTANTIATE_TEST_SUITE_P(Drivers, LimitsTest, BothDrivers(), DriverName);

// An IPv4 address of this machine that is not loopback; empty if it has none.
std::string OutsideAddress() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> guard(first, &freeifaddrs);
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr);
    if (ntohl(v4->sin_addr.s_addr) >> 24 == 127) continue;
    std::string text(INET_ADDRSTRLEN, '\0');
    inet_ntop(AF_INET, &v4->sin_addr, text.data(), INET_ADDRSTRLEN);
    return text.c_str();
  }
  return {};
}

// User and system time of the process, in clock ticks.
long CpuTicks(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string word;
  for (int i = 1; i < 14; ++i) file >> word;
  long user = 0;
  long system = 0;
  file >> user >> system;
  return user + system;
}

TEST_P(LimitsTest, OneClientMoreThanMaxclientsIsToldSoAndRoomIsGivenBack) {
  Daemon daemon(WithDriver({"--maxclients", "2"}));
  SocketClient first = SocketClient::Tcp(daemon.port());
  {
    SocketClient second = SocketClient::Tcp(daemon.port());
    ASSERT_EQ(second.Call("PING"), Status("PONG"));
    SocketClient third = SocketClient::Tcp(daemon.port());
    EXPECT_EQ(third.Read(), Err("ERR max number of clients reached"));
    EXPECT_TRUE(third.WaitForClose());
  }
  ASSERT_EQ(first.Call("PING"), Status("PONG"));
  EXPECT_EQ(SocketClient::Tcp(daemon.port()).Call("PING"), Status("PONG"));
}

// When, and that a busy one is spared, is tested where the clock is the test's own.
TEST_P(LimitsTest, AnIdleClientIsClosedAndABlockedOneIsNot) {
  Daemon daemon(WithDriver({"--timeout", "1"}));
  SocketClient blocked = SocketClient::Tcp(daemon.port());
  blocked.Send("BLPOP queue 0");
  SocketClient idle = SocketClient::Tcp(daemon.port());
  EXPECT_TRUE(idle.WaitForClose());
  SocketClient pusher = SocketClient::Tcp(daemon.port());
  EXPECT_EQ(pusher.Call("RPUSH queue job"), Int(1));
  EXPECT_EQ(blocked.Read(), Bulks({"queue", "job"}));
}

TEST_P(LimitsTest, ProtectedModeServesThisMachineAloneUntilAPasswordIsSet) {
  const std::string outside = OutsideAddress();
  if (outside.empty()) GTEST_SKIP() << "no address but loopback";
  Daemon bare(WithDriver());
  EXPECT_EQ(SocketClient::Tcp(bare.port()).Call("PING"), Status("PONG"));
  SocketClient stranger = SocketClient::Tcp(bare.port(), outside);
  const Reply denied = stranger.Read();
  EXPECT_TRUE(denied.text.starts_with("DENIED Redis is running in protected mode")) << denied;
  EXPECT_TRUE(stranger.WaitForClose());
  Daemon open(WithDriver({"--protected-mode", "no"}));
  EXPECT_EQ(SocketClient::Tcp(open.port(), outside).Call("PING"), Status("PONG"));
  Daemon with_password(WithDriver({"--requirepass", "secret"}));
  EXPECT_EQ(SocketClient::Tcp(with_password.port(), outside).Call("AUTH secret"), Ok());
}

TEST_P(LimitsTest, Case60_AClientThatNeverReadsHoldsLittleMemoryAndHurtsNobody) {
  constexpr std::size_t kValueBytes = std::size_t{1} << 20;
  Daemon daemon(WithDriver());
  SocketClient good = SocketClient::Tcp(daemon.port());
  ASSERT_TRUE(good.SendRaw(EncodeRequest({"SET", "big", std::string(kValueBytes, 'x')})));
  ASSERT_EQ(good.Read(), Ok());
  const std::size_t before = daemon.ResidentBytes();
  std::vector<SocketClient> greedy;
  for (int i = 0; i < 10; ++i) {
    greedy.push_back(SocketClient::Tcp(daemon.port()));
    for (int request = 0; request < 500; ++request) greedy.back().Send("GET big");
  }
  for (int i = 0; i < 100; ++i) ASSERT_EQ(good.Call("PING"), Status("PONG"));
  // 5000 MB are asked for. Each client is owed two values or so at a time; the rest of the bound is
  // for allocators that keep what was freed, as those of the sanitizers do.
  EXPECT_LT(daemon.ResidentBytes() - before, 10 * 20 * kValueBytes);
  // Whoever reads in the end gets everything.
  std::size_t received = 0;
  while (received < 500 * (kValueBytes + 12)) {
    const std::string more = greedy.front().ReadRaw();
    ASSERT_FALSE(more.empty());
    received += more.size();
  }
}

#if defined(RUNG_JEMALLOC)
TEST(MemoryTest, AServerWithoutLargeStructuresHasNoHugePage) {
  Daemon with({"--disable-thp", "no"});
  Daemon without({"--disable-thp", "yes"});
  EXPECT_LT(with.ResidentBytes(), without.ResidentBytes() + (std::size_t{1} << 20));
}

// A large sorted set lies in huge pages where there are any, and the rest does not; nothing is
// asked meanwhile that takes memory.
TEST(MemoryTest, GoesBackToTheSystemWhenTheDataIsGone) {
  for (const std::string no_huge_pages : {"no", "yes"}) {
    Daemon daemon({"--enable-debug-command", "yes", "--disable-thp", no_huge_pages});
    const std::size_t empty = daemon.ResidentBytes();
    SocketClient client = SocketClient::Tcp(daemon.port());
    for (int round = 0; round < 2; ++round) {
      ASSERT_EQ(client.Call("DEBUG POPULATE 200000 key 400"), Ok());
      ASSERT_EQ(
          client.Call("EVAL \"for i = 1, 600000 do redis.call('ZADD', 'sorted', i * 7919 % 600011,"
                      " 'member:' .. i) end\" 0"),
          Nil());
      ASSERT_GT(daemon.ResidentBytes(), empty + (std::size_t{100} << 20));
      // What lies in memory that was used before is what was put there.
      const Reply value = client.Call("GET key:199999");
      EXPECT_EQ(value.text.size(), 400u);
      EXPECT_TRUE(value.text.starts_with("value:199999")) << value;
      EXPECT_EQ(value.text.find_first_not_of('\0', 12), std::string::npos);
      EXPECT_EQ(client.Call("ZSCORE sorted member:599999"),
                Bulk(std::to_string(599999LL * 7919 % 600011)));
      EXPECT_EQ(client.Call("ZRANGE sorted 0 1"), Bulks({"member:108349", "member:216698"}));
      ASSERT_EQ(client.Call("FLUSHALL"), Ok());
      const auto deadline = std::chrono::steady_clock::now() + kPatience;
      while (daemon.ResidentBytes() > empty + (std::size_t{24} << 20)) {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline) << daemon.ResidentBytes();
        EXPECT_EQ(client.Call("BLPOP nothing 0.02"), NullArray());
      }
    }
  }
}
#endif

TEST_P(LimitsTest, Case60_ClientsOverTheirOutputLimitAreClosedAndTakeNoElement) {
  Daemon daemon(WithDriver({"--client-output-buffer-limit", "normal", "4mb", "0", "0"}));
  SocketClient good = SocketClient::Tcp(daemon.port());
  ASSERT_TRUE(good.SendRaw(EncodeRequest({"SET", "big", std::string(std::size_t{1} << 20, 'x')})));
  ASSERT_EQ(good.Read(), Ok());
  const std::size_t before = daemon.ResidentBytes();
  std::vector<SocketClient> greedy;
  for (int i = 0; i < 10; ++i) {
    greedy.push_back(SocketClient::Tcp(daemon.port()));
    std::string requests;
    for (int request = 0; request < 500; ++request) requests += "GET big\r\n";
    greedy.back().SendRaw(requests + "BLPOP queue 0\r\n");
    ASSERT_EQ(good.Call("PING"), Status("PONG"));
  }
  EXPECT_LT(daemon.ResidentBytes() - before, std::size_t{10 * 8} << 20);
  for (SocketClient& client : greedy) EXPECT_TRUE(client.WaitForClose());
  EXPECT_EQ(good.Call("RPUSH queue job"), Int(1));
  EXPECT_EQ(good.Call("LPOP queue"), Bulk("job"));
}

TEST_P(LimitsTest, Case60_AStrangerWhoSendsWithoutLoginAndNeverReadsIsClosed) {
  Daemon daemon(WithDriver({"--requirepass", "secret"}));
  SocketClient stranger = SocketClient::Tcp(daemon.port());
  std::string requests;
  for (int i = 0; i < 10'000; ++i) requests += "GET key\r\n";
  bool alive = true;
  for (int i = 0; i < 100 && alive; ++i) alive = stranger.SendRaw(requests);
  EXPECT_FALSE(alive);
}

TEST_P(LimitsTest, ASlowPipelineLetsOthersIn) {
  constexpr int kElements = 100'000;
  Daemon daemon(WithDriver());
  SocketClient slow = SocketClient::Tcp(daemon.port());
  SocketClient quick = SocketClient::Tcp(daemon.port());
  std::vector<std::string> push(kElements + 2, "element");
  push[0] = "RPUSH";
  push[1] = "list";
  ASSERT_TRUE(slow.SendRaw(EncodeRequest(push)));
  ASSERT_EQ(slow.Read(), Int(kElements));
  ASSERT_EQ(quick.Call("PING"), Status("PONG"));
  std::string pipeline;
  for (int i = 0; i < 1000; ++i) pipeline += "LREM list 0 absent\r\n";
  // It stands still until both have sent, so that no pause of this process decides who is first.
  daemon.process().Signal(SIGSTOP);
  ASSERT_TRUE(slow.SendRaw(pipeline + "SET finished yes\r\n"));
  quick.Send("GET finished");
  daemon.process().Signal(SIGCONT);
  EXPECT_EQ(quick.Read(), Nil());
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(slow.Read(), Int(0));
  EXPECT_EQ(slow.Read(), Ok());
}

TEST_P(LimitsTest, WithoutDescriptorsAcceptingPausesAndGoesOnLater) {
  Daemon daemon(WithDriver());
  SocketClient served = SocketClient::Tcp(daemon.port());
  ASSERT_EQ(served.Call("PING"), Status("PONG"));
  const pid_t pid = daemon.process().pid();
  rlimit usual{};
  ASSERT_EQ(prlimit(pid, RLIMIT_NOFILE, nullptr, &usual), 0);
  const rlimit tight{.rlim_cur = 4, .rlim_max = usual.rlim_max};
  ASSERT_EQ(prlimit(pid, RLIMIT_NOFILE, &tight, nullptr), 0);
  SocketClient waiting = SocketClient::Tcp(daemon.port());
  waiting.Send("PING");
  const long ticks = CpuTicks(pid);
  EXPECT_EQ(waiting.TryRead(400ms), std::nullopt);
  EXPECT_LE(CpuTicks(pid) - ticks, 10) << "it spins";
  EXPECT_EQ(served.Call("PING"), Status("PONG"));
  ASSERT_EQ(prlimit(pid, RLIMIT_NOFILE, &usual, nullptr), 0);
  EXPECT_EQ(waiting.Read(), Status("PONG"));
}

TEST(Limits, MaxclientsIsLoweredToWhatTheSystemAllows) {
  const TempDir folder;
  const std::string port = std::to_string(FreePort());
  Process process(
      {"/bin/sh", "-c",
       "ulimit -n 100; exec " + DaemonPath() + " --port " + port + " --dir " + folder.path()});
  ASSERT_TRUE(process.WaitFor("Ready to accept connections"));
  EXPECT_NE(process.output().find("maxclients 10000"), std::string::npos) << process.output();
  EXPECT_NE(process.output().find("set to 68"), std::string::npos) << process.output();
}

}  // namespace
}  // namespace rung::testing

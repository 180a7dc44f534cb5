// Thousands of clients, and clients that race: what each is promised holds for all of them.

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kit/protocol_test.h"
#include "rung/base/rng.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// The thread sanitizer keeps shadows of all memory, resident too.
#if defined(__SANITIZE_THREAD__)
constexpr std::size_t kResidentPerByte = 5;
#else
constexpr std::size_t kResidentPerByte = 1;
#endif

class ManyClientsTest : public ProtocolTest {
 public:
  // How many clients to connect: ten thousand, or as many as a limit on descriptors leaves room
  // for, here and in the daemon, which inherits it.
  static std::size_t ClientsAllowed() {
    constexpr std::size_t kWanted = 10'000;
    constexpr std::size_t kOthers = 200;
    rlimit limit{};
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_GT(limit.rlim_max, 2 * kOthers) << "too few descriptors for a test of many clients";
    return std::min<std::size_t>(kWanted, limit.rlim_max - kOthers);
  }
};

INSTANTIATE_TEST_SUITE_P(Drivers, ManyClientsTest, BothDrivers(), DriverName);

// User and system time of the process.
std::chrono::milliseconds CpuTime(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string word;
  for (int i = 1; i < 14; ++i) file >> word;
  std::int64_t user = 0;
  std::int64_t system = 0;
  file >> user >> system;
  return std::chrono::milliseconds((user + system) * 1000 / sysconf(_SC_CLK_TCK));
}

std::vector<SocketClient> Connect(int port, std::size_t count) {
  std::vector<SocketClient> clients;
  for (std::size_t i = 0; i < count; ++i) clients.push_back(SocketClient::Tcp(port));
  return clients;
}

// Waits for the first byte to each client; when it came, in the clients' order.
std::vector<steady_clock::time_point> ArrivalTimes(const std::vector<SocketClient>& clients) {
  const int set = epoll_create1(EPOLL_CLOEXEC);
  for (std::size_t i = 0; i < clients.size(); ++i) {
    epoll_event event{.events = EPOLLIN | EPOLLONESHOT, .data = {.u64 = i}};
    EXPECT_EQ(epoll_ctl(set, EPOLL_CTL_ADD, clients[i].descriptor(), &event), 0);
  }
  std::vector<steady_clock::time_point> arrivals(clients.size());
  std::array<epoll_event, 512> ready;
  std::size_t left = clients.size();
  while (left > 0) {
    const int patience = static_cast<int>(std::chrono::milliseconds(kPatience).count());
    const int count = epoll_wait(set, ready.data(), static_cast<int>(ready.size()), patience);
    if (count <= 0) {
      ADD_FAILURE() << left << " clients were never answered";
      break;
    }
    const auto now = steady_clock::now();
    for (int i = 0; i < count; ++i) arrivals[ready[static_cast<std::size_t>(i)].data.u64] = now;
    left -= static_cast<std::size_t>(count);
  }
  close(set);
  return arrivals;
}

TEST_P(ManyClientsTest, Case30_TenThousandWaitersCostNothing) {
  const std::size_t count = ClientsAllowed();
  Daemon daemon(WithDriver({"--maxclients", "10100"}));
  std::vector<SocketClient> clients = Connect(daemon.port(), count);
  for (std::size_t i = 0; i < count; ++i) clients[i].Send("BRPOP q:" + std::to_string(i) + " 0");
  SocketClient observer = SocketClient::Tcp(daemon.port());
  const std::string all_wait = "blocked_clients:" + std::to_string(count) + "\r\n";
  const auto deadline = steady_clock::now() + kPatience;
  while (observer.Call("INFO clients").text.find(all_wait) == std::string::npos) {
    ASSERT_LT(steady_clock::now(), deadline);
  }
  const auto cpu_before = CpuTime(daemon.process().pid());
  EXPECT_EQ(observer.TryRead(800ms), std::nullopt);
  EXPECT_LT(CpuTime(daemon.process().pid()) - cpu_before, 80ms) << "idle clients cost time";
  for (std::size_t i = 0; i < count; ++i) {
    const std::string key = "q:" + std::to_string(i);
    ASSERT_EQ(observer.Call("LPUSH " + key + " job"), Int(1));
    ASSERT_EQ(clients[i].Read(), Bulks({key, "job"}));
  }
}

TEST_P(ManyClientsTest, Case30_TenThousandWaitersTimeOut) {
  const std::size_t count = ClientsAllowed();
  Daemon daemon(WithDriver({"--maxclients", "10100"}));
  std::vector<SocketClient> clients = Connect(daemon.port(), count);
  std::vector<steady_clock::time_point> sent;
  for (std::size_t i = 0; i < count; ++i) {
    sent.push_back(steady_clock::now());
    clients[i].Send("BRPOP q:" + std::to_string(i) + " 2");
  }
  const std::vector<steady_clock::time_point> arrivals = ArrivalTimes(clients);
  std::vector<steady_clock::duration> waited;
  for (std::size_t i = 0; i < count; ++i) waited.push_back(arrivals[i] - sent[i]);
  std::sort(waited.begin(), waited.end());
  EXPECT_GE(waited.front(), 2000ms);
  // That each ends in its moment is tested where the clock is the test's own.
  RecordProperty("median_ms", std::to_string(waited[count / 2] / 1ms));
  RecordProperty("slowest_ms", std::to_string(waited.back() / 1ms));
  for (SocketClient& client : clients) ASSERT_EQ(client.Read(), NullArray());
}

TEST_P(ManyClientsTest, Case30_TenThousandIdleClientsAreCheap) {
  const std::size_t count = ClientsAllowed();
  Daemon daemon(WithDriver({"--maxclients", "10100"}));
  SocketClient first = SocketClient::Tcp(daemon.port());
  ASSERT_EQ(first.Call("PING"), Status("PONG"));
  const std::size_t before = daemon.ResidentBytes();
  std::vector<SocketClient> clients = Connect(daemon.port(), count);
  for (SocketClient& client : clients) ASSERT_EQ(client.Call("SET key value"), Ok());
  const std::size_t each = (daemon.ResidentBytes() - before) / count;
  RecordProperty("bytes_per_idle_client", std::to_string(each));
  EXPECT_LT(each, 2000u * kResidentPerByte);
}

// Takes until the end marker comes; the ids in the order in which they were answered.
std::vector<std::string> Consume(int port) {
  SocketClient client = SocketClient::Tcp(port);
  std::vector<std::string> ids;
  while (true) {
    const Reply reply = client.Call("BRPOPLPUSH w act 0.002");
    if (reply.type == '-' || reply.text == "end") return ids;
    if (reply.type == '$') ids.push_back(reply.text);
  }
}

TEST_P(ManyClientsTest, Case26_RacingConsumersGetEveryIdOnce) {
  constexpr std::size_t kIds = 20'000;
  constexpr std::size_t kConsumers = 8;
  Daemon daemon(WithDriver());
  std::vector<std::vector<std::string>> answered(kConsumers);
  std::vector<std::thread> threads;
  for (std::vector<std::string>& ids : answered) {
    threads.emplace_back([&] { ids = Consume(daemon.port()); });
  }
  SocketClient producer = SocketClient::Tcp(daemon.port());
  Rng rng(26);
  for (std::size_t id = 0; id < kIds; ++id) {
    // Pauses up to a little more than the consumers' patience.
    if (rng.Below(32) == 0) {
      ASSERT_EQ(producer.TryRead(std::chrono::milliseconds(rng.Below(4))), std::nullopt);
    }
    ASSERT_GT(producer.Call("LPUSH w " + std::to_string(id)).integer, 0);
  }
  for (std::size_t i = 0; i < kConsumers; ++i) producer.Call("LPUSH w end");
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> all;
  std::size_t total = 0;
  for (const std::vector<std::string>& ids : answered) {
    total += ids.size();
    all.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(total, kIds);
  EXPECT_EQ(all.size(), kIds);
  EXPECT_EQ(producer.Call("LLEN w"), Int(0));
  EXPECT_EQ(producer.Call("LLEN act"), Int(static_cast<std::int64_t>(kIds + kConsumers)));
}

// Only the order of SCAN shows the hash, and it must not be the same twice.
TEST_P(ManyClientsTest, Case62_TheHashSeedDiffersFromStartToStart) {
  std::vector<Reply> scans;
  for (int start = 0; start < 2; ++start) {
    Daemon daemon(WithDriver());
    SocketClient client = SocketClient::Tcp(daemon.port());
    for (int i = 0; i < 1000; ++i) client.Call("SET key:" + std::to_string(i) + " v");
    scans.push_back(client.Call("SCAN 0 COUNT 1000").elements[1]);
    EXPECT_GT(scans.back().elements.size(), 100u);
  }
  EXPECT_NE(scans[0], scans[1]);
}

}  // namespace
}  // namespace rung::testing

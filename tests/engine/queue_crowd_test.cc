// Many at once: workers that wait, jobs that fall due, tenants, and what that costs.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kit/engine_test.h"
#include "kit/queue_reply.h"
#include "rung/base/rng.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;

TEST_F(EngineTest, QueueServesTenThousandWaitingWorkersEachDueJobInItsMillisecond) {
  constexpr int kWorkers = 10000;
  Client producer = Connect();
  std::vector<Client> workers;
  for (int i = 0; i < kWorkers; ++i) {
    workers.push_back(Connect());
    workers.back().Send("Q.TAKE q BLOCK 0");
  }
  Rng rng(11);
  std::map<std::int64_t, int> due;
  for (int i = 0; i < kWorkers; ++i) {
    const auto delay = static_cast<std::int64_t>(1 + rng.Below(2000));
    producer.Call("Q.ADD q " + std::to_string(delay) + " DELAY " + std::to_string(delay));
    ++due[delay];
  }
  std::size_t next = 0;
  for (std::int64_t now = 1; now <= 2000; ++now) {
    Advance(1ms);
    // Who waits longest is served first, with what falls due now and nothing else.
    for (int left = due[now]; left > 0; --left, ++next) {
      const std::optional<Reply> taken = workers[next].TryRead();
      ASSERT_TRUE(taken) << now;
      ASSERT_EQ(BodiesOf(*taken), (std::vector<std::string>{std::to_string(now)}));
    }
  }
  EXPECT_EQ(next, workers.size());
  EXPECT_EQ(engine->broker().waiters.blocked_count(), 0u);
}

TEST_F(EngineTest, QueueServesThoseWhoWaitForTheSameTiersInTheirOrder) {
  Client admin = Connect();
  admin.Call("Q.CONF q TIERS high,low");
  std::vector<Client> workers;
  for (int i = 0; i < 100; ++i) {
    workers.push_back(Connect());
    workers.back().Send(i % 2 == 0 ? "Q.TAKE q TIERS high BLOCK 0" : "Q.TAKE q TIERS low BLOCK 0");
  }
  admin.Call("Q.ADD q urgent PRIO high");
  EXPECT_NE(workers[0].TryRead(), std::nullopt);
  admin.Call("Q.ADD q slow PRIO low");
  EXPECT_NE(workers[1].TryRead(), std::nullopt);
  EXPECT_EQ(engine->broker().waiters.blocked_count(), 98u);
  admin.Call("Q.ADD q slow PRIO low");
  EXPECT_NE(workers[3].TryRead(), std::nullopt);
  EXPECT_EQ(workers[2].TryRead(), std::nullopt);
}

TEST_F(EngineTest, QueueLeasesThatEndTogetherComeBackInTheirOrder) {
  Client a = Connect();
  std::string request = "Q.ADD q 0 MORE 9999";
  for (int i = 1; i < 10000; ++i) request += " " + std::to_string(i);
  a.Call(request);
  a.Call("Q.TAKE q COUNT 10000 LEASE 500");
  Advance(500ms);
  const std::vector<std::string> bodies = BodiesOf(a.Call("Q.TAKE q COUNT 10000"));
  ASSERT_EQ(bodies.size(), 10000u);
  for (std::size_t i = 0; i < bodies.size(); ++i) ASSERT_EQ(bodies[i], std::to_string(i));
}

TEST_F(EngineTest, QueueOfManyTiersFindsTheMostUrgent) {
  Client a = Connect();
  Rng rng(5);
  std::map<std::uint64_t, int> expected;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t tier = rng.Below(2097152);
    a.Call("Q.ADD q " + std::to_string(tier) + " PRIO " + std::to_string(tier));
    ++expected[tier];
  }
  for (const auto& [tier, count] : expected) {
    for (int i = 0; i < count; ++i) {
      const Reply taken = a.Call("Q.TAKE q NOACK");
      ASSERT_EQ(BodiesOf(taken), (std::vector<std::string>{std::to_string(tier)}));
    }
  }
  EXPECT_EQ(a.Call("Q.TAKE q"), NullArray());
}

}  // namespace
}  // namespace rung::testing

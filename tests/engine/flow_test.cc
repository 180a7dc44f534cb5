// What queue libraries do with plain commands: each step as they send it, and what must not be
// lost on the way.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kit/engine_test.h"
#include "rung/base/rng.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

// Eight consumers that ask again as soon as they are answered, and count what they got.
class Consumers {
 public:
  Consumers(EngineTest& test, int ids) : times_answered_(static_cast<std::size_t>(ids)) {
    for (int i = 0; i < 8; ++i) {
      clients_.push_back(test.Connect());
      clients_.back().Send(kRequest);
    }
  }

  void TakeAnswers() {
    for (Client& client : clients_) {
      while (const std::optional<Reply> reply = client.TryRead()) {
        if (reply->type == '$') {
          ++times_answered_[static_cast<std::size_t>(std::stoi(reply->text))];
          ++answers_;
        } else {
          ASSERT_EQ(*reply, NullArray());
          ++timeouts_;
        }
        client.Send(kRequest);
      }
    }
  }

  std::int64_t answers() const { return answers_; }
  std::int64_t timeouts() const { return timeouts_; }
  bool AnsweredEachOnce() const {
    return std::count(times_answered_.begin(), times_answered_.end(), 1) == answers_;
  }

 private:
  static constexpr const char* kRequest = "BRPOPLPUSH w act 1";

  std::vector<Client> clients_;
  std::vector<int> times_answered_;  // By id.
  std::int64_t answers_ = 0;
  std::int64_t timeouts_ = 0;
};

TEST_F(EngineTest, Case26_EveryIdIsAnsweredOnceHoweverTimeoutsFall) {
  constexpr int kIds = 200'000;
  Rng rng(26);
  Consumers consumers(*this, kIds);
  Client producer = Connect();
  int pushed = 0;
  while (pushed < kIds) {
    // Now and then just as everybody's time is over, and before anybody has been told.
    clock.Advance(rng.Below(16) == 0 ? std::chrono::nanoseconds(1s)
                                     : std::chrono::microseconds(rng.Below(100'000)));
    for (std::uint64_t i = rng.Below(24); i > 0 && pushed < kIds; --i) {
      producer.Call("LPUSH w " + std::to_string(pushed++));
    }
    engine->Tick();
    Settle();
    consumers.TakeAnswers();
  }
  EXPECT_EQ(producer.Call("LLEN w"), Int(kIds - consumers.answers()));
  EXPECT_EQ(producer.Call("LLEN act"), Int(consumers.answers()));
  EXPECT_TRUE(consumers.AnsweredEachOnce());
  EXPECT_GT(consumers.timeouts(), 100);
  EXPECT_GT(consumers.answers(), kIds / 2);
}

TEST_F(EngineTest, Case71_ALockIsTakenOnceAndKeepsItsTime) {
  Client client = Connect();
  EXPECT_EQ(client.Call("SET m tok NX EX 5"), Ok());
  EXPECT_EQ(client.Call("SET m other NX EX 50"), Nil());
  EXPECT_EQ(client.Call("TTL m"), Int(5));
  EXPECT_EQ(client.Call("GET m"), Bulk("tok"));
  for (const char* bad : {"SET m x EX 0", "SET m x PX -5"}) {
    EXPECT_EQ(client.Call(bad), Err("ERR invalid expire time in 'set' command")) << bad;
  }
  EXPECT_EQ(client.Call("GET m"), Bulk("tok"));
  Advance(5s);
  EXPECT_EQ(client.Call("SET m other NX EX 50"), Ok());
}

TEST_F(EngineTest, Case76_NothingIsEvictedWhateverIsAskedFor) {
  Client client = Connect();
  EXPECT_EQ(client.Call("CONFIG GET maxmemory-policy"), Bulks({"maxmemory-policy", "noeviction"}));
  EXPECT_TRUE(client.Call("CONFIG SET maxmemory-policy allkeys-lru").IsError());
  EXPECT_EQ(client.Call("CONFIG GET maxmemory-policy"), Bulks({"maxmemory-policy", "noeviction"}));
}

TEST_F(EngineTest, Case76_UnderPressureNoKeyGoesBeforeItsTime) {
  Client client = Connect();
  constexpr int kKeys = 1000;
  for (int i = 0; i < kKeys; ++i) {
    client.Call("SET plain:" + std::to_string(i) + " v");
    client.Call("SET timed:" + std::to_string(i) + " v PX 60000");
  }
  ASSERT_EQ(client.Call("CONFIG SET maxmemory 1"), Ok());
  for (int i = 0; i < kKeys; ++i) {
    EXPECT_EQ(client.Call("SET more:" + std::to_string(i) + " v"),
              Err("OOM command not allowed when used memory > 'maxmemory'."));
  }
  Advance(59'999ms);
  EXPECT_EQ(client.Call("DBSIZE"), Int(2 * kKeys));
  Advance(1ms);
  EXPECT_EQ(client.Call("DBSIZE"), Int(kKeys));
  EXPECT_EQ(client.Call("INFO stats").text.find("evicted_keys:0\r\n") == std::string::npos, false);
}

// Sidekiq's scheduler without its script: look, take away, and only who took it has it.
TEST_F(EngineTest, Case86_AJobThatIsDueGoesToOnePollerOnly) {
  Client a = Connect(), b = Connect();
  EXPECT_EQ(a.Call("ZADD schedule 1700000000.123456 job"), Int(1));
  EXPECT_EQ(a.Call("ZRANGE schedule -inf 1700000000.123455 BYSCORE LIMIT 0 1"), Array({}));
  for (Client* poller : {&a, &b}) {
    EXPECT_EQ(poller->Call("ZRANGE schedule -inf 1700000000.123456 BYSCORE LIMIT 0 1"),
              Bulks({"job"}));
  }
  EXPECT_EQ(b.Call("ZREM schedule job"), Int(1));
  EXPECT_EQ(a.Call("ZREM schedule job"), Int(0));
  EXPECT_EQ(a.Call("EXISTS schedule"), Int(0));
}

TEST_F(EngineTest, Case86_ScoresKeepTheirMicroseconds) {
  Client client = Connect();
  client.Call("ZADD schedule 1700000000.123456 job");
  EXPECT_EQ(client.Call("ZSCORE schedule job"), Bulk("1700000000.123456"));
  EXPECT_EQ(client.Call("ZRANGE schedule 0 0 WITHSCORES"), Bulks({"job", "1700000000.123456"}));
}

TEST_F(EngineTest, Case86_APushIsOneTransaction) {
  Client worker = Connect(), client = Connect();
  worker.Send("BRPOP queue:q 2");
  client.Call("MULTI");
  client.Call("SADD queues q");
  client.Call("LPUSH queue:q job");
  EXPECT_EQ(worker.TryRead(), std::nullopt);
  EXPECT_EQ(client.Call("EXEC"), Array({Int(1), Int(1)}));
  EXPECT_EQ(worker.TryRead(), Bulks({"queue:q", "job"}));
  EXPECT_EQ(TakeLog(),
            (Lines{"MULTI", "SADD queues q", "LPUSH queue:q job", "EXEC", "RPOP queue:q"}));
}

}  // namespace
}  // namespace rung::testing

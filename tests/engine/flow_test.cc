// What queue libraries do with plain commands: each step as they send it, and what must not be
// lost on the way.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>
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
  EXPECT_NE(client.Call("INFO stats").text.find("\nevicted_keys:0\r\n"), std::string::npos);
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

TEST_F(EngineTest, Case22_ScriptsWakeWhoWaitsInTheOrderOfWaiting) {
  Client b = Connect();
  Client alone = Connect();
  alone.Send("BRPOPLPUSH w act 5");
  EXPECT_EQ(b.CallArgs({"EVAL", "return redis.call('rpush',KEYS[1],'j')", "1", "w"}), Int(1));
  EXPECT_EQ(alone.TryRead(), Bulk("j"));
  std::vector<Client> waiters;
  for (int i = 0; i < 20; ++i) {
    waiters.push_back(Connect());
    waiters.back().Send("BRPOPLPUSH w act 5");
  }
  EXPECT_EQ(
      b.CallArgs({"EVAL", "for i = 1, 20 do redis.call('lpush',KEYS[1],'j' .. i) end", "1", "w"}),
      Nil());
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    EXPECT_EQ(waiters[i].TryRead(), Bulk("j" + std::to_string(i + 1)));
  }
}

// Sidekiq's scheduler: one script, raced for by many pollers.
TEST_F(EngineTest, Case86_TheSchedulersScriptGivesEachDueJobOnce) {
  const std::string script =
      "local jobs = redis.call('zrange', KEYS[1], '-inf', ARGV[1], 'byscore', 'limit', 0, 1)\n"
      "if jobs[1] then\n"
      "  redis.call('zrem', KEYS[1], jobs[1])\n"
      "  return jobs[1]\n"
      "end";
  std::vector<Client> pollers;
  for (int i = 0; i < 5; ++i) pollers.push_back(Connect());
  pollers[0].Call("ZADD schedule 1700000000.123456 first 1700000000.5 second");
  const auto poll = [&](Client& poller, const char* now) {
    return poller.CallArgs({"EVAL", script, "1", "schedule", now});
  };
  EXPECT_EQ(poll(pollers[0], "1700000000.123455"), Nil());
  EXPECT_EQ(poll(pollers[1], "1700000000.123456"), Bulk("first"));
  EXPECT_EQ(poll(pollers[2], "1700000000.123456"), Nil());
  EXPECT_EQ(poll(pollers[3], "1700000001"), Bulk("second"));
  EXPECT_EQ(poll(pollers[4], "1700000001"), Nil());
}

// asynq's way of taking a job: the script goes through the queues in the order that its caller
// has drawn by weight, and builds the name of the job's hash itself.
class AsynqQueues : public EngineTest {
 public:
  void Enqueue(const std::string& queue, const std::string& id) {
    client.Call("HSET asynq:{" + queue + "}:t:" + id + " msg " + queue + "/" + id +
                " state pending");
    client.Call("LPUSH asynq:{" + queue + "}:pending " + id);
  }

  // The message of the job taken, or nil.
  Reply Dequeue(const std::string& queue) {
    static constexpr const char* kScript =
        "if redis.call('EXISTS', KEYS[2]) == 0 then\n"
        "  local id = redis.call('RPOPLPUSH', KEYS[1], KEYS[3])\n"
        "  if id then\n"
        "    local key = ARGV[2] .. id\n"
        "    redis.call('HSET', key, 'state', 'active')\n"
        "    redis.call('HDEL', key, 'pending_since')\n"
        "    redis.call('ZADD', KEYS[4], ARGV[1], id)\n"
        "    return redis.call('HGET', key, 'msg')\n"
        "  end\n"
        "end\n"
        "return nil";
    const std::string prefix = "asynq:{" + queue + "}:";
    return client.CallArgs({"EVAL", kScript, "4", prefix + "pending", prefix + "paused",
                            prefix + "active", prefix + "lease", "1700000030", prefix + "t:"});
  }

  Client client = Connect();
};

TEST_F(AsynqQueues, Case88_APausedQueueGivesNothingAndATakenJobHasALease) {
  Enqueue("default", "1");
  client.Call("SET asynq:{default}:paused 1");
  EXPECT_EQ(Dequeue("default"), Nil());
  client.Call("DEL asynq:{default}:paused");
  EXPECT_EQ(Dequeue("default"), Bulk("default/1"));
  EXPECT_EQ(Dequeue("default"), Nil());
  EXPECT_EQ(client.Call("HGET asynq:{default}:t:1 state"), Bulk("active"));
  EXPECT_EQ(client.Call("ZRANGE asynq:{default}:lease 0 -1 WITHSCORES"),
            Bulks({"1", "1700000030"}));
  // The recoverer looks for leases that are over.
  EXPECT_EQ(client.CallArgs({"EVAL",
                             "return redis.call('ZRANGE', KEYS[1], '-inf', ARGV[1], "
                             "'BYSCORE')",
                             "1", "asynq:{default}:lease", "1700000030"}),
            Bulks({"1"}));
}

TEST_F(AsynqQueues, Case88_QueuesAskedInWeightedOrderGiveEveryJobOnce) {
  constexpr int kJobs = 300;
  const std::vector<std::string> queues = {"critical", "default", "low"};
  for (const std::string& queue : queues) {
    for (int i = 0; i < kJobs; ++i) Enqueue(queue, std::to_string(i));
  }
  Rng rng(88);
  std::set<std::string> taken;
  for (int i = 0; i < 3 * kJobs; ++i) {
    const std::uint64_t draw = rng.Below(10);  // Weights 6, 3 and 1.
    std::vector<std::string> order = queues;
    std::swap(order[0], order[draw < 6 ? 0 : draw < 9 ? 1 : 2]);
    Reply reply = Nil();
    for (std::size_t at = 0; at < order.size() && reply == Nil(); ++at) reply = Dequeue(order[at]);
    ASSERT_EQ(reply.type, '$');
    EXPECT_TRUE(taken.insert(reply.text).second) << reply.text;
  }
  EXPECT_EQ(taken.size(), 3u * kJobs);
  for (const std::string& queue : queues) EXPECT_EQ(Dequeue(queue), Nil());
}

}  // namespace
}  // namespace rung::testing

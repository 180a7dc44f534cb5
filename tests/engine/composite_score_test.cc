// The priority queue that people build of sorted sets, end to end: tier and arrival in one score,
// arrival in the member, or both.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

// INCR draws the arrival number; the score is tier * 2^32 + number. Lower tiers are more urgent.
class CompositeScoreTest : public EngineTest {
 public:
  void Produce(const std::string& job, std::int64_t tier) {
    const std::int64_t number = producer.Call("INCR pc").integer;
    const std::int64_t score = tier * (std::int64_t{1} << 32) + number;
    EXPECT_EQ(producer.Call("ZADD prioritized " + std::to_string(score) + " " + job), Int(1));
  }
  // Takes the next job into the list of those at work, and names it.
  std::string Work(Client& worker) {
    const Reply reply = worker.Call("BZPOPMIN prioritized 1");
    if (reply.elements.size() != 3) return "";
    worker.Call("LPUSH active " + reply.elements[1].text);
    return reply.elements[1].text;
  }

  Client producer = Connect();
};

TEST_F(CompositeScoreTest, SixJobsComeTierByTierAndInOrderOfArrivalWithinEach) {
  Client worker = Connect();
  Produce("low-1", 9);
  Produce("urgent-1", 0);
  Produce("normal-1", 5);
  Produce("urgent-2", 0);
  Produce("low-2", 9);
  Produce("normal-2", 5);
  for (const char* job : {"urgent-1", "urgent-2", "normal-1", "normal-2", "low-1", "low-2"}) {
    EXPECT_EQ(Work(worker), job);
  }
  EXPECT_EQ(worker.Call("LRANGE active 0 -1"),
            Bulks({"low-2", "low-1", "normal-2", "normal-1", "urgent-2", "urgent-1"}));
  EXPECT_EQ(worker.Call("ZCARD prioritized"), Int(0));
}

TEST_F(CompositeScoreTest, AWaitingWorkerGetsTheFirstJobAndLaterUrgentOnesGoAhead) {
  Client worker = Connect();
  worker.Send("BZPOPMIN prioritized 0");
  Produce("low-1", 9);
  EXPECT_EQ(worker.TryRead(), Bulks({"prioritized", "low-1", "38654705665"}));
  Produce("low-2", 9);
  Produce("urgent-1", 0);
  EXPECT_EQ(Work(worker), "urgent-1");
  EXPECT_EQ(Work(worker), "low-2");
}

// 2^21 tiers of 2^32 numbers are what a double holds exactly.
TEST_F(CompositeScoreTest, OrderHoldsUpToTheLastTierThatADoubleCanTell) {
  producer.Call("SET pc 4294967293");
  Produce("first", 2097151);
  Produce("second", 2097151);
  EXPECT_EQ(producer.Call("ZRANGE prioritized 0 -1 WITHSCORES"),
            Bulks({"first", "9007199254740990", "second", "9007199254740991"}));
}

TEST_F(EngineTest, CompositeKeysAreRangesOfBytes) {
  Client client = Connect();
  client.Call(
      "ZADD events 0 user:100:0003 0 user:100:0001 0 user:99:0001 0 user:1000:0001 0 "
      "user:100:0002");
  EXPECT_EQ(client.Call("ZRANGEBYLEX events \"[user:100:\" \"(user:100:\\xff\""),
            Bulks({"user:100:0001", "user:100:0002", "user:100:0003"}));
  EXPECT_EQ(client.Call("ZRANGEBYLEX events \"[user:100:\" \"(user:100:\\xff\" LIMIT 0 1"),
            Bulks({"user:100:0001"}));
  EXPECT_EQ(client.Call("ZREMRANGEBYLEX events \"[user:100:\" \"(user:100:0003\""), Int(2));
  EXPECT_EQ(client.Call("ZLEXCOUNT events - +"), Int(3));
}

// The tier alone is the score, arrival stands in the member: no bits are shared.
TEST_F(EngineTest, HybridFormOrdersByScoreAndThenByMember) {
  Client client = Connect();
  client.Call("ZADD jobs 5 000000000003:c 1 000000000002:b 5 000000000001:a 1 000000000010:d");
  for (const char* member :
       {"000000000002:b", "000000000010:d", "000000000001:a", "000000000003:c"}) {
    EXPECT_EQ(client.Call("ZPOPMIN jobs").elements[0], Bulk(member));
  }
}

}  // namespace
}  // namespace rung::testing

// The score that a queue shows is the number that queue libraries compute by script.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "kit/engine_test.h"
#include "kit/queue_reply.h"
#include "rung/base/rng.h"

namespace rung::testing {
namespace {

// The script's state: a counter, deleted when a pop finds the set empty.
TEST_F(EngineTest, QueueScoresAreThoseOfTheScriptOnTheSameRequests) {
  Client a = Connect();
  Rng rng(3);
  std::int64_t counter = 0;
  std::int64_t waiting = 0;
  for (int i = 0; i < 3000; ++i) {
    if (rng.Below(5) < 2) {
      const auto tier = static_cast<std::int64_t>(rng.Below(2097152));
      const Reply id = a.Call("Q.ADD q j PRIO " + std::to_string(tier));
      ++waiting;
      const Reply score = FieldOf(a.Call("Q.GET q " + std::to_string(id.integer)), "score");
      ASSERT_EQ(score, Int(tier * 4294967296 + ++counter)) << i;
    } else {
      const Reply next = FieldOf(a.Call("Q.EXPLAIN q"), "next");
      const Reply taken = a.Call("Q.TAKE q");
      if (taken.elements.empty()) {
        ASSERT_EQ(waiting, 0);
        counter = 0;
        continue;
      }
      --waiting;
      // In the order of scores, which ZPOPMIN would have taken.
      ASSERT_FALSE(next.elements.empty());
      const Reply& score = next.elements[0].elements[3];
      const Reply after = FieldOf(a.Call("Q.EXPLAIN q"), "next");
      if (!after.elements.empty()) {
        ASSERT_LT(score.integer, after.elements[0].elements[3].integer) << i;
      }
      a.Call("Q.ACK q " + ReceiptOf(taken));
    }
  }
}

}  // namespace
}  // namespace rung::testing

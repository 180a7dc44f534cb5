// The busiest commands of a queue take no memory once it runs: what is added goes where what was
// taken has been. Counted by the allocator, so only with jemalloc.

#ifdef RUNG_JEMALLOC

#include <gtest/gtest.h>
#include <jemalloc/jemalloc.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

// Bytes that this thread has ever asked for.
std::uint64_t AllocatedEver() {
  std::uint64_t bytes = 0;
  std::size_t size = sizeof(bytes);
  mallctl("thread.allocated", &bytes, &size, nullptr, 0);
  return bytes;
}

class AllocationTest : public EngineTest {
 public:
  AllocationTest() {
    engine->broker().effects.set_sink(nullptr);
    const std::uint64_t before = AllocatedEver();
    // Far from where the table of members would grow or shrink.
    for (int i = 0; i < 3000; ++i) {
      Run(Request({"ZADD", "z", std::to_string(i), "member:" + std::to_string(1000000 + i)}));
    }
    // Otherwise nothing is counted and zero below says nothing.
    EXPECT_GT(AllocatedEver(), before + 3000);
  }

  static std::string Request(const std::vector<std::string>& args) { return EncodeRequest(args); }

  // One event of a connection: bytes in, reply out.
  void Run(std::string_view request) {
    engine->Feed(session_, request);
    std::array<std::string_view, 4> pieces;
    while (const std::size_t count = session_.out.Pieces(pieces)) {
      std::size_t bytes = 0;
      for (std::size_t i = 0; i < count; ++i) bytes += pieces[i].size();
      replied_ += bytes;
      session_.out.Consume(bytes);
    }
    engine->TakeDirty();
  }

  // What `rounds` rounds of the requests take, when all has its size.
  std::uint64_t Measure(const std::vector<std::string>& requests, int rounds = 200) {
    for (const std::string& request : requests) Run(request);
    const std::uint64_t replied_before = replied_;
    const std::uint64_t before = AllocatedEver();
    for (int i = 0; i < rounds; ++i) {
      for (const std::string& request : requests) Run(request);
    }
    const std::uint64_t after = AllocatedEver();
    EXPECT_GE(replied_ - replied_before, 4u * requests.size() * static_cast<unsigned>(rounds));
    return after - before;
  }

 private:
  Session& session_ =
      engine->Open({.address = "127.0.0.1:50000", .local_address = "127.0.0.1:6379"});
  std::uint64_t replied_ = 0;
};

TEST_F(AllocationTest, MovingAMemberTakesNoMemory) {
  EXPECT_EQ(Measure({Request({"ZADD", "z", "5000", "member:1000100"}),
                     Request({"ZADD", "z", "GT", "CH", "7000", "member:1000100"}),
                     Request({"ZINCRBY", "z", "-3000", "member:1000100"})}),
            0u);
}

TEST_F(AllocationTest, AddingAndPoppingInTurnTakesNoMemory) {
  EXPECT_EQ(
      Measure({Request({"ZADD", "z", "-1", "member:9999999"}), Request({"ZPOPMIN", "z"}),
               Request({"ZADD", "z", "9e9", "member:9999999"}), Request({"ZPOPMAX", "z", "1"}),
               Request({"ZADD", "z", "17.5", "member:9999999"}),
               Request({"ZREM", "z", "member:9999999"}),
               Request({"ZADD", "z", "-1", "member:9999999"}),
               Request({"BZPOPMIN", "none", "z", "0"})}),
      0u);
}

TEST_F(AllocationTest, QuestionsTakeNoMemory) {
  EXPECT_EQ(Measure({Request({"ZSCORE", "z", "member:1000100"}), Request({"ZCARD", "z"}),
                     Request({"ZRANK", "z", "member:1000100"}),
                     Request({"ZRANGE", "z", "100", "110", "WITHSCORES"}),
                     Request({"ZRANGEBYSCORE", "z", "-inf", "+inf", "LIMIT", "1000", "1"}),
                     Request({"ZCOUNT", "z", "10", "(20"})}),
            0u);
}

}  // namespace
}  // namespace rung::testing

#endif  // RUNG_JEMALLOC

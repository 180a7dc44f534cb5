// Foresight reads input that no parser has checked yet, and hints must change nothing.

#include "engine/foresight.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kit/engine_test.h"
#include "rung/base/rng.h"
#include "rung/store/keyspace.h"
#include "rung/types/sorted_set.h"

namespace rung::testing {
namespace {

constexpr int kKeys = 5000;  // Enough that looking ahead begins.

std::string Request(std::initializer_list<std::string_view> words) {
  std::string text = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words) {
    text += "$" + std::to_string(word.size()) + "\r\n";
    text += word;
    text += "\r\n";
  }
  return text;
}

class ForesightTest : public EngineTest {};

TEST_F(ForesightTest, APipelineOverManyKeysAnswersAsRequestsOneByOneWould) {
  Rng rng(5);
  std::map<std::string, std::map<std::string, std::string>> hashes;
  std::map<std::string, int> scores;
  std::string pipeline;
  std::vector<Reply> expected;
  for (int i = 0; i < 4 * kKeys; ++i) {
    const std::string key = "key:" + std::to_string(rng.Below(kKeys));
    const std::string field = "field:" + std::to_string(rng.Below(3));
    const std::string member = "member:" + std::to_string(rng.Below(kKeys));
    const int score = static_cast<int>(rng.Below(1000));
    switch (rng.Below(4)) {
      case 0:
        pipeline += Request({"HSET", key, field, member});
        expected.push_back(Int(hashes[key].contains(field) ? 0 : 1));
        hashes[key][field] = member;
        break;
      case 1: {
        pipeline += Request({"HGET", key, field});
        const auto& fields = hashes[key];
        const auto at = fields.find(field);
        expected.push_back(at == fields.end() ? Nil() : Bulk(at->second));
        break;
      }
      case 2:
        pipeline += Request({"ZADD", "sorted", std::to_string(score), member});
        expected.push_back(Int(scores.contains(member) ? 0 : 1));
        scores[member] = score;
        break;
      default:
        pipeline += Request({"ZREM", "sorted", member});
        expected.push_back(Int(scores.erase(member) == 1 ? 1 : 0));
        break;
    }
  }
  Client client = Connect();
  client.SendRaw(pipeline);
  Settle();
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(client.Read(), expected[i]) << i;
}

// What was read ahead is run without being read again: whatever comes in between, the answers are
// those that the same requests get one at a time.
TEST_F(ForesightTest, RequestsThatWereReadAheadRunLikeOthers) {
  Client filler = Connect();
  for (int i = 0; i < kKeys; ++i) filler.CallArgs({"SET", "key:" + std::to_string(i), "0"});
  const std::string long_value(5000, 'v');
  const std::vector<std::string> odd = {
      "PING\r\n",
      "\r\n",
      "*0\r\n",
      "*-1\r\n",
      "SET key:1 'in line'\r\n",
      Request({"MSET", "key:1", "a", "key:2", "b", "key:3", "c", "key:4", "d", "key:5", "e"}),
      Request({"SET", "key:6", ""}),
      Request({"SET", "key:7", long_value}),
      Request({"NOSUCHCOMMAND", "key:1"}),
      Request({"GET"}),
      Request({"MULTI"}),
      Request({"EXEC"}),
      Request({"SELECT", "1"}),
      Request({"SELECT", "0"}),
      Request({"CLIENT", "REPLY", "SKIP"}),
      Request({"LPUSH", "list", "element"}),
      Request({"DEL", "key:8"}),
      Request({"RESET"})};
  Rng rng(21);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> requests;
    for (int i = 0; i < 40; ++i) {
      const std::string key = "key:" + std::to_string(rng.Below(kKeys));
      const std::uint64_t kind = rng.Below(4);
      requests.push_back(kind == 0   ? odd[rng.Below(odd.size())]
                         : kind == 1 ? Request({"INCR", key})
                         : kind == 2 ? Request({"APPEND", "log", std::to_string(i)})
                                     : Request({"GET", key}));
    }
    const auto answers = [&](bool at_once) {
      filler.CallArgs({"FLUSHALL"});
      std::string fill;
      for (int i = 0; i < kKeys; ++i) fill += Request({"SET", "key:" + std::to_string(i), "0"});
      filler.SendRaw(fill);
      Settle();
      while (filler.TryRead()) {
      }
      Client client = Connect();
      std::string all;
      for (const std::string& request : requests) {
        all += request;
        if (!at_once) client.SendRaw(request);
      }
      if (at_once) client.SendRaw(all);
      Settle();
      std::vector<Reply> replies;
      while (std::optional<Reply> reply = client.TryRead()) replies.push_back(*std::move(reply));
      client.Disconnect();
      return replies;
    };
    const std::vector<Reply> expected = answers(false);
    ASSERT_GT(expected.size(), 10u);
    ASSERT_EQ(answers(true), expected) << "round " << round;
  }
}

TEST_F(ForesightTest, ALimitThatIsSetMidwayHoldsForWhatWasReadBefore) {
  Client client = Connect();
  for (int i = 0; i < kKeys; ++i) client.CallArgs({"SET", "key:" + std::to_string(i), "0"});
  const std::string value((std::size_t{1} << 20) + 1, 'v');
  client.SendRaw(Request({"GET", "key:1"}) + Request({"GET", "key:2"}) +
                 Request({"CONFIG", "SET", "proto-max-bulk-len", "1mb"}) +
                 Request({"SET", "key:3", "3"}) + Request({"SET", "key:4", value}) +
                 Request({"SET", "key:5", "5"}));
  Settle();
  EXPECT_EQ(client.Read(), Bulk("0"));
  EXPECT_EQ(client.Read(), Bulk("0"));
  EXPECT_EQ(client.Read(), Ok());
  EXPECT_EQ(client.Read(), Ok());
  EXPECT_EQ(client.Read(), Err("ERR Protocol error: invalid bulk length"));
  EXPECT_TRUE(client.Closed());
  Client other = Connect();
  EXPECT_EQ(other.Call("MGET key:3 key:4 key:5"), Array({Bulk("3"), Bulk("0"), Bulk("0")}));
}

// Behind RESET the connection is a stranger's again, and a stranger's requests have to be small.
TEST_F(ForesightTest, WhoIsLoggedOutMidwayIsAStrangerToWhatWasReadBefore) {
  Client client = Connect();
  for (int i = 0; i < kKeys; ++i) client.CallArgs({"SET", "key:" + std::to_string(i), "0"});
  EXPECT_EQ(client.Call("CONFIG SET requirepass secret"), Ok());
  EXPECT_EQ(client.Call("AUTH secret"), Ok());
  client.SendRaw(Request({"GET", "key:1"}) + Request({"RESET"}) + Request({"GET", "key:2"}) +
                 Request({"SET", "key:3", std::string(20000, 'v')}));
  Settle();
  EXPECT_EQ(client.Read(), Bulk("0"));
  EXPECT_EQ(client.Read(), Status("RESET"));
  EXPECT_EQ(client.Read(), Err("NOAUTH Authentication required."));
  EXPECT_EQ(client.Read(), Err("ERR Protocol error: unauthenticated bulk length"));
  EXPECT_TRUE(client.Closed());
}

TEST_F(ForesightTest, WhateverComesNextItReadsNothingBehindTheInput) {
  Store store(1, 3);
  Database& db = store.database(0);
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = "key:" + std::to_string(i);
    Result<Edit<SortedSet>> edit = db.EditOrCreate<SortedSet>(key);
    ASSERT_TRUE((*edit)->Put("key:2", i).ok());
    edit->MarkChanged("zadd");
  }
  const std::string whole = Request({"ZADD", "key:1", "5", "key:2"}) + Request({"GET", "key:3"}) +
                            Request({"HGET", "key:4", "field"});
  Rng rng(9);
  for (int round = 0; round < 20000; ++round) {
    // On the heap and exactly as long as it is, so that a sanitizer sees a byte too many.
    std::string damaged = whole.substr(0, rng.Below(whole.size() + 1));
    if (!damaged.empty()) damaged[rng.Below(damaged.size())] = "*$\r\n0919-x"[rng.Below(9)];
    const std::string input(damaged);
    Foresight foresight;
    foresight.LookBehind(db, input);
    foresight.LookBehind(db, input);
  }
  EXPECT_EQ(db.size(), kKeys);
}

}  // namespace
}  // namespace rung::testing

// Foresight reads input that no parser has checked yet, and hints must change nothing.

#include "engine/foresight.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
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

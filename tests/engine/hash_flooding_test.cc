// Names built to collide under a hash without a key cost no more than any others.
//
// The names are made for MurmurHash2 with a known seed, the hash that such attacks are published
// for: its last step can be run backwards, so that for any first half of a name there is a second
// half that leads to one and the same hash.

#include <gtest/gtest.h>
#include <time.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kit/engine_test.h"
#include "rung/base/hash.h"
#include "rung/base/rng.h"
#include "rung/types/extendible_table.h"

namespace rung::testing {
namespace {

constexpr std::uint32_t kFactor = 0x5bd1e995;
constexpr std::uint32_t kKnownSeed = 5381;

std::uint32_t Mix(std::uint32_t word) {
  word *= kFactor;
  word ^= word >> 24;
  return word * kFactor;
}

// The word that Mix makes `mixed` of.
std::uint32_t Unmix(std::uint32_t mixed) {
  // The inverse of an odd factor: each step doubles the bits that are right.
  std::uint32_t inverse = kFactor;
  for (int i = 0; i < 5; ++i) inverse *= 2 - kFactor * inverse;
  std::uint32_t word = mixed * inverse;
  word ^= word >> 24;
  return word * inverse;
}

// MurmurHash2 of eight bytes.
std::uint32_t Murmur(std::string_view name) {
  std::array<std::uint32_t, 2> words{};
  std::memcpy(words.data(), name.data(), sizeof words);
  std::uint32_t hash = kKnownSeed ^ 8u;
  for (const std::uint32_t word : words) hash = (hash * kFactor) ^ Mix(word);
  hash ^= hash >> 13;
  hash *= kFactor;
  return hash ^ (hash >> 15);
}

std::string CollidingName(std::uint32_t number) {
  constexpr std::uint32_t kEveryonesHash = 0x12345678;  // Before the last three steps.
  const std::uint32_t half = ((kKnownSeed ^ 8u) * kFactor) ^ Mix(number);
  const std::array<std::uint32_t, 2> words = {number, Unmix(kEveryonesHash ^ (half * kFactor))};
  std::string name(sizeof words, '\0');
  std::memcpy(name.data(), words.data(), sizeof words);
  return name;
}

std::string RandomName(Rng& rng) {
  const std::uint64_t bits = rng.Next();
  std::string name(sizeof bits, '\0');
  std::memcpy(name.data(), &bits, sizeof bits);
  return name;
}

// --- The table: work counted in keys looked at --------------------------------------------------

struct CountedKey {
  std::uint64_t* looks;
  std::string_view operator()(const std::string* name) const {
    ++*looks;
    return *name;
  }
};

struct HashWithoutKey {
  std::uint64_t operator()(std::string_view name) const {
    const std::uint64_t hash = Murmur(name);
    return (hash << 32) | hash;
  }
};

// How many keys are looked at while all names are put in and found again.
template <typename Hash>
std::uint64_t LooksFor(const std::vector<std::string>& names) {
  std::uint64_t looks = 0;
  ExtendibleTable<const std::string*, CountedKey, Hash> table(CountedKey{&looks});
  const Hash hash;
  for (const std::string& name : names) {
    EXPECT_EQ(table.Find(name, hash(name)), nullptr);
    table.Insert(name, hash(name), &name);
  }
  for (const std::string& name : names) EXPECT_NE(table.Find(name, hash(name)), nullptr);
  return looks;
}

std::vector<std::string> CollidingNames(std::uint32_t count) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) names.push_back(CollidingName(i));
  return names;
}

std::vector<std::string> RandomNames(std::uint32_t count) {
  Rng rng(62);
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) names.push_back(RandomName(rng));
  return names;
}

TEST(HashFlooding, Case62_TheNamesDoCollideWhereTheHashHasNoKey) {
  EXPECT_EQ(Murmur(CollidingName(0)), Murmur(CollidingName(1)));
  EXPECT_EQ(Murmur(CollidingName(0)), Murmur(CollidingName(199'999)));
  constexpr std::uint32_t kNames = 2000;
  EXPECT_GT(LooksFor<HashWithoutKey>(CollidingNames(kNames)),
            100 * LooksFor<HashWithoutKey>(RandomNames(kNames)));
}

TEST(HashFlooding, Case62_ATableLooksAtNoMoreKeysThanForRandomNames) {
  constexpr std::uint32_t kNames = 200'000;
  const std::uint64_t random = LooksFor<KeyedHash>(RandomNames(kNames));
  EXPECT_LT(LooksFor<KeyedHash>(CollidingNames(kNames)), random + random / 10);
}

// --- The broker: work counted in time -----------------------------------------------------------

std::int64_t ThreadNs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

// A request that adds a name: "SET <name> v", "ZADD <key> 1 <name>".
struct Kind {
  std::vector<std::string> before;
  std::vector<std::string> after;
};

// A hundred requests, the name of each from `next`; the time that this thread took for them.
template <typename NextName>
std::int64_t TimeOfABatch(Client& client, const Kind& kind, NextName next) {
  constexpr int kBatch = 100;
  std::string requests;
  for (int i = 0; i < kBatch; ++i) {
    std::vector<std::string> words = kind.before;
    words.push_back(next());
    words.insert(words.end(), kind.after.begin(), kind.after.end());
    requests += EncodeRequest(words);
  }
  const std::int64_t start = ThreadNs();
  client.SendRaw(requests);
  const std::int64_t took = ThreadNs() - start;
  for (int i = 0; i < kBatch; ++i) EXPECT_FALSE(client.Read().IsError());
  return took;
}

// Batches of both sorts in turn, so that a busy machine slows both alike.
TEST_F(EngineTest, Case62_KeysFieldsAndMembersThatCollideElsewhereCostNoMore) {
  constexpr std::uint32_t kNames = 200'000;
  Client sender = Connect();
  Client other = Connect();
  other.Call("SELECT 1");
  for (const Kind& kind :
       {Kind{{"SET"}, {"v"}}, Kind{{"HSET", "hash"}, {"v"}}, Kind{{"ZADD", "zset", "1"}, {}}}) {
    Rng rng(62);
    std::uint32_t number = 0;
    std::int64_t colliding = 0;
    std::int64_t random = 0;
    while (number < kNames) {
      colliding += TimeOfABatch(sender, kind, [&] { return CollidingName(number++); });
      random += TimeOfABatch(other, kind, [&] { return RandomName(rng); });
    }
    EXPECT_LT(colliding, 3 * random) << kind.before[0];
  }
}

}  // namespace
}  // namespace rung::testing

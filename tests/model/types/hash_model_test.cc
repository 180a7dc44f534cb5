// Hash against std::map: the same calls, the same content, through both forms and back to nothing.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/rng.h"
#include "rung/types/hash.h"

namespace rung {
namespace {

struct Mix {
  const char* name;
  std::size_t names;          // Different names drawn.
  std::size_t value_max;      // Bytes of most values.
  std::uint64_t large_every;  // One value in so many has up to 20000 bytes.
  std::uint64_t removals;     // Of 20 steps, so many remove.
};

class HashModelTest : public ::testing::TestWithParam<Mix> {
 protected:
  std::string RandomName() {
    const std::uint64_t number = rng_.Below(GetParam().names);
    std::string name = "field" + std::to_string(number);
    if (number % 50 == 7) name.resize(300, 'n');
    return number == 0 ? std::string() : name;
  }
  std::string RandomValue() {
    switch (rng_.Below(4)) {
      case 0:
        return std::to_string(rng_.Next() >> (rng_.Below(63)));
      case 1:
        return std::string(1, static_cast<char>(rng_.Below(256)));
      default:
        const bool large = rng_.Below(GetParam().large_every) == 0;
        return std::string(rng_.Below(large ? 20000 : GetParam().value_max + 1),
                           static_cast<char>('a' + rng_.Below(26)));
    }
  }

  void SetSome() {
    std::vector<std::string> texts;
    for (std::uint64_t i = rng_.Below(8) + 1; i > 0; --i) {
      texts.push_back(RandomName());
      texts.push_back(RandomValue());
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    const std::size_t before = twin_.size();
    for (std::size_t i = 0; i < texts.size(); i += 2) twin_[texts[i]] = texts[i + 1];
    ASSERT_EQ(hash_.SetAll(views, rules_), twin_.size() - before);
  }
  void SetOne() {
    const std::string name = RandomName();
    const std::string value = RandomValue();
    const bool added = twin_.count(name) == 0;
    twin_[name] = value;
    ASSERT_EQ(hash_.Set(name, value, rules_), added);
  }
  void RemoveOne() {
    std::string name = RandomName();
    if (!twin_.empty() && rng_.Below(2) == 0) {
      NumberBuffer buffer;
      name = hash_.Random(rng_, buffer).name;
      ASSERT_EQ(twin_.count(name), 1U);
    }
    ASSERT_EQ(hash_.Remove(name, rules_), twin_.erase(name) == 1);
  }
  void LookAt() {
    NumberBuffer buffer;
    const std::string name = RandomName();
    const auto found = twin_.find(name);
    ASSERT_EQ(hash_.Contains(name), found != twin_.end());
    const std::optional<std::string_view> value = hash_.Get(name, buffer);
    ASSERT_EQ(value.has_value(), found != twin_.end());
    if (value) {
      ASSERT_EQ(*value, found->second);
    }
  }
  void Step() {
    const std::uint64_t kind = rng_.Below(20);
    if (kind < GetParam().removals) return RemoveOne();
    if (kind == 18) return LookAt();
    if (kind == 19) return SetSome();
    return SetOne();
  }

  static void ExpectEqual(const Hash& hash, const std::map<std::string, std::string>& twin) {
    hash.CheckInvariants();
    ASSERT_EQ(hash.size(), twin.size());
    ASSERT_EQ(hash.empty(), twin.empty());
    std::map<std::string, std::string> content;
    hash.ForEach([&](std::string_view name, std::string_view value) {
      ASSERT_TRUE(content.emplace(name, value).second);
    });
    ASSERT_EQ(content, twin);
  }

  Rng rng_{7};
  HashShapes shapes_;
  HashRules rules_{.shapes = &shapes_};
  Hash hash_;
  std::map<std::string, std::string> twin_;
};

TEST_P(HashModelTest, SameCallsGiveTheSameHash) {
  for (int step = 0; step < 20000; ++step) {
    Step();
    if (step % 100 == 0) ExpectEqual(hash_, twin_);
    if (step % 5000 == 4999) {
      hash_.Clear();
      twin_.clear();
    }
    if (HasFatalFailure()) FAIL() << "at step " << step;
  }
  for (int step = 0; step < 500; ++step) SetOne();
  const std::unique_ptr<Hash> clone = hash_.Clone();
  const auto kept = twin_;
  for (int step = 0; step < 200; ++step) SetOne();
  ExpectEqual(*clone, kept);
  ExpectEqual(hash_, twin_);
  shapes_.CheckInvariants();
}

// Whatever comes and goes between the calls, what stays is seen.
TEST_P(HashModelTest, AScanSeesAllThatStays) {
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 400; ++i) SetOne();
    const std::map<std::string, std::string> start = twin_;
    std::set<std::string> removed;
    std::set<std::string> seen;
    std::uint64_t cursor = 0;
    do {
      cursor =
          hash_.Scan(cursor, [&](std::string_view name, std::string_view) { seen.emplace(name); });
      for (int i = 0; i < 5; ++i) {
        SetOne();
        const std::string name = RandomName();
        hash_.Remove(name, rules_);
        if (twin_.erase(name) == 1) removed.insert(name);
      }
    } while (cursor != 0);
    for (const auto& [name, value] : start) {
      if (removed.count(name) == 0) {
        ASSERT_EQ(seen.count(name), 1U) << name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mixes, HashModelTest,
                         ::testing::Values(Mix{"Few", 10, 40, 1000000, 8},
                                           Mix{"AroundTheFieldLimit", 160, 8, 1000000, 4},
                                           Mix{"AroundTheByteLimit", 40, 2500, 100, 6},
                                           Mix{"Many", 5000, 100, 50, 4}),
                         [](const auto& mix) { return std::string(mix.param.name); });

}  // namespace
}  // namespace rung

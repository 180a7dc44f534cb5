// What Hash promises beyond "the same content as a map" (tests/model/types/hash_model_test.cc):
// values back byte for byte, the encoding's mark, order, fair draws, bytes, shared names.

#include "rung/types/hash.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/memory.h"

namespace rung {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs Content(const Hash& hash) {
  hash.CheckInvariants();
  Pairs content;
  hash.ForEach(
      [&](std::string_view name, std::string_view value) { content.emplace_back(name, value); });
  return content;
}

std::string Get(const Hash& hash, std::string_view name) {
  NumberBuffer buffer;
  const std::optional<std::string_view> value = hash.Get(name, buffer);
  return value ? std::string(*value) : "(none)";
}

// A job as BullMQ keeps it.
std::size_t SetJob(Hash& hash, int number, const HashRules& rules) {
  std::string data = std::to_string(100000 + number);
  data = R"({"to":"user00)" + data +
         R"(@example.com","subject":"Welcome, dear customer","template":"welcome-2"})";
  const std::string timestamp = std::to_string(1700000000000 + number);
  const std::string processed = std::to_string(1700000001000 + number);
  const std::string priority = std::to_string(number % 10);
  const std::vector<std::string_view> fields = {
      "name",        "send-mail",
      "data",        data,
      "opts",        R"({"attempts":3,"backoff":{"type":"exponential","delay":1000}})",
      "timestamp",   timestamp,
      "delay",       "0",
      "priority",    priority,
      "processedOn", processed,
      "ats",         "1"};
  return hash.SetAll(fields, rules);
}

TEST(HashTest, EmptyHashHoldsNoMemory) {
  Hash hash;
  EXPECT_TRUE(hash.empty());
  EXPECT_EQ(hash.size(), 0U);
  EXPECT_EQ(hash.MemoryBytes(), 0U);
  EXPECT_TRUE(hash.IsSmall());
  EXPECT_EQ(Get(hash, "a"), "(none)");
  EXPECT_FALSE(hash.Remove("a", {}));
  EXPECT_EQ(sizeof(Hash), 8U);
}

TEST(HashTest, EachValueComesBackByteForByte) {
  std::vector<std::string> values = {"",
                                     "0",
                                     "00",
                                     "-0",
                                     "7",
                                     "15",
                                     "16",
                                     "255",
                                     "256",
                                     "007",
                                     "-1",
                                     "+1",
                                     "1.5",
                                     " 1",
                                     "1 ",
                                     "65535",
                                     "65536",
                                     "281474976710655",
                                     "281474976710656",
                                     "999999999999999",
                                     "9223372036854775807",
                                     "18446744073709551616",
                                     std::string("\0", 1),
                                     "\xff\xe0\xf0",
                                     std::string(223, 'a'),
                                     std::string(224, 'a'),
                                     std::string(2000, 'a'),
                                     std::string(20000, 'a'),
                                     std::string(70000, 'a')};
  for (const std::string& value : values) {
    Hash hash;
    EXPECT_TRUE(hash.Set("first", "x", {}));
    EXPECT_TRUE(hash.Set("field", value, {}));
    EXPECT_TRUE(hash.Set("last", "y", {}));
    EXPECT_EQ(Content(hash).size(), 3U);
    EXPECT_EQ(Get(hash, "field"), value);
    EXPECT_EQ(Get(hash, "last"), "y");
    for (const std::string& other : values) {
      EXPECT_FALSE(hash.Set("field", other, {}));
      EXPECT_EQ(Get(hash, "field"), other);
    }
    EXPECT_EQ(Get(hash, "first"), "x");
  }
}

TEST(HashTest, NamesOfEveryLengthAreFound) {
  Hash hash;
  for (const std::size_t bytes : {0, 1, 254, 255, 256, 4000, 70000}) {
    const std::string name(bytes, 'n');
    EXPECT_TRUE(hash.Set(name, std::to_string(bytes), {}));
    EXPECT_FALSE(hash.Set(name, std::to_string(bytes), {}));
    EXPECT_EQ(Get(hash, name), std::to_string(bytes));
  }
  EXPECT_EQ(Content(hash).size(), 7U);
}

TEST(HashTest, SmallHashKeepsTheOrderOfInsertion) {
  Hash hash;
  const std::vector<std::string_view> pairs = {"b", "1", "a", "2", "c", "3", "b", "4"};
  EXPECT_EQ(hash.SetAll(pairs, {}), 3U);
  EXPECT_EQ(Content(hash), (Pairs{{"b", "4"}, {"a", "2"}, {"c", "3"}}));
  EXPECT_TRUE(hash.Remove("a", {}));
  EXPECT_FALSE(hash.Remove("a", {}));
  EXPECT_TRUE(hash.Set("a", "5", {}));
  EXPECT_EQ(Content(hash), (Pairs{{"b", "4"}, {"c", "3"}, {"a", "5"}}));
}

TEST(HashTest, SetAllReportsFieldsThatAreNewAcrossTheChangeOfForm) {
  Hash hash;
  hash.Set("old", "1", {});
  const std::string large(20000, 'v');
  const std::vector<std::string_view> pairs = {"old", "2", "new", "3", "old", large, "new2", "4"};
  EXPECT_EQ(hash.SetAll(pairs, {}), 2U);
  EXPECT_EQ(hash.size(), 3U);
  EXPECT_EQ(Get(hash, "old"), large);
  EXPECT_EQ(Get(hash, "new2"), "4");
}

TEST(HashTest, APackedHashThatOutgrowsItsRecordBecomesLarge) {
  const std::string wide(2000, 'v');
  std::vector<std::string_view> pairs = {"new", "v"};
  const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
  Hash hash;
  Hash other;
  for (const std::string& name : names) {
    hash.Set(name, "v", {});
    other.Set(name, "v", {});
    pairs.push_back(name);
    pairs.push_back(wide);
  }
  for (const std::string& name : names) {
    hash.Set(name, wide, {});
    EXPECT_EQ(Content(hash).size(), 11U);
  }
  EXPECT_EQ(other.SetAll(pairs, {}), 1U);
  EXPECT_EQ(Content(other).size(), 12U);
  for (const std::string& name : names) EXPECT_EQ(Get(other, name), wide);
}

TEST(HashTest, ALargeHashIsGoneWithItsLastField) {
  Hash hash;
  for (int i = 0; i < 300; ++i) hash.Set(std::to_string(i), "v", {});
  for (int i = 0; i < 300; ++i) {
    EXPECT_FALSE(hash.empty());
    EXPECT_TRUE(hash.Remove(std::to_string(i), {}));
  }
  EXPECT_TRUE(hash.empty());
  EXPECT_EQ(hash.MemoryBytes(), 0U);
}

TEST(HashTest, SmallEndsWithTheFirstFieldOrValueBeyondTheLimitForGood) {
  const std::string at_limit(64, 'v');
  const std::string beyond(65, 'v');
  Hash hash;
  hash.Set("a", at_limit, {});
  hash.Set(at_limit, "a", {});
  EXPECT_TRUE(hash.IsSmall());
  hash.Set("a", beyond, {});
  EXPECT_FALSE(hash.IsSmall());
  hash.Set("a", "1", {});
  EXPECT_FALSE(hash.IsSmall());
  EXPECT_FALSE(hash.Clone()->IsSmall());

  Hash other;
  other.Set(beyond, "a", {});
  EXPECT_FALSE(other.IsSmall());
}

TEST(HashTest, SmallEndsWithTheNumberOfFieldsThatIsConfigured) {
  Hash hash;
  for (int i = 0; i < 128; ++i) hash.Set(std::to_string(i), "v", {});
  EXPECT_TRUE(hash.IsSmall());
  hash.Set("128", "v", {});
  EXPECT_FALSE(hash.IsSmall());

  // A limit above what is packed: the form changes, the answer does not.
  const HashRules wide{.small_fields_max = 1000, .small_bytes_max = 100000};
  Hash other;
  for (int i = 0; i < 1000; ++i) other.Set(std::to_string(i), std::string(100, 'v'), wide);
  EXPECT_TRUE(other.IsSmall());
  other.Set("1000", "v", wide);
  EXPECT_FALSE(other.IsSmall());
}

TEST(HashTest, AHashThatWasNotSmallStaysSoWhenItsFormChanges) {
  const HashRules wide{.small_fields_max = 1000};
  Hash hash;
  hash.Set("f", std::string(65, 'v'), wide);
  hash.Set("f", "v", wide);
  for (int i = 0; i < 200; ++i) hash.Set(std::to_string(i), "v", wide);
  EXPECT_FALSE(hash.IsSmall());
}

TEST(HashTest, RandomDrawsEachFieldAlike) {
  for (const int fields : {5, 400}) {
    Hash hash;
    for (int i = 0; i < fields; ++i) hash.Set("f" + std::to_string(i), std::to_string(i), {});
    Rng rng(3);
    NumberBuffer buffer;
    std::map<std::string, int> drawn;
    for (int i = 0; i < fields * 200; ++i) {
      const Hash::Field field = hash.Random(rng, buffer);
      ASSERT_EQ("f" + std::string(field.value), field.name);
      ++drawn[std::string(field.name)];
    }
    EXPECT_EQ(drawn.size(), static_cast<std::size_t>(fields));
    for (const auto& [name, times] : drawn) {
      EXPECT_GT(times, 100) << name;
      EXPECT_LT(times, 320) << name;
    }
  }
}

TEST(HashTest, ASampleDrawsDifferentFieldsEachAlike) {
  for (const int fields : {10, 400}) {
    Hash hash;
    for (int i = 0; i < fields; ++i) hash.Set("f" + std::to_string(i), std::to_string(i), {});
    Rng rng(5);
    std::map<std::string, int> drawn;
    for (int i = 0; i < 1000; ++i) {
      std::map<std::string, std::string> sample;
      hash.Sample(rng, static_cast<std::size_t>(fields / 5),
                  [&](std::string_view name, std::string_view value) {
                    ASSERT_EQ("f" + std::string(value), name);
                    ASSERT_TRUE(sample.emplace(name, value).second);
                    ++drawn[std::string(name)];
                  });
      ASSERT_EQ(sample.size(), static_cast<std::size_t>(fields / 5));
    }
    EXPECT_EQ(drawn.size(), static_cast<std::size_t>(fields));
    for (const auto& [name, times] : drawn) {
      EXPECT_GT(times, 130) << name;
      EXPECT_LT(times, 280) << name;
    }
  }
}

TEST(HashTest, MoveLeavesAnEmptyHash) {
  Hash from;
  from.Set("a", "1", {});
  Hash to;
  to.Set("b", "2", {});
  to = std::move(from);
  EXPECT_EQ(Content(to), (Pairs{{"a", "1"}}));
  EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): the promise under test.
}

TEST(HashTest, JobsShareTheirNamesFromTheSecondOn) {
  HashShapes shapes;
  const HashRules rules{.shapes = &shapes};
  Hash first;
  EXPECT_EQ(SetJob(first, 1, rules), 8U);
  EXPECT_EQ(shapes.size(), 0U);
  Hash second;
  SetJob(second, 2, rules);
  EXPECT_EQ(shapes.size(), 1U);
  EXPECT_LT(second.MemoryBytes(), first.MemoryBytes());
  Hash third;
  SetJob(third, 3, rules);
  EXPECT_EQ(shapes.size(), 1U);
  EXPECT_EQ(Get(third, "timestamp"), "1700000000003");
  EXPECT_EQ(Get(third, "name"), "send-mail");
  const std::unique_ptr<Hash> clone = third.Clone();
  third.Clear();
  EXPECT_EQ(Get(*clone, "opts").size(), 60U);
}

TEST(HashTest, AJobOfEightFieldsTakesAtMost192BytesBesideItsKey) {
  HashShapes shapes;
  const HashRules rules{.shapes = &shapes};
  const std::size_t before = AllocatedBytes();
  std::vector<Hash> jobs(10000);
  std::size_t counted = 0;
  for (int i = 0; i < 10000; ++i) {
    SetJob(jobs[static_cast<std::size_t>(i)], i, rules);
    counted += jobs[static_cast<std::size_t>(i)].MemoryBytes();
  }
  EXPECT_LE(counted / 10000, 192U);
  EXPECT_LE((AllocatedBytes() - before) / 10000, 192U + sizeof(Hash) + 1);
}

TEST(HashTest, ALargeHashTakesLittleBesideItsBytes) {
  const std::size_t before = AllocatedBytes();
  Hash hash;
  for (int i = 0; i < 100000; ++i) {
    hash.Set("field:" + std::to_string(100000 + i), std::string(20, 'v'), {});
  }
  const std::size_t bytes = AllocatedBytes() - before;
  EXPECT_LE(bytes / 100000, 12U + 20 + 20);
  EXPECT_NEAR(static_cast<double>(hash.MemoryBytes()), static_cast<double>(bytes), 1000.0);
}

TEST(HashTest, ALargeHashThatShrinksGivesItsMemoryBack) {
  Hash hash;
  std::vector<std::string> names;
  for (int i = 0; i < 50000; ++i) names.push_back("field:" + std::to_string(i * 7919 % 50000));
  for (const std::string& name : names) hash.Set(name, "value", {});
  const std::size_t full = hash.MemoryBytes();
  for (std::size_t i = 0; i < 45000; ++i) ASSERT_TRUE(hash.Remove(names[i], {}));
  hash.CheckInvariants();
  EXPECT_LE(hash.MemoryBytes(), full / 4);
  for (std::size_t i = 45000; i < 50000; ++i) ASSERT_EQ(Get(hash, names[i]), "value");
}

// Makes as many shapes as it takes for those without use to be dropped. Each is used by a hash that
// then gets another field, and by one that goes.
void FillWithUnusedShapes(HashShapes& shapes) {
  const HashRules rules{.shapes = &shapes};
  for (int kind = 0; kind < 9000; ++kind) {
    const std::string name = "a-field-of-kind-" + std::to_string(kind);
    for (int i = 0; i < 3; ++i) {
      Hash hash;
      hash.Set(name, "v", rules);
      if (i == 1) hash.Set("second", "v", rules);
    }
  }
}

TEST(HashShapesTest, UnusedShapesMakeWayWhenTheTableIsFull) {
  HashShapes shapes;
  FillWithUnusedShapes(shapes);
  // 4096 kinds filled it, as many were refused; then all went.
  EXPECT_LE(shapes.size(), 4000U);
  shapes.CheckInvariants();
}

TEST(HashShapesTest, AShapeStaysAsLongAsAnyHashHasIt) {
  HashShapes shapes;
  const HashRules rules{.shapes = &shapes};
  const std::string name = "a-field-with-a-name-of-some-length";
  Hash first;
  Hash maker;
  Hash sharer;
  for (Hash* hash : {&first, &maker, &sharer}) hash->Set(name, "v", rules);
  const std::unique_ptr<Hash> clone = sharer.Clone();
  maker.Clear();
  sharer.Clear();
  FillWithUnusedShapes(shapes);
  EXPECT_EQ(Get(*clone, name), "v");
  Hash next;
  next.Set(name, "v", rules);
  EXPECT_LT(next.MemoryBytes(), first.MemoryBytes());
}

TEST(HashShapesTest, AHashUnlikeAllOthersIsNotKept) {
  HashShapes shapes;
  const HashRules rules{.shapes = &shapes};
  for (int kind = 0; kind < 500; ++kind) {
    Hash hash;
    hash.Set("a-field-of-kind-" + std::to_string(kind), "v", rules);
  }
  EXPECT_EQ(shapes.size(), 0U);
}

}  // namespace
}  // namespace rung

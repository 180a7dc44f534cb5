// What ExtendibleTable promises, case by case; the model test covers the mixtures.

#include "rung/types/extendible_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/memory.h"

namespace rung {
namespace {

struct KeyOfString {
  std::string_view operator()(const std::string* item) const { return *item; }
};
struct ConstantHash {
  std::uint64_t operator()(std::string_view) const { return 0x1234'5678'9abc'def0; }
};
// All keys agree in their first 12 bits: no table of these tests splits by the others.
struct SamePrefixHash {
  std::uint64_t operator()(std::string_view key) const {
    return HashBytes(key) >> 12 | std::uint64_t{0xabc} << 52;
  }
};

using StringTable = ExtendibleTable<const std::string*, KeyOfString>;

std::vector<std::string> MakeKeys(int count) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i) keys.push_back("key:" + std::to_string(i));
  return keys;
}

void InsertAll(StringTable& table, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) table.Insert(key, HashBytes(key), &key);
}

TEST(ExtendibleTableTest, FindsWhatWasInsertedAndNothingElse) {
  const std::vector<std::string> keys = MakeKeys(20'000);
  StringTable table;
  EXPECT_EQ(table.Find("key:0", HashBytes("key:0")), nullptr);
  for (const std::string& key : keys) {
    const std::string** slot = table.Insert(key, HashBytes(key), &key);
    ASSERT_EQ(*slot, &key);
  }
  EXPECT_EQ(table.size(), 20'000u);
  table.CheckInvariants();
  const StringTable& constant = table;
  for (const std::string& key : keys) ASSERT_EQ(*constant.Find(key, HashBytes(key)), &key);
  for (int i = 0; i < 20'000; ++i) {
    const std::string absent = "other:" + std::to_string(i);
    ASSERT_EQ(table.Find(absent, HashBytes(absent)), nullptr);
  }
}

TEST(ExtendibleTableTest, TakesAnyBytesAsKeys) {
  const std::string zero(1, '\0');
  const std::string zeros(2, '\0');
  const std::string none;
  StringTable table;
  for (const std::string* key : {&zero, &zeros, &none}) table.Insert(*key, HashBytes(*key), key);
  for (const std::string* key : {&zero, &zeros, &none}) {
    EXPECT_EQ(*table.Find(*key, HashBytes(*key)), key);
  }
}

TEST(ExtendibleTableTest, ErasesOnlyTheNamedKey) {
  const std::vector<std::string> keys = MakeKeys(5'000);
  StringTable table;
  InsertAll(table, keys);
  for (std::size_t i = 0; i < keys.size(); i += 2) {
    ASSERT_TRUE(table.Erase(keys[i], HashBytes(keys[i])));
  }
  EXPECT_FALSE(table.Erase(keys[0], HashBytes(keys[0])));
  EXPECT_EQ(table.size(), 2'500u);
  table.CheckInvariants();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(table.Find(keys[i], HashBytes(keys[i])) != nullptr, i % 2 == 1) << keys[i];
  }
}

TEST(ExtendibleTableTest, ASlotMayTakeAnotherItemOfTheSameKey) {
  const std::string first = "job";
  const std::string second = "job";
  StringTable table;
  table.Insert(first, HashBytes(first), &first);
  *table.Find("job", HashBytes("job")) = &second;
  EXPECT_EQ(*table.Find("job", HashBytes("job")), &second);
  table.EraseAt(table.Find("job", HashBytes("job")), HashBytes("job"));
  EXPECT_TRUE(table.empty());
}

TEST(ExtendibleTableTest, ItemsMayBeIndexesIntoTheOwnersArray) {
  struct KeyInArray {
    const std::vector<std::string>* keys;
    std::string_view operator()(std::uint32_t index) const { return (*keys)[index]; }
  };
  const std::vector<std::string> keys = MakeKeys(30'000);
  ExtendibleTable<std::uint32_t, KeyInArray> table(KeyInArray{&keys});
  for (std::uint32_t i = 0; i < keys.size(); ++i) table.Insert(keys[i], HashBytes(keys[i]), i);
  table.CheckInvariants();
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(*table.Find(keys[i], HashBytes(keys[i])), i);
  }
  EXPECT_LE(table.MemoryBytes(), keys.size() * 11);
}

// Deep enough for the slots' hash bits to be taken from the keys twice, and shifted back in merges.
TEST(ExtendibleTableTest, KeepsItsItemsThroughEveryDepthUpAndDown) {
  struct KeyInArray {
    const std::uint32_t* keys;
    std::string_view operator()(std::uint32_t index) const {
      return {reinterpret_cast<const char*>(keys + index), sizeof(std::uint32_t)};
    }
  };
  constexpr std::uint32_t kCount = 2'500'000;
  std::vector<std::uint32_t> keys(kCount);
  std::iota(keys.begin(), keys.end(), 0u);
  const KeyInArray key_of{keys.data()};
  ExtendibleTable<std::uint32_t, KeyInArray> table(key_of);
  for (std::uint32_t i = 0; i < kCount; ++i) table.Insert(key_of(i), HashBytes(key_of(i)), i);
  table.CheckInvariants();
  for (std::uint32_t stride : {16u, 256u, 4'096u}) {  // Of these, every stride-th one stays.
    for (std::uint32_t i = 0; i < kCount; ++i) {
      if (i % stride != 0) table.Erase(key_of(i), HashBytes(key_of(i)));
    }
    table.CheckInvariants();
    ASSERT_EQ(table.size(), (kCount + stride - 1) / stride);
    ASSERT_LE(table.MemoryBytes(), table.size() * 40);
  }
}

TEST(ExtendibleTableTest, MovesLeaveAnEmptyTableBehind) {
  for (const int count : {3, 5'000}) {  // Without and with a directory on the heap.
    const std::vector<std::string> keys = MakeKeys(count);
    StringTable table;
    InsertAll(table, keys);
    StringTable moved(std::move(table));
    moved.CheckInvariants();
    EXPECT_EQ(*moved.Find(keys[2], HashBytes(keys[2])), &keys[2]);
    EXPECT_EQ(table.size(), 0u);  // NOLINT(bugprone-use-after-move)
    table.CheckInvariants();
    table.Insert(keys[0], HashBytes(keys[0]), &keys[0]);
    table = std::move(moved);
    EXPECT_EQ(table.size(), keys.size());
    table.CheckInvariants();
    moved.CheckInvariants();  // NOLINT(bugprone-use-after-move)
  }
}

TEST(ExtendibleTableTest, CountsItsMemoryAndGivesItBack) {
  const std::vector<std::string> keys = MakeKeys(50'000);
  const std::size_t before = AllocatedBytes();
  StringTable table;
  EXPECT_EQ(table.MemoryBytes(), 0u);
  InsertAll(table, keys);
  const std::size_t grown = AllocatedBytes() - before;
  EXPECT_NEAR(static_cast<double>(table.MemoryBytes()), static_cast<double>(grown), 4'096.0);
  table.Clear();
  EXPECT_EQ(table.MemoryBytes(), 0u);
  EXPECT_EQ(AllocatedBytes(), before);
  EXPECT_EQ(table.Find(keys[0], HashBytes(keys[0])), nullptr);
  InsertAll(table, keys);
  table.CheckInvariants();
}

TEST(ExtendibleTableTest, SmallTablesAreSmall) {
  const std::vector<std::string> keys = MakeKeys(1'000);
  const std::map<std::size_t, std::size_t> most_bytes = {
      {1, 128}, {8, 128}, {15, 192}, {64, 1'024}, {100, 1'536}, {1'000, 18'000}};
  StringTable table;
  for (const std::string& key : keys) {
    table.Insert(key, HashBytes(key), &key);
    const auto most = most_bytes.find(table.size());
    if (most != most_bytes.end()) {
      EXPECT_LE(table.MemoryBytes(), most->second) << table.size();
    }
  }
}

TEST(ExtendibleTableTest, MemoryFallsWithTheItems) {
  const std::vector<std::string> keys = MakeKeys(200'000);
  StringTable table;
  InsertAll(table, keys);
  const std::size_t full = table.MemoryBytes();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % 100 != 0) table.Erase(keys[i], HashBytes(keys[i]));
  }
  table.CheckInvariants();
  EXPECT_LT(table.MemoryBytes(), full / 40);
  for (std::size_t i = 0; i < keys.size(); i += 100) table.Erase(keys[i], HashBytes(keys[i]));
  table.CheckInvariants();
  EXPECT_EQ(table.MemoryBytes(), 0u);
}

template <typename HashKey>
void ExpectCorrectUnder(int count) {
  const HashKey hash;
  const std::vector<std::string> keys = MakeKeys(count);
  ExtendibleTable<const std::string*, KeyOfString, HashKey> table;
  for (const std::string& key : keys) table.Insert(key, hash(key), &key);
  table.CheckInvariants();
  EXPECT_LT(table.MemoryBytes(), keys.size() * 64);
  EXPECT_EQ(table.Find("absent", hash("absent")), nullptr);
  for (std::size_t i = 0; i < keys.size(); i += 3) ASSERT_TRUE(table.Erase(keys[i], hash(keys[i])));
  table.CheckInvariants();
  std::set<const std::string*> scanned;
  std::uint64_t cursor = 0;
  do {
    cursor = table.Scan(cursor, [&](const std::string* item) { scanned.insert(item); });
  } while (cursor != 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(table.Find(keys[i], hash(keys[i])) != nullptr, i % 3 != 0);
    ASSERT_EQ(scanned.count(&keys[i]), i % 3 != 0 ? 1u : 0u);
    if (i % 3 != 0) table.Erase(keys[i], hash(keys[i]));
  }
  table.CheckInvariants();
  EXPECT_EQ(table.MemoryBytes(), 0u);
}

TEST(ExtendibleTableTest, SurvivesHashesThatAreAllEqual) { ExpectCorrectUnder<ConstantHash>(600); }

TEST(ExtendibleTableTest, SurvivesHashesThatShareTheirTopBits) {
  ExpectCorrectUnder<SamePrefixHash>(2'000);
}

TEST(ExtendibleTableTest, ForEachVisitsEachItemOnce) {
  const std::vector<std::string> keys = MakeKeys(10'000);
  StringTable table;
  InsertAll(table, keys);
  std::map<const std::string*, int> visits;
  table.ForEach([&](const std::string* item) { ++visits[item]; });
  EXPECT_EQ(visits.size(), keys.size());
  for (const auto& [item, times] : visits) ASSERT_EQ(times, 1) << *item;
}

TEST(ExtendibleTableTest, ScanVisitsEachItemOnceInSmallPortionsWhileNothingChanges) {
  for (const int count : {0, 1, 9, 100, 1'000, 30'000}) {
    const std::vector<std::string> keys = MakeKeys(count);
    StringTable table;
    InsertAll(table, keys);
    std::map<const std::string*, int> visits;
    std::uint64_t cursor = 0;
    std::uint64_t before = 0;
    int calls = 0;
    do {
      before = cursor;
      int portion = 0;
      cursor = table.Scan(cursor, [&](const std::string* item) {
        ++visits[item];
        ++portion;
      });
      ++calls;
      ASSERT_LE(portion, 40);
      ASSERT_TRUE(cursor == 0 || cursor > before);
      ASSERT_LT(cursor, std::uint64_t{1} << 48);
    } while (cursor != 0);
    EXPECT_EQ(visits.size(), keys.size());
    EXPECT_LE(calls, count / 6 + 10);
    for (const auto& [item, times] : visits) ASSERT_EQ(times, 1) << *item;
  }
}

TEST(ExtendibleTableTest, ScanTakesAnyCursor) {
  const std::vector<std::string> keys = MakeKeys(3'000);
  StringTable table;
  InsertAll(table, keys);
  Rng rng(7);
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_LT(table.Scan(rng.Next(), [](const std::string*) {}), std::uint64_t{1} << 48);
  }
  EXPECT_EQ(table.Scan(~std::uint64_t{0}, [](const std::string*) {}), 0u);
}

TEST(ExtendibleTableTest, RandomItemIsFairAndNeverHangs) {
  Rng rng(11);
  StringTable table;
  EXPECT_EQ(table.RandomItem(rng), nullptr);
  const std::vector<std::string> keys = MakeKeys(12'000);
  InsertAll(table, keys);
  // An uneven table: of one half of the hash space only few items stay.
  std::vector<const std::string*> left;
  for (const std::string& key : keys) {
    const bool upper = HashBytes(key) >> 63 != 0;
    if (upper && left.size() % 16 != 0 && table.Erase(key, HashBytes(key))) continue;
    left.push_back(&key);
  }
  ASSERT_EQ(left.size(), table.size());
  std::map<const std::string*, int> drawn;
  const int draws = static_cast<int>(left.size()) * 100;
  for (int i = 0; i < draws; ++i) ++drawn[*table.RandomItem(rng)];
  double chi_square = 0;
  for (const std::string* item : left)
    chi_square += (drawn[item] - 100.0) * (drawn[item] - 100.0) / 100.0;
  const double freedom = static_cast<double>(left.size()) - 1;
  EXPECT_LT(chi_square, freedom + 5 * std::sqrt(2 * freedom));

  while (!table.empty()) {  // Down to the last one, with every state in between.
    const std::string** slot = table.RandomItem(rng);
    ASSERT_NE(slot, nullptr);
    table.EraseAt(slot, HashBytes(**slot));
  }
  table.CheckInvariants();
}

TEST(ExtendibleTableTest, PrefetchChangesNothing) {
  const std::vector<std::string> keys = MakeKeys(100);
  StringTable table;
  table.Prefetch(HashBytes("x"));
  InsertAll(table, keys);
  for (const std::string& key : keys) table.Prefetch(HashBytes(key));
  table.CheckInvariants();
  EXPECT_EQ(table.size(), 100u);
}

}  // namespace
}  // namespace rung

// ExtendibleTable against std::unordered_map under seeded random work: growth, shrinking, erasing
// by slot, replacing, random draws, and the promise of Scan while the table changes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rung/types/extendible_table.h"

namespace rung {
namespace {

// Keys of every length; the owner of what the table points at.
class KeyPool {
 public:
  explicit KeyPool(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      keys_.push_back(std::to_string(i) + std::string(i % 40, static_cast<char>(i % 256)));
    }
  }
  const std::string& operator[](std::uint64_t i) const { return keys_[i]; }
  std::uint64_t size() const { return keys_.size(); }

 private:
  std::vector<std::string> keys_;
};

struct PointerItem {
  using Item = const std::string*;
  struct KeyOf {
    std::string_view operator()(const Item& item) const { return *item; }
  };
  static KeyOf MakeKeyOf(const KeyPool&) { return {}; }
  static Item Make(const KeyPool& pool, std::uint64_t i) { return &pool[i]; }
};

struct IndexItem {
  using Item = std::uint32_t;
  struct KeyOf {
    const KeyPool* pool;
    std::string_view operator()(const Item& item) const { return (*pool)[item]; }
  };
  static KeyOf MakeKeyOf(const KeyPool& pool) { return {&pool}; }
  static Item Make(const KeyPool&, std::uint64_t i) { return static_cast<std::uint32_t>(i); }
};

// Only 2^12 hashes, which differ in their first 6 and last 6 bits: runs of equal codes, chains that
// leave their groups, segments that may not split.
struct CoarseHash {
  std::uint64_t operator()(std::string_view key) const {
    return HashBytes(key) & 0xfc00'0000'0000'003f;
  }
};

template <typename Kind, typename HashKey>
class Twin {
 public:
  using Item = typename Kind::Item;
  using Table = ExtendibleTable<Item, typename Kind::KeyOf, HashKey>;

  explicit Twin(const KeyPool& pool) : pool_(pool), table_(Kind::MakeKeyOf(pool)) {}

  const std::unordered_map<std::string_view, std::uint64_t>& model() const { return model_; }
  Table& table() { return table_; }

  void Toggle(std::uint64_t i) {
    if (model_.count(pool_[i]) != 0) {
      Erase(i);
    } else {
      Insert(i);
    }
  }

  void Insert(std::uint64_t i) {
    const std::string& key = pool_[i];
    if (!model_.emplace(key, i).second) return;
    ASSERT_EQ(table_.Find(key, hash_(key)), nullptr);
    ASSERT_EQ(*table_.Insert(key, hash_(key), Kind::Make(pool_, i)), Kind::Make(pool_, i));
  }

  void Erase(std::uint64_t i) {
    const std::string& key = pool_[i];
    const bool present = model_.erase(key) != 0;
    if (i % 2 == 0) {
      ASSERT_EQ(table_.Erase(key, hash_(key)), present);
    } else if (Item* slot = table_.Find(key, hash_(key)); slot != nullptr) {
      ASSERT_TRUE(present);
      table_.EraseAt(slot, hash_(key));
    } else {
      ASSERT_FALSE(present);
    }
  }

  void Look(std::uint64_t i) {
    const std::string& key = pool_[i];
    const Item* slot = table_.Find(key, hash_(key));
    ASSERT_EQ(slot != nullptr, model_.count(key) != 0);
    if (slot != nullptr) {
      ASSERT_EQ(*slot, Kind::Make(pool_, i));
    }
  }

  void Draw(Rng& rng) {
    const Item* slot = table_.RandomItem(rng);
    ASSERT_EQ(slot == nullptr, model_.empty());
    if (slot != nullptr) {
      ASSERT_EQ(model_.count(Kind::MakeKeyOf(pool_)(*slot)), 1u);
    }
  }

  void Compare() {
    ASSERT_EQ(table_.size(), model_.size());
    table_.CheckInvariants();
    std::size_t visited = 0;
    table_.ForEach([&](const Item& item) {
      ++visited;
      ASSERT_EQ(model_.count(Kind::MakeKeyOf(pool_)(item)), 1u);
    });
    ASSERT_EQ(visited, model_.size());
  }

 private:
  const KeyPool& pool_;
  [[no_unique_address]] HashKey hash_;
  Table table_;
  std::unordered_map<std::string_view, std::uint64_t> model_;
};

// Phases that pull the size towards a target, so that the table grows and shrinks through all its
// forms, with churn in between.
template <typename Kind, typename HashKey>
void RunMixture(std::uint64_t seed, std::uint64_t pool_size, int phases) {
  SCOPED_TRACE(seed);
  const KeyPool pool(pool_size);
  Twin<Kind, HashKey> twin(pool);
  Rng rng(seed);
  for (int phase = 0; phase < phases; ++phase) {
    const std::uint64_t span = 1 + rng.Below(std::uint64_t{1} << rng.Below(18));
    const std::uint64_t keys = std::min(span, pool.size());
    const std::uint64_t insert_percent = rng.Below(101);
    for (std::uint64_t step = 0; step < keys * 2; ++step) {
      const std::uint64_t key = rng.Below(keys);
      switch (rng.Below(8)) {
        case 0:
          twin.Look(rng.Below(pool.size()));
          break;
        case 1:
          twin.Draw(rng);
          break;
        default:
          if (rng.Below(100) < insert_percent) {
            twin.Insert(key);
          } else {
            twin.Erase(key);
          }
      }
      if (testing::Test::HasFatalFailure()) return;
    }
    if (rng.Below(6) == 0) {
      for (std::uint64_t i = 0; i < pool.size(); ++i) {
        if (rng.Below(100) != 0) twin.Erase(i);
      }
    }
    twin.Compare();
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ExtendibleTableModelTest, PointersBehaveAsTheTwin) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RunMixture<PointerItem, KeyedHash>(seed, 100'000, 20);
  }
}

TEST(ExtendibleTableModelTest, IndexesBehaveAsTheTwin) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RunMixture<IndexItem, KeyedHash>(seed, 100'000, 20);
  }
}

TEST(ExtendibleTableModelTest, FewDistinctHashesBehaveAsTheTwin) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RunMixture<PointerItem, CoarseHash>(seed, 8'000, 20);
  }
}

// One whole iteration, with `churn` changes between two calls, of keys below `volatile_keys` only:
// all others stay, so all others must be seen; and nothing may be seen that never was there.
template <typename Kind, typename HashKey>
void ScanUnderChange(Twin<Kind, HashKey>& twin, const KeyPool& pool, std::uint64_t volatile_keys,
                     Rng& rng, std::uint64_t churn) {
  std::unordered_set<std::string_view> expected;
  for (const auto& [key, i] : twin.model()) {
    if (i >= volatile_keys) expected.insert(key);
  }
  const typename Kind::KeyOf key_of = Kind::MakeKeyOf(pool);
  const bool growing = rng.Below(2) == 0;
  std::uint64_t cursor = 0;
  do {
    cursor = twin.table().Scan(cursor, [&](const typename Kind::Item& item) {
      ASSERT_EQ(twin.model().count(key_of(item)), 1u);
      expected.erase(key_of(item));
    });
    for (std::uint64_t i = rng.Below(churn * 2 + 1); i > 0; --i) {
      const std::uint64_t key = rng.Below(volatile_keys);
      if (rng.Below(8) == 0) {
        twin.Toggle(key);
      } else if (growing) {
        twin.Insert(key);
      } else {
        twin.Erase(key);
      }
    }
    if (testing::Test::HasFatalFailure()) return;
  } while (cursor != 0);
  ASSERT_TRUE(expected.empty()) << expected.size() << " items were present and not visited";
}

template <typename Kind, typename HashKey>
void RunScans(std::uint64_t seed, std::uint64_t pool_size, int rounds) {
  SCOPED_TRACE(seed);
  const KeyPool pool(pool_size);
  Twin<Kind, HashKey> twin(pool);
  Rng rng(seed);
  for (int round = 0; round < rounds; ++round) {
    // From "nearly all keys stay" to "nearly all come or go meanwhile".
    const std::uint64_t volatile_keys = 1 + rng.Below(pool.size() - 1);
    const std::uint64_t present_percent = rng.Below(101);
    for (std::uint64_t i = 0; i < pool.size(); ++i) {
      if (rng.Below(100) < present_percent) {
        twin.Insert(i);
      } else {
        twin.Erase(i);
      }
    }
    ScanUnderChange(twin, pool, volatile_keys, rng, std::uint64_t{1} << rng.Below(9));
    twin.Compare();
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ExtendibleTableModelTest, ScanMissesNothingThatStaysInSmallTables) {
  for (const std::uint64_t pool_size : {12u, 60u, 900u}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      RunScans<PointerItem, KeyedHash>(seed * pool_size, pool_size, 10);
      RunScans<IndexItem, KeyedHash>(seed * pool_size + 1, pool_size, 10);
    }
  }
}

TEST(ExtendibleTableModelTest, ScanMissesNothingThatStaysInLargeTables) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    RunScans<PointerItem, KeyedHash>(seed, 12'000, 8);
    RunScans<IndexItem, KeyedHash>(seed, 30'000, 4);
  }
  RunScans<PointerItem, KeyedHash>(4, 200'000, 2);
}

TEST(ExtendibleTableModelTest, ScanMissesNothingWithFewDistinctHashes) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RunScans<PointerItem, CoarseHash>(seed, 6'000, 10);
  }
}

}  // namespace
}  // namespace rung

// ExtendibleTable beside boost::unordered_flat_set and std::unordered_set, all of them holding
// pointers to records with 16-byte keys and hashing with HashBytes. One "iteration" is one
// operation. Compare only within a run; `./dev bench` says how.
//
//   Insert  from empty to N; bytes: the table's own, per item
//   Stall   the same with a clock around each insertion; worst_us: CPU time of the slowest one
//   Hit     a random key that is there
//   Miss    a random key that is not
//   Erase   from N to empty; bytes: per item, when 1 in 100 is left
//   Churn   erase a random key, insert another, at a constant N
//   Scan    items visited in a whole iteration (ours only)
//   Random  RandomItem (ours only)

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <memory>
#include <string_view>
#include <unordered_set>

#include "rung/base/hash.h"
#include "rung/base/memory.h"
#include "rung/base/rng.h"
#include "rung/types/extendible_table.h"

namespace rung {
namespace {

struct Record {
  std::array<char, 16> key;
};

std::string_view KeyOfRecord(const Record* record) {
  return {record->key.data(), record->key.size()};
}

// The i-th key: distinct for each i, computed without touching memory.
Record MakeKey(std::uint64_t i) {
  const std::uint64_t scattered = i * 0x9e3779b97f4a7c15;
  Record record;
  std::memcpy(record.key.data(), &scattered, 8);
  std::memcpy(record.key.data() + 8, &i, 8);
  return record;
}

class Ours {
 public:
  void Insert(const Record* record) {
    const std::string_view key = KeyOfRecord(record);
    const std::uint64_t hash = HashBytes(key);
    if (table_.Find(key, hash) == nullptr) table_.Insert(key, hash, record);
  }
  bool Has(const Record& key) const {
    return table_.Find(KeyOfRecord(&key), HashBytes(KeyOfRecord(&key))) != nullptr;
  }
  bool Erase(const Record& key) {
    return table_.Erase(KeyOfRecord(&key), HashBytes(KeyOfRecord(&key)));
  }
  auto& table() { return table_; }

 private:
  struct KeyOf {
    std::string_view operator()(const Record* record) const { return KeyOfRecord(record); }
  };
  ExtendibleTable<const Record*, KeyOf> table_;
};

struct HashRecord {
  using is_transparent = void;
  using is_avalanching = void;
  std::size_t operator()(const Record* record) const { return HashBytes(KeyOfRecord(record)); }
  std::size_t operator()(std::string_view key) const { return HashBytes(key); }
};
struct EqualRecords {
  using is_transparent = void;
  bool operator()(const Record* a, const Record* b) const {
    return KeyOfRecord(a) == KeyOfRecord(b);
  }
  bool operator()(std::string_view a, const Record* b) const { return a == KeyOfRecord(b); }
  bool operator()(const Record* a, std::string_view b) const { return KeyOfRecord(a) == b; }
};

template <typename Set>
class Theirs {
 public:
  void Insert(const Record* record) { set_.insert(record); }
  bool Has(const Record& key) const { return set_.find(KeyOfRecord(&key)) != set_.end(); }
  bool Erase(const Record& key) {
    const auto found = set_.find(KeyOfRecord(&key));
    if (found == set_.end()) return false;
    set_.erase(found);
    return true;
  }

 private:
  Set set_;
};
using BoostFlat = Theirs<boost::unordered_flat_set<const Record*, HashRecord, EqualRecords>>;
using Std = Theirs<std::unordered_set<const Record*, HashRecord, EqualRecords>>;

// The records of a benchmark; made in the order of insertion, as a server makes them.
class Records {
 public:
  explicit Records(std::uint64_t count)
      : count_(count), records_(std::make_unique<Record[]>(count)) {
    for (std::uint64_t i = 0; i < count; ++i) records_[i] = MakeKey(i);
  }
  const Record* operator[](std::uint64_t i) const { return &records_[i]; }
  std::uint64_t count() const { return count_; }

 private:
  std::uint64_t count_;
  std::unique_ptr<Record[]> records_;
};

template <typename Table>
void Fill(Table& table, const Records& records) {
  for (std::uint64_t i = 0; i < records.count(); ++i) table.Insert(records[i]);
}

// At least a million operations a run, and one whole table.
std::int64_t RoundsFor(std::uint64_t count) {
  return static_cast<std::int64_t>(std::max<std::uint64_t>(1, 2'000'000 / count));
}

void SetPerOperation(benchmark::State& state, std::uint64_t operations) {
  state.counters["ns"] = benchmark::Counter(
      static_cast<double>(operations) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

double BytesPerItem(std::size_t bytes, std::uint64_t items) {
  return static_cast<double>(bytes) / static_cast<double>(items);
}

template <typename Table>
void Insert(benchmark::State& state) {
  const Records records(static_cast<std::uint64_t>(state.range(0)));
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::size_t before = AllocatedBytes();
    auto table = std::make_unique<Table>();
    Fill(*table, records);
    bytes = AllocatedBytes() - before;
    state.PauseTiming();
    table.reset();
    state.ResumeTiming();
  }
  SetPerOperation(state, records.count());
  state.counters["bytes"] = BytesPerItem(bytes, records.count());
}

std::uint64_t CpuNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(time.tv_nsec);
}

template <typename Table>
void Stall(benchmark::State& state) {
  const Records records(static_cast<std::uint64_t>(state.range(0)));
  std::uint64_t worst = 0;
  for (auto _ : state) {
    Table table;
    std::uint64_t before = CpuNanoseconds();
    for (std::uint64_t i = 0; i < records.count(); ++i) {
      table.Insert(records[i]);
      const std::uint64_t after = CpuNanoseconds();
      worst = std::max(worst, after - before);
      before = after;
    }
  }
  state.counters["worst_us"] = static_cast<double>(worst) / 1'000.0;
}

template <typename Table>
void Look(benchmark::State& state, std::uint64_t first) {
  const Records records(static_cast<std::uint64_t>(state.range(0)));
  Table table;
  Fill(table, records);
  Rng rng(1);
  std::uint64_t found = 0;
  for (auto _ : state) {
    found += table.Has(MakeKey(first + rng.Below(records.count()))) ? 1u : 0u;
  }
  benchmark::DoNotOptimize(found);
  SetPerOperation(state, 1);
}

template <typename Table>
void Hit(benchmark::State& state) {
  Look<Table>(state, 0);
}

template <typename Table>
void Miss(benchmark::State& state) {
  Look<Table>(state, std::uint64_t{1} << 40);
}

template <typename Table>
void Erase(benchmark::State& state) {
  const Records records(static_cast<std::uint64_t>(state.range(0)));
  std::size_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const std::size_t before = AllocatedBytes();
    auto table = std::make_unique<Table>();
    Fill(*table, records);
    state.ResumeTiming();
    for (std::uint64_t i = 0; i < records.count(); ++i) {
      table->Erase(*records[i]);
      if (i == records.count() / 100 * 99) bytes = AllocatedBytes() - before;
    }
    state.PauseTiming();
    table.reset();
    state.ResumeTiming();
  }
  SetPerOperation(state, records.count());
  state.counters["bytes"] = BytesPerItem(bytes, records.count() / 100);
}

template <typename Table>
void Churn(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  const Records records(count + count / 4);
  Table table;
  for (std::uint64_t i = 0; i < count; ++i) table.Insert(records[i]);
  std::uint64_t oldest = 0;
  for (auto _ : state) {
    table.Erase(*records[oldest % records.count()]);
    table.Insert(records[(oldest + count) % records.count()]);
    ++oldest;
  }
  SetPerOperation(state, 1);
}

void Scan(benchmark::State& state) {
  const Records records(static_cast<std::uint64_t>(state.range(0)));
  Ours ours;
  Fill(ours, records);
  std::uint64_t cursor = 0;
  std::uint64_t calls = 0;
  std::uint64_t items = 0;
  for (auto _ : state) {
    cursor = ours.table().Scan(cursor, [&items](const Record*) { ++items; });
    ++calls;
  }
  SetPerOperation(state, 1);
  state.counters["items"] = static_cast<double>(items) / static_cast<double>(calls);
}

void Random(benchmark::State& state) {
  const Records records(static_cast<std::uint64_t>(state.range(0)));
  Ours ours;
  Fill(ours, records);
  Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(ours.table().RandomItem(rng));
  SetPerOperation(state, 1);
}

void Whole(benchmark::internal::Benchmark* benchmark) { benchmark->Unit(benchmark::kMillisecond); }

#define RUNG_COMPARE_WHOLE(name, count)                                                        \
  BENCHMARK_TEMPLATE(name, Ours)->Arg(count)->Iterations(RoundsFor(count))->Apply(Whole);      \
  BENCHMARK_TEMPLATE(name, BoostFlat)->Arg(count)->Iterations(RoundsFor(count))->Apply(Whole); \
  BENCHMARK_TEMPLATE(name, Std)->Arg(count)->Iterations(RoundsFor(count))->Apply(Whole)
#define RUNG_COMPARE(name)                                                          \
  BENCHMARK_TEMPLATE(name, Ours)->Arg(1'000)->Arg(1'000'000)->Arg(10'000'000);      \
  BENCHMARK_TEMPLATE(name, BoostFlat)->Arg(1'000)->Arg(1'000'000)->Arg(10'000'000); \
  BENCHMARK_TEMPLATE(name, Std)->Arg(1'000)->Arg(1'000'000)->Arg(10'000'000)

RUNG_COMPARE_WHOLE(Insert, 1'000);
RUNG_COMPARE_WHOLE(Insert, 1'000'000);
RUNG_COMPARE_WHOLE(Insert, 10'000'000);
RUNG_COMPARE_WHOLE(Stall, 1'000'000);
RUNG_COMPARE_WHOLE(Stall, 10'000'000);
RUNG_COMPARE(Hit);
RUNG_COMPARE(Miss);
RUNG_COMPARE_WHOLE(Erase, 1'000);
RUNG_COMPARE_WHOLE(Erase, 1'000'000);
RUNG_COMPARE_WHOLE(Erase, 10'000'000);
RUNG_COMPARE(Churn);
BENCHMARK(Scan)->Arg(1'000)->Arg(1'000'000)->Arg(10'000'000);
BENCHMARK(Random)->Arg(1'000)->Arg(1'000'000)->Arg(10'000'000);

}  // namespace
}  // namespace rung

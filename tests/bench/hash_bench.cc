// Hash beside std::unordered_map<std::string, std::string>: jobs of eight fields, large hashes,
// bytes of each.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rung/base/memory.h"
#include "rung/base/rng.h"
#include "rung/types/hash.h"

namespace rung {
namespace {

const std::vector<std::string_view> kJob = {
    "name",
    "send-mail",
    "data",
    R"({"to":"user00000001@example.com","subject":"Welcome, dear customer",)"
    R"("template":"welcome-2"})",
    "opts",
    R"({"attempts":3,"backoff":{"type":"exponential","delay":1000}})",
    "timestamp",
    "1700000000001",
    "delay",
    "0",
    "priority",
    "7",
    "processedOn",
    "1700000001001",
    "ats",
    "1"};

struct Ours {
  Hash hash;
  void SetAll(const std::vector<std::string_view>& job, const HashRules& rules) {
    hash.SetAll(job, rules);
  }
  void Set(std::string_view name, std::string_view value, const HashRules& rules) {
    hash.Set(name, value, rules);
  }
  std::size_t Get(std::string_view name) const {
    NumberBuffer buffer;
    return hash.Get(name, buffer)->size();
  }
  std::size_t All() const {
    std::size_t bytes = 0;
    hash.ForEach([&](std::string_view name, std::string_view value) {
      bytes += name.size() + value.size();
    });
    return bytes;
  }
  bool Remove(std::string_view name, const HashRules& rules) { return hash.Remove(name, rules); }
};

struct Standard {
  std::unordered_map<std::string, std::string> hash;
  void SetAll(const std::vector<std::string_view>& job, const HashRules& rules) {
    for (std::size_t i = 0; i < job.size(); i += 2) Set(job[i], job[i + 1], rules);
  }
  void Set(std::string_view name, std::string_view value, const HashRules&) {
    hash[std::string(name)] = value;
  }
  std::size_t Get(std::string_view name) const {
    return hash.find(std::string(name))->second.size();
  }
  std::size_t All() const {
    std::size_t bytes = 0;
    for (const auto& [name, value] : hash) bytes += name.size() + value.size();
    return bytes;
  }
  bool Remove(std::string_view name, const HashRules&) {
    return hash.erase(std::string(name)) == 1;
  }
};

template <typename Kind>
void BM_MakeJob(benchmark::State& state) {
  HashShapes shapes;
  const HashRules rules{.shapes = &shapes};
  for (auto _ : state) {
    Kind job;
    job.SetAll(kJob, rules);
    benchmark::DoNotOptimize(job);
  }
}
BENCHMARK(BM_MakeJob<Ours>);
BENCHMARK(BM_MakeJob<Standard>);

template <typename Kind>
void BM_GetOfJob(benchmark::State& state) {
  HashShapes shapes;
  const HashRules rules{.shapes = &shapes};
  Kind job;
  for (int i = 0; i < 3; ++i) {
    job = Kind();
    job.SetAll(kJob, rules);
  }
  const std::string_view name = kJob[static_cast<std::size_t>(state.range(0)) * 2];
  for (auto _ : state) benchmark::DoNotOptimize(job.Get(name));
}
BENCHMARK(BM_GetOfJob<Ours>)->Arg(0)->Arg(1)->Arg(6)->Arg(7);
BENCHMARK(BM_GetOfJob<Standard>)->Arg(1);

template <typename Kind>
void BM_AllOfJob(benchmark::State& state) {
  Kind job;
  job.SetAll(kJob, {});
  for (auto _ : state) benchmark::DoNotOptimize(job.All());
}
BENCHMARK(BM_AllOfJob<Ours>);
BENCHMARK(BM_AllOfJob<Standard>);

// A counter in a job, as HINCRBY writes it; then a field that comes and goes.
template <typename Kind>
void BM_ChangeJob(benchmark::State& state) {
  HashShapes shapes;
  const HashRules rules{.shapes = &shapes};
  Kind job;
  job.SetAll(kJob, rules);
  std::uint64_t count = 0;
  for (auto _ : state) {
    job.Set("ats", std::to_string(++count), rules);
    job.Set("finishedOn", "1700000002000", rules);
    job.Remove("finishedOn", rules);
  }
}
BENCHMARK(BM_ChangeJob<Ours>);
BENCHMARK(BM_ChangeJob<Standard>);

// 1M fields of 12 bytes with values of 16; reports the bytes per field.
template <typename Kind>
void BM_FillLarge(benchmark::State& state) {
  constexpr int kFields = 1000000;
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::size_t before = AllocatedBytes();
    Kind hash;
    for (int i = 0; i < kFields; ++i) {
      hash.Set("field:" + std::to_string(100000 + i), "value0123456789x", {});
    }
    bytes = AllocatedBytes() - before;
  }
  state.SetItemsProcessed(state.iterations() * kFields);
  state.counters["bytes_per_field"] = static_cast<double>(bytes) / kFields;
}
BENCHMARK(BM_FillLarge<Ours>)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_FillLarge<Standard>)->Unit(benchmark::kMillisecond);

template <typename Kind>
void BM_GetOfLarge(benchmark::State& state) {
  constexpr int kFields = 1000000;
  Kind hash;
  for (int i = 0; i < kFields; ++i) {
    hash.Set("field:" + std::to_string(100000 + i), "value0123456789x", {});
  }
  Rng rng(1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(hash.Get("field:" + std::to_string(100000 + rng.Below(kFields))));
  }
}
BENCHMARK(BM_GetOfLarge<Ours>);
BENCHMARK(BM_GetOfLarge<Standard>);

}  // namespace
}  // namespace rung

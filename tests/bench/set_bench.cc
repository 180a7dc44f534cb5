// Set beside std::unordered_set<std::string>: adding, looking up, popping, bytes per member.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "rung/base/memory.h"
#include "rung/base/rng.h"
#include "rung/types/set.h"

namespace rung {
namespace {

// Members of 16 bytes.
std::string Member(std::uint64_t number) { return "m00000" + std::to_string(1000000000 + number); }

struct Ours {
  Set set;
  bool Add(std::string_view member) { return set.Add(member, {}); }
  bool Contains(std::string_view member) const { return set.Contains(member); }
};

struct Standard {
  std::unordered_set<std::string> set;
  bool Add(std::string_view member) { return set.emplace(member).second; }
  bool Contains(std::string_view member) const { return set.count(std::string(member)) == 1; }
};

template <typename Kind>
void BM_Fill(benchmark::State& state) {
  const std::uint64_t count = static_cast<std::uint64_t>(state.range(0));
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::size_t before = AllocatedBytes();
    Kind kind;
    for (std::uint64_t i = 0; i < count; ++i) kind.Add(Member(i));
    bytes = AllocatedBytes() - before;
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["bytes_per_member"] = static_cast<double>(bytes) / static_cast<double>(count);
}
BENCHMARK(BM_Fill<Ours>)->Arg(10)->Arg(100)->Arg(1000)->Arg(1000000);
BENCHMARK(BM_Fill<Standard>)->Arg(10)->Arg(100)->Arg(1000)->Arg(1000000);

template <typename Kind>
void BM_Contains(benchmark::State& state) {
  const std::uint64_t count = static_cast<std::uint64_t>(state.range(0));
  Kind kind;
  for (std::uint64_t i = 0; i < count; ++i) kind.Add(Member(i));
  Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(kind.Contains(Member(rng.Below(count))));
}
BENCHMARK(BM_Contains<Ours>)->Arg(10)->Arg(100)->Arg(1000)->Arg(1000000);
BENCHMARK(BM_Contains<Standard>)->Arg(10)->Arg(100)->Arg(1000)->Arg(1000000);

// SPOP of everything, one by one; also reports the worst single pop.
void BM_PopAll(benchmark::State& state) {
  const std::uint64_t count = static_cast<std::uint64_t>(state.range(0));
  double worst_us = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Set set;
    for (std::uint64_t i = 0; i < count; ++i) set.Add(Member(i), {});
    Rng rng(2);
    state.ResumeTiming();
    while (!set.empty()) {
      const auto start = std::chrono::steady_clock::now();
      set.PopEach(rng, 1, [](std::string_view member) { benchmark::DoNotOptimize(member); });
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - start;
      worst_us = std::max(worst_us, took.count());
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["worst_us"] = worst_us;
}
BENCHMARK(BM_PopAll)->Arg(100)->Arg(1000000);

}  // namespace
}  // namespace rung

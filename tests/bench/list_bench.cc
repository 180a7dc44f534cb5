// List beside std::deque<std::string>: pushes and pops, ranges, bytes per element.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "rung/base/memory.h"
#include "rung/base/rng.h"
#include "rung/types/list.h"

namespace rung {
namespace {

// The two lists behind the same words.
struct Ours {
  List list;
  void PushHead(std::string_view value) { list.Push(ListEnd::kHead, value); }
  std::size_t PopTail() {
    const std::size_t bytes = list.Peek(ListEnd::kTail).size();
    list.Drop(ListEnd::kTail);
    return bytes;
  }
  std::size_t Range(std::size_t first, std::size_t count) const {
    std::size_t bytes = 0;
    List::Cursor cursor = list.At(static_cast<std::int64_t>(first));
    for (; count > 0 && cursor.Valid(); --count, cursor.Next()) bytes += cursor.value().size();
    return bytes;
  }
};

struct Standard {
  std::deque<std::string> list;
  void PushHead(std::string_view value) { list.emplace_front(value); }
  std::size_t PopTail() {
    const std::size_t bytes = list.back().size();
    list.pop_back();
    return bytes;
  }
  std::size_t Range(std::size_t first, std::size_t count) const {
    std::size_t bytes = 0;
    for (std::size_t i = first; i < first + count; ++i) bytes += list[i].size();
    return bytes;
  }
};

// A queue that holds range(0) elements of range(1) bytes: one push and one pop per iteration.
template <typename Kind>
void BM_PushPop(benchmark::State& state) {
  Kind kind;
  const std::string value(static_cast<std::size_t>(state.range(1)), 'v');
  for (std::int64_t i = 0; i < state.range(0); ++i) kind.PushHead(value);
  for (auto _ : state) {
    kind.PushHead(value);
    benchmark::DoNotOptimize(kind.PopTail());
  }
}
BENCHMARK(BM_PushPop<Ours>)->ArgsProduct({{0, 10, 1000, 1000000}, {16, 100}});
BENCHMARK(BM_PushPop<Standard>)->ArgsProduct({{0, 10, 1000, 1000000}, {16, 100}});

// Growth from nothing to 1M elements; also reports the bytes per element.
template <typename Kind>
void BM_Fill(benchmark::State& state) {
  constexpr std::int64_t kCount = 1000000;
  const std::string value(static_cast<std::size_t>(state.range(0)), 'v');
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::size_t before = AllocatedBytes();
    Kind kind;
    for (std::int64_t i = 0; i < kCount; ++i) kind.PushHead(value);
    bytes = AllocatedBytes() - before;
  }
  state.SetItemsProcessed(state.iterations() * kCount);
  state.counters["bytes_per_element"] = static_cast<double>(bytes) / kCount;
}
BENCHMARK(BM_Fill<Ours>)->Arg(16)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Fill<Standard>)->Arg(16)->Arg(100)->Unit(benchmark::kMillisecond);

// 100 elements of 100 bytes from a random place of range(0).
template <typename Kind>
void BM_Range(benchmark::State& state) {
  Kind kind;
  for (std::int64_t i = 0; i < state.range(0); ++i) kind.PushHead(std::string(100, 'v'));
  Rng rng(1);
  const std::uint64_t places = static_cast<std::uint64_t>(state.range(0)) - 99;
  for (auto _ : state) benchmark::DoNotOptimize(kind.Range(rng.Below(places), 100));
}
BENCHMARK(BM_Range<Ours>)->Arg(100)->Arg(1000000);
BENCHMARK(BM_Range<Standard>)->Arg(100)->Arg(1000000);

}  // namespace
}  // namespace rung

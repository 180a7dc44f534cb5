// The order of leases: one is given back, another granted, the next end asked for; in a heap
// (LeaseDeadlines) and in blocks in order (OrderedItems), as the other orders of a queue are kept.
// Workers finish in any order (Any), or nearly in the order in which they began (Queue).

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rung/base/rng.h"
#include "rung/types/lease_deadlines.h"
#include "rung/types/ordered_items.h"

namespace rung {
namespace {

struct ByDeadline {
  static std::pair<std::int64_t, std::uint64_t> KeyOf(const Lease* lease) {
    return {lease->deadline_ms, lease->token};
  }
};
using Blocks = OrderedItems<Lease*, ByDeadline>;

template <typename Order, bool kInAnyOrder>
void GiveBackAndGrant(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  constexpr std::int64_t kLeaseMs = 30000;
  Rng rng(1);
  Order order;
  std::vector<Lease> leases(count);
  std::uint64_t token = 0;
  std::int64_t now_ms = 1'000'000;
  const auto grant = [&](Lease& lease) {
    lease.token = ++token;
    lease.deadline_ms = now_ms + kLeaseMs;
    order.Insert(&lease);
    if (token % 200 == 0) ++now_ms;
  };
  for (Lease& lease : leases) grant(lease);
  std::size_t oldest = 0;
  for (auto _ : state) {
    const std::size_t ahead = rng.Below(kInAnyOrder ? count : std::min<std::size_t>(count, 16));
    Lease& lease = leases[(oldest++ + ahead) % count];
    order.Erase(&lease);
    grant(lease);
    benchmark::DoNotOptimize(order.front()->deadline_ms);
  }
}
BENCHMARK(GiveBackAndGrant<LeaseDeadlines, true>)
    ->Name("Heap/Any")
    ->Arg(100)
    ->Arg(10'000)
    ->Arg(1'000'000);
BENCHMARK(GiveBackAndGrant<Blocks, true>)
    ->Name("Blocks/Any")
    ->Arg(100)
    ->Arg(10'000)
    ->Arg(1'000'000);
BENCHMARK(GiveBackAndGrant<LeaseDeadlines, false>)
    ->Name("Heap/Queue")
    ->Arg(100)
    ->Arg(10'000)
    ->Arg(1'000'000);
BENCHMARK(GiveBackAndGrant<Blocks, false>)
    ->Name("Blocks/Queue")
    ->Arg(100)
    ->Arg(10'000)
    ->Arg(1'000'000);

}  // namespace
}  // namespace rung

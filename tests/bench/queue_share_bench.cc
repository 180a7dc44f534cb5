// Sharing takes by weight: what a pick costs, and what it promises beside drawing lots.
//
// Drawing lots is what Sidekiq and asynq do with weighted queues: before each fetch the queues are
// shuffled by weight, so that with jobs in all of them the first is the lottery below. BullMQ and
// RabbitMQ have strict priority only: there, the longest wait of the low tier has no bound at all.
// Counters: `longest` and `p99` are the takes between two jobs of the lightest tier, `off` is by
// how many jobs a tier has been away from its exact share at worst.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "rung/base/rng.h"
#include "types/queue/fair_share.h"

namespace rung {
namespace {

const std::vector<std::uint32_t> kWeights = {70, 20, 10};
constexpr std::int64_t kTakes = 1'000'000;

class Lots {
 public:
  explicit Lots(const std::vector<std::uint32_t>& weights) : weights_(weights) {}
  std::uint32_t Take() {
    std::uint64_t drawn = rng_.Below(std::accumulate(weights_.begin(), weights_.end(), 0ull));
    std::uint32_t tier = 0;
    while (drawn >= weights_[tier]) drawn -= weights_[tier++];
    return tier;
  }

 private:
  std::vector<std::uint32_t> weights_;
  Rng rng_{1};
};

class Turns {
 public:
  explicit Turns(const std::vector<std::uint32_t>& weights) {
    for (std::uint32_t i = 0; i < weights.size(); ++i) share_.Activate(i, weights[i]);
  }
  std::uint32_t Take() {
    const std::uint32_t tier = *share_.Pick();
    share_.Serve(tier);
    return tier;
  }

 private:
  FairShare share_;
};

// Jobs in all tiers, all the time.
template <typename Policy>
void Backlogged(benchmark::State& state) {
  std::vector<std::int64_t> gaps;
  double off = 0;
  for (auto _ : state) {
    Policy policy(kWeights);
    std::vector<std::int64_t> served(kWeights.size());
    std::int64_t last = -1;
    for (std::int64_t take = 0; take < kTakes; ++take) {
      const std::uint32_t tier = policy.Take();
      ++served[tier];
      if (tier == 2) {
        gaps.push_back(take - last);
        last = take;
      }
      const double exact = static_cast<double>(take + 1) * kWeights[tier] / 100;
      off = std::max(off, std::abs(static_cast<double>(served[tier]) - exact));
    }
  }
  std::sort(gaps.begin(), gaps.end());
  state.SetItemsProcessed(state.iterations() * kTakes);
  state.counters["longest"] = static_cast<double>(gaps.back());
  state.counters["p99"] = static_cast<double>(gaps[gaps.size() * 99 / 100]);
  state.counters["p50"] = static_cast<double>(gaps[gaps.size() / 2]);
  state.counters["off"] = off;
}
BENCHMARK(Backlogged<Lots>)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(Backlogged<Turns>)->Iterations(1)->Unit(benchmark::kMillisecond);

// A single low job arrives now and then: how many takes it waits, itself counted.
template <bool kTurns>
void LowNowAndThen(benchmark::State& state) {
  std::vector<std::int64_t> waits;
  for (auto _ : state) {
    Rng rng(2);
    FairShare share;
    for (std::uint32_t i = 0; i < 2; ++i) share.Activate(i, kWeights[i]);
    std::int64_t since = -1;
    for (std::int64_t take = 0; take < kTakes; ++take) {
      if (since < 0 && rng.Below(40) == 0) {
        since = take;
        share.Activate(2, kWeights[2]);
      }
      std::uint32_t tier = 0;
      if (kTurns) {
        tier = *share.Pick();
        share.Serve(tier);
      } else if (since >= 0 && rng.Below(100) < kWeights[2]) {
        tier = 2;
      }
      if (tier != 2) continue;
      waits.push_back(take - since + 1);
      since = -1;
      share.Deactivate(2);
    }
  }
  std::sort(waits.begin(), waits.end());
  state.counters["longest"] = static_cast<double>(waits.back());
  state.counters["p99"] = static_cast<double>(waits[waits.size() * 99 / 100]);
  state.counters["p50"] = static_cast<double>(waits[waits.size() / 2]);
}
BENCHMARK(LowNowAndThen<false>)->Name("LowNowAndThen<Lots>")->Iterations(1);
BENCHMARK(LowNowAndThen<true>)->Name("LowNowAndThen<Turns>")->Iterations(1);

// One pick and one serve among so many waiting entities of random weight.
void PickAndServe(benchmark::State& state) {
  Rng rng(3);
  FairShare share;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    share.Activate(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(1 + rng.Below(100)));
  }
  for (auto _ : state) share.Serve(*share.Pick());
  state.counters["bytes_each"] =
      static_cast<double>(share.MemoryBytes()) / static_cast<double>(state.range(0));
}
BENCHMARK(PickAndServe)->Arg(3)->Arg(10)->Arg(64)->Arg(2'000)->Arg(100'000)->Arg(1'000'000);

// A group's only job is served: it leaves, and comes back.
void ServeLeaveAndReturn(benchmark::State& state) {
  FairShare share;
  for (std::int64_t i = 0; i < state.range(0); ++i) share.Activate(static_cast<std::uint32_t>(i));
  for (auto _ : state) {
    const std::uint32_t turn = *share.Pick();
    share.Serve(turn);
    share.Deactivate(turn);
    share.Activate(turn);
  }
}
BENCHMARK(ServeLeaveAndReturn)->Arg(3)->Arg(2'000)->Arg(100'000);

}  // namespace
}  // namespace rung

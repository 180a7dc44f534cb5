// The selectors look at heads only. Here every job is looked at, with its level as it is at that
// moment, and the pick must be the best of all; and what starves nobody must starve nobody.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "rung/base/rng.h"
#include "types/queue/floor_share.h"
#include "types/queue/tier_selector.h"

namespace rung {
namespace {

using Job = TierHead;

// Jobs in tiers, each in order of arrival.
class Ladder {
 public:
  void Add(std::uint32_t tier, std::int64_t now) { tiers_[tier].push_back({tier, now, ++seq_}); }
  void Remove(std::uint32_t tier) {
    tiers_[tier].pop_front();
    if (tiers_[tier].empty()) tiers_.erase(tier);
  }
  std::vector<Job> Heads() const {
    std::vector<Job> heads;
    for (const auto& [tier, jobs] : tiers_) heads.push_back(jobs.front());
    return heads;
  }
  std::vector<Job> All() const {
    std::vector<Job> all;
    for (const auto& [tier, jobs] : tiers_) all.insert(all.end(), jobs.begin(), jobs.end());
    return all;
  }
  std::size_t size(std::uint32_t tier) const {
    const auto found = tiers_.find(tier);
    return found == tiers_.end() ? 0 : found->second.size();
  }

 private:
  std::map<std::uint32_t, std::deque<Job>> tiers_;
  std::int64_t seq_ = 0;
};

// Random arrivals, time and takes; `pick` chooses among the heads, `check` sees it and all jobs.
template <typename Pick, typename Check>
void Play(std::uint64_t seed, std::uint32_t tiers, const Pick& pick, const Check& check) {
  Rng rng(seed);
  Ladder ladder;
  std::int64_t now = 0;
  for (int step = 0; step < 3'000; ++step) {
    now += static_cast<std::int64_t>(rng.Below(rng.Below(20) == 0 ? 2'000 : 40));
    if (rng.Below(2) == 0) {
      ladder.Add(static_cast<std::uint32_t>(rng.Below(tiers)), now);
      continue;
    }
    const std::vector<Job> heads = ladder.Heads();
    const auto picked = pick(heads, now);
    ASSERT_EQ(picked.has_value(), !heads.empty());
    if (!picked) continue;
    check(heads[picked->index], ladder.All(), now);
    if (::testing::Test::HasFatalFailure()) return;
    ladder.Remove(heads[picked->index].tier);
  }
}

// The level at `now`, times the interval: tier - age / interval, but not above the cap.
std::int64_t Level(const Job& job, const Aging& aging, std::int64_t now) {
  const std::int64_t own = job.tier * aging.interval_ms;
  if (job.tier < aging.cap) return own;
  return std::max<std::int64_t>(own - (now - job.since_ms), aging.cap * aging.interval_ms);
}

TEST(TierSelectorModelTest, AgingServesTheBestLevelOfAllJobsAtThatMoment) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Aging aging{static_cast<std::int64_t>(50 + seed * 20),
                      static_cast<std::uint32_t>(seed % 4)};
    Play(
        seed, 6, [&](Heads heads, std::int64_t) { return PickAging(heads, aging); },
        [&](const Job& taken, const std::vector<Job>& all, std::int64_t now) {
          for (const Job& job : all) {
            ASSERT_LE(Level(taken, aging, now), Level(job, aging, now));
            // Level with each other at the cap: the one that reached it first.
            if (job.tier >= aging.cap && taken.tier >= aging.cap) {
              ASSERT_LE(AgingKey(aging, taken), AgingKey(aging, job));
            }
          }
        });
  }
}

TEST(TierSelectorModelTest, StepsServeTheBestLevelOfAllJobsAtThatMoment) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed);
    std::vector<Step> steps;
    for (std::uint32_t tier = 1; tier < 5; ++tier) {
      std::uint32_t to = tier;
      for (std::int64_t age = 0; to > 0 && rng.Below(4) != 0;) {
        age += static_cast<std::int64_t>(1 + rng.Below(500));
        to -= static_cast<std::uint32_t>(1 + rng.Below(to));
        steps.push_back({tier, age, to});
      }
    }
    const StepTable table(steps);
    const auto order = [&](const Job& job, std::int64_t now) {
      std::uint32_t level = job.tier;
      for (const Step& step : steps) {
        const bool reached = now - job.since_ms >= step.after_ms;
        if (step.tier == job.tier && reached) level = std::min(level, step.to);
      }
      return std::pair(level, job.seq);
    };
    Play(
        seed, 5, [&](Heads heads, std::int64_t now) { return PickStep(heads, table, now); },
        [&](const Job& taken, const std::vector<Job>& all, std::int64_t now) {
          for (const Job& job : all) ASSERT_LE(order(taken, now), order(job, now));
        });
  }
}

// Theorem 2: what arrives later than tier * interval after a job never overtakes it, however much.
TEST(TierSelectorModelTest, AStreamOfUrgentJobsHoldsAnOldOneUpNoLongerThanItsBound) {
  const Aging aging{1'000, 0};
  for (std::uint32_t tier = 1; tier <= 5; ++tier) {
    for (const std::int64_t backlog : {0, 1, 500}) {
      Ladder ladder;
      for (std::int64_t i = 0; i < backlog; ++i) ladder.Add(0, 0);
      ladder.Add(tier, 0);
      std::int64_t now = 0;
      // One urgent arrival and one take a millisecond.
      for (std::uint32_t taken = 0; taken != tier; ++now) {
        ladder.Add(0, now);
        const std::vector<Job> heads = ladder.Heads();
        taken = heads[PickAging(heads, aging)->index].tier;
        ladder.Remove(taken);
        ASSERT_LE(now, tier * aging.interval_ms + backlog + 1);
      }
      EXPECT_GE(now, tier * aging.interval_ms);  // And it was not served before its time either.
    }
  }
}

TEST(TierSelectorModelTest, StrictStarvesAsStrictDoes) {
  Ladder ladder;
  ladder.Add(1, 0);
  for (std::int64_t now = 0; now < 10'000; ++now) {
    ladder.Add(0, now);
    const std::vector<Job> heads = ladder.Heads();
    const std::uint32_t tier = heads[PickStrict(heads)->index].tier;
    ASSERT_EQ(tier, 0u);
    ladder.Remove(tier);
  }
}

// Adversarial arrivals: always whatever is more urgent, with idling in between.
TEST(TierSelectorModelTest, AFlooredHeadWaitsAtMostItsBound) {
  std::int64_t met = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    const auto tiers = static_cast<std::uint32_t>(2 + rng.Below(5));
    std::vector<std::uint32_t> floors(tiers);
    std::int64_t left = 1000;
    std::int64_t floored = 0;
    for (std::uint32_t tier = 1; tier < tiers; ++tier) {
      const std::int64_t floor = static_cast<std::int64_t>(rng.Below(2) * (1 + rng.Below(400)));
      if (floor == 0 || floor > left) continue;
      left -= floor;
      floors[tier] = static_cast<std::uint32_t>(floor);
      ++floored;
    }
    FloorShare share(floors);
    Ladder ladder;
    std::vector<std::int64_t> heads_since(tiers, -1);
    for (std::int64_t take = 0; take < 3'000; ++take) {
      for (std::uint32_t tier = 0; tier < tiers; ++tier) {
        if (tier > 0 && rng.Below(6) != 0) continue;
        ladder.Add(tier, take);
        share.Activate(tier);
        if (heads_since[tier] < 0) heads_since[tier] = take;
      }
      const std::vector<Job> heads = ladder.Heads();
      const std::uint32_t tier = heads[share.Pick(heads)->index].tier;
      share.Serve(tier);
      ladder.Remove(tier);
      if (floors[tier] > 0) {
        const std::int64_t waited = take - heads_since[tier] + 1;
        const std::int64_t bound = (999 + floors[tier]) / floors[tier] + floored - 1;
        ASSERT_LE(waited, bound);
        met += waited == bound ? 1 : 0;
      }
      heads_since[tier] = ladder.size(tier) > 0 ? take + 1 : -1;
      if (ladder.size(tier) == 0) share.Deactivate(tier);
      share.CheckInvariants();
    }
  }
  EXPECT_GT(met, 0);  // The bound is tight.
}

// A backlog that is overdue from end to end changes no share by more than a round.
TEST(TierSelectorModelTest, MaxWaitKeepsTheSharesOfAnOldBacklog) {
  const std::vector<std::uint32_t> weights = {70, 20, 10};
  const std::vector<std::int64_t> longest = {0, 1, 1};
  FairShare share;
  for (std::uint32_t tier = 0; tier < 3; ++tier) share.Activate(tier, weights[tier]);
  const std::vector<Job> heads = {{0, 0, 1}, {1, 0, 2}, {2, 0, 3}};
  std::vector<std::int64_t> served(3);
  for (std::int64_t take = 1; take <= 10'000; ++take) {
    const std::uint32_t tier =
        heads[PickWeightedWithMaxWait(heads, share, longest, 1'000'000)->index].tier;
    ++served[tier];
    share.Serve(tier);
    for (std::uint32_t i = 0; i < 3; ++i) {
      ASSERT_LE(100 * served[i], take * weights[i] + 100 * (weights[i] + 1));
      ASSERT_GE(100 * served[i], take * weights[i] - 100 * (30 + 1));
    }
  }
}

TEST(TierSelectorModelTest, MaxWaitServesARareLightJobInTime) {
  const std::vector<std::int64_t> longest = {0, 50};
  FairShare share;
  share.Activate(0, 999);
  Ladder ladder;
  for (std::int64_t now = 0; now < 20'000; ++now) {
    ladder.Add(0, now);
    if (now % 1'013 == 0) {
      ladder.Add(1, now);
      share.Activate(1, 1);
    }
    const std::vector<Job> heads = ladder.Heads();
    const Job head = heads[PickWeightedWithMaxWait(heads, share, longest, now)->index];
    share.Serve(head.tier);
    ladder.Remove(head.tier);
    if (head.tier != 1) continue;
    share.Deactivate(1);
    ASSERT_LE(now - head.since_ms, 50);
  }
}

}  // namespace
}  // namespace rung

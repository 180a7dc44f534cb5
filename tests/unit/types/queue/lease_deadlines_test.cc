// The order of leases beside a std::set of their keys, and reading in order.

#include "rung/types/lease_deadlines.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "rung/base/rng.h"

namespace rung {
namespace {

std::vector<std::uint64_t> TokensFrom(LeaseDeadlines::Cursor cursor) {
  std::vector<std::uint64_t> tokens;
  for (; cursor.Valid(); cursor.Next()) tokens.push_back((*cursor)->token);
  return tokens;
}

TEST(LeaseDeadlinesTest, LeasesThatEndTogetherEndInTheOrderOfTheirTokens) {
  std::vector<Lease> leases(3);
  LeaseDeadlines deadlines;
  for (std::size_t i : {2u, 0u, 1u}) {
    leases[i].token = i + 1;
    leases[i].deadline_ms = 500;
    deadlines.Insert(&leases[i]);
  }
  EXPECT_EQ(TokensFrom(deadlines.First()), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(TokensFrom(deadlines.LowerBound({500, 2})), (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(deadlines.front(), &leases[0]);
  deadlines.Change(&leases[0], 501);
  EXPECT_EQ(deadlines.front(), &leases[1]);
  EXPECT_EQ(TokensFrom(deadlines.First()), (std::vector<std::uint64_t>{2, 3, 1}));
}

TEST(LeaseDeadlinesTest, RandomLeasesComeGoAndAreExtended) {
  Rng rng(1);
  LeaseDeadlines deadlines;
  std::vector<std::unique_ptr<Lease>> leases;
  std::set<LeaseDeadlines::Key> keys;
  std::uint64_t token = 0;
  const auto draw = [&] { return static_cast<std::int64_t>(rng.Below(50)); };
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t way = rng.Below(leases.size() < 200 ? 3 : 2);
    if (way == 2 || leases.empty()) {
      leases.push_back(std::make_unique<Lease>());
      leases.back()->token = ++token;
      leases.back()->deadline_ms = draw();
      deadlines.Insert(leases.back().get());
      keys.emplace(leases.back()->deadline_ms, token);
    } else {
      std::unique_ptr<Lease>& lease = leases[rng.Below(leases.size())];
      keys.erase({lease->deadline_ms, lease->token});
      if (way == 0) {
        deadlines.Erase(lease.get());
        std::swap(lease, leases.back());
        leases.pop_back();
      } else {
        deadlines.Change(lease.get(), draw());
        keys.emplace(lease->deadline_ms, lease->token);
      }
    }
    ASSERT_EQ(deadlines.size(), keys.size());
    ASSERT_EQ(deadlines.empty() ? 0 : deadlines.front()->token,
              keys.empty() ? 0 : keys.begin()->second);
    if (step % 100 != 0) continue;
    deadlines.CheckInvariants();
    const LeaseDeadlines::Key from{draw(), rng.Below(token + 1)};
    std::vector<std::uint64_t> expected;
    for (auto key = keys.lower_bound(from); key != keys.end(); ++key) {
      expected.push_back(key->second);
    }
    ASSERT_EQ(TokensFrom(deadlines.LowerBound(from)), expected);
  }
}

}  // namespace
}  // namespace rung

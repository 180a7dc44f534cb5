// Of which jobs a command speaks: those of a queue, of one of its tiers, of one of its groups.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/result.h"
#include "rung/commands/arg_reader.h"
#include "rung/types/queue.h"

namespace rung {

// The words of a request.
struct ScopeWords {
  std::optional<std::string_view> tier;
  std::optional<std::string_view> group;

  // Takes "TIER t" or "GROUP g" if that is what comes next.
  bool Take(ArgReader& args);
};

struct JobScope {
  // What no group is: for the name of one that is not known.
  static constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();

  std::optional<std::uint32_t> tier;
  std::optional<std::uint32_t> group;  // The empty name is that of jobs without a group.

  // Errors: QTIER.
  static Result<JobScope> Of(const Queue& queue, const ScopeWords& words);
  bool Holds(const Job& job) const {
    return (!tier || job.tier() == *tier) && (!group || job.group == *group);
  }
};

// The orders of the ready jobs of a scope by tier, top first. Cost: O(tiers), for a group with a
// name O(its tiers).
using ReadyOrder = std::pair<const QueueTier*, const OrderedItems<Job*, BySeq>*>;
std::vector<ReadyOrder> ReadyIn(const Queue& queue, const JobScope& scope);

}  // namespace rung

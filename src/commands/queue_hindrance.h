// Why a tier or a group gives nothing now, in words for Q.EXPLAIN and Q.STATS.
#pragma once

#include <cstdint>
#include <string>

#include "rung/types/queue.h"

namespace rung {

// "empty", "paused", "conc", "rate: free at 1700000000000", "groups" (each that has a ready job is
// closed); empty if it gives something.
std::string TierHindrance(const Queue& queue, const QueueTier& tier);

// "paused", "conc", "rate: free at 1700000000000", "exact: job 5 is leased", "exact: job 5 is to be
// tried again at 1700000000000"; empty if the group is open.
std::string GroupHindrance(const Queue& queue, const QueueGroup& group);

}  // namespace rung

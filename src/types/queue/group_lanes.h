// GroupLanes: a tier's ready jobs by group, and whose turn it is (fair_share.h). The tier's own
// order holds the same jobs by age; the lanes are there only where jobs have groups.
//
// Only the lanes of open groups take part: they alone have an entity in `share` that waits, and
// their first jobs stand in `heads`. So a closed group (paused, or at a limit) is not looked at,
// and the age of a tier is that of the oldest job that it may give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rung/types/ordered_items.h"
#include "rung/types/queue_job.h"
#include "types/queue/fair_share.h"

namespace rung {

struct QueueTier;

struct GroupLanes {
  bool by_turn = true;                           // Else by age.
  FairShare share;                               // By turn. Entities are the numbers of groups.
  std::vector<OrderedItems<Job*, BySeq>> ready;  // By number.
  OrderedItems<Job*, BySeq> heads;               // Of lanes of open groups.
  std::vector<std::uint32_t> stale;              // Groups whose turn is to be told.

  // Requires a ready job of an open group.
  Job* Next() const { return by_turn ? ready[*share.Pick()].front() : heads.front(); }
  // The job is given out, by its turn or not; before it leaves its lane.
  void Serve(const Job& job, bool by_cost) {
    if (by_turn && job.group < share.size()) share.Serve(job.group, by_cost ? job.cost() : 1);
  }
  std::size_t MemoryBytes() const {
    std::size_t bytes = share.MemoryBytes() + ready.capacity() * sizeof(ready[0]);
    for (const auto& lane : ready) bytes += lane.MemoryBytes();
    return bytes + heads.MemoryBytes();
  }
};

// The job that a tier gives next. Requires a ready one of an open group.
const Job* NextOf(const QueueTier& tier);
// The oldest of all that it may give, pauses and limits of the tier itself aside; null if there is
// none.
const Job* OldestOf(const QueueTier& tier);
// A group's ready jobs of the tier, in their order; null if it has none.
const OrderedItems<Job*, BySeq>* ReadyOf(const QueueTier& tier, std::uint32_t group);

}  // namespace rung

// GroupLanes: a tier's ready jobs by group, and whose turn it is (fair_share.h). The tier's own
// order holds the same jobs by age; the lanes are there only where jobs have groups.
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
  FairShare share;                               // Entities are the numbers of groups.
  std::vector<OrderedItems<Job*, BySeq>> ready;  // By number.

  // Requires a ready job in the tier.
  Job* Next() const { return ready[*share.Pick()].front(); }
  std::size_t MemoryBytes() const {
    std::size_t bytes = share.MemoryBytes() + ready.capacity() * sizeof(ready[0]);
    for (const auto& lane : ready) bytes += lane.MemoryBytes();
    return bytes;
  }
};

// The job that a tier gives next. Requires a ready one.
const Job* NextOf(const QueueTier& tier);

}  // namespace rung

// QueueMeters: how much a queue, or a tier of a closed ladder, takes in and gives out, and how long
// jobs have waited. For Q.STATS only: not in the log, not in a copy, begun anew after a restart.
#pragma once

#include "types/queue/flow_meter.h"
#include "types/queue/wait_histogram.h"

namespace rung {

struct QueueMeters {
  FlowMeter in;
  FlowMeter out;
  WaitHistogram waits;
};

}  // namespace rung

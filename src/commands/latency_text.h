// LATENCY GRAPH and DOCTOR: the texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rung/config/options.h"
#include "rung/state/latency_monitor.h"

namespace rung {

// The samples as columns of characters, oldest first, with their age below.
std::string LatencyGraph(std::string_view event, const LatencyMonitor::Series& series,
                         std::int64_t now_seconds);

// What the monitor has seen, and what may help.
std::string LatencyReport(const LatencyMonitor& monitor, const Options& options);

}  // namespace rung

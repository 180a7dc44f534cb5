// Keeping latency spikes. See latency_monitor.h.

#include "rung/state/latency_monitor.h"

#include <algorithm>

namespace rung {

void LatencyMonitor::Add(std::string_view event, std::int64_t wall_seconds,
                         std::int64_t milliseconds) {
  auto found = series_.find(event);
  if (found == series_.end()) found = series_.emplace(event, Series{}).first;
  Series& series = found->second;
  series.worst_milliseconds = std::max(series.worst_milliseconds, milliseconds);
  if (!series.samples.empty() && series.samples.back().wall_seconds == wall_seconds) {
    Sample& last = series.samples.back();
    last.milliseconds = std::max(last.milliseconds, milliseconds);
    return;
  }
  series.samples.push_back({.wall_seconds = wall_seconds, .milliseconds = milliseconds});
  if (series.samples.size() > kSamples) series.samples.pop_front();
}

bool LatencyMonitor::Reset(std::string_view event) {
  const auto found = series_.find(event);
  if (found == series_.end()) return false;
  series_.erase(found);
  return true;
}

std::size_t LatencyMonitor::ResetAll() {
  const std::size_t count = series_.size();
  series_.clear();
  return count;
}

}  // namespace rung

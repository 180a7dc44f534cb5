// LatencyMonitor: spikes per kind of event (LATENCY HISTORY and its kin).
//
// For each event the last kSamples spikes at or above the threshold are kept, at most one per
// second: the worst of that second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace rung {

class LatencyMonitor {
 public:
  static constexpr std::size_t kSamples = 160;

  struct Sample {
    std::int64_t wall_seconds = 0;
    std::int64_t milliseconds = 0;
  };
  struct Series {
    std::deque<Sample> samples;  // Oldest first.
    std::int64_t worst_milliseconds = 0;
  };

  void Add(std::string_view event, std::int64_t wall_seconds, std::int64_t milliseconds);
  const std::map<std::string, Series, std::less<>>& series() const { return series_; }
  // Forgets one event (true if it was known).
  bool Reset(std::string_view event);
  std::size_t ResetAll();

 private:
  std::map<std::string, Series, std::less<>> series_;
};

}  // namespace rung

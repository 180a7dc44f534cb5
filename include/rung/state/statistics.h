// Statistics: counters for INFO. Plain numbers; nothing here decides anything.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rung/state/latency_histogram.h"
#include "rung/state/rate_meter.h"

namespace rung {

struct CommandStatistics {
  std::uint64_t calls = 0;
  std::uint64_t microseconds = 0;
  std::uint64_t rejected = 0;                   // Refused before it ran.
  std::uint64_t failed = 0;                     // Ran and answered an error.
  std::unique_ptr<LatencyHistogram> histogram;  // From the first call on, if latency-tracking.
};

struct Statistics {
  std::uint64_t commands_processed = 0;
  std::uint64_t connections_received = 0;
  std::uint64_t connections_rejected = 0;
  std::uint64_t error_replies = 0;
  std::uint64_t input_bytes = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t reads = 0;   // From sockets, of at least one byte.
  std::uint64_t writes = 0;  // To sockets, likewise.
  std::uint64_t query_buffer_disconnects = 0;
  std::uint64_t output_buffer_disconnects = 0;
  std::uint64_t auth_failures = 0;
  std::uint64_t evicted_scripts = 0;  // That only EVAL had brought.
  std::uint64_t peak_memory_bytes = 0;
  std::uint64_t startup_memory_bytes = 0;
  std::uint64_t garbage_freed_before = 0;  // The host's count at the last Reset().

  RateMeter command_rate;
  RateMeter input_rate;
  RateMeter output_rate;

  std::map<std::string, std::uint64_t, std::less<>> errors;  // By code word: INFO errorstats.
  std::vector<CommandStatistics> commands;                   // By command id.

  // Ten times a second.
  void SampleRates(MonoTime now) {
    command_rate.Sample(now, commands_processed);
    input_rate.Sample(now, input_bytes);
    output_rate.Sample(now, output_bytes);
  }

  // CONFIG RESETSTAT: all but the figures of memory. `garbage_freed`: the host's count, which goes
  // on.
  void Reset(std::uint64_t garbage_freed) {
    Statistics fresh;
    fresh.garbage_freed_before = garbage_freed;
    fresh.peak_memory_bytes = peak_memory_bytes;
    fresh.startup_memory_bytes = startup_memory_bytes;
    fresh.commands.resize(commands.size());
    *this = std::move(fresh);
  }

  // INFO errorstats must not grow with whatever a script makes up.
  static constexpr std::size_t kErrorCodesMax = 128;

  void CountError(std::string_view code) {
    ++error_replies;
    const auto found = errors.find(code);
    if (found != errors.end()) {
      ++found->second;
    } else if (errors.size() < kErrorCodesMax) {
      errors.emplace(code, 1);
    }
  }
};

}  // namespace rung

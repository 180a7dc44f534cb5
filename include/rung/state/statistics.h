// Statistics: counters for INFO. Plain numbers; nothing here decides anything.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rung {

struct CommandStatistics {
  std::uint64_t calls = 0;
  std::uint64_t microseconds = 0;
  std::uint64_t rejected = 0;  // Refused before it ran.
  std::uint64_t failed = 0;    // Ran and answered an error.
};

struct Statistics {
  std::uint64_t commands_processed = 0;
  std::uint64_t connections_received = 0;
  std::uint64_t connections_rejected = 0;
  std::uint64_t error_replies = 0;
  std::uint64_t input_bytes = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t query_buffer_disconnects = 0;
  std::uint64_t output_buffer_disconnects = 0;
  std::uint64_t auth_failures = 0;
  std::uint64_t peak_memory_bytes = 0;

  std::map<std::string, std::uint64_t, std::less<>> errors;  // By code word: INFO errorstats.
  std::vector<CommandStatistics> commands;                   // By command id.

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

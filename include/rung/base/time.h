// Now: the time of one event, read once at the edge and passed down.
#pragma once

#include <chrono>
#include <cstdint>

namespace rung {

// Milliseconds since the Unix epoch: the clock of expiry, leases and schedules.
using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;
// Nanoseconds on a clock that never jumps: the clock of time-outs and durations.
using MonoTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

struct Now {
  std::chrono::microseconds wall_us{0};  // Since the Unix epoch.
  MonoTime mono{};

  std::int64_t wall_ms() const { return wall_us.count() / 1000; }
};

// Where the engine reads the time. The daemon's clock is real; the tests' moves only by hand.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Now Read() = 0;
  // Cheap reading for the duration of one command, on the same scale as Now::mono.
  virtual MonoTime ReadMono() = 0;
  // Blocks the engine for `duration` (DEBUG SLEEP).
  virtual void Sleep(std::chrono::microseconds duration) = 0;
};

}  // namespace rung

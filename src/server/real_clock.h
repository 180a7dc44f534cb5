// RealClock: the daemon's clock. One reading costs about as much as reading the processor's
// counter.
//
// Why not the system's clock alone: each request reads the time twice or more, and two system
// readings are some 50 ns, 1 % of a small command. The counter is read instead and turned into
// nanoseconds; at most a millisecond later it is set right again by the system's clock, so that a
// step of the wall clock, or a counter that runs unevenly, shows for no longer than that. Where the
// processor does not promise a steady counter, every reading asks the system.
//
// Invariants: 1. mono never goes back. 2. mono is on the scale of CLOCK_MONOTONIC.
// Not thread-safe.
#pragma once

#include <cstdint>

#include "rung/base/time.h"

namespace rung {

class RealClock final : public Clock {
 public:
  RealClock();

  Now Read() override;
  MonoTime ReadMono() override;
  void Sleep(std::chrono::microseconds duration) override;

 private:
  // The counter against both clocks, at one moment.
  struct Anchor {
    std::uint64_t count = 0;
    std::int64_t mono_ns = 0;
    std::int64_t wall_ns = 0;
  };

  static Anchor TakeAnchor();
  // Nanoseconds since the anchor; sets a new one when it is too old, or before the rate is known.
  std::int64_t SinceAnchor();
  void Renew();

  bool steady_;   // The counter can be used at all.
  Anchor first_;  // Where the measurement of the rate began.
  Anchor anchor_;
  double ns_per_count_ = 0;         // 0: not known yet.
  std::uint64_t valid_counts_ = 0;  // How long an anchor serves.
  std::int64_t last_ns_ = 0;        // The latest time told.
};

}  // namespace rung

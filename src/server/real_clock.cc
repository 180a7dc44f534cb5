// Readings of the processor's counter, kept true by the system's clock. See real_clock.h.

#include "server/real_clock.h"

#include <algorithm>
#include <ctime>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace rung {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kAnchorNs = 1'000'000;
// Shorter measurements of the counter's rate are too coarse; longer ones follow its changes late.
constexpr std::int64_t kRateNsMin = 20'000'000;
constexpr std::int64_t kRateNsMax = 10 * kNsPerSecond;

std::int64_t SystemNs(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * kNsPerSecond + time.tv_nsec;
}

#if defined(__x86_64__)
std::uint64_t ReadCounter() { return __rdtsc(); }

// Whether the counter runs at one rate in all states of the processor.
bool CounterIsSteady() {
  constexpr unsigned kPowerLeaf = 0x80000007;
  constexpr unsigned kInvariantBit = 1u << 8;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(kPowerLeaf, &a, &b, &c, &d) != 0 && (d & kInvariantBit) != 0;
}
#else
std::uint64_t ReadCounter() { return 0; }
bool CounterIsSteady() { return false; }
#endif

}  // namespace

RealClock::RealClock()
    : steady_(CounterIsSteady()), first_(TakeAnchor()), anchor_(first_), last_ns_(first_.mono_ns) {}

RealClock::Anchor RealClock::TakeAnchor() {
  return {.count = ReadCounter(),
          .mono_ns = SystemNs(CLOCK_MONOTONIC),
          .wall_ns = SystemNs(CLOCK_REALTIME)};
}

void RealClock::Renew() {
  anchor_ = TakeAnchor();
  const std::int64_t elapsed = anchor_.mono_ns - first_.mono_ns;
  if (!steady_ || elapsed < kRateNsMin) return;
  if (anchor_.count <= first_.count || elapsed > kRateNsMax) {
    // The rate measured so far serves until a fresh measurement is long enough.
    first_ = anchor_;
    return;
  }
  ns_per_count_ = static_cast<double>(elapsed) / static_cast<double>(anchor_.count - first_.count);
  valid_counts_ = static_cast<std::uint64_t>(static_cast<double>(kAnchorNs) / ns_per_count_);
}

std::int64_t RealClock::SinceAnchor() {
  const std::uint64_t counts = ReadCounter() - anchor_.count;
  // A counter that went back makes a huge difference here, and is set right like an old anchor.
  if (counts >= valid_counts_) {
    Renew();
    return 0;
  }
  return static_cast<std::int64_t>(static_cast<double>(counts) * ns_per_count_);
}

MonoTime RealClock::ReadMono() {
  const std::int64_t since = SinceAnchor();
  last_ns_ = std::max(last_ns_, anchor_.mono_ns + since);
  return MonoTime(std::chrono::nanoseconds(last_ns_));
}

Now RealClock::Read() {
  const std::int64_t since = SinceAnchor();
  last_ns_ = std::max(last_ns_, anchor_.mono_ns + since);
  return {.wall_us = std::chrono::microseconds((anchor_.wall_ns + since) / 1000),
          .mono = MonoTime(std::chrono::nanoseconds(last_ns_))};
}

void RealClock::Sleep(std::chrono::microseconds duration) {
  const std::int64_t ns = std::chrono::nanoseconds(duration).count();
  timespec left{.tv_sec = ns / kNsPerSecond, .tv_nsec = ns % kNsPerSecond};
  while (nanosleep(&left, &left) != 0) {
  }
}

}  // namespace rung

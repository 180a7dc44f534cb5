// FairClock and FairFlow: sharing takes by weight, the arithmetic of it.
//
// The eligible one with the earliest virtual deadline goes first (the family of WF2Q+ and EEVDF).
// A flow (a tier, or a group inside a tier) of weight w has a start S, the queue a clock V:
//   waiting again:  S = max(S, V)                  idling earns nothing, and clears no debt
//   pick:           among the flows with S <= V, the smallest finish S + cost / w
//   charge:         S += cost / w, V += cost / W   W: the weights of all who wait, or idle with S >
//   V
// A flow that idles counts in W until the clock has passed its S, be that inside a charge: then V
// is where an ideal server would be that works on all flows at once, and that ideal schedule proves
// that no deadline is missed. (Were W only that of those who wait, each flow that leaves early
// would take its debt along, and others would wait longer than they are promised.) When nobody
// waits any more, all start afresh.
//
// So, with unit costs: service k of a flow that keeps waiting is one of the takes ceil(k W / w) ...
// ceil((k + 1) W / w) - 1: exactly w in each aligned run of W takes, never a whole take off the
// share. A flow that comes back owing nothing is served within ceil(W / w) takes, W counting all
// flows; two services are less than 2 W / w takes apart. A change of weight keeps what is owed, in
// work.
//
// This is the arithmetic alone; fair_share.h keeps the flows and finds whose turn it is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "types/queue/share_time.h"

namespace rung {

// What the holder of one share knows about it.
class FairFlow {
 public:
  explicit FairFlow(std::uint32_t weight = 1) : start_(weight), finish_(weight) { Settle(); }

  std::uint32_t weight() const { return start_.divisor(); }
  // What the job at the head costs.
  std::uint32_t cost() const { return cost_; }
  const ShareTime& start() const { return start_; }
  // The start, and the cost of the head over the weight.
  const ShareTime& finish() const { return finish_; }

  void SetCost(std::uint32_t cost) {
    cost_ = cost;
    Settle();
  }
  // It waits again: not earlier than `clock`.
  void StartAt(const ShareTime& clock) {
    if (start_ >= clock) return;
    start_ = clock.WithDivisor(weight(), ShareTime::Rounding::kDown);
    Settle();
  }
  void Charge(std::uint64_t cost) {
    start_.Advance(cost);
    Settle();
  }
  // Requires weight > 0. What it is ahead of the clock or, if it `waits`, behind it, is kept.
  void SetWeight(std::uint32_t weight, const ShareTime& clock, bool waits) {
    constexpr auto kDown = ShareTime::Rounding::kDown;
    const bool owed = waits || start_ > clock;
    start_ = owed ? start_.Stretched(clock, weight, kDown) : start_.WithDivisor(weight, kDown);
    Settle();
  }

 private:
  void Settle() { finish_ = start_.After(cost_); }

  ShareTime start_;
  ShareTime finish_;
  std::uint32_t cost_ = 1;
};

// The clock of those who share, with the weights of those who count.
class FairClock {
 public:
  // Where it begins. Not at the beginning of time: a lower weight stretches what a flow is owed, to
  // before the first take.
  static constexpr std::uint64_t kFirstUnits = std::uint64_t{1} << 30;

  const ShareTime& now() const { return now_; }
  std::uint64_t weight() const { return weight_; }

  void Add(std::uint32_t weight) {
    weight_ += weight;
    now_ = now_.WithDivisor(Divisor(), ShareTime::Rounding::kUp);
  }
  void Remove(std::uint32_t weight) {
    weight_ -= weight;
    now_ = now_.WithDivisor(Divisor(), ShareTime::Rounding::kUp);
  }
  // `least`: the smallest start of those who wait.
  void CatchUp(const ShareTime& least) {
    if (now_ < least) now_ = least.WithDivisor(Divisor(), ShareTime::Rounding::kUp);
  }
  void Advance(std::uint64_t cost) { now_.Advance(cost); }
  // The last advance has passed `start`, from where on `weight` does not count any more: the part
  // of the way beyond it is that much longer.
  void Pass(const ShareTime& start, std::uint32_t weight) {
    weight_ -= weight;
    constexpr auto kUp = ShareTime::Rounding::kUp;
    now_ = weight_ > 0 ? now_.Stretched(start, Divisor(), kUp) : now_.WithDivisor(1, kUp);
  }

 private:
  // Beyond 2^32 the clock runs a little fast.
  std::uint32_t Divisor() const {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(weight_, 1, kMost));
  }

  // Rounded up throughout: who was eligible stays so.
  ShareTime now_ = ShareTime::FromParts({.units = kFirstUnits});
  std::uint64_t weight_ = 0;
};

}  // namespace rung

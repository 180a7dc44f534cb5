// See rate_meter.h.

#include "rung/state/rate_meter.h"

#include <algorithm>
#include <chrono>

namespace rung {

void RateMeter::Sample(MonoTime now, std::uint64_t total) {
  if (count_ > 0 && total < Newest().total) count_ = 0;
  points_[next_] = {.at = now, .total = total};
  next_ = (next_ + 1) % kSamples;
  count_ = std::min(count_ + 1, kSamples);
}

double RateMeter::PerSecond() const {
  if (count_ < 2) return 0;
  const Point& oldest = points_[(next_ + kSamples - count_) % kSamples];
  const std::chrono::duration<double> span = Newest().at - oldest.at;
  if (span.count() <= 0) return 0;
  return static_cast<double>(Newest().total - oldest.total) / span.count();
}

}  // namespace rung

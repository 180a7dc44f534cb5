// TierRights: the tiers of queues that a user may add jobs at, and raise or boost them to.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace rung {

// All of them unless told otherwise; none if `first` is greater than `last`.
struct TierRights {
  std::uint32_t first = 0;
  std::uint32_t last = std::numeric_limits<std::uint32_t>::max();

  bool Allow(std::uint32_t tier) const { return first <= tier && tier <= last; }
  // "1-2", "3", "none".
  std::string Print() const {
    if (first > last) return "none";
    if (first == last) return std::to_string(first);
    return std::to_string(first) + "-" + std::to_string(last);
  }
};

}  // namespace rung

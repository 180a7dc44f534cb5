// QueueNotices: what follows from an effect on a queue beside what it says: jobs that became more
// or less urgent because of others, scopes that filled up or emptied beyond their marks. For
// telling listeners; the queue's state is the same whether anybody asks or not.
#pragma once

#include <cstdint>
#include <vector>

namespace rung {

// What limits of length and bytes hold for.
struct LoadScope {
  enum class Kind : std::uint8_t { kQueue, kTier, kGroup };
  Kind kind = Kind::kQueue;
  std::uint32_t number = 0;  // Of the tier or the group.
  auto operator<=>(const LoadScope&) const = default;
};

struct QueueNotices {
  struct Lift {
    std::uint64_t id = 0;
    bool up = false;
  };
  struct Crossing {
    LoadScope scope;
    bool full = false;  // At or above the upper mark; else at or below the lower one.
  };
  std::vector<Lift> lifts;  // By id.
  std::vector<Crossing> crossings;
};

}  // namespace rung

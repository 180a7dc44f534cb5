// Room for jobs: the limits LEN and BYTES of a queue, its tiers and groups, and whom an add pushes
// out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rung/types/queue.h"

namespace rung {

// What an add wants to bring in, all or nothing.
struct RoomRequest {
  std::uint32_t tier = 0;
  std::string_view group{};
  std::uint64_t jobs = 1;
  std::uint64_t bytes = 0;
};

// The jobs that must die so that there is room, and of what.
struct Victim {
  std::uint64_t id = 0;
  DeathReason reason = DeathReason::kNone;
};

struct RoomPlan {
  std::optional<std::string> refusal;  // "QFULL ...": there is no room and none can be made.
  LoadScope full{};                    // The scope without room ...
  bool may_wait = false;               // ... is one where producers wait.
  std::vector<Victim> victims;
};

// Producers that wait for room in the same scope stand in one line, which has this number.
std::uint64_t LineOf(LoadScope scope);
// The lines that concern an add: of its group, its tier and the queue.
std::vector<std::uint64_t> LinesOf(const Queue& queue, const RoomRequest& request);

// Changes nothing. Cost: O(1), and O(log n) for each victim.
RoomPlan PlanRoom(const Queue& queue, const RoomRequest& request, std::int64_t now_ms);

}  // namespace rung

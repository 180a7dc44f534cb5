// QueuePreview: what would be taken next, if nothing else happened and no time passed.
//
// It is not a second opinion: it asks the queue's own chooser, a copy of it, about the heads that
// would then be there. So "EXPLAIN NEXT n = the next n takes" holds by construction.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "rung/types/queue.h"

namespace rung {

class QueuePreview {
 public:
  // `queue` must not change while this lives. Cost: O(tiers + groups with jobs).
  QueuePreview(const Queue& queue, std::int64_t now_ms);
  ~QueuePreview();

  // The next one, and why; nothing when no job could be taken any more. Cost: O(tiers + log
  // groups), and the tiers of a group that reaches a limit.
  std::optional<QueuePick> Next();

 private:
  struct Lane;  // A tier with jobs left.

  // A group that reaches a limit gives nothing more, in no tier: true if that is so.
  bool CountForGroup(std::uint32_t group);
  // The tier's turn is over, or its next job is another one.
  void Refresh(Lane& lane);

  const Queue& queue_;
  std::int64_t now_ms_;
  std::uint64_t room_ = 0;
  std::unique_ptr<TierChooser> chooser_;
  std::vector<std::unique_ptr<Lane>> lanes_;            // Top first.
  std::map<std::uint32_t, std::uint64_t> group_rooms_;  // Takes left to those served so far.
};

}  // namespace rung

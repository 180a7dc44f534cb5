// QueuePreview: what would be taken next, if nothing else happened and no time passed.
//
// It is not a second opinion: it asks the queue's own chooser, a copy of it, about the heads that
// would then be there. So "EXPLAIN NEXT n = the next n takes" holds by construction.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "rung/types/queue.h"

namespace rung {

class QueuePreview {
 public:
  // `queue` must not change while this lives. Cost: O(tiers + groups with jobs).
  QueuePreview(const Queue& queue, std::int64_t now_ms);
  ~QueuePreview();

  // The next one, and why; nothing when no job could be taken any more. Cost: O(tiers).
  std::optional<QueuePick> Next();

 private:
  struct Groups;
  // A tier with jobs left.
  struct Lane {
    Lane(const QueueTier& of, std::uint64_t takes);
    ~Lane();
    Lane(Lane&& other) noexcept;
    Lane& operator=(Lane&& other) noexcept;
    const Job* Next() const;
    void Take(bool by_cost);

    std::uint32_t tier;
    std::uint64_t room;                        // So many more takes are allowed.
    OrderedItems<Job*, BySeq>::Cursor cursor;  // The oldest that is left.
    std::unique_ptr<Groups> groups;            // Where jobs have groups.
    std::set<const Job*> taken;                // Behind the cursor, with groups.
  };

  std::int64_t now_ms_;
  bool by_cost_;
  std::uint64_t room_ = 0;
  std::unique_ptr<TierChooser> chooser_;
  std::vector<Lane> lanes_;  // Top first.
};

}  // namespace rung

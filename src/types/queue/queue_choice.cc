// Which job is next: the tier by the mode, then the first of its jobs. See queue.h; looking ahead:
// queue_preview.cc.

#include <algorithm>
#include <array>

#include "rung/base/check.h"
#include "rung/types/queue.h"
#include "types/queue/group_lanes.h"
#include "types/queue/tier_chooser.h"

namespace rung {
namespace {

TierHead HeadOf(std::uint32_t tier, const Job& job) {
  return {.tier = tier, .since_ms = job.since_ms, .seq = job.seq};
}

}  // namespace

bool Queue::IsOpen() const {
  const std::uint32_t leases_max = settings_.limits.leases;
  const bool full = leases_max != 0 && count(JobState::kLeased) >= leases_max;
  return !full && pause_.out_until_ms == 0 && rate_.free_at_ms == 0;
}

WaitOutlook Queue::OutlookFor(WaitTopic topic, std::uint64_t id) const {
  switch (topic) {
    case WaitTopic::kJob:
      return IsOpen() && !active_.empty() ? WaitOutlook::kTryEach : WaitOutlook::kNone;
    case WaitTopic::kValue:
      return WaitOutlook::kNone;  // No command waits for a queue's value as such.
    case WaitTopic::kResult:
      return IsFinished(id) ? WaitOutlook::kTry : WaitOutlook::kSkip;
    case WaitTopic::kRoom:
      return WaitOutlook::kTryEach;
  }
  RUNG_CHECK(false, "unknown topic of a wait");
}

std::optional<QueuePick> Queue::PickNext(TierRange range, std::int64_t now_ms) const {
  if (!IsOpen()) return std::nullopt;
  auto first = active_.begin();
  while (first != active_.end() && (*first)->number < range.first) ++first;
  // A closed ladder fits; of an open one, whose tiers are many, only aging looks at more than one.
  std::array<TierHead, kClosedTiersMax> few;
  std::vector<TierHead> many;
  std::size_t count = 0;
  for (auto each = first; each != active_.end() && (*each)->number <= range.last; ++each) {
    const TierHead head = HeadOf((*each)->number, *OldestOf(**each));
    if (count < few.size()) {
      few[count] = head;
    } else {
      if (many.empty()) many.assign(few.begin(), few.end());
      many.push_back(head);
    }
    ++count;
    // One more tells the reason: strict order among several, or the only one.
    if (chooser_->takes_first() && count == 2) break;
  }
  const Heads heads = many.empty() ? Heads(few.data(), count) : Heads(many);
  const std::optional<TierPick> pick = chooser_->Pick(heads, now_ms);
  if (!pick) return std::nullopt;
  const QueueTier& tier = **(first + static_cast<std::ptrdiff_t>(pick->index));
  return QueuePick{.job = NextOf(tier), .reason = ReasonCode(pick->reason)};
}

}  // namespace rung

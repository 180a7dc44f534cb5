// Which job is next: the tier by the mode, then the first of its jobs; now, and looking ahead. See
// queue.h and queue_preview.h.

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "rung/base/check.h"
#include "rung/types/queue.h"
#include "rung/types/queue_preview.h"
#include "types/queue/group_lanes.h"
#include "types/queue/tier_chooser.h"

namespace rung {
namespace {

TierHead HeadOf(std::uint32_t tier, const Job& job) {
  return {.tier = tier, .since_ms = job.since_ms, .seq = job.seq};
}

// How many more takes the limits of a scope allow now.
std::uint64_t RoomOf(std::uint32_t leases_max, std::uint64_t leased, const RateGate& rate,
                     std::int64_t now_ms) {
  std::uint64_t room = std::numeric_limits<std::uint64_t>::max();
  if (leases_max != 0) room = leases_max - leased;
  if (rate.limit.count() == 0) return room;
  return std::min(room, static_cast<std::uint64_t>(rate.limit.Room(now_ms)));
}

}  // namespace

bool Queue::IsOpen() const {
  const std::uint32_t leases_max = settings_.limits.leases;
  const bool full = leases_max != 0 && count(JobState::kLeased) >= leases_max;
  return !full && pause_.out_until_ms == 0 && rate_.free_at_ms == 0;
}

WaitOutlook Queue::OutlookFor(WaitTopic topic, std::uint64_t id) const {
  switch (topic) {
    case WaitTopic::kValue:
      return IsOpen() && !active_.empty() ? WaitOutlook::kTryEach : WaitOutlook::kNone;
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
    const TierHead head = HeadOf((*each)->number, *(*each)->ready.front());
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

// What is left of one group in the preview.
struct QueuePreview::Groups {
  FairShare share;
  std::map<std::uint32_t, OrderedItems<Job*, BySeq>::Cursor> cursors;
};

QueuePreview::Lane::Lane(const QueueTier& of, std::uint64_t takes)
    : tier(of.number), room(takes), cursor(of.ready.First()) {
  if (of.lanes == nullptr) return;
  groups = std::make_unique<Groups>();
  groups->share = of.lanes->share;
  for (std::uint32_t group = 0; group < of.lanes->ready.size(); ++group) {
    const auto first = of.lanes->ready[group].First();
    if (first.Valid()) groups->cursors.emplace(group, first);
  }
}

QueuePreview::Lane::~Lane() = default;
QueuePreview::Lane::Lane(Lane&&) noexcept = default;
QueuePreview::Lane& QueuePreview::Lane::operator=(Lane&&) noexcept = default;

const Job* QueuePreview::Lane::Next() const {
  return groups == nullptr ? *cursor : *groups->cursors.at(*groups->share.Pick());
}

void QueuePreview::Lane::Take(bool by_cost) {
  if (groups == nullptr) {
    cursor.Next();
    return;
  }
  const std::uint32_t group = *groups->share.Pick();
  auto& of_group = groups->cursors.at(group);
  taken.insert(*of_group);
  groups->share.Serve(group, by_cost ? (*of_group)->cost : 1);
  of_group.Next();
  if (!of_group.Valid()) {
    groups->share.Deactivate(group);
  } else if (by_cost) {
    groups->share.SetCost(group, (*of_group)->cost);
  }
  while (cursor.Valid() && taken.count(*cursor) != 0) cursor.Next();
}

QueuePreview::QueuePreview(const Queue& queue, std::int64_t now_ms)
    : now_ms_(now_ms),
      by_cost_(queue.settings().charge_cost),
      chooser_(std::make_unique<TierChooser>(queue.chooser())) {
  if (!queue.IsOpen()) return;
  room_ =
      RoomOf(queue.settings().limits.leases, queue.count(JobState::kLeased), queue.rate(), now_ms);
  for (const QueueTier* tier : queue.active_tiers()) {
    lanes_.emplace_back(
        *tier, RoomOf(tier->leases_max, tier->count(JobState::kLeased), tier->rate, now_ms));
  }
}

QueuePreview::~QueuePreview() = default;

std::optional<QueuePick> QueuePreview::Next() {
  if (room_ == 0) return std::nullopt;
  std::vector<TierHead> heads;
  for (const Lane& lane : lanes_) {
    heads.push_back(HeadOf(lane.tier, **lane.cursor));
    if (chooser_->takes_first() && heads.size() == 2) break;
  }
  const std::optional<TierPick> pick = chooser_->Pick(heads, now_ms_);
  if (!pick) return std::nullopt;
  Lane& lane = lanes_[pick->index];
  const QueuePick next{.job = lane.Next(), .reason = ReasonCode(pick->reason)};
  chooser_->Serve(lane.tier, next.job->cost);
  lane.Take(by_cost_);
  --room_;
  if (--lane.room > 0 && lane.cursor.Valid()) {
    chooser_->SetCost(lane.tier, lane.Next()->cost);
  } else {
    chooser_->Deactivate(lane.tier);
    lanes_.erase(lanes_.begin() + static_cast<std::ptrdiff_t>(pick->index));
  }
  return next;
}

}  // namespace rung

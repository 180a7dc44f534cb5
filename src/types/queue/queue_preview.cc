// Looking ahead. What a take does to turns and limits is done here to copies of them, in the same
// order. See queue_preview.h.

#include "rung/types/queue_preview.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "types/queue/group_lanes.h"
#include "types/queue/tier_chooser.h"

namespace rung {
namespace {

using Cursor = OrderedItems<Job*, BySeq>::Cursor;

// How many more takes the limits of a scope allow now.
std::uint64_t RoomOf(std::uint32_t leases_max, std::uint64_t leased, const RateGate& rate,
                     std::int64_t now_ms) {
  std::uint64_t room = std::numeric_limits<std::uint64_t>::max();
  if (leases_max != 0) room = leases_max - leased;
  if (rate.limit.count() == 0) return room;
  return std::min(room, static_cast<std::uint64_t>(rate.limit.Room(now_ms)));
}

// The lanes of a tier, in part: only groups that were served are looked at.
class Turns {
 public:
  explicit Turns(const GroupLanes& lanes)
      : lanes_(lanes), share_(lanes.share), oldest_(lanes.heads.First()) {}

  // The oldest one that may be taken; null if there is none.
  const Job* Oldest() const {
    const Job* job = oldest_.Valid() ? *oldest_ : nullptr;
    if (heads_.empty()) return job;
    const Job* moved = heads_.begin()->second;
    return job == nullptr || heads_.begin()->first < BySeq::KeyOf(job) ? moved : job;
  }
  // Requires Oldest().
  const Job* Next() const { return lanes_.by_turn ? HeadOf(*share_.Pick()) : Oldest(); }

  void Take(const Job& job, bool by_cost) {
    if (lanes_.by_turn) share_.Serve(job.group, by_cost ? job.cost() : 1);
    const auto known = touched_.find(job.group);
    Cursor next = known == touched_.end() ? lanes_.ready[job.group].First() : known->second;
    next.Next();
    Drop(job.group);
    touched_.insert_or_assign(job.group, next);
    if (!next.Valid()) {
      if (lanes_.by_turn) share_.Deactivate(job.group);
    } else {
      heads_.emplace(BySeq::KeyOf(*next), *next);
      if (lanes_.by_turn && by_cost) share_.SetCost(job.group, (*next)->cost());
    }
    SkipTouched();
  }

  // The group, which was served before here or elsewhere, gives nothing more.
  void Close(std::uint32_t group) {
    if (group >= lanes_.ready.size() || lanes_.ready[group].empty()) return;
    Drop(group);
    // What is left of it is not looked at again.
    touched_.insert_or_assign(group, lanes_.ready[group].First());
    if (lanes_.by_turn) share_.Deactivate(group);
    SkipTouched();
  }

 private:
  const Job* HeadOf(std::uint32_t group) const {
    const auto known = touched_.find(group);
    return known == touched_.end() ? lanes_.ready[group].front() : *known->second;
  }
  void Drop(std::uint32_t group) {
    const auto known = touched_.find(group);
    if (known != touched_.end() && known->second.Valid()) {
      heads_.erase(BySeq::KeyOf(*known->second));
    }
  }
  void SkipTouched() {
    while (oldest_.Valid() && touched_.count((*oldest_)->group) != 0) oldest_.Next();
  }

  const GroupLanes& lanes_;
  FairShare share_;
  Cursor oldest_;                                               // Of groups that were not served.
  std::map<std::uint32_t, Cursor> touched_;                     // Where the others stand.
  std::map<OrderedItems<Job*, BySeq>::Key, const Job*> heads_;  // Their first jobs.
};

}  // namespace

struct QueuePreview::Lane {
  Lane(const QueueTier& tier, std::uint64_t takes)
      : number(tier.number), room(takes), cursor(tier.ready.First()) {
    if (tier.lanes != nullptr) turns.emplace(*tier.lanes);
  }

  const Job* Oldest() const { return turns ? turns->Oldest() : cursor.Valid() ? *cursor : nullptr; }
  const Job* Next() const { return turns ? turns->Next() : *cursor; }
  void Take(const Job& job, bool by_cost) { turns ? turns->Take(job, by_cost) : cursor.Next(); }
  bool GivesMore() const { return room > 0 && Oldest() != nullptr; }

  std::uint32_t number;
  std::uint64_t room;  // So many more takes are allowed.
  bool active = true;
  Cursor cursor;
  std::optional<Turns> turns;  // Where jobs have groups.
};

QueuePreview::QueuePreview(const Queue& queue, std::int64_t now_ms)
    : queue_(queue), now_ms_(now_ms), chooser_(std::make_unique<TierChooser>(queue.chooser())) {
  if (!queue.IsOpen()) return;
  room_ =
      RoomOf(queue.settings().limits.leases, queue.count(JobState::kLeased), queue.rate(), now_ms);
  for (const QueueTier* tier : queue.active_tiers()) {
    lanes_.push_back(std::make_unique<Lane>(
        *tier, RoomOf(tier->leases_max, tier->count(JobState::kLeased), tier->rate, now_ms)));
  }
}

QueuePreview::~QueuePreview() = default;

void QueuePreview::Refresh(Lane& lane) {
  if (lane.active && !lane.GivesMore()) chooser_->Deactivate(lane.number);
  lane.active = lane.active && lane.GivesMore();
  if (lane.active) chooser_->SetCost(lane.number, lane.Next()->cost());
}

bool QueuePreview::CountForGroup(std::uint32_t number) {
  if (number == 0) return false;
  const QueueGroup& group = queue_.groups()[number];
  const bool one_at_a_time = queue_.settings().group_order == GroupOrder::kExact;
  const auto [room, first] = group_rooms_.try_emplace(number, 1);
  if (first && !one_at_a_time) {
    room->second = RoomOf(group.leases_max, group.count(JobState::kLeased), group.rate, now_ms_);
  }
  if (room->second > 1) {
    --room->second;
    return false;
  }
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    if (lane->turns) lane->turns->Close(number);
  }
  return true;
}

std::optional<QueuePick> QueuePreview::Next() {
  if (room_ == 0) return std::nullopt;
  std::vector<TierHead> heads;
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    const Job& oldest = *lane->Oldest();
    heads.push_back({.tier = lane->number, .since_ms = oldest.since_ms, .seq = oldest.seq});
    if (chooser_->takes_first() && heads.size() == 2) break;
  }
  const std::optional<TierPick> pick = chooser_->Pick(heads, now_ms_);
  if (!pick) return std::nullopt;
  Lane& lane = *lanes_[pick->index];
  const Job& job = *lane.Next();
  const bool by_cost = queue_.settings().charge_cost;
  chooser_->Serve(lane.number, job.cost());
  lane.Take(job, by_cost);
  --lane.room;
  --room_;
  const bool closed = CountForGroup(job.group);
  Refresh(lane);
  if (closed) {
    for (const std::unique_ptr<Lane>& each : lanes_) Refresh(*each);
  }
  std::erase_if(lanes_, [](const std::unique_ptr<Lane>& each) { return !each->active; });
  return QueuePick{.job = &job, .reason = ReasonCode(pick->reason)};
}

}  // namespace rung

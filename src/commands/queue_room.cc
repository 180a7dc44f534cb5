// Who is admitted to a queue. See queue_room.h.

#include "commands/queue_room.h"

#include <set>
#include <utility>

#include "types/queue/group_lanes.h"

namespace rung {
namespace {

// One scope's use of its limits, with the request counted in.
struct Use {
  ScopeLimits limits;
  std::uint64_t length = 0;
  std::uint64_t bytes = 0;

  bool Fits() const {
    return (limits.length == 0 || length <= limits.length) &&
           (limits.bytes == 0 || bytes <= limits.bytes);
  }
  void Lose(const Job& job) {
    --length;
    bytes -= job.text_bytes();
  }
};

class Planner {
 public:
  Planner(const Queue& queue, const RoomRequest& request)
      : queue_(queue),
        request_(request),
        tier_(queue.FindTier(request.tier)),
        group_(queue.groups().Find(request.group)),
        whole_(With(queue.settings().limits, queue.waiting(), queue.waiting_bytes())),
        own_(With(queue.settings().LimitsOf(request.tier), tier_ == nullptr ? 0 : tier_->waiting(),
                  tier_ == nullptr ? 0 : tier_->waiting_bytes)),
        of_group_(With(queue.settings().LimitsOfGroup(request.group),
                       group_ ? queue.groups()[*group_].waiting() : 0,
                       group_ ? queue.groups()[*group_].waiting_bytes : 0)) {}

  // From the smallest scope to the largest: what one loses the next loses too.
  RoomPlan Plan(std::int64_t now_ms) {
    const Ready* in_group = nullptr;
    if (group_ && tier_ != nullptr) in_group = ReadyOf(*tier_, *group_);
    if (of_group_.limits.full == FullPolicy::kOldest) PushOutOldest(of_group_, in_group);
    if (!of_group_.Fits()) {
      return Refuse("group=" + std::string(request_.group.substr(0, 64)), of_group_,
                    WaitOf(in_group, now_ms));
    }
    const Ready* const in_tier = tier_ == nullptr ? nullptr : &tier_->ready;
    if (own_.limits.full == FullPolicy::kOldest) PushOutOldest(own_, in_tier);
    if (!own_.Fits()) {
      return Refuse("tier=" + queue_.settings().TierName(request_.tier), own_,
                    WaitOf(in_tier, now_ms));
    }
    if (whole_.limits.full == FullPolicy::kOldest) PushOutOldest(whole_, in_tier);
    if (whole_.limits.full == FullPolicy::kShed && !whole_.Fits()) Shed();
    if (!whole_.Fits()) return Refuse("queue", whole_, WaitOf(in_tier, now_ms));
    return std::move(plan_);
  }

 private:
  using Ready = OrderedItems<Job*, BySeq>;

  Use With(const ScopeLimits& limits, std::uint64_t waiting, std::uint64_t bytes) const {
    return {.limits = limits, .length = waiting + request_.jobs, .bytes = bytes + request_.bytes};
  }

  void Lose(const Job& job, DeathReason reason) {
    if (!lost_.insert(job.id).second) return;
    plan_.victims.push_back({.id = job.id, .reason = reason});
    whole_.Lose(job);
    if (job.tier() == request_.tier) own_.Lose(job);
    if (group_ && job.group == *group_) of_group_.Lose(job);
  }

  void PushOutOldest(const Use& use, const Ready* jobs) {
    if (jobs == nullptr || use.Fits()) return;
    for (auto cursor = jobs->First(); !use.Fits() && cursor.Valid(); cursor.Next()) {
      Lose(**cursor, DeathReason::kOverflow);
    }
  }

  // From the least urgent end; never a job as urgent as the new one.
  void Shed() {
    const auto& tiers = queue_.tiers();
    for (auto tier = tiers.rbegin(); tier != tiers.rend(); ++tier) {
      if ((*tier)->number <= request_.tier) return;
      for (auto cursor = (*tier)->ready.Last(); cursor.Valid(); cursor.Previous()) {
        if (whole_.Fits()) return;
        Lose(**cursor, DeathReason::kShed);
      }
    }
  }

  // " oldest=5": how long the first of them has waited.
  static std::string WaitOf(const Ready* jobs, std::int64_t now_ms) {
    if (jobs == nullptr || jobs->empty()) return {};
    return " oldest=" + std::to_string(now_ms - jobs->front()->since_ms);
  }

  RoomPlan Refuse(const std::string& scope, const Use& use, const std::string& oldest) const {
    LoadScope full;
    if (&use == &own_) full = {LoadScope::Kind::kTier, request_.tier};
    if (&use == &of_group_) full = {LoadScope::Kind::kGroup, group_.value_or(0)};
    const ScopeLimits& limits = use.limits;
    std::string text = "QFULL " + scope;
    if (limits.length != 0) {
      text += " len=" + std::to_string(use.length - request_.jobs) + "/" +
              std::to_string(limits.length);
    }
    if (limits.bytes != 0) {
      text += " bytes=" + std::to_string(use.bytes - request_.bytes) + "/" +
              std::to_string(limits.bytes);
    }
    text += oldest;
    // What never fits does not wait.
    const Use alone{.limits = limits, .length = request_.jobs, .bytes = request_.bytes};
    return {.refusal = text,
            .full = full,
            .may_wait = limits.full == FullPolicy::kBlock && alone.Fits(),
            .victims = {}};
  }

  const Queue& queue_;
  const RoomRequest& request_;
  const QueueTier* tier_;
  std::optional<std::uint32_t> group_;  // Its number, if it is known.
  Use whole_;
  Use own_;
  Use of_group_;
  RoomPlan plan_;
  std::set<std::uint64_t> lost_;  // The ids of the plan's victims.
};

}  // namespace

std::uint64_t LineOf(LoadScope scope) {
  return std::uint64_t{static_cast<std::uint8_t>(scope.kind)} << 32 | scope.number;
}

std::vector<std::uint64_t> LinesOf(const Queue& queue, const RoomRequest& request) {
  std::vector<std::uint64_t> lines = {LineOf({}), LineOf({LoadScope::Kind::kTier, request.tier})};
  const auto group = queue.groups().Find(request.group);
  if (group.value_or(0) != 0) lines.push_back(LineOf({LoadScope::Kind::kGroup, *group}));
  return lines;
}

RoomPlan PlanRoom(const Queue& queue, const RoomRequest& request, std::int64_t now_ms) {
  const QueueSettings& settings = queue.settings();
  const auto limits = [](const ScopeLimits& scope) {
    return scope.length != 0 || scope.bytes != 0;
  };
  // Most queues have no limits: nothing to plan.
  const bool of_group = !request.group.empty() && settings.BoundsGroups();
  if (!limits(settings.limits) && settings.tier_limits.empty() && !of_group) return {};
  return Planner(queue, request).Plan(now_ms);
}

}  // namespace rung

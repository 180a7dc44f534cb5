// Who is admitted to a queue. See queue_room.h.

#include "commands/queue_room.h"

#include <algorithm>

namespace rung {
namespace {

// One scope's use of its limits, with the request counted in.
struct Use {
  const ScopeLimits* limits;
  std::uint64_t length;
  std::uint64_t bytes;

  bool Fits() const {
    return (limits->length == 0 || length <= limits->length) &&
           (limits->bytes == 0 || bytes <= limits->bytes);
  }
};

class Planner {
 public:
  Planner(const Queue& queue, const RoomRequest& request)
      : queue_(queue),
        request_(request),
        tier_(queue.FindTier(request.tier)),
        whole_{.limits = &queue.settings().limits,
               .length = queue.waiting() + request.jobs,
               .bytes = queue.waiting_bytes() + request.bytes},
        own_{.limits = &queue.settings().LimitsOf(request.tier),
             .length = (tier_ == nullptr ? 0 : tier_->waiting()) + request.jobs,
             .bytes = (tier_ == nullptr ? 0 : tier_->waiting_bytes) + request.bytes} {}

  RoomPlan Plan(std::int64_t now_ms) {
    // First the tier: what it loses the queue loses too.
    if (own_.limits->full == FullPolicy::kOldest && !own_.Fits()) PushOutOldest(own_);
    if (!own_.Fits()) return Refuse("tier=" + TierName(), own_, now_ms);
    if (whole_.limits->full == FullPolicy::kOldest && !whole_.Fits()) PushOutOldest(whole_);
    if (whole_.limits->full == FullPolicy::kShed && !whole_.Fits()) Shed();
    if (!whole_.Fits()) return Refuse("queue", whole_, now_ms);
    return std::move(plan_);
  }

 private:
  std::string TierName() const { return queue_.settings().TierName(request_.tier); }

  void Lose(const Job& job, DeathReason reason) {
    plan_.victims.push_back({.id = job.id, .reason = reason});
    --whole_.length;
    whole_.bytes -= job.text_bytes();
    if (job.tier != request_.tier) return;
    --own_.length;
    own_.bytes -= job.text_bytes();
  }

  void PushOutOldest(const Use& use) {
    if (tier_ == nullptr) return;
    auto cursor = tier_->ready.First();
    for (std::size_t i = 0; i < plan_.victims.size() && cursor.Valid(); ++i) cursor.Next();
    for (; !use.Fits() && cursor.Valid(); cursor.Next()) Lose(**cursor, DeathReason::kOverflow);
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

  RoomPlan Refuse(const std::string& scope, const Use& use, std::int64_t now_ms) const {
    std::string text = "QFULL " + scope;
    if (use.limits->length != 0) {
      text += " len=" + std::to_string(use.length - request_.jobs) + "/" +
              std::to_string(use.limits->length);
    }
    if (use.limits->bytes != 0) {
      text += " bytes=" + std::to_string(use.bytes - request_.bytes) + "/" +
              std::to_string(use.limits->bytes);
    }
    if (tier_ != nullptr && !tier_->ready.empty()) {
      text += " oldest=" + std::to_string(now_ms - tier_->ready.front()->since_ms);
    }
    // What never fits does not wait.
    const Use alone{.limits = use.limits, .length = request_.jobs, .bytes = request_.bytes};
    return {.refusal = text,
            .may_wait = use.limits->full == FullPolicy::kBlock && alone.Fits(),
            .victims = {}};
  }

  const Queue& queue_;
  const RoomRequest& request_;
  const QueueTier* tier_;
  Use whole_;
  Use own_;
  RoomPlan plan_;
};

}  // namespace

RoomPlan PlanRoom(const Queue& queue, const RoomRequest& request, std::int64_t now_ms) {
  const QueueSettings& settings = queue.settings();
  const auto limits = [](const ScopeLimits& scope) {
    return scope.length != 0 || scope.bytes != 0;
  };
  // Most queues have no limits: nothing to plan.
  if (!limits(settings.limits) && settings.tier_limits.empty()) return {};
  return Planner(queue, request).Plan(now_ms);
}

}  // namespace rung

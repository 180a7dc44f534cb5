// What follows from effects on a queue: who is lifted or sinks back, and which scope has become
// full or has ease again. See queue_notices.h.

#include "rung/types/queue_notices.h"

#include <algorithm>
#include <utility>

#include "rung/base/check.h"
#include "rung/types/queue.h"

namespace rung {
namespace {

// The smallest load that is `percent` of the limit or more, and the largest that is no more.
std::uint64_t AtLeast(std::uint64_t limit, std::uint32_t percent) {
  return limit / 100 * percent + (limit % 100 * percent + 99) / 100;
}
std::uint64_t AtMost(std::uint64_t limit, std::uint32_t percent) {
  return limit / 100 * percent + limit % 100 * percent / 100;
}

// Whether the scope counts as full, having counted as `full` before.
bool IsFull(const ScopeLimits& limits, const ScopeLoad& load, bool full) {
  const auto reaches = [&](std::uint64_t limit, std::uint64_t use) {
    return limit != 0 && use >= AtLeast(limit, limits.mark_high);
  };
  const auto eases = [&](std::uint64_t limit, std::uint64_t use) {
    return limit == 0 || use <= AtMost(limit, limits.mark_low);
  };
  if (!full) return reaches(limits.length, load.length) || reaches(limits.bytes, load.bytes);
  return !eases(limits.length, load.length) || !eases(limits.bytes, load.bytes);
}

bool IsLifted(std::uint32_t tier, std::uint32_t own_tier) { return tier < own_tier; }

}  // namespace

ScopeLoad Queue::LoadOf(LoadScope scope) const {
  if (scope.kind == LoadScope::Kind::kQueue) {
    return {.length = waiting(), .bytes = waiting_bytes(), .full = full_};
  }
  if (scope.kind == LoadScope::Kind::kGroup) {
    const QueueGroup& group = groups_[scope.number];
    return {.length = group.waiting(), .bytes = group.waiting_bytes, .full = group.full};
  }
  const QueueTier* tier = FindTier(scope.number);
  if (tier == nullptr) return {};
  return {.length = tier->waiting(), .bytes = tier->waiting_bytes, .full = tier->full};
}

ScopeLimits Queue::LimitsOf(LoadScope scope) const {
  switch (scope.kind) {
    case LoadScope::Kind::kQueue:
      return settings_.limits;
    case LoadScope::Kind::kTier:
      return settings_.LimitsOf(scope.number);
    case LoadScope::Kind::kGroup:
      return settings_.LimitsOfGroup(groups_[scope.number].name);
  }
  return {};
}

void Queue::TouchLoad(const QueueTier& tier) {
  if (tier.watches_load) touched_.push_back({LoadScope::Kind::kTier, tier.number});
}

void Queue::WatchLoad(QueueTier& tier) {
  const ScopeLimits& limits = settings_.LimitsOf(tier.number);
  tier.watches_load = limits.length != 0 || limits.bytes != 0;
  if (tier.watches_load || tier.full) touched_.push_back({LoadScope::Kind::kTier, tier.number});
}

void Queue::NoteLift(const Job& job) {
  if (!settings_.Publishes(QueueEvent::kBoost) && !settings_.Publishes(QueueEvent::kUnboost))
    return;
  lifted_before_.emplace(job.id, std::pair(job.tier(), job.own_tier()));
}

void Queue::CheckMark(LoadScope scope, bool& full, QueueNotices& notices) const {
  const bool is_full = IsFull(LimitsOf(scope), LoadOf(scope), full);
  if (is_full == full) return;
  full = is_full;
  notices.crossings.push_back({.scope = scope, .full = is_full});
}

QueueNotices Queue::TakeNotices() {
  QueueNotices notices;
  for (const auto& [id, before] : std::exchange(lifted_before_, {})) {
    const Job* job = Find(id);
    // Of one that is done nobody wants to hear that it sank back.
    if (job == nullptr || job->state == JobState::kDone) continue;
    const bool was = IsLifted(before.first, before.second);
    const bool is = IsLifted(job->tier(), job->own_tier());
    const bool up = is && (!was || job->tier() < before.first);
    const bool down = was && (!is || job->tier() > before.first);
    if (up || down) notices.lifts.push_back({.id = id, .up = up});
  }
  CheckMark({}, full_, notices);
  if (touched_.empty()) return notices;
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const LoadScope scope : std::exchange(touched_, {})) {
    if (scope.kind == LoadScope::Kind::kGroup) {
      CheckMark(scope, groups_[scope.number].full, notices);
    } else if (FindTier(scope.number) != nullptr) {
      CheckMark(scope, TierAt(scope.number).full, notices);
    }
  }
  return notices;
}

void Queue::CheckMarks() const {
  const auto check = [&](LoadScope scope) {
    const ScopeLoad load = LoadOf(scope);
    RUNG_CHECK(IsFull(LimitsOf(scope), load, load.full) == load.full, "a mark was passed unseen");
  };
  RUNG_CHECK(touched_.empty() && lifted_before_.empty(), "an effect was not closed");
  check({});
  for (const auto& tier : tiers_) check({LoadScope::Kind::kTier, tier->number});
  for (std::uint32_t group = 1; group < groups_.size(); ++group) {
    check({LoadScope::Kind::kGroup, group});
  }
}

}  // namespace rung

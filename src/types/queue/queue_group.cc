// Groups as such. See queue_group.h.

#include "rung/types/queue_group.h"

#include "rung/base/check.h"
#include "rung/base/memory.h"

namespace rung {
namespace {

// Of a name in the table of numbers, and once more in the group.
std::size_t NameBytes(std::string_view name) {
  constexpr std::size_t kInside = 15;  // Shorter ones lie in the string itself.
  constexpr std::size_t kNode = 80;
  const std::size_t heap = name.size() <= kInside ? 0 : AllocationSize(name.size() + 1);
  return kNode + 2 * heap;
}

// It waits for its next try and no other job of its group may overtake it: one that failed and goes
// to the back has given up its place.
bool IsRetrying(const Job& job) {
  return job.state == JobState::kDelayed && job.failures > 0 && job.seq != 0;
}

template <typename Times>
std::optional<std::int64_t> FirstOf(const Times& times) {
  return times.empty() ? std::nullopt : std::optional(times.begin()->first);
}

}  // namespace

void ChangeRate(RateGate& gate, const ScopeLimits& limits, std::int64_t at_ms) {
  const bool same =
      gate.limit.count() == limits.rate_count && gate.limit.period_ms() == limits.rate_per_ms;
  if (same) return;
  gate.limit.Change(limits.rate_count, limits.rate_per_ms, at_ms);
  const std::int64_t free_at_ms = gate.limit.FreeAt(at_ms);
  gate.free_at_ms = free_at_ms > at_ms ? free_at_ms : 0;
}

void QueueGroup::Count(const Job& job, std::uint32_t change) {
  if (!job.Unfinished()) return;
  counts[static_cast<std::size_t>(job.state)] += change;
  if (IsRetrying(job)) retrying += change;
  if (job.state == JobState::kLeased) return;
  const std::uint64_t bytes = job.text_bytes();
  change == 1 ? waiting_bytes += bytes : waiting_bytes -= bytes;
}

bool QueueGroup::MayServe(bool exact) const {
  const std::uint32_t leased = count(JobState::kLeased);
  if (pause.out_until_ms != 0 || rate.free_at_ms != 0) return false;
  if (leases_max != 0 && leased >= leases_max) return false;
  return !exact || leased + retrying == 0;
}

std::optional<QueueGroups::Number> QueueGroups::Find(std::string_view name) const {
  if (name.empty()) return 0;
  const auto known = numbers_.find(name);
  return known == numbers_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<QueueGroups::Number> QueueGroups::TakeFree(
    std::int64_t at_ms, const std::function<bool(Number)>& owes_nothing) {
  if (resting_.empty()) return std::nullopt;
  const Number number = resting_.front();
  resting_.pop_front();
  QueueGroup& group = groups_[number];
  group.resting = false;
  if (group.jobs != 0) return std::nullopt;
  const bool whole_rate =
      group.rate.free_at_ms == 0 && group.rate.limit.Room(at_ms) >= group.rate.limit.count();
  if (group.pause.any() || !whole_rate || !owes_nothing(number)) {
    Rest(number);
    return std::nullopt;
  }
  name_bytes_ -= NameBytes(group.name);
  numbers_.erase(group.name);
  group = QueueGroup();
  return number;
}

QueueGroups::Number QueueGroups::At(std::string_view name, const QueueSettings& settings,
                                    std::int64_t at_ms,
                                    const std::function<bool(Number)>& owes_nothing) {
  if (const auto known = Find(name)) return *known;
  const std::optional<Number> free = TakeFree(at_ms, owes_nothing);
  const Number number = free.value_or(static_cast<Number>(groups_.size()));
  if (!free) groups_.emplace_back();
  groups_[number].name = name;
  numbers_.emplace(name, number);
  name_bytes_ += NameBytes(name);
  Limit(number, settings, at_ms);
  return number;
}

void QueueGroups::Rest(Number number) {
  if (groups_[number].jobs != 0) return;
  if (!groups_[number].resting) resting_.push_back(number);
  groups_[number].resting = true;
}

void QueueGroups::Limit(Number number, const QueueSettings& settings, std::int64_t at_ms) {
  QueueGroup& group = groups_[number];
  const ScopeLimits limits = settings.LimitsOfGroup(group.name);
  group.weight = settings.GroupWeight(group.name);
  group.leases_max = limits.leases;
  group.watches_load = limits.length != 0 || limits.bytes != 0;
  if (group.rate.free_at_ms != 0) refills_.erase({group.rate.free_at_ms, number});
  ChangeRate(group.rate, limits, at_ms);
  if (group.rate.free_at_ms != 0) refills_.emplace(group.rate.free_at_ms, number);
}

void QueueGroups::TakeRate(Number number, std::int64_t at_ms) {
  RateGate& gate = groups_[number].rate;
  if (gate.limit.count() == 0) return;
  gate.limit.Take(at_ms);
  const std::int64_t free_at_ms = gate.limit.FreeAt(at_ms);
  if (free_at_ms <= at_ms) return;
  if (gate.free_at_ms != 0) refills_.erase({gate.free_at_ms, number});
  gate.free_at_ms = free_at_ms;
  refills_.emplace(free_at_ms, number);
}

std::optional<std::int64_t> QueueGroups::NextRefill() const { return FirstOf(refills_); }

std::vector<QueueGroups::Number> QueueGroups::Refill(std::int64_t at_ms) {
  std::vector<Number> refilled;
  while (!refills_.empty() && refills_.begin()->first <= at_ms) {
    refilled.push_back(refills_.begin()->second);
    groups_[refilled.back()].rate.free_at_ms = 0;
    refills_.erase(refills_.begin());
  }
  return refilled;
}

void QueueGroups::SetPause(Number number, PauseTimes pause) {
  PauseTimes& own = groups_[number].pause;
  for (const std::int64_t until : {own.in_until_ms, own.out_until_ms}) {
    pause_ends_.erase({until, number});
  }
  own = pause;
  for (const std::int64_t until : {pause.in_until_ms, pause.out_until_ms}) {
    if (until != 0 && until != PauseTimes::kForever) pause_ends_.emplace(until, number);
  }
  Rest(number);
}

std::optional<std::int64_t> QueueGroups::NextPauseEnd() const { return FirstOf(pause_ends_); }

std::vector<std::pair<std::string, PauseTimes>> QueueGroups::EndedPauses(std::int64_t at_ms) const {
  std::vector<std::pair<std::string, PauseTimes>> ended;
  for (const auto& [until, number] : pause_ends_) {
    if (until > at_ms) break;
    PauseTimes pause = groups_[number].pause;
    if (pause.in_until_ms <= at_ms) pause.in_until_ms = 0;
    if (pause.out_until_ms <= at_ms) pause.out_until_ms = 0;
    ended.emplace_back(groups_[number].name, pause);
  }
  return ended;
}

QueueGroups QueueGroups::Emptied() const {
  QueueGroups emptied = *this;
  for (QueueGroup& group : emptied.groups_) {
    group.counts = {};
    group.retrying = 0;
    group.waiting_bytes = 0;
    group.tiers.clear();
  }
  return emptied;
}

void QueueGroups::AddTo(Digest& digest) const {
  for (const auto& [name, number] : numbers_) {
    const QueueGroup& group = groups_[number];
    if (!group.pause.any() && group.rate.limit.count() == 0 && !group.full) continue;
    digest.Append(name);
    digest.Append(group.full ? "full" : "");
    for (const std::int64_t part : {group.pause.in_until_ms, group.pause.out_until_ms,
                                    group.rate.limit.empty_at(), group.rate.free_at_ms}) {
      digest.Append(std::to_string(part));
    }
  }
}

std::size_t QueueGroups::MemoryBytes() const {
  constexpr std::size_t kTimeNode = 48;
  return name_bytes_ + groups_.capacity() * sizeof(QueueGroup) + resting_.size() * sizeof(Number) +
         (refills_.size() + pause_ends_.size()) * kTimeNode;
}

void QueueGroups::CheckInvariants(const std::vector<QueueGroup>& recounted, bool exact) const {
  for (Number number = 0; number < groups_.size(); ++number) {
    const QueueGroup& group = groups_[number];
    const QueueGroup& found = recounted[number];
    RUNG_CHECK((number == 0 || group.jobs == found.jobs) && group.counts == found.counts &&
                   group.retrying == found.retrying && group.waiting_bytes == found.waiting_bytes,
               "counts of a group");
    if (number == 0) continue;
    RUNG_CHECK(group.open == group.MayServe(exact), "whether a group is open");
    const bool refills = refills_.count({group.rate.free_at_ms, number}) == 1;
    RUNG_CHECK(refills == (group.rate.free_at_ms != 0), "when a group's rate gives again");
    RUNG_CHECK(group.jobs != 0 || group.resting || group.name.empty(), "a number got lost");
  }
}

}  // namespace rung

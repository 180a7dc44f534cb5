// QueueGroups: the groups of a queue, by number and by name, and what holds for each as a whole.
//
// A group is those jobs that belong to one tenant, in all tiers and states. Here it is known how
// many are leased, until when the group pauses, when its rate gives again. A group that may not be
// served now is closed: the queue takes it out of the turns of its tiers (group_lanes.h) and lets
// it in again when the cause is gone, so that it delays no other. Either costs O(log groups) for
// each tier in which it has a ready job, and nobody looks for it.
//
// Numbers are small, and used again when a group has no job and nothing about it is to be
// remembered: one look for each new name. Number 0 is that of jobs without a group, which has no
// name, no limits, and is always open.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/digest.h"
#include "rung/types/queue_parts.h"

namespace rung {

struct QueueGroup {
  std::string name;  // Empty: the number is free.
  std::uint32_t weight = 1;
  std::uint32_t leases_max = 0;
  RateGate rate;
  PauseTimes pause;
  std::uint64_t jobs = 0;                 // Here, in any state; not counted of number 0.
  std::array<std::uint32_t, 4> counts{};  // Of unfinished ones, by state.
  std::uint32_t retrying = 0;             // Delayed after a failure, with their place kept.
  bool open = true;                       // Nothing about the group keeps its jobs from workers.
  bool watches_load = false;              // It has a limit with marks.
  bool full = false;                      // See ScopeLoad.
  bool resting = false;                   // In the list of those whose number may be free.
  std::uint64_t waiting_bytes = 0;        // Names and bodies of those not leased.
  std::uint64_t last_granted = 0;         // The id of the job that was taken last.
  std::vector<const QueueTier*> tiers;    // In which it has a ready job, ascending.

  std::uint32_t count(JobState state) const { return counts[static_cast<std::size_t>(state)]; }
  std::uint64_t waiting() const {
    return std::uint64_t{count(JobState::kReady)} + count(JobState::kDelayed) +
           count(JobState::kBlocked);
  }
  // The job is counted, or not any more.
  void Add(const Job& job) { Count(job, 1); }
  void Remove(const Job& job) { Count(job, ~std::uint32_t{0}); }
  // Whether its jobs may be given out; `exact`: one at a time.
  bool MayServe(bool exact) const;

 private:
  void Count(const Job& job, std::uint32_t change);
};

class QueueGroups {
 public:
  using Number = std::uint32_t;

  // Numbers are [0, size()).
  std::size_t size() const { return groups_.size(); }
  const QueueGroup& operator[](Number number) const { return groups_[number]; }
  QueueGroup& operator[](Number number) { return groups_[number]; }
  // Of the empty name 0.
  std::optional<Number> Find(std::string_view name) const;

  // Like Find; makes the group if it is not known. Its number may be that of another one, with
  // nothing to be remembered at `at_ms` and no turn owed, which `owes_nothing` tells.
  Number At(std::string_view name, const QueueSettings& settings, std::int64_t at_ms,
            const std::function<bool(Number)>& owes_nothing);
  // It may have no job now: its number may become free.
  void Rest(Number number);
  // Weight and limits as the settings have them; takes of before count for another rate.
  void Limit(Number number, const QueueSettings& settings, std::int64_t at_ms);

  void TakeRate(Number number, std::int64_t at_ms);
  std::optional<std::int64_t> NextRefill() const;
  // Groups whose rate gives again at `at_ms`.
  std::vector<Number> Refill(std::int64_t at_ms);

  void SetPause(Number number, PauseTimes pause);
  std::optional<std::int64_t> NextPauseEnd() const;
  // Names of those whose pause ends at `at_ms`, the first end of all, and what is left of it.
  std::vector<std::pair<std::string, PauseTimes>> EndedPauses(std::int64_t at_ms) const;

  // The same groups with no job counted: those of a copy are counted as they are entered.
  QueueGroups Emptied() const;
  // Pauses, rates and marks.
  void AddTo(Digest& digest) const;
  std::size_t MemoryBytes() const;
  // `recounted`: jobs and counts by number.
  void CheckInvariants(const std::vector<QueueGroup>& recounted, bool exact) const;

 private:
  using Times = std::set<std::pair<std::int64_t, Number>>;

  std::optional<Number> TakeFree(std::int64_t at_ms,
                                 const std::function<bool(Number)>& owes_nothing);

  std::vector<QueueGroup> groups_ = std::vector<QueueGroup>(1);
  std::map<std::string, Number, std::less<>> numbers_;
  std::size_t name_bytes_ = 0;
  std::deque<Number> resting_;
  Times refills_;     // When rates give again.
  Times pause_ends_;  // When pauses end.
};

// A rate changes at once; it may give less or more than before from now on.
void ChangeRate(RateGate& gate, const ScopeLimits& limits, std::int64_t at_ms);

}  // namespace rung

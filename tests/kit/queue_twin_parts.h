// What the twin of a queue consists of (queue_twin.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rung/types/queue_job.h"
#include "rung/types/queue_limits.h"

namespace rung::testing {

enum class Defect : std::uint8_t {
  kNone,
  kFreshSeqOnRetry,    // A retried job goes to the back of its tier.
  kStaleAckAccepted,   // An ACK is taken by its id alone.
  kWrappedPosition,    // Positions wrap around, at 64 instead of 2^32.
  kEndedLeaseIsFree,   // A lease that ended is not counted as a failure.
  kForgottenName,      // A name is not free again after its job.
  kForgottenBoost,     // A boost that is taken back stays.
  kAgeAdded,           // Aging makes a job less urgent: the sign is wrong.
  kInheritsForEver,    // Who was waited for stays urgent afterwards.
  kExactServesTwo,     // A group in exact order is given a second job.
  kGroupLeaseStays,    // A lease that ended still counts for its group's CONC.
  kClosedGroupsAge,    // A tier is as old as what it cannot give.
  kBytesOfBodies,      // The names of jobs are not counted.
  kProducersSleep,     // A producer that waits is not told of room.
  kRunsMissedTimes,    // A schedule makes up for what it missed.
  kNoHysteresis,       // A scope has ease again as soon as it is below its upper mark.
  kMergesBeyondRight,  // An add under a taken name is not asked about its tier.
  kProducersOvertake,  // A producer gets room that one before it waits for.
  kNeighboursWeight,   // A tier has the weight of the one below it.
  kCostNotCharged,     // With CHARGE cost a take is charged as one.
  kDebtForgiven,       // A tier that idled owes nothing any more.
  kIdlingEarns,        // A tier is owed what others got while it idled.
  kWeightStays,        // A change of weight waits until its tier has idled.
  kBoostIsFree,        // A boosted job is charged to its own tier.
  kPauseEarns,         // A tier that is paused keeps its turn.
  kStartForgotten,     // After a pause or a limit a tier waits for its turn too late.
  kMoveLosesTurn,      // A tier whose only job gets another place begins afresh.
  kGroupDebtForgiven,  // As for tiers.
  kGroupWeightStays,
  kClaimKept,         // Who idles keeps what a floor has granted him.
  kOverdueUnbounded,  // Jobs beyond MAXWAIT may bring their tier ahead of its share for ever.
};

struct TwinJob {
  std::uint64_t id = 0;
  std::string body;
  std::string group;
  std::string name;
  JobState state = JobState::kReady;
  std::int64_t seq = 0;
  std::int64_t since = 0;
  std::int64_t at = 0;        // Due, died, finished.
  std::int64_t expires = 0;   // End of TTL or of retention.
  std::int64_t deadline = 0;  // Of the lease.
  std::int64_t length = 0;
  std::int64_t granted = 0;  // Its length at first: what the log knows.
  std::uint64_t token = 0;
  std::string worker;
  std::uint32_t own = 0;
  std::int64_t cost = 1;
  std::uint32_t boost = Job::kNoBoost;
  mutable std::uint32_t inherited = Job::kNoBoost;  // From those that wait for it.
  std::vector<std::uint64_t> waits_for;
  std::uint32_t failures = 0;
  std::uint32_t deliveries = 0;
  std::int64_t lease = 0;
  std::int64_t tries = -1;
  bool holds_name = false;
  bool cancelled = false;
  std::string error;
  std::string progress;
  std::optional<std::string> result;
  DeathReason reason = DeathReason::kNone;

  std::uint32_t tier() const { return std::min({own, boost, inherited}); }
  bool Unfinished() const { return state != JobState::kDead && state != JobState::kDone; }
  bool Waits() const { return Unfinished() && state != JobState::kLeased; }
};

struct TwinStep {
  std::uint32_t tier;
  std::int64_t after;
  std::uint32_t to;
};

struct TwinLimits {
  std::size_t len = 0;
  std::size_t bytes = 0;
  char full = 'r';  // 'r'eject, 'b'lock, 'o'ldest, 's'hed
  std::uint32_t high = 80;
  std::uint32_t low = 60;
  std::size_t conc = 0;
  std::int64_t rate = 0;
  std::int64_t per = 1;
};

// Of which jobs something is said: of all, of a tier, of a group.
struct TwinScope {
  std::optional<std::uint32_t> tier;
  std::optional<std::string> group;  // Empty: of jobs without one.

  bool Holds(const TwinJob& job) const {
    return (!tier || job.tier() == *tier) && (!group || job.group == *group);
  }
};

struct TwinGate {
  RateLimit limit;
  std::int64_t free_at = 0;
};

struct TwinSettings {
  char groups = 'f';                             // 'o'ff, 'f'air, 'e'xact
  TwinLimits group_limits;                       // Of each group ...
  std::map<std::string, TwinLimits> own_groups;  // ... that has none of its own.
  char on_dead = 'b';                            // 'b'lock, 'f'ail, 'r'un
  TwinLimits limits;
  std::map<std::uint32_t, TwinLimits> tiers;
  char mode = 's';                      // 's'trict, 'a'ging, ste'p', 'w'eighted, 'f'loors
  std::vector<std::int64_t> weights;    // By tier, as the next two.
  std::vector<std::int64_t> max_waits;  // 0: none.
  std::vector<std::int64_t> floors;     // Thousandths.
  std::map<std::string, std::int64_t> group_weights;
  bool charge = false;  // CHARGE cost.
  std::string names;    // Of a closed ladder: a letter each.
  std::int64_t aging = 1800000;
  std::uint32_t cap = 0;
  std::vector<TwinStep> steps;
  std::int64_t lease = 30000;
  std::uint32_t tries = 5;
  std::vector<std::int64_t> backoff = {1000};  // As a list; the last one holds on.
  bool retry_to_back = false;
  std::int64_t dedup = 0;
  std::uint64_t keep_count = 0;
  std::int64_t keep_ms = 0;
  std::uint64_t dead_count = 100000;
  std::int64_t dead_ms = std::int64_t{14} * 24 * 3600 * 1000;
};

struct TwinPause {
  std::int64_t in = 0;
  std::int64_t out = 0;
};

}  // namespace rung::testing

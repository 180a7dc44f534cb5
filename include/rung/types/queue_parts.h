// The small parts of a Queue's interface: what its primitives are given, and what it tells.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rung/types/ordered_items.h"
#include "rung/types/queue_job.h"
#include "rung/types/queue_limits.h"
#include "rung/types/queue_schedules.h"
#include "rung/types/queue_settings.h"

namespace rung {

// All that is known of a job when it is added.
struct JobDraft {
  std::uint64_t id = 0;
  JobState state = JobState::kReady;  // Or kDelayed, or kBlocked.
  std::int64_t seq = 0;
  std::int64_t since_ms = 0;
  std::int64_t at_ms = 0;
  std::uint32_t tier = 0;
  std::uint32_t cost = 1;
  std::int64_t expires_ms = 0;
  std::int64_t lease_ms = 0;
  std::int64_t tries = -1;
  std::string_view group{};
  std::string_view name{};
  std::string_view user{};
  std::string_view body{};
  std::span<const std::uint64_t> waits_for{};  // kBlocked: jobs that are here, each once.
};

// Where a job goes that is not leased (any more).
struct JobPlace {
  JobState state = JobState::kReady;  // Ready, delayed or dead. A dead one waits for nothing.
  std::int64_t seq = 0;
  std::int64_t since_ms = 0;
  std::int64_t at_ms = 0;       // Delayed: when due. Dead: since when.
  std::int64_t expires_ms = 0;  // See JobExtra.
  std::uint32_t failures = 0;
  DeathReason reason = DeathReason::kNone;
};

struct LeaseGrant {
  std::uint64_t token = 0;
  std::int64_t at_ms = 0;
  std::int64_t deadline_ms = 0;
  std::int64_t length_ms = 0;
  std::string_view worker{};
};

// How a job is done that is kept.
struct JobEnd {
  std::int64_t at_ms = 0;
  std::int64_t expires_ms = 0;  // 0: until there are too many.
  bool keeps_name = false;      // The name stays taken (DEDUP).
  std::optional<std::string_view> result{};
};

// Until when adds (in) and takes (out) wait; 0: they do not.
struct PauseTimes {
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
  std::int64_t in_until_ms = 0;
  std::int64_t out_until_ms = 0;
  bool any() const { return in_until_ms != 0 || out_until_ms != 0; }
  bool operator==(const PauseTimes&) const = default;
};

// Counted since the queue was made.
struct QueueTotals {
  std::uint64_t added = 0;
  std::uint64_t delivered = 0;
  std::uint64_t done = 0;
  std::uint64_t failed = 0;  // NACKs and leases that ended, FREE not counted.
  std::uint64_t gone = 0;    // No longer here, for whatever reason.
  std::array<std::uint64_t, kDeathReasons> died{};
};

// A rate at work: how much it has given, and until when it gives no more.
struct RateGate {
  RateLimit limit;
  std::int64_t free_at_ms = 0;  // 0: now.
};

// Those of a tier's ready jobs that belong together, and whose turn it is among the groups.
struct GroupLanes;
struct QueueMeters;

// What waits in a scope.
struct ScopeLoad {
  std::uint64_t length = 0;
  std::uint64_t bytes = 0;
  bool full = false;  // It has reached the upper mark of a limit, and not the lower one since.
};

struct QueueTier {
  QueueTier();
  ~QueueTier();

  std::uint32_t number = 0;
  bool active = false;  // In the queue's list of tiers to choose from.
  bool stale = false;   // In its list of those whose turn is to be told.
  std::uint32_t leases_max = 0;
  RateGate rate;
  PauseTimes pause;
  OrderedItems<Job*, BySeq> ready;
  std::unique_ptr<GroupLanes> lanes;    // Once a job with a group was ready here.
  std::unique_ptr<QueueMeters> meters;  // Of a closed ladder, once there is something to measure.
  std::array<std::uint64_t, kJobStates> counts{};  // By state; of finished ones 0.
  std::uint64_t waiting_bytes = 0;                 // Bodies and names of those not leased.
  bool watches_load = false;                       // It has a limit with marks.
  bool full = false;                               // See ScopeLoad.

  std::uint64_t count(JobState state) const { return counts[static_cast<std::size_t>(state)]; }
  std::uint64_t waiting() const {
    return count(JobState::kReady) + count(JobState::kDelayed) + count(JobState::kBlocked);
  }
};

enum class DueKind : std::uint8_t { kExpiry, kLease, kDelay, kSchedule, kPause, kRefill };

struct DueWork {
  DueKind kind = DueKind::kExpiry;
  std::int64_t at_ms = 0;
  const Job* job = nullptr;                 // kSchedule, kPause, kRefill: null.
  const QueueSchedule* schedule = nullptr;  // kSchedule only.
};

// Where Q.PRIO leaves a job.
struct TierChange {
  std::uint32_t own_tier = 0;
  std::uint32_t boost = Job::kNoBoost;
  std::int64_t seq = 0;
  std::int64_t since_ms = 0;
};

struct QueuePick {
  const Job* job = nullptr;
  std::string_view reason{};  // A code such as "strict-top".
};

// Which tiers a worker takes from.
struct TierRange {
  std::uint32_t first = 0;
  std::uint32_t last = kTierMax;
};

}  // namespace rung

// Job: one entry of a Queue, a single heap record; and the records that only some jobs have.
//
// A waiting job is header, name and body in one block, and the header is one line of the cache.
// What few jobs have lies in a JobExtra; what only a leased job has lies in a Lease, which comes
// from the queue's free list. Who makes and changes jobs is the Queue alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/types/queue_settings.h"

namespace rung {

enum class JobState : std::uint8_t { kReady, kDelayed, kLeased, kBlocked, kDead, kDone };
inline constexpr std::size_t kJobStates = 6;
// "ready", "delayed" ...: the words of Q.GET and Q.LIST.
std::string_view JobStateName(JobState state);

enum class DeathReason : std::uint8_t {
  kNone,
  kFailures,    // As often as TRIES allows.
  kRejected,    // NACK DEAD.
  kExpired,     // TTL.
  kOverflow,    // Pushed out by newer ones (FULL oldest).
  kShed,        // Pushed out by more urgent ones (FULL shed).
  kDependency,  // What it waited for died.
};
inline constexpr std::size_t kDeathReasons = 7;
std::string_view DeathReasonName(DeathReason reason);

struct Job;

// Who holds a job, and until when.
struct Lease {
  Job* job = nullptr;
  std::uint64_t token = 0;
  std::int64_t deadline_ms = 0;
  std::int64_t length_ms = 0;
  std::uint32_t place = 0;  // In the order of deadlines.
  std::string worker;
};

// What most jobs do not have.
struct JobExtra {
  std::int64_t expires_ms = 0;  // End of TTL while it waits, of retention afterwards; 0: none.
  std::int64_t lease_ms = 0;    // Overrides the queue's; 0: does not.
  std::int64_t tries = -1;      // The same; -1: does not.
  std::uint32_t boost = ~std::uint32_t{0};  // Tier set by Q.PRIO BOOST; all ones: none.
  DeathReason reason = DeathReason::kNone;
  bool has_result = false;
  std::vector<std::uint64_t> waits_for;   // Blocked: unfinished jobs, in ascending order.
  std::vector<std::uint64_t> dependents;  // Blocked jobs that wait for this one, ascending.
  std::string user;                       // Who added it, if not the default user.
  std::string error;                      // Of the last NACK.
  std::string progress;                   // Of the last EXTEND.
  std::string result;                     // Of ACK.

  std::size_t MemoryBytes() const;
};

struct Job {
  static constexpr std::uint32_t kNoBoost = ~std::uint32_t{0};
  static constexpr std::uint32_t kCostMax = 1'000'000;

  std::uint64_t id = 0;
  std::int64_t seq = 0;       // Position in its tier; 0 until a delayed job first falls due.
  std::int64_t since_ms = 0;  // When it became ready (or blocked) first; 0: not yet.
  union {
    std::int64_t at_ms = 0;  // Delayed, blocked: when due. Dead, done: since when.
    Lease* lease;            // Leased.
  };
  JobExtra* extra = nullptr;
  std::uint32_t group = 0;  // Its slot in the queue's table of groups; 0: none.
  std::uint32_t body_size = 0;
  std::uint16_t failures = 0;  // Counts up to 65,535.
  std::uint16_t name_size = 0;
  bool holds_name : 1 = false;  // The queue's table of names points here.
  bool cancelled : 1 = false;   // Leased, and to go as soon as its worker is heard of.
  JobState state : 3 = JobState::kReady;

  std::string_view name() const { return {text(), name_size}; }
  std::string_view body() const { return {text() + name_size, body_size}; }
  std::uint64_t text_bytes() const { return std::uint64_t{name_size} + body_size; }
  bool Unfinished() const { return state != JobState::kDead && state != JobState::kDone; }
  std::uint32_t boost() const { return extra == nullptr ? kNoBoost : extra->boost; }
  bool has_dependents() const { return extra != nullptr && !extra->dependents.empty(); }
  bool waits() const { return extra != nullptr && !extra->waits_for.empty(); }
  std::int64_t expires_ms() const { return extra == nullptr ? 0 : extra->expires_ms; }

  // Effective: as urgent as any that waits for it.
  std::uint32_t tier() const { return tier_; }
  void SetTier(std::uint32_t tier) { tier_ = tier & kTierMax; }
  // As asked for.
  std::uint32_t own_tier() const { return own_tier_; }
  void SetOwnTier(std::uint32_t tier) { own_tier_ = tier & kTierMax; }
  std::uint32_t cost() const { return cost_; }
  // Requires at most kCostMax.
  void SetCost(std::uint32_t cost) { cost_ = cost & kCostMask; }
  // Counts up to 134,217,727.
  std::uint32_t deliveries() const { return deliveries_; }
  void SetDeliveries(std::uint32_t count) {
    deliveries_ = std::min(count, kDeliveriesMax) & kDeliveriesMax;
  }

  // The extra record, made if it is missing.
  JobExtra& Extra();

  // A record with this name and body and nothing else set. `name` has at most 65,535 bytes.
  static Job* Make(std::string_view name, std::string_view body);
  static void Destroy(Job* job);
  std::size_t RecordBytes() const { return sizeof(Job) + name_size + body_size; }
  // Heap bytes, with rounding; without a lease.
  std::size_t MemoryBytes() const;

 private:
  Job() = default;
  ~Job() { delete extra; }
  const char* text() const { return reinterpret_cast<const char*>(this + 1); }

  static constexpr std::uint32_t kDeliveriesMax = (1u << 27) - 1;
  static constexpr std::uint32_t kCostMask = (1u << 20) - 1;
  static_assert(kTierMax < 1u << 21 && kCostMax <= kCostMask);

  std::uint32_t deliveries_ : 27 = 0;
  std::uint64_t tier_ : 21 = 0;
  std::uint64_t own_tier_ : 21 = 0;
  std::uint64_t cost_ : 20 = 1;
};

// The keys of the orders that jobs stand in.
struct BySeq {
  static std::pair<std::int64_t, std::uint64_t> KeyOf(const Job* job) {
    return {job->seq, job->id};
  }
};
struct ByTime {  // Due, dead since, done since.
  static std::pair<std::int64_t, std::uint64_t> KeyOf(const Job* job) {
    return {job->at_ms, job->id};
  }
};
struct ByExpiry {
  static std::pair<std::int64_t, std::uint64_t> KeyOf(const Job* job) {
    return {job->extra->expires_ms, job->id};
  }
};
struct ById {
  static std::uint64_t KeyOf(const Job* job) { return job->id; }
};

}  // namespace rung

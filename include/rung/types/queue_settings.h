// QueueSettings: what Q.CONF sets for a whole queue: names, meanings, limits and defaults of all
// fields in one place. Times are milliseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/result.h"

namespace rung {

// The largest tier number of an open ladder: tier * 2^32 + 2^32 - 1 is exact in a double.
inline constexpr std::uint32_t kTierMax = 2097151;
// The most tiers that a closed ladder has.
inline constexpr std::size_t kClosedTiersMax = 64;
// The longest name of a group, in bytes.
inline constexpr std::size_t kGroupNameMax = 255;
// The longest time that a setting or an option may give: a hundred years.
inline constexpr std::int64_t kTimeMaxMs = std::int64_t{100} * 366 * 24 * 3600 * 1000;

// How the next tier is chosen.
enum class QueueMode : std::uint8_t {
  kStrict,    // The most urgent one.
  kWeighted,  // By turns, in proportion to weights.
  kAging,     // The most urgent one, where waiting makes a job more urgent.
  kStep,      // The same, by a table of ages.
  kFloors,    // Strict, but with shares of the takes that some tiers are granted at least.
};
std::string_view QueueModeName(QueueMode mode);

// "After so long, a job of `tier` is served as one of `to`."
struct QueueStep {
  std::uint32_t tier = 0;
  std::int64_t after_ms = 0;
  std::uint32_t to = 0;
  bool operator==(const QueueStep&) const = default;
};

// How long a failed job rests before it is tried again.
struct Backoff {
  enum class Kind : std::uint8_t { kExponential, kFixed, kList };
  Kind kind = Kind::kExponential;
  std::int64_t first_ms = 1000;
  std::int64_t max_ms = 600000;
  std::vector<std::int64_t> list;  // The last one holds for all later failures.

  // Requires failures >= 1.
  std::int64_t After(std::uint32_t failures) const;
  // "exp:1000:600000", "fix:500", "100,200,300".
  static std::optional<Backoff> Parse(std::string_view text);
  std::string Print() const;
  bool operator==(const Backoff&) const = default;
};

// How many finished jobs are kept, and how long.
struct Retention {
  std::uint64_t count = 0;
  std::int64_t ms = 0;
  // "count:ms".
  static std::optional<Retention> Parse(std::string_view text);
  std::string Print() const;
  bool operator==(const Retention&) const = default;
};

// What is published about jobs and the queue, on a channel of the queue's own. Names as in EVENTS.
enum class QueueEvent : std::uint8_t {
  kAdd,
  kDue,
  kTake,
  kDone,
  kFail,
  kDead,
  kStall,
  kCancel,
  kBoost,    // A job counts as more urgent than its own tier, or than it did.
  kUnboost,  // It does no more, or less.
  kPause,
  kResume,
  kConf,
  kFull,  // A scope has reached the upper mark of a limit ...
  kEase,  // ... and then the lower one.
};
inline constexpr std::size_t kQueueEvents = 15;
std::string_view QueueEventName(QueueEvent event);

// What happens to an add for which there is no room.
enum class FullPolicy : std::uint8_t {
  kReject,  // It fails.
  kBlock,   // It waits if it may.
  kOldest,  // The first job of the same tier dies.
  kShed,    // The last job of the least urgent tier dies, if that is less urgent. Queue only.
};

// What a queue or a tier admits and gives out; 0: without limit.
struct ScopeLimits {
  std::uint64_t length = 0;  // Jobs that wait: neither leased nor finished.
  std::uint64_t bytes = 0;   // Of their names and bodies.
  FullPolicy full = FullPolicy::kReject;
  std::uint32_t mark_high = 80;  // Per cent of a limit at which the scope is told to be full ...
  std::uint32_t mark_low = 60;   // ... and to have ease again.
  std::uint32_t leases = 0;      // CONC: at once.
  std::int64_t rate_count = 0;   // RATE: takes ...
  std::int64_t rate_per_ms = 1;  // ... in so many milliseconds.
  bool operator==(const ScopeLimits&) const = default;
};

// Whose turn it is among the groups of a tier.
enum class GroupOrder : std::uint8_t {
  kOff,    // Nobody's: by age alone.
  kFair,   // By turns, in proportion to weights.
  kExact,  // The same, and each group is served one job at a time, in its order also over failures.
};

// What Q.CONF sets for one group; what is not set is as the queue has it for all groups.
struct GroupSettings {
  std::uint32_t weight = 1;
  std::optional<std::uint64_t> length{};
  std::optional<std::uint64_t> bytes{};
  std::optional<FullPolicy> full{};
  std::optional<std::pair<std::uint32_t, std::uint32_t>> marks{};  // High and low.
  std::optional<std::uint32_t> leases{};
  std::optional<std::pair<std::int64_t, std::int64_t>> rate{};  // Count, and per milliseconds.
  bool operator==(const GroupSettings&) const = default;
};

// What becomes of jobs that wait for one that dies.
enum class OnDead : std::uint8_t {
  kBlock,  // They go on waiting: it may be redriven.
  kFail,   // They die too.
  kRun,    // They wait no longer.
};

struct QueueSettings {
  QueueMode mode = QueueMode::kStrict;
  std::vector<std::string> ladder;     // Names of a closed ladder, top first; empty: an open one.
  std::vector<std::uint32_t> weights;  // By tier of the closed ladder; 1 to 1000.
  std::optional<std::uint32_t> default_tier;
  std::int64_t aging_ms = 1800000;         // Of waiting, worth one tier.
  std::uint32_t cap = 0;                   // The topmost tier that aging reaches.
  std::vector<QueueStep> steps;            // As given.
  std::vector<std::uint32_t> floors;       // Thousandths of the takes by tier; empty: none.
  std::vector<std::int64_t> max_waits_ms;  // By tier, 0: no limit; empty: none.
  bool charge_cost = false;                // Shares count the COST of jobs, not their number.
  std::int64_t lease_ms = 30000;
  std::uint32_t tries = 5;  // 0: without end.
  Backoff backoff;
  std::uint32_t jitter_percent = 20;  // Backoffs vary by so much up and down.
  bool retry_to_back = false;
  std::int64_t dedup_ms = 0;
  GroupOrder group_order = GroupOrder::kFair;
  ScopeLimits group_limits;                                  // Of each group.
  std::map<std::string, GroupSettings, std::less<>> groups;  // Of those that have their own.
  std::uint32_t events = 0;                                  // A bit for each QueueEvent.
  OnDead on_dead = OnDead::kBlock;
  ScopeLimits limits;
  std::map<std::uint32_t, ScopeLimits> tier_limits;  // Of those that have any.
  Retention keep;
  Retention dead_keep{.count = 100000, .ms = std::int64_t{14} * 24 * 3600 * 1000};

  std::uint32_t GroupWeight(std::string_view group) const;
  // Those that hold for a group. Jobs without a group (an empty name) have none.
  ScopeLimits LimitsOfGroup(std::string_view group) const;
  // False if no group can be refused an add.
  bool BoundsGroups() const {
    return group_limits.length != 0 || group_limits.bytes != 0 || !groups.empty();
  }
  // Those of a tier alone.
  const ScopeLimits& LimitsOf(std::uint32_t tier) const;
  bool open_ladder() const { return ladder.empty(); }
  bool Publishes(QueueEvent event) const {
    return (events >> static_cast<unsigned>(event) & 1u) != 0;
  }
  // The tier of jobs that name none.
  std::uint32_t DefaultTier() const;
  // A number or a declared name. Errors: QTIER.
  Result<std::uint32_t> ParseTier(std::string_view text) const;
  // The name if it has one, else the number.
  std::string TierName(std::uint32_t tier) const;

  // Sets fields: names (in any case) and values in turn, of which TIERS holds first; or, behind
  // "TIER" and a tier, those of one tier. Requires an even number of words. Errors: unknown field,
  // bad value, fields that do not agree with each other; some may be set then. "GROUP" and a name
  // work like "TIER".
  std::optional<Error> Set(std::span<const std::string_view> words);
  // All fields as Set() takes them, in a fixed order.
  std::vector<std::pair<std::string_view, std::string>> Print() const;
  // The fields of one tier, and of one group: those that hold for it.
  std::vector<std::pair<std::string_view, std::string>> PrintTier(std::uint32_t tier) const;
  std::vector<std::pair<std::string_view, std::string>> PrintGroup(std::string_view group) const;

 private:
  std::optional<Error> SetOfGroup(std::string_view group, std::span<const std::string_view> words);
  std::optional<Error> SetOfTier(std::uint32_t tier, std::span<const std::string_view> words);
  std::optional<Error> SetOne(std::string_view field, std::string_view value);
  std::optional<Error> Check() const;
};

}  // namespace rung

// QueueSchedules: the named schedules of a queue (Q.CRON): what job to add, and when next.
//
// Data alone: when a schedule comes due is worked out by whoever changes it
// (commands/queue_cron.cc) and logged, so that a replay needs neither a clock nor a time zone.
//
// Invariants: 1. the schedules with a next time, and no others, stand in the order of times;
// 2. bytes are what a recount gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "rung/base/digest.h"

namespace rung {

struct QueueSchedule {
  std::string name;
  std::string expression;
  std::string zone;
  std::string body;
  std::string job_name;    // The jobs' name; empty: none.
  std::string user;        // Who set it, if not the default user.
  std::int64_t tier = -1;  // -1: the queue's default.
  std::uint32_t cost = 1;
  std::int64_t ttl_ms = 0;    // 0: none.
  std::int64_t lease_ms = 0;  // 0: the queue's.
  std::int64_t tries = -1;    // -1: the queue's.
  std::int64_t next_ms = 0;   // 0: never again.
  std::int64_t last_ms = 0;   // The time it was last due; 0: not yet.
  std::uint64_t last_id = 0;  // The job of then; 0: there was none.
  std::uint64_t runs = 0;     // Jobs added.
  std::uint64_t skipped = 0;  // Times due without a job.

  std::size_t MemoryBytes() const;
};

class QueueSchedules {
 public:
  QueueSchedules() = default;
  QueueSchedules(const QueueSchedules& other) { *this = other; }
  QueueSchedules& operator=(const QueueSchedules& other);

  std::size_t size() const { return by_name_.size(); }
  // Null if there is none. Pointers live until the schedule is changed.
  const QueueSchedule* Find(std::string_view name) const;
  // The one that is due first; null if none ever will be.
  const QueueSchedule* Next() const;
  // By name.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (const auto& [name, schedule] : by_name_) visit(schedule);
  }
  std::size_t MemoryBytes() const { return bytes_; }

  // Adds it, or puts it in the place of the one of that name.
  void Set(QueueSchedule schedule);
  // Returns whether there was one.
  bool Drop(std::string_view name);
  // It was due at `last_ms`, added the job `id` (0: none), and is due next at `next_ms` (0: never).
  // Requires that it exists.
  void Ran(std::string_view name, std::int64_t last_ms, std::uint64_t id, std::int64_t next_ms);

  void AddTo(Digest& digest) const;
  void CheckInvariants() const;

 private:
  // Names are those of the map's nodes.
  using Times = std::set<std::pair<std::int64_t, std::string_view>>;

  void Enter(const QueueSchedule& schedule);
  void Leave(const QueueSchedule& schedule);

  std::map<std::string, QueueSchedule, std::less<>> by_name_;
  Times times_;
  std::size_t bytes_ = 0;
};

}  // namespace rung

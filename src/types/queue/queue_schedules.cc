// The schedules of a queue, by name and by time. See queue_schedules.h.

#include "rung/types/queue_schedules.h"

#include "rung/base/check.h"
#include "rung/base/memory.h"

namespace rung {
namespace {

// A node of a red-black tree: colour and three links.
constexpr std::size_t kNodeBytes = 32;

}  // namespace

std::size_t QueueSchedule::MemoryBytes() const {
  std::size_t bytes = AllocationSize(kNodeBytes + sizeof(std::string) + sizeof(*this)) +
                      AllocationSize(kNodeBytes + sizeof(next_ms) + sizeof(std::string_view));
  for (const std::string* text : {&name, &name, &expression, &zone, &body, &job_name, &user}) {
    if (text->capacity() > std::string().capacity()) bytes += AllocationSize(text->capacity() + 1);
  }
  return bytes;
}

QueueSchedules& QueueSchedules::operator=(const QueueSchedules& other) {
  if (this == &other) return *this;
  by_name_.clear();
  times_.clear();
  bytes_ = 0;
  other.ForEach([&](const QueueSchedule& schedule) { Set(schedule); });
  return *this;
}

const QueueSchedule* QueueSchedules::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

const QueueSchedule* QueueSchedules::Next() const {
  return times_.empty() ? nullptr : Find(times_.begin()->second);
}

void QueueSchedules::Enter(const QueueSchedule& schedule) {
  bytes_ += schedule.MemoryBytes();
  if (schedule.next_ms != 0) times_.emplace(schedule.next_ms, schedule.name);
}

void QueueSchedules::Leave(const QueueSchedule& schedule) {
  bytes_ -= schedule.MemoryBytes();
  times_.erase({schedule.next_ms, schedule.name});
}

void QueueSchedules::Set(QueueSchedule schedule) {
  Drop(schedule.name);
  const std::string name = schedule.name;
  const auto [place, added] = by_name_.emplace(name, std::move(schedule));
  RUNG_CHECK(added, "a schedule of this name is left");
  Enter(place->second);
}

bool QueueSchedules::Drop(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return false;
  Leave(found->second);
  by_name_.erase(found);
  return true;
}

void QueueSchedules::Ran(std::string_view name, std::int64_t last_ms, std::uint64_t id,
                         std::int64_t next_ms) {
  const auto found = by_name_.find(name);
  RUNG_CHECK(found != by_name_.end(), "a schedule that is not here");
  QueueSchedule& schedule = found->second;
  Leave(schedule);
  schedule.last_ms = last_ms;
  schedule.last_id = id;
  schedule.next_ms = next_ms;
  ++(id != 0 ? schedule.runs : schedule.skipped);
  Enter(schedule);
}

void QueueSchedules::AddTo(Digest& digest) const {
  ForEach([&](const QueueSchedule& schedule) {
    for (const std::string* text : {&schedule.name, &schedule.expression, &schedule.zone,
                                    &schedule.body, &schedule.job_name, &schedule.user}) {
      digest.Append(*text);
    }
    for (const std::int64_t number :
         {schedule.tier, std::int64_t{schedule.cost}, schedule.ttl_ms, schedule.lease_ms,
          schedule.tries, schedule.next_ms, schedule.last_ms}) {
      digest.Append(std::to_string(number));
    }
    for (const std::uint64_t number : {schedule.last_id, schedule.runs, schedule.skipped}) {
      digest.Append(std::to_string(number));
    }
  });
}

void QueueSchedules::CheckInvariants() const {
  std::size_t bytes = 0;
  std::size_t timed = 0;
  for (const auto& [name, schedule] : by_name_) {
    RUNG_CHECK(name == schedule.name, "a schedule under another's name");
    bytes += schedule.MemoryBytes();
    if (schedule.next_ms == 0) continue;
    ++timed;
    RUNG_CHECK(times_.count({schedule.next_ms, schedule.name}) == 1, "invariant 1");
  }
  RUNG_CHECK(timed == times_.size(), "invariant 1");
  RUNG_CHECK(bytes == bytes_, "invariant 2");
}

}  // namespace rung

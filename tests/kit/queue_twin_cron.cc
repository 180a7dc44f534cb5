// Schedules of the twin of a queue. See queue_twin.h.

#include <array>
#include <string>
#include <utility>

#include "kit/queue_twin.h"

namespace rung::testing {
namespace {

// Whether a number is of a field: "*", "*/n", "a-b/n" or "a".
bool IsOf(std::int64_t number, const std::string& field) {
  const std::size_t slash = field.find('/');
  const std::int64_t step = slash == std::string::npos ? 1 : std::stoll(field.substr(slash + 1));
  const std::string range = field.substr(0, slash);
  if (range == "*") return number % step == 0;
  const std::size_t dash = range.find('-');
  const std::int64_t first = std::stoll(range);
  const std::int64_t last = dash == std::string::npos ? first : std::stoll(range.substr(dash + 1));
  return number >= first && number <= last && (number - first) % step == 0;
}

}  // namespace

// Second by second. Of lines with seconds, minutes and hours, "* * *" behind them; or "@every n".
std::int64_t QueueTwin::NextOf(const std::string& expression, std::int64_t after) {
  if (expression.starts_with("@every ")) {
    const std::int64_t every = std::stoll(expression.substr(7));
    std::int64_t at = after + 1;
    while (at % every != 0) ++at;
    return at;
  }
  std::array<std::string, 3> fields;
  std::size_t begin = 0;
  for (std::string& field : fields) {
    const std::size_t end = expression.find(' ', begin);
    field = expression.substr(begin, end - begin);
    begin = end + 1;
  }
  std::int64_t second = after / 1000 + 1;
  while (!IsOf(second % 60, fields[0]) || !IsOf(second / 60 % 60, fields[1]) ||
         !IsOf(second / 3600 % 24, fields[2])) {
    ++second;
  }
  return second * 1000;
}

Reply QueueTwin::SetSchedule(TwinSchedule schedule) {
  SettleUntil(now_);
  const bool existed = std::exchange(exists_, true);
  if (auto refusal = Refuse(schedule.user, schedule.tier.value_or(DefaultTier()))) {
    exists_ = existed;
    return *refusal;
  }
  schedule.next = NextOf(schedule.expression, now_);
  const auto before = schedules_.find(schedule.name);
  if (before != schedules_.end()) {
    schedule.last = before->second.last;
    schedule.last_id = before->second.last_id;
    schedule.runs = before->second.runs;
    schedule.skipped = before->second.skipped;
  }
  const Reply reply = Int(schedule.next);
  schedules_[schedule.name] = std::move(schedule);
  return reply;
}

Reply QueueTwin::DropSchedule(const std::string& name) {
  SettleUntil(now_);
  return Int(static_cast<std::int64_t>(schedules_.erase(name)));
}

void QueueTwin::RunSchedule(TwinSchedule& schedule, std::int64_t at) {
  const std::uint32_t tier = schedule.tier.value_or(DefaultTier());
  schedule.last = at;
  schedule.last_id = 0;
  const bool makes_up = defect_ == Defect::kRunsMissedTimes;
  schedule.next = NextOf(schedule.expression, makes_up ? at : std::max(at, now_));
  const bool taken = !schedule.job_name.empty() && Holder(schedule.job_name) != nullptr;
  const RoomFor request{.tier = tier, .bytes = BytesOf(schedule.job_name, schedule.body)};
  if (taken || IsPaused(tier) || MakeRoom(request, at).refusal) {
    ++schedule.skipped;
    return;
  }
  TwinJob job;
  job.id = schedule.last_id = ++last_id_;
  job.own = tier;
  job.body = schedule.body;
  job.name = schedule.job_name;
  job.holds_name = !job.name.empty();
  if (schedule.ttl != 0) job.expires = at + schedule.ttl;
  job.seq = NewSeq();
  job.since = latest_since_ = std::max(at, latest_since_);
  jobs_.push_back(job);
  ++schedule.runs;
  AfterEffect();
}

}  // namespace rung::testing

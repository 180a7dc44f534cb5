// Clients of the twin of a queue that wait. See queue_twin.h.

#include <algorithm>
#include <set>
#include <utility>

#include "kit/queue_twin.h"

namespace rung::testing {

bool QueueTwin::IsBlocked(int client) const {
  return std::any_of(waiters_.begin(), waiters_.end(),
                     [&](const Waiter& waiter) { return waiter.op.client == client; });
}

bool QueueTwin::AnyProducerWaits() const {
  return std::any_of(waiters_.begin(), waiters_.end(),
                     [](const Waiter& waiter) { return waiter.add.has_value(); });
}

bool QueueTwin::HasDeadline(std::int64_t deadline) const {
  return std::any_of(waiters_.begin(), waiters_.end(),
                     [&](const Waiter& waiter) { return waiter.deadline == deadline; });
}

std::optional<Reply> QueueTwin::TryWaiter(Waiter& waiter) {
  changed_ = false;
  if (waiter.add) {
    if (defect_ == Defect::kProducersSleep) return std::nullopt;
    return TryAdd(*waiter.add, true, true);
  }
  if (waiter.job == 0) return TryTake(waiter.op);
  const TwinJob* job = Find(waiter.job);
  // The driver looks into the state of the job itself.
  return job == nullptr || !job->Unfinished() ? std::optional(Ok()) : std::nullopt;
}

// Takers, those who wait for a result, producers: of each kind the first one for whom that changes
// something, until nothing changes. Producers that want room in a scope wait for each other. A kind
// of which all have just begun to wait is not asked before something changes.
void QueueTwin::ServeWaiters() {
  bool again = true;
  while (std::exchange(again, false)) {
    std::set<int> asked;
    for (Waiter& waiter : waiters_) {
      if (!std::exchange(waiter.fresh, false)) asked.insert(waiter.topic());
    }
    for (const int topic : asked) {
      std::set<std::string> refused;
      for (std::size_t i = 0; i < waiters_.size();) {
        std::optional<Reply> reply;
        const bool existed = exists_;  // All producers are served from where there is no queue.
        const bool behind = refused.count(waiters_[i].line) != 0;
        if (waiters_[i].topic() == topic && !behind) {
          reply = TryWaiter(waiters_[i]);
          if (topic == 2) waiters_[i].line = line_;
          if (topic == 2 && !reply && defect_ != Defect::kProducersOvertake) refused.insert(line_);
        }
        if (!reply) {
          ++i;
          continue;
        }
        served.emplace_back(waiters_[i].op.client, *reply);
        waiters_.erase(waiters_.begin() + static_cast<std::ptrdiff_t>(i));
        again = again || changed_;
        if (changed_ && existed) break;
      }
    }
  }
}

void QueueTwin::TimeOutWaiters() {
  while (true) {
    auto first = waiters_.end();
    for (auto it = waiters_.begin(); it != waiters_.end(); ++it) {
      if (it->deadline == 0 || it->deadline > now_) continue;
      if (first == waiters_.end() || it->deadline < first->deadline) first = it;
    }
    if (first == waiters_.end()) return;
    Waiter waiter = *first;
    waiters_.erase(first);
    // It is asked once more: a producer whose time is over just before may have brought something.
    std::optional<Reply> reply;
    if (waiter.add) {
      reply = TryAdd(*waiter.add, false, true);
    } else {
      reply = TryWaiter(waiter);
    }
    served.emplace_back(waiter.op.client, reply.value_or(NullArray()));
  }
}

bool QueueTwin::WaitForJob(int client, std::uint64_t id) {
  SettleUntil(now_);
  const TwinJob* job = Find(id);
  if (job == nullptr || !job->Unfinished()) return false;
  TakeOp op;
  op.client = client;
  waiters_.push_back({.op = op, .deadline = 0, .job = id});
  return true;
}

}  // namespace rung::testing

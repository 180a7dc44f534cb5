// Adding jobs to the twin of a queue. See queue_twin.h.

#include <algorithm>

#include "kit/queue_twin.h"

namespace rung::testing {

// What of `after` the job waits for; true if it must die of that.
bool QueueTwin::ChooseDependencies(const std::vector<std::uint64_t>& after, TwinJob& job) {
  bool fails = false;
  for (const std::uint64_t id : after) {
    const TwinJob* other = Find(id);
    if (other == nullptr) continue;
    if (other->state == JobState::kDead && settings_.on_dead == 'r') continue;
    fails = fails || (other->state == JobState::kDead && settings_.on_dead == 'f');
    const auto place = std::lower_bound(job.waits_for.begin(), job.waits_for.end(), id);
    if (place == job.waits_for.end() || *place != id) job.waits_for.insert(place, id);
  }
  return fails;
}

std::optional<Reply> QueueTwin::Add(const AddOp& op) {
  SettleUntil(now_);
  if (auto reply = TryAdd(op, op.block.has_value(), false)) return reply;
  TakeOp who;
  who.client = op.client;
  waiters_.push_back(
      {.op = who, .deadline = *op.block == 0 ? 0 : now_ + *op.block, .add = op, .line = line_});
  return std::nullopt;
}

std::optional<Reply> QueueTwin::TryAdd(const AddOp& op, bool may_wait, bool again) {
  const bool taken = !op.name.empty() && std::any_of(jobs_.begin(), jobs_.end(), [&](auto& job) {
    return job.holds_name && job.name == op.name;
  });
  if (!taken || defect_ != Defect::kMergesBeyondRight) {
    if (auto refusal = Refuse(op.user, op.tier)) return refusal;
  }
  if (IsPaused(op.tier)) return Err("QPAUSED in tier=" + TierName(op.tier));
  if (group_pauses_[op.group].in != 0) return Err("QPAUSED in group=" + op.group);
  exists_ = true;
  TwinJob job;
  job.own = op.tier;
  job.cost = op.cost;
  job.group = op.group;
  job.name = op.name;
  job.lease = op.lease;
  job.tries = op.tries;
  if (op.ttl != 0) job.expires = now_ + op.ttl;
  if (op.delay > 0) {
    job.state = JobState::kDelayed;
    job.at = now_ + op.delay;
  }
  TwinJob* holder = op.name.empty() ? nullptr : Holder(op.name);
  if (holder != nullptr) return AddToHolder(op, *holder, job);
  std::vector<std::uint64_t> after;
  for (const std::uint64_t id : op.after) {
    const TwinJob* other = Find(id);
    if (other == nullptr && (id == 0 || id > last_id_)) {
      return Err("QNOJOB id=" + std::to_string(id));
    }
    if (other != nullptr && other->state != JobState::kDone) after.push_back(id);
  }
  RoomFor request{.tier = op.tier, .group = op.group, .count = op.bodies.size()};
  request.stands_in_line = may_wait && !again;
  for (const std::string& body : op.bodies) request.bytes += BytesOf(op.name, body);
  if (const Room room = MakeRoom(request, now_); room.refusal) {
    line_ = room.line;
    return room.may_wait && may_wait ? std::nullopt : room.refusal;
  }
  changed_ = true;
  const bool fails = ChooseDependencies(after, job);
  if (!job.waits_for.empty()) job.state = JobState::kBlocked;
  std::vector<Reply> ids;
  for (const std::string& body : op.bodies) {
    job.id = ++last_id_;
    job.body = body;
    job.holds_name = !op.name.empty();
    if (job.state != JobState::kDelayed) {
      job.seq = NewSeq();
      job.since = latest_since_ = std::max(now_, latest_since_);
    }
    jobs_.push_back(job);
    ids.push_back(Int(static_cast<std::int64_t>(job.id)));
    AfterEffect();
  }
  for (const Reply& id : ids) {
    if (fails) Kill(*Find(static_cast<std::uint64_t>(id.integer)), DeathReason::kDependency, now_);
  }
  return ids.size() == 1 ? ids[0] : Array(ids);
}

// The name is taken.
std::optional<Reply> QueueTwin::AddToHolder(const AddOp& op, TwinJob& holder, TwinJob job) {
  const Reply id = Int(static_cast<std::int64_t>(holder.id));
  if (op.taken_name == 'n') return Nil();
  if (op.taken_name == 'm') {
    changed_ = holder.Unfinished() && op.tier < holder.own;
    if (changed_) holder.own = op.tier;
    AfterEffect();
    return id;
  }
  if (holder.state == JobState::kLeased || !holder.Unfinished()) {
    return Err("QNAME id=" + std::to_string(holder.id) +
               " state=" + std::string(JobStateName(holder.state)));
  }
  changed_ = true;
  LoseTurn(holder);
  job.id = holder.id;
  job.seq = holder.seq;
  job.since = holder.since;
  job.body = op.bodies[0];
  job.holds_name = true;
  if (job.state == JobState::kReady && job.seq == 0) {
    job.seq = NewSeq();
    job.since = latest_since_ = std::max(now_, latest_since_);
  }
  holder = job;
  AfterEffect();
  return id;
}

std::uint32_t QueueTwin::DefaultTier() const {
  return settings_.names.empty() ? 100 : static_cast<std::uint32_t>(settings_.names.size() / 2);
}

}  // namespace rung::testing

// An engine and the twin of its queue, compared. See queue_comparison.h.

#include "kit/queue_comparison.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>
#include <tuple>
#include <utility>

#include "types/queue/group_lanes.h"
#include "types/queue/tier_chooser.h"

namespace rung::testing {

void QueueComparison::Remember() {
  own_tiers_.clear();
  for (const TwinJob& job : twin_.jobs()) own_tiers_[job.id] = job.own;
  producers_waited_ = twin_.AnyProducerWaits();
}

void QueueComparison::Check(const Words& words, const std::optional<Reply>& expected) {
  Send(words);
  Compare(expected);
}

void QueueComparison::Compare(const std::optional<Reply>& expected) {
  // Whoever begins to wait may be served at once by what another one, who waited before, does now.
  twin_.ServeWaiters();
  const auto own = std::find_if(twin_.served.begin(), twin_.served.end(),
                                [&](const auto& each) { return each.first == client_; });
  if (own != twin_.served.end()) {
    CompareServed();
    CheckRights();
    return;
  }
  const std::optional<Reply> reply = Read(client_);
  if (reply != expected) {
    std::ostringstream text;
    text << "reply ";
    if (reply) text << *reply;
    text << ", expected ";
    if (expected) text << *expected;
    Differ(text.str());
  }
  AfterRequest();
  CheckRights();
}

void QueueComparison::AfterRequest() {
  twin_.ServeWaiters();
  CompareServed();
}

void QueueComparison::CompareServed() {
  for (const auto& [client, expected] : std::exchange(twin_.served, {})) {
    const std::optional<Reply> reply = Read(client);
    const bool description = expected == Ok();
    if (!reply || (!description && *reply != expected)) {
      std::ostringstream text;
      text << "client " << client << " got ";
      if (reply) text << *reply;
      text << ", expected " << expected;
      Differ(text.str());
    }
  }
  for (int i = 0; i < kClients; ++i) {
    if (const auto reply = Read(i)) {
      std::ostringstream text;
      text << "client " << i << " got " << *reply << " unasked";
      Differ(text.str());
    }
  }
}

void QueueComparison::CompareState() {
  const Entry* entry = engine->broker().store.database(0).Peek("q").entry();
  if ((entry != nullptr) != twin_.exists()) return Differ("the queue exists, or not");
  if (entry == nullptr) return;
  const auto& queue = *static_cast<const rung::Queue*>(entry->object());
  queue.CheckInvariants();
  twin_.Inherit();
  CompareSchedules(queue);
  CompareMarks(queue);
  CompareTurns(queue);
  std::size_t count = 0;
  for (std::size_t i = 0; i < kJobStates; ++i) count += queue.count(static_cast<JobState>(i));
  if (count != twin_.jobs().size()) Differ("another number of jobs");
  for (const TwinJob& job : twin_.jobs()) {
    const Job* found = queue.Find(job.id);
    if (found == nullptr) {
      Differ("job " + std::to_string(job.id) + " is missing");
    } else if (!Agree(*found, job)) {
      Differ("job " + std::to_string(job.id) + " is " + Describe(*found) + ", expected " +
             Describe(job));
    }
  }
}

void QueueComparison::CompareCopy() {
  const Entry* entry = engine->broker().store.database(0).Peek("q").entry();
  if (entry == nullptr) return;
  const auto& queue = *static_cast<const rung::Queue*>(entry->object());
  const std::unique_ptr<rung::Queue> copy = queue.Clone();
  copy->CheckInvariants();
  Digest original, copied;
  queue.AddTo(original);
  copy->AddTo(copied);
  if (original.Hex() != copied.Hex()) Differ("a copy is another one");
}

void QueueComparison::CompareSchedules(const rung::Queue& queue) {
  const auto tuple = [](const auto& next, const auto& last, auto id, auto runs, auto skipped) {
    return std::tuple(next, last, id, runs, skipped);
  };
  if (queue.schedules().size() != twin_.schedules().size()) Differ("another number of schedules");
  for (const auto& [name, twin] : twin_.schedules()) {
    const QueueSchedule* found = queue.schedules().Find(name);
    if (found == nullptr ||
        tuple(found->next_ms, found->last_ms, found->last_id, found->runs, found->skipped) !=
            tuple(twin.next, twin.last, twin.last_id, twin.runs, twin.skipped)) {
      Differ("schedule " + name);
    }
  }
}

void QueueComparison::CompareMarks(const rung::Queue& queue) {
  if (queue.LoadOf({}).full != twin_.IsFull({})) Differ("whether the queue is full");
  for (const auto& tier : queue.tiers()) {
    const bool full = queue.LoadOf({LoadScope::Kind::kTier, tier->number}).full;
    if (full != twin_.IsFull({.tier = tier->number, .group = {}})) {
      Differ("whether tier " + std::to_string(tier->number) + " is full");
    }
  }
  for (std::uint32_t number = 1; number < queue.groups().size(); ++number) {
    const std::string& name = queue.groups()[number].name;
    if (name.empty()) continue;
    const bool full = queue.LoadOf({LoadScope::Kind::kGroup, number}).full;
    if (full != twin_.IsFull({.tier = {}, .group = name})) Differ("whether " + name + " is full");
  }
}

// How far each is ahead of its share, or behind it, in units of virtual time; who idles cannot be
// behind.
void QueueComparison::CompareTurns(const rung::Queue& queue) {
  const auto compare = [&](const std::string& whose, double ahead, const auto& flow,
                           std::int64_t now) {
    double expected = static_cast<double>(flow.start - now) / kShareUnit;
    if (!flow.waits) expected = std::max(expected, 0.0);
    if (!flow.waits) ahead = std::max(ahead, 0.0);
    if (std::abs(ahead - expected) * kShareUnit < 2.0 * kShareTolerance) return;
    Differ(whose + " is ahead of its share by " + std::to_string(ahead) + ", expected " +
           std::to_string(expected));
  };
  const TwinTurns& turns = twin_.turns();
  for (const auto& [tier, flow] : turns.tiers().flows()) {
    const double takes = queue.chooser().AheadBy(tier).value_or(0);
    compare("tier " + std::to_string(tier), takes / static_cast<double>(flow.weight), flow,
            turns.tiers().clock());
  }
  for (const auto& [tier, twin] : turns.groups()) {
    const QueueTier* found = queue.FindTier(tier);
    if (found == nullptr || found->lanes == nullptr) continue;
    const FairShare& share = found->lanes->share;
    for (const auto& [group, flow] : twin.flows()) {
      const std::optional<std::uint32_t> number = queue.groups().Find(group);
      const bool known = number && *number < share.size();
      const double now = share.clock().now().ToDouble();
      const double start = known ? share.flow(*number).start().ToDouble() : now;
      compare("group " + group + " of tier " + std::to_string(tier), start - now, flow,
              twin.clock());
    }
  }
  for (const auto& tier : queue.tiers()) {
    const std::int64_t claim = queue.chooser().Claim(tier->number).value_or(0);
    const std::int64_t expected = turns.Claim(tier->number);
    if (claim == expected) continue;
    Differ("the claim of tier " + std::to_string(tier->number) + " is " + std::to_string(claim) +
           ", expected " + std::to_string(expected));
  }
}

void QueueComparison::CheckRights() {
  const TwinUser user = UserOf(client_);
  const Entry* entry = engine->broker().store.database(0).Peek("q").entry();
  if (entry == nullptr || user.name == "default" || producers_waited_) return;
  const auto& queue = *static_cast<const rung::Queue*>(entry->object());
  for (const TwinJob& twin : twin_.jobs()) {
    const Job* job = queue.Find(twin.id);
    if (job == nullptr) continue;
    const auto known = own_tiers_.find(twin.id);
    const bool made =
        known == own_tiers_.end() && job->extra != nullptr && job->extra->user == user.name;
    const bool raised = known != own_tiers_.end() && job->own_tier() < known->second;
    // One that a schedule made just now may have been lowered since.
    const bool allowed = job->own_tier() >= user.first && (made || job->own_tier() <= user.last);
    if ((made || raised) && !allowed) Differ("job " + std::to_string(twin.id) + " is too urgent");
  }
}

std::string QueueComparison::Describe(const Job& job) {
  std::ostringstream text;
  text << JobStateName(job.state) << " seq " << job.seq << " since " << job.since_ms << " at "
       << (job.state == JobState::kLeased ? 0 : job.at_ms) << " expires " << job.expires_ms()
       << " tier " << job.tier() << " own " << job.own_tier() << " boost " << job.boost()
       << " body " << job.body() << " name " << job.name() << " holds " << job.holds_name
       << " failures " << job.failures << " deliveries " << job.deliveries();
  return text.str();
}

std::string QueueComparison::Describe(const TwinJob& job) {
  std::ostringstream text;
  text << JobStateName(job.state) << " seq " << job.seq << " since " << job.since << " at "
       << job.at << " expires " << job.expires << " tier " << job.tier() << " own " << job.own
       << " boost " << job.boost << " body " << job.body << " name " << job.name << " holds "
       << job.holds_name << " failures " << job.failures << " deliveries " << job.deliveries;
  return text.str();
}

bool QueueComparison::Agree(const Job& job, const TwinJob& twin) {
  const JobExtra none;
  const JobExtra& extra = job.extra == nullptr ? none : *job.extra;
  const bool leased = job.state == JobState::kLeased;
  if (leased && (job.state != twin.state || job.lease->token != twin.token ||
                 job.lease->deadline_ms != twin.deadline)) {
    return false;
  }
  return job.state == twin.state && job.body() == twin.body && job.name() == twin.name &&
         job.seq == twin.seq && job.since_ms == twin.since && job.tier() == twin.tier() &&
         job.own_tier() == twin.own && job.boost() == twin.boost &&
         extra.waits_for == twin.waits_for && (leased || job.at_ms == twin.at) &&
         job.expires_ms() == twin.expires && job.failures == twin.failures &&
         job.deliveries() == twin.deliveries && job.holds_name == twin.holds_name &&
         extra.error == twin.error && extra.progress == twin.progress && job.cost() == twin.cost &&
         extra.reason == twin.reason && extra.has_result == twin.result.has_value() &&
         extra.result == twin.result.value_or("");
}

void QueueComparison::Differ(const std::string& what) {
  if (!difference_.empty()) return;
  difference_ = "after request " + std::to_string(requests_) + " (" + last_request_ +
                ") of client " + std::to_string(client_) + ": " + what;
}

std::string QueueComparison::QueueDigest() {
  const Entry* entry = engine->broker().store.database(0).Peek("q").entry();
  return entry == nullptr ? "none" : entry->ValueDigest().Hex();
}

void QueueComparison::Send(const Words& words) {
  ++requests_;
  for (const std::string& word : words) last_request_ += (last_request_.empty() ? "" : " ") + word;
  clients_[static_cast<std::size_t>(client_)].SendRaw(EncodeRequest(words));
}

std::optional<Reply> QueueComparison::Read(int client) {
  std::optional<Reply>& peeked = peeked_[static_cast<std::size_t>(client)];
  if (peeked) return std::exchange(peeked, std::nullopt);
  return clients_[static_cast<std::size_t>(client)].TryRead();
}

void QueueComparison::Reconnect() {
  clients_.clear();
  peeked_.fill(std::nullopt);
  for (int i = 0; i < kClients; ++i) {
    clients_.push_back(Connect());
    const TwinUser user = UserOf(i);
    clients_.back().session().user = user.name;
    clients_.back().session().tier_rights = {.first = user.first, .last = user.last};
  }
}

TwinUser QueueComparison::UserOf(int client) const {
  if (client + 1 < kClients) return {};
  return {.name = "web", .first = 1, .last = closed_ ? 2u : 50u};
}

}  // namespace rung::testing

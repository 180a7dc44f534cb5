// Queues of blocked clients and marks of watched keys. See waiters.h.

#include "rung/state/waiters.h"

#include <algorithm>
#include <utility>

#include "rung/base/check.h"

namespace rung {

void Waiters::Block(Session& session, std::unique_ptr<Wait> wait,
                    std::span<const std::string_view> keys) {
  RUNG_CHECK(!session.blocked(), "a session waits twice");
  KeyMap<Queue>& queues = QueuesOf(wait->database, wait->topic);
  for (const std::string_view key : keys) {
    const bool twice = std::any_of(wait->places.begin(), wait->places.end(),
                                   [&](const WaitPlace& place) { return place.key == key; });
    if (twice) continue;
    auto found = queues.find(key);
    if (found == queues.end()) found = queues.emplace(std::string(key), Queue{}).first;
    std::list<Session*>& sessions = found->second.sessions;
    wait->places.push_back(
        {.key = found->first, .position = sessions.insert(sessions.end(), &session)});
    ++waiting_[static_cast<std::size_t>(wait->topic)];
  }
  if (wait->deadline) deadlines_.Add(*wait->deadline, &session);
  session.wait = std::move(wait);
  ++blocked_;
}

std::unique_ptr<Wait> Waiters::Unblock(Session& session) {
  RUNG_CHECK(session.blocked(), "unblocking a session that does not wait");
  std::unique_ptr<Wait> wait = std::move(session.wait);
  KeyMap<Queue>& queues = QueuesOf(wait->database, wait->topic);
  for (const WaitPlace& place : wait->places) {
    const auto found = queues.find(place.key);
    found->second.sessions.erase(place.position);
    --waiting_[static_cast<std::size_t>(wait->topic)];
    if (found->second.sessions.empty()) {
      queues.erase(found);
    } else if (wait->topic == WaitTopic::kRoom) {
      // Who stood behind it in line may have what it waited for in vain.
      MarkReady(wait->database, wait->topic, place.key);
    }
  }
  wait->places.clear();
  if (session.deadline_place != SessionDeadlines::kNowhere) {
    deadlines_.Remove(session.deadline_place);
  }
  --blocked_;
  return wait;
}

void Waiters::MarkReady(int database, WaitTopic topic, std::string_view key) {
  KeyMap<Queue>& queues = QueuesOf(database, topic);
  const auto found = queues.find(key);
  if (found == queues.end() || found->second.ready) return;
  found->second.ready = true;
  ready_.push_back({.database = database, .topic = topic, .key = found->first});
}

void Waiters::DatabaseChanged(int database) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < kWaitTopics; ++i) {
    for (const auto& [key, queue] : QueuesOf(database, static_cast<WaitTopic>(i))) {
      keys.push_back(key);
    }
  }
  // The table's order is nobody's business: replies must not depend on it.
  std::sort(keys.begin(), keys.end());
  for (const std::string& key : keys) KeyChanged(database, key);
}

std::vector<Waiters::ReadyKey> Waiters::TakeReady() {
  for (const ReadyKey& key : ready_) {
    KeyMap<Queue>& queues = QueuesOf(key.database, key.topic);
    const auto found = queues.find(key.key);
    if (found != queues.end()) found->second.ready = false;
  }
  return std::exchange(ready_, {});
}

Session* Waiters::NextTimedOut(MonoTime now) const {
  if (deadlines_.empty() || deadlines_.top().deadline > now) return nullptr;
  return deadlines_.top().item;
}

std::optional<MonoTime> Waiters::NextDeadline() const {
  return deadlines_.empty() ? std::nullopt : std::optional(deadlines_.top().deadline);
}

std::size_t Waiters::awaited_keys() const {
  std::size_t count = 0;
  for (const KeyMap<Queue>& queues : queues_) count += queues.size();
  return count;
}

void Watchers::Watch(Session& session, int database, std::string_view key) {
  WatchedKey watched{.database = database, .key = std::string(key)};
  if (std::find(session.watched.begin(), session.watched.end(), watched) != session.watched.end()) {
    return;
  }
  if (session.watched.empty()) ++clients_;
  watchers_[static_cast<std::size_t>(database)][watched.key].push_back(&session);
  session.watched.push_back(std::move(watched));
  ++watches_;
}

void Watchers::UnwatchAll(Session& session) {
  if (!session.watched.empty()) --clients_;
  for (const WatchedKey& watched : session.watched) {
    auto& keys = watchers_[static_cast<std::size_t>(watched.database)];
    const auto found = keys.find(watched.key);
    std::erase(found->second, &session);
    if (found->second.empty()) keys.erase(found);
    --watches_;
  }
  session.watched.clear();
  session.watched_changed = false;
}

void Watchers::Mark(int database, std::string_view key) {
  const auto& keys = watchers_[static_cast<std::size_t>(database)];
  const auto found = keys.find(key);
  if (found == keys.end()) return;
  for (Session* session : found->second) session->watched_changed = true;
}

std::vector<std::string> Watchers::KeysOf(int database) const {
  std::vector<std::string> keys;
  for (const auto& [key, sessions] : watchers_[static_cast<std::size_t>(database)]) {
    keys.push_back(key);
  }
  return keys;
}

std::size_t Watchers::watched_keys() const {
  std::size_t count = 0;
  for (const auto& keys : watchers_) count += keys.size();
  return count;
}

}  // namespace rung

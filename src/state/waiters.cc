// Queues of blocked clients and marks of watched keys. See waiters.h.

#include "rung/state/waiters.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "rung/base/check.h"

namespace rung {

void Waiters::Block(Session& session, std::unique_ptr<Wait> wait,
                    std::span<const std::string_view> keys) {
  RUNG_CHECK(!session.blocked(), "a session waits twice");
  const bool in_line = HasLines(wait->topic);
  wait->arrival = ++arrivals_;
  for (const std::string_view key : keys) {
    const bool twice = std::any_of(wait->places.begin(), wait->places.end(),
                                   [&](const WaitPlace& place) { return place.key == key; });
    if (twice) continue;
    wait->places.push_back(in_line ? EnterLine(session, *wait, key)
                                   : EnterQueue(session, *wait, key));
    ++waiting_[Index(wait->topic)];
  }
  if (wait->deadline) deadlines_.Add(*wait->deadline, &session);
  session.wait = std::move(wait);
  ++blocked_;
}

WaitPlace Waiters::EnterQueue(Session& session, const Wait& wait, std::string_view key) {
  KeyMap<Queue>& queues = QueuesOf(wait.database);
  auto found = queues.find(key);
  if (found == queues.end()) found = queues.emplace(std::string(key), Queue{}).first;
  Sessions& sessions = found->second.sessions;
  return {.key = found->first, .position = sessions.insert(sessions.end(), &session)};
}

// Nearly always behind all others; a session that changes lines may have come before some.
WaitPlace Waiters::EnterLine(Session& session, const Wait& wait, std::string_view key) {
  KeyMap<Lines>& keys = LinesOf(wait.database, wait.topic);
  auto found = keys.find(key);
  if (found == keys.end()) found = keys.emplace(std::string(key), Lines{}).first;
  Sessions& sessions = found->second.by_number[wait.line].sessions;
  auto behind = sessions.end();
  while (behind != sessions.begin() && (*std::prev(behind))->wait->arrival > wait.arrival) --behind;
  return {.key = found->first, .position = sessions.insert(behind, &session)};
}

std::unique_ptr<Wait> Waiters::Unblock(Session& session) {
  RUNG_CHECK(session.blocked(), "unblocking a session that does not wait");
  std::unique_ptr<Wait> wait = std::move(session.wait);
  for (const WaitPlace& place : wait->places) {
    HasLines(wait->topic) ? LeaveLine(*wait, place) : LeaveQueue(*wait, place);
    --waiting_[Index(wait->topic)];
  }
  wait->places.clear();
  if (session.deadline_place != SessionDeadlines::kNowhere) {
    deadlines_.Remove(session.deadline_place);
  }
  --blocked_;
  return wait;
}

void Waiters::LeaveQueue(const Wait& wait, const WaitPlace& place) {
  KeyMap<Queue>& queues = QueuesOf(wait.database);
  const auto found = queues.find(place.key);
  found->second.sessions.erase(place.position);
  if (found->second.sessions.empty()) queues.erase(found);
}

void Waiters::LeaveLine(const Wait& wait, const WaitPlace& place) {
  KeyMap<Lines>& keys = LinesOf(wait.database, wait.topic);
  const auto found = keys.find(place.key);
  auto& lines = found->second.by_number;
  const auto line = lines.find(wait.line);
  line->second.sessions.erase(place.position);
  if (line->second.sessions.empty()) lines.erase(line);
  if (lines.empty()) {
    keys.erase(found);
  } else if (wait.topic == WaitTopic::kRoom) {
    // Who stood behind it in line may have what it waited for in vain.
    MarkReady(wait.database, wait.topic, place.key);
  }
}

void Waiters::ChangeLine(Session& session, std::uint64_t line) {
  Wait& wait = *session.wait;
  if (wait.line == line) return;
  for (WaitPlace& place : wait.places) {
    // The key must outlive its last line.
    const std::string key(place.key);
    LeaveLine(wait, place);
    const std::uint64_t before = std::exchange(wait.line, line);
    place = EnterLine(session, wait, key);
    wait.line = before;  // That of the places yet to be changed.
  }
  wait.line = line;
}

void Waiters::MarkReady(int database, WaitTopic topic, std::string_view key) {
  const auto mark = [&](auto& keys) {
    const auto found = keys.find(key);
    if (found == keys.end() || found->second.ready) return;
    found->second.ready = true;
    ready_.push_back({.database = database, .topic = topic, .key = found->first, .line = {}});
  };
  HasLines(topic) ? mark(LinesOf(database, topic)) : mark(QueuesOf(database));
}

const Waiters::Queue* Waiters::FindLine(int database, WaitTopic topic, std::string_view key,
                                        std::uint64_t line) const {
  const KeyMap<Lines>& keys = lines_[LinesIndex(database, topic)];
  const auto found = keys.find(key);
  if (found == keys.end()) return nullptr;
  const auto place = found->second.by_number.find(line);
  return place == found->second.by_number.end() ? nullptr : &place->second;
}

void Waiters::LineChanged(int database, WaitTopic topic, std::string_view key, std::uint64_t line) {
  if (waiting_[Index(topic)] == 0) return;
  Queue* const queue = FindLine(database, topic, key, line);
  if (queue == nullptr || queue->ready) return;
  queue->ready = true;
  ready_.push_back({.database = database, .topic = topic, .key = std::string(key), .line = line});
}

void Waiters::DatabaseChanged(int database) {
  std::vector<std::string> names;
  const auto collect = [&](const auto& keys) {
    for (const auto& [key, waiting] : keys) names.push_back(key);
  };
  collect(QueuesOf(database));
  for (const WaitTopic topic : {WaitTopic::kJob, WaitTopic::kResult, WaitTopic::kRoom}) {
    collect(LinesOf(database, topic));
  }
  // The table's order is nobody's business: replies must not depend on it.
  std::sort(names.begin(), names.end());
  for (const std::string& key : names) KeyChanged(database, key);
}

std::vector<Waiters::ReadyKey> Waiters::TakeReady() {
  const auto unmark = [](auto& keys, const std::string& key) {
    const auto found = keys.find(key);
    if (found != keys.end()) found->second.ready = false;
  };
  for (const ReadyKey& each : ready_) {
    if (!HasLines(each.topic)) {
      unmark(QueuesOf(each.database), each.key);
    } else if (!each.line) {
      unmark(LinesOf(each.database, each.topic), each.key);
    } else if (Queue* const line = FindLine(each.database, each.topic, each.key, *each.line)) {
      line->ready = false;
    }
  }
  return std::exchange(ready_, {});
}

std::optional<LineHead> Waiters::HeadOf(int database, WaitTopic topic, std::string_view key,
                                        std::uint64_t line) const {
  const Queue* const queue = FindLine(database, topic, key, line);
  if (queue == nullptr) return std::nullopt;
  return LineHead{.arrival = queue->sessions.front()->wait->arrival, .line = line};
}

std::set<LineHead> Waiters::HeadsOf(const ReadyKey& ready) const {
  std::set<LineHead> heads;
  if (ready.line) {
    const auto head = HeadOf(ready.database, ready.topic, ready.key, *ready.line);
    if (head) heads.insert(*head);
    return heads;
  }
  const KeyMap<Lines>& keys = lines_[LinesIndex(ready.database, ready.topic)];
  const auto found = keys.find(ready.key);
  if (found == keys.end()) return heads;
  for (const auto& [line, queue] : found->second.by_number) {
    heads.insert({.arrival = queue.sessions.front()->wait->arrival, .line = line});
  }
  return heads;
}

Session* Waiters::FirstIn(const ReadyKey& ready, std::uint64_t line) const {
  const Queue* const queue = FindLine(ready.database, ready.topic, ready.key, line);
  return queue == nullptr ? nullptr : queue->sessions.front();
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
  for (const KeyMap<Lines>& keys : lines_) count += keys.size();
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

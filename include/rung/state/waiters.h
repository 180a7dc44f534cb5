// Waiters and Watchers: who must hear when a key changes.
//
// Waiters. A blocked client stands in the queue of each of its keys, in order of arrival. When such
// a key changes it becomes ready; after the command (or the whole MULTI or script) that changed
// it, the engine takes the ready keys in the order in which they became ready and runs the waiting
// commands again, first come first served. A client keeps its place if its command still finds
// nothing.
//
// Watchers. WATCH marks a client per key; any change of the key marks the client, and EXEC looks
// at the mark.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rung/base/hash.h"
#include "rung/state/session.h"

namespace rung {

struct BytesHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view bytes) const { return HashBytes(bytes); }
};
template <typename T>
using KeyMap = std::unordered_map<std::string, T, BytesHash, std::equal_to<>>;

class Waiters {
 public:
  explicit Waiters(int database_count)
      : database_count_(static_cast<std::size_t>(database_count)),
        queues_(kWaitTopics * database_count_) {}

  // Blocks `session` on `keys` of its database (duplicates count once). The wait's args, types and
  // deadline are set by the caller. Requires !session.blocked(). O(keys).
  void Block(Session& session, std::unique_ptr<Wait> wait, std::span<const std::string_view> keys);
  // Takes the session out of all queues and returns its wait. Requires session.blocked().
  std::unique_ptr<Wait> Unblock(Session& session);

  // To be told of every change of every key. O(1), nearly free while nobody waits.
  void KeyChanged(int database, std::string_view key) {
    for (std::size_t i = 0; i < kWaitTopics; ++i) {
      if (waiting_[i] != 0) MarkReady(database, static_cast<WaitTopic>(i), key);
    }
  }
  // All awaited keys of a database may have changed (SWAPDB).
  void DatabaseChanged(int database);

  struct ReadyKey {
    int database = 0;
    WaitTopic topic = WaitTopic::kValue;
    std::string key;
  };
  bool has_ready() const { return !ready_.empty(); }
  // Keys that became ready since the last call, each once, in order.
  std::vector<ReadyKey> TakeReady();
  // Calls visit(Session&) for those that wait for a key, in order of arrival, until it returns
  // false. The visit may end the wait of its own session, and nobody else's.
  template <typename F>
  void ForEachWaiting(const ReadyKey& ready, F visit);

  // The blocked session whose deadline is next and due at `now`; null if none.
  Session* NextTimedOut(MonoTime now) const;
  std::optional<MonoTime> NextDeadline() const;

  std::size_t blocked_count() const { return blocked_; }
  // Blocked sessions that wait for keys of `types`, and keys awaited: for INFO clients.
  std::size_t awaited_keys() const;

 private:
  struct Queue {
    std::list<Session*> sessions;
    bool ready = false;
  };

  void MarkReady(int database, WaitTopic topic, std::string_view key);
  KeyMap<Queue>& QueuesOf(int database, WaitTopic topic) {
    return queues_[static_cast<std::size_t>(topic) * database_count_ +
                   static_cast<std::size_t>(database)];
  }

  std::size_t database_count_;
  std::vector<KeyMap<Queue>> queues_;  // By topic, then database.
  std::vector<ReadyKey> ready_;
  SessionDeadlines deadlines_;
  std::array<std::size_t, kWaitTopics> waiting_{};  // Places in all queues.
  std::size_t blocked_ = 0;
};

template <typename F>
void Waiters::ForEachWaiting(const ReadyKey& ready, F visit) {
  KeyMap<Queue>& queues = QueuesOf(ready.database, ready.topic);
  const auto found = queues.find(ready.key);
  if (found == queues.end()) return;
  // When the last one leaves, its queue goes with it: know before the visit whether it is the last.
  auto next = found->second.sessions.begin();
  for (bool last = false; !last;) {
    Session& session = **next;
    last = ++next == found->second.sessions.end();
    if (!visit(session)) return;
  }
}

class Watchers {
 public:
  explicit Watchers(int database_count) : watchers_(static_cast<std::size_t>(database_count)) {}

  void Watch(Session& session, int database, std::string_view key);
  void UnwatchAll(Session& session);
  // To be told of every change of every key. O(1), nearly free while nobody watches.
  void KeyChanged(int database, std::string_view key) {
    if (watches_ != 0) Mark(database, key);
  }
  // The keys of a database that anybody watches, in any order.
  std::vector<std::string> KeysOf(int database) const;
  std::size_t watched_keys() const;
  std::size_t watching_clients() const { return clients_; }

 private:
  void Mark(int database, std::string_view key);

  std::vector<KeyMap<std::vector<Session*>>> watchers_;  // By database.
  std::size_t watches_ = 0;
  std::size_t clients_ = 0;
};

}  // namespace rung

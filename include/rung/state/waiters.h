// Waiters and Watchers: who must hear when a key changes.
//
// Waiters. A blocked client stands in the queue of each of its keys, in order of arrival. When such
// a key changes it becomes ready; after the command (or the whole MULTI or script) that changed
// it, the engine takes the ready keys in the order in which they became ready and runs the waiting
// commands again, first come first served. A client keeps its place if its command still finds
// nothing.
//
// Some topics have lines, by what exactly is awaited: ten thousand clients that wait each for the
// end of another job, or all for the same room, are not asked one and all whenever anything about
// the queue changes. Whoever waits in a line is asked only if the one before it was served.
//
// Watchers. WATCH marks a client per key; any change of the key marks the client, and EXEC looks
// at the mark.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
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

// The first of a line: whose turn it is.
struct LineHead {
  std::uint64_t arrival = 0;  // Smaller: earlier.
  std::uint64_t line = 0;
  auto operator<=>(const LineHead&) const = default;
};

class Waiters {
 public:
  explicit Waiters(int database_count)
      : database_count_(static_cast<std::size_t>(database_count)),
        queues_(database_count_),
        lines_((kWaitTopics - 1) * database_count_) {}

  // Blocks `session` on `keys` of its database (duplicates count once), in the wait's line if its
  // topic has lines. The wait is filled in by the caller, but for places and arrival.
  // Requires !session.blocked(). O(keys).
  void Block(Session& session, std::unique_ptr<Wait> wait, std::span<const std::string_view> keys);
  // Takes the session out of all queues and returns its wait. Requires session.blocked().
  std::unique_ptr<Wait> Unblock(Session& session);
  // Moves a session to another line of its keys, to where it belongs by its arrival.
  void ChangeLine(Session& session, std::uint64_t line);

  // To be told of every change of every key: of what a key has for a value, and of what is in a
  // value. Both O(1), nearly free while nobody waits.
  void KeyChanged(int database, std::string_view key) {
    // Before a producer makes a deleted queue anew, and gives its ids once more.
    if (waiting_[Index(WaitTopic::kResult)] != 0) MarkReady(database, WaitTopic::kResult, key);
    ValueChanged(database, key);
  }
  void ValueChanged(int database, std::string_view key) {
    for (const WaitTopic topic : {WaitTopic::kValue, WaitTopic::kJob, WaitTopic::kRoom}) {
      if (waiting_[Index(topic)] != 0) MarkReady(database, topic, key);
    }
  }
  // Something has changed for those in one line only. O(log lines), nearly free while nobody waits.
  void LineChanged(int database, WaitTopic topic, std::string_view key, std::uint64_t line);
  // All awaited keys of a database may have changed (SWAPDB).
  void DatabaseChanged(int database);

  struct ReadyKey {
    int database = 0;
    WaitTopic topic = WaitTopic::kValue;
    std::string key;
    std::optional<std::uint64_t> line;  // Only that one.
  };
  bool has_ready() const { return !ready_.empty(); }
  // Keys and lines that became ready since the last call, each once, in order.
  std::vector<ReadyKey> TakeReady();
  // Calls visit(Session&) for those that wait for the value of a key, in order of arrival, until it
  // returns false. The visit may end the wait of its own session, and nobody else's.
  template <typename F>
  void ForEachWaiting(const ReadyKey& ready, F visit);
  // The heads of the lines that are ready. O(lines).
  std::set<LineHead> HeadsOf(const ReadyKey& ready) const;
  // Of one line, if anybody waits in it; and who that is. O(log lines).
  std::optional<LineHead> HeadOf(int database, WaitTopic topic, std::string_view key,
                                 std::uint64_t line) const;
  Session* FirstIn(const ReadyKey& ready, std::uint64_t line) const;

  // The blocked session whose deadline is next and due at `now`; null if none.
  Session* NextTimedOut(MonoTime now) const;
  std::optional<MonoTime> NextDeadline() const;

  std::size_t blocked_count() const { return blocked_; }
  // Blocked sessions that wait for keys of `types`, and keys awaited: for INFO clients.
  std::size_t awaited_keys() const;

 private:
  using Sessions = std::list<Session*>;
  struct Queue {
    Sessions sessions;
    bool ready = false;
  };
  // A topic of one key.
  struct Lines {
    std::map<std::uint64_t, Queue> by_number;
    bool ready = false;
  };

  static constexpr std::size_t Index(WaitTopic topic) { return static_cast<std::size_t>(topic); }
  static bool HasLines(WaitTopic topic) { return topic != WaitTopic::kValue; }
  KeyMap<Queue>& QueuesOf(int database) { return queues_[static_cast<std::size_t>(database)]; }
  // Topics without lines have none here.
  std::size_t LinesIndex(int database, WaitTopic topic) const {
    return (Index(topic) - 1) * database_count_ + static_cast<std::size_t>(database);
  }
  KeyMap<Lines>& LinesOf(int database, WaitTopic topic) {
    return lines_[LinesIndex(database, topic)];
  }
  const Queue* FindLine(int database, WaitTopic topic, std::string_view key,
                        std::uint64_t line) const;
  Queue* FindLine(int database, WaitTopic topic, std::string_view key, std::uint64_t line) {
    return const_cast<Queue*>(std::as_const(*this).FindLine(database, topic, key, line));
  }

  void MarkReady(int database, WaitTopic topic, std::string_view key);
  WaitPlace EnterQueue(Session& session, const Wait& wait, std::string_view key);
  WaitPlace EnterLine(Session& session, const Wait& wait, std::string_view key);
  void LeaveQueue(const Wait& wait, const WaitPlace& place);
  void LeaveLine(const Wait& wait, const WaitPlace& place);

  std::size_t database_count_;
  std::vector<KeyMap<Queue>> queues_;  // Of values, by database.
  std::vector<KeyMap<Lines>> lines_;   // By topic, then database.
  std::vector<ReadyKey> ready_;
  SessionDeadlines deadlines_;
  std::array<std::size_t, kWaitTopics> waiting_{};  // Places in all queues.
  std::size_t blocked_ = 0;
  std::uint64_t arrivals_ = 0;
};

template <typename F>
void Waiters::ForEachWaiting(const ReadyKey& ready, F visit) {
  KeyMap<Queue>& queues = QueuesOf(ready.database);
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

// Session: one client as the engine knows it — protocol, database, transaction, what it waits for —
// with no socket in sight. A connection (net/) feeds it bytes and sends what it answers.
//
// An idle session holds no buffer: partial input, a transaction, a wait and subscriptions are
// allocated when they begin and freed when they end, so that ten thousand idle clients stay cheap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/deadline_heap.h"
#include "rung/base/time.h"
#include "rung/resp/reply_buffer.h"
#include "rung/resp/reply_writer.h"
#include "rung/resp/request_parser.h"
#include "rung/state/owned_args.h"
#include "rung/state/subscriptions.h"
#include "rung/store/entry.h"
#include "rung/types/tier_rights.h"
#include "rung/types/wait_topic.h"

namespace rung {

class Session;

using SessionId = std::uint64_t;

struct SessionPlaces {
  static void Set(Session* session, std::uint32_t place);
};
using SessionDeadlines = DeadlineHeap<MonoTime, Session*, SessionPlaces>;

// Who is at the other end. Text as CLIENT LIST shows it.
struct PeerInfo {
  std::string address;  // "127.0.0.1:50000", "/run/rung.sock:0".
  std::string local_address;
  int descriptor = -1;
  bool unix_socket = false;
  bool loopback = true;  // For protected mode and enable-debug-command local.
};

// Bit per value type that a blocked client can be served from.
using ValueTypeMask = std::uint32_t;
constexpr ValueTypeMask MaskOf(ValueType type) { return 1u << static_cast<unsigned>(type); }

struct QueuedCommand {
  OwnedArgs args;
};

struct Transaction {
  bool aborted = false;     // A command was refused while queueing: EXEC answers EXECABORT.
  bool has_writes = false;  // CLIENT PAUSE WRITE holds its EXEC back.
  bool has_growth = false;  // EXEC is refused when memory is full.
  std::vector<QueuedCommand> commands;
  std::size_t bytes = 0;  // Held by `commands`, for CLIENT LIST multi-mem.
};

// One place in one key's queue of waiters, or in one of its lines.
struct WaitPlace {
  std::string_view key;  // Points into the table's own key.
  std::list<Session*>::iterator position;
};

// A command that waits for one of its keys, or for something else with a deadline.
struct Wait {
  OwnedArgs args;  // To be run again, whole, when a key becomes ready.
  std::vector<WaitPlace> places;
  int database = 0;
  ValueTypeMask types = 0;
  WaitTopic topic = WaitTopic::kValue;
  std::uint64_t line = 0;            // Of a topic with lines: in which one.
  std::uint64_t arrival = 0;         // Counted up with each wait.
  bool wakes_on_deletion = false;    // XREADGROUP hears of a deleted key; the rest keep waiting.
  std::optional<MonoTime> deadline;  // Nothing: for ever.
  MonoTime since{};
};

struct WatchedKey {
  int database = 0;
  std::string key;
  bool operator==(const WatchedKey&) const = default;
};

// Bytes that have come and are not run yet: a partial request, or a pipeline behind a wait.
struct PendingInput {
  std::string bytes;
  std::size_t start = 0;  // First byte of the current request in `bytes`.
  RequestParser parser;
};

enum class ReplyMode : std::uint8_t { kOn, kOff, kSkipNext, kSkipThis };

// Which limit of client-output-buffer-limit holds.
enum class SessionClass : std::uint8_t { kNormal, kReplica, kPubSub };

class Session {
 public:
  Session(SessionId session_id, PeerInfo peer_info, BlockPool& pool, Now now)
      : id(session_id),
        peer(std::move(peer_info)),
        out(pool),
        reply(out, false),
        created_wall_ms(now.wall_ms()),
        last_active(now.mono) {}

  const SessionId id;
  const PeerInfo peer;

  ReplyBuffer out;
  RespWriter reply;

  // --- What the client has chosen. ---
  int database = 0;
  bool authenticated = false;
  std::string user = "default";
  TierRights tier_rights;  // The user's.
  std::string name;
  std::string library_name;
  std::string library_version;
  ReplyMode reply_mode = ReplyMode::kOn;
  bool no_evict = false;
  bool no_touch = false;
  bool monitor = false;

  // --- What it is in the middle of. ---
  std::unique_ptr<PendingInput> pending;
  std::unique_ptr<Transaction> transaction;
  std::unique_ptr<Wait> wait;
  std::unique_ptr<Subscriptions> subscriptions;  // Changed by PubSub only.
  std::vector<WatchedKey> watched;
  bool watched_changed = false;   // A watched key changed: EXEC answers null.
  bool postponed = false;         // CLIENT PAUSE holds its next request back.
  bool waits_for_reader = false;  // It asks and does not read: the rest of its pipeline waits.

  // --- How it ends. ---
  bool close_after_reply = false;  // QUIT, protocol errors: what is written still goes out.
  bool close_now = false;          // Killed or over a limit: nothing more goes out.

  // --- For CLIENT LIST and limits. ---
  const std::int64_t created_wall_ms;
  MonoTime last_active;
  std::string_view last_command = "NULL";  // A literal of the command table.
  std::optional<MonoTime> over_soft_limit_since;
  std::uint64_t commands_run = 0;
  std::uint64_t bytes_in = 0;

  // --- Bookkeeping of the engine and the connection. ---
  SessionDeadlines::Place deadline_place = SessionDeadlines::kNowhere;
  bool dirty = false;          // In the list of sessions that the connection must look at.
  bool in_backlog = false;     // In the list of sessions with requests left to run.
  void* connection = nullptr;  // The connection's own pointer to itself; opaque here.

  bool closing() const { return close_after_reply || close_now; }
  bool blocked() const { return wait != nullptr; }
  bool subscribed() const { return subscriptions != nullptr; }
  std::size_t subscription_count(TopicKind kind) const {
    return subscriptions == nullptr ? 0 : subscriptions->of(kind).size();
  }
  SessionClass session_class() const {
    return subscribed() ? SessionClass::kPubSub : SessionClass::kNormal;
  }
};

inline void SessionPlaces::Set(Session* session, std::uint32_t place) {
  session->deadline_place = place;
}

}  // namespace rung

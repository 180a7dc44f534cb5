// ExecContext: the few things that a handler may touch while one command runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "rung/base/result.h"
#include "rung/base/time.h"
#include "rung/commands/command.h"
#include "rung/resp/reply_writer.h"
#include "rung/state/broker.h"
#include "rung/state/session.h"
#include "rung/store/keyspace.h"

namespace rung {

class Catalog;
class Scripting;
struct Command;
struct ExecContext;

// Where a command comes from, which decides whether it may wait and how it is logged.
enum class Origin : std::uint8_t { kClient, kTransaction, kScript };

// Why a handler runs.
enum class Attempt : std::uint8_t {
  kFirst,     // The client has just asked.
  kRetry,     // It was waiting, and one of its keys has changed.
  kTimedOut,  // It was waiting, and its time is over: answer what "nothing" looks like.
};

// One command as a script calls it. `args` and `reply` as a handler sees them.
struct ScriptedCommand {
  const Command& command;
  std::span<const std::string_view> args;
  ReplyWriter& reply;
};

// Running a command from inside a command: EXEC, and scripts. The engine's dispatcher.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  virtual const Catalog& catalog() const = 0;
  virtual Scripting& scripting() = 0;
  // Runs one request of a transaction and writes its reply. Never blocks.
  virtual void RunQueued(Session& session, std::span<const std::string_view> args) = 0;
  // Runs one command of a script, for which `caller` runs: at its time, for its client. Never
  // blocks. Nothing is checked: gates are the script engine's affair.
  virtual Outcome RunFromScript(const ExecContext& caller, const ScriptedCommand& called) = 0;
  // A script runs too long: serves other clients for a moment.
  virtual void ServeWhileBusy() = 0;
  // Shows the request to those who MONITOR, ahead of what it calls.
  virtual void ShowToMonitors(const ExecContext& ctx) = 0;
  // The session has output, or is to be closed: its connection must look at it.
  virtual void MarkDirty(Session& session) = 0;
  // Ends a wait from outside (CLIENT UNBLOCK, CLIENT KILL): as by time-out, or with this error.
  virtual void EndWait(Session& session, std::optional<std::string_view> error) = 0;
  // CLIENT UNPAUSE: the sessions held back go on.
  virtual void ResumePostponed() = 0;
  // Hands a message to whoever listens to the channel, of the patterns too unless it is a shard
  // channel; returns how many copies were made. `kind`: kChannel or kShardChannel. A client that
  // publishes to itself gets its copy after its reply.
  virtual std::int64_t Publish(TopicKind kind, std::string_view channel,
                               std::string_view message) = 0;
};

struct ExecContext {
  Broker& broker;
  Dispatcher& dispatcher;
  Session& session;
  Database& db;  // The session's database.
  ReplyWriter& reply;
  const Command& command;
  std::span<const std::string_view> args;  // The whole request, name first.
  Now now;
  Origin origin = Origin::kClient;
  Attempt attempt = Attempt::kFirst;

  // Writes the error as the reply. Nothing may have been changed.
  Outcome Fail(std::string_view error);
  Outcome Fail(const Error& error) { return Fail(std::string_view(error.text())); }

  // LogPolicy::kRewritten: one record of what was done. Call only when something changed.
  void Log(std::initializer_list<std::string_view> record) {
    broker.effects.Append(db.index(), record);
  }
  void Log(std::span<const std::string_view> record) { broker.effects.Append(db.index(), record); }
  // The request itself is the record after all.
  void LogVerbatim() { broker.effects.Append(db.index(), args); }

  // False inside MULTI and scripts, and when the wait is over: answer "nothing" now.
  bool MayBlock() const { return origin == Origin::kClient && attempt != Attempt::kTimedOut; }
  // Waits until one of `keys` changes, for `timeout` at most (nullopt: for ever); then the handler
  // runs again with the same arguments. `types`: values it can be served from. Requires MayBlock().
  Outcome BlockOn(std::span<const std::string_view> keys, ValueTypeMask types,
                  std::optional<std::chrono::nanoseconds> timeout);
  // The same; with `retry_args` in place of the request's own when it runs again (XREAD fixes what
  // `$` meant), and also woken when a key is deleted if `wakes_on_deletion`.
  Outcome BlockOn(std::span<const std::string_view> keys, ValueTypeMask types,
                  std::optional<std::chrono::nanoseconds> timeout, OwnedArgs retry_args,
                  bool wakes_on_deletion);
  // Waits for a queue, in the line of that number among those of the topic: see wait_topic.h. Also
  // woken when a key is deleted, but for kJob.
  Outcome BlockInLine(WaitTopic topic, std::span<const std::string_view> keys, std::uint64_t line,
                      std::optional<std::chrono::nanoseconds> timeout);
};

}  // namespace rung

// The way of one request: look up, pass the gates, queue or run. See engine.h.

#include <string>
#include <string_view>
#include <utility>

#include "engine/gates.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/engine/engine.h"

namespace rung {
namespace {

// As much of the arguments as an error about an unknown command quotes.
constexpr std::size_t kQuotedBytes = 128;

// A web page can make a browser send lines to a port of its user's machine, requests to the broker
// among them. The lines in front of those give it away.
bool IsWebRequest(std::string_view word) {
  return EqualsIgnoreCase(word, "POST") || EqualsIgnoreCase(word, "Host:");
}

// While CLIENT PAUSE holds, is this command held back?
bool IsPaused(const GateInput& input) {
  const Pause& pause = input.broker.pause;
  if (!pause.until) return false;
  if (!pause.writes_only) return true;
  if ((FlagsOf(input) & (kWrite | kMayReplicate)) != 0) return true;
  return EndsTransaction(input.session, input.command) && input.session.transaction->has_writes;
}

}  // namespace

void Engine::RefuseUnknown(Session& session, std::span<const std::string_view> args) {
  std::string error;
  const Command* container = catalog_.FindTop(args[0]);
  if (container != nullptr && args.size() >= 2) {
    error = "ERR unknown subcommand '" + std::string(args[1].substr(0, kQuotedBytes)) + "'. Try " +
            ToUpper(container->full_name) + " HELP.";
  } else if (container != nullptr) {
    error = "ERR wrong number of arguments for '" + container->full_name + "' command";
  } else {
    error = "ERR unknown command '" + std::string(args[0].substr(0, kQuotedBytes)) +
            "', with args beginning with: ";
    std::string quoted;
    for (const std::string_view arg : args.subspan(1)) {
      if (quoted.size() >= kQuotedBytes) break;
      quoted += "'" + std::string(arg.substr(0, kQuotedBytes - quoted.size())) + "' ";
    }
    error += quoted;
  }
  Refuse(session, nullptr, error);
}

void Engine::Refuse(Session& session, const Command* command, std::string_view error) {
  if (session.transaction != nullptr) session.transaction->aborted = true;
  const std::size_t output_before = session.out.size();
  session.reply.WriteError(error);
  broker_.statistics.CountError(error.substr(0, error.find(' ')));
  if (command != nullptr) {
    ++broker_.statistics.commands[static_cast<std::size_t>(command->id)].rejected;
  }
  ApplyReplyMode(session, output_before, false);
  MarkDirty(session);
}

// An EXEC that may not run ends its transaction, and says so.
void Engine::RefuseExec(Session& session, const Command& exec, std::string_view reason) {
  session.transaction.reset();
  broker_.watchers.UnwatchAll(session);
  Refuse(session, &exec, "EXECABORT Transaction discarded because of: " + std::string(reason));
}

Engine::Verdict Engine::Dispatch(Session& session, std::span<const std::string_view> args) {
  const Command* command = catalog_.Find(args);
  if (command == nullptr) {
    if (IsWebRequest(args[0])) {
      session.close_now = true;
      MarkDirty(session);
      return Verdict::kRefused;
    }
    // A stranger is told to log in, and not which commands there are.
    if (!session.authenticated) {
      Refuse(session, nullptr, "NOAUTH Authentication required.");
    } else {
      RefuseUnknown(session, args);
    }
    return Verdict::kRefused;
  }
  session.last_command = command->full_name;
  const GateInput input{.broker = broker_,
                        .scripting = scripts_,
                        .session = session,
                        .command = *command,
                        .args = args};
  if (const Gate* gate = FirstRefusal(input)) {
    if (EndsTransaction(session, *command)) {
      RefuseExec(session, *command, gate->error(input));
    } else {
      Refuse(session, command, gate->error(input));
    }
    return Verdict::kRefused;
  }
  if (IsPaused(input)) {
    session.postponed = true;
    postponed_.push_back(&session);
    return Verdict::kPostponed;
  }
  if (session.transaction != nullptr && !command->Has(kRunsInMulti)) {
    Queue(input);
    return Verdict::kGo;
  }
  Execute(session, *command, args, Origin::kClient, Attempt::kFirst);
  // In the middle of a script what it has done so far is not to be cut off.
  if (interrupted_ == nullptr) FinishUnit();
  return Verdict::kGo;
}

void Engine::Queue(const GateInput& input) {
  Session& session = input.session;
  Transaction& transaction = *session.transaction;
  transaction.commands.push_back({.args = OwnedArgs(input.args)});
  transaction.bytes += transaction.commands.back().args.MemoryBytes();
  const std::uint32_t flags = FlagsOf(input);
  transaction.has_writes = transaction.has_writes || (flags & (kWrite | kMayReplicate)) != 0;
  transaction.has_growth = transaction.has_growth || (flags & kDenyOom) != 0;
  const std::size_t output_before = session.out.size();
  session.reply.Status("QUEUED");
  ApplyReplyMode(session, output_before, false);
  MarkDirty(session);
}

void Engine::RunQueued(Session& session, std::span<const std::string_view> args) {
  const Command* command = catalog_.Find(args);
  // Gates were passed when it was queued; only a rename of commands could have come between.
  if (command == nullptr) return RefuseUnknown(session, args);
  Execute(session, *command, args, Origin::kTransaction, Attempt::kFirst);
}

Outcome Engine::Execute(Session& session, const Command& command,
                        std::span<const std::string_view> args, Origin origin, Attempt attempt) {
  const std::size_t output_before = session.out.size();
  const std::uint64_t changes_before = broker_.store.change_count();
  const MonoTime started = now_.mono;
  Session* const interrupted = std::exchange(running_, &session);
  const std::size_t held_before = held_pushes_.size();
  ExecContext ctx{.broker = broker_,
                  .dispatcher = *this,
                  .session = session,
                  .db = broker_.store.database(session.database),
                  .reply = session.reply,
                  .command = command,
                  .args = args,
                  .now = now_,
                  .origin = origin,
                  .attempt = attempt};
  broker_.store.set_touching(!session.no_touch);
  ArgReader reader(args.subspan(command.name_words()));
  const Outcome outcome = command.spec->handler(ctx, reader);
  Commit(ctx, outcome, changes_before, started);
  running_ = interrupted;
  if (outcome != Outcome::kBlocked) {
    ApplyReplyMode(session, output_before, command.Has(kAnswersByPush));
  }
  if (interrupted != &session && held_pushes_.size() != held_before) {
    SendHeldPushes(session, held_before);
  }
  if (session.out.size() != output_before || session.closing()) MarkDirty(session);
  return outcome;
}

// Replies of commands within EXEC are part of its own reply, which decides for all.
void Engine::ApplyReplyMode(Session& session, std::size_t output_before, bool is_push) {
  if (session.reply_mode == ReplyMode::kOn || running_ == &session) return;
  if (!is_push) session.out.TruncateTo(output_before);
  if (session.reply_mode == ReplyMode::kSkipNext) {
    // CLIENT REPLY SKIP itself: silent, and so is the next one.
    session.reply_mode = ReplyMode::kSkipThis;
  } else if (session.reply_mode == ReplyMode::kSkipThis) {
    session.reply_mode = ReplyMode::kOn;
  }
}

}  // namespace rung

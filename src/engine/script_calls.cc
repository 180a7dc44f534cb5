// Commands that scripts call, and other clients while a script runs too long. See engine.h.

#include <utility>

#include "rung/commands/arg_reader.h"
#include "rung/engine/engine.h"

namespace rung {

// The shorter twin of Execute: time stands still for the script, the reply goes to the script, and
// what is to be done after a command is left to the end of the command that runs it.
Outcome Engine::RunFromScript(const ExecContext& caller, const ScriptedCommand& called) {
  Session& session = caller.session;
  const std::uint64_t changes_before = broker_.store.change_count();
  const MonoTime started = broker_.clock.ReadMono();
  ExecContext ctx{.broker = broker_,
                  .dispatcher = *this,
                  .session = session,
                  .db = broker_.store.database(session.database),
                  .reply = called.reply,
                  .command = called.command,
                  .args = called.args,
                  .now = caller.now,
                  .origin = Origin::kScript};
  ArgReader reader(called.args.subspan(called.command.name_words()));
  const Outcome outcome = called.command.spec->handler(ctx, reader);
  const bool changed = broker_.store.change_count() != changes_before;
  if (changed && called.command.spec->log == LogPolicy::kVerbatim) {
    broker_.effects.Append(ctx.db.index(), ctx.args);
  }
  if (!broker_.monitors.empty()) FeedMonitors(ctx);
  Count(ctx, outcome, broker_.clock.ReadMono() - started);
  return outcome;
}

void Engine::ShowToMonitors(const ExecContext& ctx) {
  if (!broker_.monitors.empty() && ctx.attempt == Attempt::kFirst) ShowLine(ctx);
}

// Everything that an event sets up is put back: the command that is interrupted has its time, its
// parser and its place among those that run.
void Engine::ServeWhileBusy() {
  const Now now = now_;
  RequestParser parser = std::exchange(parser_, RequestParser());
  Session* const running = std::exchange(running_, nullptr);
  interrupted_ = running;
  broker_.host.ServeWhileBusy();
  interrupted_ = nullptr;
  running_ = running;
  parser_ = std::move(parser);
  now_ = now;
  broker_.store.BeginEvent(now_.wall_ms());
  if (running != nullptr) broker_.store.set_touching(!running->no_touch);
}

}  // namespace rung

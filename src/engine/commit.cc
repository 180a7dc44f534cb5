// After a command: log it if it changed something, count it, tell monitors and the slow log, and
// wake who waited. See engine.h.

#include <chrono>
#include <memory>
#include <string>

#include "engine/secrets.h"
#include "rung/base/quoting.h"
#include "rung/engine/engine.h"

namespace rung {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;

}  // namespace

void Engine::Commit(const ExecContext& ctx, Outcome outcome, std::uint64_t changes_before,
                    MonoTime started) {
  const bool changed = broker_.store.change_count() != changes_before;
  if (changed && ctx.command.spec->log == LogPolicy::kVerbatim) {
    broker_.effects.Append(ctx.db.index(), ctx.args);
  }
  // The end of this command is the start of the next one: one reading of the clock serves both.
  const MonoTime ended = broker_.clock.ReadMono();
  const auto took_ns = ended - started;
  const auto took = duration_cast<microseconds>(took_ns);
  now_.wall_us += took;
  now_.mono = ended;
  if (took > milliseconds(1)) BeginEvent();
  if (!broker_.monitors.empty()) FeedMonitors(ctx);
  if (outcome == Outcome::kBlocked) return;
  ++ctx.session.commands_run;
  Count(ctx, outcome, took_ns);
  const std::int64_t slow_us = broker_.options().slowlog_log_slower_than_us;
  if (slow_us >= 0 && took.count() >= slow_us) NoteSlow(ctx, took);
}

void Engine::Count(const ExecContext& ctx, Outcome outcome, std::chrono::nanoseconds took) {
  ++broker_.statistics.commands_processed;
  CommandStatistics& statistics =
      broker_.statistics.commands[static_cast<std::size_t>(ctx.command.id)];
  ++statistics.calls;
  statistics.microseconds += static_cast<std::uint64_t>(duration_cast<microseconds>(took).count());
  if (outcome == Outcome::kFailed) ++statistics.failed;
  if (broker_.options().latency_tracking) {
    if (statistics.histogram == nullptr)
      statistics.histogram = std::make_unique<LatencyHistogram>();
    statistics.histogram->Record(static_cast<std::uint64_t>(took.count()));
  }
  NoteSpike(ctx.command.Has(kFast) ? "fast-command" : "command", took);
}

void Engine::NoteSpike(std::string_view event, std::chrono::nanoseconds took) {
  const std::int64_t threshold_ms = broker_.options().latency_monitor_threshold_ms;
  if (threshold_ms == 0 || took < milliseconds(threshold_ms)) return;
  broker_.latency.Add(event, now_.wall_ms() / 1000, duration_cast<milliseconds>(took).count());
}

void Engine::NoteSlow(const ExecContext& ctx, std::chrono::microseconds took) {
  if (ctx.command.Has(kSkipSlowLog)) return;
  broker_.slow_log.Add(WithoutSecrets(ctx.command, ctx.args),
                       {.wall_seconds = now_.wall_ms() / 1000,
                        .microseconds = took.count(),
                        .args = {},
                        .client_address = ctx.session.peer.address,
                        .client_name = ctx.session.name},
                       broker_.options().slowlog_max_len);
}

void Engine::FeedMonitors(const ExecContext& ctx) {
  if (ctx.command.Has(kSkipMonitor | kAdmin) || ctx.attempt != Attempt::kFirst) return;
  ShowLine(ctx);
}

void Engine::ShowLine(const ExecContext& ctx) {
  const std::int64_t us = ctx.now.wall_us.count();
  std::string fraction = std::to_string(us % 1000000);
  fraction.insert(0, 6 - fraction.size(), '0');
  std::string line = std::to_string(us / 1000000) + "." + fraction + " [" +
                     std::to_string(ctx.db.index()) + " " +
                     (ctx.origin == Origin::kScript ? "lua" : ctx.session.peer.address) + "]";
  for (const std::string_view arg : WithoutSecrets(ctx.command, ctx.args)) {
    line += ' ';
    line += Quote(arg);
  }
  for (Session* monitor : broker_.monitors) {
    monitor->reply.Status(line);
    CheckOutputLimit(*monitor);
    MarkDirty(*monitor);
  }
}

// The end of a client's command, or of what a timer did: effects go out as one unit, and waiting
// clients get what has become ready, each as a unit of its own.
void Engine::FinishUnit() {
  broker_.effects.FinishUnit();
  if (broker_.waiters.has_ready()) ServeReadyKeys();
}

void Engine::OnChanged(Database& db, std::string_view key) {
  broker_.waiters.KeyChanged(db.index(), key);
  broker_.watchers.KeyChanged(db.index(), key);
}

void Engine::OnEdited(Database& db, std::string_view key) {
  broker_.waiters.ValueChanged(db.index(), key);
  broker_.watchers.KeyChanged(db.index(), key);
}

void Engine::OnExpired(Database& db, std::string_view key) {
  broker_.effects.Append(db.index(), {"DEL", key});
}

}  // namespace rung

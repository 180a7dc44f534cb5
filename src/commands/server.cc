// TIME ROLE MONITOR SHUTDOWN LOLWUT: the server as a whole.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "commands/authentication.h"
#include "commands/families.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/commands/scripting.h"

namespace rung {
namespace {

Outcome Time(ExecContext& ctx, ArgReader& /*args*/) {
  constexpr std::int64_t kMicro = 1000000;
  ctx.reply.Array(2);
  ctx.reply.BulkInteger(ctx.now.wall_us.count() / kMicro);
  ctx.reply.BulkInteger(ctx.now.wall_us.count() % kMicro);
  return Outcome::kReplied;
}

Outcome Role(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Array(3);
  ctx.reply.Bulk("master");
  ctx.reply.Integer(0);
  ctx.reply.EmptyArray();
  return Outcome::kReplied;
}

Outcome Monitor(ExecContext& ctx, ArgReader& /*args*/) {
  if (ctx.origin != Origin::kClient) {
    return ctx.Fail("ERR MONITOR isn't allowed for DENY BLOCKING client");
  }
  ctx.reply.Ok();
  if (!ctx.session.monitor) {
    ctx.session.monitor = true;
    ctx.broker.monitors.push_back(&ctx.session);
  }
  return Outcome::kReplied;
}

struct ShutdownOptions {
  bool with_save = false;
  bool without_save = false;
  bool now = false;
  bool force = false;
  bool abort = false;

  bool IsContradictory() const {
    return (abort && (with_save || without_save || now || force)) || (with_save && without_save);
  }
};

std::optional<ShutdownOptions> ReadShutdown(ArgReader& args) {
  ShutdownOptions options;
  while (args.More()) {
    if (args.Take("SAVE")) {
      options.with_save = true;
    } else if (args.Take("NOSAVE")) {
      options.without_save = true;
    } else if (args.Take("NOW")) {
      options.now = true;
    } else if (args.Take("FORCE")) {
      options.force = true;
    } else if (args.Take("ABORT")) {
      options.abort = true;
    } else {
      return std::nullopt;
    }
  }
  if (options.IsContradictory()) return std::nullopt;
  return options;
}

// The host ends the process after this turn; a client that asked gets its connection closed and no
// reply.
Outcome Shutdown(ExecContext& ctx, ArgReader& args) {
  const std::optional<ShutdownOptions> options = ReadShutdown(args);
  if (!options) return ctx.Fail(errors::kSyntax);
  if (options->abort) return ctx.Fail("ERR No shutdown in progress.");
  if (ctx.broker.script.busy && !options->without_save) {
    return ctx.Fail(BusyError(ctx.broker.script));
  }
  if (options->with_save && !options->force) {
    return ctx.Fail("ERR Errors trying to SHUTDOWN. Check logs.");
  }
  ctx.broker.shutdown =
      ShutdownRequest{.force = options->force, .now = options->now, .client = &ctx.session};
  return Outcome::kBlocked;
}

Outcome Lolwut(ExecContext& ctx, ArgReader& args) {
  constexpr std::int64_t kRungsMax = 40;
  std::int64_t rungs = 5;
  if (args.TakeWithValue("VERSION")) args.Integer();
  if (args.More()) rungs = args.IntegerIn(0, kRungsMax, errors::kOutOfRange);
  args.Rest();
  if (!args.ok()) return ctx.Fail(*args.error());
  std::string ladder;
  for (std::int64_t i = 0; i < rungs; ++i) ladder += "|      |\n|======|\n";
  ctx.reply.Verbatim(ladder + "|      |\nOne rung at a time. Redis ver. " +
                     std::string(kRedisVersion) + "\n");
  return Outcome::kReplied;
}

constexpr std::array kCommands = {
    Declare({.name = "TIME",
             .arity = 1,
             .flags = kLoading | kStale | kFast,
             .tips = "nondeterministic_output",
             .group = "server",
             .since = "2.6.0",
             .summary = "Returns the time as seconds since 1970 and microseconds.",
             .complexity = "O(1)",
             .handler = &Time}),
    Declare({.name = "ROLE",
             .arity = 1,
             .flags = kNoScript | kLoading | kStale | kFast,
             .acl = "admin dangerous",
             .group = "server",
             .since = "2.8.12",
             .summary = "Returns the part that this server plays in replication.",
             .complexity = "O(1)",
             .handler = &Role}),
    Declare({.name = "MONITOR",
             .arity = 1,
             .flags = kAdmin | kNoScript | kLoading | kStale,
             .group = "server",
             .since = "1.0.0",
             .summary = "Shows this connection each command that any client runs.",
             .complexity = "O(1)",
             .handler = &Monitor}),
    Declare({.name = "SHUTDOWN",
             .arity = -1,
             .flags = kAdmin | kNoScript | kLoading | kStale | kNoMulti | kAllowBusy,
             .group = "server",
             .since = "1.0.0",
             .summary = "Ends the server.",
             .complexity = "O(1)",
             .syntax = "[NOSAVE | SAVE] [NOW] [FORCE] [ABORT]",
             .handler = &Shutdown}),
    Declare({.name = "LOLWUT",
             .arity = -1,
             .flags = kReadOnly | kFast,
             .group = "server",
             .since = "5.0.0",
             .summary = "Draws a ladder.",
             .complexity = "O(1)",
             .syntax = "[VERSION version:integer] [rungs:integer]",
             .handler = &Lolwut}),
};

}  // namespace

std::span<const CommandSpec> ServerCommands() { return kCommands; }

}  // namespace rung

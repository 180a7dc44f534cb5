// DEBUG: for tests and for looking inside. Refused unless enable-debug-command allows it.
//
// As in Redis, DEBUG is one command whose first word is looked up here and not in the catalog.

#include "commands/debug.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "commands/config_command.h"
#include "commands/families.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"

namespace rung {
namespace {

// Taken for the sake of tests that ask for it; there is nothing here that it could change.
Outcome AcceptOnly(ExecContext& ctx, ArgReader& args) {
  args.Rest();
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome NeedsPersistence(ExecContext& ctx, ArgReader& /*args*/) {
  return ctx.Fail("ERR This server keeps its data in memory only: there is nothing to reload");
}

Outcome SetActiveExpire(ExecContext& ctx, ArgReader& args) {
  const std::int64_t active = args.Integer();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  ctx.broker.store.set_active_expiry(active != 0);
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome SetDisableDenyScripts(ExecContext& ctx, ArgReader& args) {
  const std::int64_t allow = args.Integer();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  ctx.broker.script.allows_all = allow != 0;
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome Sleep(ExecContext& ctx, ArgReader& args) {
  constexpr double kMicro = 1e6;
  constexpr double kSecondsMax = 1e6;
  const double seconds = args.Double();
  if (args.ok() && (seconds < 0 || seconds > kSecondsMax)) args.Fail(errors::kOutOfRange);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  ctx.broker.clock.Sleep(std::chrono::microseconds(static_cast<std::int64_t>(seconds * kMicro)));
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome ReplyError(ExecContext& ctx, ArgReader& args) { return ctx.Fail(args.Bytes()); }

Outcome RewriteAll(ExecContext& ctx, ArgReader& /*args*/) {
  if (const auto error = RewriteConfigFile(ctx, Config::RewriteScope::kEverything)) {
    return ctx.Fail("ERR CONFIG-REWRITE-FORCE-ALL failed: " + error->text());
  }
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome Help(ExecContext& ctx, ArgReader& args);

struct Subcommand {
  std::string_view name;
  std::size_t words_min;  // Behind the name.
  std::size_t words_max;
  Handler handler;
  std::string_view usage;
  std::string_view summary;
};

constexpr std::size_t kManyWords = SIZE_MAX;

constexpr std::array kSubcommands = {
    Subcommand{"CHANGE-REPL-ID", 0, 0, &AcceptOnly, "", "Accepted; there is no replication."},
    Subcommand{"CONFIG-REWRITE-FORCE-ALL", 0, 0, &RewriteAll, "",
               "Like CONFIG REWRITE, with the options at their default too."},
    Subcommand{"DIGEST", 0, 0, &DebugDigest, "", "Returns a fingerprint of all data."},
    Subcommand{"DIGEST-VALUE", 0, kManyWords, &DebugDigestValue, " [<key> ...]",
               "Returns a fingerprint of each value."},
    Subcommand{"ERROR", 1, 1, &ReplyError, " <text>", "Answers this error."},
    Subcommand{"LOADAOF", 0, 0, &NeedsPersistence, "", "Refused without persistence."},
    Subcommand{"OBJECT", 1, 1, &DebugObject, " <key>", "Describes a value's inner form."},
    Subcommand{"PAUSE-CRON", 1, 1, &AcceptOnly, " <0|1>", "Accepted; has no effect."},
    Subcommand{"POPULATE", 1, 3, &DebugPopulate, " <count> [<prefix>] [<size>]",
               "Makes strings <prefix>:0 and so on; prefix is \"key\" unless given."},
    Subcommand{"PROTOCOL", 1, 1, &DebugProtocol, " <type>", "Answers a sample of a reply type."},
    Subcommand{"QUICKLIST-PACKED-THRESHOLD", 1, 1, &AcceptOnly, " <size>",
               "Accepted; has no effect."},
    Subcommand{"RELOAD", 0, 3, &NeedsPersistence, " [<option> ...]",
               "Refused without persistence."},
    Subcommand{"REPLYBUFFER", 2, 2, &AcceptOnly, " <option> <value>", "Accepted; has no effect."},
    Subcommand{"SET-ACTIVE-EXPIRE", 1, 1, &SetActiveExpire, " <0|1>",
               "Whether keys past their time go by themselves, or only when touched."},
    Subcommand{"SET-DISABLE-DENY-SCRIPTS", 1, 1, &SetDisableDenyScripts, " <0|1>",
               "Whether scripts may call what is not meant for them."},
    Subcommand{"SLEEP", 1, 1, &Sleep, " <seconds>", "Holds the whole server up."},
    Subcommand{"HELP", 0, 0, &Help, "", "Lists the subcommands."},
};

Outcome Help(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Array(1 + 2 * kSubcommands.size());
  ctx.reply.Status("DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
  for (const Subcommand& sub : kSubcommands) {
    ctx.reply.Status(std::string(sub.name) + std::string(sub.usage));
    ctx.reply.Status("    " + std::string(sub.summary));
  }
  return Outcome::kReplied;
}

Outcome Debug(ExecContext& ctx, ArgReader& args) {
  const std::string_view name = args.Bytes();
  for (const Subcommand& sub : kSubcommands) {
    const bool fits = args.left() >= sub.words_min && args.left() <= sub.words_max;
    if (fits && EqualsIgnoreCase(name, sub.name)) return sub.handler(ctx, args);
  }
  constexpr std::size_t kQuotedBytes = 128;
  return ctx.Fail("ERR unknown subcommand or wrong number of arguments for '" +
                  std::string(name.substr(0, kQuotedBytes)) + "'. Try DEBUG HELP.");
}

constexpr std::array kCommands = {
    Declare({.name = "DEBUG",
             .arity = -2,
             .flags = kAdmin | kNoScript | kLoading | kStale | kGuarded,
             .group = "server",
             .since = "1.0.0",
             .summary = "Commands for tests and for looking inside.",
             .complexity = "That of the subcommand",
             .syntax = "subcommand [arg...]",
             .handler = &Debug}),
};

}  // namespace

std::span<const CommandSpec> DebugCommands() { return kCommands; }

}  // namespace rung

// EVAL EVALSHA EVAL_RO EVALSHA_RO FCALL FCALL_RO SCRIPT: arguments and replies. The running of
// scripts is behind the port Scripting.

#include <array>
#include <string>

#include "commands/families.h"
#include "commands/help.h"
#include "commands/script_kill.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/commands/scripting.h"

namespace rung {
namespace {

constexpr std::string_view kTooManyKeys = "ERR Number of keys can't be greater than number of args";
constexpr std::string_view kNegativeKeys = "ERR Number of keys can't be negative";

// A function that is not there is the first mistake to be told, before one in the count of keys.
Outcome FailCount(ExecContext& ctx, ScriptKind kind, std::string_view name,
                  std::string_view mistake) {
  if (kind != ScriptKind::kFunction) return ctx.Fail(mistake);
  for (const LibraryInfo& library : ctx.dispatcher.scripting().Libraries()) {
    for (const FunctionInfo& function : library.functions) {
      if (EqualsIgnoreCase(function.name, name)) return ctx.Fail(mistake);
    }
  }
  return ctx.Fail("ERR Function not found");
}

template <ScriptKind kKind, bool kReadOnlyScript>
Outcome RunScript(ExecContext& ctx, ArgReader& args) {
  // Those who look on see the script ahead of what it calls.
  ctx.dispatcher.ShowToMonitors(ctx);
  const std::string_view script = args.Bytes();
  constexpr bool kIsFunction = kKind == ScriptKind::kFunction;
  const std::int64_t keys =
      args.Integer(kIsFunction ? "ERR Bad number of keys provided" : errors::kNotInteger);
  if (!args.ok()) return FailCount(ctx, kKind, script, args.error()->text());
  if (keys > static_cast<std::int64_t>(args.left())) {
    return FailCount(ctx, kKind, script, kTooManyKeys);
  }
  if (keys < 0) return FailCount(ctx, kKind, script, kNegativeKeys);
  const std::span<const std::string_view> key_words = args.Take(static_cast<std::size_t>(keys));
  return ctx.dispatcher.scripting().Run(ctx, {.kind = kKind,
                                              .script = script,
                                              .keys = key_words,
                                              .args = args.Rest(),
                                              .read_only = kReadOnlyScript});
}

Outcome ScriptLoad(ExecContext& ctx, ArgReader& args) {
  const Result<std::string> sha = ctx.dispatcher.scripting().Load(args.Bytes());
  if (!sha.ok()) return ctx.Fail(sha.error());
  ctx.reply.Bulk(*sha);
  return Outcome::kReplied;
}

Outcome ScriptExists(ExecContext& ctx, ArgReader& args) {
  const std::span<const std::string_view> names = args.Rest();
  ctx.reply.Array(names.size());
  for (const std::string_view sha : names) {
    ctx.reply.Integer(ctx.dispatcher.scripting().Knows(sha) ? 1 : 0);
  }
  return Outcome::kReplied;
}

Outcome ScriptFlush(ExecContext& ctx, ArgReader& args) {
  const bool known = !args.More() || args.Take("SYNC") || args.Take("ASYNC");
  if (!known || args.More()) {
    return ctx.Fail("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
  }
  ctx.dispatcher.scripting().FlushScripts();
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome ScriptDebug(ExecContext& ctx, ArgReader& args) {
  if (args.Take("NO")) {
    ctx.reply.Ok();
    return Outcome::kReplied;
  }
  if (args.Take("YES") || args.Take("SYNC")) {
    return ctx.Fail("ERR There is no script debugger");
  }
  return ctx.Fail("ERR Use SCRIPT DEBUG YES/SYNC/NO");
}

Outcome ScriptKill(ExecContext& ctx, ArgReader& /*args*/) {
  return KillScript(ctx, ScriptKind::kText);
}

constexpr std::uint32_t kRunFlags = kNoScript | kSkipMonitor | kNoMandatoryKeys | kStale;
constexpr std::uint32_t kRunAnyFlags = kRunFlags | kMayReplicate;
constexpr std::uint32_t kRunReadOnlyFlags = kRunFlags | kReadOnly;
constexpr int kAnyKeys = kKeyReadWrite | kKeyAccess | kKeyUpdate;
constexpr int kReadKeys = kKeyRead | kKeyAccess;

constexpr std::array kSubcommands = {
    Declare({.name = "DEBUG",
             .arity = 3,
             .flags = kNoScript,
             .group = "scripting",
             .since = "3.2.0",
             .summary = "Refused: there is no debugger.",
             .complexity = "O(1)",
             .syntax = "(YES | SYNC | NO)",
             .handler = &ScriptDebug}),
    Declare({.name = "EXISTS",
             .arity = -3,
             .flags = kNoScript,
             .tips = "request_policy:all_shards response_policy:agg_logical_and",
             .group = "scripting",
             .since = "2.6.0",
             .summary = "Tells which scripts are known by these SHA1 digests.",
             .complexity = "O(n) for n digests",
             .syntax = "sha1...",
             .handler = &ScriptExists}),
    Declare({.name = "FLUSH",
             .arity = -2,
             .flags = kNoScript,
             .tips = "request_policy:all_nodes response_policy:all_succeeded",
             .group = "scripting",
             .since = "2.6.0",
             .summary = "Forgets all scripts.",
             .complexity = "O(n) for n scripts",
             .syntax = "[ASYNC | SYNC]",
             .handler = &ScriptFlush}),
    Declare({.name = "KILL",
             .arity = 2,
             .flags = kNoScript | kAllowBusy,
             .tips = "request_policy:all_shards response_policy:one_succeeded",
             .group = "scripting",
             .since = "2.6.0",
             .summary = "Ends the script that is running, if it has written nothing yet.",
             .complexity = "O(1)",
             .handler = &ScriptKill}),
    Declare({.name = "LOAD",
             .arity = 3,
             .flags = kNoScript | kStale,
             .tips = "request_policy:all_nodes response_policy:all_succeeded",
             .group = "scripting",
             .since = "2.6.0",
             .summary = "Compiles a script and keeps it; returns its SHA1 digest.",
             .complexity = "O(n) for a text of n bytes",
             .syntax = "script",
             .handler = &ScriptLoad}),
    HelpSubcommand("scripting", "5.0.0"),
};

constexpr std::array kCommands = {
    Declare({.name = "EVAL",
             .arity = -3,
             .flags = kRunAnyFlags,
             .keys = {KeysCountedAt(2, kAnyKeys)},
             .group = "scripting",
             .since = "2.6.0",
             .summary = "Runs a Lua script as one atomic step.",
             .complexity = "That of the script",
             .syntax = "script numkeys:integer [key:key...] [arg...]",
             .handler = &RunScript<ScriptKind::kText, false>}),
    Declare({.name = "EVALSHA",
             .arity = -3,
             .flags = kRunAnyFlags,
             .keys = {KeysCountedAt(2, kAnyKeys)},
             .group = "scripting",
             .since = "2.6.0",
             .summary = "Runs a script that is known by its SHA1 digest.",
             .complexity = "That of the script",
             .syntax = "sha1 numkeys:integer [key:key...] [arg...]",
             .handler = &RunScript<ScriptKind::kSha, false>}),
    Declare({.name = "EVAL_RO",
             .arity = -3,
             .flags = kRunReadOnlyFlags,
             .keys = {KeysCountedAt(2, kReadKeys)},
             .group = "scripting",
             .since = "7.0.0",
             .summary = "Runs a Lua script that must not write.",
             .complexity = "That of the script",
             .syntax = "script numkeys:integer [key:key...] [arg...]",
             .handler = &RunScript<ScriptKind::kText, true>}),
    Declare({.name = "EVALSHA_RO",
             .arity = -3,
             .flags = kRunReadOnlyFlags,
             .keys = {KeysCountedAt(2, kReadKeys)},
             .group = "scripting",
             .since = "7.0.0",
             .summary = "Runs a script, known by its SHA1 digest, that must not write.",
             .complexity = "That of the script",
             .syntax = "sha1 numkeys:integer [key:key...] [arg...]",
             .handler = &RunScript<ScriptKind::kSha, true>}),
    Declare({.name = "FCALL",
             .arity = -3,
             .flags = kRunAnyFlags,
             .keys = {KeysCountedAt(2, kAnyKeys)},
             .group = "scripting",
             .since = "7.0.0",
             .summary = "Calls a function of a library as one atomic step.",
             .complexity = "That of the function",
             .syntax = "function numkeys:integer [key:key...] [arg...]",
             .handler = &RunScript<ScriptKind::kFunction, false>}),
    Declare({.name = "FCALL_RO",
             .arity = -3,
             .flags = kRunReadOnlyFlags,
             .keys = {KeysCountedAt(2, kReadKeys)},
             .group = "scripting",
             .since = "7.0.0",
             .summary = "Calls a function that must not write.",
             .complexity = "That of the function",
             .syntax = "function numkeys:integer [key:key...] [arg...]",
             .handler = &RunScript<ScriptKind::kFunction, true>}),
    Declare({.name = "SCRIPT",
             .arity = -2,
             .group = "scripting",
             .since = "2.6.0",
             .summary = "Commands about the scripts that are known.",
             .complexity = "That of the subcommand",
             .subcommands = kSubcommands}),
};

}  // namespace

std::optional<ScriptKind> ScriptKindOf(const CommandSpec& spec) {
  if (spec.name == "EVAL" || spec.name == "EVAL_RO") return ScriptKind::kText;
  if (spec.name == "EVALSHA" || spec.name == "EVALSHA_RO") return ScriptKind::kSha;
  if (spec.name == "FCALL" || spec.name == "FCALL_RO") return ScriptKind::kFunction;
  return std::nullopt;
}

std::string_view BusyError(const ScriptRun& script) {
  return script.is_function
             ? "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN "
               "NOSAVE."
             : "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN "
               "NOSAVE.";
}

Outcome KillScript(ExecContext& ctx, ScriptKind kind) {
  ScriptRun& script = ctx.broker.script;
  if (!script.running) return ctx.Fail("NOTBUSY No scripts in execution right now.");
  if (script.has_written) {
    return ctx.Fail(
        "UNKILLABLE Sorry the script already executed write commands against the dataset. You can "
        "either wait the script termination or kill the server in a hard way using the SHUTDOWN "
        "NOSAVE command.");
  }
  // Each kind is ended by its own command only.
  if (script.is_function != (kind == ScriptKind::kFunction)) return ctx.Fail(BusyError(script));
  script.kill = true;
  ctx.reply.Ok();
  return Outcome::kReplied;
}

std::span<const CommandSpec> ScriptCommands() { return kCommands; }

}  // namespace rung

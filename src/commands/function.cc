// FUNCTION: libraries of functions, which FCALL calls (script.cc). What they hold and how they run
// is behind the port Scripting.

#include <array>
#include <chrono>
#include <string>

#include "commands/families.h"
#include "commands/function_dump.h"
#include "commands/help.h"
#include "commands/script_kill.h"
#include "rung/base/glob.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/commands/scripting.h"

namespace rung {
namespace {

Outcome FunctionLoad(ExecContext& ctx, ArgReader& args) {
  bool replace = false;
  while (args.left() > 1) {
    if (!args.Take("REPLACE")) {
      return ctx.Fail("ERR Unknown option given: " + std::string(args.Peek()));
    }
    replace = true;
  }
  const Result<std::string> name = ctx.dispatcher.scripting().LoadLibrary(args.Bytes(), replace);
  if (!name.ok()) return ctx.Fail(name.error());
  ctx.LogVerbatim();
  ctx.reply.Bulk(*name);
  return Outcome::kReplied;
}

Outcome FunctionDelete(ExecContext& ctx, ArgReader& args) {
  if (!ctx.dispatcher.scripting().DeleteLibrary(args.Bytes())) {
    return ctx.Fail("ERR Library not found");
  }
  ctx.LogVerbatim();
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome TooManyWords(ExecContext& ctx) {
  constexpr std::size_t kQuotedBytes = 128;
  return ctx.Fail("ERR unknown subcommand or wrong number of arguments for '" +
                  std::string(ctx.args[1].substr(0, kQuotedBytes)) + "'. Try FUNCTION HELP.");
}

Outcome FunctionFlush(ExecContext& ctx, ArgReader& args) {
  if (args.left() > 1) return TooManyWords(ctx);
  if (args.More() && !args.Take("SYNC") && !args.Take("ASYNC")) {
    return ctx.Fail("ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  ctx.dispatcher.scripting().FlushLibraries();
  ctx.LogVerbatim();
  ctx.reply.Ok();
  return Outcome::kReplied;
}

void ReplyFunction(ExecContext& ctx, const FunctionInfo& function) {
  ctx.reply.Map(3);
  ctx.reply.Bulk("name");
  ctx.reply.Bulk(function.name);
  ctx.reply.Bulk("description");
  if (function.description) {
    ctx.reply.Bulk(*function.description);
  } else {
    ctx.reply.Null();
  }
  ctx.reply.Bulk("flags");
  std::size_t count = 0;
  for (std::size_t bit = 0; bit < kScriptFlagNames.size(); ++bit) {
    count += (function.flags >> bit) & 1u;
  }
  ctx.reply.Set(count);
  for (std::size_t bit = 0; bit < kScriptFlagNames.size(); ++bit) {
    if (((function.flags >> bit) & 1u) != 0) ctx.reply.Status(kScriptFlagNames[bit]);
  }
}

void ReplyLibrary(ExecContext& ctx, const LibraryInfo& library, bool with_code) {
  ctx.reply.Map(with_code ? 4 : 3);
  ctx.reply.Bulk("library_name");
  ctx.reply.Bulk(library.name);
  ctx.reply.Bulk("engine");
  ctx.reply.Bulk("LUA");
  ctx.reply.Bulk("functions");
  ctx.reply.Array(library.functions.size());
  for (const FunctionInfo& function : library.functions) ReplyFunction(ctx, function);
  if (!with_code) return;
  ctx.reply.Bulk("library_code");
  ctx.reply.Bulk(library.code);
}

Outcome FunctionList(ExecContext& ctx, ArgReader& args) {
  bool with_code = false;
  std::optional<std::string_view> pattern;
  while (args.More()) {
    if (!with_code && args.Take("WITHCODE")) {
      with_code = true;
    } else if (!pattern && args.Take("LIBRARYNAME")) {
      if (!args.More()) return ctx.Fail("ERR library name argument was not given");
      pattern = args.Bytes();
    } else {
      return ctx.Fail("ERR Unknown argument " + std::string(args.Peek()));
    }
  }
  std::vector<LibraryInfo> libraries = ctx.dispatcher.scripting().Libraries();
  if (pattern) {
    std::erase_if(libraries, [&](const LibraryInfo& library) {
      return !GlobMatch(*pattern, library.name, CaseMode::kIgnore);
    });
  }
  ctx.reply.Array(libraries.size());
  for (const LibraryInfo& library : libraries) ReplyLibrary(ctx, library, with_code);
  return Outcome::kReplied;
}

Outcome FunctionDump(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Bulk(DumpLibraries(ctx.dispatcher.scripting().Libraries()));
  return Outcome::kReplied;
}

Outcome FunctionRestore(ExecContext& ctx, ArgReader& args) {
  if (args.left() > 2) return TooManyWords(ctx);
  const std::string_view payload = args.Bytes();
  RestorePolicy policy = RestorePolicy::kAppend;
  if (args.Take("REPLACE")) {
    policy = RestorePolicy::kReplace;
  } else if (args.Take("FLUSH")) {
    policy = RestorePolicy::kFlush;
  } else if (args.More() && !args.Take("APPEND")) {
    return ctx.Fail(
        "ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.");
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<std::vector<std::string>> codes = ReadLibraryDump(payload);
  if (!codes.ok()) return ctx.Fail(codes.error());
  if (const auto error = ctx.dispatcher.scripting().RestoreLibraries(*codes, policy)) {
    return ctx.Fail(*error);
  }
  ctx.LogVerbatim();
  ctx.reply.Ok();
  return Outcome::kReplied;
}

void ReplyRunning(ExecContext& ctx) {
  const ScriptRun& script = ctx.broker.script;
  if (!script.running) return ctx.reply.Null();
  ctx.reply.Map(3);
  ctx.reply.Bulk("name");
  ctx.reply.Bulk(script.name);
  ctx.reply.Bulk("command");
  ctx.reply.Array(script.request.size());
  for (const std::string_view word : script.request) ctx.reply.Bulk(word);
  ctx.reply.Bulk("duration_ms");
  ctx.reply.Integer(
      std::chrono::duration_cast<std::chrono::milliseconds>(ctx.now.mono - script.started).count());
}

Outcome FunctionStats(ExecContext& ctx, ArgReader& /*args*/) {
  if (ctx.broker.script.running && !ctx.broker.script.is_function) {
    return ctx.Fail(BusyError(ctx.broker.script));
  }
  const ScriptFigures figures = ctx.dispatcher.scripting().Figures();
  ctx.reply.Map(2);
  ctx.reply.Bulk("running_script");
  ReplyRunning(ctx);
  ctx.reply.Bulk("engines");
  ctx.reply.Map(1);
  ctx.reply.Bulk("LUA");
  ctx.reply.Map(2);
  ctx.reply.Bulk("libraries_count");
  ctx.reply.Integer(static_cast<std::int64_t>(figures.libraries));
  ctx.reply.Bulk("functions_count");
  ctx.reply.Integer(static_cast<std::int64_t>(figures.functions));
  return Outcome::kReplied;
}

Outcome FunctionKill(ExecContext& ctx, ArgReader& /*args*/) {
  return KillScript(ctx, ScriptKind::kFunction);
}

constexpr std::string_view kAllShards = "request_policy:all_shards response_policy:all_succeeded";

constexpr std::array kSubcommands = {
    Declare({.name = "DELETE",
             .arity = 3,
             .flags = kNoScript | kWrite,
             .log = LogPolicy::kRewritten,
             .tips = kAllShards,
             .group = "scripting",
             .since = "7.0.0",
             .summary = "Deletes a library and its functions.",
             .complexity = "O(n) for n functions",
             .syntax = "library-name",
             .handler = &FunctionDelete}),
    Declare({.name = "DUMP",
             .arity = 2,
             .flags = kNoScript,
             .group = "scripting",
             .since = "7.0.0",
             .summary = "Returns all libraries in the form that RESTORE takes.",
             .complexity = "O(n) for n bytes",
             .handler = &FunctionDump}),
    Declare({.name = "FLUSH",
             .arity = -2,
             .flags = kNoScript | kWrite,
             .log = LogPolicy::kRewritten,
             .tips = kAllShards,
             .group = "scripting",
             .since = "7.0.0",
             .summary = "Deletes all libraries.",
             .complexity = "O(n) for n functions",
             .syntax = "[ASYNC | SYNC]",
             .handler = &FunctionFlush}),
    Declare({.name = "KILL",
             .arity = 2,
             .flags = kNoScript | kAllowBusy,
             .tips = "request_policy:all_shards response_policy:one_succeeded",
             .group = "scripting",
             .since = "7.0.0",
             .summary = "Ends the function that is running, if it has written nothing yet.",
             .complexity = "O(1)",
             .handler = &FunctionKill}),
    Declare({.name = "LIST",
             .arity = -2,
             .flags = kNoScript,
             .tips = "nondeterministic_output_order",
             .group = "scripting",
             .since = "7.0.0",
             .summary = "Returns the libraries and their functions.",
             .complexity = "O(n) for n functions",
             .syntax = "[LIBRARYNAME library-name-pattern:pattern] [WITHCODE]",
             .handler = &FunctionList}),
    Declare({.name = "LOAD",
             .arity = -3,
             .flags = kNoScript | kWrite | kDenyOom,
             .log = LogPolicy::kRewritten,
             .tips = kAllShards,
             .group = "scripting",
             .since = "7.0.0",
             .summary = "Compiles a library and takes in the functions that it registers.",
             .complexity = "O(n) for a text of n bytes",
             .syntax = "[REPLACE] function-code",
             .handler = &FunctionLoad}),
    Declare({.name = "RESTORE",
             .arity = -3,
             .flags = kNoScript | kWrite | kDenyOom,
             .log = LogPolicy::kRewritten,
             .tips = kAllShards,
             .group = "scripting",
             .since = "7.0.0",
             .summary = "Takes in the libraries of a dump.",
             .complexity = "O(n) for n bytes",
             .syntax = "serialized-value [FLUSH | APPEND | REPLACE]",
             .handler = &FunctionRestore}),
    Declare({.name = "STATS",
             .arity = 2,
             .flags = kNoScript | kAllowBusy,
             .tips = "nondeterministic_output request_policy:all_shards response_policy:special",
             .group = "scripting",
             .since = "7.0.0",
             .summary = "Returns the function that is running, and how many there are.",
             .complexity = "O(1)",
             .handler = &FunctionStats}),
    HelpSubcommand("scripting", "7.0.0"),
};

constexpr std::array kCommands = {
    Declare({.name = "FUNCTION",
             .arity = -2,
             .group = "scripting",
             .since = "7.0.0",
             .summary = "Commands about functions.",
             .complexity = "That of the subcommand",
             .subcommands = kSubcommands}),
};

}  // namespace

std::span<const CommandSpec> FunctionCommands() { return kCommands; }

}  // namespace rung

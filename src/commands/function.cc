// FUNCTION: there are no functions, so flushing them is easy, and so is listing them.

#include <array>

#include "commands/families.h"
#include "commands/help.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

Outcome FunctionFlush(ExecContext& ctx, ArgReader& args) {
  if (args.More() && !args.Take("SYNC") && !args.Take("ASYNC")) {
    return ctx.Fail("ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  ctx.reply.Ok();
  return Outcome::kReplied;
}

constexpr std::array kSubcommands = {
    // A change of nothing: no write, so that it is served while memory or disk are full.
    Declare({.name = "FLUSH",
             .arity = -2,
             .flags = kNoScript,
             .tips = "request_policy:all_shards response_policy:all_succeeded",
             .group = "scripting",
             .since = "7.0.0",
             .summary = "Deletes all functions; there are none.",
             .complexity = "O(1)",
             .syntax = "[ASYNC | SYNC]",
             .handler = &FunctionFlush}),
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

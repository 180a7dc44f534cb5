// CONFIG: options while the broker runs. What they are called and mean is in src/config/.

#include "commands/config_command.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/families.h"
#include "commands/help.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/catalog.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

Outcome ConfigGet(ExecContext& ctx, ArgReader& args) {
  const std::vector<Config::OwnedPair> found = ctx.broker.config.Get(args.Rest());
  ctx.reply.Map(found.size());
  for (const auto& [name, value] : found) {
    ctx.reply.Bulk(name);
    ctx.reply.Bulk(value);
  }
  return Outcome::kReplied;
}

Outcome ConfigSet(ExecContext& ctx, ArgReader& args) {
  if (args.left() % 2 != 0) {
    return ctx.Fail("ERR wrong number of arguments for '" + ctx.command.full_name + "' command");
  }
  std::vector<Config::Pair> pairs;
  while (args.More()) {
    const std::string_view name = args.Bytes();
    pairs.emplace_back(name, args.Bytes());
  }
  const bool local = ctx.session.peer.unix_socket || ctx.session.peer.loopback;
  const Config::Origin origin = local ? Config::Origin::kLocal : Config::Origin::kRemote;
  if (const auto error = ctx.broker.config.Set(pairs, origin, ctx.broker.host)) {
    return ctx.Fail(*error);
  }
  ctx.broker.ApplyOptions();
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome ConfigResetStat(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.broker.statistics.Reset(ctx.broker.host.FreedGarbage());
  ctx.broker.store.stats() = {};
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome ConfigRewrite(ExecContext& ctx, ArgReader& /*args*/) {
  if (ctx.broker.host.Identity().config_file.empty()) {
    return ctx.Fail("ERR The server is running without a config file");
  }
  if (const auto error = RewriteConfigFile(ctx, Config::RewriteScope::kChangedOnly)) {
    return ctx.Fail("ERR Rewriting config file: " + error->text());
  }
  ctx.reply.Ok();
  return Outcome::kReplied;
}

constexpr std::uint32_t kFlags = kAdmin | kNoScript | kLoading | kStale;
constexpr std::string_view kAllNodes = "request_policy:all_nodes response_policy:all_succeeded";

constexpr std::array kSubcommands = {
    Declare({.name = "GET",
             .arity = -3,
             .flags = kFlags,
             .group = "server",
             .since = "2.0.0",
             .summary = "Returns the options whose names match any of the patterns.",
             .complexity = "O(n) for n options",
             .syntax = "parameter...",
             .handler = &ConfigGet}),
    Declare({.name = "SET",
             .arity = -4,
             .flags = kFlags,
             .tips = kAllNodes,
             .group = "server",
             .since = "2.0.0",
             .summary = "Changes options: all that are named, or none.",
             .complexity = "O(n) for n options",
             .syntax = "(parameter value)...",
             .handler = &ConfigSet}),
    Declare({.name = "RESETSTAT",
             .arity = 2,
             .flags = kFlags,
             .tips = kAllNodes,
             .group = "server",
             .since = "2.0.0",
             .summary = "Sets the counters of INFO back to zero.",
             .complexity = "O(1)",
             .handler = &ConfigResetStat}),
    Declare({.name = "REWRITE",
             .arity = 2,
             .flags = kFlags,
             .tips = kAllNodes,
             .group = "server",
             .since = "2.8.0",
             .summary = "Writes the options as they are now into the configuration file.",
             .complexity = "O(n) for the size of the file",
             .handler = &ConfigRewrite}),
    HelpSubcommand("server", "5.0.0"),
};

constexpr std::array kCommands = {
    Declare({.name = "CONFIG",
             .arity = -2,
             .group = "server",
             .since = "2.0.0",
             .summary = "Commands about options.",
             .complexity = "That of the subcommand",
             .subcommands = kSubcommands}),
};

}  // namespace

std::optional<Error> RewriteConfigFile(ExecContext& ctx, Config::RewriteScope scope) {
  const Result<std::string> old_text = ctx.broker.host.ReadConfigFile();
  if (!old_text.ok()) return old_text.error();
  return ctx.broker.host.WriteConfigFile(ctx.broker.config.Rewrite(*old_text, scope));
}

std::span<const CommandSpec> ConfigCommands() { return kCommands; }

}  // namespace rung

// CLUSTER and what belongs to it, on a broker that is never a part of a cluster. Clients probe with
// these commands, and take the one error that they know for "this is a single server".

#include <array>

#include "commands/families.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

Outcome Disabled(ExecContext& ctx, ArgReader& /*args*/) {
  return ctx.Fail("ERR This instance has cluster support disabled");
}

constexpr std::string_view kSummary = "Refused: there is no cluster.";

consteval CommandSpec Subcommand(std::string_view name, int arity, std::string_view since,
                                 std::string_view syntax = {}) {
  return Declare({.name = name,
                  .arity = arity,
                  .flags = kStale,
                  .group = "cluster",
                  .since = since,
                  .summary = kSummary,
                  .complexity = "O(1)",
                  .syntax = syntax,
                  .handler = &Disabled});
}

consteval CommandSpec Mode(std::string_view name) {
  return Declare({.name = name,
                  .arity = 1,
                  .flags = kFast | kLoading | kStale,
                  .acl = "connection",
                  .group = "cluster",
                  .since = "3.0.0",
                  .summary = kSummary,
                  .complexity = "O(1)",
                  .handler = &Disabled});
}

constexpr std::array kSubcommands = {
    Subcommand("COUNTKEYSINSLOT", 3, "3.0.0", "slot:integer"),
    Subcommand("INFO", 2, "3.0.0"),
    Subcommand("KEYSLOT", 3, "3.0.0", "key"),
    Subcommand("MYID", 2, "3.0.0"),
    Subcommand("NODES", 2, "3.0.0"),
    Subcommand("SHARDS", 2, "7.0.0"),
    Subcommand("SLOTS", 2, "3.0.0"),
};

constexpr std::array kCommands = {
    Mode("ASKING"),
    Declare({.name = "CLUSTER",
             .arity = -2,
             .group = "cluster",
             .since = "3.0.0",
             .summary = "Commands about a cluster, which this server is never part of.",
             .complexity = "That of the subcommand",
             .subcommands = kSubcommands}),
    Mode("READONLY"),
    Mode("READWRITE"),
};

}  // namespace

std::span<const CommandSpec> ClusterCommands() { return kCommands; }

}  // namespace rung

// SAVE BGSAVE LASTSAVE BGREWRITEAOF REPLICAOF SLAVEOF WAIT: what this server does not have yet is
// refused in plain words, so that nobody believes that data is safe which is not.

#include <array>
#include <string>
#include <string_view>

#include "commands/families.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

Outcome Save(ExecContext& ctx, ArgReader& /*args*/) {
  return ctx.Fail("ERR This server keeps its data in memory only and cannot save it");
}

Outcome LastSave(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Integer(ctx.broker.started_wall_ms / 1000);
  return Outcome::kReplied;
}

Outcome ReplicaOf(ExecContext& ctx, ArgReader& args) {
  const std::string_view host = args.Bytes();
  const std::string_view port = args.Bytes();
  if (!EqualsIgnoreCase(host, "NO") || !EqualsIgnoreCase(port, "ONE")) {
    return ctx.Fail("ERR This server cannot replicate from another one");
  }
  ctx.reply.Ok();
  return Outcome::kReplied;
}

// There is no replica that could confirm anything, however long one waits.
Outcome Wait(ExecContext& ctx, ArgReader& args) {
  args.Integer();
  args.TimeoutMilliseconds();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  ctx.reply.Integer(0);
  return Outcome::kReplied;
}

constexpr std::uint32_t kFlags = kAdmin | kNoScript;

constexpr std::array kCommands = {
    Declare({.name = "SAVE",
             .arity = 1,
             .flags = kFlags | kNoMulti,
             .group = "server",
             .since = "1.0.0",
             .summary = "Saves the data; refused as long as there is no persistence.",
             .complexity = "O(1)",
             .handler = &Save}),
    Declare({.name = "BGSAVE",
             .arity = -1,
             .flags = kFlags,
             .group = "server",
             .since = "1.0.0",
             .summary = "Saves the data in the background; refused without persistence.",
             .complexity = "O(1)",
             .syntax = "[SCHEDULE]",
             .handler = &Save}),
    Declare({.name = "BGREWRITEAOF",
             .arity = 1,
             .flags = kFlags,
             .group = "server",
             .since = "1.0.0",
             .summary = "Rewrites the log of writes; refused without persistence.",
             .complexity = "O(1)",
             .handler = &Save}),
    Declare({.name = "LASTSAVE",
             .arity = 1,
             .flags = kLoading | kStale | kFast,
             .acl = "admin dangerous",
             .tips = "nondeterministic_output",
             .group = "server",
             .since = "1.0.0",
             .summary = "Returns when the data was last saved: never, so when the server began.",
             .complexity = "O(1)",
             .handler = &LastSave}),
    Declare({.name = "REPLICAOF",
             .arity = 3,
             .flags = kFlags | kStale,
             .group = "server",
             .since = "5.0.0",
             .summary = "Makes this server a primary, which it is; nothing else is possible.",
             .complexity = "O(1)",
             .syntax = "(NO ONE | host port:integer)",
             .handler = &ReplicaOf}),
    Declare({.name = "SLAVEOF",
             .arity = 3,
             .flags = kFlags | kStale,
             .group = "server",
             .since = "1.0.0",
             .summary = "The old name of REPLICAOF.",
             .complexity = "O(1)",
             .syntax = "(NO ONE | host port:integer)",
             .handler = &ReplicaOf}),
    Declare({.name = "WAIT",
             .arity = 3,
             .acl = "connection",
             .tips = "request_policy:all_shards response_policy:agg_min",
             .group = "generic",
             .since = "3.0.0",
             .summary = "Returns how many replicas have this client's writes: none.",
             .complexity = "O(1)",
             .syntax = "numreplicas:integer timeout:integer",
             .handler = &Wait}),
};

}  // namespace

std::span<const CommandSpec> PersistenceCommands() { return kCommands; }

}  // namespace rung

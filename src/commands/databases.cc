// DBSIZE FLUSHDB FLUSHALL SWAPDB: whole databases.

#include <array>
#include <optional>

#include "commands/families.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

Outcome DbSize(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Integer(static_cast<std::int64_t>(ctx.db.size()));
  return Outcome::kReplied;
}

std::optional<FreeMode> ReadFreeMode(const ExecContext& ctx, ArgReader& args) {
  FreeMode mode = ctx.broker.options().lazyfree_lazy_user_flush ? FreeMode::kLater : FreeMode::kNow;
  if (args.Take("ASYNC")) {
    mode = FreeMode::kLater;
  } else if (args.Take("SYNC")) {
    mode = FreeMode::kNow;
  }
  if (args.Finish()) return std::nullopt;
  return mode;
}

Outcome FlushDb(ExecContext& ctx, ArgReader& args) {
  const std::optional<FreeMode> mode = ReadFreeMode(ctx, args);
  if (!mode) return ctx.Fail(errors::kSyntax);
  ctx.db.Clear(*mode);
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome FlushAll(ExecContext& ctx, ArgReader& args) {
  const std::optional<FreeMode> mode = ReadFreeMode(ctx, args);
  if (!mode) return ctx.Fail(errors::kSyntax);
  for (int i = 0; i < ctx.broker.store.database_count(); ++i) {
    ctx.broker.store.database(i).Clear(*mode);
  }
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome SwapDb(ExecContext& ctx, ArgReader& args) {
  const std::int64_t first = args.IntegerIn(INT32_MIN, INT32_MAX, "ERR invalid first DB index",
                                            "ERR invalid first DB index");
  const std::int64_t second = args.IntegerIn(INT32_MIN, INT32_MAX, "ERR invalid second DB index",
                                             "ERR invalid second DB index");
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Store& store = ctx.broker.store;
  const auto exists = [&](std::int64_t index) {
    return index >= 0 && index < store.database_count();
  };
  if (!exists(first) || !exists(second)) return ctx.Fail(errors::kDbOutOfRange);
  ctx.reply.Ok();
  if (first == second) return Outcome::kReplied;
  const int a = static_cast<int>(first);
  const int b = static_cast<int>(second);
  store.database(a).SwapWith(store.database(b));
  ctx.dispatcher.DatabaseChanged(a);
  ctx.dispatcher.DatabaseChanged(b);
  return Outcome::kReplied;
}

constexpr std::string_view kFlushTips = "request_policy:all_shards response_policy:all_succeeded";

constexpr std::array kCommands = {
    Declare({.name = "DBSIZE",
             .arity = 1,
             .flags = kReadOnly | kFast,
             .acl = "keyspace",
             .tips = "request_policy:all_shards response_policy:agg_sum",
             .group = "server",
             .since = "1.0.0",
             .summary = "Returns the number of keys in the database.",
             .complexity = "O(1)",
             .handler = &DbSize}),
    Declare({.name = "FLUSHDB",
             .arity = -1,
             .flags = kWrite,
             .log = LogPolicy::kVerbatim,
             .acl = "keyspace dangerous",
             .tips = kFlushTips,
             .group = "server",
             .since = "1.0.0",
             .summary = "Deletes all keys of the database.",
             .complexity = "O(n) for n keys; O(1) with ASYNC",
             .syntax = "[ASYNC | SYNC]",
             .handler = &FlushDb}),
    Declare({.name = "FLUSHALL",
             .arity = -1,
             .flags = kWrite,
             .log = LogPolicy::kVerbatim,
             .acl = "keyspace dangerous",
             .tips = kFlushTips,
             .group = "server",
             .since = "1.0.0",
             .summary = "Deletes all keys of all databases.",
             .complexity = "O(n) for n keys; O(1) with ASYNC",
             .syntax = "[ASYNC | SYNC]",
             .handler = &FlushAll}),
    Declare({.name = "SWAPDB",
             .arity = 3,
             .flags = kWrite | kFast,
             .log = LogPolicy::kVerbatim,
             .acl = "keyspace dangerous",
             .group = "server",
             .since = "4.0.0",
             .summary = "Exchanges the contents of two databases.",
             .complexity = "O(n) for n clients that watch or await keys of them",
             .syntax = "index1:integer index2:integer",
             .handler = &SwapDb}),
};

}  // namespace

std::span<const CommandSpec> DatabaseCommands() { return kCommands; }

}  // namespace rung

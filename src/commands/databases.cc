// DBSIZE FLUSHDB FLUSHALL SWAPDB: whole databases.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

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

// Whoever watches a key that is in one of them, or awaits any, hears of it.
void Swap(Broker& broker, int first, int second) {
  Database& a = broker.store.database(first);
  Database& b = broker.store.database(second);
  const std::vector<std::string> watched[] = {broker.watchers.KeysOf(first),
                                              broker.watchers.KeysOf(second)};
  const auto in_either = [&](const std::string& key) {
    const bool in_a = static_cast<bool>(a.Peek(key));
    return static_cast<bool>(b.Peek(key)) || in_a;
  };
  // Keys past their time go first, where they are: one that nobody saw is no change elsewhere.
  for (const auto& keys : watched) std::for_each(keys.begin(), keys.end(), in_either);
  a.SwapWith(b);
  const int indexes[] = {first, second};
  for (std::size_t i = 0; i < 2; ++i) {
    for (const std::string& key : watched[i]) {
      if (in_either(key)) broker.watchers.KeyChanged(indexes[i], key);
    }
    broker.waiters.DatabaseChanged(indexes[i]);
  }
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
  Swap(ctx.broker, static_cast<int>(first), static_cast<int>(second));
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

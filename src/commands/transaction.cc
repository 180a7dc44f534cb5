// MULTI EXEC DISCARD WATCH UNWATCH.
//
// Commands are queued by the dispatcher; EXEC runs them one after the other with nothing in
// between, and their effects are one unit in the log.

#include <array>
#include <memory>
#include <utility>

#include "commands/families.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

Outcome Multi(ExecContext& ctx, ArgReader& /*args*/) {
  if (ctx.session.transaction != nullptr) return ctx.Fail("ERR MULTI calls can not be nested");
  ctx.session.transaction = std::make_unique<Transaction>();
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome Discard(ExecContext& ctx, ArgReader& /*args*/) {
  if (ctx.session.transaction == nullptr) return ctx.Fail("ERR DISCARD without MULTI");
  ctx.session.transaction.reset();
  ctx.broker.watchers.UnwatchAll(ctx.session);
  ctx.reply.Ok();
  return Outcome::kReplied;
}

// A watched key that is past its time counts as changed, even if nobody has touched it yet.
bool WatchedKeysHold(ExecContext& ctx) {
  for (const WatchedKey& watched : ctx.session.watched) {
    ctx.broker.store.database(watched.database).Peek(watched.key);
  }
  return !ctx.session.watched_changed;
}

Outcome Exec(ExecContext& ctx, ArgReader& /*args*/) {
  if (ctx.session.transaction == nullptr) return ctx.Fail("ERR EXEC without MULTI");
  const bool holds = WatchedKeysHold(ctx);
  const std::unique_ptr<Transaction> transaction = std::move(ctx.session.transaction);
  ctx.broker.watchers.UnwatchAll(ctx.session);
  if (transaction->aborted) {
    return ctx.Fail("EXECABORT Transaction discarded because of previous errors.");
  }
  if (!holds) {
    ctx.reply.NullArray();
    return Outcome::kReplied;
  }
  ctx.reply.Array(transaction->commands.size());
  for (const QueuedCommand& queued : transaction->commands) {
    ctx.dispatcher.RunQueued(ctx.session, queued.args.Views());
  }
  return Outcome::kReplied;
}

Outcome Watch(ExecContext& ctx, ArgReader& args) {
  if (ctx.session.transaction != nullptr) return ctx.Fail("ERR WATCH inside MULTI is not allowed");
  for (const std::string_view key : args.Rest()) {
    // A key past its time goes first, so that its end is not taken for a change.
    ctx.db.Peek(key);
    ctx.broker.watchers.Watch(ctx.session, ctx.db.index(), key);
  }
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome Unwatch(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.broker.watchers.UnwatchAll(ctx.session);
  ctx.reply.Ok();
  return Outcome::kReplied;
}

constexpr std::uint32_t kTransactionFlags = kNoScript | kLoading | kStale | kFast | kAllowBusy;

constexpr std::array kCommands = {
    Declare({.name = "MULTI",
             .arity = 1,
             .flags = kTransactionFlags | kRunsInMulti,
             .acl = "transaction",
             .group = "transactions",
             .since = "1.2.0",
             .summary = "Begins a transaction: what follows is queued until EXEC.",
             .complexity = "O(1)",
             .handler = &Multi}),
    Declare({.name = "EXEC",
             .arity = 1,
             .flags = kNoScript | kLoading | kStale | kSkipSlowLog | kRunsInMulti,
             .acl = "transaction",
             .group = "transactions",
             .since = "1.2.0",
             .summary = "Runs the queued commands as one.",
             .complexity = "That of the commands",
             .handler = &Exec}),
    Declare({.name = "DISCARD",
             .arity = 1,
             .flags = kTransactionFlags | kRunsInMulti,
             .acl = "transaction",
             .group = "transactions",
             .since = "2.0.0",
             .summary = "Forgets the queued commands and the watched keys.",
             .complexity = "O(n) for n queued commands",
             .handler = &Discard}),
    Declare({.name = "WATCH",
             .arity = -2,
             .flags = kTransactionFlags | kRunsInMulti,
             .keys = {KeysFrom(1, -1, 1, kKeyRead)},
             .acl = "transaction",
             .group = "transactions",
             .since = "2.2.0",
             .summary = "Makes the next EXEC depend on these keys staying as they are.",
             .complexity = "O(1) per key",
             .syntax = "key:key...",
             .handler = &Watch}),
    Declare({.name = "UNWATCH",
             .arity = 1,
             .flags = kTransactionFlags,
             .acl = "transaction",
             .group = "transactions",
             .since = "2.2.0",
             .summary = "Forgets the watched keys.",
             .complexity = "O(1) per watched key",
             .handler = &Unwatch}),
};

}  // namespace

std::span<const CommandSpec> TransactionCommands() { return kCommands; }

}  // namespace rung

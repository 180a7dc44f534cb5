// Keys whatever they hold: deleting, renaming, copying, moving, looking at.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "commands/families.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/catalog.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

constexpr std::string_view kSameObject = "ERR source and destination objects are the same";

Outcome DeleteKeys(ExecContext& ctx, ArgReader& args, FreeMode mode) {
  std::int64_t deleted = 0;
  for (const std::string_view key : args.Rest()) deleted += ctx.db.Delete(key, mode) ? 1 : 0;
  ctx.reply.Integer(deleted);
  return Outcome::kReplied;
}

Outcome Del(ExecContext& ctx, ArgReader& args) {
  const bool lazy = ctx.broker.options().lazyfree_lazy_user_del;
  return DeleteKeys(ctx, args, lazy ? FreeMode::kLater : FreeMode::kNow);
}

Outcome Unlink(ExecContext& ctx, ArgReader& args) {
  return DeleteKeys(ctx, args, FreeMode::kLater);
}

Outcome Exists(ExecContext& ctx, ArgReader& args) {
  std::int64_t count = 0;
  for (const std::string_view key : args.Rest()) count += ctx.db.ReadUntouched(key) ? 1 : 0;
  ctx.reply.Integer(count);
  return Outcome::kReplied;
}

Outcome Touch(ExecContext& ctx, ArgReader& args) {
  // Even a client with NO-TOUCH means it when it says so.
  ctx.broker.store.set_touching(true);
  std::int64_t count = 0;
  for (const std::string_view key : args.Rest()) count += ctx.db.Read(key) ? 1 : 0;
  ctx.reply.Integer(count);
  return Outcome::kReplied;
}

Outcome Type(ExecContext& ctx, ArgReader& args) {
  const Lookup found = ctx.db.ReadUntouched(args.Bytes());
  ctx.reply.Status(found ? TypeName(found.entry()->type()) : "none");
  return Outcome::kReplied;
}

Outcome Rename(ExecContext& ctx, ArgReader& args) {
  const std::string_view from = args.Bytes();
  const std::string_view to = args.Bytes();
  if (!ctx.db.Find(from)) return ctx.Fail(errors::kNoSuchKey);
  if (from != to) ctx.db.Rename(from, to);
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome RenameNx(ExecContext& ctx, ArgReader& args) {
  const std::string_view from = args.Bytes();
  const std::string_view to = args.Bytes();
  if (!ctx.db.Find(from)) return ctx.Fail(errors::kNoSuchKey);
  const bool free = from != to && !ctx.db.Peek(to);
  if (free) ctx.db.Rename(from, to);
  ctx.reply.Integer(free ? 1 : 0);
  return Outcome::kReplied;
}

// The database that an argument names; fails `args` if there is none.
Database* TakeDatabase(ExecContext& ctx, ArgReader& args) {
  const std::int64_t index = args.IntegerIn(0, ctx.broker.store.database_count() - 1,
                                            errors::kDbOutOfRange, errors::kNotInteger);
  return args.ok() ? &ctx.broker.store.database(static_cast<int>(index)) : nullptr;
}

Outcome Copy(ExecContext& ctx, ArgReader& args) {
  const std::string_view from = args.Bytes();
  const std::string_view to_key = args.Bytes();
  Database* to = &ctx.db;
  bool replace = false;
  while (args.More()) {
    if (args.Take("REPLACE")) {
      replace = true;
    } else if (args.TakeWithValue("DB")) {
      to = TakeDatabase(ctx, args);
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  if (to == &ctx.db && from == to_key) return ctx.Fail(kSameObject);
  const bool copies = ctx.db.Read(from) && (replace || !to->Peek(to_key));
  if (copies) ctx.db.CopyTo(from, *to, to_key);
  ctx.reply.Integer(copies ? 1 : 0);
  return Outcome::kReplied;
}

Outcome Move(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  Database* to = TakeDatabase(ctx, args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  if (to == &ctx.db) return ctx.Fail(kSameObject);
  const bool moves = ctx.db.Find(key) && !to->Peek(key);
  if (moves) ctx.db.MoveTo(key, *to);
  ctx.reply.Integer(moves ? 1 : 0);
  return Outcome::kReplied;
}

Outcome RandomKey(ExecContext& ctx, ArgReader& /*args*/) {
  const Entry* entry = ctx.db.RandomEntry();
  if (entry == nullptr) {
    ctx.reply.Null();
  } else {
    ctx.reply.Bulk(entry->key());
  }
  return Outcome::kReplied;
}

constexpr std::array kCommands = {
    Declare({.name = "DEL",
             .arity = -2,
             .flags = kWrite,
             .keys = {KeysFrom(1, -1, 1, kKeyRemove | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .acl = "keyspace",
             .tips = "request_policy:multi_shard response_policy:agg_sum",
             .group = "generic",
             .since = "1.0.0",
             .summary = "Deletes keys.",
             .complexity = "O(1) per key, and O(n) for a value of n elements",
             .syntax = "key:key...",
             .handler = &Del}),
    Declare({.name = "UNLINK",
             .arity = -2,
             .flags = kWrite | kFast,
             .keys = {KeysFrom(1, -1, 1, kKeyRemove | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .acl = "keyspace",
             .tips = "request_policy:multi_shard response_policy:agg_sum",
             .group = "generic",
             .since = "4.0.0",
             .summary = "Deletes keys; large values are freed in the background.",
             .complexity = "O(1) per key",
             .syntax = "key:key...",
             .handler = &Unlink}),
    Declare({.name = "EXISTS",
             .arity = -2,
             .flags = kReadOnly | kFast,
             .keys = {KeysFrom(1, -1, 1, kKeyRead)},
             .acl = "keyspace",
             .tips = "request_policy:multi_shard response_policy:agg_sum",
             .group = "generic",
             .since = "1.0.0",
             .summary = "Counts how many of the keys exist.",
             .complexity = "O(1) per key",
             .syntax = "key:key...",
             .handler = &Exists}),
    Declare({.name = "TOUCH",
             .arity = -2,
             .flags = kReadOnly | kFast,
             .keys = {KeysFrom(1, -1, 1, kKeyRead)},
             .acl = "keyspace",
             .tips = "request_policy:multi_shard response_policy:agg_sum",
             .group = "generic",
             .since = "3.2.1",
             .summary = "Marks keys as used now; counts those that exist.",
             .complexity = "O(1) per key",
             .syntax = "key:key...",
             .handler = &Touch}),
    Declare({.name = "TYPE",
             .arity = 2,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead)},
             .acl = "keyspace",
             .group = "generic",
             .since = "1.0.0",
             .summary = "Returns the type of the value of a key.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &Type}),
    Declare({.name = "RENAME",
             .arity = 3,
             .flags = kWrite,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyDelete),
                      KeyAt(2, kKeyOverwrite | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .acl = "keyspace",
             .group = "generic",
             .since = "1.0.0",
             .summary = "Gives a key another name, in place of what had that name before.",
             .complexity = "O(1)",
             .syntax = "key:key newkey:key",
             .handler = &Rename}),
    Declare({.name = "RENAMENX",
             .arity = 3,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyDelete),
                      KeyAt(2, kKeyOverwrite | kKeyInsert)},
             .log = LogPolicy::kVerbatim,
             .acl = "keyspace",
             .group = "generic",
             .since = "1.0.0",
             .summary = "Gives a key another name, if that name is free.",
             .complexity = "O(1)",
             .syntax = "key:key newkey:key",
             .handler = &RenameNx}),
    Declare({.name = "COPY",
             .arity = -3,
             .flags = kWrite | kDenyOom,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess), KeyAt(2, kKeyOverwrite | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .acl = "keyspace",
             .group = "generic",
             .since = "6.2.0",
             .summary = "Copies the value of a key to another key.",
             .complexity = "O(n) for a value of n elements",
             .syntax = "source:key destination:key [DB destination-db:integer] [REPLACE]",
             .handler = &Copy}),
    Declare({.name = "MOVE",
             .arity = 3,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .acl = "keyspace",
             .group = "generic",
             .since = "1.0.0",
             .summary = "Moves a key to another database, unless one of that name is there.",
             .complexity = "O(1)",
             .syntax = "key:key db:integer",
             .handler = &Move}),
    Declare({.name = "RANDOMKEY",
             .arity = 1,
             .flags = kReadOnly,
             .acl = "keyspace",
             .tips = "request_policy:all_shards nondeterministic_output",
             .group = "generic",
             .since = "1.0.0",
             .summary = "Returns the name of some key.",
             .complexity = "O(1)",
             .handler = &RandomKey}),
};

}  // namespace

std::span<const CommandSpec> KeyCommands() { return kCommands; }

}  // namespace rung

// Hashes, field by field: setting, getting, counting. Whole hashes are in hash_all.cc.

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "commands/families.h"
#include "commands/hash.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/catalog.h"
#include "rung/commands/context.h"
#include "rung/types/hash.h"

namespace rung {

HashRules HashRulesOf(ExecContext& ctx) {
  const Options& options = ctx.broker.options();
  return {.small_fields_max = static_cast<std::size_t>(options.hash_max_listpack_entries),
          .small_bytes_max = static_cast<std::size_t>(options.hash_max_listpack_value),
          .shapes = &ctx.broker.store.hash_shapes()};
}

namespace {

Outcome WrongPairs(ExecContext& ctx) {
  return ctx.Fail("ERR wrong number of arguments for '" + ctx.command.full_name + "' command");
}

// Sets the fields that follow the key; the number of new ones goes to `added`.
Outcome SetFields(ExecContext& ctx, ArgReader& args, std::size_t& added) {
  const std::string_view key = args.Bytes();
  if (args.left() % 2 != 0) return WrongPairs(ctx);
  Result<Edit<Hash>> hash = ctx.db.EditOrCreate<Hash>(key);
  if (!hash.ok()) return ctx.Fail(hash.error());
  added = (*hash)->SetAll(args.Rest(), HashRulesOf(ctx));
  hash->MarkChanged("hset");
  return Outcome::kReplied;
}

Outcome HSet(ExecContext& ctx, ArgReader& args) {
  std::size_t added = 0;
  const Outcome outcome = SetFields(ctx, args, added);
  if (outcome == Outcome::kReplied) ctx.reply.Integer(static_cast<std::int64_t>(added));
  return outcome;
}

Outcome HMSet(ExecContext& ctx, ArgReader& args) {
  std::size_t added = 0;
  const Outcome outcome = SetFields(ctx, args, added);
  if (outcome == Outcome::kReplied) ctx.reply.Ok();
  return outcome;
}

Outcome HSetNx(ExecContext& ctx, ArgReader& args) {
  Result<Edit<Hash>> hash = ctx.db.EditOrCreate<Hash>(args.Bytes());
  if (!hash.ok()) return ctx.Fail(hash.error());
  const std::string_view field = args.Bytes();
  const bool is_new = !(*hash)->Contains(field);
  if (is_new) {
    (*hash)->Set(field, args.Bytes(), HashRulesOf(ctx));
    hash->MarkChanged("hset");
  }
  ctx.reply.Integer(is_new ? 1 : 0);
  return Outcome::kReplied;
}

void ReplyField(ExecContext& ctx, const Hash* hash, std::string_view field) {
  NumberBuffer buffer;
  const auto value = hash == nullptr ? std::nullopt : hash->Get(field, buffer);
  if (value) {
    ctx.reply.Bulk(*value);
  } else {
    ctx.reply.Null();
  }
}

Outcome HGet(ExecContext& ctx, ArgReader& args) {
  const Result<const Hash*> hash = ctx.db.Read<Hash>(args.Bytes());
  if (!hash.ok()) return ctx.Fail(hash.error());
  ReplyField(ctx, *hash, args.Bytes());
  return Outcome::kReplied;
}

Outcome HMGet(ExecContext& ctx, ArgReader& args) {
  const Result<const Hash*> hash = ctx.db.Read<Hash>(args.Bytes());
  if (!hash.ok()) return ctx.Fail(hash.error());
  ctx.reply.Array(args.left());
  for (const std::string_view field : args.Rest()) ReplyField(ctx, *hash, field);
  return Outcome::kReplied;
}

Outcome HDel(ExecContext& ctx, ArgReader& args) {
  Result<Edit<Hash>> hash = ctx.db.EditExisting<Hash>(args.Bytes());
  if (!hash.ok()) return ctx.Fail(hash.error());
  std::int64_t removed = 0;
  if (*hash) {
    for (const std::string_view field : args.Rest()) {
      removed += (*hash)->Remove(field, HashRulesOf(ctx)) ? 1 : 0;
    }
    if (removed > 0) hash->MarkChanged("hdel");
  }
  ctx.reply.Integer(removed);
  return Outcome::kReplied;
}

Outcome HExists(ExecContext& ctx, ArgReader& args) {
  const Result<const Hash*> hash = ctx.db.Read<Hash>(args.Bytes());
  if (!hash.ok()) return ctx.Fail(hash.error());
  ctx.reply.Integer(*hash != nullptr && (*hash)->Contains(args.Bytes()) ? 1 : 0);
  return Outcome::kReplied;
}

Outcome HStrLen(ExecContext& ctx, ArgReader& args) {
  const Result<const Hash*> hash = ctx.db.Read<Hash>(args.Bytes());
  if (!hash.ok()) return ctx.Fail(hash.error());
  NumberBuffer buffer;
  const auto value = *hash == nullptr ? std::nullopt : (*hash)->Get(args.Bytes(), buffer);
  ctx.reply.Integer(value ? static_cast<std::int64_t>(value->size()) : 0);
  return Outcome::kReplied;
}

Outcome HIncrBy(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view field = args.Bytes();
  const std::int64_t delta = args.Integer();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Result<Edit<Hash>> hash = ctx.db.EditOrCreate<Hash>(key);
  if (!hash.ok()) return ctx.Fail(hash.error());
  NumberBuffer buffer;
  const auto text = (*hash)->Get(field, buffer);
  const std::optional<std::int64_t> value = text ? ParseInt64(*text) : 0;
  if (!value) return ctx.Fail("ERR hash value is not an integer");
  std::int64_t sum = 0;
  if (__builtin_add_overflow(*value, delta, &sum)) return ctx.Fail(errors::kOverflow);
  (*hash)->Set(field, FormatInt64(sum, buffer), HashRulesOf(ctx));
  hash->MarkChanged("hincrby");
  ctx.reply.Integer(sum);
  return Outcome::kReplied;
}

Outcome HIncrByFloat(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view field = args.Bytes();
  const std::optional<long double> delta = ParseLongDouble(args.Bytes());
  if (!delta) return ctx.Fail(errors::kNotFloat);
  if (std::isinf(*delta)) return ctx.Fail("ERR value is NaN or Infinity");
  Result<Edit<Hash>> hash = ctx.db.EditOrCreate<Hash>(key);
  if (!hash.ok()) return ctx.Fail(hash.error());
  NumberBuffer buffer;
  const auto text = (*hash)->Get(field, buffer);
  const std::optional<long double> value = text ? ParseLongDouble(*text) : 0.0L;
  if (!value) return ctx.Fail("ERR hash value is not a float");
  const long double sum = *value + *delta;
  if (std::isnan(sum) || std::isinf(sum)) return ctx.Fail(errors::kNanOrInfinity);
  const std::string printed = FormatLongDouble(sum);
  (*hash)->Set(field, printed, HashRulesOf(ctx));
  hash->MarkChanged("hincrbyfloat");
  // Logged by its result: floating-point sums may differ between machines.
  ctx.Log({"HSET", key, field, printed});
  ctx.reply.Bulk(printed);
  return Outcome::kReplied;
}

constexpr std::uint32_t kGrows = kWrite | kDenyOom | kFast;

constexpr std::array kCommands = {
    Declare({.name = "HSET",
             .arity = -4,
             .flags = kGrows,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .group = "hash",
             .since = "2.0.0",
             .summary = "Sets fields of a hash; creates it if it does not exist.",
             .complexity = "O(1) per field",
             .syntax = "key:key (field value)...",
             .handler = &HSet}),
    Declare({.name = "HMSET",
             .arity = -4,
             .flags = kGrows,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .group = "hash",
             .since = "2.0.0",
             .summary = "Sets fields of a hash: the older form of HSET.",
             .complexity = "O(1) per field",
             .syntax = "key:key (field value)...",
             .handler = &HMSet}),
    Declare({.name = "HSETNX",
             .arity = 4,
             .flags = kGrows,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyInsert)},
             .log = LogPolicy::kVerbatim,
             .group = "hash",
             .since = "2.0.0",
             .summary = "Sets a field of a hash unless it exists.",
             .complexity = "O(1)",
             .syntax = "key:key field value",
             .handler = &HSetNx}),
    Declare({.name = "HGET",
             .arity = 3,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "hash",
             .since = "2.0.0",
             .summary = "Returns the value of a field.",
             .complexity = "O(1)",
             .syntax = "key:key field",
             .handler = &HGet}),
    Declare({.name = "HMGET",
             .arity = -3,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "hash",
             .since = "2.0.0",
             .summary = "Returns the values of several fields.",
             .complexity = "O(1) per field",
             .syntax = "key:key field...",
             .handler = &HMGet}),
    Declare({.name = "HDEL",
             .arity = -3,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .group = "hash",
             .since = "2.0.0",
             .summary = "Removes fields of a hash.",
             .complexity = "O(1) per field",
             .syntax = "key:key field...",
             .handler = &HDel}),
    Declare({.name = "HEXISTS",
             .arity = 3,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead)},
             .group = "hash",
             .since = "2.0.0",
             .summary = "Tells whether a hash has a field.",
             .complexity = "O(1)",
             .syntax = "key:key field",
             .handler = &HExists}),
    Declare({.name = "HSTRLEN",
             .arity = 3,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead)},
             .group = "hash",
             .since = "3.2.0",
             .summary = "Returns the length of the value of a field.",
             .complexity = "O(1)",
             .syntax = "key:key field",
             .handler = &HStrLen}),
    Declare({.name = "HINCRBY",
             .arity = 4,
             .flags = kGrows,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .group = "hash",
             .since = "2.0.0",
             .summary = "Adds a whole number to the number in a field.",
             .complexity = "O(1)",
             .syntax = "key:key field increment:integer",
             .handler = &HIncrBy}),
    Declare({.name = "HINCRBYFLOAT",
             .arity = 4,
             .flags = kGrows,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyUpdate)},
             .log = LogPolicy::kRewritten,
             .group = "hash",
             .since = "2.6.0",
             .summary = "Adds a number with a fraction to the number in a field.",
             .complexity = "O(1)",
             .syntax = "key:key field increment:double",
             .handler = &HIncrByFloat}),
};

}  // namespace

std::span<const CommandSpec> HashCommands() { return kCommands; }

}  // namespace rung

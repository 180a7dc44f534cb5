// Writing and reading whole strings: SET and its older forms, GET and the forms that also change.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "commands/expiry_option.h"
#include "commands/families.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/catalog.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

struct SetRequest {
  bool only_absent = false;
  bool only_present = false;
  bool get = false;
  ExpiryChange expiry;
};

std::optional<Error> ReadSetOptions(const ExecContext& ctx, ArgReader& args, SetRequest& set) {
  bool has_expiry = false;
  while (args.More()) {
    if (args.Take("NX")) {
      set.only_absent = true;
    } else if (args.Take("XX")) {
      set.only_present = true;
    } else if (args.Take("GET")) {
      set.get = true;
    } else if (!has_expiry && args.Take("KEEPTTL")) {
      set.expiry = ExpiryChange::Keep();
      has_expiry = true;
    } else if (const auto at_ms = has_expiry ? std::nullopt : TakeExpiryOption(ctx, args)) {
      set.expiry = ExpiryChange::At(*at_ms);
      has_expiry = true;
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  if (set.only_absent && set.only_present) args.Fail(errors::kSyntax);
  return args.Finish();
}

// What a SET did, with the time of expiry as a moment.
void LogSet(ExecContext& ctx, std::string_view key, std::string_view value, ExpiryChange expiry) {
  NumberBuffer number;
  switch (expiry.kind) {
    case ExpiryChange::Kind::kClear:
      return ctx.Log({"SET", key, value});
    case ExpiryChange::Kind::kKeep:
      return ctx.Log({"SET", key, value, "KEEPTTL"});
    case ExpiryChange::Kind::kSet:
      return ctx.Log({"SET", key, value, "PXAT", FormatInt64(expiry.at_ms, number)});
  }
}

void ReplyOldValue(ExecContext& ctx, Lookup found) {
  NumberBuffer buffer;
  if (found) {
    ctx.reply.Bulk(found.entry()->StringView(buffer));
  } else {
    ctx.reply.Null();
  }
}

bool HoldsString(Lookup found) { return !found || found.entry()->type() == ValueType::kString; }

Outcome Set(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view value = args.Bytes();
  SetRequest set;
  if (args.More()) {
    if (const auto error = ReadSetOptions(ctx, args, set)) return ctx.Fail(*error);
  }
  const Lookup found = set.get ? ctx.db.Read(key) : ctx.db.Find(key);
  if (set.get && !HoldsString(found)) return ctx.Fail(errors::kWrongType);
  const bool refused = (set.only_absent && found) || (set.only_present && !found);
  if (set.get) {
    ReplyOldValue(ctx, found);
  } else if (refused) {
    ctx.reply.Null();
  } else {
    ctx.reply.Ok();
  }
  if (refused) return Outcome::kReplied;
  ctx.db.PutString(key, found, value, set.expiry);
  LogSet(ctx, key, value, set.expiry);
  return Outcome::kReplied;
}

Outcome SetNx(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const Lookup found = ctx.db.Find(key);
  if (!found) ctx.db.PutString(key, found, args.Bytes(), {});
  ctx.reply.Integer(found ? 0 : 1);
  return Outcome::kReplied;
}

Outcome SetWithExpiry(ExecContext& ctx, ArgReader& args, TimeUnit unit) {
  const std::string_view key = args.Bytes();
  const std::int64_t amount = args.Integer();
  const std::string_view value = args.Bytes();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const std::optional<std::int64_t> at_ms = ResolveExpiry(ctx, amount, unit, TimeBase::kFromNow);
  if (amount <= 0 || !at_ms) return ctx.Fail(InvalidExpiry(ctx));
  ctx.db.PutString(key, ctx.db.Find(key), value, ExpiryChange::At(*at_ms));
  LogSet(ctx, key, value, ExpiryChange::At(*at_ms));
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome SetEx(ExecContext& ctx, ArgReader& args) {
  return SetWithExpiry(ctx, args, TimeUnit::kSeconds);
}

Outcome PSetEx(ExecContext& ctx, ArgReader& args) {
  return SetWithExpiry(ctx, args, TimeUnit::kMilliseconds);
}

Outcome Get(ExecContext& ctx, ArgReader& args) {
  NumberBuffer buffer;
  const auto value = ctx.db.ReadString(args.Bytes(), buffer);
  if (!value.ok()) return ctx.Fail(value.error());
  if (*value) {
    ctx.reply.Bulk(**value);
  } else {
    ctx.reply.Null();
  }
  return Outcome::kReplied;
}

Outcome GetSet(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view value = args.Bytes();
  const Lookup found = ctx.db.Read(key);
  if (!HoldsString(found)) return ctx.Fail(errors::kWrongType);
  ReplyOldValue(ctx, found);
  ctx.db.PutString(key, found, value, {});
  LogSet(ctx, key, value, {});
  return Outcome::kReplied;
}

Outcome GetDel(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const Lookup found = ctx.db.Read(key);
  if (!HoldsString(found)) return ctx.Fail(errors::kWrongType);
  ReplyOldValue(ctx, found);
  if (found) {
    ctx.db.Delete(key);
    ctx.Log({"DEL", key});
  }
  return Outcome::kReplied;
}

Outcome GetEx(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const bool persist = args.left() == 1 && args.Take("PERSIST");
  const std::optional<std::int64_t> at_ms = persist ? std::nullopt : TakeExpiryOption(ctx, args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Lookup found = ctx.db.Read(key);
  if (!HoldsString(found)) return ctx.Fail(errors::kWrongType);
  ReplyOldValue(ctx, found);
  if (!found) return Outcome::kReplied;
  if (persist) {
    if (ctx.db.ClearExpiry(key, found)) ctx.Log({"PERSIST", key});
  } else if (at_ms && *at_ms <= ctx.now.wall_ms()) {
    ctx.db.Delete(key);
    ctx.Log({"DEL", key});
  } else if (at_ms) {
    NumberBuffer number;
    ctx.db.SetExpiry(key, found, *at_ms);
    ctx.Log({"PEXPIREAT", key, FormatInt64(*at_ms, number)});
  }
  return Outcome::kReplied;
}

Outcome MGet(ExecContext& ctx, ArgReader& args) {
  NumberBuffer buffer;
  ctx.reply.Array(args.left());
  for (const std::string_view key : args.Rest()) {
    const auto value = ctx.db.ReadString(key, buffer);
    if (value.ok() && *value) {
      ctx.reply.Bulk(**value);
    } else {
      ctx.reply.Null();
    }
  }
  return Outcome::kReplied;
}

void PutAll(ExecContext& ctx, std::span<const std::string_view> pairs) {
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    ctx.db.PutString(pairs[i], ctx.db.Find(pairs[i]), pairs[i + 1], {});
  }
}

Outcome WrongPairs(ExecContext& ctx) {
  return ctx.Fail("ERR wrong number of arguments for '" + ctx.command.full_name + "' command");
}

Outcome MSet(ExecContext& ctx, ArgReader& args) {
  if (args.left() % 2 != 0) return WrongPairs(ctx);
  PutAll(ctx, args.Rest());
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome MSetNx(ExecContext& ctx, ArgReader& args) {
  if (args.left() % 2 != 0) return WrongPairs(ctx);
  const std::span<const std::string_view> pairs = args.Rest();
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    if (ctx.db.Find(pairs[i])) {
      ctx.reply.Integer(0);
      return Outcome::kReplied;
    }
  }
  PutAll(ctx, pairs);
  ctx.reply.Integer(1);
  return Outcome::kReplied;
}

// SET returns the old value if it is asked to, and else does not look at it.
std::uint16_t SetKeyFlags(std::span<const std::string_view> args) {
  for (std::size_t i = 3; i < args.size(); ++i) {
    if (EqualsIgnoreCase(args[i], "GET")) return kKeyReadWrite | kKeyAccess | kKeyUpdate;
  }
  return kKeyOverwrite | kKeyUpdate;
}

constexpr std::uint32_t kGrows = kWrite | kDenyOom;

constexpr std::array kCommands = {
    Declare({.name = "SET",
             .arity = -3,
             .flags = kGrows,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyUpdate | kKeyVariable)},
             .key_flags = &SetKeyFlags,
             .log = LogPolicy::kRewritten,
             .group = "string",
             .since = "1.0.0",
             .summary = "Sets a key to a string, whatever it held before.",
             .complexity = "O(1)",
             .syntax = "key:key value [NX | XX] [GET] [EX seconds:integer | PX "
                       "milliseconds:integer | EXAT unix-time-seconds:unix-time | PXAT "
                       "unix-time-milliseconds:unix-time | KEEPTTL]",
             .handler = &Set}),
    Declare({.name = "SETNX",
             .arity = 3,
             .flags = kGrows | kFast,
             .keys = {KeyAt(1, kKeyOverwrite | kKeyInsert)},
             .log = LogPolicy::kVerbatim,
             .group = "string",
             .since = "1.0.0",
             .summary = "Sets a key to a string unless it exists.",
             .complexity = "O(1)",
             .syntax = "key:key value",
             .handler = &SetNx}),
    Declare({.name = "SETEX",
             .arity = 4,
             .flags = kGrows,
             .keys = {KeyAt(1, kKeyOverwrite | kKeyUpdate)},
             .log = LogPolicy::kRewritten,
             .group = "string",
             .since = "2.0.0",
             .summary = "Sets a key to a string that expires after some seconds.",
             .complexity = "O(1)",
             .syntax = "key:key seconds:integer value",
             .handler = &SetEx}),
    Declare({.name = "PSETEX",
             .arity = 4,
             .flags = kGrows,
             .keys = {KeyAt(1, kKeyOverwrite | kKeyUpdate)},
             .log = LogPolicy::kRewritten,
             .group = "string",
             .since = "2.6.0",
             .summary = "Sets a key to a string that expires after some milliseconds.",
             .complexity = "O(1)",
             .syntax = "key:key milliseconds:integer value",
             .handler = &PSetEx}),
    Declare({.name = "GET",
             .arity = 2,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "string",
             .since = "1.0.0",
             .summary = "Returns the string of a key.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &Get}),
    Declare({.name = "GETSET",
             .arity = 3,
             .flags = kGrows | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyUpdate)},
             .log = LogPolicy::kRewritten,
             .group = "string",
             .since = "1.0.0",
             .summary = "Sets a key to a string and returns the one before.",
             .complexity = "O(1)",
             .syntax = "key:key value",
             .handler = &GetSet}),
    Declare({.name = "GETDEL",
             .arity = 2,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyDelete)},
             .log = LogPolicy::kRewritten,
             .group = "string",
             .since = "6.2.0",
             .summary = "Returns the string of a key and deletes the key.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &GetDel}),
    Declare({.name = "GETEX",
             .arity = -2,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyUpdate)},
             .log = LogPolicy::kRewritten,
             .group = "string",
             .since = "6.2.0",
             .summary = "Returns the string of a key and changes when it expires.",
             .complexity = "O(1)",
             .syntax = "key:key [EX seconds:integer | PX milliseconds:integer | EXAT "
                       "unix-time-seconds:unix-time | PXAT unix-time-milliseconds:unix-time | "
                       "PERSIST]",
             .handler = &GetEx}),
    Declare({.name = "MGET",
             .arity = -2,
             .flags = kReadOnly | kFast,
             .keys = {KeysFrom(1, -1, 1, kKeyRead | kKeyAccess)},
             .tips = "request_policy:multi_shard",
             .group = "string",
             .since = "1.0.0",
             .summary = "Returns the strings of several keys.",
             .complexity = "O(n) for n keys",
             .syntax = "key:key...",
             .handler = &MGet}),
    Declare({.name = "MSET",
             .arity = -3,
             .flags = kGrows,
             .keys = {KeysFrom(1, -1, 2, kKeyOverwrite | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .tips = "request_policy:multi_shard response_policy:all_succeeded",
             .group = "string",
             .since = "1.0.1",
             .summary = "Sets several keys to strings, as one.",
             .complexity = "O(n) for n keys",
             .syntax = "(key:key value)...",
             .handler = &MSet}),
    Declare({.name = "MSETNX",
             .arity = -3,
             .flags = kGrows,
             .keys = {KeysFrom(1, -1, 2, kKeyOverwrite | kKeyInsert)},
             .log = LogPolicy::kVerbatim,
             .group = "string",
             .since = "1.0.1",
             .summary = "Sets several keys to strings, unless one of them exists.",
             .complexity = "O(n) for n keys",
             .syntax = "(key:key value)...",
             .handler = &MSetNx}),
};

}  // namespace

std::span<const CommandSpec> StringSetCommands() { return kCommands; }

}  // namespace rung

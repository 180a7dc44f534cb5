// When keys expire: EXPIRE and its kin, TTL and its kin, PERSIST.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "commands/expiry_option.h"
#include "commands/families.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

// Conditions on the expiry that a key has now. No expiry counts as an infinite one.
struct ExpiryRule {
  bool only_without = false;  // NX
  bool only_with = false;     // XX
  bool only_later = false;    // GT
  bool only_sooner = false;   // LT

  bool Allows(std::optional<std::int64_t> now_at_ms, std::int64_t new_at_ms) const {
    if (only_without && now_at_ms) return false;
    if (only_with && !now_at_ms) return false;
    if (only_later && (!now_at_ms || new_at_ms <= *now_at_ms)) return false;
    return !(only_sooner && now_at_ms && new_at_ms >= *now_at_ms);
  }
};

ExpiryRule ReadRule(ArgReader& args) {
  ExpiryRule rule;
  while (args.More()) {
    const std::string option(args.Peek());
    if (args.Take("NX")) {
      rule.only_without = true;
    } else if (args.Take("XX")) {
      rule.only_with = true;
    } else if (args.Take("GT")) {
      rule.only_later = true;
    } else if (args.Take("LT")) {
      rule.only_sooner = true;
    } else {
      args.Fail("ERR Unsupported option " + option);
    }
  }
  if (rule.only_without && (rule.only_with || rule.only_later || rule.only_sooner)) {
    args.Fail("ERR NX and XX, GT or LT options at the same time are not compatible");
  }
  if (rule.only_later && rule.only_sooner) {
    args.Fail("ERR GT and LT options at the same time are not compatible");
  }
  return rule;
}

Outcome ExpireKey(ExecContext& ctx, ArgReader& args, TimeUnit unit, TimeBase base) {
  const std::string_view key = args.Bytes();
  const std::int64_t amount = args.Integer();
  const ExpiryRule rule = ReadRule(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const std::optional<std::int64_t> at_ms = ResolveExpiry(ctx, amount, unit, base);
  if (!at_ms) return ctx.Fail(InvalidExpiry(ctx));
  const Lookup found = ctx.db.Find(key);
  std::optional<std::int64_t> now_at_ms;
  if (found && found.entry()->has_expiry()) now_at_ms = found.entry()->expire_at();
  if (!found || !rule.Allows(now_at_ms, *at_ms)) {
    ctx.reply.Integer(0);
    return Outcome::kReplied;
  }
  if (found.entry()->type() == ValueType::kQueue) {
    return ctx.Fail("ERR a queue has no expiry: its jobs have (TTL)");
  }
  if (*at_ms <= ctx.now.wall_ms()) {
    ctx.db.Delete(key);
    ctx.Log({"DEL", key});
  } else {
    NumberBuffer number;
    ctx.db.SetExpiry(key, found, *at_ms);
    ctx.Log({"PEXPIREAT", key, FormatInt64(*at_ms, number)});
  }
  ctx.reply.Integer(1);
  return Outcome::kReplied;
}

Outcome Expire(ExecContext& ctx, ArgReader& args) {
  return ExpireKey(ctx, args, TimeUnit::kSeconds, TimeBase::kFromNow);
}
Outcome PExpire(ExecContext& ctx, ArgReader& args) {
  return ExpireKey(ctx, args, TimeUnit::kMilliseconds, TimeBase::kFromNow);
}
Outcome ExpireAt(ExecContext& ctx, ArgReader& args) {
  return ExpireKey(ctx, args, TimeUnit::kSeconds, TimeBase::kAbsolute);
}
Outcome PExpireAt(ExecContext& ctx, ArgReader& args) {
  return ExpireKey(ctx, args, TimeUnit::kMilliseconds, TimeBase::kAbsolute);
}

// -2: no such key; -1: it does not expire; else milliseconds, or seconds rounded to the nearest.
Outcome ReplyExpiry(ExecContext& ctx, std::string_view key, TimeUnit unit, TimeBase base) {
  const Lookup found = ctx.db.ReadUntouched(key);
  std::int64_t reply = -2;
  if (found && !found.entry()->has_expiry()) {
    reply = -1;
  } else if (found) {
    const std::int64_t origin = base == TimeBase::kFromNow ? ctx.now.wall_ms() : 0;
    reply = found.entry()->expire_at() - origin;
    if (unit == TimeUnit::kSeconds) reply = (reply + 500) / 1000;
  }
  ctx.reply.Integer(reply);
  return Outcome::kReplied;
}

Outcome Ttl(ExecContext& ctx, ArgReader& args) {
  return ReplyExpiry(ctx, args.Bytes(), TimeUnit::kSeconds, TimeBase::kFromNow);
}
Outcome PTtl(ExecContext& ctx, ArgReader& args) {
  return ReplyExpiry(ctx, args.Bytes(), TimeUnit::kMilliseconds, TimeBase::kFromNow);
}
Outcome ExpireTime(ExecContext& ctx, ArgReader& args) {
  return ReplyExpiry(ctx, args.Bytes(), TimeUnit::kSeconds, TimeBase::kAbsolute);
}
Outcome PExpireTime(ExecContext& ctx, ArgReader& args) {
  return ReplyExpiry(ctx, args.Bytes(), TimeUnit::kMilliseconds, TimeBase::kAbsolute);
}

Outcome Persist(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const Lookup found = ctx.db.Find(key);
  ctx.reply.Integer(found && ctx.db.ClearExpiry(key, found) ? 1 : 0);
  return Outcome::kReplied;
}

constexpr int kUpdatesKey = kKeyReadWrite | kKeyUpdate;
constexpr int kReadsKey = kKeyRead | kKeyAccess;

constexpr std::array kCommands = {
    Declare({.name = "EXPIRE",
             .arity = -3,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kUpdatesKey)},
             .log = LogPolicy::kRewritten,
             .acl = "keyspace",
             .group = "generic",
             .since = "1.0.0",
             .summary = "Lets a key expire after some seconds.",
             .complexity = "O(log n) for n keys that expire",
             .syntax = "key:key seconds:integer [NX | XX | GT | LT]",
             .handler = &Expire}),
    Declare({.name = "PEXPIRE",
             .arity = -3,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kUpdatesKey)},
             .log = LogPolicy::kRewritten,
             .acl = "keyspace",
             .group = "generic",
             .since = "2.6.0",
             .summary = "Lets a key expire after some milliseconds.",
             .complexity = "O(log n) for n keys that expire",
             .syntax = "key:key milliseconds:integer [NX | XX | GT | LT]",
             .handler = &PExpire}),
    Declare({.name = "EXPIREAT",
             .arity = -3,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kUpdatesKey)},
             .log = LogPolicy::kRewritten,
             .acl = "keyspace",
             .group = "generic",
             .since = "1.2.0",
             .summary = "Lets a key expire at a moment given in seconds.",
             .complexity = "O(log n) for n keys that expire",
             .syntax = "key:key unix-time-seconds:unix-time [NX | XX | GT | LT]",
             .handler = &ExpireAt}),
    Declare({.name = "PEXPIREAT",
             .arity = -3,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kUpdatesKey)},
             .log = LogPolicy::kRewritten,
             .acl = "keyspace",
             .group = "generic",
             .since = "2.6.0",
             .summary = "Lets a key expire at a moment given in milliseconds.",
             .complexity = "O(log n) for n keys that expire",
             .syntax = "key:key unix-time-milliseconds:unix-time [NX | XX | GT | LT]",
             .handler = &PExpireAt}),
    Declare({.name = "TTL",
             .arity = 2,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kReadsKey)},
             .acl = "keyspace",
             .tips = "nondeterministic_output",
             .group = "generic",
             .since = "1.0.0",
             .summary = "Returns how many seconds a key has left.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &Ttl}),
    Declare({.name = "PTTL",
             .arity = 2,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kReadsKey)},
             .acl = "keyspace",
             .tips = "nondeterministic_output",
             .group = "generic",
             .since = "2.6.0",
             .summary = "Returns how many milliseconds a key has left.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &PTtl}),
    Declare({.name = "EXPIRETIME",
             .arity = 2,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kReadsKey)},
             .acl = "keyspace",
             .group = "generic",
             .since = "7.0.0",
             .summary = "Returns the moment at which a key expires, in seconds.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &ExpireTime}),
    Declare({.name = "PEXPIRETIME",
             .arity = 2,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kReadsKey)},
             .acl = "keyspace",
             .group = "generic",
             .since = "7.0.0",
             .summary = "Returns the moment at which a key expires, in milliseconds.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &PExpireTime}),
    Declare({.name = "PERSIST",
             .arity = 2,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kUpdatesKey)},
             .log = LogPolicy::kVerbatim,
             .acl = "keyspace",
             .group = "generic",
             .since = "2.2.0",
             .summary = "Lets a key live for ever.",
             .complexity = "O(log n) for n keys that expire",
             .syntax = "key:key",
             .handler = &Persist}),
};

}  // namespace

std::span<const CommandSpec> KeyExpiryCommands() { return kCommands; }

}  // namespace rung

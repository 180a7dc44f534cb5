// Changing and reading parts of strings, and counters.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "commands/families.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

constexpr std::string_view kTooLong =
    "ERR string exceeds maximum allowed size (proto-max-bulk-len)";

bool IsString(Lookup found) { return !found || found.entry()->type() == ValueType::kString; }

bool FitsLimit(const ExecContext& ctx, std::uint64_t offset, std::uint64_t size) {
  std::uint64_t total = 0;
  return !__builtin_add_overflow(offset, size, &total) &&
         total <= ctx.broker.options().proto_max_bulk_bytes;
}

Outcome AddToCounter(ExecContext& ctx, std::string_view key, std::int64_t delta) {
  const Lookup found = ctx.db.Find(key);
  if (!IsString(found)) return ctx.Fail(errors::kWrongType);
  std::int64_t value = 0;
  if (found && found.entry()->form() == Entry::Form::kInteger) {
    value = found.entry()->integer();
  } else if (found) {
    NumberBuffer buffer;
    const auto parsed = ParseInt64(found.entry()->StringView(buffer));
    if (!parsed) return ctx.Fail(errors::kNotInteger);
    value = *parsed;
  }
  if (__builtin_add_overflow(value, delta, &value)) return ctx.Fail(errors::kOverflow);
  ctx.db.PutInteger(key, found, value, ExpiryChange::Keep(), "incrby");
  ctx.reply.Integer(value);
  return Outcome::kReplied;
}

Outcome Incr(ExecContext& ctx, ArgReader& args) { return AddToCounter(ctx, args.Bytes(), 1); }
Outcome Decr(ExecContext& ctx, ArgReader& args) { return AddToCounter(ctx, args.Bytes(), -1); }

Outcome IncrBy(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::int64_t delta = args.Integer();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  return AddToCounter(ctx, key, delta);
}

Outcome DecrBy(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::int64_t delta = args.Integer();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  if (delta == std::numeric_limits<std::int64_t>::min()) {
    return ctx.Fail("ERR decrement would overflow");
  }
  return AddToCounter(ctx, key, -delta);
}

Outcome IncrByFloat(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::optional<long double> delta = ParseLongDouble(args.Bytes());
  if (!delta) return ctx.Fail(errors::kNotFloat);
  const Lookup found = ctx.db.Find(key);
  if (!IsString(found)) return ctx.Fail(errors::kWrongType);
  NumberBuffer buffer;
  const std::optional<long double> value =
      found ? ParseLongDouble(found.entry()->StringView(buffer)) : 0.0L;
  if (!value) return ctx.Fail(errors::kNotFloat);
  const long double sum = *value + *delta;
  if (std::isnan(sum) || std::isinf(sum)) return ctx.Fail(errors::kNanOrInfinity);
  const std::string text = FormatLongDouble(sum);
  ctx.db.PutString(key, found, text, ExpiryChange::Keep(), "incrbyfloat");
  // Logged by its result: floating-point sums may differ between machines.
  ctx.Log({"SET", key, text, "KEEPTTL"});
  ctx.reply.Bulk(text);
  return Outcome::kReplied;
}

Outcome Append(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view suffix = args.Bytes();
  const Lookup found = ctx.db.Find(key);
  if (!IsString(found)) return ctx.Fail(errors::kWrongType);
  NumberBuffer buffer;
  const std::size_t size = found ? found.entry()->StringView(buffer).size() : 0;
  if (!FitsLimit(ctx, size, suffix.size())) return ctx.Fail(kTooLong);
  std::string& value = ctx.db.GrowString(key, found);
  value.append(suffix);
  ctx.db.StringGrown(key, "append");
  ctx.reply.Integer(static_cast<std::int64_t>(value.size()));
  return Outcome::kReplied;
}

Outcome StrLen(ExecContext& ctx, ArgReader& args) {
  NumberBuffer buffer;
  const auto value = ctx.db.ReadString(args.Bytes(), buffer);
  if (!value.ok()) return ctx.Fail(value.error());
  ctx.reply.Integer(static_cast<std::int64_t>(value->value_or("").size()));
  return Outcome::kReplied;
}

Outcome GetRange(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  std::int64_t first = args.Integer();
  std::int64_t last = args.Integer();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  NumberBuffer buffer;
  const auto value = ctx.db.ReadString(key, buffer);
  if (!value.ok()) return ctx.Fail(value.error());
  const std::string_view text = value->value_or("");
  const auto size = static_cast<std::int64_t>(text.size());
  const bool both_negative = first < 0 && last < 0 && first > last;
  if (first < 0) first = std::max<std::int64_t>(0, size + first);
  if (last < 0) last = std::max<std::int64_t>(0, size + last);
  last = std::min(last, size - 1);
  if (both_negative || first > last || size == 0) {
    ctx.reply.Bulk("");
  } else {
    ctx.reply.Bulk(
        text.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first + 1)));
  }
  return Outcome::kReplied;
}

Outcome SetRange(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::int64_t offset = args.Integer();
  const std::string_view part = args.Bytes();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  if (offset < 0) return ctx.Fail("ERR offset is out of range");
  const Lookup found = ctx.db.Find(key);
  if (!IsString(found)) return ctx.Fail(errors::kWrongType);
  if (part.empty()) {
    NumberBuffer buffer;
    ctx.reply.Integer(found ? static_cast<std::int64_t>(found.entry()->StringView(buffer).size())
                            : 0);
    return Outcome::kReplied;
  }
  const auto start = static_cast<std::size_t>(offset);
  if (!FitsLimit(ctx, start, part.size())) return ctx.Fail(kTooLong);
  std::string& value = ctx.db.GrowString(key, found);
  if (value.size() < start + part.size()) value.resize(start + part.size());
  value.replace(start, part.size(), part);
  ctx.db.StringGrown(key, "setrange");
  ctx.reply.Integer(static_cast<std::int64_t>(value.size()));
  return Outcome::kReplied;
}

constexpr std::uint32_t kGrows = kWrite | kDenyOom;
constexpr int kCounterKey = kKeyReadWrite | kKeyAccess | kKeyUpdate;

constexpr std::array kCommands = {
    Declare({.name = "INCR",
             .arity = 2,
             .flags = kGrows | kFast,
             .keys = {KeyAt(1, kCounterKey)},
             .log = LogPolicy::kVerbatim,
             .group = "string",
             .since = "1.0.0",
             .summary = "Adds one to a counter.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &Incr}),
    Declare({.name = "DECR",
             .arity = 2,
             .flags = kGrows | kFast,
             .keys = {KeyAt(1, kCounterKey)},
             .log = LogPolicy::kVerbatim,
             .group = "string",
             .since = "1.0.0",
             .summary = "Takes one off a counter.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &Decr}),
    Declare({.name = "INCRBY",
             .arity = 3,
             .flags = kGrows | kFast,
             .keys = {KeyAt(1, kCounterKey)},
             .log = LogPolicy::kVerbatim,
             .group = "string",
             .since = "1.0.0",
             .summary = "Adds a whole number to a counter.",
             .complexity = "O(1)",
             .syntax = "key:key increment:integer",
             .handler = &IncrBy}),
    Declare({.name = "DECRBY",
             .arity = 3,
             .flags = kGrows | kFast,
             .keys = {KeyAt(1, kCounterKey)},
             .log = LogPolicy::kVerbatim,
             .group = "string",
             .since = "1.0.0",
             .summary = "Takes a whole number off a counter.",
             .complexity = "O(1)",
             .syntax = "key:key decrement:integer",
             .handler = &DecrBy}),
    Declare({.name = "INCRBYFLOAT",
             .arity = 3,
             .flags = kGrows | kFast,
             .keys = {KeyAt(1, kCounterKey)},
             .log = LogPolicy::kRewritten,
             .group = "string",
             .since = "2.6.0",
             .summary = "Adds a number with a fraction to the number that a key holds.",
             .complexity = "O(1)",
             .syntax = "key:key increment:double",
             .handler = &IncrByFloat}),
    Declare({.name = "APPEND",
             .arity = 3,
             .flags = kGrows | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyInsert)},
             .log = LogPolicy::kVerbatim,
             .group = "string",
             .since = "2.0.0",
             .summary = "Adds bytes to the end of a string.",
             .complexity = "O(1) amortised, for a value of the size of what is added",
             .syntax = "key:key value",
             .handler = &Append}),
    Declare({.name = "STRLEN",
             .arity = 2,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead)},
             .group = "string",
             .since = "2.2.0",
             .summary = "Returns the length of a string in bytes.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &StrLen}),
    Declare({.name = "GETRANGE",
             .arity = 4,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "string",
             .since = "2.4.0",
             .summary = "Returns a part of a string.",
             .complexity = "O(n) for n bytes returned",
             .syntax = "key:key start:integer end:integer",
             .handler = &GetRange}),
    Declare({.name = "SUBSTR",
             .arity = 4,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "string",
             .since = "1.0.0",
             .summary = "Returns a part of a string: the older name of GETRANGE.",
             .complexity = "O(n) for n bytes returned",
             .syntax = "key:key start:integer end:integer",
             .handler = &GetRange}),
    Declare({.name = "SETRANGE",
             .arity = 4,
             .flags = kGrows,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .group = "string",
             .since = "2.2.0",
             .summary = "Overwrites a part of a string; a gap before it is filled with zero bytes.",
             .complexity = "O(n) for n bytes written",
             .syntax = "key:key offset:integer value",
             .handler = &SetRange}),
};

}  // namespace

std::span<const CommandSpec> StringChangeCommands() { return kCommands; }

}  // namespace rung

// Whole hashes: HLEN HKEYS HVALS HGETALL HRANDFIELD HSCAN.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/families.h"
#include "commands/random_count.h"
#include "commands/scan_options.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/hash.h"

namespace rung {
namespace {

Outcome HLen(ExecContext& ctx, ArgReader& args) {
  const Result<const Hash*> hash = ctx.db.Read<Hash>(args.Bytes());
  if (!hash.ok()) return ctx.Fail(hash.error());
  ctx.reply.Integer(*hash == nullptr ? 0 : static_cast<std::int64_t>((*hash)->size()));
  return Outcome::kReplied;
}

Outcome HKeys(ExecContext& ctx, ArgReader& args) {
  const Result<const Hash*> hash = ctx.db.Read<Hash>(args.Bytes());
  if (!hash.ok()) return ctx.Fail(hash.error());
  ctx.reply.Array(*hash == nullptr ? 0 : (*hash)->size());
  if (*hash == nullptr) return Outcome::kReplied;
  (*hash)->ForEach([&](std::string_view name, std::string_view) { ctx.reply.Bulk(name); });
  return Outcome::kReplied;
}

Outcome HVals(ExecContext& ctx, ArgReader& args) {
  const Result<const Hash*> hash = ctx.db.Read<Hash>(args.Bytes());
  if (!hash.ok()) return ctx.Fail(hash.error());
  ctx.reply.Array(*hash == nullptr ? 0 : (*hash)->size());
  if (*hash == nullptr) return Outcome::kReplied;
  (*hash)->ForEach([&](std::string_view, std::string_view value) { ctx.reply.Bulk(value); });
  return Outcome::kReplied;
}

Outcome HGetAll(ExecContext& ctx, ArgReader& args) {
  const Result<const Hash*> hash = ctx.db.Read<Hash>(args.Bytes());
  if (!hash.ok()) return ctx.Fail(hash.error());
  ctx.reply.Map(*hash == nullptr ? 0 : (*hash)->size());
  if (*hash == nullptr) return Outcome::kReplied;
  (*hash)->ForEach([&](std::string_view name, std::string_view value) {
    ctx.reply.Bulk(name);
    ctx.reply.Bulk(value);
  });
  return Outcome::kReplied;
}

// Fields one after the other; with values as pairs that are nested in RESP3 only.
class FieldReply {
 public:
  FieldReply(ExecContext& ctx, bool with_values, std::size_t count)
      : reply_(ctx.reply), with_values_(with_values), nested_(with_values && reply_.resp3()) {
    reply_.Array(with_values_ && !nested_ ? 2 * count : count);
  }

  void operator()(std::string_view name, std::string_view value) {
    if (nested_) reply_.Array(2);
    reply_.Bulk(name);
    if (with_values_) reply_.Bulk(value);
  }

 private:
  ReplyWriter& reply_;
  bool with_values_;
  bool nested_;
};

Outcome HRandField(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const RandomCount request = ReadRandomCount(args, "WITHVALUES");
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const Hash*> found = ctx.db.Read<Hash>(key);
  if (!found.ok()) return ctx.Fail(found.error());
  NumberBuffer buffer;
  Rng& rng = ctx.broker.rng;
  if (*found == nullptr) {
    if (request.single) {
      ctx.reply.Null();
    } else {
      ctx.reply.EmptyArray();
    }
  } else if (request.single) {
    ctx.reply.Bulk((*found)->Random(rng, buffer).name);
  } else if (request.repeats) {
    FieldReply fields(ctx, request.with_values, request.count);
    for (std::size_t i = 0; i < request.count; ++i) {
      const Hash::Field field = (*found)->Random(rng, buffer);
      fields(field.name, field.value);
    }
  } else {
    const std::size_t count = std::min(request.count, (*found)->size());
    FieldReply fields(ctx, request.with_values, count);
    (*found)->Sample(rng, count,
                     [&](std::string_view name, std::string_view value) { fields(name, value); });
  }
  return Outcome::kReplied;
}

Outcome HScan(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  ScanRequest request;
  request.cursor = TakeCursor(args);
  ReadScanOptions(args, ScanOf::kElements, request);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const Hash*> hash = ctx.db.Read<Hash>(key);
  if (!hash.ok()) return ctx.Fail(hash.error());
  // Copied, as a number's text lives in a buffer until the next field.
  std::vector<std::pair<std::string, std::string>> fields;
  std::uint64_t cursor = *hash == nullptr ? 0 : request.cursor;
  std::size_t seen = 0;
  for (std::size_t portion = 0; *hash != nullptr && portion < request.portions_max(); ++portion) {
    cursor = (*hash)->Scan(cursor, [&](std::string_view name, std::string_view value) {
      ++seen;
      if (request.Matches(name)) fields.emplace_back(name, value);
    });
    if (cursor == 0 || seen >= request.count) break;
  }
  NumberBuffer number;
  ctx.reply.Array(2);
  ctx.reply.Bulk(FormatUint64(cursor, number));
  ctx.reply.Array(2 * fields.size());
  for (const auto& [name, value] : fields) {
    ctx.reply.Bulk(name);
    ctx.reply.Bulk(value);
  }
  return Outcome::kReplied;
}

constexpr std::array kCommands = {
    Declare({.name = "HLEN",
             .arity = 2,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead)},
             .group = "hash",
             .since = "2.0.0",
             .summary = "Returns the number of fields of a hash.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &HLen}),
    Declare({.name = "HKEYS",
             .arity = 2,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .tips = "nondeterministic_output_order",
             .group = "hash",
             .since = "2.0.0",
             .summary = "Returns the names of all fields.",
             .complexity = "O(n)",
             .syntax = "key:key",
             .handler = &HKeys}),
    Declare({.name = "HVALS",
             .arity = 2,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .tips = "nondeterministic_output_order",
             .group = "hash",
             .since = "2.0.0",
             .summary = "Returns the values of all fields.",
             .complexity = "O(n)",
             .syntax = "key:key",
             .handler = &HVals}),
    Declare({.name = "HGETALL",
             .arity = 2,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .tips = "nondeterministic_output_order",
             .group = "hash",
             .since = "2.0.0",
             .summary = "Returns all fields with their values.",
             .complexity = "O(n)",
             .syntax = "key:key",
             .handler = &HGetAll}),
    Declare({.name = "HRANDFIELD",
             .arity = -2,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .tips = "nondeterministic_output",
             .group = "hash",
             .since = "6.2.0",
             .summary = "Returns fields drawn at random.",
             .complexity = "O(m) for m fields returned",
             .syntax = "key:key [count:integer [WITHVALUES]]",
             .handler = &HRandField}),
    Declare({.name = "HSCAN",
             .arity = -3,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .tips = "nondeterministic_output",
             .group = "hash",
             .since = "2.8.0",
             .summary = "Goes through the fields of a hash, a portion a call.",
             .complexity = "O(1) per call, O(n) for a whole iteration",
             .syntax = "key:key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]",
             .handler = &HScan}),
};

}  // namespace

std::span<const CommandSpec> HashAllCommands() { return kCommands; }

}  // namespace rung

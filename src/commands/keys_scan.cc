// Going through the keyspace: KEYS and SCAN.

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "commands/families.h"
#include "commands/scan_options.h"
#include "rung/base/glob.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

void ReplyNames(ExecContext& ctx, const std::vector<std::string_view>& names) {
  ctx.reply.Array(names.size());
  for (const std::string_view name : names) ctx.reply.Bulk(name);
}

Outcome Keys(ExecContext& ctx, ArgReader& args) {
  const std::string_view pattern = args.Bytes();
  std::vector<std::string_view> names;
  const bool all = pattern == "*";
  ctx.db.ForEach([&](const Entry& entry) {
    if (all || GlobMatch(pattern, entry.key())) names.push_back(entry.key());
  });
  ReplyNames(ctx, names);
  return Outcome::kReplied;
}

Outcome Scan(ExecContext& ctx, ArgReader& args) {
  ScanRequest request;
  request.cursor = TakeCursor(args);
  ReadScanOptions(args, ScanOf::kKeys, request);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  std::vector<std::string_view> names;
  std::uint64_t cursor = request.cursor;
  std::size_t seen = 0;
  for (std::size_t portion = 0; portion < request.portions_max(); ++portion) {
    cursor = ctx.db.Scan(cursor, [&](const Entry& entry) {
      ++seen;
      const bool wanted = !request.type || EqualsIgnoreCase(*request.type, TypeName(entry.type()));
      if (wanted && request.Matches(entry.key())) names.push_back(entry.key());
    });
    if (cursor == 0 || seen >= request.count) break;
  }
  NumberBuffer number;
  ctx.reply.Array(2);
  ctx.reply.Bulk(FormatUint64(cursor, number));
  ReplyNames(ctx, names);
  return Outcome::kReplied;
}

constexpr std::array kCommands = {
    Declare({.name = "KEYS",
             .arity = 2,
             .flags = kReadOnly,
             .acl = "keyspace dangerous",
             .tips = "request_policy:all_shards nondeterministic_output_order",
             .group = "generic",
             .since = "1.0.0",
             .summary = "Returns the names of all keys that match a pattern. For looking around; a "
                        "program uses SCAN.",
             .complexity = "O(n) for n keys in the database",
             .syntax = "pattern:pattern",
             .handler = &Keys}),
    Declare({.name = "SCAN",
             .arity = -2,
             .flags = kReadOnly,
             .acl = "keyspace",
             .tips = "nondeterministic_output request_policy:special",
             .group = "generic",
             .since = "2.8.0",
             .summary = "Goes through the names of the keys, a portion a call.",
             .complexity = "O(1) per call, O(n) for a whole iteration",
             .syntax = "cursor:integer [MATCH pattern:pattern] [COUNT count:integer] [TYPE type]",
             .handler = &Scan}),
};

}  // namespace

std::span<const CommandSpec> KeyScanCommands() { return kCommands; }

}  // namespace rung

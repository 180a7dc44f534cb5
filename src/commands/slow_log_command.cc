// SLOWLOG: the commands that took long.

#include <algorithm>
#include <array>

#include "commands/families.h"
#include "commands/help.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

void ReplyRecord(ReplyWriter& reply, const SlowLog::Record& record) {
  reply.Array(6);
  reply.Integer(static_cast<std::int64_t>(record.id));
  reply.Integer(record.wall_seconds);
  reply.Integer(record.microseconds);
  reply.Array(record.args.size());
  for (const std::string& arg : record.args) reply.Bulk(arg);
  reply.Bulk(record.client_address);
  reply.Bulk(record.client_name);
}

Outcome SlowLogGet(ExecContext& ctx, ArgReader& args) {
  constexpr std::string_view kBadCount = "ERR count should be greater than or equal to -1";
  constexpr std::int64_t kAll = -1;
  const std::int64_t wanted =
      args.More() ? args.IntegerIn(kAll, INT64_MAX, kBadCount, kBadCount) : std::int64_t{10};
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const auto& records = ctx.broker.slow_log.records();
  std::size_t count = records.size();
  if (wanted != kAll) count = std::min(count, static_cast<std::size_t>(wanted));
  ctx.reply.Array(count);
  for (std::size_t i = 0; i < count; ++i) ReplyRecord(ctx.reply, records[i]);
  return Outcome::kReplied;
}

Outcome SlowLogLen(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Integer(static_cast<std::int64_t>(ctx.broker.slow_log.records().size()));
  return Outcome::kReplied;
}

Outcome SlowLogReset(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.broker.slow_log.Reset();
  ctx.reply.Ok();
  return Outcome::kReplied;
}

constexpr std::uint32_t kFlags = kAdmin | kLoading | kStale;

constexpr std::array kSubcommands = {
    Declare({.name = "GET",
             .arity = -2,
             .flags = kFlags,
             .tips = "request_policy:all_nodes nondeterministic_output",
             .group = "server",
             .since = "2.2.12",
             .summary = "Returns the newest records: 10, so many, or all with -1.",
             .complexity = "O(n) for n records",
             .syntax = "[count:integer]",
             .handler = &SlowLogGet}),
    Declare({.name = "LEN",
             .arity = 2,
             .flags = kFlags,
             .tips = "request_policy:all_nodes response_policy:agg_sum nondeterministic_output",
             .group = "server",
             .since = "2.2.12",
             .summary = "Returns the number of records.",
             .complexity = "O(1)",
             .handler = &SlowLogLen}),
    Declare({.name = "RESET",
             .arity = 2,
             .flags = kFlags,
             .tips = "request_policy:all_nodes response_policy:all_succeeded",
             .group = "server",
             .since = "2.2.12",
             .summary = "Forgets all records.",
             .complexity = "O(n) for n records",
             .handler = &SlowLogReset}),
    HelpSubcommand("server", "6.2.0"),
};

constexpr std::array kCommands = {
    Declare({.name = "SLOWLOG",
             .arity = -2,
             .group = "server",
             .since = "2.2.12",
             .summary = "Commands about commands that took long.",
             .complexity = "That of the subcommand",
             .subcommands = kSubcommands}),
};

}  // namespace

std::span<const CommandSpec> SlowLogCommands() { return kCommands; }

}  // namespace rung

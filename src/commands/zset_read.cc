// Questions about one sorted set that are answered by a number or a few: ZCARD ZSCORE ZMSCORE ZRANK
// ZREVRANK ZCOUNT ZLEXCOUNT.

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "commands/families.h"
#include "commands/zset.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/catalog.h"
#include "rung/commands/context.h"
#include "rung/types/sorted_set.h"

namespace rung {
namespace {

Outcome ZCard(ExecContext& ctx, ArgReader& args) {
  const Result<const SortedSet*> set = ctx.db.Read<SortedSet>(args.Bytes());
  if (!set.ok()) return ctx.Fail(set.error());
  ctx.reply.Integer(*set == nullptr ? 0 : static_cast<std::int64_t>((*set)->size()));
  return Outcome::kReplied;
}

void ReplyScore(ReplyWriter& reply, const SortedSet* set, std::string_view member) {
  const std::optional<double> score = set == nullptr ? std::nullopt : set->Score(member);
  if (score) {
    reply.Double(*score);
  } else {
    reply.Null();
  }
}

Outcome ZScore(ExecContext& ctx, ArgReader& args) {
  const Result<const SortedSet*> set = ctx.db.Read<SortedSet>(args.Bytes());
  if (!set.ok()) return ctx.Fail(set.error());
  ReplyScore(ctx.reply, *set, args.Bytes());
  return Outcome::kReplied;
}

Outcome ZMScore(ExecContext& ctx, ArgReader& args) {
  const Result<const SortedSet*> set = ctx.db.Read<SortedSet>(args.Bytes());
  if (!set.ok()) return ctx.Fail(set.error());
  ctx.reply.Array(args.left());
  for (const std::string_view member : args.Rest()) ReplyScore(ctx.reply, *set, member);
  return Outcome::kReplied;
}

Outcome Rank(ExecContext& ctx, ArgReader& args, ZEnd from) {
  const std::string_view key = args.Bytes();
  const std::string_view member = args.Bytes();
  if (args.left() > 1) {
    return ctx.Fail("ERR wrong number of arguments for '" + ctx.command.full_name + "' command");
  }
  const bool with_score = args.Take("WITHSCORE");
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const SortedSet*> set = ctx.db.Read<SortedSet>(key);
  if (!set.ok()) return ctx.Fail(set.error());
  const auto position = *set == nullptr ? std::nullopt : (*set)->Rank(member, from);
  if (!position) {
    with_score ? ctx.reply.NullArray() : ctx.reply.Null();
    return Outcome::kReplied;
  }
  if (with_score) ctx.reply.Array(2);
  ctx.reply.Integer(static_cast<std::int64_t>(position->rank));
  if (with_score) ctx.reply.Double(position->score);
  return Outcome::kReplied;
}

Outcome ZRank(ExecContext& ctx, ArgReader& args) { return Rank(ctx, args, ZEnd::kLowest); }

Outcome ZRevRank(ExecContext& ctx, ArgReader& args) { return Rank(ctx, args, ZEnd::kHighest); }

// `parse` reads the range from min and max.
template <typename Parse>
Outcome Count(ExecContext& ctx, ArgReader& args, Parse parse) {
  const std::string_view key = args.Bytes();
  const std::string_view min = args.Bytes();
  const std::string_view max = args.Bytes();
  const auto range = parse(args, min, max);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const SortedSet*> set = ctx.db.Read<SortedSet>(key);
  if (!set.ok()) return ctx.Fail(set.error());
  ctx.reply.Integer(*set == nullptr ? 0 : static_cast<std::int64_t>((*set)->CountIn(range)));
  return Outcome::kReplied;
}

Outcome ZCount(ExecContext& ctx, ArgReader& args) { return Count(ctx, args, &ParseScoreRange); }

Outcome ZLexCount(ExecContext& ctx, ArgReader& args) { return Count(ctx, args, &ParseLexRange); }

constexpr std::uint32_t kFastRead = kReadOnly | kFast;

constexpr std::array kCommands = {
    Declare({.name = "ZCARD",
             .arity = 2,
             .flags = kFastRead,
             .keys = {KeyAt(1, kKeyRead)},
             .group = "sorted-set",
             .since = "1.2.0",
             .summary = "Returns how many members a sorted set has.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &ZCard}),
    Declare({.name = "ZSCORE",
             .arity = 3,
             .flags = kFastRead,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "sorted-set",
             .since = "1.2.0",
             .summary = "Returns the score of a member of a sorted set.",
             .complexity = "O(1)",
             .syntax = "key:key member",
             .handler = &ZScore}),
    Declare({.name = "ZMSCORE",
             .arity = -3,
             .flags = kFastRead,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "sorted-set",
             .since = "6.2.0",
             .summary = "Returns the scores of several members of a sorted set.",
             .complexity = "O(1) per member",
             .syntax = "key:key member...",
             .handler = &ZMScore}),
    Declare({.name = "ZRANK",
             .arity = -3,
             .flags = kFastRead,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "sorted-set",
             .since = "2.0.0",
             .summary = "Returns how many members of a sorted set come before a member.",
             .complexity = "O(log n)",
             .syntax = "key:key member [WITHSCORE]",
             .handler = &ZRank}),
    Declare({.name = "ZREVRANK",
             .arity = -3,
             .flags = kFastRead,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "sorted-set",
             .since = "2.0.0",
             .summary = "Returns how many members of a sorted set come after a member.",
             .complexity = "O(log n)",
             .syntax = "key:key member [WITHSCORE]",
             .handler = &ZRevRank}),
    Declare({.name = "ZCOUNT",
             .arity = 4,
             .flags = kFastRead,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "sorted-set",
             .since = "2.0.0",
             .summary = "Counts the members of a sorted set within a range of scores.",
             .complexity = "O(log n)",
             .syntax = "key:key min:double max:double",
             .handler = &ZCount}),
    Declare({.name = "ZLEXCOUNT",
             .arity = 4,
             .flags = kFastRead,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "sorted-set",
             .since = "2.8.9",
             .summary = "Counts the members of a sorted set within a range of bytes.",
             .complexity = "O(log n)",
             .syntax = "key:key min max",
             .handler = &ZLexCount}),
};

}  // namespace

std::span<const CommandSpec> ZSetReadCommands() { return kCommands; }

}  // namespace rung

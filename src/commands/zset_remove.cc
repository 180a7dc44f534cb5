// ZREM, ZREMRANGEBYRANK, ZREMRANGEBYSCORE, ZREMRANGEBYLEX: take members out unseen.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "commands/families.h"
#include "commands/zset.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/sorted_set.h"

namespace rung {
namespace {

// Opens the set, lets `remove(SortedSet&)` work on it and answers how many members went.
template <typename Remove>
Outcome RemoveFrom(ExecContext& ctx, std::string_view key, std::string_view event, Remove remove) {
  Result<Edit<SortedSet>> edit = ctx.db.EditExisting<SortedSet>(key);
  if (!edit.ok()) return ctx.Fail(edit.error());
  std::size_t removed = 0;
  if (*edit) removed = remove(**edit);
  if (removed > 0) edit->MarkChanged(event);
  ctx.reply.Integer(static_cast<std::int64_t>(removed));
  return Outcome::kReplied;
}

Outcome ZRem(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::span<const std::string_view> members = args.Rest();
  return RemoveFrom(ctx, key, "zrem", [members](SortedSet& set) {
    std::size_t removed = 0;
    for (const std::string_view member : members) removed += set.Remove(member) ? 1 : 0;
    return removed;
  });
}

Outcome ZRemRangeByRank(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::int64_t start = args.Integer();
  const std::int64_t stop = args.Integer();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  return RemoveFrom(ctx, key, "zremrangebyrank", [start, stop](SortedSet& set) -> std::size_t {
    const RankRange ranks = RanksBetween(set.size(), start, stop, ZEnd::kLowest);
    if (ranks.count == 0) return 0;
    return set.RemoveRank(ranks.first, ranks.first + ranks.count - 1);
  });
}

// `parse` reads the range from min and max.
template <typename Parse>
Outcome RemoveRange(ExecContext& ctx, ArgReader& args, std::string_view event, Parse parse) {
  const std::string_view key = args.Bytes();
  const std::string_view min = args.Bytes();
  const std::string_view max = args.Bytes();
  const auto range = parse(args, min, max);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  return RemoveFrom(ctx, key, event, [&range](SortedSet& set) { return set.RemoveIn(range); });
}

Outcome ZRemRangeByScore(ExecContext& ctx, ArgReader& args) {
  return RemoveRange(ctx, args, "zremrangebyscore", &ParseScoreRange);
}

Outcome ZRemRangeByLex(ExecContext& ctx, ArgReader& args) {
  return RemoveRange(ctx, args, "zremrangebylex", &ParseLexRange);
}

constexpr std::array kCommands = {
    Declare({.name = "ZREM",
             .arity = -3,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .group = "sorted-set",
             .since = "1.2.0",
             .summary = "Removes members from a sorted set.",
             .complexity = "O(log n) per member",
             .syntax = "key:key member...",
             .handler = &ZRem}),
    Declare({.name = "ZREMRANGEBYRANK",
             .arity = 4,
             .flags = kWrite,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .group = "sorted-set",
             .since = "2.0.0",
             .summary = "Removes the members of a sorted set within a range of ranks.",
             .complexity = "O(log n + m) for m members removed",
             .syntax = "key:key start:integer stop:integer",
             .handler = &ZRemRangeByRank}),
    Declare({.name = "ZREMRANGEBYSCORE",
             .arity = 4,
             .flags = kWrite,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .group = "sorted-set",
             .since = "1.2.0",
             .summary = "Removes the members of a sorted set within a range of scores.",
             .complexity = "O(log n + m) for m members removed",
             .syntax = "key:key min:double max:double",
             .handler = &ZRemRangeByScore}),
    Declare({.name = "ZREMRANGEBYLEX",
             .arity = 4,
             .flags = kWrite,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .group = "sorted-set",
             .since = "2.8.9",
             .summary = "Removes the members of a sorted set within a range of bytes.",
             .complexity = "O(log n + m) for m members removed",
             .syntax = "key:key min max",
             .handler = &ZRemRangeByLex}),
};

}  // namespace

std::span<const CommandSpec> ZSetRemoveCommands() { return kCommands; }

}  // namespace rung

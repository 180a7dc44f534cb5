// Taking members off the first of several sorted sets that has any, waiting for one if asked to:
// ZMPOP, BZPOPMIN, BZPOPMAX, BZMPOP.
//
// What is logged is what was taken: a ZPOPMIN or ZPOPMAX of the key that served.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "commands/families.h"
#include "commands/zset.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/sorted_set.h"

namespace rung {
namespace {

constexpr ValueTypeMask kServedBy = MaskOf(ValueType::kSortedSet);

std::string_view PopCommand(ZEnd end) { return end == ZEnd::kLowest ? "ZPOPMIN" : "ZPOPMAX"; }

std::string_view PopEvent(ZEnd end) { return end == ZEnd::kLowest ? "zpopmin" : "zpopmax"; }

// Opens the first of `keys` that exists; an empty Edit if none does. Errors: the first that exists
// is no sorted set.
Result<Edit<SortedSet>> EditFirst(Database& db, std::span<const std::string_view> keys,
                                  std::string_view& key) {
  for (const std::string_view candidate : keys) {
    Result<Edit<SortedSet>> edit = db.EditExisting<SortedSet>(candidate);
    key = candidate;
    if (!edit.ok() || *edit) return edit;
  }
  return Edit<SortedSet>();
}

struct PopManyRequest {
  std::span<const std::string_view> keys;
  ZEnd end = ZEnd::kLowest;
  std::size_t count = 1;
};

PopManyRequest ReadPopMany(ArgReader& args) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::string_view kBadKeyCount = "ERR numkeys should be greater than 0";
  constexpr std::string_view kBadCount = "ERR count should be greater than 0";
  PopManyRequest pop;
  const std::int64_t key_count = args.IntegerIn(1, kMax, kBadKeyCount, kBadKeyCount);
  pop.keys = args.Take(static_cast<std::size_t>(key_count));
  if (args.Take("MAX")) {
    pop.end = ZEnd::kHighest;
  } else if (!args.Take("MIN")) {
    args.Fail(errors::kSyntax);
  }
  if (args.TakeWithValue("COUNT")) {
    pop.count = static_cast<std::size_t>(args.IntegerIn(1, kMax, kBadCount, kBadCount));
  }
  return pop;
}

// Serves ZMPOP and BZMPOP if one of the keys exists, or fails; nullopt if there is nothing to take.
std::optional<Outcome> PopMany(ExecContext& ctx, const PopManyRequest& pop) {
  std::string_view key;
  Result<Edit<SortedSet>> edit = EditFirst(ctx.db, pop.keys, key);
  if (!edit.ok()) return ctx.Fail(edit.error());
  if (!*edit) return std::nullopt;
  SortedSet& set = **edit;
  const std::size_t taken = std::min(pop.count, set.size());
  ctx.reply.Array(2);
  ctx.reply.Bulk(key);
  set.PopEach(pop.end, taken, MemberReply(ctx.reply, MemberShape::kNested, taken));
  edit->MarkChanged(PopEvent(pop.end));
  NumberBuffer number;
  ctx.Log({PopCommand(pop.end), key, FormatInt64(static_cast<std::int64_t>(taken), number)});
  return Outcome::kReplied;
}

Outcome ZMPop(ExecContext& ctx, ArgReader& args) {
  const PopManyRequest pop = ReadPopMany(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  if (const auto outcome = PopMany(ctx, pop)) return *outcome;
  ctx.reply.NullArray();
  return Outcome::kReplied;
}

Outcome WaitOrGiveUp(ExecContext& ctx, std::span<const std::string_view> keys,
                     std::optional<std::chrono::nanoseconds> timeout) {
  if (ctx.MayBlock()) return ctx.BlockOn(keys, kServedBy, timeout);
  ctx.reply.NullArray();
  return Outcome::kReplied;
}

Outcome BZMPop(ExecContext& ctx, ArgReader& args) {
  // The time-out stands first and is judged last.
  ArgReader timeout_arg(args.Take(1));
  const PopManyRequest pop = ReadPopMany(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const auto timeout = timeout_arg.Timeout();
  if (const auto& error = timeout_arg.Finish()) return ctx.Fail(*error);
  if (const auto outcome = PopMany(ctx, pop)) return *outcome;
  return WaitOrGiveUp(ctx, pop.keys, timeout);
}

Outcome PopOneOrWait(ExecContext& ctx, ArgReader& args, ZEnd end) {
  const std::span<const std::string_view> keys = args.Take(args.left() - 1);
  const auto timeout = args.Timeout();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  std::string_view key;
  Result<Edit<SortedSet>> edit = EditFirst(ctx.db, keys, key);
  if (!edit.ok()) return ctx.Fail(edit.error());
  if (!*edit) return WaitOrGiveUp(ctx, keys, timeout);
  ctx.reply.Array(3);
  ctx.reply.Bulk(key);
  (*edit)->PopEach(end, 1, [&ctx](std::string_view member, double score) {
    ctx.reply.Bulk(member);
    ctx.reply.Double(score);
  });
  edit->MarkChanged(PopEvent(end));
  ctx.Log({PopCommand(end), key});
  return Outcome::kReplied;
}

Outcome BZPopMin(ExecContext& ctx, ArgReader& args) {
  return PopOneOrWait(ctx, args, ZEnd::kLowest);
}

Outcome BZPopMax(ExecContext& ctx, ArgReader& args) {
  return PopOneOrWait(ctx, args, ZEnd::kHighest);
}

constexpr int kPoppedKey = kKeyReadWrite | kKeyAccess | kKeyDelete;

constexpr std::array kCommands = {
    Declare({.name = "ZMPOP",
             .arity = -4,
             .flags = kWrite,
             .keys = {KeysCountedAt(1, kPoppedKey)},
             .log = LogPolicy::kRewritten,
             .group = "sorted-set",
             .since = "7.0.0",
             .summary = "Takes members off one end of the first sorted set that has any.",
             .complexity = "O(k + m) for k keys and m members taken",
             .syntax = "numkeys:integer key:key... (MIN | MAX) [COUNT count:integer]",
             .handler = &ZMPop}),
    Declare({.name = "BZPOPMIN",
             .arity = -3,
             .flags = kWrite | kFast | kBlocking,
             .keys = {KeysFrom(1, -2, 1, kPoppedKey)},
             .log = LogPolicy::kRewritten,
             .group = "sorted-set",
             .since = "5.0.0",
             .summary = "Takes the member with the lowest score off the first sorted set that has "
                        "any, or waits for one.",
             .complexity = "O(k) for k keys",
             .syntax = "key:key... timeout:double",
             .handler = &BZPopMin}),
    Declare({.name = "BZPOPMAX",
             .arity = -3,
             .flags = kWrite | kFast | kBlocking,
             .keys = {KeysFrom(1, -2, 1, kPoppedKey)},
             .log = LogPolicy::kRewritten,
             .group = "sorted-set",
             .since = "5.0.0",
             .summary = "Takes the member with the highest score off the first sorted set that has "
                        "any, or waits for one.",
             .complexity = "O(k) for k keys",
             .syntax = "key:key... timeout:double",
             .handler = &BZPopMax}),
    Declare({.name = "BZMPOP",
             .arity = -5,
             .flags = kWrite | kBlocking,
             .keys = {KeysCountedAt(2, kPoppedKey)},
             .log = LogPolicy::kRewritten,
             .group = "sorted-set",
             .since = "7.0.0",
             .summary = "Takes members off one end of the first sorted set that has any, or waits "
                        "for one.",
             .complexity = "O(k + m) for k keys and m members taken",
             .syntax = "timeout:double numkeys:integer key:key... (MIN | MAX) "
                       "[COUNT count:integer]",
             .handler = &BZMPop}),
};

}  // namespace

std::span<const CommandSpec> ZSetPopAnyCommands() { return kCommands; }

}  // namespace rung

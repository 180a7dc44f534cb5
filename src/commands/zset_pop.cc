// ZPOPMIN, ZPOPMAX: take members off one end of one sorted set.
// The forms that wait or look at several keys (ZMPOP, BZPOPMIN ...) are in zset_pop_any.cc.

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include "commands/families.h"
#include "commands/zset.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/sorted_set.h"

namespace rung {
namespace {

Outcome PopOneKey(ExecContext& ctx, ArgReader& args, ZEnd end, std::string_view event) {
  const std::string_view key = args.Bytes();
  // Clients tell the two forms apart by shape: without a count the pair is never nested.
  const bool has_count = args.More();
  std::int64_t count = 1;
  if (has_count) {
    count = args.IntegerIn(0, std::numeric_limits<std::int64_t>::max(), errors::kNotPositive,
                           errors::kNotPositive);
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);

  Result<Edit<SortedSet>> edit = ctx.db.EditExisting<SortedSet>(key);
  if (!edit.ok()) return ctx.Fail(edit.error());
  if (!*edit) {
    ctx.reply.EmptyArray();
    return Outcome::kReplied;
  }
  SortedSet& set = **edit;
  const std::size_t taken = std::min(static_cast<std::size_t>(count), set.size());
  set.PopEach(
      end, taken,
      MemberReply(ctx.reply, has_count ? MemberShape::kNestedInResp3 : MemberShape::kFlat, taken));
  if (taken > 0) edit->MarkChanged(event);
  return Outcome::kReplied;
}

// Surplus arguments are a syntax error, found before the count is looked at.
Outcome ZPopMin(ExecContext& ctx, ArgReader& args) {
  if (args.left() > 2) return ctx.Fail(errors::kSyntax);
  return PopOneKey(ctx, args, ZEnd::kLowest, "zpopmin");
}

Outcome ZPopMax(ExecContext& ctx, ArgReader& args) {
  if (args.left() > 2) return ctx.Fail(errors::kSyntax);
  return PopOneKey(ctx, args, ZEnd::kHighest, "zpopmax");
}

constexpr std::array kCommands = {
    Declare({.name = "ZPOPMIN",
             .arity = -2,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .group = "sorted-set",
             .since = "5.0.0",
             .summary = "Takes the members with the lowest scores off a sorted set.",
             .complexity = "O(1) amortized per member taken",
             .syntax = "key:key [count:integer]",
             .handler = &ZPopMin}),
    Declare({.name = "ZPOPMAX",
             .arity = -2,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .group = "sorted-set",
             .since = "5.0.0",
             .summary = "Takes the members with the highest scores off a sorted set.",
             .complexity = "O(1) amortized per member taken",
             .syntax = "key:key [count:integer]",
             .handler = &ZPopMax}),
};

}  // namespace

std::span<const CommandSpec> ZSetPopCommands() { return kCommands; }

}  // namespace rung

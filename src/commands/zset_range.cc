// Reading the members of a range: ZRANGE, its five older forms, and ZRANGESTORE.

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "commands/families.h"
#include "commands/zset.h"
#include "rung/base/check.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/sorted_set.h"

namespace rung {
namespace {

enum class RangeBy : std::uint8_t { kRank, kScore, kLex };

// What a command's name has settled already; the rest is told by options.
struct RangeForm {
  std::optional<RangeBy> by{};
  std::optional<ZEnd> from{};  // The end at which the answer begins.
  bool stores = false;
};

struct RangeRequest {
  RangeBy by = RangeBy::kRank;
  ZEnd from = ZEnd::kLowest;
  bool with_scores = false;
  RangeLimit limit;
  // One of the three, by `by`.
  std::int64_t start = 0;
  std::int64_t stop = 0;
  ScoreRange scores;
  LexRange members;
};

void ReadOptions(ArgReader& args, const RangeForm& form, RangeRequest& range) {
  std::optional<RangeBy> by = form.by;
  std::optional<ZEnd> from = form.from;
  // What the name or an earlier word has settled is no option any more.
  while (args.More()) {
    if (!form.stores && args.Take("WITHSCORES")) {
      range.with_scores = true;
    } else if (args.left() >= 3 && args.Take("LIMIT")) {
      range.limit.offset = args.Integer();
      range.limit.count = args.Integer();
    } else if (!from && args.Take("REV")) {
      from = ZEnd::kHighest;
    } else if (!by && args.Take("BYLEX")) {
      by = RangeBy::kLex;
    } else if (!by && args.Take("BYSCORE")) {
      by = RangeBy::kScore;
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  range.by = by.value_or(RangeBy::kRank);
  range.from = from.value_or(ZEnd::kLowest);
  if (range.limit.count != -1 && range.by == RangeBy::kRank) {
    args.Fail(
        "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
  }
  if (range.with_scores && range.by == RangeBy::kLex) {
    args.Fail("ERR syntax error, WITHSCORES not supported in combination with BYLEX");
  }
}

// Reads all behind the key.
RangeRequest ReadRange(ArgReader& args, const RangeForm& form) {
  RangeRequest range;
  ArgReader bounds(args.Take(2));
  ReadOptions(args, form, range);
  if (!args.ok()) return range;
  if (range.by == RangeBy::kRank) {
    range.start = bounds.Integer();
    range.stop = bounds.Integer();
    if (bounds.error()) args.Fail(bounds.error()->text());
    return range;
  }
  std::string_view min = bounds.Bytes();
  std::string_view max = bounds.Bytes();
  if (range.from == ZEnd::kHighest) std::swap(min, max);
  if (range.by == RangeBy::kScore) range.scores = ParseScoreRange(args, min, max);
  if (range.by == RangeBy::kLex) range.members = ParseLexRange(args, min, max);
  return range;
}

RankRange RanksOf(const SortedSet& set, const RangeRequest& range) {
  switch (range.by) {
    case RangeBy::kRank:
      return RanksBetween(set.size(), range.start, range.stop, range.from);
    case RangeBy::kScore:
      return Clip(set.RanksIn(range.scores), range.limit, range.from);
    case RangeBy::kLex:
      return Clip(set.RanksIn(range.members), range.limit, range.from);
  }
  RUNG_CHECK(false, "unknown kind of range");
}

Outcome ReadForm(ExecContext& ctx, ArgReader& args, const RangeForm& form) {
  const std::string_view key = args.Bytes();
  const RangeRequest range = ReadRange(args, form);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const SortedSet*> set = ctx.db.Read<SortedSet>(key);
  if (!set.ok()) return ctx.Fail(set.error());
  if (*set == nullptr) {
    ctx.reply.EmptyArray();
    return Outcome::kReplied;
  }
  ReplyRanks(ctx.reply, **set, RanksOf(**set, range), range.from,
             range.with_scores ? MemberShape::kNestedInResp3 : MemberShape::kMembers);
  return Outcome::kReplied;
}

Outcome ZRange(ExecContext& ctx, ArgReader& args) { return ReadForm(ctx, args, {}); }

Outcome ZRevRange(ExecContext& ctx, ArgReader& args) {
  return ReadForm(ctx, args, {.by = RangeBy::kRank, .from = ZEnd::kHighest});
}

Outcome ZRangeByScore(ExecContext& ctx, ArgReader& args) {
  return ReadForm(ctx, args, {.by = RangeBy::kScore, .from = ZEnd::kLowest});
}

Outcome ZRevRangeByScore(ExecContext& ctx, ArgReader& args) {
  return ReadForm(ctx, args, {.by = RangeBy::kScore, .from = ZEnd::kHighest});
}

Outcome ZRangeByLex(ExecContext& ctx, ArgReader& args) {
  return ReadForm(ctx, args, {.by = RangeBy::kLex, .from = ZEnd::kLowest});
}

Outcome ZRevRangeByLex(ExecContext& ctx, ArgReader& args) {
  return ReadForm(ctx, args, {.by = RangeBy::kLex, .from = ZEnd::kHighest});
}

Outcome ZRangeStore(ExecContext& ctx, ArgReader& args) {
  const std::string_view destination = args.Bytes();
  const std::string_view key = args.Bytes();
  const RangeRequest range = ReadRange(args, {.stores = true});
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const SortedSet*> set = ctx.db.Read<SortedSet>(key);
  if (!set.ok()) return ctx.Fail(set.error());
  std::unique_ptr<SortedSet> copy = ctx.db.store().MakeValue<SortedSet>();
  if (*set != nullptr) {
    const RankRange ranks = RanksOf(**set, range);
    SortedSet::Cursor cursor = (*set)->SeekRank(ranks.first);
    for (std::size_t left = ranks.count; left > 0; --left, cursor.Next()) {
      const Result<PutOutcome> put = copy->Put(cursor.member(), cursor.score());
      RUNG_CHECK(put.ok(), "a copy has no room for what it is a copy of");
    }
  }
  ctx.reply.Integer(static_cast<std::int64_t>(copy->size()));
  ctx.db.Replace(destination, std::move(copy), "zrangestore");
  return Outcome::kReplied;
}

constexpr std::string_view kComplexity = "O(log n + m) for m members returned";

// One of the forms that read.
consteval CommandSpec DeclareRange(std::string_view name, std::string_view since,
                                   std::string_view summary, std::string_view syntax,
                                   Handler handler) {
  return Declare({.name = name,
                  .arity = -4,
                  .flags = kReadOnly,
                  .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
                  .group = "sorted-set",
                  .since = since,
                  .summary = summary,
                  .complexity = kComplexity,
                  .syntax = syntax,
                  .handler = handler});
}

constexpr std::array kCommands = {
    DeclareRange("ZRANGE", "1.2.0",
                 "Returns the members of a sorted set within a range of ranks, scores or bytes.",
                 "key:key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset:integer count:integer] "
                 "[WITHSCORES]",
                 &ZRange),
    DeclareRange("ZREVRANGE", "1.2.0",
                 "Returns the members of a sorted set within a range of ranks, highest first.",
                 "key:key start:integer stop:integer [WITHSCORES]", &ZRevRange),
    DeclareRange("ZRANGEBYSCORE", "1.0.5",
                 "Returns the members of a sorted set within a range of scores.",
                 "key:key min:double max:double [WITHSCORES] [LIMIT offset:integer count:integer]",
                 &ZRangeByScore),
    DeclareRange("ZREVRANGEBYSCORE", "2.2.0",
                 "Returns the members of a sorted set within a range of scores, highest first.",
                 "key:key max:double min:double [WITHSCORES] [LIMIT offset:integer count:integer]",
                 &ZRevRangeByScore),
    DeclareRange("ZRANGEBYLEX", "2.8.9",
                 "Returns the members of a sorted set within a range of bytes.",
                 "key:key min max [LIMIT offset:integer count:integer]", &ZRangeByLex),
    DeclareRange("ZREVRANGEBYLEX", "2.8.9",
                 "Returns the members of a sorted set within a range of bytes, last first.",
                 "key:key max min [LIMIT offset:integer count:integer]", &ZRevRangeByLex),
    Declare({.name = "ZRANGESTORE",
             .arity = -5,
             .flags = kWrite | kDenyOom,
             .keys = {KeyAt(1, kKeyOverwrite | kKeyUpdate), KeyAt(2, kKeyRead | kKeyAccess)},
             .log = LogPolicy::kVerbatim,
             .group = "sorted-set",
             .since = "6.2.0",
             .summary = "Stores the members of a sorted set within a range as another one.",
             .complexity = "O(log n + m) for m members stored",
             .syntax = "dst:key src:key min max [BYSCORE | BYLEX] [REV] [LIMIT offset:integer "
                       "count:integer]",
             .handler = &ZRangeStore}),
};

}  // namespace

std::span<const CommandSpec> ZSetRangeCommands() { return kCommands; }

}  // namespace rung

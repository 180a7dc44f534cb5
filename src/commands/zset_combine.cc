// Combining several sorted sets into one: ZUNION ZINTER ZDIFF, the same with STORE, ZINTERCARD.

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/families.h"
#include "commands/zset.h"
#include "commands/zset_algebra.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/catalog.h"
#include "rung/commands/context.h"
#include "rung/types/sorted_set.h"

namespace rung {
namespace {

enum class Operation : std::uint8_t { kUnion, kIntersection, kDifference };

struct CombineRequest {
  std::vector<WeightedSource> sources;
  Aggregate aggregate = Aggregate::kSum;
  bool with_scores = false;
};

// Reads the number of keys and the keys, and looks them up: a wrong type is told before mistakes in
// the options behind.
std::vector<WeightedSource> ReadSources(ExecContext& ctx, ArgReader& args) {
  const std::int64_t count = args.Integer();
  if (args.ok() && count < 1) {
    args.Fail("ERR at least 1 input key is needed for '" + ctx.command.full_name + "' command");
  }
  const std::span<const std::string_view> keys = args.Take(static_cast<std::size_t>(count));
  std::vector<WeightedSource> sources;
  sources.reserve(keys.size());
  for (const std::string_view key : keys) {
    const Result<MemberSource> source = MemberSource::Read(ctx.db, key);
    if (!source.ok()) {
      args.Fail(source.error().text());
      break;
    }
    sources.push_back({.source = *source});
  }
  return sources;
}

Aggregate ReadAggregate(ArgReader& args) {
  if (args.Take("SUM")) return Aggregate::kSum;
  if (args.Take("MIN")) return Aggregate::kMin;
  if (args.Take("MAX")) return Aggregate::kMax;
  args.Fail(errors::kSyntax);
  return Aggregate::kSum;
}

CombineRequest ReadCombine(ExecContext& ctx, ArgReader& args, Operation operation, bool stores) {
  CombineRequest request{.sources = ReadSources(ctx, args)};
  const bool weighs = operation != Operation::kDifference;
  while (args.More()) {
    if (weighs && args.left() > request.sources.size() && args.Take("WEIGHTS")) {
      for (WeightedSource& source : request.sources) {
        source.weight = args.Double("ERR weight value is not a float");
      }
    } else if (weighs && args.TakeWithValue("AGGREGATE")) {
      request.aggregate = ReadAggregate(args);
    } else if (!stores && args.Take("WITHSCORES")) {
      request.with_scores = true;
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  return request;
}

Result<std::unique_ptr<SortedSet>> Compute(Store& store, Operation operation,
                                           CombineRequest request) {
  std::unique_ptr<SortedSet> result = store.MakeValue<SortedSet>();
  std::optional<Error> failure;
  switch (operation) {
    case Operation::kUnion:
      failure = Unite(std::move(request.sources), request.aggregate, *result);
      break;
    case Operation::kIntersection:
      failure = Intersect(std::move(request.sources), request.aggregate, *result);
      break;
    case Operation::kDifference:
      failure = Subtract(std::move(request.sources), *result);
      break;
  }
  if (failure) return *failure;
  return result;
}

Outcome CombineAndReply(ExecContext& ctx, ArgReader& args, Operation operation) {
  CombineRequest request = ReadCombine(ctx, args, operation, false);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const MemberShape shape =
      request.with_scores ? MemberShape::kNestedInResp3 : MemberShape::kMembers;
  const auto result = Compute(ctx.db.store(), operation, std::move(request));
  if (!result.ok()) return ctx.Fail(result.error());
  ReplyRanks(ctx.reply, **result, {.first = 0, .count = (*result)->size()}, ZEnd::kLowest, shape);
  return Outcome::kReplied;
}

Outcome CombineAndStore(ExecContext& ctx, ArgReader& args, Operation operation,
                        std::string_view event) {
  const std::string_view destination = args.Bytes();
  CombineRequest request = ReadCombine(ctx, args, operation, true);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  auto result = Compute(ctx.db.store(), operation, std::move(request));
  if (!result.ok()) return ctx.Fail(result.error());
  ctx.reply.Integer(static_cast<std::int64_t>((*result)->size()));
  ctx.db.Replace(destination, std::move(*result), event);
  return Outcome::kReplied;
}

Outcome ZUnion(ExecContext& ctx, ArgReader& args) {
  return CombineAndReply(ctx, args, Operation::kUnion);
}

Outcome ZInter(ExecContext& ctx, ArgReader& args) {
  return CombineAndReply(ctx, args, Operation::kIntersection);
}

Outcome ZDiff(ExecContext& ctx, ArgReader& args) {
  return CombineAndReply(ctx, args, Operation::kDifference);
}

Outcome ZUnionStore(ExecContext& ctx, ArgReader& args) {
  return CombineAndStore(ctx, args, Operation::kUnion, "zunionstore");
}

Outcome ZInterStore(ExecContext& ctx, ArgReader& args) {
  return CombineAndStore(ctx, args, Operation::kIntersection, "zinterstore");
}

Outcome ZDiffStore(ExecContext& ctx, ArgReader& args) {
  return CombineAndStore(ctx, args, Operation::kDifference, "zdiffstore");
}

Outcome ZInterCard(ExecContext& ctx, ArgReader& args) {
  constexpr std::string_view kBadLimit = "ERR LIMIT can't be negative";
  std::vector<WeightedSource> sources = ReadSources(ctx, args);
  std::int64_t limit = 0;
  while (args.More()) {
    if (!args.TakeWithValue("LIMIT")) args.Fail(errors::kSyntax);
    limit = args.IntegerIn(0, std::numeric_limits<std::int64_t>::max(), kBadLimit, kBadLimit);
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  ctx.reply.Integer(
      static_cast<std::int64_t>(CountCommon(std::move(sources), static_cast<std::size_t>(limit))));
  return Outcome::kReplied;
}

constexpr KeySpec kDestination = KeyAt(1, kKeyOverwrite | kKeyUpdate);
constexpr int kSource = kKeyRead | kKeyAccess;

constexpr std::array kCommands = {
    Declare({.name = "ZUNION",
             .arity = -3,
             .flags = kReadOnly,
             .keys = {KeysCountedAt(1, kSource)},
             .group = "sorted-set",
             .since = "6.2.0",
             .summary = "Returns the union of several sorted sets.",
             .complexity = "O(n log n) for n members in all inputs",
             .syntax = "numkeys:integer key:key... [WEIGHTS weight:integer...] [AGGREGATE (SUM | "
                       "MIN | MAX)] [WITHSCORES]",
             .handler = &ZUnion}),
    Declare({.name = "ZINTER",
             .arity = -3,
             .flags = kReadOnly,
             .keys = {KeysCountedAt(1, kSource)},
             .group = "sorted-set",
             .since = "6.2.0",
             .summary = "Returns the intersection of several sorted sets.",
             .complexity = "O(n k) for n members in the smallest of k inputs",
             .syntax = "numkeys:integer key:key... [WEIGHTS weight:integer...] [AGGREGATE (SUM | "
                       "MIN | MAX)] [WITHSCORES]",
             .handler = &ZInter}),
    Declare({.name = "ZDIFF",
             .arity = -3,
             .flags = kReadOnly,
             .keys = {KeysCountedAt(1, kSource)},
             .group = "sorted-set",
             .since = "6.2.0",
             .summary = "Returns what a sorted set has and several others have not.",
             .complexity = "O(n log n) for n members in all inputs",
             .syntax = "numkeys:integer key:key... [WITHSCORES]",
             .handler = &ZDiff}),
    Declare({.name = "ZUNIONSTORE",
             .arity = -4,
             .flags = kWrite | kDenyOom,
             .keys = {kDestination, KeysCountedAt(2, kSource)},
             .log = LogPolicy::kVerbatim,
             .group = "sorted-set",
             .since = "2.0.0",
             .summary = "Stores the union of several sorted sets.",
             .complexity = "O(n log n) for n members in all inputs",
             .syntax = "destination:key numkeys:integer key:key... [WEIGHTS weight:integer...] "
                       "[AGGREGATE (SUM | MIN | MAX)]",
             .handler = &ZUnionStore}),
    Declare({.name = "ZINTERSTORE",
             .arity = -4,
             .flags = kWrite | kDenyOom,
             .keys = {kDestination, KeysCountedAt(2, kSource)},
             .log = LogPolicy::kVerbatim,
             .group = "sorted-set",
             .since = "2.0.0",
             .summary = "Stores the intersection of several sorted sets.",
             .complexity = "O(n k) for n members in the smallest of k inputs",
             .syntax = "destination:key numkeys:integer key:key... [WEIGHTS weight:integer...] "
                       "[AGGREGATE (SUM | MIN | MAX)]",
             .handler = &ZInterStore}),
    Declare({.name = "ZDIFFSTORE",
             .arity = -4,
             .flags = kWrite | kDenyOom,
             .keys = {kDestination, KeysCountedAt(2, kSource)},
             .log = LogPolicy::kVerbatim,
             .group = "sorted-set",
             .since = "6.2.0",
             .summary = "Stores what a sorted set has and several others have not.",
             .complexity = "O(n log n) for n members in all inputs",
             .syntax = "destination:key numkeys:integer key:key...",
             .handler = &ZDiffStore}),
    Declare({.name = "ZINTERCARD",
             .arity = -3,
             .flags = kReadOnly,
             .keys = {KeysCountedAt(1, kSource)},
             .group = "sorted-set",
             .since = "7.0.0",
             .summary = "Counts the members that several sorted sets have in common.",
             .complexity = "O(n k) for n members in the smallest of k inputs",
             .syntax = "numkeys:integer key:key... [LIMIT limit:integer]",
             .handler = &ZInterCard}),
};

}  // namespace

std::span<const CommandSpec> ZSetCombineCommands() { return kCommands; }

}  // namespace rung

// Looking at a sorted set piece by piece, in no order that may be relied on: ZRANDMEMBER, ZSCAN.

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "commands/families.h"
#include "commands/scan_options.h"
#include "commands/zset.h"
#include "rung/base/rng.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/sorted_set.h"

namespace rung {
namespace {

// A reply with repetitions is as long as the client asks for, whatever the set's size. More than
// this is refused, since no client could take it and it would fill the memory on its way.
constexpr std::uint64_t kRepeatedMembersMax = 1u << 24;

// `count` ranks of `size`, all different, each choice equally likely (Floyd's algorithm). Requires
// count <= size. O(count).
std::vector<std::size_t> DifferentRanks(Rng& rng, std::size_t size, std::size_t count) {
  std::unordered_set<std::size_t> chosen;
  std::vector<std::size_t> ranks;
  ranks.reserve(count);
  for (std::size_t bound = size - count; bound < size; ++bound) {
    const std::size_t rank = rng.Below(bound + 1);
    ranks.push_back(chosen.insert(rank).second ? rank : bound);
    chosen.insert(ranks.back());
  }
  return ranks;
}

// Answers `count` different members, each choice of them equally likely.
void ReplyDifferent(ExecContext& ctx, const SortedSet& set, std::size_t count, MemberShape shape) {
  MemberReply members(ctx.reply, shape, count);
  // Walking past a member costs far less than looking for one by its rank.
  constexpr std::size_t kWalkPerSeek = 64;
  if (set.size() / kWalkPerSeek > count) {
    for (const std::size_t rank : DifferentRanks(ctx.broker.rng, set.size(), count)) {
      const SortedSet::Cursor cursor = set.SeekRank(rank);
      members(cursor.member(), cursor.score());
    }
    return;
  }
  // Each member is taken with the chance "still wanted out of still to come".
  std::size_t to_come = set.size();
  for (SortedSet::Cursor cursor = set.First(); count > 0; cursor.Next(), --to_come) {
    if (ctx.broker.rng.Below(to_come) >= count) continue;
    members(cursor.member(), cursor.score());
    --count;
  }
}

void ReplyRepeated(ExecContext& ctx, const SortedSet& set, std::size_t count, MemberShape shape) {
  MemberReply members(ctx.reply, shape, count);
  for (; count > 0; --count) {
    const SortedSet::Cursor cursor = set.Random(ctx.broker.rng);
    members(cursor.member(), cursor.score());
  }
}

struct RandomRequest {
  bool single = false;  // No count: one member, and not an array.
  bool repeats = false;
  std::size_t count = 1;
  MemberShape shape = MemberShape::kMembers;
};

RandomRequest ReadRandom(ArgReader& args) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  RandomRequest request{.single = !args.More()};
  if (request.single) return request;
  const std::int64_t count = args.IntegerIn(-kMax, kMax,
                                            "ERR value is out of range, value must between "
                                            "-9223372036854775807 and 9223372036854775807");
  if (args.More()) {
    if (args.left() > 1 || !args.Take("WITHSCORES")) args.Fail(errors::kSyntax);
    request.shape = MemberShape::kNestedInResp3;
    // As many words as the array of RESP2 would have.
    if (count < -kMax / 2 || count > kMax / 2) args.Fail(errors::kOutOfRange);
  }
  request.repeats = count < 0;
  request.count = static_cast<std::size_t>(count < 0 ? -count : count);
  return request;
}

Outcome ZRandMember(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const RandomRequest request = ReadRandom(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const SortedSet*> found = ctx.db.Read<SortedSet>(key);
  if (!found.ok()) return ctx.Fail(found.error());
  if (*found == nullptr) {
    request.single ? ctx.reply.Null() : ctx.reply.EmptyArray();
    return Outcome::kReplied;
  }
  const SortedSet& set = **found;
  if (request.single) {
    ctx.reply.Bulk(set.Random(ctx.broker.rng).member());
  } else if (!request.repeats) {
    ReplyDifferent(ctx, set, std::min(request.count, set.size()), request.shape);
  } else if (request.count <= kRepeatedMembersMax) {
    ReplyRepeated(ctx, set, request.count, request.shape);
  } else {
    return ctx.Fail(errors::kOutOfRange);
  }
  return Outcome::kReplied;
}

Outcome ZScan(ExecContext& ctx, ArgReader& args) {
  ScanRequest request;
  const std::string_view key = args.Bytes();
  request.cursor = TakeCursor(args);
  ReadScanOptions(args, ScanOf::kElements, request);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const SortedSet*> set = ctx.db.Read<SortedSet>(key);
  if (!set.ok()) return ctx.Fail(set.error());
  // The members stay where they are until the reply is written, so views of them do.
  std::vector<std::pair<std::string_view, double>> members;
  std::uint64_t cursor = 0;
  if (*set != nullptr) {
    cursor = request.cursor;
    std::size_t seen = 0;
    std::size_t portions = 0;
    do {
      cursor = (*set)->Scan(cursor, [&](std::string_view member, double score) {
        ++seen;
        if (request.Matches(member)) members.emplace_back(member, score);
      });
    } while (cursor != 0 && seen < request.count && ++portions < request.portions_max());
  }
  ctx.reply.Array(2);
  ctx.reply.BulkInteger(static_cast<std::int64_t>(cursor));
  ctx.reply.Array(2 * members.size());
  for (const auto& [member, score] : members) {
    ctx.reply.Bulk(member);
    ctx.reply.BulkDouble(score);
  }
  return Outcome::kReplied;
}

constexpr std::array kCommands = {
    Declare({.name = "ZRANDMEMBER",
             .arity = -2,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .tips = "nondeterministic_output",
             .group = "sorted-set",
             .since = "6.2.0",
             .summary = "Returns members of a sorted set chosen at random.",
             .complexity = "O(m log n) for m members returned",
             .syntax = "key:key [count:integer [WITHSCORES]]",
             .handler = &ZRandMember}),
    Declare({.name = "ZSCAN",
             .arity = -3,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .tips = "nondeterministic_output",
             .group = "sorted-set",
             .since = "2.8.0",
             .summary = "Goes through the members and scores of a sorted set, a part at a time.",
             .complexity = "O(1) for each call, O(n) for all",
             .syntax = "key:key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]",
             .handler = &ZScan}),
};

}  // namespace

std::span<const CommandSpec> ZSetSampleCommands() { return kCommands; }

}  // namespace rung

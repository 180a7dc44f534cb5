// Sets, member by member: adding, removing, asking, moving, drawing.

#include "commands/set.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "commands/families.h"
#include "commands/random_count.h"
#include "commands/scan_options.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/set.h"

namespace rung {

SetRules SetRulesOf(const ExecContext& ctx) {
  const Options& options = ctx.broker.options();
  return {.intset_members_max = static_cast<std::size_t>(options.set_max_intset_entries),
          .listpack_members_max = static_cast<std::size_t>(options.set_max_listpack_entries),
          .listpack_bytes_max = static_cast<std::size_t>(options.set_max_listpack_value)};
}

namespace {

Outcome SAdd(ExecContext& ctx, ArgReader& args) {
  Result<Edit<Set>> set = ctx.db.EditOrCreate<Set>(args.Bytes());
  if (!set.ok()) return ctx.Fail(set.error());
  const std::size_t added = (*set)->AddAll(args.Rest(), SetRulesOf(ctx));
  if (added > 0) set->MarkChanged("sadd");
  ctx.reply.Integer(static_cast<std::int64_t>(added));
  return Outcome::kReplied;
}

Outcome SRem(ExecContext& ctx, ArgReader& args) {
  Result<Edit<Set>> set = ctx.db.EditExisting<Set>(args.Bytes());
  if (!set.ok()) return ctx.Fail(set.error());
  std::int64_t removed = 0;
  if (*set) {
    for (const std::string_view member : args.Rest()) removed += (*set)->Remove(member) ? 1 : 0;
    if (removed > 0) set->MarkChanged("srem");
  }
  ctx.reply.Integer(removed);
  return Outcome::kReplied;
}

Outcome SMove(ExecContext& ctx, ArgReader& args) {
  const std::string_view source = args.Bytes();
  const std::string_view destination = args.Bytes();
  const std::string_view member = args.Bytes();
  Result<Edit<Set>> from = ctx.db.EditExisting<Set>(source);
  if (!from.ok()) return ctx.Fail(from.error());
  const Lookup target = ctx.db.Find(destination);
  if (*from && target && target.entry()->type() != ValueType::kSet) {
    return ctx.Fail(errors::kWrongType);
  }
  const bool there = *from && (*from)->Contains(member);
  ctx.reply.Integer(there ? 1 : 0);
  if (!there || source == destination) return Outcome::kReplied;
  (*from)->Remove(member);
  from->MarkChanged("srem");
  // The source is done with first, as its event comes first.
  { const Edit<Set> finished = std::move(*from); }
  Result<Edit<Set>> to = ctx.db.EditOrCreate<Set>(destination);
  if ((*to)->Add(member, SetRulesOf(ctx))) to->MarkChanged("sadd");
  return Outcome::kReplied;
}

Outcome SIsMember(ExecContext& ctx, ArgReader& args) {
  const Result<const Set*> set = ctx.db.Read<Set>(args.Bytes());
  if (!set.ok()) return ctx.Fail(set.error());
  ctx.reply.Integer(*set != nullptr && (*set)->Contains(args.Bytes()) ? 1 : 0);
  return Outcome::kReplied;
}

Outcome SMIsMember(ExecContext& ctx, ArgReader& args) {
  const Result<const Set*> set = ctx.db.Read<Set>(args.Bytes());
  if (!set.ok()) return ctx.Fail(set.error());
  ctx.reply.Array(args.left());
  for (const std::string_view member : args.Rest()) {
    ctx.reply.Integer(*set != nullptr && (*set)->Contains(member) ? 1 : 0);
  }
  return Outcome::kReplied;
}

Outcome SCard(ExecContext& ctx, ArgReader& args) {
  const Result<const Set*> set = ctx.db.Read<Set>(args.Bytes());
  if (!set.ok()) return ctx.Fail(set.error());
  ctx.reply.Integer(*set == nullptr ? 0 : static_cast<std::int64_t>((*set)->size()));
  return Outcome::kReplied;
}

Outcome SMembers(ExecContext& ctx, ArgReader& args) {
  const Result<const Set*> set = ctx.db.Read<Set>(args.Bytes());
  if (!set.ok()) return ctx.Fail(set.error());
  ctx.reply.Set(*set == nullptr ? 0 : (*set)->size());
  if (*set == nullptr) return Outcome::kReplied;
  (*set)->ForEach([&](std::string_view member) { ctx.reply.Bulk(member); });
  return Outcome::kReplied;
}

// Chance must not be repeated by a reader of the log: what was drawn is logged as removed.
Outcome PopMany(ExecContext& ctx, std::string_view key, std::size_t count) {
  Result<Edit<Set>> set = ctx.db.EditExisting<Set>(key);
  if (!set.ok()) return ctx.Fail(set.error());
  const std::size_t taken = *set ? std::min(count, (*set)->size()) : 0;
  ctx.reply.Set(taken);
  if (taken == 0) return Outcome::kReplied;
  const bool whole = taken == (*set)->size();
  std::vector<std::string> drawn;
  (*set)->PopEach(ctx.broker.rng, taken, [&](std::string_view member) {
    ctx.reply.Bulk(member);
    if (!whole && ctx.broker.effects.enabled()) drawn.emplace_back(member);
  });
  set->MarkChanged("spop");
  if (whole) {
    ctx.Log({"DEL", key});
  } else if (!drawn.empty()) {
    std::vector<std::string_view> record = {"SREM", key};
    record.insert(record.end(), drawn.begin(), drawn.end());
    ctx.Log(record);
  }
  return Outcome::kReplied;
}

Outcome SPop(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  if (args.left() > 1) return ctx.Fail(errors::kSyntax);
  if (args.More()) {
    const std::int64_t count = args.IntegerIn(0, std::numeric_limits<std::int64_t>::max(),
                                              errors::kNotPositive, errors::kNotPositive);
    if (const auto& error = args.Finish()) return ctx.Fail(*error);
    return PopMany(ctx, key, static_cast<std::size_t>(count));
  }
  Result<Edit<Set>> set = ctx.db.EditExisting<Set>(key);
  if (!set.ok()) return ctx.Fail(set.error());
  if (!*set) {
    ctx.reply.Null();
    return Outcome::kReplied;
  }
  (*set)->PopEach(ctx.broker.rng, 1, [&](std::string_view member) {
    ctx.reply.Bulk(member);
    ctx.Log({"SREM", key, member});
  });
  set->MarkChanged("spop");
  return Outcome::kReplied;
}

Outcome SRandMember(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const RandomCount request = ReadRandomCount(args, "");
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const Set*> set = ctx.db.Read<Set>(key);
  if (!set.ok()) return ctx.Fail(set.error());
  NumberBuffer buffer;
  Rng& rng = ctx.broker.rng;
  if (*set == nullptr) {
    if (request.single) {
      ctx.reply.Null();
    } else {
      ctx.reply.EmptyArray();
    }
  } else if (request.single) {
    ctx.reply.Bulk((*set)->Random(rng, buffer));
  } else if (request.repeats) {
    ctx.reply.Array(request.count);
    for (std::size_t i = 0; i < request.count; ++i) ctx.reply.Bulk((*set)->Random(rng, buffer));
  } else {
    const std::size_t count = std::min(request.count, (*set)->size());
    ctx.reply.Array(count);
    (*set)->Sample(rng, count, [&](std::string_view member) { ctx.reply.Bulk(member); });
  }
  return Outcome::kReplied;
}

Outcome SScan(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  ScanRequest request;
  request.cursor = TakeCursor(args);
  ReadScanOptions(args, ScanOf::kElements, request);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const Set*> set = ctx.db.Read<Set>(key);
  if (!set.ok()) return ctx.Fail(set.error());
  // Copied, as an integer's text lives in a buffer until the next member.
  std::vector<std::string> members;
  std::uint64_t cursor = *set == nullptr ? 0 : request.cursor;
  std::size_t seen = 0;
  for (std::size_t portion = 0; *set != nullptr && portion < request.portions_max(); ++portion) {
    cursor = (*set)->Scan(cursor, [&](std::string_view member) {
      ++seen;
      if (request.Matches(member)) members.emplace_back(member);
    });
    if (cursor == 0 || seen >= request.count) break;
  }
  NumberBuffer number;
  ctx.reply.Array(2);
  ctx.reply.Bulk(FormatUint64(cursor, number));
  ctx.reply.Array(members.size());
  for (const std::string& member : members) ctx.reply.Bulk(member);
  return Outcome::kReplied;
}

constexpr std::array kCommands = {
    Declare({.name = "SADD",
             .arity = -3,
             .flags = kWrite | kDenyOom | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyInsert)},
             .log = LogPolicy::kVerbatim,
             .group = "set",
             .since = "1.0.0",
             .summary = "Adds members to a set; creates it if it does not exist.",
             .complexity = "O(1) per member",
             .syntax = "key:key member...",
             .handler = &SAdd}),
    Declare({.name = "SREM",
             .arity = -3,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .group = "set",
             .since = "1.0.0",
             .summary = "Removes members from a set.",
             .complexity = "O(1) per member",
             .syntax = "key:key member...",
             .handler = &SRem}),
    Declare({.name = "SMOVE",
             .arity = 4,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyDelete),
                      KeyAt(2, kKeyReadWrite | kKeyInsert)},
             .log = LogPolicy::kVerbatim,
             .group = "set",
             .since = "1.0.0",
             .summary = "Moves a member from one set to another.",
             .complexity = "O(1)",
             .syntax = "source:key destination:key member",
             .handler = &SMove}),
    Declare({.name = "SISMEMBER",
             .arity = 3,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead)},
             .group = "set",
             .since = "1.0.0",
             .summary = "Tells whether a set has a member.",
             .complexity = "O(1)",
             .syntax = "key:key member",
             .handler = &SIsMember}),
    Declare({.name = "SMISMEMBER",
             .arity = -3,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead)},
             .group = "set",
             .since = "6.2.0",
             .summary = "Tells of several members whether a set has them.",
             .complexity = "O(1) per member",
             .syntax = "key:key member...",
             .handler = &SMIsMember}),
    Declare({.name = "SCARD",
             .arity = 2,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead)},
             .group = "set",
             .since = "1.0.0",
             .summary = "Returns the number of members.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &SCard}),
    Declare({.name = "SMEMBERS",
             .arity = 2,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .tips = "nondeterministic_output_order",
             .group = "set",
             .since = "1.0.0",
             .summary = "Returns all members.",
             .complexity = "O(n)",
             .syntax = "key:key",
             .handler = &SMembers}),
    Declare({.name = "SPOP",
             .arity = -2,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyDelete)},
             .log = LogPolicy::kRewritten,
             .tips = "nondeterministic_output",
             .group = "set",
             .since = "1.0.0",
             .summary = "Takes members drawn at random.",
             .complexity = "O(m) for m members taken",
             .syntax = "key:key [count:integer]",
             .handler = &SPop}),
    Declare({.name = "SRANDMEMBER",
             .arity = -2,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .tips = "nondeterministic_output",
             .group = "set",
             .since = "1.0.0",
             .summary = "Returns members drawn at random.",
             .complexity = "O(m) for m members returned",
             .syntax = "key:key [count:integer]",
             .handler = &SRandMember}),
    Declare({.name = "SSCAN",
             .arity = -3,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .tips = "nondeterministic_output",
             .group = "set",
             .since = "2.8.0",
             .summary = "Goes through the members of a set, a portion a call.",
             .complexity = "O(1) per call, O(n) for a whole iteration",
             .syntax = "key:key cursor:integer [MATCH pattern:pattern] [COUNT count:integer]",
             .handler = &SScan}),
};

}  // namespace

std::span<const CommandSpec> SetCommands() { return kCommands; }

}  // namespace rung

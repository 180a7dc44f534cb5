// Pushing to, reading and changing one list. Taking off is in list_pop.cc, moving in list_move.cc.

#include "commands/list.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

#include "commands/families.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/list.h"

namespace rung {

ListEnd TakeListEnd(ArgReader& args) {
  if (args.Take("LEFT")) return ListEnd::kHead;
  if (args.Take("RIGHT")) return ListEnd::kTail;
  args.Fail(errors::kSyntax);
  return ListEnd::kHead;
}

std::span<const std::string_view> TakeCountedKeys(ArgReader& args) {
  constexpr std::string_view kNotPositiveCount = "ERR numkeys should be greater than 0";
  const std::int64_t count = args.IntegerIn(1, std::numeric_limits<std::int64_t>::max(),
                                            kNotPositiveCount, kNotPositiveCount);
  if (args.ok() && static_cast<std::uint64_t>(count) > args.left()) args.Fail(errors::kSyntax);
  return args.ok() ? args.Take(static_cast<std::size_t>(count))
                   : std::span<const std::string_view>();
}

namespace {

// Redis's index arguments: from the tail when negative, clamped to [0, size).
struct Range {
  std::size_t first = 0;
  std::size_t last = 0;
  bool empty = true;
};

Range ClampRange(std::int64_t first, std::int64_t last, std::size_t size) {
  const auto count = static_cast<std::int64_t>(size);
  if (first < 0) first = std::max<std::int64_t>(0, first + count);
  if (last < 0) last += count;
  last = std::min(last, count - 1);
  if (first > last || first >= count) return {};
  return {.first = static_cast<std::size_t>(first),
          .last = static_cast<std::size_t>(last),
          .empty = false};
}

Outcome PushTo(ExecContext& ctx, ArgReader& args, ListEnd end) {
  Result<Edit<List>> list = ctx.db.EditOrCreate<List>(args.Bytes());
  if (!list.ok()) return ctx.Fail(list.error());
  for (const std::string_view value : args.Rest()) (*list)->Push(end, value);
  list->MarkChanged(PushEvent(end));
  ctx.reply.Integer(static_cast<std::int64_t>((*list)->size()));
  return Outcome::kReplied;
}

Outcome PushToExisting(ExecContext& ctx, ArgReader& args, ListEnd end) {
  Result<Edit<List>> list = ctx.db.EditExisting<List>(args.Bytes());
  if (!list.ok()) return ctx.Fail(list.error());
  if (!*list) {
    ctx.reply.Integer(0);
    return Outcome::kReplied;
  }
  for (const std::string_view value : args.Rest()) (*list)->Push(end, value);
  list->MarkChanged(PushEvent(end));
  ctx.reply.Integer(static_cast<std::int64_t>((*list)->size()));
  return Outcome::kReplied;
}

Outcome LPush(ExecContext& ctx, ArgReader& args) { return PushTo(ctx, args, ListEnd::kHead); }
Outcome RPush(ExecContext& ctx, ArgReader& args) { return PushTo(ctx, args, ListEnd::kTail); }
Outcome LPushX(ExecContext& ctx, ArgReader& args) {
  return PushToExisting(ctx, args, ListEnd::kHead);
}
Outcome RPushX(ExecContext& ctx, ArgReader& args) {
  return PushToExisting(ctx, args, ListEnd::kTail);
}

Outcome LLen(ExecContext& ctx, ArgReader& args) {
  const Result<const List*> list = ctx.db.Read<List>(args.Bytes());
  if (!list.ok()) return ctx.Fail(list.error());
  ctx.reply.Integer(*list == nullptr ? 0 : static_cast<std::int64_t>((*list)->size()));
  return Outcome::kReplied;
}

Outcome LIndex(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::int64_t index = args.Integer();
  const Result<const List*> list = ctx.db.Read<List>(key);
  if (!list.ok()) return ctx.Fail(list.error());
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const List::Cursor cursor = *list == nullptr ? List::Cursor() : (*list)->At(index);
  if (cursor.Valid()) {
    ctx.reply.Bulk(cursor.value());
  } else {
    ctx.reply.Null();
  }
  return Outcome::kReplied;
}

Outcome LSet(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view index_text = args.Bytes();
  const std::string_view value = args.Bytes();
  Result<Edit<List>> list = ctx.db.EditExisting<List>(key);
  if (!list.ok()) return ctx.Fail(list.error());
  if (!*list) return ctx.Fail(errors::kNoSuchKey);
  const std::optional<std::int64_t> index = ParseInt64(index_text);
  if (!index) return ctx.Fail(errors::kNotInteger);
  if (!(*list)->Set(*index, value)) return ctx.Fail(errors::kIndexOutOfRange);
  list->MarkChanged("lset");
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome LRange(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::int64_t first = args.Integer();
  const std::int64_t last = args.Integer();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const List*> list = ctx.db.Read<List>(key);
  if (!list.ok()) return ctx.Fail(list.error());
  const Range range = ClampRange(first, last, *list == nullptr ? 0 : (*list)->size());
  if (range.empty) {
    ctx.reply.EmptyArray();
    return Outcome::kReplied;
  }
  std::size_t left = range.last - range.first + 1;
  ctx.reply.Array(left);
  for (auto cursor = (*list)->At(static_cast<std::int64_t>(range.first)); left > 0; --left) {
    ctx.reply.Bulk(cursor.value());
    cursor.Next();
  }
  return Outcome::kReplied;
}

Outcome LTrim(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::int64_t first = args.Integer();
  const std::int64_t last = args.Integer();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Result<Edit<List>> list = ctx.db.EditExisting<List>(key);
  if (!list.ok()) return ctx.Fail(list.error());
  if (*list) {
    const Range range = ClampRange(first, last, (*list)->size());
    if (range.empty) {
      (*list)->Clear();
    } else {
      (*list)->Trim(range.first, range.last);
    }
    list->MarkChanged("ltrim");
  }
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome LRem(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::int64_t count = args.Integer();
  const std::string_view value = args.Bytes();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Result<Edit<List>> list = ctx.db.EditExisting<List>(key);
  if (!list.ok()) return ctx.Fail(list.error());
  const std::size_t removed = *list ? (*list)->RemoveEqual(value, count) : 0;
  if (removed > 0) list->MarkChanged("lrem");
  ctx.reply.Integer(static_cast<std::int64_t>(removed));
  return Outcome::kReplied;
}

Outcome LInsert(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const bool before = args.Take("BEFORE");
  if (!before && !args.Take("AFTER")) return ctx.Fail(errors::kSyntax);
  const std::string_view pivot = args.Bytes();
  const std::string_view value = args.Bytes();
  Result<Edit<List>> list = ctx.db.EditExisting<List>(key);
  if (!list.ok()) return ctx.Fail(list.error());
  if (!*list) {
    ctx.reply.Integer(0);
    return Outcome::kReplied;
  }
  const auto where = before ? List::Where::kBefore : List::Where::kAfter;
  if ((*list)->InsertBeside(pivot, value, where)) {
    list->MarkChanged("linsert");
    ctx.reply.Integer(static_cast<std::int64_t>((*list)->size()));
  } else {
    ctx.reply.Integer(-1);
  }
  return Outcome::kReplied;
}

struct PositionRequest {
  List::FindRule rule;
  bool many = false;  // COUNT was given: the reply is an array.
};

void ReadPositionOptions(ArgReader& args, PositionRequest& request) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  while (args.More()) {
    if (args.TakeWithValue("RANK")) {
      request.rule.rank =
          args.IntegerIn(-kMax, kMax,
                         "ERR value is out of range, value must between -9223372036854775807 and "
                         "9223372036854775807");
      if (args.ok() && request.rule.rank == 0) {
        args.Fail(
            "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... "
            "or use negative to start from the end of the list");
      }
    } else if (args.TakeWithValue("COUNT")) {
      request.many = true;
      request.rule.count =
          static_cast<std::size_t>(args.IntegerIn(0, kMax, "ERR COUNT can't be negative"));
    } else if (args.TakeWithValue("MAXLEN")) {
      request.rule.max_compared =
          static_cast<std::size_t>(args.IntegerIn(0, kMax, "ERR MAXLEN can't be negative"));
    } else {
      args.Fail(errors::kSyntax);
    }
  }
}

Outcome LPos(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view value = args.Bytes();
  PositionRequest request;
  ReadPositionOptions(args, request);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const List*> list = ctx.db.Read<List>(key);
  if (!list.ok()) return ctx.Fail(list.error());
  std::vector<std::size_t> positions;
  if (*list != nullptr) positions = (*list)->Find(value, request.rule);
  if (!request.many) {
    if (positions.empty()) {
      ctx.reply.Null();
    } else {
      ctx.reply.Integer(static_cast<std::int64_t>(positions[0]));
    }
    return Outcome::kReplied;
  }
  ctx.reply.Array(positions.size());
  for (const std::size_t position : positions) {
    ctx.reply.Integer(static_cast<std::int64_t>(position));
  }
  return Outcome::kReplied;
}

constexpr std::uint32_t kGrows = kWrite | kDenyOom;

constexpr std::array kCommands = {
    Declare({.name = "LPUSH",
             .arity = -3,
             .flags = kGrows | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyInsert)},
             .log = LogPolicy::kVerbatim,
             .group = "list",
             .since = "1.0.0",
             .summary = "Adds elements to the head of a list; creates it if it does not exist.",
             .complexity = "O(1) per element",
             .syntax = "key:key element...",
             .handler = &LPush}),
    Declare({.name = "RPUSH",
             .arity = -3,
             .flags = kGrows | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyInsert)},
             .log = LogPolicy::kVerbatim,
             .group = "list",
             .since = "1.0.0",
             .summary = "Adds elements to the tail of a list; creates it if it does not exist.",
             .complexity = "O(1) per element",
             .syntax = "key:key element...",
             .handler = &RPush}),
    Declare({.name = "LPUSHX",
             .arity = -3,
             .flags = kGrows | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyInsert)},
             .log = LogPolicy::kVerbatim,
             .group = "list",
             .since = "2.2.0",
             .summary = "Adds elements to the head of a list, if the list exists.",
             .complexity = "O(1) per element",
             .syntax = "key:key element...",
             .handler = &LPushX}),
    Declare({.name = "RPUSHX",
             .arity = -3,
             .flags = kGrows | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyInsert)},
             .log = LogPolicy::kVerbatim,
             .group = "list",
             .since = "2.2.0",
             .summary = "Adds elements to the tail of a list, if the list exists.",
             .complexity = "O(1) per element",
             .syntax = "key:key element...",
             .handler = &RPushX}),
    Declare({.name = "LLEN",
             .arity = 2,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead)},
             .group = "list",
             .since = "1.0.0",
             .summary = "Returns the length of a list.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &LLen}),
    Declare({.name = "LINDEX",
             .arity = 3,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "list",
             .since = "1.0.0",
             .summary = "Returns the element at an index; negative counts from the tail.",
             .complexity = "O(log n)",
             .syntax = "key:key index:integer",
             .handler = &LIndex}),
    Declare({.name = "LSET",
             .arity = 4,
             .flags = kGrows,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .group = "list",
             .since = "1.0.0",
             .summary = "Replaces the element at an index.",
             .complexity = "O(log n)",
             .syntax = "key:key index:integer element",
             .handler = &LSet}),
    Declare({.name = "LRANGE",
             .arity = 4,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "list",
             .since = "1.0.0",
             .summary = "Returns the elements between two indexes, both included.",
             .complexity = "O(log n + m) for m elements returned",
             .syntax = "key:key start:integer stop:integer",
             .handler = &LRange}),
    Declare({.name = "LTRIM",
             .arity = 4,
             .flags = kWrite,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .group = "list",
             .since = "1.0.0",
             .summary = "Keeps the elements between two indexes and removes the others.",
             .complexity = "O(m) for m blocks removed",
             .syntax = "key:key start:integer stop:integer",
             .handler = &LTrim}),
    Declare({.name = "LREM",
             .arity = 4,
             .flags = kWrite,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .group = "list",
             .since = "1.0.0",
             .summary = "Removes elements equal to the one given.",
             .complexity = "O(n)",
             .syntax = "key:key count:integer element",
             .handler = &LRem}),
    Declare({.name = "LINSERT",
             .arity = 5,
             .flags = kGrows,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyInsert)},
             .log = LogPolicy::kVerbatim,
             .group = "list",
             .since = "2.2.0",
             .summary = "Adds an element before or after another one.",
             .complexity = "O(n)",
             .syntax = "key:key (BEFORE | AFTER) pivot element",
             .handler = &LInsert}),
    Declare({.name = "LPOS",
             .arity = -3,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "list",
             .since = "6.0.6",
             .summary = "Returns the index of an element.",
             .complexity = "O(n)",
             .syntax = "key:key element [RANK rank:integer] [COUNT num-matches:integer] "
                       "[MAXLEN len:integer]",
             .handler = &LPos}),
};

}  // namespace

std::span<const CommandSpec> ListCommands() { return kCommands; }

}  // namespace rung

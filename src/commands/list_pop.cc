// Taking elements off lists: LPOP RPOP, of the first of several keys (LMPOP), and waiting for one
// (BLPOP BRPOP BLMPOP).

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

#include "commands/families.h"
#include "commands/list.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/catalog.h"
#include "rung/commands/context.h"
#include "rung/types/list.h"

namespace rung {
namespace {

constexpr std::int64_t kCountMax = std::numeric_limits<std::int64_t>::max();

// Takes `count` elements, nearest to the end first, into an array reply.
void PopToArray(ExecContext& ctx, Edit<List>& list, ListEnd end, std::size_t count) {
  ctx.reply.Array(count);
  for (std::size_t i = 0; i < count; ++i) {
    ctx.reply.Bulk(list->Peek(end));
    list->Drop(end);
  }
}

Outcome Pop(ExecContext& ctx, ArgReader& args, ListEnd end) {
  const std::string_view key = args.Bytes();
  const bool counted = args.More();
  if (args.left() > 1) {
    return ctx.Fail("ERR wrong number of arguments for '" + ctx.command.full_name + "' command");
  }
  const std::int64_t count =
      counted ? args.IntegerIn(0, kCountMax, errors::kNotPositive, errors::kNotPositive) : 1;
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Result<Edit<List>> list = ctx.db.EditExisting<List>(key);
  if (!list.ok()) return ctx.Fail(list.error());
  if (!*list) {
    if (counted) {
      ctx.reply.NullArray();
    } else {
      ctx.reply.Null();
    }
    return Outcome::kReplied;
  }
  if (counted) {
    const std::size_t taken = std::min((*list)->size(), static_cast<std::size_t>(count));
    PopToArray(ctx, *list, end, taken);
    if (taken > 0) list->MarkChanged(PopEvent(end));
    return Outcome::kReplied;
  }
  ctx.reply.Bulk((*list)->Peek(end));
  (*list)->Drop(end);
  list->MarkChanged(PopEvent(end));
  return Outcome::kReplied;
}

Outcome LPop(ExecContext& ctx, ArgReader& args) { return Pop(ctx, args, ListEnd::kHead); }
Outcome RPop(ExecContext& ctx, ArgReader& args) { return Pop(ctx, args, ListEnd::kTail); }

// The first of `keys` that holds a list, open for change; its place among them goes to `index`.
// Errors: kWrongType if a key before it holds something else.
Result<Edit<List>> FirstList(ExecContext& ctx, std::span<const std::string_view> keys,
                             std::size_t& index) {
  for (index = 0; index < keys.size(); ++index) {
    Result<Edit<List>> list = ctx.db.EditExisting<List>(keys[index]);
    if (!list.ok() || *list) return list;
  }
  return Edit<List>();
}

Outcome BlockingPop(ExecContext& ctx, ArgReader& args, ListEnd end) {
  const std::span<const std::string_view> keys = args.Take(args.left() - 1);
  const auto timeout = args.Timeout();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  std::size_t index = 0;
  Result<Edit<List>> list = FirstList(ctx, keys, index);
  if (!list.ok()) return ctx.Fail(list.error());
  if (!*list) {
    if (ctx.MayBlock()) return ctx.BlockOn(keys, MaskOf(ValueType::kList), timeout);
    ctx.reply.NullArray();
    return Outcome::kReplied;
  }
  ctx.reply.Array(2);
  ctx.reply.Bulk(keys[index]);
  ctx.reply.Bulk((*list)->Peek(end));
  (*list)->Drop(end);
  list->MarkChanged(PopEvent(end));
  ctx.Log({PopCommand(end), keys[index]});
  return Outcome::kReplied;
}

Outcome BLPop(ExecContext& ctx, ArgReader& args) { return BlockingPop(ctx, args, ListEnd::kHead); }
Outcome BRPop(ExecContext& ctx, ArgReader& args) { return BlockingPop(ctx, args, ListEnd::kTail); }

struct MultiPopRequest {
  std::span<const std::string_view> keys;
  ListEnd end = ListEnd::kHead;
  std::size_t count = 1;
};

MultiPopRequest ReadMultiPop(ArgReader& args) {
  constexpr std::string_view kBadCount = "ERR count should be greater than 0";
  MultiPopRequest request;
  request.keys = TakeCountedKeys(args);
  request.end = TakeListEnd(args);
  if (args.TakeWithValue("COUNT")) {
    request.count = static_cast<std::size_t>(args.IntegerIn(1, kCountMax, kBadCount, kBadCount));
  }
  return request;
}

// Replies and logs what the first list gives; false if there is none.
bool PopFirst(ExecContext& ctx, const MultiPopRequest& request, Edit<List>& list,
              std::string_view key) {
  if (!list) return false;
  const std::size_t taken = std::min(list->size(), request.count);
  ctx.reply.Array(2);
  ctx.reply.Bulk(key);
  PopToArray(ctx, list, request.end, taken);
  list.MarkChanged(PopEvent(request.end));
  NumberBuffer number;
  ctx.Log({PopCommand(request.end), key, FormatInt64(static_cast<std::int64_t>(taken), number)});
  return true;
}

Outcome LMPop(ExecContext& ctx, ArgReader& args) {
  const MultiPopRequest request = ReadMultiPop(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  std::size_t index = 0;
  Result<Edit<List>> list = FirstList(ctx, request.keys, index);
  if (!list.ok()) return ctx.Fail(list.error());
  if (!*list) {
    ctx.reply.NullArray();
  } else {
    PopFirst(ctx, request, *list, request.keys[index]);
  }
  return Outcome::kReplied;
}

Outcome BLMPop(ExecContext& ctx, ArgReader& args) {
  const auto timeout = args.Timeout();
  const MultiPopRequest request = ReadMultiPop(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  std::size_t index = 0;
  Result<Edit<List>> list = FirstList(ctx, request.keys, index);
  if (!list.ok()) return ctx.Fail(list.error());
  if (*list) {
    PopFirst(ctx, request, *list, request.keys[index]);
    return Outcome::kReplied;
  }
  if (ctx.MayBlock()) return ctx.BlockOn(request.keys, MaskOf(ValueType::kList), timeout);
  ctx.reply.NullArray();
  return Outcome::kReplied;
}

constexpr int kPopKey = kKeyReadWrite | kKeyAccess | kKeyDelete;

constexpr std::array kCommands = {
    Declare({.name = "LPOP",
             .arity = -2,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kPopKey)},
             .log = LogPolicy::kVerbatim,
             .group = "list",
             .since = "1.0.0",
             .summary = "Takes elements off the head of a list.",
             .complexity = "O(m) for m elements taken",
             .syntax = "key:key [count:integer]",
             .handler = &LPop}),
    Declare({.name = "RPOP",
             .arity = -2,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kPopKey)},
             .log = LogPolicy::kVerbatim,
             .group = "list",
             .since = "1.0.0",
             .summary = "Takes elements off the tail of a list.",
             .complexity = "O(m) for m elements taken",
             .syntax = "key:key [count:integer]",
             .handler = &RPop}),
    Declare({.name = "LMPOP",
             .arity = -4,
             .flags = kWrite,
             .keys = {KeysCountedAt(1, kPopKey)},
             .log = LogPolicy::kRewritten,
             .group = "list",
             .since = "7.0.0",
             .summary = "Takes elements off the first list that is not empty.",
             .complexity = "O(k + m) for k keys and m elements taken",
             .syntax = "numkeys:integer key:key... (LEFT | RIGHT) [COUNT count:integer]",
             .handler = &LMPop}),
    Declare({.name = "BLPOP",
             .arity = -3,
             .flags = kWrite | kBlocking,
             .keys = {KeysFrom(1, -2, 1, kPopKey)},
             .log = LogPolicy::kRewritten,
             .group = "list",
             .since = "2.0.0",
             .summary = "Takes an element off the head of the first list that is not empty, or "
                        "waits for one.",
             .complexity = "O(k) for k keys",
             .syntax = "key:key... timeout:double",
             .handler = &BLPop}),
    Declare({.name = "BRPOP",
             .arity = -3,
             .flags = kWrite | kBlocking,
             .keys = {KeysFrom(1, -2, 1, kPopKey)},
             .log = LogPolicy::kRewritten,
             .group = "list",
             .since = "2.0.0",
             .summary = "Takes an element off the tail of the first list that is not empty, or "
                        "waits for one.",
             .complexity = "O(k) for k keys",
             .syntax = "key:key... timeout:double",
             .handler = &BRPop}),
    Declare({.name = "BLMPOP",
             .arity = -5,
             .flags = kWrite | kBlocking,
             .keys = {KeysCountedAt(2, kPopKey)},
             .log = LogPolicy::kRewritten,
             .group = "list",
             .since = "7.0.0",
             .summary = "Takes elements off the first list that is not empty, or waits for one.",
             .complexity = "O(k + m) for k keys and m elements taken",
             .syntax = "timeout:double numkeys:integer key:key... (LEFT | RIGHT) "
                       "[COUNT count:integer]",
             .handler = &BLMPop}),
};

}  // namespace

std::span<const CommandSpec> ListPopCommands() { return kCommands; }

}  // namespace rung

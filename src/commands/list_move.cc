// Moving an element from one list to another, at once or when one comes: LMOVE RPOPLPUSH BLMOVE
// BRPOPLPUSH.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "commands/families.h"
#include "commands/list.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/list.h"

namespace rung {
namespace {

struct Move {
  std::string_view source;
  std::string_view destination;
  ListEnd from = ListEnd::kTail;
  ListEnd to = ListEnd::kHead;
};

// Within one list, as two changes with an event each. The push comes first, so that a list of one
// element does not become empty in between.
void Rotate(ExecContext& ctx, const Move& move) {
  Result<Edit<List>> pushing = ctx.db.EditExisting<List>(move.source);
  const std::string value((*pushing)->Peek(move.from));
  (*pushing)->Push(move.to, value);
  pushing->MarkChanged(PushEvent(move.to));
  { const Edit<List> finished = std::move(*pushing); }
  Result<Edit<List>> popping = ctx.db.EditExisting<List>(move.source);
  (*popping)->Drop(move.from);
  popping->MarkChanged(PopEvent(move.from));
  ctx.reply.Bulk(value);
}

enum class Moved : std::uint8_t { kYes, kNothing, kFailed };

// Tries the move and replies if it is done or refused. The destination is looked at only when there
// is something to move: a wait does not fail for what it may find later.
Moved TryMove(ExecContext& ctx, const Move& move) {
  const Lookup found = ctx.db.Find(move.source);
  if (!found) return Moved::kNothing;
  if (found.entry()->type() != ValueType::kList) {
    ctx.Fail(errors::kWrongType);
    return Moved::kFailed;
  }
  if (move.source == move.destination) {
    Rotate(ctx, move);
    return Moved::kYes;
  }
  Result<Edit<List>> to = ctx.db.EditOrCreate<List>(move.destination);
  if (!to.ok()) {
    ctx.Fail(to.error());
    return Moved::kFailed;
  }
  Result<Edit<List>> from = ctx.db.EditExisting<List>(move.source);
  const std::string_view value = (*from)->Peek(move.from);
  (*to)->Push(move.to, value);
  ctx.reply.Bulk(value);
  (*from)->Drop(move.from);
  to->MarkChanged(PushEvent(move.to));
  from->MarkChanged(PopEvent(move.from));
  // Its event comes first: what is pushed is there before its source is seen gone.
  { const Edit<List> finished = std::move(*to); }
  return Moved::kYes;
}

Outcome MoveNow(ExecContext& ctx, const Move& move) {
  switch (TryMove(ctx, move)) {
    case Moved::kYes:
      break;
    case Moved::kNothing:
      ctx.reply.Null();
      break;
    case Moved::kFailed:
      return Outcome::kFailed;
  }
  return Outcome::kReplied;
}

Outcome MoveOrWait(ExecContext& ctx, const Move& move,
                   std::optional<std::chrono::nanoseconds> timeout, bool& moved) {
  const Moved result = TryMove(ctx, move);
  moved = result == Moved::kYes;
  if (moved) return Outcome::kReplied;
  if (result == Moved::kFailed) return Outcome::kFailed;
  if (ctx.MayBlock()) {
    return ctx.BlockOn(std::span(&move.source, 1), MaskOf(ValueType::kList), timeout);
  }
  // A wait that is over answers a null array, as it always has; one that never began a null.
  if (ctx.attempt == Attempt::kTimedOut) {
    ctx.reply.NullArray();
  } else {
    ctx.reply.Null();
  }
  return Outcome::kReplied;
}

Outcome LMove(ExecContext& ctx, ArgReader& args) {
  Move move;
  move.source = args.Bytes();
  move.destination = args.Bytes();
  move.from = TakeListEnd(args);
  move.to = TakeListEnd(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  return MoveNow(ctx, move);
}

Outcome RPopLPush(ExecContext& ctx, ArgReader& args) {
  Move move;
  move.source = args.Bytes();
  move.destination = args.Bytes();
  return MoveNow(ctx, move);
}

Outcome BLMove(ExecContext& ctx, ArgReader& args) {
  Move move;
  move.source = args.Bytes();
  move.destination = args.Bytes();
  move.from = TakeListEnd(args);
  move.to = TakeListEnd(args);
  const auto timeout = args.Timeout();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  bool moved = false;
  const Outcome outcome = MoveOrWait(ctx, move, timeout, moved);
  if (moved) {
    ctx.Log({"LMOVE", move.source, move.destination, EndWord(move.from), EndWord(move.to)});
  }
  return outcome;
}

Outcome BRPopLPush(ExecContext& ctx, ArgReader& args) {
  Move move;
  move.source = args.Bytes();
  move.destination = args.Bytes();
  const auto timeout = args.Timeout();
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  bool moved = false;
  const Outcome outcome = MoveOrWait(ctx, move, timeout, moved);
  if (moved) ctx.Log({"RPOPLPUSH", move.source, move.destination});
  return outcome;
}

constexpr std::array<KeySpec, 2> kMoveKeys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyDelete),
                                              KeyAt(2, kKeyReadWrite | kKeyInsert)};

// Moves are refused for memory by nobody: work that is taken must always find its way.
constexpr std::array kCommands = {
    Declare({.name = "LMOVE",
             .arity = 5,
             .flags = kWrite,
             .keys = kMoveKeys,
             .log = LogPolicy::kVerbatim,
             .group = "list",
             .since = "6.2.0",
             .summary = "Moves an element from one end of a list to one end of another.",
             .complexity = "O(1)",
             .syntax = "source:key destination:key (LEFT | RIGHT) (LEFT | RIGHT)",
             .handler = &LMove}),
    Declare({.name = "RPOPLPUSH",
             .arity = 3,
             .flags = kWrite,
             .keys = kMoveKeys,
             .log = LogPolicy::kVerbatim,
             .group = "list",
             .since = "1.2.0",
             .summary = "Moves the last element of a list to the head of another.",
             .complexity = "O(1)",
             .syntax = "source:key destination:key",
             .handler = &RPopLPush}),
    Declare({.name = "BLMOVE",
             .arity = 6,
             .flags = kWrite | kBlocking,
             .keys = kMoveKeys,
             .log = LogPolicy::kRewritten,
             .group = "list",
             .since = "6.2.0",
             .summary = "Moves an element from one end of a list to one end of another, or waits "
                        "for one.",
             .complexity = "O(1)",
             .syntax = "source:key destination:key (LEFT | RIGHT) (LEFT | RIGHT) timeout:double",
             .handler = &BLMove}),
    Declare(
        {.name = "BRPOPLPUSH",
         .arity = 4,
         .flags = kWrite | kBlocking,
         .keys = kMoveKeys,
         .log = LogPolicy::kRewritten,
         .group = "list",
         .since = "2.2.0",
         .summary = "Moves the last element of a list to the head of another, or waits for one.",
         .complexity = "O(1)",
         .syntax = "source:key destination:key timeout:double",
         .handler = &BRPopLPush}),
};

}  // namespace

std::span<const CommandSpec> ListMoveCommands() { return kCommands; }

}  // namespace rung

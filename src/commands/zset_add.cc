// ZADD and ZINCRBY: put members in, or change their scores.

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "commands/families.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/sorted_set.h"

namespace rung {
namespace {

using Presence = PutRule::Presence;
using Direction = PutRule::Direction;

// The scores of a request, all read before the first is used. Up to sixteen need no allocation.
class ScoreList {
 public:
  // `pairs`: score, member, score, member ... False if a score is not a number.
  bool Parse(std::span<const std::string_view> pairs) {
    const std::size_t count = pairs.size() / 2;
    if (count > few_.size()) {
      many_.resize(count);
      scores_ = many_.data();
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::optional<double> score = ParseDouble(pairs[2 * i]);
      if (!score) return false;
      scores_[i] = *score;
    }
    return true;
  }
  double operator[](std::size_t index) const { return scores_[index]; }

 private:
  std::array<double, 16> few_;
  std::vector<double> many_;
  double* scores_ = few_.data();
};

struct AddRequest {
  std::string_view key;
  PutRule rule{};
  bool counts_changes = false;                // CH: updated members count as well.
  bool increments = false;                    // INCR
  std::span<const std::string_view> pairs{};  // Score, member, score, member ...
};

AddRequest ReadAdd(ArgReader& args) {
  AddRequest add{.key = args.Bytes()};
  bool nx = false, xx = false, gt = false, lt = false;
  while (args.More()) {
    if (args.Take("NX")) {
      nx = true;
    } else if (args.Take("XX")) {
      xx = true;
    } else if (args.Take("GT")) {
      gt = true;
    } else if (args.Take("LT")) {
      lt = true;
    } else if (args.Take("CH")) {
      add.counts_changes = true;
    } else if (args.Take("INCR")) {
      add.increments = true;
    } else {
      break;
    }
  }
  add.pairs = args.Rest();
  if (add.pairs.empty() || add.pairs.size() % 2 != 0) args.Fail(errors::kSyntax);
  if (nx && xx) args.Fail("ERR XX and NX options at the same time are not compatible");
  if ((nx && (gt || lt)) || (gt && lt)) {
    args.Fail("ERR GT, LT, and/or NX options at the same time are not compatible");
  }
  if (add.increments && add.pairs.size() > 2) {
    args.Fail("ERR INCR option supports a single increment-element pair");
  }
  if (nx) add.rule.presence = Presence::kAbsentOnly;
  if (xx) add.rule.presence = Presence::kPresentOnly;
  if (gt) add.rule.direction = Direction::kUpOnly;
  if (lt) add.rule.direction = Direction::kDownOnly;
  return add;
}

bool Changes(PutOutcome outcome) {
  return outcome == PutOutcome::kAdded || outcome == PutOutcome::kMoved;
}

// Only a set that is full to the last record can fail here, and only it can be left half done.
Outcome PutAll(ExecContext& ctx, Edit<SortedSet>& edit, const AddRequest& add,
               const ScoreList& scores) {
  std::int64_t added = 0;
  std::int64_t moved = 0;
  for (std::size_t i = 0; 2 * i < add.pairs.size(); ++i) {
    const Result<PutOutcome> put = edit->Put(add.pairs[2 * i + 1], scores[i], add.rule);
    if (!put.ok()) return ctx.Fail(put.error());
    if (!Changes(*put)) continue;
    ++(*put == PutOutcome::kAdded ? added : moved);
    edit.MarkChanged("zadd");
  }
  ctx.reply.Integer(add.counts_changes ? added + moved : added);
  return Outcome::kReplied;
}

Outcome IncrementOne(ExecContext& ctx, Edit<SortedSet>& edit, const AddRequest& add, double delta) {
  const auto incremented = edit->Increment(add.pairs[1], delta, add.rule);
  if (!incremented.ok()) return ctx.Fail(incremented.error());
  if (Changes(incremented->outcome)) edit.MarkChanged("zincr");
  if (incremented->outcome == PutOutcome::kRefused) {
    ctx.reply.Null();
  } else {
    ctx.reply.Double(incremented->score);
  }
  return Outcome::kReplied;
}

Outcome Run(ExecContext& ctx, const AddRequest& add) {
  ScoreList scores;
  if (!scores.Parse(add.pairs)) return ctx.Fail(errors::kNotFloat);
  const bool may_create = add.rule.presence != Presence::kPresentOnly;
  Result<Edit<SortedSet>> edit = may_create ? ctx.db.EditOrCreate<SortedSet>(add.key)
                                            : ctx.db.EditExisting<SortedSet>(add.key);
  if (!edit.ok()) return ctx.Fail(edit.error());
  if (*edit) {
    return add.increments ? IncrementOne(ctx, *edit, add, scores[0])
                          : PutAll(ctx, *edit, add, scores);
  }
  if (add.increments) {
    ctx.reply.Null();
  } else {
    ctx.reply.Integer(0);
  }
  return Outcome::kReplied;
}

Outcome ZAdd(ExecContext& ctx, ArgReader& args) {
  const AddRequest add = ReadAdd(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  return Run(ctx, add);
}

Outcome ZIncrBy(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  return Run(ctx, {.key = key, .rule = {}, .increments = true, .pairs = args.Rest()});
}

constexpr std::array kCommands = {
    Declare({.name = "ZADD",
             .arity = -4,
             .flags = kWrite | kDenyOom | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .group = "sorted-set",
             .since = "1.2.0",
             .summary = "Adds members to a sorted set, or changes their scores.",
             .complexity = "O(log n) per member",
             .syntax = "key:key [NX | XX] [GT | LT] [CH] [INCR] (score:double member)...",
             .handler = &ZAdd}),
    Declare({.name = "ZINCRBY",
             .arity = 4,
             .flags = kWrite | kDenyOom | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .group = "sorted-set",
             .since = "1.2.0",
             .summary = "Adds to the score of a member of a sorted set.",
             .complexity = "O(log n)",
             .syntax = "key:key increment:integer member",
             .handler = &ZIncrBy}),
};

}  // namespace

std::span<const CommandSpec> ZSetAddCommands() { return kCommands; }

}  // namespace rung

// Several sets at once: union, intersection and difference, answered, stored or counted.

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/families.h"
#include "commands/set.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/set.h"

namespace rung {
namespace {

// The sets of the keys, null where there is none. Errors: kWrongType, whichever key it is.
Result<std::vector<const Set*>> ReadSets(ExecContext& ctx, std::span<const std::string_view> keys) {
  std::vector<const Set*> sets;
  for (const std::string_view key : keys) {
    const Result<const Set*> set = ctx.db.Read<Set>(key);
    if (!set.ok()) return set.error();
    sets.push_back(*set);
  }
  return sets;
}

// Calls visit(member) for each member of all `sets` until it returns false. The smallest set is
// walked, the others are asked.
template <typename F>
void ForEachCommon(std::vector<const Set*> sets, F visit) {
  if (std::find(sets.begin(), sets.end(), nullptr) != sets.end()) return;
  std::sort(sets.begin(), sets.end(),
            [](const Set* a, const Set* b) { return a->size() < b->size(); });
  bool go_on = true;
  sets[0]->ForEach([&](std::string_view member) {
    if (!go_on) return;
    const bool common = std::all_of(sets.begin() + 1, sets.end(),
                                    [&](const Set* set) { return set->Contains(member); });
    if (common) go_on = visit(member);
  });
}

using Combine = std::unique_ptr<Set> (*)(const std::vector<const Set*>& sets,
                                         const SetRules& rules);

std::unique_ptr<Set> Union(const std::vector<const Set*>& sets, const SetRules& rules) {
  auto result = std::make_unique<Set>();
  for (const Set* set : sets) {
    if (set == nullptr) continue;
    set->ForEach([&](std::string_view member) { result->Add(member, rules); });
  }
  return result;
}

std::unique_ptr<Set> Intersection(const std::vector<const Set*>& sets, const SetRules& rules) {
  auto result = std::make_unique<Set>();
  ForEachCommon(sets, [&](std::string_view member) {
    result->Add(member, rules);
    return true;
  });
  return result;
}

std::unique_ptr<Set> Difference(const std::vector<const Set*>& sets, const SetRules& rules) {
  auto result = std::make_unique<Set>();
  if (sets[0] == nullptr) return result;
  sets[0]->ForEach([&](std::string_view member) {
    const bool elsewhere = std::any_of(sets.begin() + 1, sets.end(), [&](const Set* set) {
      return set != nullptr && set->Contains(member);
    });
    if (!elsewhere) result->Add(member, rules);
  });
  return result;
}

Outcome Answer(ExecContext& ctx, ArgReader& args, Combine combine) {
  const auto sets = ReadSets(ctx, args.Rest());
  if (!sets.ok()) return ctx.Fail(sets.error());
  const std::unique_ptr<Set> result = combine(*sets, SetRulesOf(ctx));
  ctx.reply.Set(result->size());
  result->ForEach([&](std::string_view member) { ctx.reply.Bulk(member); });
  return Outcome::kReplied;
}

Outcome Store(ExecContext& ctx, ArgReader& args, Combine combine, std::string_view event) {
  const std::string_view destination = args.Bytes();
  const auto sets = ReadSets(ctx, args.Rest());
  if (!sets.ok()) return ctx.Fail(sets.error());
  std::unique_ptr<Set> result = combine(*sets, SetRulesOf(ctx));
  ctx.reply.Integer(static_cast<std::int64_t>(result->size()));
  ctx.db.Replace(destination, std::move(result), event);
  return Outcome::kReplied;
}

Outcome SUnion(ExecContext& ctx, ArgReader& args) { return Answer(ctx, args, &Union); }
Outcome SInter(ExecContext& ctx, ArgReader& args) { return Answer(ctx, args, &Intersection); }
Outcome SDiff(ExecContext& ctx, ArgReader& args) { return Answer(ctx, args, &Difference); }
Outcome SUnionStore(ExecContext& ctx, ArgReader& args) {
  return Store(ctx, args, &Union, "sunionstore");
}
Outcome SInterStore(ExecContext& ctx, ArgReader& args) {
  return Store(ctx, args, &Intersection, "sinterstore");
}
Outcome SDiffStore(ExecContext& ctx, ArgReader& args) {
  return Store(ctx, args, &Difference, "sdiffstore");
}

Outcome SInterCard(ExecContext& ctx, ArgReader& args) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::string_view kBadCount = "ERR numkeys should be greater than 0";
  constexpr std::string_view kBadLimit = "ERR LIMIT can't be negative";
  const std::int64_t key_count = args.IntegerIn(1, kMax, kBadCount, kBadCount);
  if (args.ok() && static_cast<std::uint64_t>(key_count) > args.left()) {
    args.Fail("ERR Number of keys can't be greater than number of args");
  }
  const auto keys = args.Take(static_cast<std::size_t>(args.ok() ? key_count : 0));
  std::int64_t limit = 0;
  while (args.More()) {
    if (args.TakeWithValue("LIMIT")) {
      limit = args.IntegerIn(0, kMax, kBadLimit, kBadLimit);
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const auto sets = ReadSets(ctx, keys);
  if (!sets.ok()) return ctx.Fail(sets.error());
  std::int64_t count = 0;
  ForEachCommon(*sets, [&](std::string_view) { return ++count != limit; });
  ctx.reply.Integer(count);
  return Outcome::kReplied;
}

constexpr std::array<KeySpec, 2> kReadKeys = {KeysFrom(1, -1, 1, kKeyRead | kKeyAccess)};
constexpr std::array<KeySpec, 2> kStoreKeys = {KeyAt(1, kKeyOverwrite | kKeyUpdate),
                                               KeysFrom(2, -1, 1, kKeyRead | kKeyAccess)};

constexpr std::array kCommands = {
    Declare({.name = "SUNION",
             .arity = -2,
             .flags = kReadOnly,
             .keys = kReadKeys,
             .tips = "nondeterministic_output_order",
             .group = "set",
             .since = "1.0.0",
             .summary = "Returns what is in any of the sets.",
             .complexity = "O(n) for n members in all sets",
             .syntax = "key:key...",
             .handler = &SUnion}),
    Declare({.name = "SINTER",
             .arity = -2,
             .flags = kReadOnly,
             .keys = kReadKeys,
             .tips = "nondeterministic_output_order",
             .group = "set",
             .since = "1.0.0",
             .summary = "Returns what is in all of the sets.",
             .complexity = "O(n m) for n members of the smallest of m sets",
             .syntax = "key:key...",
             .handler = &SInter}),
    Declare({.name = "SDIFF",
             .arity = -2,
             .flags = kReadOnly,
             .keys = kReadKeys,
             .tips = "nondeterministic_output_order",
             .group = "set",
             .since = "1.0.0",
             .summary = "Returns what is in the first set and in none of the others.",
             .complexity = "O(n m) for n members of the first of m sets",
             .syntax = "key:key...",
             .handler = &SDiff}),
    Declare({.name = "SUNIONSTORE",
             .arity = -3,
             .flags = kWrite | kDenyOom,
             .keys = kStoreKeys,
             .log = LogPolicy::kVerbatim,
             .group = "set",
             .since = "1.0.0",
             .summary = "Stores what is in any of the sets.",
             .complexity = "O(n) for n members in all sets",
             .syntax = "destination:key key:key...",
             .handler = &SUnionStore}),
    Declare({.name = "SINTERSTORE",
             .arity = -3,
             .flags = kWrite | kDenyOom,
             .keys = kStoreKeys,
             .log = LogPolicy::kVerbatim,
             .group = "set",
             .since = "1.0.0",
             .summary = "Stores what is in all of the sets.",
             .complexity = "O(n m) for n members of the smallest of m sets",
             .syntax = "destination:key key:key...",
             .handler = &SInterStore}),
    Declare({.name = "SDIFFSTORE",
             .arity = -3,
             .flags = kWrite | kDenyOom,
             .keys = kStoreKeys,
             .log = LogPolicy::kVerbatim,
             .group = "set",
             .since = "1.0.0",
             .summary = "Stores what is in the first set and in none of the others.",
             .complexity = "O(n m) for n members of the first of m sets",
             .syntax = "destination:key key:key...",
             .handler = &SDiffStore}),
    Declare({.name = "SINTERCARD",
             .arity = -3,
             .flags = kReadOnly,
             .keys = {KeysCountedAt(1, kKeyRead | kKeyAccess)},
             .group = "set",
             .since = "7.0.0",
             .summary = "Counts what is in all of the sets.",
             .complexity = "O(n m) for n members of the smallest of m sets",
             .syntax = "numkeys:integer key:key... [LIMIT limit:integer]",
             .handler = &SInterCard}),
};

}  // namespace

std::span<const CommandSpec> SetCombineCommands() { return kCommands; }

}  // namespace rung

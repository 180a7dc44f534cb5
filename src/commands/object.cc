// OBJECT: the inner side of a value.

#include <algorithm>
#include <array>

#include "commands/families.h"
#include "commands/help.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

Outcome ObjectEncoding(ExecContext& ctx, ArgReader& args) {
  const Lookup found = ctx.db.Peek(args.Bytes());
  if (found) {
    ctx.reply.Bulk(found.entry()->EncodingName());
  } else {
    ctx.reply.Null();
  }
  return Outcome::kReplied;
}

// Values are not shared here; Redis shares small integers, and says so with this number.
Outcome ObjectRefCount(ExecContext& ctx, ArgReader& args) {
  constexpr std::int64_t kSharedBelow = 10000;
  const Lookup found = ctx.db.Peek(args.Bytes());
  if (!found) {
    ctx.reply.Null();
    return Outcome::kReplied;
  }
  const Entry& entry = *found.entry();
  const bool shared = entry.form() == Entry::Form::kInteger && entry.integer() >= 0 &&
                      entry.integer() < kSharedBelow;
  ctx.reply.Integer(shared ? INT32_MAX : 1);
  return Outcome::kReplied;
}

Outcome ObjectIdleTime(ExecContext& ctx, ArgReader& args) {
  const Lookup found = ctx.db.Peek(args.Bytes());
  if (!found) {
    ctx.reply.Null();
    return Outcome::kReplied;
  }
  const std::int64_t idle = ctx.now.wall_ms() / 1000 - found.entry()->access_seconds();
  ctx.reply.Integer(std::max<std::int64_t>(0, idle));
  return Outcome::kReplied;
}

Outcome ObjectFreq(ExecContext& ctx, ArgReader& args) {
  if (!ctx.db.Peek(args.Bytes())) {
    ctx.reply.Null();
    return Outcome::kReplied;
  }
  return ctx.Fail(
      "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that "
      "when switching between policies at runtime LRU and LFU data will take some time to "
      "adjust.");
}

constexpr std::string_view kTips = "nondeterministic_output";

constexpr std::array kSubcommands = {
    Declare({.name = "ENCODING",
             .arity = 3,
             .flags = kReadOnly,
             .keys = {KeyAt(2, kKeyRead)},
             .tips = kTips,
             .group = "generic",
             .since = "2.2.3",
             .summary = "Returns the name of the form that a value is kept in.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &ObjectEncoding}),
    Declare({.name = "FREQ",
             .arity = 3,
             .flags = kReadOnly,
             .keys = {KeyAt(2, kKeyRead)},
             .tips = kTips,
             .group = "generic",
             .since = "4.0.0",
             .summary = "Refused: how often a key is used is not counted.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &ObjectFreq}),
    Declare({.name = "IDLETIME",
             .arity = 3,
             .flags = kReadOnly,
             .keys = {KeyAt(2, kKeyRead)},
             .tips = kTips,
             .group = "generic",
             .since = "2.2.3",
             .summary = "Returns the seconds since a key was last used.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &ObjectIdleTime}),
    Declare({.name = "REFCOUNT",
             .arity = 3,
             .flags = kReadOnly,
             .keys = {KeyAt(2, kKeyRead)},
             .tips = kTips,
             .group = "generic",
             .since = "2.2.3",
             .summary = "Returns how many share a value: one, but for small integers.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &ObjectRefCount}),
    HelpSubcommand("generic", "6.2.0"),
};

constexpr std::array kCommands = {
    Declare({.name = "OBJECT",
             .arity = -2,
             .group = "generic",
             .since = "2.2.3",
             .summary = "Commands about the inner side of values.",
             .complexity = "That of the subcommand",
             .subcommands = kSubcommands}),
};

}  // namespace

std::span<const CommandSpec> ObjectCommands() { return kCommands; }

}  // namespace rung

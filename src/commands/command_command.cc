// COMMAND: the table of commands, told from their declarations.

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/categories.h"
#include "commands/command_replies.h"
#include "commands/families.h"
#include "commands/help.h"
#include "rung/base/glob.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/catalog.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

void ReplyAllInfo(ExecContext& ctx) {
  const auto& commands = ctx.dispatcher.catalog().commands();
  ctx.reply.Array(commands.size());
  for (const auto& command : commands) ReplyCommandInfo(ctx.reply, *command);
}

Outcome CommandAll(ExecContext& ctx, ArgReader& /*args*/) {
  ReplyAllInfo(ctx);
  return Outcome::kReplied;
}

Outcome CommandCount(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Integer(static_cast<std::int64_t>(ctx.dispatcher.catalog().commands().size()));
  return Outcome::kReplied;
}

Outcome CommandInfo(ExecContext& ctx, ArgReader& args) {
  if (!args.More()) {
    ReplyAllInfo(ctx);
    return Outcome::kReplied;
  }
  ctx.reply.Array(args.left());
  for (const std::string_view name : args.Rest()) {
    const Command* command = ctx.dispatcher.catalog().FindByFullName(name);
    if (command != nullptr) {
      ReplyCommandInfo(ctx.reply, *command);
    } else {
      ctx.reply.Null();
    }
  }
  return Outcome::kReplied;
}

Outcome CommandDocs(ExecContext& ctx, ArgReader& args) {
  const Catalog& catalog = ctx.dispatcher.catalog();
  std::vector<const Command*> wanted;
  if (!args.More()) {
    for (const auto& command : catalog.commands()) wanted.push_back(command.get());
  }
  for (const std::string_view name : args.Rest()) {
    if (const Command* command = catalog.FindByFullName(name)) wanted.push_back(command);
  }
  ctx.reply.Map(wanted.size());
  for (const Command* command : wanted) {
    ctx.reply.Bulk(command->full_name);
    ReplyCommandDocs(ctx.reply, *command);
  }
  return Outcome::kReplied;
}

enum class ListFilter : std::uint8_t { kNone, kModule, kCategory, kPattern };

bool Passes(const Command& command, ListFilter filter, std::string_view argument) {
  switch (filter) {
    case ListFilter::kNone:
      return true;
    case ListFilter::kModule:
      return false;  // There are no modules.
    case ListFilter::kCategory: {
      const std::vector<std::string_view> categories = CategoriesOf(*command.spec);
      return std::find(categories.begin(), categories.end(), argument) != categories.end();
    }
    case ListFilter::kPattern:
      return GlobMatch(argument, command.full_name, CaseMode::kIgnore);
  }
  return false;
}

Outcome CommandList(ExecContext& ctx, ArgReader& args) {
  ListFilter filter = ListFilter::kNone;
  std::string_view argument;
  if (args.More()) {
    if (args.left() != 3 || !args.Take("FILTERBY")) return ctx.Fail(errors::kSyntax);
    if (args.Take("MODULE")) {
      filter = ListFilter::kModule;
    } else if (args.Take("ACLCAT")) {
      filter = ListFilter::kCategory;
    } else if (args.Take("PATTERN")) {
      filter = ListFilter::kPattern;
    } else {
      return ctx.Fail(errors::kSyntax);
    }
    argument = args.Bytes();
  }
  std::vector<std::string_view> names;
  for (const auto& command : ctx.dispatcher.catalog().commands()) {
    if (Passes(*command, filter, argument)) names.push_back(command->full_name);
    for (const Command& sub : command->subcommands) {
      if (Passes(sub, filter, argument)) names.push_back(sub.full_name);
    }
  }
  ctx.reply.Array(names.size());
  for (const std::string_view name : names) ctx.reply.Bulk(name);
  return Outcome::kReplied;
}

// The keys of the request that follows, or the error that is the reply.
Result<std::vector<KeyPosition>> KeysOfRequest(const Catalog& catalog,
                                               std::span<const std::string_view> request) {
  const Command* command = catalog.Find(request);
  if (command == nullptr) return Error("ERR Invalid command specified");
  const auto& specs = command->spec->keys;
  const bool has_keys = std::any_of(specs.begin(), specs.end(), [](const KeySpec& spec) {
    return spec.index != 0 && (spec.flags & kKeyNotKey) == 0;
  });
  if (!has_keys) return Error("ERR The command has no key arguments");
  if (!command->AcceptsArity(request.size())) {
    return Error("ERR Invalid number of arguments specified for command");
  }
  Result<std::vector<KeyPosition>> keys = FindKeys(*command, request);
  if (keys.ok() && keys->empty() && !command->Has(kNoMandatoryKeys)) {
    return Error("ERR Invalid arguments specified for command");
  }
  return keys;
}

Outcome ReplyKeys(ExecContext& ctx, ArgReader& args, bool with_flags) {
  const std::span<const std::string_view> request = args.Rest();
  const auto keys = KeysOfRequest(ctx.dispatcher.catalog(), request);
  if (!keys.ok()) return ctx.Fail(keys.error());
  ctx.reply.Array(keys->size());
  for (const KeyPosition& key : *keys) {
    if (with_flags) ctx.reply.Array(2);
    ctx.reply.Bulk(request[key.index]);
    if (with_flags) ReplyKeyFlags(ctx.reply, key.flags);
  }
  return Outcome::kReplied;
}

Outcome CommandGetKeys(ExecContext& ctx, ArgReader& args) { return ReplyKeys(ctx, args, false); }

Outcome CommandGetKeysAndFlags(ExecContext& ctx, ArgReader& args) {
  return ReplyKeys(ctx, args, true);
}

constexpr std::uint32_t kFlags = kLoading | kStale;

constexpr std::array kSubcommands = {
    Declare({.name = "COUNT",
             .arity = 2,
             .flags = kFlags,
             .acl = "connection",
             .group = "server",
             .since = "2.8.13",
             .summary = "Returns the number of commands.",
             .complexity = "O(1)",
             .handler = &CommandCount}),
    Declare({.name = "INFO",
             .arity = -2,
             .flags = kFlags,
             .acl = "connection",
             .tips = "nondeterministic_output_order",
             .group = "server",
             .since = "2.8.13",
             .summary = "Returns arity, flags and keys of commands; of all if none is named.",
             .complexity = "O(n) for n commands",
             .syntax = "[command-name...]",
             .handler = &CommandInfo}),
    Declare({.name = "DOCS",
             .arity = -2,
             .flags = kFlags,
             .acl = "connection",
             .tips = "nondeterministic_output_order",
             .group = "server",
             .since = "7.0.0",
             .summary = "Returns the documentation of commands; of all if none is named.",
             .complexity = "O(n) for n commands",
             .syntax = "[command-name...]",
             .handler = &CommandDocs}),
    Declare({.name = "LIST",
             .arity = -2,
             .flags = kFlags,
             .acl = "connection",
             .tips = "nondeterministic_output_order",
             .group = "server",
             .since = "7.0.0",
             .summary = "Returns the names of the commands.",
             .complexity = "O(n) for n commands",
             .syntax = "[FILTERBY (MODULE module-name | ACLCAT category | PATTERN "
                       "pattern:pattern)]",
             .handler = &CommandList}),
    Declare({.name = "GETKEYS",
             .arity = -3,
             .flags = kFlags,
             .acl = "connection",
             .group = "server",
             .since = "2.8.13",
             .summary = "Returns the keys in a request.",
             .complexity = "O(n) for n arguments",
             .syntax = "command [arg...]",
             .handler = &CommandGetKeys}),
    Declare({.name = "GETKEYSANDFLAGS",
             .arity = -3,
             .flags = kFlags,
             .acl = "connection",
             .group = "server",
             .since = "7.0.0",
             .summary = "Returns the keys in a request, and what it does to each.",
             .complexity = "O(n) for n arguments",
             .syntax = "command [arg...]",
             .handler = &CommandGetKeysAndFlags}),
    HelpSubcommand("server", "5.0.0", "connection"),
};

constexpr std::array kCommands = {
    Declare({.name = "COMMAND",
             .arity = -1,
             .flags = kFlags,
             .acl = "connection",
             .tips = "nondeterministic_output_order",
             .group = "server",
             .since = "2.8.13",
             .summary = "Returns arity, flags and keys of all commands.",
             .complexity = "O(n) for n commands",
             .handler = &CommandAll,
             .subcommands = kSubcommands}),
};

}  // namespace

std::span<const CommandSpec> CommandCommands() { return kCommands; }

}  // namespace rung

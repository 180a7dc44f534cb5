// The map of COMMAND DOCS, arguments and all. See command_replies.h.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command_replies.h"
#include "commands/syntax.h"
#include "rung/base/check.h"

namespace rung {
namespace {

// Which key specification a key argument belongs to: the first argument to the first one, and so
// on; all that are left to the last.
class KeyNumbers {
 public:
  explicit KeyNumbers(const CommandSpec& spec) {
    for (const KeySpec& keys : spec.keys) specs_ += keys.index != 0 ? 1 : 0;
  }
  bool any() const { return specs_ > 0; }
  std::int64_t Next() { return std::min(next_++, specs_ - 1); }

 private:
  std::int64_t specs_ = 0;
  std::int64_t next_ = 0;
};

void ReplyArgumentFlags(ReplyWriter& reply, const SyntaxArgument& argument) {
  std::vector<std::string_view> flags;
  if (argument.optional) flags.push_back("optional");
  if (argument.multiple) flags.push_back("multiple");
  if (argument.multiple_token) flags.push_back("multiple_token");
  if (flags.empty()) return;
  reply.Bulk("flags");
  reply.Set(flags.size());
  for (const std::string_view flag : flags) reply.Status(flag);
}

void ReplyArguments(ReplyWriter& reply, const std::vector<SyntaxArgument>& arguments,
                    KeyNumbers& keys) {
  reply.Array(arguments.size());
  for (const SyntaxArgument& argument : arguments) {
    const bool is_group = !argument.children.empty();
    const bool is_key = argument.type == ArgumentType::kKey && keys.any();
    const bool has_flags = argument.optional || argument.multiple;
    const bool has_token = !argument.token.empty();
    // Name and type, then a display text or the arguments within.
    const std::size_t optional_fields =
        (is_key ? 1u : 0u) + (has_token ? 1u : 0u) + (has_flags ? 1u : 0u);
    reply.Map(3 + optional_fields);
    reply.Bulk("name");
    reply.Bulk(argument.name);
    reply.Bulk("type");
    reply.Bulk(ArgumentTypeName(argument.type));
    if (!is_group) {
      reply.Bulk("display_text");
      reply.Bulk(argument.name);
    }
    if (is_key) {
      reply.Bulk("key_spec_index");
      reply.Integer(keys.Next());
    }
    if (has_token) {
      reply.Bulk("token");
      reply.Bulk(argument.token);
    }
    ReplyArgumentFlags(reply, argument);
    if (is_group) {
      reply.Bulk("arguments");
      ReplyArguments(reply, argument.children, keys);
    }
  }
}

}  // namespace

void ReplyCommandDocs(ReplyWriter& reply, const Command& command) {
  const CommandSpec& spec = *command.spec;
  const auto arguments = ParseSyntax(spec.syntax);
  RUNG_CHECK(arguments.ok(), "a command's syntax line is malformed");
  const std::array<std::pair<std::string_view, std::string_view>, 4> texts = {{
      {"summary", spec.summary},
      {"since", spec.since},
      {"group", spec.group},
      {"complexity", spec.complexity},
  }};
  std::size_t fields = 0;
  for (const auto& [name, text] : texts) fields += text.empty() ? 0 : 1;
  fields += arguments->empty() ? 0 : 1;
  fields += command.subcommands.empty() ? 0 : 1;
  reply.Map(fields);
  for (const auto& [name, text] : texts) {
    if (text.empty()) continue;
    reply.Bulk(name);
    reply.Bulk(text);
  }
  if (!arguments->empty()) {
    KeyNumbers keys(spec);
    reply.Bulk("arguments");
    ReplyArguments(reply, *arguments, keys);
  }
  if (!command.subcommands.empty()) {
    reply.Bulk("subcommands");
    reply.Map(command.subcommands.size());
    for (const Command& sub : command.subcommands) {
      reply.Bulk(sub.full_name);
      ReplyCommandDocs(reply, sub);
    }
  }
}

}  // namespace rung

// Printing the command reference. See reference.h.

#include "rung/commands/reference.h"

#include <map>
#include <string_view>

#include "commands/categories.h"
#include "commands/syntax.h"
#include "rung/base/check.h"
#include "rung/base/numbers.h"

namespace rung {
namespace {

// Group to command name to its text, both in order of their names.
using Sections = std::map<std::string_view, std::map<std::string, std::string>>;

std::string Describe(const CommandSpec& spec, const std::string& name) {
  const auto syntax = ParseSyntax(spec.syntax);
  RUNG_CHECK(syntax.ok(), "a declared syntax does not parse");
  std::string text = "- `" + name;
  const std::string usage = UsageLine(*syntax);
  if (!usage.empty()) text += ' ' + usage;
  text += "`<br>\n  ";
  text += spec.summary;
  text += ' ';
  text += spec.complexity;
  if (!spec.complexity.empty() && spec.complexity.back() != '.') text += '.';
  text += " Since ";
  text += spec.since;
  text += ".";
  for (const std::string_view category : CategoriesOf(spec)) {
    text += " @";
    text += category;
  }
  return text + '\n';
}

void Add(const Command& command, const std::string& prefix, Sections& sections) {
  const std::string name = prefix + std::string(command.spec->name);
  if (command.spec->handler) {
    sections[command.spec->group].emplace(name, Describe(*command.spec, name));
  }
  for (const Command& sub : command.subcommands) Add(sub, name + ' ', sections);
}

}  // namespace

std::string CommandReference(const Catalog& catalog) {
  Sections sections;
  for (const auto& command : catalog.commands()) Add(*command, "", sections);
  std::string text =
      "# Commands\n\nPrinted from the declarations by `./dev docs`. \"Since\" is the version of "
      "Redis whose command it is.\n";
  for (const auto& [group, commands] : sections) {
    text += "\n## " + std::string(group) + "\n\n";
    for (const auto& [name, description] : commands) text += description;
  }
  return text;
}

}  // namespace rung

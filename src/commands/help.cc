// HELP from declarations. See help.h.

#include "commands/help.h"

#include <string>
#include <vector>

#include "commands/syntax.h"
#include "rung/base/numbers.h"
#include "rung/commands/catalog.h"

namespace rung {

Outcome ContainerHelp(ExecContext& ctx, ArgReader& /*args*/) {
  const Command& container = *ctx.command.parent;
  std::vector<std::string> lines;
  lines.push_back(ToUpper(container.full_name) +
                  " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
  for (const Command& sub : container.subcommands) {
    std::string line(sub.spec->name);
    const auto arguments = ParseSyntax(sub.spec->syntax);
    if (arguments.ok() && !arguments->empty()) line += " " + UsageLine(*arguments);
    lines.push_back(std::move(line));
    lines.push_back("    " + std::string(sub.spec->summary));
  }
  ctx.reply.Array(lines.size());
  for (const std::string& line : lines) ctx.reply.Status(line);
  return Outcome::kReplied;
}

}  // namespace rung

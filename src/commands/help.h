// HELP of the commands that have subcommands, printed from their declarations.
#pragma once

#include <string_view>

#include "rung/commands/context.h"

namespace rung {

// Lists the subcommands of the container, each with its arguments and its summary.
Outcome ContainerHelp(ExecContext& ctx, ArgReader& args);

consteval CommandSpec HelpSubcommand(std::string_view group, std::string_view since,
                                     std::string_view acl = {}) {
  return Declare({.name = "HELP",
                  .arity = 2,
                  .flags = kLoading | kStale,
                  .acl = acl,
                  .group = group,
                  .since = since,
                  .summary = "Lists the subcommands.",
                  .complexity = "O(1)",
                  .handler = &ContainerHelp});
}

}  // namespace rung

// The command reference (docs/commands.md), printed from the declarations.
#pragma once

#include <string>

#include "rung/commands/catalog.h"

namespace rung {

// Markdown: a section for each group, in it each command and subcommand by name, with arguments,
// summary, cost, the version that brought it, and its ACL categories.
std::string CommandReference(const Catalog& catalog);

}  // namespace rung

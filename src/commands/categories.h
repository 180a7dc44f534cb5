// The ACL categories of a command: some follow from its flags and group, the rest is declared.
#pragma once

#include <string_view>
#include <vector>

#include "rung/commands/catalog.h"

namespace rung {

// Without the '@', in the order in which COMMAND INFO lists them.
std::vector<std::string_view> CategoriesOf(const CommandSpec& spec);

}  // namespace rung

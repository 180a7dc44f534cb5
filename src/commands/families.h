// The list of command families: one function per file that declares commands. An explicit list and
// not self-registering objects: a linker drops what nobody names, and a reader sees all of it here.
#pragma once

#include <span>

#include "rung/commands/command.h"

namespace rung {

std::span<const CommandSpec> ConnectionCommands();    // connection.cc
std::span<const CommandSpec> TransactionCommands();   // transaction.cc
std::span<const CommandSpec> StringSetCommands();     // string_set.cc
std::span<const CommandSpec> StringChangeCommands();  // string_change.cc

}  // namespace rung

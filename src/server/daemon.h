// Daemon: the composition root. Configuration, clock, engine, sockets, in this order; and back.
#pragma once

#include <span>
#include <string_view>

namespace rung {

// Runs rungd with these arguments (without the program's name) until it is told to stop. Returns
// the exit code; what went wrong at the start is one line on standard error.
int RunDaemon(std::span<const std::string_view> arguments);

}  // namespace rung

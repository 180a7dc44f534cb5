// What DEBUG shares with CONFIG.
#pragma once

#include <optional>

#include "rung/commands/context.h"

namespace rung {

// Brings the configuration file up to date. Errors are the reason alone, without a code word.
std::optional<Error> RewriteConfigFile(ExecContext& ctx, Config::RewriteScope scope);

}  // namespace rung

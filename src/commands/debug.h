// The subcommands of DEBUG, by file; debug.cc has the table.
#pragma once

#include "rung/commands/context.h"

namespace rung {

// debug_data.cc
Outcome DebugDigest(ExecContext& ctx, ArgReader& args);
Outcome DebugDigestValue(ExecContext& ctx, ArgReader& args);
Outcome DebugObject(ExecContext& ctx, ArgReader& args);
Outcome DebugPopulate(ExecContext& ctx, ArgReader& args);

// debug_protocol.cc
Outcome DebugProtocol(ExecContext& ctx, ArgReader& args);

}  // namespace rung

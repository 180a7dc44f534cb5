// SCRIPT KILL and FUNCTION KILL.
#pragma once

#include "rung/commands/context.h"
#include "rung/commands/scripting.h"

namespace rung {

// Ends the script that is running. `kind`: kFunction for FUNCTION KILL, kText for SCRIPT KILL.
Outcome KillScript(ExecContext& ctx, ScriptKind kind);

}  // namespace rung

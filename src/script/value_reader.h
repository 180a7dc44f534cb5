// From Lua values to replies: what a script returns, as its client reads it.
#pragma once

#include <lua.hpp>

#include "rung/commands/context.h"

namespace rung {

// Writes the value on top of the stack as a reply, and pops it. `resp3`: what the script has chosen
// by redis.setresp, which decides what true and false are. kFailed if the value is an error.
// Requires that memory requests are granted.
Outcome WriteValue(lua_State* lua, const ExecContext& ctx, bool resp3);

}  // namespace rung

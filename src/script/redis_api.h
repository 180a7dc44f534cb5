// The table `redis` that scripts see.
#pragma once

#include <lua.hpp>

namespace rung {

// Pushes a new table with everything that a running script or function may use.
void PushRedisApi(lua_State* lua);
// Adds what only EVAL scripts have, to the table on top of the stack.
void AddEvalApi(lua_State* lua);
// Pushes a new table for the text of a library: redis.register_function, log and the version.
void PushLibraryApi(lua_State* lua);

}  // namespace rung

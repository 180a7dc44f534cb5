// redis.call and redis.pcall: from the Lua stack to a command, and its reply back onto the stack.
#pragma once

#include <lua.hpp>

namespace rung {

// lua_CFunctions.
int RedisCall(lua_State* lua);    // An error is raised.
int RedisPcall(lua_State* lua);   // An error is a value.
int AclCheckCmd(lua_State* lua);  // Whether the user may run this.

}  // namespace rung

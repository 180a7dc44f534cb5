// The modules that scripts find beside Lua's own: cjson, cmsgpack, struct and bit.
//
// Each opener is a lua_CFunction: it leaves the module's table on the stack and returns 1. It may
// raise Lua errors (out of memory), and sets no globals: what a script sees is the sandbox's
// affair.
#pragma once

struct lua_State;

namespace rung {

int OpenBit(lua_State* lua);
int OpenCjson(lua_State* lua);
int OpenCmsgpack(lua_State* lua);
int OpenStruct(lua_State* lua);

}  // namespace rung

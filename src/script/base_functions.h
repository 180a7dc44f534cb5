// Lua's basic functions as scripts have them, where they differ from Lua's own.
#pragma once

#include <lua.hpp>

namespace rung {

// Into the globals on top of the stack: pcall load loadstring collectgarbage gcinfo unpack.
void SetBaseFunctions(lua_State* lua);
// Into the library's table on top of the stack: math.random and math.randomseed.
void SetRandomFunctions(lua_State* lua);
// The same: what a hostile pattern or count must not reach.
void GuardStringLibrary(lua_State* lua);
// Pushes a new table: os, of which there is only clock.
void PushOsLibrary(lua_State* lua);

}  // namespace rung

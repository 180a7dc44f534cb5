// Tables that scripts can read and not change: the globals, redis, string, cjson ...
//
// Lua 5.1 knows no read-only tables. So the script is given an empty table in front: reads go on to
// the real one through __index, writes meet __newindex, which refuses. What would go past the
// metatable (rawset, next, getmetatable, table.insert ...) is replaced by functions that know such
// fronts. The real table must never be handed out.
#pragma once

#include <lua.hpp>

namespace rung {

// Replaces the table on top of the stack by its read-only front.
void ProtectTable(lua_State* lua);

// In place of Lua's own: getmetatable setmetatable rawget rawset next pairs, into the table on top
// of the stack.
void SetProtectingFunctions(lua_State* lua);

// The functions of the table library that write, into the library's table on top of the stack.
void GuardTableLibrary(lua_State* lua);

// Marks the metatable on top of the stack as one that scripts must not get.
void HideMetatable(lua_State* lua);

}  // namespace rung

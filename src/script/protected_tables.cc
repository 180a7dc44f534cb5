// Fronts, and the functions that respect them. See protected_tables.h.

#include "script/protected_tables.h"

#include <array>

namespace rung {
namespace {

// Its address is the key under which a front's metatable holds the real table; nothing that a
// script has equals it.
const char kRealKey = 0;

void* RealKey() { return const_cast<char*>(&kRealKey); }

int RefuseChange(lua_State* lua) { return luaL_error(lua, "Attempt to modify a readonly table"); }

// If the value at `index` is a front, pushes its real table. A metatable that is hidden without
// being a front's counts too, and pushes true.
bool PushReal(lua_State* lua, int index) {
  if (!lua_getmetatable(lua, index)) return false;
  lua_pushlightuserdata(lua, RealKey());
  lua_rawget(lua, -2);
  lua_remove(lua, -2);
  if (!lua_isnil(lua, -1)) return true;
  lua_pop(lua, 1);
  return false;
}

void RefuseIfProtected(lua_State* lua, int index) {
  if (!lua_istable(lua, index) || !PushReal(lua, index)) return;
  // Without a place in the script, as an error of Lua itself inside a function of C.
  lua_pushliteral(lua, "Attempt to modify a readonly table");
  lua_error(lua);
}

int GetMetatable(lua_State* lua) {
  luaL_checkany(lua, 1);
  if (PushReal(lua, 1)) {
    // Something to look at, and nothing to change.
    lua_settop(lua, 0);
    lua_newtable(lua);
    ProtectTable(lua);
    return 1;
  }
  if (luaL_getmetafield(lua, 1, "__metatable") != 0) return 1;
  if (lua_getmetatable(lua, 1) == 0) lua_pushnil(lua);
  return 1;
}

int SetMetatable(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  const int type = lua_type(lua, 2);
  luaL_argcheck(lua, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table expected");
  RefuseIfProtected(lua, 1);
  if (luaL_getmetafield(lua, 1, "__metatable") != 0) {
    return luaL_error(lua, "cannot change a protected metatable");
  }
  lua_settop(lua, 2);
  lua_setmetatable(lua, 1);
  return 1;
}

int RawGet(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  luaL_checkany(lua, 2);
  lua_settop(lua, 2);
  if (PushReal(lua, 1)) lua_replace(lua, 1);
  lua_rawget(lua, 1);
  return 1;
}

int RawSet(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  luaL_checkany(lua, 2);
  luaL_checkany(lua, 3);
  lua_settop(lua, 3);
  RefuseIfProtected(lua, 1);
  lua_rawset(lua, 1);
  return 1;
}

int Next(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  lua_settop(lua, 2);
  if (PushReal(lua, 1)) lua_replace(lua, 1);
  if (lua_next(lua, 1) != 0) return 2;
  lua_pushnil(lua);
  return 1;
}

int Pairs(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  lua_pushvalue(lua, lua_upvalueindex(1));  // Our own next.
  lua_pushvalue(lua, 1);
  lua_pushnil(lua);
  return 3;
}

// The guarded function runs in this call's frame, so that its errors name it as ever.
int GuardedCall(lua_State* lua) {
  RefuseIfProtected(lua, 1);
  const lua_CFunction function = lua_tocfunction(lua, lua_upvalueindex(1));
  return function(lua);
}

}  // namespace

void HideMetatable(lua_State* lua) {
  lua_pushlightuserdata(lua, RealKey());
  lua_pushboolean(lua, 1);
  lua_rawset(lua, -3);
}

void ProtectTable(lua_State* lua) {
  lua_newtable(lua);           // real front
  lua_createtable(lua, 0, 3);  // real front metatable
  lua_pushvalue(lua, -3);
  lua_setfield(lua, -2, "__index");
  lua_pushcfunction(lua, &RefuseChange);
  lua_setfield(lua, -2, "__newindex");
  lua_pushlightuserdata(lua, RealKey());
  lua_pushvalue(lua, -4);
  lua_rawset(lua, -3);
  lua_setmetatable(lua, -2);
  lua_remove(lua, -2);
}

void SetProtectingFunctions(lua_State* lua) {
  constexpr std::array<luaL_Reg, 5> kFunctions = {{{"getmetatable", &GetMetatable},
                                                   {"setmetatable", &SetMetatable},
                                                   {"rawget", &RawGet},
                                                   {"rawset", &RawSet},
                                                   {"next", &Next}}};
  for (const luaL_Reg& function : kFunctions) {
    lua_pushcfunction(lua, function.func);
    lua_setfield(lua, -2, function.name);
  }
  lua_getfield(lua, -1, "next");
  lua_pushcclosure(lua, &Pairs, 1);
  lua_setfield(lua, -2, "pairs");
}

void GuardTableLibrary(lua_State* lua) {
  for (const char* const name : {"insert", "remove", "sort"}) {
    lua_getfield(lua, -1, name);
    lua_pushcclosure(lua, &GuardedCall, 1);
    lua_setfield(lua, -2, name);
  }
}

}  // namespace rung

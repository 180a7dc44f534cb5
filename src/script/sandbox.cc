// The list of what scripts may see. See sandbox.h.
//
// Lua's own libraries are opened into a table that is thrown away; what scripts may have is picked
// from it by name, so that a library of another build can bring nothing along. Not there, as
// nothing good comes of it: print, dofile, loadfile, require, newproxy, debug, io, most of os.

#include "script/sandbox.h"

#include <array>

#include "script/base_functions.h"
#include "script/libraries.h"
#include "script/protected_tables.h"
#include "script/redis_api.h"

namespace rung {
namespace {

constexpr std::array kBasics = {"assert",   "error",  "getfenv", "ipairs",
                                "rawequal", "select", "setfenv", "tonumber",
                                "tostring", "type",   "xpcall",  "_VERSION"};

struct Library {
  const char* name;
  lua_CFunction open;
  void (*refine)(lua_State* lua);
};

constexpr std::array kLibraries = {Library{"string", &luaopen_string, &GuardStringLibrary},
                                   Library{"table", &luaopen_table, &GuardTableLibrary},
                                   Library{"math", &luaopen_math, &SetRandomFunctions},
                                   Library{"cjson", &OpenCjson, nullptr},
                                   Library{"cmsgpack", &OpenCmsgpack, nullptr},
                                   Library{"struct", &OpenStruct, nullptr},
                                   Library{"bit", &OpenBit, nullptr}};

int NoSuchGlobal(lua_State* lua) {
  if (lua_isstring(lua, 2) == 0)
    return luaL_error(lua, "Script attempted to access nonexistent global variable");
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    lua_tostring(lua, 2));
}

// The table on top of the stack raises an error for what is not in it.
void RaiseWhereMissing(lua_State* lua) {
  lua_createtable(lua, 0, 1);
  lua_pushcfunction(lua, &NoSuchGlobal);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
}

// Moves the table on top of the stack, read-only from now on, into the one at `target`.
void SetProtected(lua_State* lua, int target, const char* name) {
  ProtectTable(lua);
  lua_setfield(lua, target, name);
}

void OpenLibrary(lua_State* lua, int target, const Library& library) {
  lua_pushcfunction(lua, library.open);
  lua_pushstring(lua, library.name);
  lua_call(lua, 1, 1);
  if (library.refine != nullptr) library.refine(lua);
  SetProtected(lua, target, library.name);
}

// Lua's basic library leaves its functions among the globals, and coroutine beside them.
void PickBasics(lua_State* lua, int target) {
  lua_pushcfunction(lua, &luaopen_base);
  lua_pushliteral(lua, "");
  lua_call(lua, 1, 0);
  for (const char* const name : kBasics) {
    lua_getfield(lua, LUA_GLOBALSINDEX, name);
    lua_setfield(lua, target, name);
  }
  lua_getfield(lua, LUA_GLOBALSINDEX, "coroutine");
  SetProtected(lua, target, "coroutine");
}

// ("x"):rep(3) looks into the same read-only table that `string` names.
void ProtectStrings(lua_State* lua, int globals) {
  lua_pushliteral(lua, "");
  lua_getmetatable(lua, -1);
  lua_getfield(lua, globals, "string");
  lua_setfield(lua, -2, "__index");
  HideMetatable(lua);
  lua_pop(lua, 2);
}

void FillGlobals(lua_State* lua, int globals, SandboxKind kind) {
  PickBasics(lua, globals);
  lua_pushvalue(lua, globals);
  SetBaseFunctions(lua);
  SetProtectingFunctions(lua);
  lua_pop(lua, 1);
  for (const Library& library : kLibraries) OpenLibrary(lua, globals, library);
  ProtectStrings(lua, globals);
  PushOsLibrary(lua);
  SetProtected(lua, globals, "os");
  PushRedisApi(lua);
  if (kind == SandboxKind::kEval) AddEvalApi(lua);
  SetProtected(lua, globals, "redis");
}

int PushLibraryGlobals(lua_State* lua) {
  lua_newtable(lua);
  PushLibraryApi(lua);
  RaiseWhereMissing(lua);
  SetProtected(lua, lua_gettop(lua) - 1, "redis");
  RaiseWhereMissing(lua);
  return luaL_ref(lua, LUA_REGISTRYINDEX);
}

}  // namespace

Sandbox OpenSandbox(lua_State* lua, SandboxKind kind) {
  Sandbox sandbox;
  lua_newtable(lua);
  const int globals = lua_gettop(lua);
  FillGlobals(lua, globals, kind);
  RaiseWhereMissing(lua);
  lua_pushvalue(lua, globals);
  sandbox.real_globals = luaL_ref(lua, LUA_REGISTRYINDEX);
  lua_pushvalue(lua, globals);
  ProtectTable(lua);
  lua_pushvalue(lua, -1);
  lua_setfield(lua, globals, "_G");
  lua_getmetatable(lua, -1);
  sandbox.metatable = luaL_ref(lua, LUA_REGISTRYINDEX);
  lua_pushvalue(lua, -1);
  lua_replace(lua, LUA_GLOBALSINDEX);
  sandbox.globals = luaL_ref(lua, LUA_REGISTRYINDEX);
  lua_settop(lua, 0);
  if (kind == SandboxKind::kFunctions) sandbox.library_globals = PushLibraryGlobals(lua);
  return sandbox;
}

}  // namespace rung

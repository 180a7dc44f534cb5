// pcall, load, unpack, math.random ... See base_functions.h.

#include "script/base_functions.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>

#include "script/errors.h"
#include "script/machine.h"

namespace rung {
namespace {

void SetFunctions(lua_State* lua, std::span<const luaL_Reg> functions) {
  for (const luaL_Reg& function : functions) {
    lua_pushcfunction(lua, function.func);
    lua_setfield(lua, -2, function.name);
  }
}

// What redis.call raises is a table; pcall gives its text, as it did when errors were texts.
int Pcall(lua_State* lua) {
  luaL_checkany(lua, 1);
  const int arguments = lua_gettop(lua) - 1;
  const int status = lua_pcall(lua, arguments, LUA_MULTRET, 0);
  if (status == 0) {
    lua_pushboolean(lua, 1);
    lua_insert(lua, 1);
    return lua_gettop(lua);
  }
  const RunState* const run = Machine::Of(lua).run();
  if (run != nullptr && run->killed) return lua_error(lua);
  if (lua_istable(lua, -1)) {
    lua_getfield(lua, -1, "err");
    if (lua_isstring(lua, -1) != 0) {
      lua_replace(lua, -2);
    } else {
      lua_pop(lua, 1);
    }
  }
  lua_pushboolean(lua, 0);
  lua_insert(lua, -2);
  return 2;
}

// Bytecode is not checked by Lua and can do anything: texts only.
int LoadText(lua_State* lua, const char* text, std::size_t size, const char* name) {
  if (size > 0 && *text == LUA_SIGNATURE[0]) {
    lua_pushnil(lua);
    lua_pushliteral(lua, "attempt to load a binary chunk");
    return 2;
  }
  if (luaL_loadbuffer(lua, text, size, name) == 0) return 1;
  lua_pushnil(lua);
  lua_insert(lua, -2);
  return 2;
}

int LoadString(lua_State* lua) {
  std::size_t size = 0;
  const char* const text = luaL_checklstring(lua, 1, &size);
  return LoadText(lua, text, size, luaL_optstring(lua, 2, text));
}

// The pieces are gathered first: no Lua code must run in the middle of the parser.
int Load(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TFUNCTION);
  const char* const name = luaL_optstring(lua, 2, "=(load)");
  lua_settop(lua, 2);
  lua_pushliteral(lua, "");
  while (true) {
    lua_pushvalue(lua, 1);
    lua_call(lua, 0, 1);
    if (lua_isnil(lua, -1)) break;
    if (lua_isstring(lua, -1) == 0) return luaL_error(lua, "reader function must return a string");
    if (lua_objlen(lua, -1) == 0) break;
    lua_concat(lua, 2);
  }
  lua_pop(lua, 1);
  std::size_t size = 0;
  const char* const text = lua_tolstring(lua, 3, &size);
  return LoadText(lua, text, size, name);
}

// The collector's pace is the machine's affair; a script may ask, and may have it run.
int CollectGarbage(lua_State* lua) {
  constexpr std::array<const char*, 8> kWords = {"collect", "count",    "step",       "stop",
                                                 "restart", "setpause", "setstepmul", nullptr};
  const int word = luaL_checkoption(lua, 1, "collect", kWords.data());
  constexpr double kKilo = 1024;
  switch (word) {
    case 0:
      lua_pushnumber(lua, lua_gc(lua, LUA_GCCOLLECT, 0));
      return 1;
    case 1:
      lua_pushnumber(lua, lua_gc(lua, LUA_GCCOUNT, 0) + lua_gc(lua, LUA_GCCOUNTB, 0) / kKilo);
      return 1;
    case 2:
      lua_pushboolean(lua, lua_gc(lua, LUA_GCSTEP, luaL_optint(lua, 2, 0)));
      return 1;
    default:
      lua_pushnumber(lua, 0);
      return 1;
  }
}

int GcInfo(lua_State* lua) {
  lua_pushinteger(lua, lua_gc(lua, LUA_GCCOUNT, 0));
  return 1;
}

// Lua's own counts in int, and a count that overflows passes its check.
int Unpack(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  const std::int64_t first = luaL_optint(lua, 2, 1);
  const std::int64_t last = lua_isnoneornil(lua, 3) ? static_cast<std::int64_t>(lua_objlen(lua, 1))
                                                    : luaL_checkint(lua, 3);
  if (first > last) return 0;
  const std::int64_t count = last - first + 1;
  constexpr std::int64_t kMost = 8000;  // What one function's stack holds.
  if (count > kMost || lua_checkstack(lua, static_cast<int>(count)) == 0) {
    return luaL_error(lua, "too many results to unpack");
  }
  for (std::int64_t i = first; i <= last; ++i) lua_rawgeti(lua, 1, static_cast<int>(i));
  return static_cast<int>(count);
}

int Random(lua_State* lua) {
  const double unit = Machine::Of(lua).rng().Unit();
  switch (lua_gettop(lua)) {
    case 0:
      lua_pushnumber(lua, unit);
      return 1;
    case 1: {
      const double upper = luaL_checkint(lua, 1);
      luaL_argcheck(lua, upper >= 1, 1, "interval is empty");
      lua_pushnumber(lua, std::floor(unit * upper) + 1);
      return 1;
    }
    case 2: {
      const double lower = luaL_checkint(lua, 1);
      const double upper = luaL_checkint(lua, 2);
      luaL_argcheck(lua, lower <= upper, 2, "interval is empty");
      lua_pushnumber(lua, std::floor(unit * (upper - lower + 1)) + lower);
      return 1;
    }
    default:
      return luaL_error(lua, "wrong number of arguments");
  }
}

int RandomSeed(lua_State* lua) {
  Machine::Of(lua).rng() = Rng(static_cast<std::uint64_t>(luaL_checkint(lua, 1)));
  return 0;
}

// The time that a script can measure itself by; what redis.call sees stands still meanwhile.
int OsClock(lua_State* lua) {
  const MonoTime now = Machine::Of(lua).broker().clock.ReadMono();
  lua_pushnumber(lua, std::chrono::duration<double>(now.time_since_epoch()).count());
  return 1;
}

int CallGuarded(lua_State* lua) {
  const lua_CFunction function = lua_tocfunction(lua, lua_upvalueindex(1));
  return function(lua);
}

// The matcher calls itself once for each item of a pattern, with no limit of its own.
int GuardedMatch(lua_State* lua) {
  constexpr std::size_t kPatternBytesMax = 20000;
  if (lua_isstring(lua, 2) != 0 && lua_objlen(lua, 2) > kPatternBytesMax) {
    return luaL_error(lua, "pattern too complex");
  }
  return CallGuarded(lua);
}

// A plain text is no pattern.
int GuardedFind(lua_State* lua) {
  return lua_toboolean(lua, 4) != 0 ? CallGuarded(lua) : GuardedMatch(lua);
}

// Nothing, any number of times over, is nothing: at once.
int GuardedRepeat(lua_State* lua) {
  if (lua_isstring(lua, 1) != 0 && lua_objlen(lua, 1) == 0 && lua_isnumber(lua, 2) != 0) {
    lua_pushliteral(lua, "");
    return 1;
  }
  return CallGuarded(lua);
}

void Guard(lua_State* lua, const char* name, lua_CFunction guard) {
  lua_getfield(lua, -1, name);
  lua_pushcclosure(lua, guard, 1);
  lua_setfield(lua, -2, name);
}

}  // namespace

void SetBaseFunctions(lua_State* lua) {
  constexpr std::array<luaL_Reg, 6> kFunctions = {{{"pcall", &Pcall},
                                                   {"load", &Load},
                                                   {"loadstring", &LoadString},
                                                   {"collectgarbage", &CollectGarbage},
                                                   {"gcinfo", &GcInfo},
                                                   {"unpack", &Unpack}}};
  SetFunctions(lua, kFunctions);
}

void SetRandomFunctions(lua_State* lua) {
  constexpr std::array<luaL_Reg, 2> kFunctions = {
      {{"random", &Random}, {"randomseed", &RandomSeed}}};
  SetFunctions(lua, kFunctions);
}

void GuardStringLibrary(lua_State* lua) {
  for (const char* const name : {"match", "gmatch", "gsub"}) Guard(lua, name, &GuardedMatch);
  Guard(lua, "find", &GuardedFind);
  Guard(lua, "rep", &GuardedRepeat);
}

void PushOsLibrary(lua_State* lua) {
  lua_newtable(lua);
  lua_pushcfunction(lua, &OsClock);
  lua_setfield(lua, -2, "clock");
}

}  // namespace rung

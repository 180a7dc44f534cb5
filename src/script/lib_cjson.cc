// The module cjson: its functions and its settings. See cjson.h.

#include <climits>
#include <cstddef>
#include <lua.hpp>
#include <new>
#include <type_traits>

#include "script/cjson.h"
#include "script/libraries.h"

namespace rung {
namespace {

constexpr int kSignificantDigitsMax = 14;

// Missing arguments read as nil: such a call asks for the setting and changes nothing.
CjsonSettings& SettingsFor(lua_State* state, int arguments) {
  luaL_argcheck(state, lua_gettop(state) <= arguments, arguments + 1, "found too many arguments");
  lua_settop(state, arguments);
  return CjsonSettings::Of(state);
}

void Exchange(lua_State* state, int argument, int& setting, int min, int max = INT_MAX) {
  if (!lua_isnil(state, argument)) {
    const lua_Integer value = luaL_checkinteger(state, argument);
    if (value < min || value > max) {
      const char* text = lua_pushfstring(state, "expected integer between %d and %d", min, max);
      luaL_argerror(state, 1, text);
    }
    setting = static_cast<int>(value);
  }
  lua_pushinteger(state, setting);
}

// A setting that is off or on, or (`with_null`) "null".
void ExchangeSwitch(lua_State* state, int& setting, bool with_null) {
  static constexpr const char* kSwitch[] = {"off", "on", nullptr};
  static constexpr const char* kSwitchOrNull[] = {"off", "on", "null", nullptr};
  if (lua_isboolean(state, 1)) {
    setting = lua_toboolean(state, 1);
  } else if (!lua_isnil(state, 1)) {
    setting = luaL_checkoption(state, 1, nullptr, with_null ? kSwitchOrNull : kSwitch);
  }
  if (setting == CjsonSettings::kAsNull) {
    lua_pushliteral(state, "null");
  } else {
    lua_pushboolean(state, setting);
  }
}

int SetEncodeSparseArray(lua_State* state) {
  CjsonSettings& settings = SettingsFor(state, 3);
  ExchangeSwitch(state, settings.sparse_as_object, false);
  Exchange(state, 2, settings.sparse_ratio, 0);
  Exchange(state, 3, settings.sparse_safe, 0);
  return 3;
}

int SetEncodeMaxDepth(lua_State* state) {
  Exchange(state, 1, SettingsFor(state, 1).encode_depth_max, 1);
  return 1;
}

int SetDecodeMaxDepth(lua_State* state) {
  Exchange(state, 1, SettingsFor(state, 1).decode_depth_max, 1);
  return 1;
}

int SetEncodeNumberPrecision(lua_State* state) {
  Exchange(state, 1, SettingsFor(state, 1).significant_digits, 1, kSignificantDigitsMax);
  return 1;
}

int SetEncodeKeepBuffer(lua_State* state) {
  ExchangeSwitch(state, SettingsFor(state, 1).keep_buffer, false);
  return 1;
}

int SetEncodeInvalidNumbers(lua_State* state) {
  ExchangeSwitch(state, SettingsFor(state, 1).encode_invalid_numbers, true);
  return 1;
}

int SetDecodeInvalidNumbers(lua_State* state) {
  ExchangeSwitch(state, SettingsFor(state, 1).decode_invalid_numbers, false);
  return 1;
}

// new(): a module with settings of its own.
int New(lua_State* state) { return OpenCjson(state); }

constexpr luaL_Reg kFunctions[] = {{"encode", CjsonEncode},
                                   {"decode", CjsonDecode},
                                   {"encode_sparse_array", SetEncodeSparseArray},
                                   {"encode_max_depth", SetEncodeMaxDepth},
                                   {"decode_max_depth", SetDecodeMaxDepth},
                                   {"encode_number_precision", SetEncodeNumberPrecision},
                                   {"encode_keep_buffer", SetEncodeKeepBuffer},
                                   {"encode_invalid_numbers", SetEncodeInvalidNumbers},
                                   {"decode_invalid_numbers", SetDecodeInvalidNumbers},
                                   {"new", New}};

}  // namespace

int OpenCjson(lua_State* state) {
  static_assert(std::is_trivially_destructible_v<CjsonSettings>);
  lua_createtable(state, 0, 13);
  new (lua_newuserdata(state, sizeof(CjsonSettings))) CjsonSettings();
  for (const luaL_Reg& function : kFunctions) {
    lua_pushvalue(state, -1);
    lua_pushcclosure(state, function.func, 1);
    lua_setfield(state, -3, function.name);
  }
  lua_pop(state, 1);
  lua_pushlightuserdata(state, nullptr);
  lua_setfield(state, -2, "null");
  lua_pushliteral(state, "cjson");
  lua_setfield(state, -2, "_NAME");
  lua_pushliteral(state, "2.1.0");
  lua_setfield(state, -2, "_VERSION");
  return 1;
}

}  // namespace rung

// Making and reading error tables. See errors.h.

#include "script/errors.h"

namespace rung {
namespace {

std::string StringField(lua_State* lua, const char* name) {
  std::string text;
  lua_getfield(lua, -1, name);
  if (lua_isstring(lua, -1) != 0) {
    std::size_t size = 0;
    const char* const bytes = lua_tolstring(lua, -1, &size);
    text.assign(bytes, size);
  }
  lua_pop(lua, 1);
  return text;
}

}  // namespace

void PushError(lua_State* lua, std::string_view message) {
  lua_createtable(lua, 0, 4);
  if (message.starts_with('-')) {
    const bool has_code = message.find(' ') != std::string_view::npos;
    if (!has_code) lua_pushliteral(lua, "ERR ");
    lua_pushlstring(lua, message.data() + 1, message.size() - 1);
    if (!has_code) lua_concat(lua, 2);
  } else {
    lua_pushliteral(lua, "ERR ");
    lua_pushlstring(lua, message.data(), message.size());
    lua_concat(lua, 2);
  }
  lua_setfield(lua, -2, "err");
}

int RaiseError(lua_State* lua, const char* message) {
  PushError(lua, message);
  return lua_error(lua);
}

int NoteWhereRaised(lua_State* lua) {
  lua_settop(lua, 1);
  if (!lua_istable(lua, 1)) {
    lua_createtable(lua, 0, 3);
    lua_pushliteral(lua, "ERR ");
    const bool has_text = lua_isstring(lua, 1) != 0;
    if (has_text) {
      lua_pushvalue(lua, 1);
    } else {
      lua_pushstring(lua, luaL_typename(lua, 1));
    }
    lua_concat(lua, 2);
    lua_setfield(lua, -2, "err");
    lua_replace(lua, 1);
  }
  // Of an error in a function that is not Lua's, its caller is what helps whoever looks for it.
  lua_Debug where{};
  for (int level = 1; level <= 2 && lua_getstack(lua, level, &where) != 0; ++level) {
    lua_getinfo(lua, "Sl", &where);
    if (level == 1 && *where.what == 'C') continue;
    lua_pushstring(lua, where.source);
    lua_setfield(lua, 1, "source");
    lua_pushnumber(lua, where.currentline);
    lua_setfield(lua, 1, "line");
    break;
  }
  return 1;
}

ScriptError ReadError(lua_State* lua) {
  ScriptError error;
  if (!lua_istable(lua, -1)) {
    std::size_t size = 0;
    const char* const text = lua_tolstring(lua, -1, &size);
    error.message =
        "ERR " + (text == nullptr ? std::string(luaL_typename(lua, -1)) : std::string(text, size));
    return error;
  }
  error.message = StringField(lua, "err");
  error.source = StringField(lua, "source");
  error.line = StringField(lua, "line");
  lua_getfield(lua, -1, "ignore_error_stats_update");
  error.counted = lua_toboolean(lua, -1) != 0;
  lua_pop(lua, 1);
  return error;
}

}  // namespace rung

// See bounded_lua.h.

#include "kit/bounded_lua.h"

#include <cstdlib>
#include <limits>

#include "rung/base/check.h"
#include "script/libraries.h"

namespace rung::testing {

BoundedLua::BoundedLua(std::size_t bytes_max)
    : bytes_max_(std::numeric_limits<std::size_t>::max()) {
  state_ = lua_newstate(Allocate, this);
  RUNG_CHECK(state_ != nullptr, "no memory for an interpreter");
  const luaL_Reg libraries[] = {{"", luaopen_base},
                                {LUA_TABLIBNAME, luaopen_table},
                                {LUA_STRLIBNAME, luaopen_string},
                                {LUA_MATHLIBNAME, luaopen_math}};
  for (const luaL_Reg& library : libraries) {
    lua_pushcfunction(state_, library.func);
    lua_pushstring(state_, library.name);
    lua_call(state_, 1, 0);
  }
  const luaL_Reg modules[] = {
      {"cmsgpack", OpenCmsgpack}, {"cjson", OpenCjson}, {"struct", OpenStruct}, {"bit", OpenBit}};
  for (const luaL_Reg& module : modules) {
    lua_pushcfunction(state_, module.func);
    lua_call(state_, 0, 1);
    lua_setglobal(state_, module.name);
  }
  bytes_max_ = bytes_max;
}

BoundedLua::~BoundedLua() { lua_close(state_); }

void* BoundedLua::Allocate(void* self, void* block, std::size_t old_bytes, std::size_t new_bytes) {
  auto& lua = *static_cast<BoundedLua*>(self);
  if (new_bytes > old_bytes && new_bytes - old_bytes > lua.bytes_max_ - lua.bytes_used_) {
    return nullptr;
  }
  lua.bytes_used_ = lua.bytes_used_ - old_bytes + new_bytes;
  if (new_bytes == 0) {
    std::free(block);
    return nullptr;
  }
  return std::realloc(block, new_bytes);
}

std::string BoundedLua::Run(std::string_view source,
                            const std::vector<std::string_view>& arguments) {
  struct Call {
    std::string_view source;
    const std::vector<std::string_view>& arguments;
  } call{source, arguments};
  // Everything that may raise an error runs protected.
  const lua_CFunction run = [](lua_State* state) {
    const auto& self = *static_cast<const Call*>(lua_touserdata(state, 1));
    lua_settop(state, 0);
    if (luaL_loadbuffer(state, self.source.data(), self.source.size(), "@user_script") != 0) {
      return lua_error(state);
    }
    for (const std::string_view argument : self.arguments) {
      lua_pushlstring(state, argument.data(), argument.size());
    }
    lua_call(state, static_cast<int>(self.arguments.size()), 1);
    lua_getglobal(state, "tostring");
    lua_insert(state, 1);
    lua_call(state, 1, 1);
    return 1;
  };
  lua_settop(state_, 0);
  lua_pushcfunction(state_, run);
  lua_pushlightuserdata(state_, &call);
  return TakeTop(lua_pcall(state_, 1, 1, 0));
}

std::string BoundedLua::TakeTop(int status) {
  // An error need not be a string, and making one of it takes memory.
  std::string text = status == 0 ? "" : "ERR ";
  if (lua_type(state_, -1) == LUA_TSTRING) {
    std::size_t size = 0;
    const char* bytes = lua_tolstring(state_, -1, &size);
    text.append(bytes, size);
  }
  lua_settop(state_, 0);
  return text;
}

std::size_t BoundedLua::Collect() {
  lua_gc(state_, LUA_GCCOLLECT, 0);
  return bytes_used_;
}

}  // namespace rung::testing

// What a script may see: the list, and nothing else.
#pragma once

#include <lua.hpp>

namespace rung {

enum class SandboxKind { kEval, kFunctions };

// The tables of a sandbox, as references in Lua's registry.
struct Sandbox {
  int globals = LUA_NOREF;          // Read-only front: what scripts see as _G.
  int real_globals = LUA_NOREF;     // The table behind it, which only the host may have.
  int metatable = LUA_NOREF;        // Of the front: its __index says which table that is.
  int library_globals = LUA_NOREF;  // kFunctions: what stands behind it while a library loads.
};

// Fills a fresh state and makes its globals read-only. May raise errors of memory only.
Sandbox OpenSandbox(lua_State* lua, SandboxKind kind);

}  // namespace rung

// The loading of a library of functions: what redis.register_function takes down.
#pragma once

#include <lua.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rung/base/result.h"
#include "rung/commands/scripting.h"

namespace rung {

class Machine;

// A function as its library registered it. `callback` is a reference in the machine's registry.
struct RegisteredFunction {
  FunctionInfo info;
  int callback = LUA_NOREF;
};

// The first line of a library: "#!lua name=mylib".
struct LibraryHeader {
  std::string name;
  std::string_view body;  // From the end of the first line on, so that line numbers hold.
};
Result<LibraryHeader> ReadLibraryHeader(std::string_view code);

// Letters, digits and underscores; at least one.
bool IsFunctionName(std::string_view name);

// Compiles and runs the body; returns what it registered, by name. On an error nothing is kept.
Result<std::vector<RegisteredFunction>> LoadFunctions(Machine& machine, std::string_view body);

// A lua_CFunction: redis.register_function.
int RegisterFunction(lua_State* lua);

}  // namespace rung

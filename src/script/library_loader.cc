// redis.register_function and what surrounds it. See library_loader.h.

#include "script/library_loader.h"

#include <algorithm>
#include <utility>

#include "rung/base/numbers.h"
#include "rung/base/quoting.h"
#include "script/errors.h"
#include "script/machine.h"
#include "script/shebang.h"

namespace rung {
namespace {

constexpr std::string_view kBadName =
    "Library names can only contain letters, numbers, or underscores(_) and must be at least one "
    "character long";

struct LibrarySink {
  std::vector<RegisteredFunction> functions;
};

// What one call of redis.register_function says. `callback` is the place of the function on the
// stack; 0 while unknown.
struct Registration {
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::uint8_t flags = 0;
  int callback = 0;
};

// An error of the call, or none.
using Mistake = const char*;

std::optional<std::string> StringAt(lua_State* lua, int index) {
  if (lua_isstring(lua, index) == 0) return std::nullopt;
  std::size_t size = 0;
  const char* const bytes = lua_tolstring(lua, index, &size);
  return std::string(bytes, size);
}

// The table of flags on top of the stack.
Mistake ReadFlagTable(lua_State* lua, std::uint8_t& flags) {
  for (int i = 1;; ++i) {
    lua_rawgeti(lua, -1, i);
    if (lua_isnil(lua, -1)) {
      lua_pop(lua, 1);
      return nullptr;
    }
    const std::optional<std::string> name = StringAt(lua, -1);
    lua_pop(lua, 1);
    const std::optional<std::uint8_t> flag = name ? ScriptFlagNamed(ToLower(*name)) : std::nullopt;
    if (!flag) return "unknown flag given";
    flags = static_cast<std::uint8_t>(flags | *flag);
  }
}

// One named argument, its value on top of the stack.
Mistake ReadNamed(lua_State* lua, std::string_view key, Registration& registration) {
  if (EqualsIgnoreCase(key, "function_name")) {
    registration.name = StringAt(lua, -1);
    return registration.name
               ? nullptr
               : "function_name argument given to redis.register_function must be a string";
  }
  if (EqualsIgnoreCase(key, "description")) {
    registration.description = StringAt(lua, -1);
    return registration.description
               ? nullptr
               : "description argument given to redis.register_function must be a string";
  }
  if (EqualsIgnoreCase(key, "callback")) {
    if (!lua_isfunction(lua, -1)) {
      return "callback argument given to redis.register_function must be a function";
    }
    lua_pushvalue(lua, -1);
    lua_replace(lua, registration.callback);
    return nullptr;
  }
  if (EqualsIgnoreCase(key, "flags")) {
    if (!lua_istable(lua, -1)) {
      return "flags argument to redis.register_function must be a table representing function "
             "flags";
    }
    return ReadFlagTable(lua, registration.flags);
  }
  return "unknown argument given to redis.register_function";
}

Mistake ReadNamedArguments(lua_State* lua, Registration& registration) {
  if (!lua_istable(lua, 1)) {
    return "calling redis.register_function with a single argument is only applicable to Lua table "
           "(representing named arguments).";
  }
  lua_pushnil(lua);  // The callback's place.
  registration.callback = 2;
  lua_pushnil(lua);
  while (lua_next(lua, 1) != 0) {
    // Not a number either: turning it into text would confuse the walk through the table.
    if (lua_type(lua, -2) != LUA_TSTRING) {
      return "named argument key given to redis.register_function is not a string";
    }
    if (const Mistake mistake = ReadNamed(lua, lua_tostring(lua, -2), registration)) {
      return mistake;
    }
    lua_pop(lua, 1);
  }
  if (!registration.name) return "redis.register_function must get a function name argument";
  if (lua_isnil(lua, registration.callback)) {
    return "redis.register_function must get a callback argument";
  }
  return nullptr;
}

Mistake ReadPositionalArguments(lua_State* lua, Registration& registration) {
  registration.name = StringAt(lua, 1);
  registration.callback = 2;
  if (!registration.name) return "first argument to redis.register_function must be a string";
  if (!lua_isfunction(lua, 2))
    return "second argument to redis.register_function must be a function";
  return nullptr;
}

Mistake Take(lua_State* lua, LibrarySink& sink, Registration registration) {
  if (!IsFunctionName(*registration.name)) return kBadName.data();
  for (const RegisteredFunction& function : sink.functions) {
    if (function.info.name == *registration.name) {
      return "Function already exists in the library";
    }
  }
  lua_pushvalue(lua, registration.callback);
  const int callback = luaL_ref(lua, LUA_REGISTRYINDEX);
  sink.functions.push_back({.info = {.name = std::move(*registration.name),
                                     .description = std::move(registration.description),
                                     .flags = registration.flags},
                            .callback = callback});
  return nullptr;
}

// Raises nothing; returns what is to be raised.
Mistake Register(lua_State* lua, Machine& machine) {
  const MemoryMode granted(machine.memory(), false);
  auto* const sink = static_cast<LibrarySink*>(machine.library_sink());
  if (sink == nullptr) {
    return "redis.register_function can only be called on FUNCTION LOAD command";
  }
  const int arguments = lua_gettop(lua);
  if (arguments < 1 || arguments > 2) {
    return "wrong number of arguments to redis.register_function";
  }
  Registration registration;
  const Mistake mistake = arguments == 1 ? ReadNamedArguments(lua, registration)
                                         : ReadPositionalArguments(lua, registration);
  return mistake != nullptr ? mistake : Take(lua, *sink, std::move(registration));
}

}  // namespace

bool IsFunctionName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

int RegisterFunction(lua_State* lua) {
  const Mistake mistake = Register(lua, Machine::Of(lua));
  return mistake == nullptr ? 0 : RaiseError(lua, mistake);
}

Result<LibraryHeader> ReadLibraryHeader(std::string_view code) {
  if (!code.starts_with("#!")) return Error("ERR Missing library metadata");
  const std::size_t end = code.find('\n');
  if (end == std::string_view::npos) return Error("ERR Invalid library metadata");
  const auto words = SplitQuoted(code.substr(0, end));
  if (!words || words->empty()) return Error("ERR Invalid library metadata");
  std::optional<std::string> name;
  for (std::size_t i = 1; i < words->size(); ++i) {
    constexpr std::string_view kName = "name=";
    const std::string& word = (*words)[i];
    if (!EqualsIgnoreCase(std::string_view(word).substr(0, kName.size()), kName)) {
      return Error("ERR Invalid metadata value given: " + word);
    }
    if (name) return Error("ERR Invalid metadata value, name argument was given multiple times");
    name = word.substr(kName.size());
  }
  if (!name) return Error("ERR Library name was not given");
  if (!IsFunctionName(*name)) return Error("ERR " + std::string(kBadName));
  const std::string engine = words->front().substr(2);
  if (!EqualsIgnoreCase(engine, "lua")) return Error("ERR Engine '" + engine + "' not found");
  return LibraryHeader{.name = std::move(*name), .body = code.substr(end)};
}

Result<std::vector<RegisteredFunction>> LoadFunctions(Machine& machine, std::string_view body) {
  const Result<FunctionRef> compiled = machine.Compile(body, "@user_function");
  if (!compiled.ok()) return Error("ERR Error compiling function: " + compiled.error().text());
  LibrarySink sink;
  std::optional<Error> error = machine.RunLibrary(*compiled, &sink);
  machine.Forget(*compiled);
  if (error) {
    error = Error("ERR Error registering functions: " + error->text());
  } else if (sink.functions.empty()) {
    error = Error("ERR No functions registered");
  }
  if (error) {
    for (const RegisteredFunction& function : sink.functions) machine.Forget(function.callback);
    return *error;
  }
  std::sort(sink.functions.begin(), sink.functions.end(),
            [](const RegisteredFunction& a, const RegisteredFunction& b) {
              return a.info.name < b.info.name;
            });
  return std::move(sink.functions);
}

}  // namespace rung

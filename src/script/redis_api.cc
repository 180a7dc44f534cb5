// redis.log, redis.sha1hex and so on. See redis_api.h; redis.call is in command_call.cc, and
// redis.register_function in library_loader.cc.

#include "script/redis_api.h"

#include <array>
#include <span>
#include <string>

#include "rung/base/sha1.h"
#include "rung/commands/version.h"
#include "script/command_call.h"
#include "script/errors.h"
#include "script/library_loader.h"
#include "script/machine.h"

namespace rung {
namespace {

// As redis.REPL_AOF and redis.REPL_REPLICA.
constexpr int kReplAof = 1;
constexpr int kReplReplica = 2;

struct Constant {
  const char* name;
  int value;
};

void SetFunctions(lua_State* lua, std::span<const luaL_Reg> functions) {
  for (const luaL_Reg& function : functions) {
    lua_pushcfunction(lua, function.func);
    lua_setfield(lua, -2, function.name);
  }
}

void SetConstants(lua_State* lua, std::span<const Constant> constants) {
  for (const Constant& constant : constants) {
    lua_pushnumber(lua, constant.value);
    lua_setfield(lua, -2, constant.name);
  }
}

void WriteLog(lua_State* lua, Machine& machine, LogLevel level) {
  const MemoryMode granted(machine.memory(), false);
  std::string line;
  for (int i = 2; i <= lua_gettop(lua); ++i) {
    std::size_t size = 0;
    const char* const text = lua_tolstring(lua, i, &size);
    if (text == nullptr) continue;
    if (i > 2) line += ' ';
    line.append(text, size);
  }
  machine.broker().host.WriteLog(level, line);
}

int Log(lua_State* lua) {
  if (lua_gettop(lua) < 2) return RaiseError(lua, "redis.log() requires two arguments or more.");
  if (lua_isnumber(lua, 1) == 0) {
    return RaiseError(lua, "First argument must be a number (log level).");
  }
  const lua_Number level = lua_tonumber(lua, 1);
  if (!(level >= 0 && level <= 3)) return RaiseError(lua, "Invalid debug level.");
  WriteLog(lua, Machine::Of(lua), static_cast<LogLevel>(level));
  return 0;
}

int Sha1HexOf(lua_State* lua) {
  if (lua_gettop(lua) != 1) return RaiseError(lua, "wrong number of arguments");
  std::size_t size = 0;
  const char* const bytes = lua_tolstring(lua, 1, &size);
  const Sha1Digest digest =
      Sha1(bytes == nullptr ? std::string_view() : std::string_view(bytes, size));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<char, 2 * std::tuple_size_v<Sha1Digest>> hex;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    hex[2 * i] = kDigits[digest[i] >> 4];
    hex[2 * i + 1] = kDigits[digest[i] & 15];
  }
  lua_pushlstring(lua, hex.data(), hex.size());
  return 1;
}

bool HasOneString(lua_State* lua) {
  if (lua_gettop(lua) == 1 && lua_type(lua, 1) == LUA_TSTRING) return true;
  PushError(lua, "wrong number or type of arguments");
  return false;
}

int ErrorReply(lua_State* lua) {
  if (!HasOneString(lua)) return 1;
  std::size_t size = 0;
  const char* const text = lua_tolstring(lua, 1, &size);
  if (*text == '-') {
    PushError(lua, {text, size});
    return 1;
  }
  lua_pushliteral(lua, "-");
  lua_insert(lua, 1);
  lua_concat(lua, 2);
  const char* const dashed = lua_tolstring(lua, 1, &size);
  PushError(lua, {dashed, size});
  return 1;
}

int StatusReply(lua_State* lua) {
  if (!HasOneString(lua)) return 1;
  lua_createtable(lua, 0, 1);
  lua_pushvalue(lua, 1);
  lua_setfield(lua, -2, "ok");
  return 1;
}

int SetResp(lua_State* lua) {
  if (lua_gettop(lua) != 1) return RaiseError(lua, "redis.setresp() requires one argument.");
  const lua_Number version = lua_tonumber(lua, 1);
  if (version != 2 && version != 3) return RaiseError(lua, "RESP version must be 2 or 3.");
  if (RunState* run = Machine::Of(lua).run()) run->resp3 = version == 3;
  return 0;
}

int SetRepl(lua_State* lua) {
  if (lua_gettop(lua) != 1) return RaiseError(lua, "redis.set_repl() requires one argument.");
  const int flags = static_cast<int>(lua_tointeger(lua, 1));
  if ((flags & ~(kReplAof | kReplReplica)) != 0) {
    return RaiseError(lua,
                      "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or "
                      "REPL_NONE.");
  }
  // One log serves the file and the replicas: only what is for neither is left out.
  Machine& machine = Machine::Of(lua);
  if (machine.run() != nullptr) machine.broker().effects.set_muted(flags == 0);
  return 0;
}

int ReplicateCommands(lua_State* lua) {
  lua_pushboolean(lua, 1);
  return 1;
}

// There is no debugger.
int Breakpoint(lua_State* lua) {
  lua_pushboolean(lua, 0);
  return 1;
}
int Debug(lua_State* /*lua*/) { return 0; }

void SetLogAndVersion(lua_State* lua) {
  constexpr std::array<luaL_Reg, 1> kFunctions = {{{"log", &Log}}};
  constexpr std::array<Constant, 5> kConstants = {{{"LOG_DEBUG", 0},
                                                   {"LOG_VERBOSE", 1},
                                                   {"LOG_NOTICE", 2},
                                                   {"LOG_WARNING", 3},
                                                   {"REDIS_VERSION_NUM", kRedisVersionNumber}}};
  SetFunctions(lua, kFunctions);
  SetConstants(lua, kConstants);
  lua_pushlstring(lua, kRedisVersion.data(), kRedisVersion.size());
  lua_setfield(lua, -2, "REDIS_VERSION");
}

}  // namespace

void PushRedisApi(lua_State* lua) {
  constexpr std::array<luaL_Reg, 8> kFunctions = {{{"call", &RedisCall},
                                                   {"pcall", &RedisPcall},
                                                   {"sha1hex", &Sha1HexOf},
                                                   {"error_reply", &ErrorReply},
                                                   {"status_reply", &StatusReply},
                                                   {"setresp", &SetResp},
                                                   {"set_repl", &SetRepl},
                                                   {"acl_check_cmd", &AclCheckCmd}}};
  constexpr std::array<Constant, 5> kConstants = {{{"REPL_NONE", 0},
                                                   {"REPL_AOF", kReplAof},
                                                   {"REPL_SLAVE", kReplReplica},
                                                   {"REPL_REPLICA", kReplReplica},
                                                   {"REPL_ALL", kReplAof | kReplReplica}}};
  lua_newtable(lua);
  SetFunctions(lua, kFunctions);
  SetConstants(lua, kConstants);
  SetLogAndVersion(lua);
}

void AddEvalApi(lua_State* lua) {
  constexpr std::array<luaL_Reg, 3> kFunctions = {
      {{"replicate_commands", &ReplicateCommands}, {"breakpoint", &Breakpoint}, {"debug", &Debug}}};
  SetFunctions(lua, kFunctions);
}

void PushLibraryApi(lua_State* lua) {
  constexpr std::array<luaL_Reg, 1> kFunctions = {{{"register_function", &RegisterFunction}}};
  lua_newtable(lua);
  SetFunctions(lua, kFunctions);
  SetLogAndVersion(lua);
}

}  // namespace rung

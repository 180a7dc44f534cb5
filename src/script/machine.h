// Machine: one Lua state in its sandbox, and the running of one function at a time in it.
//
// What longjmp asks of us. Lua raises errors by longjmp, which skips destructors. So: Lua code runs
// in Call() and Compile() only, under lua_pcall; functions that Lua calls do their work in an inner
// function that raises nothing (memory requests are granted meanwhile, see memory.h) and raise only
// when that has returned.
//
// Invariants: 1. Between runs the stack is empty and run() is null. 2. The globals and all that can
// be reached from them are as they were at the start, but for the state that library functions keep
// in their own closures.
#pragma once

#include <cstdint>
#include <lua.hpp>
#include <span>
#include <string>
#include <string_view>

#include "rung/base/result.h"
#include "rung/base/rng.h"
#include "rung/commands/context.h"
#include "rung/commands/scripting.h"
#include "rung/state/broker.h"
#include "script/call_cache.h"
#include "script/memory.h"
#include "script/value_writer.h"

namespace rung {

// One script in its run.
struct RunState {
  const ExecContext& ctx;  // The command that runs it.
  bool read_only = false;
  bool allow_oom = false;
  bool memory_is_full = false;  // As it was when the script began.
  bool logs = true;             // redis.set_repl.
  bool resp3 = false;           // redis.setresp.
  bool killed = false;          // Its end is under way: whatever it catches is raised again.
};

enum class MachineKind : std::uint8_t { kEval, kFunctions };

// A function kept in a machine: a reference in Lua's registry.
using FunctionRef = int;

class Machine {
 public:
  Machine(Broker& broker, Dispatcher& dispatcher, MachineKind kind);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  static Machine& Of(lua_State* lua) {
    void* memory = nullptr;
    lua_getallocf(lua, &memory);
    return *static_cast<Machine*>(static_cast<ScriptMemory*>(memory)->owner());
  }

  // Compiles a text (never bytecode). `chunk_name` as Lua has it: "@user_script". The error is
  // Lua's own words.
  Result<FunctionRef> Compile(std::string_view text, const char* chunk_name);
  void Forget(FunctionRef function);

  // Runs a function with KEYS and ARGV (kEval) or both as arguments (kFunctions), and writes its
  // reply. `name` is told in errors.
  Outcome Call(RunState& run, FunctionRef function, std::string_view name, const ScriptCall& call);
  // Runs a library's text, which registers functions through `sink`. The error is what it raised.
  std::optional<Error> RunLibrary(FunctionRef function, void* sink);

  // For functions that Lua calls.
  Broker& broker() { return broker_; }
  Dispatcher& dispatcher() { return dispatcher_; }
  RunState* run() { return run_; }
  void* library_sink() { return library_sink_; }
  ScriptMemory& memory() { return memory_; }
  Rng& rng() { return rng_; }
  CallCache& call_cache() { return call_cache_; }
  ValueWriter& value_writer() { return value_writer_; }
  lua_State* lua() { return lua_; }

  // What lives in it. Collects first where that is quick.
  std::size_t MemoryBytes();

 private:
  static void OnCount(lua_State* lua, lua_Debug* debug);
  static void OnLoadCount(lua_State* lua, lua_Debug* debug);
  // What to raise now, if anything.
  const char* Interruption();
  void BeginRun(RunState& run);
  void EndRun();
  void PushWords(std::span<const std::string_view> words);
  Outcome WriteFailure(RunState& run, std::string_view name);
  static void HurryCollector(void* machine);
  void BoundMemory();
  void GiveBackMuch();
  void TuneCollector();
  void RestoreEnvironment(FunctionRef function);
  void NoteBusy(std::chrono::nanoseconds elapsed);
  // Which table answers for globals: the real ones, or those of a library that loads.
  void SetGlobalsBehind(FunctionRef table);

  Broker& broker_;
  Dispatcher& dispatcher_;
  const MachineKind kind_;
  ScriptMemory memory_;
  CallCache call_cache_;
  ValueWriter value_writer_;
  Rng rng_;
  lua_State* lua_ = nullptr;
  RunState* run_ = nullptr;
  void* library_sink_ = nullptr;
  std::size_t used_after_collection_ = 0;  // By this machine, not at Lua's own pace.
  const char* interruption_ = nullptr;     // Why run_ is killed.
  MonoTime load_deadline_{};
  FunctionRef error_handler_ = LUA_NOREF;
  FunctionRef globals_ = LUA_NOREF;       // What scripts see as _G.
  FunctionRef real_globals_ = LUA_NOREF;  // The table behind it, where KEYS and ARGV go.
  FunctionRef globals_metatable_ = LUA_NOREF;
  FunctionRef library_globals_ = LUA_NOREF;
};

}  // namespace rung

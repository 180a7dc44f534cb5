// The running of scripts. See machine.h.

#include "script/machine.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "rung/base/check.h"
#include "rung/base/memory.h"
#include "script/errors.h"
#include "script/sandbox.h"
#include "script/value_reader.h"

namespace rung {
namespace {

using std::chrono::milliseconds;

// Lua instructions between two looks at the clock: about a millisecond.
constexpr int kInstructionsPerLook = 100'000;

constexpr auto kLoadTime = milliseconds(500);

int Panic(lua_State* lua) {
  const char* const text = lua_tostring(lua, -1);
  RUNG_CHECK(false, text == nullptr ? "an error outside of protected Lua code" : text);
  return 0;
}

}  // namespace

Machine::Machine(Broker& broker, Dispatcher& dispatcher, MachineKind kind)
    : broker_(broker),
      dispatcher_(dispatcher),
      kind_(kind),
      memory_(this, &HurryCollector),
      value_writer_(memory_),
      rng_(broker.rng.Next()) {
  lua_ = lua_newstate(&ScriptMemory::Provide, &memory_);
  RUNG_CHECK(lua_ != nullptr, "no memory for a Lua state");
  lua_atpanic(lua_, &Panic);
  const Sandbox sandbox =
      OpenSandbox(lua_, kind == MachineKind::kEval ? SandboxKind::kEval : SandboxKind::kFunctions);
  globals_ = sandbox.globals;
  real_globals_ = sandbox.real_globals;
  globals_metatable_ = sandbox.metatable;
  library_globals_ = sandbox.library_globals;
  lua_pushcfunction(lua_, &NoteWhereRaised);
  error_handler_ = luaL_ref(lua_, LUA_REGISTRYINDEX);
}

Machine::~Machine() { lua_close(lua_); }

Result<FunctionRef> Machine::Compile(std::string_view text, const char* chunk_name) {
  if (text.starts_with(LUA_SIGNATURE[0])) return Error("bytecode is not loaded");
  BoundMemory();
  int status = 0;
  {
    const MemoryMode bounded(memory_, true);
    status = luaL_loadbuffer(lua_, text.data(), text.size(), chunk_name);
  }
  if (status == 0) return luaL_ref(lua_, LUA_REGISTRYINDEX);
  const Error error(lua_tostring(lua_, -1));
  lua_settop(lua_, 0);
  return error;
}

void Machine::Forget(FunctionRef function) { luaL_unref(lua_, LUA_REGISTRYINDEX, function); }

void Machine::PushWords(std::span<const std::string_view> words) {
  lua_createtable(lua_, static_cast<int>(words.size()), 0);
  int at = 1;
  for (const std::string_view word : words) {
    lua_pushlstring(lua_, word.data(), word.size());
    lua_rawseti(lua_, -2, at++);
  }
}

void Machine::BeginRun(RunState& run) {
  run_ = &run;
  BoundMemory();
  TuneCollector();
  const Options& options = broker_.options();
  if (options.busy_reply_threshold_ms > 0 || options.script_time_limit_ms > 0) {
    lua_sethook(lua_, &OnCount, LUA_MASKCOUNT, kInstructionsPerLook);
  }
}

void Machine::EndRun() {
  lua_sethook(lua_, nullptr, 0, 0);
  broker_.effects.set_muted(false);
  lua_settop(lua_, 0);
  run_ = nullptr;
  GiveBackMuch();
}

Outcome Machine::Call(RunState& run, FunctionRef function, std::string_view name,
                      const ScriptCall& call) {
  BeginRun(run);
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, error_handler_);
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, function);
  int arguments = 0;
  if (kind_ == MachineKind::kEval) {
    lua_rawgeti(lua_, LUA_REGISTRYINDEX, real_globals_);
    PushWords(call.keys);
    lua_setfield(lua_, -2, "KEYS");
    PushWords(call.args);
    lua_setfield(lua_, -2, "ARGV");
    lua_pop(lua_, 1);
  } else {
    PushWords(call.keys);
    PushWords(call.args);
    arguments = 2;
  }
  int status = 0;
  {
    const MemoryMode bounded(memory_, true);
    status = lua_pcall(lua_, arguments, 1, 1);
  }
  // What the script returns may be any table, and reading it runs no Lua code.
  const Outcome outcome =
      status == 0 ? WriteValue(lua_, run.ctx, run.resp3) : WriteFailure(run, name);
  EndRun();
  RestoreEnvironment(function);
  return outcome;
}

Outcome Machine::WriteFailure(RunState& run, std::string_view name) {
  std::string text;
  bool counted = false;
  if (lua_istable(lua_, -1)) {
    const ScriptError error = ReadError(lua_);
    text = error.message.empty() ? "ERR unknown error" : error.message;
    counted = error.counted;
    if (!error.source.empty() && !error.line.empty()) {
      text.append(" script: ").append(name).append(", on ");
      text.append(error.source).append(":").append(error.line).append(".");
    }
  } else {
    constexpr std::size_t kQuotedBytes = 100;
    const char* const raised = lua_tostring(lua_, -1);
    const std::string_view message = raised == nullptr ? "execution failure" : raised;
    text.append("ERR Error running script ").append(name).append(", ");
    text.append(message.substr(0, kQuotedBytes));
  }
  run.ctx.reply.WriteError(std::string_view(text));
  if (!counted) broker_.statistics.CountError(std::string_view(text).substr(0, text.find(' ')));
  return Outcome::kFailed;
}

// A script can give its own function another environment, and the whole machine other globals;
// neither must outlive it.
void Machine::RestoreEnvironment(FunctionRef function) {
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, globals_);
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, function);
  lua_pushvalue(lua_, -2);
  lua_setfenv(lua_, -2);
  lua_pop(lua_, 1);
  lua_replace(lua_, LUA_GLOBALSINDEX);
}

// Within a request for memory Lua may be told a number or two, no more. A cycle then takes one
// step.
void Machine::HurryCollector(void* machine) {
  constexpr int kPause = 120;
  constexpr int kStep = 100'000'000;
  lua_State* const lua = static_cast<Machine*>(machine)->lua_;
  lua_gc(lua, LUA_GCSETPAUSE, kPause);
  lua_gc(lua, LUA_GCSETSTEPMUL, kStep);
  lua_gc(lua, LUA_GCRESTART, 0);
}

std::size_t Machine::MemoryBytes() {
  constexpr std::size_t kQuick = std::size_t{1} << 20;
  if (run_ == nullptr && memory_.used() < kQuick) lua_gc(lua_, LUA_GCCOLLECT, 0);
  return memory_.used();
}

// What the last script left must not be held against the next one. Collecting all of it costs in
// proportion to what lives, so it is done only where much has come since.
void Machine::BoundMemory() {
  const std::size_t limit = broker_.options().script_memory_limit;
  memory_.set_limit(limit);
  if (limit == 0 || memory_.used() <= limit / 2) return;
  if (memory_.used() <= used_after_collection_ + limit / 8) return;
  lua_gc(lua_, LUA_GCCOLLECT, 0);
  used_after_collection_ = memory_.used();
}

// Lua by itself collects what one large script has left when later ones have filled as much again,
// which may be never. The growth that this waits for pays for it.
void Machine::GiveBackMuch() {
  constexpr std::size_t kMuch = std::size_t{16} << 20;
  used_after_collection_ = std::min(used_after_collection_, memory_.used());
  if (memory_.used() > used_after_collection_ + std::max(kMuch, used_after_collection_)) {
    lua_gc(lua_, LUA_GCCOLLECT, 0);
    used_after_collection_ = memory_.used();
  }
  if (memory_.HasSpareSlabs()) memory_.GiveBackSlabs();
}

// Lua's own pace is a whole cycle for each doubling of a heap that is mostly idle scripts. Garbage
// may grow to a fixed size first, or to the size of what lives, if that is more.
void Machine::TuneCollector() {
  constexpr std::size_t kGarbageBytes = std::size_t{4} << 20;
  constexpr std::size_t kPercent = 100;
  constexpr std::size_t kPauseMax = 1000;
  const std::size_t live = std::max<std::size_t>(memory_.used(), 1);
  const std::size_t pause = kPercent + std::max(kPercent, kGarbageBytes * kPercent / live);
  constexpr int kStep = 200;  // Lua's own.
  lua_gc(lua_, LUA_GCSETPAUSE, static_cast<int>(std::min(pause, kPauseMax)));
  lua_gc(lua_, LUA_GCSETSTEPMUL, kStep);
}

void Machine::OnCount(lua_State* lua, lua_Debug* /*debug*/) {
  Machine& machine = Of(lua);
  const char* const reason = machine.Interruption();
  if (reason == nullptr) return;
  // From now on at each line, so that no pcall can keep the script alive.
  lua_sethook(lua, &OnCount, LUA_MASKLINE, 0);
  lua_sethook(machine.lua_, &OnCount, LUA_MASKLINE, 0);
  RaiseError(lua, reason);
}

const char* Machine::Interruption() {
  if (run_ == nullptr) return nullptr;
  if (run_->killed) return interruption_;
  const Options& options = broker_.options();
  ScriptRun& script = broker_.script;
  const auto elapsed = broker_.clock.ReadMono() - script.started;
  if (options.busy_reply_threshold_ms > 0 &&
      elapsed >= milliseconds(options.busy_reply_threshold_ms)) {
    if (!script.busy) NoteBusy(elapsed);
    script.busy = true;
    dispatcher_.ServeWhileBusy();
  }
  if (script.kill) {
    interruption_ = "Script killed by user with SCRIPT KILL...";
  } else if (broker_.shutdown) {
    interruption_ = "Script ended by SHUTDOWN";
  } else if (options.script_time_limit_ms > 0 &&
             elapsed >= milliseconds(options.script_time_limit_ms)) {
    interruption_ = "Script ended: it ran longer than script-time-limit";
  } else {
    return nullptr;
  }
  run_->killed = true;
  return interruption_;
}

void Machine::NoteBusy(std::chrono::nanoseconds elapsed) {
  const ScriptRun& script = broker_.script;
  std::string line = "Slow script detected: still in execution after ";
  line += std::to_string(std::chrono::duration_cast<milliseconds>(elapsed).count());
  line += " milliseconds. You can try killing the script using the ";
  line += script.is_function ? "FUNCTION KILL" : "SCRIPT KILL";
  line += " command. Script name is: ";
  line += script.name;
  line += '.';
  broker_.host.WriteLog(LogLevel::kWarning, line);
}

// While a library loads, its globals are only those that registering needs.
std::optional<Error> Machine::RunLibrary(FunctionRef function, void* sink) {
  SetGlobalsBehind(library_globals_);
  library_sink_ = sink;
  load_deadline_ = broker_.clock.ReadMono() + kLoadTime;
  lua_sethook(lua_, &OnLoadCount, LUA_MASKCOUNT, kInstructionsPerLook);
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, function);
  int status = 0;
  {
    const MemoryMode bounded(memory_, true);
    status = lua_pcall(lua_, 0, 0, 0);
  }
  std::optional<Error> error;
  if (status != 0) error = Error(ReadError(lua_).message);
  lua_sethook(lua_, nullptr, 0, 0);
  lua_settop(lua_, 0);
  library_sink_ = nullptr;
  SetGlobalsBehind(real_globals_);
  RestoreEnvironment(function);
  return error;
}

void Machine::OnLoadCount(lua_State* lua, lua_Debug* /*debug*/) {
  Machine& machine = Of(lua);
  if (machine.broker_.clock.ReadMono() <= machine.load_deadline_) return;
  lua_sethook(lua, &OnLoadCount, LUA_MASKLINE, 0);
  lua_sethook(machine.lua_, &OnLoadCount, LUA_MASKLINE, 0);
  RaiseError(lua, "FUNCTION LOAD timeout");
}

void Machine::SetGlobalsBehind(FunctionRef table) {
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, globals_metatable_);
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, table);
  lua_setfield(lua_, -2, "__index");
  lua_pop(lua_, 1);
}

}  // namespace rung

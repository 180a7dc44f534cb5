// redis.call. See command_call.h.
//
// Arguments are views into the strings on the Lua stack, which stay there until the command has
// run; only numbers are printed. Nothing is allocated unless there are many of them.

#include "script/command_call.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rung/base/numbers.h"
#include "rung/commands/catalog.h"
#include "script/errors.h"
#include "script/machine.h"

namespace rung {
namespace {

constexpr std::string_view kNoArguments =
    "Please specify at least one argument for this redis lib call";
constexpr std::string_view kNotWords =
    "Lua redis lib command arguments must be strings or integers";

class CallArguments {
 public:
  // What is wrong with them, if anything.
  std::optional<std::string_view> Read(lua_State* lua) {
    const int count = lua_gettop(lua);
    if (count == 0) return kNoArguments;
    std::string_view* words = inline_.data();
    if (static_cast<std::size_t>(count) > kInline) {
      many_.resize(static_cast<std::size_t>(count));
      words = many_.data();
    }
    words_ = {words, static_cast<std::size_t>(count)};
    for (int i = 1; i <= count; ++i) {
      const int type = lua_type(lua, i);
      if (type == LUA_TSTRING) {
        std::size_t size = 0;
        const char* const bytes = lua_tolstring(lua, i, &size);
        words[i - 1] = {bytes, size};
      } else if (type == LUA_TNUMBER) {
        words[i - 1] = FormatDouble(lua_tonumber(lua, i), NextBuffer());
      } else {
        return kNotWords;
      }
    }
    return std::nullopt;
  }

  std::span<const std::string_view> words() const { return words_; }

 private:
  static constexpr std::size_t kInline = 24;
  static constexpr std::size_t kInlineNumbers = 8;

  NumberBuffer& NextBuffer() {
    if (numbers_ < kInlineNumbers) return inline_numbers_[numbers_++];
    more_numbers_.push_back(std::make_unique<NumberBuffer>());
    return *more_numbers_.back();
  }

  std::span<const std::string_view> words_;
  std::array<std::string_view, kInline> inline_;
  std::array<NumberBuffer, kInlineNumbers> inline_numbers_;  // Filled as needed.
  std::size_t numbers_ = 0;
  std::vector<std::string_view> many_;
  std::vector<std::unique_ptr<NumberBuffer>> more_numbers_;
};

constexpr std::string_view kUnknown = "Unknown Redis command called from script";
constexpr std::string_view kWrongArity = "Wrong number of args calling Redis command from script";
constexpr std::string_view kReadOnlyScript =
    "Write commands are not allowed from read-only scripts.";
constexpr std::string_view kMemoryIsFull =
    "-OOM command not allowed when used memory > 'maxmemory'.";

// Why a script may not run this command now.
std::optional<std::string_view> Refusal(const Broker& broker, const RunState& run,
                                        const Command* command, std::size_t words) {
  if (command == nullptr) return kUnknown;
  if (!command->AcceptsArity(words)) return kWrongArity;
  // For tests DEBUG can be let in; nothing that would run or end scripts within this one.
  const bool is_let_in = broker.script.allows_all && command->Has(kGuarded);
  if (command->Has(kNoScript) && !is_let_in) {
    return "This Redis command is not allowed from script";
  }
  if (run.read_only && command->Has(kWrite | kMayReplicate)) return kReadOnlyScript;
  // A script that has begun to write may finish.
  if (command->Has(kDenyOom) && run.memory_is_full && !run.allow_oom &&
      !broker.script.has_written) {
    return kMemoryIsFull;
  }
  return std::nullopt;
}

enum class CallResult : std::uint8_t { kValue, kError, kOverLimit };

CallResult Fail(lua_State* lua, std::string_view message) {
  PushError(lua, message);
  return CallResult::kError;
}

// Counts the refusal as a call that was rejected; its error is not to be counted again.
CallResult Refuse(lua_State* lua, Broker& broker, const Command* command,
                  std::string_view message) {
  const std::string_view code =
      message.starts_with('-') ? message.substr(1, message.find(' ') - 1) : std::string_view("ERR");
  broker.statistics.CountError(code);
  if (command != nullptr) {
    ++broker.statistics.commands[static_cast<std::size_t>(command->id)].rejected;
  }
  PushError(lua, message);
  lua_pushboolean(lua, 1);
  lua_setfield(lua, -2, "ignore_error_stats_update");
  return CallResult::kError;
}

// So many arguments leave no room on the Lua stack for a reply. They are taken off it, and the
// collector is held back meanwhile, so that their strings stay.
class RoomForReply {
 public:
  RoomForReply(lua_State* lua, ScriptMemory& memory, std::size_t arguments)
      : lua_(lua), memory_(memory), needed_(arguments > kMany) {
    if (!needed_) return;
    memory_.PausePressure();
    lua_gc(lua_, LUA_GCSTOP, 0);
    lua_settop(lua_, 0);
  }
  ~RoomForReply() {
    if (!needed_) return;
    lua_gc(lua_, LUA_GCRESTART, 0);
    memory_.ResumePressure();
  }
  RoomForReply(const RoomForReply&) = delete;
  RoomForReply& operator=(const RoomForReply&) = delete;

 private:
  static constexpr std::size_t kMany = 4000;

  lua_State* lua_;
  ScriptMemory& memory_;
  bool needed_;
};

// Leaves one value on top of the stack, but for kOverLimit. Raises nothing.
CallResult CallCommand(lua_State* lua, Machine& machine) {
  const MemoryMode granted(machine.memory(), false);
  RunState* const run = machine.run();
  if (run == nullptr) {
    return Fail(lua, "redis.call/pcall can only be called inside a script invocation");
  }
  CallArguments arguments;
  if (const auto mistake = arguments.Read(lua)) return Fail(lua, *mistake);
  const std::span<const std::string_view> words = arguments.words();
  Broker& broker = machine.broker();
  const Catalog& catalog = machine.dispatcher().catalog();
  const Command* const command = machine.call_cache().Find(catalog, words);
  if (command == nullptr && words.size() == 1 && catalog.FindByFullName(words[0]) != nullptr) {
    return Refuse(lua, broker, nullptr, kWrongArity);  // It has subcommands alone.
  }
  if (const auto reason = Refusal(broker, *run, command, words.size())) {
    return Refuse(lua, broker, command, *reason);
  }
  if (command->Has(kWrite)) broker.script.has_written = true;
  const RoomForReply room(lua, machine.memory(), words.size());
  ValueWriter& reply = machine.value_writer();
  reply.Begin(lua, run->resp3);
  const int top = lua_gettop(lua);
  machine.dispatcher().RunFromScript(run->ctx,
                                     {.command = *command, .args = words, .reply = reply});
  if (!reply.complete()) {
    lua_settop(lua, top);
    if (machine.memory().over_limit()) return CallResult::kOverLimit;
    lua_pushnil(lua);
    return CallResult::kValue;
  }
  if (machine.memory().over_limit()) return CallResult::kOverLimit;
  return reply.is_error() ? CallResult::kError : CallResult::kValue;
}

int Finish(lua_State* lua, CallResult result, bool raises) {
  if (result == CallResult::kOverLimit) return luaL_error(lua, "not enough memory");
  if (raises && result == CallResult::kError) return lua_error(lua);
  return 1;
}

CallResult CheckCommand(lua_State* lua, Machine& machine) {
  const MemoryMode granted(machine.memory(), false);
  CallArguments arguments;
  if (const auto mistake = arguments.Read(lua)) return Fail(lua, *mistake);
  if (machine.dispatcher().catalog().Find(arguments.words()) == nullptr) {
    return Fail(lua, "Invalid command passed to redis.acl_check_cmd()");
  }
  // There is one user, who may do everything.
  lua_pushboolean(lua, 1);
  return CallResult::kValue;
}

}  // namespace

int RedisCall(lua_State* lua) { return Finish(lua, CallCommand(lua, Machine::Of(lua)), true); }

int RedisPcall(lua_State* lua) { return Finish(lua, CallCommand(lua, Machine::Of(lua)), false); }

int AclCheckCmd(lua_State* lua) { return Finish(lua, CheckCommand(lua, Machine::Of(lua)), true); }

}  // namespace rung

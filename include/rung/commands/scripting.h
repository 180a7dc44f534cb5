// Scripting: what the commands ask of the script engine. A port: the engine itself is a layer
// above (script/), so that nothing down here knows of Lua.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rung/base/result.h"
#include "rung/commands/command.h"
#include "rung/state/script_run.h"

namespace rung {

struct ExecContext;

enum class ScriptKind : std::uint8_t {
  kText,      // EVAL: the script itself.
  kSha,       // EVALSHA: 40 hexadecimal digits, in any case.
  kFunction,  // FCALL: a function's name.
};

struct ScriptCall {
  ScriptKind kind = ScriptKind::kText;
  std::string_view script{};
  std::span<const std::string_view> keys{};
  std::span<const std::string_view> args{};
  bool read_only = false;  // EVAL_RO and its kin.
};

// What a script or function declares of itself: `#!lua flags=...`, or the flags of
// redis.register_function.
enum ScriptFlag : std::uint8_t {
  kScriptNoWrites = 1u << 0,
  kScriptAllowOom = 1u << 1,
  kScriptAllowStale = 1u << 2,
  kScriptNoCluster = 1u << 3,
  kScriptAllowCrossSlotKeys = 1u << 4,
};

// The names of these flags, lowest bit first.
inline constexpr std::array<std::string_view, 5> kScriptFlagNames = {
    "no-writes", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys"};

// As FUNCTION LIST tells of it.
struct FunctionInfo {
  std::string name;
  std::optional<std::string> description;
  std::uint8_t flags = 0;
};
struct LibraryInfo {
  std::string name;
  std::string code;
  std::vector<FunctionInfo> functions;  // By name.
};

// What to do with libraries that are there already (FUNCTION RESTORE).
enum class RestorePolicy : std::uint8_t { kAppend, kReplace, kFlush };

// For INFO.
struct ScriptFigures {
  std::size_t eval_machine_bytes = 0;
  std::size_t function_machine_bytes = 0;
  std::size_t script_bytes = 0;    // Cached texts with all that goes with them.
  std::size_t function_bytes = 0;  // The same of libraries.
  std::size_t scripts = 0;
  std::size_t libraries = 0;
  std::size_t functions = 0;
};

// How a command runs a script: nothing if it does not.
std::optional<ScriptKind> ScriptKindOf(const CommandSpec& spec);

// What other clients are told while a script runs too long.
std::string_view BusyError(const ScriptRun& script);

class Scripting {
 public:
  virtual ~Scripting() = default;

  // Runs a script and writes its reply. Not from within a script.
  virtual Outcome Run(ExecContext& ctx, const ScriptCall& call) = 0;
  // The command flags that hold for a request that runs this script: what it declares replaces
  // what the command declares.
  virtual std::uint32_t FlagsOf(ScriptKind kind, std::string_view script,
                                std::uint32_t command_flags) const = 0;

  // Compiles and keeps a script; returns its SHA1 in lower case.
  virtual Result<std::string> Load(std::string_view text) = 0;
  // `sha` in any case, of any length.
  virtual bool Knows(std::string_view sha) const = 0;
  virtual void FlushScripts() = 0;

  // Compiles a library and lets it register its functions; returns its name.
  virtual Result<std::string> LoadLibrary(std::string_view code, bool replace) = 0;
  // False if there is none of that name.
  virtual bool DeleteLibrary(std::string_view name) = 0;
  virtual void FlushLibraries() = 0;
  // All of them, or none.
  virtual std::optional<Error> RestoreLibraries(std::span<const std::string> codes,
                                                RestorePolicy policy) = 0;
  // By name.
  virtual std::vector<LibraryInfo> Libraries() const = 0;

  virtual ScriptFigures Figures() const = 0;
};

}  // namespace rung

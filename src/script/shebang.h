// The first line of a script: `#!lua flags=no-writes,allow-oom`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rung/base/result.h"
#include "rung/commands/scripting.h"

namespace rung {

struct ScriptHeader {
  // Nothing without a first line of this kind: the script may do what the command that runs it may.
  std::optional<std::uint8_t> flags;
  // From the end of the first line on, so that line numbers hold.
  std::string_view body;
};

Result<ScriptHeader> ReadScriptHeader(std::string_view text);

// The bit for "no-writes" and so on; nothing if there is no such flag.
std::optional<std::uint8_t> ScriptFlagNamed(std::string_view name);

// The command flags of a request that runs a script with these flags.
std::uint32_t CommandFlagsOf(std::uint8_t script_flags, std::uint32_t command_flags);

}  // namespace rung

// Reading `#!lua ...`. See shebang.h.

#include "script/shebang.h"

#include <algorithm>
#include <string>
#include <vector>

#include "rung/base/quoting.h"

namespace rung {
namespace {

// Flags apart by commas. The error is the name that is none.
Result<std::uint8_t> ReadFlags(std::string_view list) {
  std::uint8_t flags = 0;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view name = list.substr(0, end);
    const std::optional<std::uint8_t> flag = ScriptFlagNamed(name);
    if (!flag) return Error("ERR Unexpected flag in script shebang: " + std::string(name));
    flags = static_cast<std::uint8_t>(flags | *flag);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return flags;
}

}  // namespace

std::optional<std::uint8_t> ScriptFlagNamed(std::string_view name) {
  for (std::size_t i = 0; i < kScriptFlagNames.size(); ++i) {
    if (name == kScriptFlagNames[i]) return static_cast<std::uint8_t>(1u << i);
  }
  return std::nullopt;
}

Result<ScriptHeader> ReadScriptHeader(std::string_view text) {
  if (!text.starts_with("#!")) return ScriptHeader{.flags = std::nullopt, .body = text};
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return Error("ERR Invalid script shebang");
  const auto words = SplitQuoted(text.substr(0, end));
  if (!words || words->empty()) return Error("ERR Invalid engine in script shebang");
  if (words->front() != "#!lua") {
    return Error("ERR Unexpected engine in script shebang: " + words->front());
  }
  std::uint8_t flags = 0;
  for (std::size_t i = 1; i < words->size(); ++i) {
    const std::string_view word = (*words)[i];
    constexpr std::string_view kFlags = "flags=";
    if (!word.starts_with(kFlags)) {
      return Error("ERR Unknown lua shebang option: " + std::string(word));
    }
    const Result<std::uint8_t> read = ReadFlags(word.substr(kFlags.size()));
    if (!read.ok()) return read.error();
    flags = static_cast<std::uint8_t>(flags | *read);
  }
  return ScriptHeader{.flags = flags, .body = text.substr(end)};
}

std::uint32_t CommandFlagsOf(std::uint8_t script_flags, std::uint32_t command_flags) {
  std::uint32_t flags = command_flags & ~std::uint32_t{kStale | kDenyOom | kWrite | kMayReplicate};
  if ((script_flags & (kScriptAllowOom | kScriptNoWrites)) == 0) flags |= kDenyOom;
  if ((script_flags & kScriptNoWrites) == 0) flags |= kWrite;
  if ((script_flags & kScriptAllowStale) != 0) flags |= kStale;
  return flags;
}

}  // namespace rung

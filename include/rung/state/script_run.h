// ScriptRun: the script that is running now, as everybody else sees it.
#pragma once

#include <span>
#include <string_view>

#include "rung/base/time.h"

namespace rung {

struct ScriptRun {
  // DEBUG SET-DISABLE-DENY-SCRIPTS: scripts may call what is not meant for them.
  bool allows_all = false;

  bool running = false;      // What follows means something only while this holds.
  bool is_function = false;  // FCALL, not EVAL: another command ends it.
  bool busy = false;         // Past busy-reply-threshold: other clients are served, and told so.
  bool has_written = false;  // From here on it cannot be taken back, and so not be ended.
  bool kill = false;         // To be ended as soon as it can be.
  MonoTime started{};
  std::string_view name{};                      // SHA1 of the text, or the function's name.
  std::span<const std::string_view> request{};  // The command that runs it.

  void End() { *this = {.allows_all = allows_all}; }
};

}  // namespace rung

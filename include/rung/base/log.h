// Log: lines for people and process managers, on standard output or in a file.
//
// One object, made by the composition root and handed to whoever has something to say; the engine
// has nothing to say and does not know it. A line reads
//   4711:M 30 Nov 2026 20:15:01.123 * Ready to accept connections tcp
// process, role, local time, a sign for the level (. debug, - verbose, * notice, # warning), text:
// the form that tools for Redis's log know.
//
// Thread-safe. A line that cannot be written is lost: the broker goes on.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "rung/base/log_level.h"
#include "rung/base/result.h"

namespace rung {

class Log {
 public:
  // Writes to standard output, from kNotice on.
  Log();
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Goes on in `file`, appending; empty means standard output. On an error nothing changes; its
  // text is the reason.
  std::optional<Error> Open(const std::string& file);
  // Opens the same file anew, after it was moved away.
  std::optional<Error> Reopen() { return Open(file_); }

  void set_level(LogLevel level) { level_.store(level, std::memory_order_relaxed); }
  bool Shows(LogLevel level) const { return level >= level_.load(std::memory_order_relaxed); }

  void Write(LogLevel level, std::string_view text);

  template <typename... Args>
  void Verbose(fmt::format_string<Args...> format, Args&&... args) {
    Format(LogLevel::kVerbose, format, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void Notice(fmt::format_string<Args...> format, Args&&... args) {
    Format(LogLevel::kNotice, format, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void Warning(fmt::format_string<Args...> format, Args&&... args) {
    Format(LogLevel::kWarning, format, std::forward<Args>(args)...);
  }

 private:
  struct Output;

  template <typename... Args>
  void Format(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
    if (Shows(level)) Write(level, fmt::format(format, std::forward<Args>(args)...));
  }

  std::atomic<LogLevel> level_ = LogLevel::kNotice;
  std::string file_;
  std::unique_ptr<Output> output_;
};

}  // namespace rung

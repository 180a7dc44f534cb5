// Host: what the engine may ask of the process it lives in. Implemented by the daemon, and by the
// tests with fixed answers, so that the engine itself touches neither files nor the system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rung/base/log_level.h"
#include "rung/base/result.h"
#include "rung/config/config.h"

namespace rung {

struct ProcessUsage {
  std::size_t resident_bytes = 0;
  double user_seconds = 0;  // CPU of all threads.
  double system_seconds = 0;
  std::size_t system_memory_bytes = 0;
};

struct ProcessIdentity {
  std::int64_t pid = 0;
  std::string executable;   // Absolute path.
  std::string config_file;  // Absolute path; empty without one.
  std::string system;       // "Linux 6.1.0 x86_64"
  int tcp_port = 0;
};

class Host : public Applier {
 public:
  virtual ProcessUsage Usage() = 0;
  virtual const ProcessIdentity& Identity() = 0;
  // CONFIG REWRITE: the text of the file that was read at start, and its atomic replacement.
  virtual Result<std::string> ReadConfigFile() = 0;
  virtual std::optional<Error> WriteConfigFile(std::string_view text) = 0;
  // Values being freed on another thread, and those freed so far (INFO lazyfree_*).
  virtual std::size_t PendingGarbage() = 0;
  virtual std::uint64_t FreedGarbage() = 0;
  // A line for the server's log (redis.log).
  virtual void WriteLog(LogLevel level, std::string_view line) = 0;
  // While a script runs too long: looks once, without waiting, at what other clients have sent, and
  // sends them what they were answered. Called from within a command; Engine::Feed is called from
  // within it.
  virtual void ServeWhileBusy() = 0;
};

}  // namespace rung

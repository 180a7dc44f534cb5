// The process among processes: going to the background, the pid file, the process manager.
#pragma once

#include <optional>
#include <string>

#include "rung/base/result.h"

namespace rung {

// Goes on in a child without a terminal; the parent ends. To be called before any thread starts.
std::optional<Error> GoToBackground();

// Holds the process number in a file until it goes.
class PidFile {
 public:
  // Nothing is written if `path` is empty. Absolute, so that a later change of directory does no
  // harm.
  explicit PidFile(std::string path);
  ~PidFile();
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;

  // Why it could not be written.
  const std::optional<Error>& error() const { return error_; }

 private:
  std::string path_;
  std::optional<Error> error_;
};

// Tells systemd, or who else set NOTIFY_SOCKET: "READY=1", "STOPPING=1".
void NotifyManager(const std::string& state);

}  // namespace rung

// A real rungd for a test: started with a folder and a port of its own, stopped at the end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rung::testing {

// Longer than anything may take on a busy machine; reaching it fails the test.
constexpr std::chrono::seconds kPatience{30};

// A folder that goes away with its content.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  // The path of a new file with this content.
  std::string Write(std::string_view name, std::string_view content) const;

 private:
  std::string path_;
};

std::string ReadWholeFile(const std::string& path);
// A TCP port that nobody listens on at this moment.
int FreePort();

// A program run by a test. Its standard output is read through WaitFor(), its standard error at
// the end.
class Process {
 public:
  explicit Process(const std::vector<std::string>& command,
                   const std::vector<std::string>& environment = {});
  // Kills it if it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  // Reads standard output until `text` is in it; false if it ends or patience does.
  bool WaitFor(std::string_view text);
  void Signal(int signal) const;
  // Waits for the end: the exit code, or 128 + the signal that ended it. -1: still running when
  // patience ended.
  int Wait();
  // Standard output read so far; all of it after Wait().
  const std::string& output() const { return output_; }
  // All of standard error. Requires Wait().
  std::string errors() const;

 private:
  bool ReadMore(std::chrono::steady_clock::time_point deadline);

  pid_t pid_ = -1;
  int output_pipe_ = -1;
  int error_file_ = -1;
  std::string output_;
  std::optional<int> exit_code_;
};

class Daemon {
 public:
  // Waits until it is ready to accept connections; fails the test otherwise. Without "--port" in
  // the options it gets a free port.
  explicit Daemon(std::vector<std::string> options = {});

  int port() const { return port_; }
  const std::string& dir() const { return dir_.path(); }
  Process& process() { return *process_; }
  // SIGTERM, and the exit code.
  int Stop();
  std::size_t ResidentBytes() const;

 private:
  TempDir dir_;
  int port_ = 0;
  std::optional<Process> process_;
};

}  // namespace rung::testing

// See process_host.h.

#include "server/process_host.h"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <system_error>
#include <utility>

#include "server/files.h"
#include "server/process_limits.h"

namespace rung {
namespace {

double Seconds(const timeval& time) {
  constexpr double kMicro = 1e-6;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicro;
}

std::size_t ResidentBytes() {
  // "total resident shared ...", in pages.
  const Result<std::string> text = ReadFile("/proc/self/statm");
  if (!text.ok()) return 0;
  const std::size_t space = text->find(' ');
  std::size_t pages = 0;
  if (space == std::string::npos) return 0;
  std::from_chars(text->data() + space + 1, text->data() + text->size(), pages);
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::string Executable() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : std::string();
}

std::string SystemName() {
  utsname name{};
  if (uname(&name) != 0) return {};
  return std::string(name.sysname) + " " + name.release + " " + name.machine;
}

bool Contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

ProcessHost::ProcessHost(Log& log, const GarbageThread& garbage, std::string config_file)
    : log_(log),
      garbage_(garbage),
      identity_({.pid = getpid(),
                 .executable = Executable(),
                 .config_file = std::move(config_file),
                 .system = SystemName()}) {}

// What can fail comes first, what is hardest to take back last.
std::optional<Refusal> ProcessHost::Apply(const Options& before, const Options& after,
                                          const std::vector<std::string_view>& changed) {
  if (Contains(changed, "maxclients")) {
    const std::uint64_t room = MakeRoomForClients(after.maxclients);
    if (room < after.maxclients) {
      return Refusal{"maxclients",
                     "The operating system is not able to handle the specified number of clients, "
                     "try with " +
                         std::to_string(room)};
    }
  }
  const std::string old_directory = WorkingDirectory();
  const bool moves = Contains(changed, "dir");
  if (moves && chdir(after.dir.c_str()) != 0) {
    return Refusal{"dir", std::generic_category().message(errno)};
  }
  const bool port = Contains(changed, "port");
  if (port || Contains(changed, "bind")) {
    if (auto refusal = MoveSockets(before, after, port ? "port" : "bind")) {
      if (moves && chdir(old_directory.c_str()) != 0) log_.Warning("Lost {}", old_directory);
      return refusal;
    }
  }
  moved_ = moved_ || moves;
  if (Contains(changed, "tcp-keepalive")) server_->SetKeepAlive(after.tcp_keepalive_seconds);
  log_.set_level(after.loglevel);
  return std::nullopt;
}

std::optional<Refusal> ProcessHost::MoveSockets(const Options& before, const Options& after,
                                                std::string_view blamed) {
  if (const std::optional<Error> error = server_->Relisten(before, after)) {
    log_.Warning("{}", error->text());
    return Refusal{blamed, blamed == "port" ? "Unable to listen on this port. Check server logs."
                                            : "Failed to bind to specified addresses."};
  }
  identity_.tcp_port = after.port;
  return std::nullopt;
}

ProcessUsage ProcessHost::Usage() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  return {.resident_bytes = ResidentBytes(),
          .user_seconds = Seconds(usage.ru_utime),
          .system_seconds = Seconds(usage.ru_stime),
          .system_memory_bytes = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE))};
}

void ProcessHost::WriteLog(LogLevel level, std::string_view line) {
  if (log_.Shows(level)) log_.Write(level, line);
}

Result<std::string> ProcessHost::ReadConfigFile() { return ReadFile(identity_.config_file); }

std::optional<Error> ProcessHost::WriteConfigFile(std::string_view text) {
  return ReplaceFile(identity_.config_file, text);
}

}  // namespace rung

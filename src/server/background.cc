// See background.h.

#include "server/background.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "server/files.h"

namespace rung {

std::optional<Error> GoToBackground() {
  const pid_t child = fork();
  if (child < 0) return Error(std::generic_category().message(errno));
  if (child > 0) std::_Exit(0);
  setsid();
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) return Error(std::generic_category().message(errno));
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  close(nowhere);
  return std::nullopt;
}

PidFile::PidFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  error_ = ReplaceFile(path_, std::to_string(getpid()) + "\n");
  if (error_) path_.clear();
}

PidFile::~PidFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

void NotifyManager(const std::string& state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  const std::string_view name = path == nullptr ? "" : path;
  if (name.empty() || name.size() >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::copy(name.begin(), name.end(), address.sun_path);
  // '@' stands for the zero byte of a name outside the file system.
  if (name.front() == '@') address.sun_path[0] = '\0';
  const int channel = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (channel < 0) return;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  sendto(channel, state.data(), state.size(), MSG_NOSIGNAL,
         reinterpret_cast<const sockaddr*>(&address), length);
  close(channel);
}

}  // namespace rung

// See process_limits.h.

#include "server/process_limits.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace rung {
namespace {

// For listening sockets, the log, the event loop and files.
constexpr std::uint64_t kReserved = 32;

}  // namespace

std::uint64_t MakeRoomForClients(std::uint64_t clients) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return clients;
  const std::uint64_t wanted = clients + kReserved;
  if (limit.rlim_cur < wanted) {
    rlimit raised{.rlim_cur = wanted, .rlim_max = std::max<rlim_t>(limit.rlim_max, wanted)};
    if (setrlimit(RLIMIT_NOFILE, &raised) != 0) {
      // Not allowed to move the hard limit: up to it, then.
      raised = {.rlim_cur = std::min<rlim_t>(limit.rlim_max, wanted), .rlim_max = limit.rlim_max};
      setrlimit(RLIMIT_NOFILE, &raised);
    }
    getrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur >= wanted) return clients;
  return limit.rlim_cur > kReserved ? limit.rlim_cur - kReserved : 0;
}

bool SystemHasHugePages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string choices;  // "always [madvise] never": the one in brackets is in force.
  return std::getline(file, choices) && choices.find("[never]") == std::string::npos;
}

void ForgoHugePages() { prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

}  // namespace rung

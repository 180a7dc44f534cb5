// rungd: see server/daemon.h, where the parts are put together.

#include <string_view>
#include <vector>

#include "server/daemon.h"

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  return rung::RunDaemon(arguments);
}

// ProtocolTest: a test against a real daemon, once for each way of watching sockets.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kit/daemon.h"
#include "kit/reply.h"
#include "kit/socket_client.h"

namespace rung::testing {

class ProtocolTest : public ::testing::TestWithParam<std::string> {
 public:
  static std::vector<std::string> WithDriver(std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"--io-driver", GetParam()});
    return options;
  }
};

inline auto BothDrivers() { return ::testing::Values("epoll", "asio"); }
inline std::string DriverName(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

}  // namespace rung::testing

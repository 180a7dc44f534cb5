// What the command line asks for, and the configuration that comes of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rung/base/result.h"
#include "rung/config/config.h"
#include "rung/net/server.h"

namespace rung {

struct Startup {
  Config config;
  std::string config_file;  // Absolute; empty without one.
  IoDriver driver = IoDriver::kEpoll;
};

// Prints what --help, --version or a --dump verb asks for; nullopt if none of them is there.
std::optional<int> RunVerb(std::span<const std::string_view> arguments);

// Reads the configuration file, standard input and the options. The error is the line to print.
Result<Startup> ReadConfiguration(std::span<const std::string_view> arguments);

}  // namespace rung

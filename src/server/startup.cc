// See startup.h.

#include "server/startup.h"

#include <cstdio>
#include <utility>

#include "rung/commands/reference.h"
#include "rung/config/command_line.h"
#include "server/files.h"

namespace rung {
namespace {

constexpr std::string_view kHelp = R"(usage: rungd [FILE] [-] [--OPTION VALUE]...

  FILE               configuration in redis.conf's grammar; `rungd --dump-config` prints a sample
  -                  more configuration from standard input
  --OPTION VALUE...  any option of the file, such as --port 6380; it wins over the file

  rungd --version | -v     print the version
  rungd --help | -h        print this
  rungd --dump-config      print every option with meaning, default and range
  rungd --dump-commands    print every command with arguments and cost

examples:
  rungd                            serve on port 6379
  rungd /etc/rung.conf --loglevel verbose
  rungd --port 7777 --requirepass secret
  echo 'maxmemory 1gb' | rungd - --port 7777
)";

void Print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// --io-driver is not an option of the configuration: it chooses between two ways to the same end,
// so that the tests can try both. Takes it out of the arguments.
std::optional<Error> TakeDriver(std::vector<std::string_view>& arguments, IoDriver& driver) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] != "--io-driver") continue;
    if (arguments[i + 1] != "epoll" && arguments[i + 1] != "asio") {
      return Error("--io-driver must be epoll or asio");
    }
    driver = arguments[i + 1] == "asio" ? IoDriver::kAsio : IoDriver::kEpoll;
    const auto at = arguments.begin() + static_cast<std::ptrdiff_t>(i);
    arguments.erase(at, at + 2);
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Error> Load(Config& config, const Result<std::string>& text,
                          std::string_view source) {
  if (!text.ok()) return Error(std::string(source) + ": " + text.error().text());
  if (const auto refused = config.Load(*text, source, &ReadIncluded)) return Error(*refused);
  return std::nullopt;
}

}  // namespace

std::optional<int> RunVerb(std::span<const std::string_view> arguments) {
  const CommandLine line = ParseCommandLine(arguments);
  if (line.show_help) {
    Print(kHelp);
    return 0;
  }
  if (line.show_version) {
    Print("Rung server v=" RUNG_VERSION " redis=7.2.4 bits=64\n");
    return 0;
  }
  if (arguments.size() == 1 && arguments[0] == "--dump-config") {
    Print(Config::SampleFile());
    return 0;
  }
  if (arguments.size() == 1 && arguments[0] == "--dump-commands") {
    Print(CommandReference(Catalog()));
    return 0;
  }
  return std::nullopt;
}

Result<Startup> ReadConfiguration(std::span<const std::string_view> arguments) {
  Startup startup;
  std::vector<std::string_view> options(arguments.begin(), arguments.end());
  if (const auto error = TakeDriver(options, startup.driver)) return *error;
  const CommandLine line = ParseCommandLine(options);
  if (!line.file.empty()) {
    startup.config_file = AbsolutePath(line.file);
    if (const auto error = Load(startup.config, ReadFile(line.file), line.file)) return *error;
  }
  if (line.read_stdin) {
    if (const auto error = Load(startup.config, ReadStandardInput(), "standard input")) {
      return *error;
    }
  }
  if (const auto error = Load(startup.config, line.directives, "command line")) return *error;
  return startup;
}

}  // namespace rung

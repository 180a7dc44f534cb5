// The command line of rungd, which is that of redis-server:
//
//   rungd [file] [-] [--option value ...]
//
// The first argument is a configuration file unless it starts with '-'. A single '-' as the first
// or the last argument means that more configuration comes from standard input. An option takes the
// arguments up to the next one that starts with "--"; its first value may start with "--" too.
// "--port 6379" may be one argument. `--save` without a value is `--save ""`.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rung {

struct CommandLine {
  std::string file;           // Empty: no file was named.
  bool read_stdin = false;    // Load standard input after the file.
  bool show_help = false;     // --help or -h was the first argument.
  bool show_version = false;  // --version or -v was the first argument.
  std::string directives;     // The options as configuration lines, to be loaded last.
};

// `arguments` without the program's name. Never fails: what is wrong shows when it is loaded.
CommandLine ParseCommandLine(std::span<const std::string_view> arguments);

}  // namespace rung

// From arguments to configuration lines. See command_line.h.

#include "rung/config/command_line.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "rung/base/numbers.h"
#include "rung/base/quoting.h"

namespace rung {
namespace {

// Builds the lines word by word. An option's name opens a line; what follows belongs to it until
// the next name. Right after a name anything is a value, also what looks like a name.
class LineBuilder {
 public:
  void Take(std::string_view argument, std::optional<std::string_view> next) {
    if (!wants_value_ && argument.starts_with("--")) {
      OpenLine(argument, next);
      return;
    }
    lines_.append(Quote(argument)).append(" ");
    wants_value_ = false;
  }

  std::string Finish() && { return std::move(lines_); }

 private:
  void OpenLine(std::string_view argument, std::optional<std::string_view> next) {
    if (!lines_.empty()) lines_ += '\n';
    lines_.append(argument.substr(2)).append(" ");
    // "--port 6379" as one argument has its value with it.
    const std::optional<std::vector<std::string>> words = SplitQuoted(argument);
    wants_value_ = words && words->size() == 1;
    if (!wants_value_ || !EqualsIgnoreCase(argument, "--save")) return;
    // A command line made from an empty list of save points ends the option at its name.
    if (next && !next->starts_with("--")) return;
    lines_.append("\"\"");
    wants_value_ = false;
  }

  std::string lines_;
  bool wants_value_ = false;
};

}  // namespace

CommandLine ParseCommandLine(std::span<const std::string_view> arguments) {
  CommandLine line;
  if (arguments.empty()) return line;
  const std::string_view first = arguments.front();
  line.show_help = first == "--help" || first == "-h";
  line.show_version = first == "--version" || first == "-v";
  if (line.show_help || line.show_version) return line;
  std::size_t i = 0;
  if (!first.starts_with('-')) line.file = arguments[i++];
  LineBuilder builder;
  for (; i < arguments.size(); ++i) {
    const bool at_edge = i == 0 || i + 1 == arguments.size();
    if (arguments[i] == "-" && at_edge) {
      line.read_stdin = true;
      continue;
    }
    const bool last = i + 1 == arguments.size();
    builder.Take(arguments[i], last ? std::nullopt : std::optional(arguments[i + 1]));
  }
  line.directives = std::move(builder).Finish();
  return line;
}

}  // namespace rung

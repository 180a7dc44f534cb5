// The grammar of configuration texts: lines of a name and its words, comments, include.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/option_spec.h"
#include "rung/config/config.h"

namespace rung {

// A line without the blanks around it; empty for a comment, which starts with '#'.
std::string_view TrimLine(std::string_view line);

// The lines of `text` without their line ends. A text that ends in a line end has no empty last
// line.
std::vector<std::string_view> SplitLines(std::string_view text);

// Loads texts into options, at start.
class ConfigLoader {
 public:
  // All references must outlive the loader. `seen` collects the names of options that appeared.
  ConfigLoader(Options& options, std::vector<std::string_view>& seen, const IncludeReader& reader)
      : options_(options), seen_(seen), reader_(reader) {}

  // As Config::Load.
  std::optional<std::string> Load(std::string_view text, std::string_view source);

 private:
  // Either takes the line, or says why not. An error within an included file names that file, so it
  // is complete already and goes to `included_error_`.
  Reason TakeLine(std::string_view line);
  Reason TakeOption(const OptionSpec& spec, Words words);
  Reason TakeOther(std::string_view name, Words words);
  Reason Include(const std::string& path);

  Options& options_;
  std::vector<std::string_view>& seen_;
  const IncludeReader& reader_;
  std::optional<std::string> included_error_;
  std::string place_;  // Of the line in work: "rung.conf:12".
  int depth_ = 0;
};

}  // namespace rung

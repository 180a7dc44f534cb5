// Reading of configuration texts. See parser.h.

#include "config/parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include "rung/base/numbers.h"
#include "rung/base/quoting.h"

namespace rung {
namespace {

constexpr int kDeepestInclude = 16;
constexpr std::string_view kBlanks = " \t\r\n\v\f";

// Names of Redis that are no options here, with what a user should know.
struct OtherDirective {
  std::string_view name;
  std::string_view reason;  // Empty: taken, and it means nothing any more.
};
constexpr std::array kOtherDirectives = {
    OtherDirective{"list-max-ziplist-entries", ""},
    OtherDirective{"list-max-ziplist-value", ""},
    OtherDirective{"lua-replicate-commands", ""},
    OtherDirective{"user", "users with rights are not available yet: use requirepass"},
    OtherDirective{"loadmodule", "there are no modules"},
    OtherDirective{"sentinel", "sentinel directive while not in sentinel mode"},
};

}  // namespace

std::string_view TrimLine(std::string_view line) {
  const std::size_t first = line.find_first_not_of(kBlanks);
  if (first == std::string_view::npos || line[first] == '#') return {};
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    lines.push_back(line.ends_with('\r') ? line.substr(0, end - 1) : line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<std::string> ConfigLoader::Load(std::string_view text, std::string_view source) {
  int number = 0;
  for (const std::string_view whole_line : SplitLines(text)) {
    ++number;
    const std::string_view line = TrimLine(whole_line);
    if (line.empty()) continue;
    place_ = std::string(source) + ":" + std::to_string(number);
    const std::string here = place_;  // An `include` moves on.
    const Reason refused = TakeLine(line);
    if (included_error_) return included_error_;
    if (!refused) continue;
    return here + ": '" + std::string(line) + "': " + *refused;
  }
  return std::nullopt;
}

Reason ConfigLoader::TakeLine(std::string_view line) {
  const std::optional<std::vector<std::string>> words = SplitQuoted(line);
  if (!words) return "Unbalanced quotes in configuration line";
  const Words arguments = Words(*words).subspan(1);
  const OptionSpec* const spec = FindOption(words->front());
  return spec != nullptr ? TakeOption(*spec, arguments) : TakeOther(words->front(), arguments);
}

Reason ConfigLoader::TakeOption(const OptionSpec& spec, Words words) {
  const bool again = std::find(seen_.begin(), seen_.end(), spec.name) != seen_.end();
  if (!again) seen_.push_back(spec.name);
  const ReadMode mode = again ? ReadMode::kAdd : ReadMode::kReplace;
  // A list may come as one quoted word.
  if (spec.Is(kSeveralWords) && words.size() == 1 && !words[0].empty()) {
    const std::optional<std::vector<std::string>> parts = SplitQuoted(words[0]);
    if (!parts) return "Unbalanced quotes in configuration line";
    return StoreValue(spec, *parts, mode, options_);
  }
  return StoreValue(spec, words, mode, options_);
}

Reason ConfigLoader::TakeOther(std::string_view name, Words words) {
  if (EqualsIgnoreCase(name, "include") && words.size() == 1) return Include(words[0]);
  if (EqualsIgnoreCase(name, "rename-command") && words.size() == 2) {
    options_.renamed_commands.push_back({words[0], words[1], place_});
    return std::nullopt;
  }
  for (const OtherDirective& other : kOtherDirectives) {
    if (!EqualsIgnoreCase(name, other.name) || words.empty()) continue;
    return other.reason.empty() ? std::nullopt : Reason(other.reason);
  }
  return "Bad directive or wrong number of arguments";
}

Reason ConfigLoader::Include(const std::string& path) {
  if (depth_ == kDeepestInclude) return "too many files that include each other";
  const Result<std::vector<IncludedFile>> files = reader_(path);
  if (!files.ok()) return files.error().text();
  ++depth_;
  for (const IncludedFile& file : *files) {
    included_error_ = Load(file.text, file.name);
    if (included_error_) break;
  }
  --depth_;
  return std::nullopt;
}

}  // namespace rung

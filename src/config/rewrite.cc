// CONFIG REWRITE: new values into an old text. See Config::Rewrite.

#include <algorithm>
#include <map>

#include "config/option_spec.h"
#include "config/parser.h"
#include "rung/base/numbers.h"
#include "rung/base/quoting.h"
#include "rung/config/config.h"

namespace rung {
namespace {

constexpr std::string_view kSignature = "# Written by CONFIG REWRITE";

class Rewriter {
 public:
  explicit Rewriter(std::string_view old_text) {
    for (const std::string_view line : SplitLines(old_text)) {
      lines_.emplace_back(line);
      const OptionSpec* const spec = OptionOf(line);
      if (spec != nullptr) places_[spec].push_back(lines_.size() - 1);
    }
  }

  // Puts `lines` where the option stood. Those that have no place there go to the end, places that
  // are left over disappear.
  void Put(const OptionSpec& spec, const std::vector<std::string>& lines, bool wanted) {
    const std::vector<std::size_t>& places = places_[&spec];
    if (places.empty() && !wanted) return;
    for (std::size_t i = 0; i < std::max(places.size(), lines.size()); ++i) {
      if (i >= places.size()) {
        Append(lines[i]);
      } else if (i < lines.size()) {
        lines_[places[i]] = lines[i];
      } else {
        dropped_.push_back(places[i]);
      }
    }
  }

  std::string Finish() const {
    std::string text;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (std::find(dropped_.begin(), dropped_.end(), i) != dropped_.end()) continue;
      text.append(lines_[i]).append("\n");
    }
    return text;
  }

 private:
  static const OptionSpec* OptionOf(std::string_view line) {
    const std::optional<std::vector<std::string>> words = SplitQuoted(TrimLine(line));
    return words && !words->empty() ? FindOption(words->front()) : nullptr;
  }

  void Append(const std::string& line) {
    const bool is_signed = std::find(lines_.begin(), lines_.end(), kSignature) != lines_.end();
    if (!is_signed) lines_.emplace_back(kSignature);
    lines_.push_back(line);
  }

  std::vector<std::string> lines_;
  std::map<const OptionSpec*, std::vector<std::size_t>> places_;  // Line numbers, ascending.
  std::vector<std::size_t> dropped_;
};

}  // namespace

std::string Config::Rewrite(std::string_view old_text, RewriteScope scope) const {
  const Options defaults;
  Rewriter rewriter(old_text);
  for (const OptionSection& section : OptionTable()) {
    for (const OptionSpec& spec : section.options) {
      const bool differs = FormatValue(spec, options_) != FormatValue(spec, defaults);
      const bool wanted = differs || scope == RewriteScope::kEverything;
      rewriter.Put(spec, FormatLines(spec, options_), wanted);
    }
  }
  return rewriter.Finish();
}

}  // namespace rung

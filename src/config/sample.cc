// The sample file, config/rung.conf, as text. See Config::SampleFile.

#include <algorithm>
#include <limits>

#include "config/option_spec.h"
#include "rung/config/config.h"

namespace rung {
namespace {

constexpr std::size_t kColumns = 100;

constexpr std::string_view kHead =
    "# rung.conf: every option of rungd with its meaning, range, unit and default.\n"
    "#\n"
    "# This file is generated from the table of options. What is commented out is the default: a\n"
    "# file with only the lines that you change is enough.\n"
    "#\n"
    "# Use: rungd rung.conf [--option value ...]; the command line counts more than the file.\n"
    "# A line is a name and its value. Values with blanks stand in \"double\" quotes, with \\n "
    "\\t\n"
    "# \\\" \\\\ \\xff, or in 'single' ones. The last line of an option counts. `include <path>` "
    "reads\n"
    "# another file at that place; wildcards in its name are allowed. `rename-command <name> "
    "<other>`\n"
    "# gives a command another name; an empty one, \"\", takes it away.\n"
    "# Sizes: 1k is 1000 bytes, 1kb 1024; likewise m, mb, g, gb, in any case.\n"
    "# \"Live\" options can be changed with CONFIG SET, the others at start only.\n";

// Appends `text` as comment lines of at most kColumns.
void AppendComment(std::string& out, std::string_view text) {
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (column != 0 && column + 1 + end > kColumns) {
      out += '\n';
      column = 0;
    }
    if (column == 0) {
      out += '#';
      column = 1;
    }
    out.append(" ").append(text.substr(0, end));
    column += 1 + end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

std::string Names(std::span<const EnumName> names) {
  std::string list;
  for (const EnumName& name : names) {
    if (!list.empty()) list += ", ";
    list += name.name;
  }
  return list;
}

std::string Limits(const OptionValue& value) {
  constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
  const bool is_size = value.kind == OptionKind::kMemory;
  const auto show = [&](std::int64_t number) {
    return is_size ? FormatMemory(static_cast<std::uint64_t>(number)) : std::to_string(number);
  };
  if (value.max == kNoLimit) return show(value.min) + " or more";
  return show(value.min) + " to " + show(value.max);
}

std::string Range(const OptionValue& value) {
  switch (value.kind) {
    case OptionKind::kBool:
      return "yes or no";
    case OptionKind::kInteger:
    case OptionKind::kMemory:
      return Limits(value);
    case OptionKind::kMemoryOrPercent:
      return "0 or more, or 0% to 100%";
    case OptionKind::kOctal:
      return "0 to 777, octal";
    case OptionKind::kEnum:
      return "one of " + Names(value.names);
    case OptionKind::kFlags:
      return "some of " + Names(value.names);
    case OptionKind::kText:
      return "text";
    case OptionKind::kSpecial:
      return std::string(value.special->syntax);
  }
  return {};
}

std::string Facts(const OptionSpec& spec) {
  std::string facts = "Value: " + Range(spec.value);
  if (!spec.unit.empty()) facts.append("; in ").append(spec.unit);
  facts.append(". ").append(spec.Is(kStartOnly) ? "At start only." : "Live.");
  if (spec.Is(kProtected)) facts.append(" Protected: see enable-protected-configs.");
  if (!spec.alias.empty()) facts.append(" Also known as ").append(spec.alias).append(".");
  return facts;
}

void AppendOption(std::string& out, const OptionSpec& spec, const Options& defaults) {
  out += '\n';
  AppendComment(out, spec.help);
  if (!spec.without_effect.empty()) {
    AppendComment(out, "Taken, but without effect: " + std::string(spec.without_effect) + ".");
  }
  AppendComment(out, Facts(spec));
  for (const std::string& line : FormatLines(spec, defaults)) {
    out.append("#").append(line).append("\n");
  }
}

}  // namespace

std::string Config::SampleFile() {
  const Options defaults;
  std::string out(kHead);
  for (const OptionSection& section : OptionTable()) {
    out.append("\n# --- ").append(section.title).append(" ");
    out.append(kColumns - 7 - section.title.size(), '-').append("\n");
    for (const OptionSpec& spec : section.options) {
      if (!spec.Is(kHidden)) AppendOption(out, spec, defaults);
    }
  }
  return out;
}

}  // namespace rung

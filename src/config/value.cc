// Values of options as text, both ways, for every kind but the special ones. See option_spec.h.

#include <algorithm>
#include <charconv>
#include <limits>

#include "config/option_spec.h"
#include "rung/base/numbers.h"
#include "rung/base/quoting.h"

namespace rung {
namespace {

struct MemoryUnit {
  std::string_view name;
  std::uint64_t bytes;
};

// Without the b a unit is decimal.
constexpr MemoryUnit kMemoryUnits[] = {
    {"", 1},         {"b", 1},        {"k", 1000},         {"kb", 1 << 10},
    {"m", 1000'000}, {"mb", 1 << 20}, {"g", 1000'000'000}, {"gb", 1 << 30},
};

std::optional<std::int64_t> ParseOctal(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, 8);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::string FormatOctal(std::int64_t value) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value, 8);
  return std::string(digits, end);
}

std::string FormatInteger(OptionKind kind, std::int64_t value) {
  return kind == OptionKind::kOctal ? FormatOctal(value) : std::to_string(value);
}

std::string OutOfRange(const OptionValue& value) {
  return "argument must be between " + FormatInteger(value.kind, value.min) + " and " +
         FormatInteger(value.kind, value.max) + " inclusive";
}

Reason StoreNumber(const OptionValue& value, std::optional<std::int64_t> number,
                   std::string_view not_a_number, Options& options) {
  if (!number) return std::string(not_a_number);
  if (*number < value.min || *number > value.max) return OutOfRange(value);
  value.store(options, *number);
  return std::nullopt;
}

Reason StoreBool(const OptionValue& value, std::string_view word, Options& options) {
  const bool yes = EqualsIgnoreCase(word, "yes");
  if (!yes && !EqualsIgnoreCase(word, "no")) return "argument must be 'yes' or 'no'";
  value.store(options, yes ? 1 : 0);
  return std::nullopt;
}

// A share is stored as a number below zero.
Reason StoreMemoryOrPercent(const OptionValue& value, std::string_view word, Options& options) {
  std::optional<std::int64_t> number = ParseMemory(word);
  if (!number && word.ends_with('%')) {
    const std::optional<std::int64_t> percent = ParseInt64(word.substr(0, word.size() - 1));
    if (percent && *percent > -value.min) {
      return "percentage argument must be less or equal to " + std::to_string(-value.min);
    }
    if (percent && *percent >= 0) number = -*percent;
  }
  return StoreNumber(value, number, "argument must be a memory or percent value", options);
}

Reason StoreNames(const OptionValue& value, Words words, Options& options) {
  std::int64_t bits = 0;
  bool known = !words.empty();
  for (const std::string& word : words) {
    const auto found =
        std::find_if(value.names.begin(), value.names.end(),
                     [&](const EnumName& name) { return EqualsIgnoreCase(word, name.name); });
    known = known && found != value.names.end();
    if (known) bits |= found->value;
  }
  if (known) {
    value.store(options, bits);
    return std::nullopt;
  }
  std::string reason = "argument(s) must be one of the following: ";
  for (const EnumName& name : value.names) {
    if (&name != value.names.data()) reason += ", ";
    reason += name.name;
  }
  return reason;
}

std::string FormatFlags(std::span<const EnumName> names, std::int64_t bits) {
  std::string words;
  for (const EnumName& name : names) {
    const bool set = bits == 0 ? name.value == 0 : (bits & name.value) != 0;
    if (!set) continue;
    if (!words.empty()) words += ' ';
    words += name.name;
  }
  return words;
}

std::string_view FormatEnum(std::span<const EnumName> names, std::int64_t value) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const EnumName& name) { return name.value == value; });
  return found == names.end() ? std::string_view() : found->name;
}

Reason ParseValue(const OptionSpec& spec, Words words, ReadMode mode, Options& options) {
  const OptionValue& value = spec.value;
  if (!spec.Is(kSeveralWords) && words.size() != 1) return "wrong number of arguments";
  switch (value.kind) {
    case OptionKind::kBool:
      return StoreBool(value, words[0], options);
    case OptionKind::kInteger:
      return StoreNumber(value, ParseInt64(words[0]), "argument couldn't be parsed into an integer",
                         options);
    case OptionKind::kOctal:
      return StoreNumber(value, ParseOctal(words[0]),
                         "argument couldn't be parsed as an octal number", options);
    case OptionKind::kMemory:
      return StoreNumber(value, ParseMemory(words[0]), "argument must be a memory value", options);
    case OptionKind::kMemoryOrPercent:
      return StoreMemoryOrPercent(value, words[0], options);
    case OptionKind::kEnum:
    case OptionKind::kFlags:
      return StoreNames(value, words, options);
    case OptionKind::kText:
      options.*value.text = words[0];
      return std::nullopt;
    case OptionKind::kSpecial:
      return value.special->parse(words, mode, options);
  }
  return std::nullopt;
}

// What stands behind the name in a file, for options that take one line.
std::string FormatForFile(const OptionSpec& spec, const Options& options) {
  const OptionKind kind = spec.value.kind;
  const std::string shown = FormatValue(spec, options);
  const bool is_size = kind == OptionKind::kMemory || kind == OptionKind::kMemoryOrPercent;
  if (is_size && spec.value.load(options) >= 0) {
    return FormatMemory(static_cast<std::uint64_t>(spec.value.load(options)));
  }
  // The words of a list are plain; as one quoted word they would not read back as a list.
  if (spec.Is(kSeveralWords) && !shown.empty()) return shown;
  return QuoteIfNeeded(shown);
}

}  // namespace

std::optional<std::int64_t> ParseMemory(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::uint64_t count = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + digits, count);
  if (digits == 0 || error != std::errc()) return std::nullopt;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  for (const MemoryUnit& unit : kMemoryUnits) {
    if (!EqualsIgnoreCase(text.substr(digits), unit.name)) continue;
    if (count > kMax / unit.bytes) return std::nullopt;
    return static_cast<std::int64_t>(count * unit.bytes);
  }
  return std::nullopt;
}

std::string FormatMemory(std::uint64_t bytes) {
  constexpr MemoryUnit kWholeUnits[] = {{"gb", 1 << 30}, {"mb", 1 << 20}, {"kb", 1 << 10}};
  for (const MemoryUnit& unit : kWholeUnits) {
    if (bytes != 0 && bytes % unit.bytes == 0) {
      return std::to_string(bytes / unit.bytes).append(unit.name);
    }
  }
  return std::to_string(bytes);
}

Reason StoreValue(const OptionSpec& spec, Words words, ReadMode mode, Options& options) {
  if (Reason refused = ParseValue(spec, words, mode, options)) return refused;
  if (spec.check != nullptr) {
    if (Reason refused = spec.check(options)) return refused;
  }
  return RefuseWhatDoesNotExistYet(options);
}

std::string FormatValue(const OptionSpec& spec, const Options& options) {
  const OptionValue& value = spec.value;
  switch (value.kind) {
    case OptionKind::kBool:
      return value.load(options) != 0 ? "yes" : "no";
    case OptionKind::kInteger:
    case OptionKind::kOctal:
    case OptionKind::kMemory:
      return FormatInteger(value.kind, value.load(options));
    case OptionKind::kMemoryOrPercent: {
      const std::int64_t number = value.load(options);
      return number < 0 ? std::to_string(-number) + '%' : std::to_string(number);
    }
    case OptionKind::kEnum:
      return std::string(FormatEnum(value.names, value.load(options)));
    case OptionKind::kFlags:
      return FormatFlags(value.names, value.load(options));
    case OptionKind::kText:
      return options.*value.text;
    case OptionKind::kSpecial:
      return value.special->format(options);
  }
  return {};
}

std::vector<std::string> FormatLines(const OptionSpec& spec, const Options& options) {
  const SpecialValue* const special = spec.value.special;
  std::vector<std::string> lines = special != nullptr && special->lines != nullptr
                                       ? special->lines(options)
                                       : std::vector{FormatForFile(spec, options)};
  for (std::string& line : lines) line = std::string(spec.name).append(" ").append(line);
  return lines;
}

}  // namespace rung

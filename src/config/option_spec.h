// OptionSpec: one row of the table of options, from which everything else is derived: the grammar
// of files and command line, CONFIG GET, SET and REWRITE, and the sample file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rung/config/options.h"

namespace rung {

// Why a value is refused, in the words a client reads; nullopt if it is taken.
using Reason = std::optional<std::string>;
using Words = std::span<const std::string>;

struct EnumName {
  std::string_view name;
  std::int64_t value;
};

enum class OptionKind : std::uint8_t {
  kBool,     // yes, no
  kInteger,  // decimal
  kOctal,    // permissions
  kMemory,   // bytes, with k kb m mb g gb
  kMemoryOrPercent,
  kEnum,     // one of `names`
  kFlags,    // several of `names`; several words
  kText,     // any bytes
  kSpecial,  // has functions of its own
};

// Whether a special option is read for the first time or, at start, once more: `save` then adds.
enum class ReadMode : std::uint8_t { kReplace, kAdd };

struct SpecialValue {
  Reason (*parse)(Words words, ReadMode mode, Options& options);
  // The value as CONFIG GET shows it.
  std::string (*format)(const Options& options);
  // The value as a file has it: what stands behind the name, once for each line. nullptr: as above.
  std::vector<std::string> (*lines)(const Options& options);
  std::string_view syntax;  // For the sample file.
};

// How the value of an option is stored and read. The two functions hide the type of the field.
struct OptionValue {
  OptionKind kind = OptionKind::kText;
  std::int64_t (*load)(const Options& options) = nullptr;
  void (*store)(Options& options, std::int64_t value) = nullptr;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::span<const EnumName> names = {};
  std::string Options::*text = nullptr;
  const SpecialValue* special = nullptr;
};

enum OptionFlags : std::uint8_t {
  kStartOnly = 1U << 0,     // CONFIG SET refuses it.
  kHidden = 1U << 1,        // CONFIG GET shows it to its full name only.
  kProtected = 1U << 2,     // CONFIG SET needs enable-protected-configs.
  kSecret = 1U << 3,        // A password: not shown in SLOWLOG and MONITOR.
  kSeveralWords = 1U << 4,  // The value is a list of words.
};

struct OptionSpec {
  std::string_view name;
  std::string_view alias = {};
  OptionValue value = {};
  unsigned flags = 0;
  // Looks at the options after the value was stored: refuses them or brings them into range.
  Reason (*check)(Options& options) = nullptr;
  std::string_view unit = {};
  std::string_view help = {};
  // Not empty: the option is taken and kept, but nothing reads it yet, for this reason.
  std::string_view without_effect = {};

  bool Is(OptionFlags flag) const { return (flags & flag) != 0; }
};

struct OptionSection {
  std::string_view title;
  std::span<const OptionSpec> options;
};

// The table. Names and aliases are unique and in lower case.
std::span<const OptionSection> OptionTable();

// By name or alias in any case; nullptr if there is none.
const OptionSpec* FindOption(std::string_view name);

// Reads `words` as the value of `spec` and stores it. On refusal `options` may be changed: the
// caller works on a copy or gives up.
Reason StoreValue(const OptionSpec& spec, Words words, ReadMode mode, Options& options);

// As CONFIG GET shows it.
std::string FormatValue(const OptionSpec& spec, const Options& options);

// As a file has it: the lines that set the option to its value, without comments. None for an
// option that has no value.
std::vector<std::string> FormatLines(const OptionSpec& spec, const Options& options);

// "100mb": the largest unit without a remainder.
std::string FormatMemory(std::uint64_t bytes);

// Bytes from "1gb", "64kb", "100": nullopt if it is no size or does not fit 63 bits.
std::optional<std::int64_t> ParseMemory(std::string_view text);

// The values of the special options: special.cc.
extern const SpecialValue kBindValue;
extern const SpecialValue kSaveValue;
extern const SpecialValue kOutputBufferLimitValue;
extern const SpecialValue kOomScoreAdjValuesValue;
extern const SpecialValue kKeyspaceEventsValue;
extern const SpecialValue kReplicaOfValue;
extern const SpecialValue kPercentilesValue;
extern const SpecialValue kMaxmemoryPolicyValue;
extern const SpecialValue kClusterEnabledValue;

// What the grammar knows but the broker cannot do yet: the reason, or nullopt if `options` asks for
// nothing of that kind. One line is deleted here with each feature that arrives (not_yet.cc).
Reason RefuseWhatDoesNotExistYet(const Options& options);

}  // namespace rung

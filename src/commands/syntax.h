// The `syntax` line of a CommandSpec as a tree of arguments (grammar: rung/commands/command.h).
//
// COMMAND DOCS, HELP and docs/commands.md are all printed from this tree, so that the one line
// beside the handler is the only place where arguments are described.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rung/base/result.h"

namespace rung {

// Names as COMMAND DOCS prints them.
enum class ArgumentType : std::uint8_t {
  kString,
  kInteger,
  kDouble,
  kKey,
  kPattern,
  kUnixTime,
  kPureToken,  // A literal word with no value behind it.
  kOneOf,
  kBlock,
};

struct SyntaxArgument {
  std::string name;
  ArgumentType type = ArgumentType::kString;
  std::string token;  // The literal word before the value, if any.
  bool optional = false;
  bool multiple = false;
  bool multiple_token = false;           // Repeated with its token: GET a GET b.
  std::vector<SyntaxArgument> children;  // Of kOneOf and kBlock.
};

std::string_view ArgumentTypeName(ArgumentType type);

// Errors: where the line breaks the grammar.
Result<std::vector<SyntaxArgument>> ParseSyntax(std::string_view syntax);

// How many words the arguments take; `max` is empty if there is no limit.
struct WordCount {
  std::size_t min = 0;
  std::optional<std::size_t> max = 0;
};
WordCount CountWords(const std::vector<SyntaxArgument>& arguments);

// For people: "<key> [NX | XX] (<score> <member>) [...]".
std::string UsageLine(const std::vector<SyntaxArgument>& arguments);

}  // namespace rung

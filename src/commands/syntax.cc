// Parsing and printing of syntax lines. See syntax.h.
//
// A literal word belongs to the value behind it ("EX seconds"); a literal word before several
// values within brackets becomes the token of a block ("[LIMIT offset count]").

#include "commands/syntax.h"

#include <algorithm>
#include <utility>

#include "rung/base/numbers.h"

namespace rung {
namespace {

constexpr std::string_view kRepeat = "...";

bool IsLiteral(std::string_view word) {
  return std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

std::optional<ArgumentType> TypeFromName(std::string_view name) {
  for (const ArgumentType type :
       {ArgumentType::kString, ArgumentType::kInteger, ArgumentType::kDouble, ArgumentType::kKey,
        ArgumentType::kPattern, ArgumentType::kUnixTime}) {
    if (ArgumentTypeName(type) == name) return type;
  }
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<std::vector<SyntaxArgument>> Parse() {
    std::vector<std::vector<SyntaxArgument>> alternatives = Alternatives();
    if (Peek() != '\0') Fail("something is left over");
    if (!error_.empty()) {
      return Error(error_ + " at '" + std::string(text_.substr(at_)) + "'");
    }
    if (alternatives.size() == 1) return Fold(std::move(alternatives[0]), 0);
    return std::vector{OneOf(std::move(alternatives))};
  }

 private:
  void Fail(std::string_view what) {
    if (error_.empty()) error_ = what;
  }

  // The next character that is no blank; NUL at the end or after an error.
  char Peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() && error_.empty() ? text_[at_] : '\0';
  }

  bool TakeRepeat() {
    if (Peek() != '.' || text_.substr(at_, kRepeat.size()) != kRepeat) return false;
    at_ += kRepeat.size();
    return true;
  }

  std::string_view TakeWord() {
    const std::size_t start = at_;
    while (at_ < text_.size() && std::string_view(" []()|").find(text_[at_]) == std::string::npos &&
           text_.substr(at_, kRepeat.size()) != kRepeat) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  std::vector<std::vector<SyntaxArgument>> Alternatives() {
    std::vector<std::vector<SyntaxArgument>> alternatives;
    do {
      if (!alternatives.empty()) ++at_;  // The bar.
      alternatives.push_back(Sequence());
    } while (Peek() == '|');
    return alternatives;
  }

  // Items as they stand, literal words not yet joined to their values.
  std::vector<SyntaxArgument> Sequence() {
    std::vector<SyntaxArgument> items;
    for (char next = Peek(); next != '\0' && next != ']' && next != ')' && next != '|';
         next = Peek()) {
      SyntaxArgument item = Primary(next);
      if (TakeRepeat()) {
        item.multiple = true;
        item.multiple_token = !item.token.empty() && item.optional;
      }
      items.push_back(std::move(item));
    }
    return items;
  }

  SyntaxArgument Primary(char next) {
    if (next != '[' && next != '(') return Word();
    const char closing = next == '[' ? ']' : ')';
    ++at_;
    std::vector<std::vector<SyntaxArgument>> alternatives = Alternatives();
    if (Peek() != closing) {
      Fail("a bracket is not closed");
      return {};
    }
    ++at_;
    SyntaxArgument argument = alternatives.size() == 1 ? Wrap(std::move(alternatives[0]))
                                                       : OneOf(std::move(alternatives));
    argument.optional = argument.optional || closing == ']';
    return argument;
  }

  SyntaxArgument Word() {
    const std::string_view word = TakeWord();
    SyntaxArgument argument;
    if (word.empty()) {
      Fail("a word is missing");
    } else if (IsLiteral(word)) {
      argument.type = ArgumentType::kPureToken;
      argument.token = word;
      argument.name = ToLower(word);
    } else {
      const std::size_t colon = word.find(':');
      argument.name = word.substr(0, colon);
      if (colon != std::string_view::npos) {
        const std::optional<ArgumentType> type = TypeFromName(word.substr(colon + 1));
        if (!type) Fail("an unknown type");
        argument.type = type.value_or(ArgumentType::kString);
      }
    }
    return argument;
  }

  static bool IsPlainToken(const SyntaxArgument& item) {
    return item.type == ArgumentType::kPureToken && !item.optional && !item.multiple;
  }
  static bool TakesToken(const SyntaxArgument& item) {
    return item.token.empty() && !item.optional;
  }

  // Joins each literal word to the value behind it, from item `first` on.
  static std::vector<SyntaxArgument> Fold(std::vector<SyntaxArgument> items, std::size_t first) {
    std::vector<SyntaxArgument> folded;
    for (std::size_t i = first; i < items.size(); ++i) {
      if (IsPlainToken(items[i]) && i + 1 < items.size() && TakesToken(items[i + 1])) {
        items[i + 1].token = std::move(items[i].token);
        ++i;
      }
      folded.push_back(std::move(items[i]));
    }
    return folded;
  }

  // A sequence as one argument.
  SyntaxArgument Wrap(std::vector<SyntaxArgument> items) {
    if (items.empty()) {
      Fail("an empty bracket");
      return {};
    }
    const bool token_first = items.size() > 2 && IsPlainToken(items[0]);
    SyntaxArgument block;
    block.type = ArgumentType::kBlock;
    if (token_first) block.token = items[0].token;
    block.children = Fold(std::move(items), token_first ? 1 : 0);
    if (block.children.size() == 1 && !token_first) {
      SyntaxArgument only = std::move(block.children[0]);
      return only;
    }
    block.name = token_first ? ToLower(block.token) : JoinNames(block.children);
    return block;
  }

  SyntaxArgument OneOf(std::vector<std::vector<SyntaxArgument>> alternatives) {
    SyntaxArgument choice;
    choice.type = ArgumentType::kOneOf;
    for (auto& items : alternatives) choice.children.push_back(Wrap(std::move(items)));
    choice.name = JoinNames(choice.children);
    return choice;
  }

  static std::string JoinNames(const std::vector<SyntaxArgument>& arguments) {
    std::string names;
    for (const SyntaxArgument& argument : arguments) {
      if (!names.empty()) names += '-';
      names += argument.name;
    }
    return names;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string error_;
};

WordCount CountOne(const SyntaxArgument& argument) {
  WordCount count;
  if (argument.type == ArgumentType::kBlock) {
    count = CountWords(argument.children);
  } else if (argument.type == ArgumentType::kOneOf) {
    count = CountOne(argument.children[0]);
    for (const SyntaxArgument& child : argument.children) {
      const WordCount other = CountOne(child);
      count.min = std::min(count.min, other.min);
      count.max =
          count.max && other.max ? std::optional(std::max(*count.max, *other.max)) : std::nullopt;
    }
  } else if (argument.type != ArgumentType::kPureToken) {
    count = {.min = 1, .max = 1};
  }
  if (!argument.token.empty()) {
    ++count.min;
    if (count.max) ++*count.max;
  }
  if (argument.optional) count.min = 0;
  if (argument.multiple) count.max.reset();
  return count;
}

std::string UsageOf(const SyntaxArgument& argument) {
  std::string usage;
  const bool choice = argument.type == ArgumentType::kOneOf;
  const bool group = choice || argument.type == ArgumentType::kBlock;
  if (group) {
    for (const SyntaxArgument& child : argument.children) {
      if (!usage.empty()) usage += choice ? " | " : " ";
      usage += UsageOf(child);
    }
    // A choice behind a token, and whatever is repeated or mandatory, needs brackets of its own.
    const bool bare = argument.optional && argument.token.empty() && !argument.multiple;
    const bool plain_block = !choice && !argument.multiple;
    if (!bare && !plain_block) usage = "(" + usage + ")";
  } else if (argument.type != ArgumentType::kPureToken) {
    usage = "<" + argument.name + ">";
  }
  const std::string once = usage;
  if (!argument.token.empty()) usage = argument.token + (usage.empty() ? "" : " " + usage);
  if (argument.multiple) usage += " [" + (argument.multiple_token ? usage : once) + " ...]";
  if (argument.optional) usage = "[" + usage + "]";
  return usage;
}

}  // namespace

std::string_view ArgumentTypeName(ArgumentType type) {
  switch (type) {
    case ArgumentType::kString:
      return "string";
    case ArgumentType::kInteger:
      return "integer";
    case ArgumentType::kDouble:
      return "double";
    case ArgumentType::kKey:
      return "key";
    case ArgumentType::kPattern:
      return "pattern";
    case ArgumentType::kUnixTime:
      return "unix-time";
    case ArgumentType::kPureToken:
      return "pure-token";
    case ArgumentType::kOneOf:
      return "oneof";
    case ArgumentType::kBlock:
      return "block";
  }
  return "string";
}

Result<std::vector<SyntaxArgument>> ParseSyntax(std::string_view syntax) {
  return Parser(syntax).Parse();
}

WordCount CountWords(const std::vector<SyntaxArgument>& arguments) {
  WordCount total;
  for (const SyntaxArgument& argument : arguments) {
    const WordCount count = CountOne(argument);
    total.min += count.min;
    total.max = total.max && count.max ? std::optional(*total.max + *count.max) : std::nullopt;
  }
  return total;
}

std::string UsageLine(const std::vector<SyntaxArgument>& arguments) {
  std::string usage;
  for (const SyntaxArgument& argument : arguments) {
    if (!usage.empty()) usage += ' ';
    usage += UsageOf(argument);
  }
  return usage;
}

}  // namespace rung

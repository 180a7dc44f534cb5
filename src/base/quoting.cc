// Reading and printing quoted words. See quoting.h.

#include "rung/base/quoting.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace rung {
namespace {

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsPrintable(char c) { return c >= ' ' && c <= '~'; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char Unescape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    default:
      return c;
  }
}

// One pass over a line; each Take function starts at `at_` and leaves it behind what it took.
class WordReader {
 public:
  explicit WordReader(std::string_view line) : line_(line) {}

  void SkipBlanks() {
    while (!AtEnd() && IsBlank(line_[at_])) ++at_;
  }
  bool AtEnd() const { return at_ == line_.size(); }

  // False if a quote is left open or is followed by a letter. A quote may start within a word.
  bool TakeWord(std::string& word) {
    while (!AtEnd() && !IsBlank(line_[at_])) {
      const char c = line_[at_++];
      if (c == '"') return TakeDoubleQuoted(word);
      if (c == '\'') return TakeSingleQuoted(word);
      word.push_back(c);
    }
    return true;
  }

 private:
  bool TakeDoubleQuoted(std::string& word) {
    while (!AtEnd()) {
      const char c = line_[at_++];
      if (c == '"') return EndsHere();
      word.push_back(c == '\\' && !AtEnd() ? TakeEscape() : c);
    }
    return false;
  }

  bool TakeSingleQuoted(std::string& word) {
    while (!AtEnd()) {
      const char c = line_[at_++];
      if (c == '\'') return EndsHere();
      const bool escaped_quote = c == '\\' && !AtEnd() && line_[at_] == '\'';
      word.push_back(escaped_quote ? line_[at_++] : c);
    }
    return false;
  }

  char TakeEscape() {
    const char kind = line_[at_++];
    if (kind == 'x' && line_.size() - at_ >= 2) {
      const int high = HexDigit(line_[at_]);
      const int low = HexDigit(line_[at_ + 1]);
      if (high >= 0 && low >= 0) {
        at_ += 2;
        return static_cast<char>(high * 16 + low);
      }
    }
    return Unescape(kind);
  }

  bool EndsHere() const { return AtEnd() || IsBlank(line_[at_]); }

  std::string_view line_;
  std::size_t at_ = 0;
};

void AppendEscaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::pair<char, std::string_view> kNamed[] = {
      {'\\', "\\\\"}, {'"', "\\\""}, {'\n', "\\n"}, {'\r', "\\r"},
      {'\t', "\\t"},  {'\a', "\\a"}, {'\b', "\\b"},
  };
  for (const auto& [named, escape] : kNamed) {
    if (c == named) {
      out.append(escape);
      return;
    }
  }
  if (IsPrintable(c)) {
    out.push_back(c);
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  out.append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
}

}  // namespace

std::optional<std::vector<std::string>> SplitQuoted(std::string_view line) {
  std::vector<std::string> words;
  WordReader reader(line);
  reader.SkipBlanks();
  while (!reader.AtEnd()) {
    std::string word;
    if (!reader.TakeWord(word)) return std::nullopt;
    words.push_back(std::move(word));
    reader.SkipBlanks();
  }
  return words;
}

std::string Quote(std::string_view bytes) {
  std::string quoted(1, '"');
  for (const char c : bytes) AppendEscaped(quoted, c);
  quoted.push_back('"');
  return quoted;
}

std::string QuoteIfNeeded(std::string_view bytes) {
  const bool plain = !bytes.empty() && std::all_of(bytes.begin(), bytes.end(), [](char c) {
    return c > ' ' && c <= '~' && c != '"' && c != '\'';
  });
  return plain ? std::string(bytes) : Quote(bytes);
}

}  // namespace rung

// Matching of glob patterns with one point of return. See glob.h.

#include "rung/base/glob.h"

#include <algorithm>

namespace rung {
namespace {

unsigned char Fold(char c, CaseMode mode) {
  const bool lower = mode == CaseMode::kIgnore && c >= 'A' && c <= 'Z';
  return static_cast<unsigned char>(lower ? c + ('a' - 'A') : c);
}

struct BracketResult {
  bool matches = false;
  std::size_t end = 0;  // Just past the closing bracket.
};

// `at` is just past the opening bracket.
BracketResult MatchBracket(std::string_view pattern, std::size_t at, char c, CaseMode mode) {
  const bool negated = at < pattern.size() && pattern[at] == '^';
  if (negated) ++at;
  const unsigned char folded = Fold(c, mode);
  bool listed = false;
  while (at < pattern.size() && pattern[at] != ']') {
    const std::size_t left = pattern.size() - at;
    if (pattern[at] == '\\' && left >= 2) {
      listed = listed || Fold(pattern[at + 1], mode) == folded;
      at += 2;
    } else if (left >= 3 && pattern[at + 1] == '-') {
      const auto [low, high] = std::minmax({Fold(pattern[at], mode), Fold(pattern[at + 2], mode)});
      listed = listed || (low <= folded && folded <= high);
      at += 3;
    } else {
      listed = listed || Fold(pattern[at], mode) == folded;
      ++at;
    }
  }
  const std::size_t end = at < pattern.size() ? at + 1 : at;
  return {listed != negated, end};
}

// The element at `at`, which is not a star, against one byte. Returns where the next element
// starts, or 0 if the byte does not match.
std::size_t MatchElement(std::string_view pattern, std::size_t at, char c, CaseMode mode) {
  switch (pattern[at]) {
    case '?':
      return at + 1;
    case '[': {
      const BracketResult bracket = MatchBracket(pattern, at + 1, c, mode);
      return bracket.matches ? bracket.end : 0;
    }
    case '\\':
      if (at + 1 < pattern.size()) ++at;
      break;
    default:
      break;
  }
  return Fold(pattern[at], mode) == Fold(c, mode) ? at + 1 : 0;
}

}  // namespace

bool GlobMatchCounted(std::string_view pattern, std::string_view text, CaseMode mode,
                      std::size_t& steps) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t at = 0;              // In the pattern.
  std::size_t position = 0;        // In the text.
  std::size_t after_star = kNone;  // In the pattern, where to return to.
  std::size_t star_position = 0;   // How much of the text lies before the end of that star.
  while (position < text.size()) {
    ++steps;
    if (at < pattern.size() && pattern[at] == '*') {
      after_star = ++at;
      if (after_star == pattern.size()) return true;
      star_position = position;
      continue;
    }
    const std::size_t next =
        at < pattern.size() ? MatchElement(pattern, at, text[position], mode) : 0;
    if (next != 0) {
      at = next;
      ++position;
    } else if (after_star != kNone) {
      at = after_star;
      position = ++star_position;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == kNone;
}

bool GlobMatch(std::string_view pattern, std::string_view text, CaseMode mode) {
  std::size_t steps = 0;
  return GlobMatchCounted(pattern, text, mode, steps);
}

bool HasGlobWildcard(std::string_view pattern) {
  return pattern.find_first_of("*?[") != std::string_view::npos;
}

}  // namespace rung

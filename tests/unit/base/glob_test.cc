// What a pattern of KEYS, SCAN, PSUBSCRIBE or CONFIG GET matches, and that none is slow.

#include "rung/base/glob.h"

#include <gtest/gtest.h>

#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "rung/base/rng.h"

namespace rung {
namespace {

TEST(GlobTest, StarsAndQuestionMarks) {
  EXPECT_TRUE(GlobMatch("*", ""));
  EXPECT_TRUE(GlobMatch("*", "jobs"));
  EXPECT_TRUE(GlobMatch("", ""));
  EXPECT_FALSE(GlobMatch("", "a"));
  EXPECT_FALSE(GlobMatch("?", ""));
  EXPECT_TRUE(GlobMatch("h?llo", "hello"));
  EXPECT_FALSE(GlobMatch("h?llo", "hllo"));
  EXPECT_TRUE(GlobMatch("h*llo", "hllo"));
  EXPECT_TRUE(GlobMatch("bull:*:wait", "bull:mail:eu:wait"));
  EXPECT_FALSE(GlobMatch("bull:*:wait", "bull:mail:waiting"));
  EXPECT_TRUE(GlobMatch("**a***", "bab"));
  EXPECT_TRUE(GlobMatch("*ab", "aab"));
}

TEST(GlobTest, Brackets) {
  EXPECT_TRUE(GlobMatch("h[ae]llo", "hallo"));
  EXPECT_FALSE(GlobMatch("h[ae]llo", "hillo"));
  EXPECT_TRUE(GlobMatch("h[^e]llo", "hallo"));
  EXPECT_FALSE(GlobMatch("h[^e]llo", "hello"));
  EXPECT_TRUE(GlobMatch("[0-9]", "5"));
  EXPECT_TRUE(GlobMatch("[9-0]", "5"));
  EXPECT_FALSE(GlobMatch("[0-9]", "x"));
  EXPECT_FALSE(GlobMatch("[]", "]"));
  EXPECT_TRUE(GlobMatch("[^]", "]"));
  EXPECT_TRUE(GlobMatch("[\\]]", "]"));
  EXPECT_TRUE(GlobMatch("[-z]", "-"));
  EXPECT_TRUE(GlobMatch("[\x80-\xff]", "\xc3"));
  EXPECT_TRUE(GlobMatch("[ab", "b")) << "an open bracket ends with the pattern";
  EXPECT_FALSE(GlobMatch("[", "["));
}

TEST(GlobTest, BackslashTakesTheNextByteAsItIs) {
  EXPECT_TRUE(GlobMatch("\\*", "*"));
  EXPECT_FALSE(GlobMatch("\\*", "a"));
  EXPECT_TRUE(GlobMatch("a\\\\b", "a\\b"));
  EXPECT_TRUE(GlobMatch("a\\", "a\\"));
}

TEST(GlobTest, CaseModeFoldsLettersOnly) {
  EXPECT_FALSE(GlobMatch("MaxMemory*", "maxmemory-policy"));
  EXPECT_TRUE(GlobMatch("MaxMemory*", "maxmemory-policy", CaseMode::kIgnore));
  EXPECT_TRUE(GlobMatch("[A-C]", "b", CaseMode::kIgnore));
  EXPECT_FALSE(GlobMatch("[", "{", CaseMode::kIgnore));
  EXPECT_FALSE(GlobMatch("@", "`", CaseMode::kIgnore));
}

TEST(GlobTest, KnowsWhichPatternsAreMoreThanOneText) {
  EXPECT_FALSE(HasGlobWildcard("maxmemory"));
  EXPECT_FALSE(HasGlobWildcard("a\\b"));
  EXPECT_TRUE(HasGlobWildcard("max*"));
  EXPECT_TRUE(HasGlobWildcard("?"));
  EXPECT_TRUE(HasGlobWildcard("[a]"));
}

// A recursive matcher over sets of bytes: slow, and plainly right.
class NaiveGlob {
 public:
  static bool Match(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) return text.empty();
    if (pattern[0] == '*') {
      for (std::size_t skip = 0; skip <= text.size(); ++skip) {
        if (Match(pattern.substr(1), text.substr(skip))) return true;
      }
      return false;
    }
    if (text.empty()) return false;
    std::bitset<256> accepted;
    const std::string_view rest = TakeElement(pattern, accepted);
    return accepted[Byte(text[0])] && Match(rest, text.substr(1));
  }

 private:
  static std::size_t Byte(char c) { return static_cast<unsigned char>(c); }

  static std::string_view TakeElement(std::string_view pattern, std::bitset<256>& accepted) {
    const char first = pattern[0];
    if (first == '?') {
      accepted.set();
      return pattern.substr(1);
    }
    if (first == '[') return TakeBracket(pattern.substr(1), accepted);
    const std::size_t literal = first == '\\' && pattern.size() > 1 ? 1 : 0;
    accepted.set(Byte(pattern[literal]));
    return pattern.substr(literal + 1);
  }

  static std::string_view TakeBracket(std::string_view rest, std::bitset<256>& accepted) {
    const bool negated = !rest.empty() && rest[0] == '^';
    if (negated) rest.remove_prefix(1);
    while (!rest.empty() && rest[0] != ']') {
      if (rest[0] == '\\' && rest.size() > 1) {
        accepted.set(Byte(rest[1]));
        rest.remove_prefix(2);
      } else if (rest.size() > 2 && rest[1] == '-') {
        std::size_t low = Byte(rest[0]);
        std::size_t high = Byte(rest[2]);
        if (low > high) std::swap(low, high);
        for (std::size_t byte = low; byte <= high; ++byte) accepted.set(byte);
        rest.remove_prefix(3);
      } else {
        accepted.set(Byte(rest[0]));
        rest.remove_prefix(1);
      }
    }
    if (negated) accepted.flip();
    return rest.empty() ? rest : rest.substr(1);
  }
};

std::string RandomText(Rng& rng, std::string_view alphabet, std::size_t longest) {
  std::string text;
  for (std::size_t left = rng.Below(longest + 1); left > 0; --left) {
    text.push_back(alphabet[rng.Below(alphabet.size())]);
  }
  return text;
}

TEST(GlobTest, AgreesWithANaiveMatcher) {
  Rng rng(20240611);
  std::size_t matched = 0;
  for (int round = 0; round < 200000; ++round) {
    const std::string pattern = RandomText(rng, "ab**?[]^-\\c", 9);
    const std::string text = RandomText(rng, "abc]-\\", 7);
    const bool expected = NaiveGlob::Match(pattern, text);
    matched += expected ? 1 : 0;
    ASSERT_EQ(GlobMatch(pattern, text), expected) << pattern << " against " << text;
  }
  EXPECT_GT(matched, 5000u) << "the patterns are too hard to prove anything";
}

TEST(GlobTest, NestedStarsCostAtMostPatternTimesText) {
  const std::string text(2000, 'a');
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "a*";
  pattern += "b";
  std::size_t steps = 0;
  EXPECT_FALSE(GlobMatchCounted(pattern, text, CaseMode::kExact, steps));
  EXPECT_LE(steps, pattern.size() * text.size());

  steps = 0;
  const std::string question_marks = "*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?b";
  EXPECT_FALSE(GlobMatchCounted(question_marks, text, CaseMode::kExact, steps));
  EXPECT_LE(steps, question_marks.size() * text.size());
}

}  // namespace
}  // namespace rung

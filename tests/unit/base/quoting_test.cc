// How a line falls into words, and that what we quote reads back.

#include "rung/base/quoting.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "rung/base/rng.h"

namespace rung {
namespace {

using Words = std::vector<std::string>;

TEST(QuotingTest, SplitsAtBlanks) {
  EXPECT_EQ(SplitQuoted(""), Words{});
  EXPECT_EQ(SplitQuoted("  \t\r\n"), Words{});
  EXPECT_EQ(SplitQuoted(" save  60\t1000 \r"), (Words{"save", "60", "1000"}));
}

TEST(QuotingTest, DoubleQuotesKnowEscapes) {
  EXPECT_EQ(SplitQuoted(R"(save "")"), (Words{"save", ""}));
  EXPECT_EQ(SplitQuoted(R"("a b" "\x41\n\t\"\\\q")"), (Words{"a b", "A\n\t\"\\q"}));
  EXPECT_EQ(SplitQuoted(R"("\xg1\x4")"), (Words{"xg1x4"}));
  EXPECT_EQ(SplitQuoted(R"(pre"fix ed")"), (Words{"prefix ed"}));
}

TEST(QuotingTest, SingleQuotesKnowOnlyTheQuote) {
  EXPECT_EQ(SplitQuoted(R"('it\'s' '\n')"), (Words{"it's", "\\n"}));
}

TEST(QuotingTest, RefusesUnbalancedQuotes) {
  for (const char* bad : {"\"", "'", "\"a", "'a", "\"a\"b", "'a'b", "\"a\\"}) {
    EXPECT_EQ(SplitQuoted(bad), std::nullopt) << bad;
  }
}

TEST(QuotingTest, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(QuoteIfNeeded("./data"), "./data");
  EXPECT_EQ(QuoteIfNeeded(""), "\"\"");
  EXPECT_EQ(QuoteIfNeeded("a b"), "\"a b\"");
  EXPECT_EQ(QuoteIfNeeded("\xc3\xa9"), "\"\\xc3\\xa9\"");
  EXPECT_EQ(Quote("6379"), "\"6379\"");
  EXPECT_EQ(Quote("a\"\\\n\r\t\a\b\x01"), R"("a\"\\\n\r\t\a\b\x01")");
}

TEST(QuotingTest, WhatIsQuotedReadsBack) {
  Rng rng(7);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    for (std::size_t left = rng.Below(12); left > 0; --left) {
      bytes.push_back(static_cast<char>(rng.Below(256)));
    }
    ASSERT_EQ(SplitQuoted(Quote(bytes)), Words{bytes});
    ASSERT_EQ(SplitQuoted(QuoteIfNeeded(bytes)), Words{bytes});
  }
}

}  // namespace
}  // namespace rung

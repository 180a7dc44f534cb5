// The fast way of reading length lines takes what clients write, and leaves the rest to the parser.

#include "rung/resp/length_line.h"

#include <gtest/gtest.h>

#include <string>

namespace rung {
namespace {

TEST(LengthLineTest, ReadsTheNumberAndTellsTheBytesOfTheLine) {
  std::size_t length = 0;
  EXPECT_EQ(ReadLengthLine("$7\r\nZADD...", '$', length), 4u);
  EXPECT_EQ(length, 7u);
  EXPECT_EQ(ReadLengthLine("*120\r\n", '*', length), 6u);
  EXPECT_EQ(length, 120u);
  EXPECT_EQ(ReadLengthLine("$999999999\r\n", '$', length), 12u);
  EXPECT_EQ(length, 999'999'999u);
}

TEST(LengthLineTest, TakesNothingElse) {
  for (const std::string line :
       {"", "$", "$7", "$7\r", "$7\n", "$7\rX", "$77", "*7\r\n", "$\r\n", "$0\r\n", "$07\r\n",
        "$-1\r\n", "$+1\r\n", "$ 1\r\n", "$1 \r\n", "$1x\r\n", "$1000000000\r\n", "7\r\n"}) {
    std::size_t length = 0;
    EXPECT_EQ(ReadLengthLine(line, '$', length), 0u) << line;
  }
}

TEST(LengthLineTest, IsNeverReadBeyondItsEnd) {
  const std::string line = "$123456789\r\n";
  for (std::size_t bytes = 0; bytes < line.size(); ++bytes) {
    const std::string part = line.substr(0, bytes);  // Its own memory, for the sanitizer to see.
    std::size_t length = 0;
    EXPECT_EQ(ReadLengthLine(part, '$', length), 0u) << bytes;
  }
}

}  // namespace
}  // namespace rung

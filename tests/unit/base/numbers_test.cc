// What a client's bytes count as, and how a number is printed back.

#include "rung/base/numbers.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace rung {
namespace {

TEST(NumbersTest, Int64TakesOnlyTheCanonicalForm) {
  EXPECT_EQ(ParseInt64("0"), 0);
  EXPECT_EQ(ParseInt64("-1"), -1);
  EXPECT_EQ(ParseInt64("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(ParseInt64("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const char* bad : {"", "-", "+1", "01", "-0", "-01", " 1", "1 ", "1.0", "0x10",
                          "9223372036854775808", "-9223372036854775809"}) {
    EXPECT_EQ(ParseInt64(bad), std::nullopt) << bad;
  }
}

TEST(NumbersTest, DoubleRefusesWhatHasNoPlaceInAnOrder) {
  EXPECT_EQ(ParseDouble("1.5"), 1.5);
  EXPECT_EQ(ParseDouble("+1.5"), 1.5);
  EXPECT_EQ(ParseDouble("-INF"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(ParseDouble("0x10"), 16.0);
  for (const char* bad : {"", "nan", "-nan", "1e400", " 1", "1 ", "abc", "1.5x"}) {
    EXPECT_EQ(ParseDouble(bad), std::nullopt) << bad;
  }
}

// Digits alone take a way of their own, eight at once; strtod is the witness.
TEST(NumbersTest, DoubleOfDigitsAloneIsWhatItSays) {
  const std::string digits = "98765432109876543210";
  for (std::size_t length = 1; length <= digits.size(); ++length) {
    const std::string text = digits.substr(0, length);
    EXPECT_EQ(ParseDouble(text), std::strtod(text.c_str(), nullptr)) << text;
    const std::string padded = "00" + text;
    EXPECT_EQ(ParseDouble(padded), std::strtod(padded.c_str(), nullptr)) << padded;
    for (std::size_t at = 0; at < length; ++at) {
      for (const char wrong : {'/', ':', ' ', '\0', 'a', '\xb0', '*', '?'}) {
        std::string damaged = text;
        damaged[at] = wrong;
        EXPECT_EQ(ParseDouble(damaged), std::nullopt) << damaged;
      }
    }
  }
}

TEST(NumbersTest, DoublePrintsTheShortestTextThatReadsBack) {
  NumberBuffer buffer;
  EXPECT_EQ(FormatDouble(1.1, buffer), "1.1");
  EXPECT_EQ(FormatDouble(12345678901.25, buffer), "12345678901.25");
  EXPECT_EQ(FormatDouble(1e300, buffer), "1e+300");
  EXPECT_EQ(FormatDouble(9007199254740992.0, buffer), "9007199254740992");
  EXPECT_EQ(FormatDouble(-0.0, buffer), "-0");
  EXPECT_EQ(FormatDouble(std::numeric_limits<double>::infinity(), buffer), "inf");
}

// Each as redis-server 7.2.4 prints it.
TEST(NumbersTest, DoublesAreLaidOutAsRedisDoes) {
  const std::pair<double, const char*> cases[] = {
      {0.5, "0.5"},
      {-2.25, "-2.25"},
      {0.00001, "0.00001"},
      {0.000001, "0.000001"},
      {1e-7, "1e-7"},
      {-1.5e-7, "-1.5e-7"},
      {1.2345678901234567, "1.2345678901234567"},
      {1234.5678901234567, "1234.5678901234567"},
      {12345.678901234567, "1.2345678901234567e+4"},
      {0.00012345678901234567, "1.2345678901234567e-4"},
      {0.0012345678901234567, "0.0012345678901234567"},
      {1e18, "1000000000000000000"},
      {4611686018427387904.0, "4611686018427387904"},
      {5e18, "5e+18"},
      {1e20, "1e+20"},
      {5e-324, "5e-324"},
      {-1.7976931348623157e308, "-1.7976931348623157e+308"},
  };
  NumberBuffer buffer;
  for (const auto& [value, text] : cases) {
    EXPECT_EQ(FormatDouble(value, buffer), text);
    EXPECT_EQ(ParseDouble(text), value);
  }
}

TEST(NumbersTest, LongDoubleCutsTrailingZeros) {
  EXPECT_EQ(FormatLongDouble(10.5L + 0.1L), "10.6");
  EXPECT_EQ(FormatLongDouble(5000.0L), "5000");
  EXPECT_EQ(FormatLongDouble(-0.0L), "0");
}

}  // namespace
}  // namespace rung

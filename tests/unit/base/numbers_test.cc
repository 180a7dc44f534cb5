// What a client's bytes count as, and how a number is printed back.

#include "rung/base/numbers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>

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

TEST(NumbersTest, DoublePrintsTheShortestTextThatReadsBack) {
  NumberBuffer buffer;
  EXPECT_EQ(FormatDouble(1.1, buffer), "1.1");
  EXPECT_EQ(FormatDouble(12345678901.25, buffer), "12345678901.25");
  EXPECT_EQ(FormatDouble(1e300, buffer), "1e+300");
  EXPECT_EQ(FormatDouble(9007199254740992.0, buffer), "9007199254740992");
  EXPECT_EQ(FormatDouble(-0.0, buffer), "-0");
  EXPECT_EQ(FormatDouble(std::numeric_limits<double>::infinity(), buffer), "inf");
}

TEST(NumbersTest, LongDoubleCutsTrailingZeros) {
  EXPECT_EQ(FormatLongDouble(10.5L + 0.1L), "10.6");
  EXPECT_EQ(FormatLongDouble(5000.0L), "5000");
  EXPECT_EQ(FormatLongDouble(-0.0L), "0");
}

}  // namespace
}  // namespace rung

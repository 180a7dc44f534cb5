// ShareTime promises that steps of cost / divisor add up exactly.

#include "types/queue/share_time.h"

#include <gtest/gtest.h>

#include "rung/base/rng.h"

namespace rung {
namespace {

TEST(ShareTimeTest, AsManyStepsAsTheDivisorAreExactlyOneUnit) {
  for (const std::uint32_t divisor : {1u, 3u, 7u, 997u, 4'294'967'295u / 100'000}) {
    ShareTime time(divisor);
    for (std::uint32_t i = 0; i < divisor; ++i) time.Advance(1);
    EXPECT_EQ(time.parts(), (ShareTime::Parts{1, 0, 0, divisor}));
  }
}

TEST(ShareTimeTest, LargeCostsEqualManySmallOnes) {
  ShareTime one(641);
  one.Advance(1'000'003);
  ShareTime many(641);
  for (int i = 0; i < 1'000'003; ++i) many.Advance(1);
  EXPECT_EQ(one.parts(), many.parts());
}

TEST(ShareTimeTest, EqualInstantsOfDifferentDivisorsAreEqual) {
  ShareTime thirds(3);
  thirds.Advance(1);
  ShareTime ninths(9);
  ninths.Advance(3);
  EXPECT_TRUE(thirds == ninths);
  ninths.Advance(1);
  EXPECT_TRUE(thirds < ninths);
  ShareTime sevenths(7);
  sevenths.Advance(2);
  EXPECT_TRUE(sevenths < thirds);
}

TEST(ShareTimeTest, AnotherDivisorRoundsToTheSideAskedForByLessThanOneStepOf2To32) {
  Rng rng(1);
  for (int i = 0; i < 10'000; ++i) {
    ShareTime time(static_cast<std::uint32_t>(1 + rng.Below(1000)));
    time.Advance(rng.Below(100'000));
    const auto divisor = static_cast<std::uint32_t>(1 + rng.Below(1000));
    const ShareTime down = time.WithDivisor(divisor, ShareTime::Rounding::kDown);
    const ShareTime up = time.WithDivisor(divisor, ShareTime::Rounding::kUp);
    down.CheckInvariants();
    up.CheckInvariants();
    ASSERT_TRUE(down <= time && time <= up);
    ASSERT_LE(up.ToDouble() - down.ToDouble(), 0x1.0p-31);
  }
}

TEST(ShareTimeTest, RoundingUpCarriesIntoTheUnits) {
  ShareTime time(1000);
  time.Advance(999);
  const ShareTime almost = ShareTime::FromParts({4, 0xffffffff, 999, 1000});
  const ShareTime up = almost.WithDivisor(2, ShareTime::Rounding::kUp);
  EXPECT_EQ(up.parts(), (ShareTime::Parts{5, 0, 0, 2}));
}

TEST(ShareTimeTest, AStretchedDistanceIsTheSameWorkAtTheNewWeight) {
  constexpr auto kDown = ShareTime::Rounding::kDown;
  ShareTime origin(10);
  origin.Advance(101);
  ShareTime ahead(10);
  ahead.Advance(104);  // Three jobs of a flow of weight 10.
  EXPECT_TRUE(ahead.Stretched(origin, 30, kDown) == origin.WithDivisor(30, kDown).After(3));
  EXPECT_TRUE(origin.Stretched(ahead, 5, kDown) == ShareTime(10).After(98).WithDivisor(5, kDown));
  EXPECT_TRUE(origin.Stretched(origin, 7, kDown) == origin.WithDivisor(7, kDown));
}

TEST(ShareTimeTest, StretchingRoundsToTheSideAskedForByLessThanOneStep) {
  Rng rng(2);
  for (int i = 0; i < 10'000; ++i) {
    ShareTime origin(static_cast<std::uint32_t>(1 + rng.Below(1000)));
    origin.Advance(1'000'000 + rng.Below(100));
    const ShareTime time =
        origin.WithDivisor(static_cast<std::uint32_t>(1 + rng.Below(100'000)), {})
            .After(rng.Below(1000));
    const auto divisor = static_cast<std::uint32_t>(1 + rng.Below(100'000));
    const ShareTime down = time.Stretched(origin, divisor, ShareTime::Rounding::kDown);
    const ShareTime up = time.Stretched(origin, divisor, ShareTime::Rounding::kUp);
    down.CheckInvariants();
    up.CheckInvariants();
    const double factor = static_cast<double>(time.divisor()) / divisor;
    const double exact = origin.ToDouble() + (time.ToDouble() - origin.ToDouble()) * factor;
    ASSERT_NEAR(down.ToDouble(), exact, 1e-6);
    ASSERT_TRUE(down <= up);
    ASSERT_LE(up.ToDouble() - down.ToDouble(), 0x1.0p-31);
  }
}

TEST(ShareTimeTest, PartsReadBackTheSame) {
  ShareTime time(7);
  time.Advance(123'456'789);
  EXPECT_EQ(ShareTime::FromParts(time.parts()).parts(), time.parts());
}

}  // namespace
}  // namespace rung

// SHA-1 and CRC-64 against the values that their standards and Redis give.

#include <gtest/gtest.h>

#include <string>

#include "rung/base/crc64.h"
#include "rung/base/sha1.h"

namespace rung {
namespace {

std::string HexOf(std::string_view bytes) { return Sha1Hex(Sha1(bytes)); }

TEST(Sha1Test, StandardVectors) {
  EXPECT_EQ(HexOf(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(HexOf("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(HexOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(HexOf(std::string(1000000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST(Sha1Test, LengthsAroundABlock) {
  EXPECT_EQ(HexOf(std::string(55, 'a')), "c1c8bbdc22796e28c0e15163d20899b65621d65a");
  EXPECT_EQ(HexOf(std::string(56, 'a')), "c2db330f6083854c99d4b5bfb6e8f29f201be699");
  EXPECT_EQ(HexOf(std::string(64, 'a')), "0098ba824b5c16427bd7a1122a5a442a25ec644d");
}

TEST(Sha1Test, HexIsReadInAnyCaseAndNothingElse) {
  const std::string hex = HexOf("abc");
  EXPECT_EQ(ParseSha1(hex), Sha1("abc"));
  EXPECT_EQ(ParseSha1("A9993E364706816ABA3E25717850C26C9CD0D89D"), Sha1("abc"));
  EXPECT_EQ(ParseSha1(hex.substr(1)), std::nullopt);
  EXPECT_EQ(ParseSha1(hex + "0"), std::nullopt);
  for (const char bad : {'g', 'G', '/', ':', '@', '`', ' ', '\0', '\xff'}) {
    std::string broken = hex;
    broken[17] = bad;
    EXPECT_EQ(ParseSha1(broken), std::nullopt) << static_cast<int>(bad);
  }
}

TEST(Crc64Test, AsRedisReckonsIt) {
  EXPECT_EQ(Crc64(""), 0u);
  EXPECT_EQ(Crc64("123456789"), 0xe9c6d914c4b8d9cau);
}

}  // namespace
}  // namespace rung

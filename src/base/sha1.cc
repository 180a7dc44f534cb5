// SHA-1, straight from the standard. See sha1.h.

#include "rung/base/sha1.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace rung {
namespace {

constexpr std::size_t kBlockBytes = 64;

struct State {
  std::array<std::uint32_t, 5> h = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

  void Add(const char* block);
};

std::uint32_t ReadBigEndian(const char* at) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = (word << 8) | static_cast<unsigned char>(at[i]);
  return word;
}

void State::Add(const char* block) {
  std::array<std::uint32_t, 80> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = ReadBigEndian(block + 4 * i);
  for (std::size_t i = 16; i < 80; ++i) {
    w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  }
  auto [a, b, c, d, e] = h;
  for (std::size_t i = 0; i < 80; ++i) {
    std::uint32_t f = 0;
    std::uint32_t k = 0;
    if (i < 20) {
      f = (b & c) | (~b & d);
      k = 0x5a827999;
    } else if (i < 40) {
      f = b ^ c ^ d;
      k = 0x6ed9eba1;
    } else if (i < 60) {
      f = (b & c) | (b & d) | (c & d);
      k = 0x8f1bbcdc;
    } else {
      f = b ^ c ^ d;
      k = 0xca62c1d6;
    }
    const std::uint32_t next = std::rotl(a, 5) + f + e + k + w[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  h[0] += a;
  h[1] += b;
  h[2] += c;
  h[3] += d;
  h[4] += e;
}

constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> MakeDigits() {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 10; ++i) digits[std::size_t{'0'} + i] = i;
  for (std::uint8_t i = 10; i < 16; ++i) {
    digits[std::size_t{'a'} + i - 10] = i;
    digits[std::size_t{'A'} + i - 10] = i;
  }
  return digits;
}

constexpr std::array<std::uint8_t, 256> kDigitOf = MakeDigits();

}  // namespace

Sha1Digest Sha1(std::string_view bytes) {
  State state;
  std::size_t at = 0;
  for (; at + kBlockBytes <= bytes.size(); at += kBlockBytes) state.Add(bytes.data() + at);
  // The rest, a one bit, zeros, and the length in bits at the end of the last block.
  std::array<char, 2 * kBlockBytes> tail{};
  const std::size_t left = bytes.size() - at;
  std::copy_n(bytes.data() + at, left, tail.data());
  tail[left] = static_cast<char>(0x80);
  const std::size_t tail_bytes = left + 9 > kBlockBytes ? 2 * kBlockBytes : kBlockBytes;
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i) {
    tail[tail_bytes - 1 - i] = static_cast<char>(bits >> (8 * i));
  }
  for (std::size_t i = 0; i < tail_bytes; i += kBlockBytes) state.Add(tail.data() + i);
  Sha1Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state.h[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string Sha1Hex(const Sha1Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * digest.size());
  for (const std::uint8_t byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::optional<Sha1Digest> ParseSha1(std::string_view hex) {
  Sha1Digest digest{};
  if (hex.size() != 2 * digest.size()) return std::nullopt;
  std::uint8_t seen = 0;  // All digits together: those of kNoDigit show in the upper half.
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const std::uint8_t high = kDigitOf[static_cast<unsigned char>(hex[2 * i])];
    const std::uint8_t low = kDigitOf[static_cast<unsigned char>(hex[2 * i + 1])];
    seen = static_cast<std::uint8_t>(seen | high | low);
    digest[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  if (seen > 15) return std::nullopt;
  return digest;
}

}  // namespace rung

// The only file that includes xxHash. See hash.h and digest.h.

#include "rung/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>

#include "rung/base/digest.h"
#include "rung/base/rng.h"

namespace rung {
namespace {

using Secret = std::array<unsigned char, XXH3_SECRET_SIZE_MIN + 56>;

Secret MakeSecret(std::uint64_t seed) {
  Secret secret;
  Rng rng(seed);
  for (unsigned char& byte : secret) byte = static_cast<unsigned char>(rng.Next() >> 56);
  return secret;
}

Secret g_secret = MakeSecret(0x72756e67);

}  // namespace

void SeedHash(std::uint64_t seed) { g_secret = MakeSecret(seed); }

std::uint64_t HashBytes(std::string_view bytes) {
  return XXH3_64bits_withSecret(bytes.data(), bytes.size(), g_secret.data(), g_secret.size());
}

// Seeds are fixed here: a digest must mean the same in every process.
void Digest::Append(std::string_view bytes) {
  for (std::uint64_t& word : words_) {
    const auto number = static_cast<std::uint64_t>(&word - words_.data()) + 1;
    word = XXH3_64bits_withSeed(bytes.data(), bytes.size(), word * 31 + number);
  }
}

void Digest::Append(const Digest& other) {
  Append(
      std::string_view(reinterpret_cast<const char*>(other.words_.data()), sizeof(other.words_)));
}

// A sum and not an exclusive or, in which an item added twice would vanish.
void Digest::AddUnordered(const Digest& item) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] += item.words_[i];
}

std::string Digest::Hex() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::size_t kLength = 40;
  std::string hex;
  for (const std::uint64_t word : words_) {
    for (int shift = 60; shift >= 0 && hex.size() < kLength; shift -= 4) {
      hex += kDigits[(word >> shift) & 15];
    }
  }
  return hex;
}

}  // namespace rung

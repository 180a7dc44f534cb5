// The only file that includes xxHash. See hash.h.

#include "rung/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>

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

}  // namespace rung

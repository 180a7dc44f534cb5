// SHA-1 (FIPS 180-4): the names of scripts. Not for secrets: collisions can be made.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rung {

using Sha1Digest = std::array<std::uint8_t, 20>;

// About 2 ns a byte.
Sha1Digest Sha1(std::string_view bytes);

// 40 hexadecimal digits in lower case.
std::string Sha1Hex(const Sha1Digest& digest);
// Digits in any case; nothing unless there are exactly 40.
std::optional<Sha1Digest> ParseSha1(std::string_view hex);

}  // namespace rung

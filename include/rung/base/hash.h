// The keyed hash behind every table that holds clients' bytes.
//
// The key is drawn once per process (SeedHash, from the composition root), so that nobody outside
// can build colliding names. No reply may depend on the order that a hash gives.
#pragma once

#include <cstdint>
#include <string_view>

namespace rung {

// Replaces the hash key. Call before the first table is filled; tests leave the fixed default.
void SeedHash(std::uint64_t seed);

// XXH3 with a secret derived from the seed (github.com/Cyan4973/xxHash). About 3 ns for 16 bytes.
std::uint64_t HashBytes(std::string_view bytes);

}  // namespace rung

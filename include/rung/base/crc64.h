// CRC-64 with Jones's polynomial: the checksum at the end of Redis's dumps.
#pragma once

#include <cstdint>
#include <string_view>

namespace rung {

// 0xe9c6d914c4b8d9ca for "123456789".
std::uint64_t Crc64(std::string_view bytes);

}  // namespace rung

// Byte by byte through a table of 2 KB, made at compile time. See crc64.h.

#include "rung/base/crc64.h"

#include <array>
#include <cstddef>

namespace rung {
namespace {

// The polynomial, its bits in the order in which they leave.
constexpr std::uint64_t kPolynomial = 0x95ac9329ac4bc9b5;

constexpr std::array<std::uint64_t, 256> MakeTable() {
  std::array<std::uint64_t, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    std::uint64_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[byte] = crc;
  }
  return table;
}

constexpr std::array<std::uint64_t, 256> kTable = MakeTable();

}  // namespace

std::uint64_t Crc64(std::string_view bytes) {
  std::uint64_t crc = 0;
  for (const char byte : bytes) {
    crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ (crc >> 8);
  }
  return crc;
}

}  // namespace rung

// How many bytes a stream's entries would take in Redis's blocks (listpacks).
//
// Our blocks are denser. But where a block ends is seen from outside: XTRIM MAXLEN ~ n removes
// whole blocks, and libraries test how much it leaves. So a block ends where Redis's would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "rung/base/numbers.h"

namespace rung::listpack_size {

using Field = std::pair<std::string_view, std::string_view>;

// An element: its encoding, and behind it the length for walking backward.
constexpr std::size_t OfEncoded(std::size_t bytes) {
  return bytes + (bytes < 128 ? 1 : bytes < 16384 ? 2 : bytes < 2097152 ? 3 : 4);
}

constexpr std::size_t OfNumber(std::int64_t value) {
  if (value >= 0 && value < 128) return OfEncoded(1);
  const auto within = [value](std::int64_t bound) { return value >= -bound && value < bound; };
  if (within(1 << 12)) return OfEncoded(2);
  if (within(1 << 15)) return OfEncoded(3);
  if (within(1 << 23)) return OfEncoded(4);
  if (within(std::int64_t{1} << 31)) return OfEncoded(5);
  return OfEncoded(9);
}

inline std::size_t OfText(std::string_view text) {
  if (const auto number = ParseInt64(text)) return OfNumber(*number);
  const std::size_t prefix = text.size() < 64 ? 1 : text.size() < 4096 ? 2 : 5;
  return OfEncoded(prefix + text.size());
}

// A block before its first entry, whose field names it holds.
inline std::size_t OfBlock(std::span<const Field> fields) {
  constexpr std::size_t kFrame = 7;
  std::size_t bytes = kFrame + 3 * OfNumber(0) + OfNumber(static_cast<std::int64_t>(fields.size()));
  for (const Field& field : fields) bytes += OfText(field.first);
  return bytes;
}

// An entry, `ms` and `seq` behind the block's first id; `shared`: with the block's field names.
inline std::size_t OfEntry(std::int64_t ms, std::int64_t seq, std::span<const Field> fields,
                           bool shared) {
  const auto count = static_cast<std::int64_t>(fields.size());
  std::size_t bytes = OfNumber(0) + OfNumber(ms) + OfNumber(seq);
  if (!shared) bytes += OfNumber(count);
  for (const Field& field : fields) {
    if (!shared) bytes += OfText(field.first);
    bytes += OfText(field.second);
  }
  return bytes + OfNumber(shared ? count + 3 : 2 * count + 4);
}

// What Redis adds to a block's size to see whether an entry still fits.
inline std::size_t ToCome(std::span<const Field> fields) {
  std::size_t bytes = 0;
  for (const Field& field : fields) bytes += field.first.size() + field.second.size();
  return bytes;
}

}  // namespace rung::listpack_size

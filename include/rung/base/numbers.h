// Numbers as RESP needs them: strict parsing, and printing that reads back the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rung {

// Decimal, optional '-', no '+', no leading zero (but "0"), no spaces, all bytes used, in range.
// This is the form in which a string counts as an integer (INCR, OBJECT ENCODING int).
std::optional<std::int64_t> ParseInt64(std::string_view text);
std::optional<std::uint64_t> ParseUint64(std::string_view text);

// What Redis takes as a double: decimal, exponent, hexadecimal, inf, infinity in any case with a
// sign. Not nan, not out of range, no spaces, all bytes used.
std::optional<double> ParseDouble(std::string_view text);

// The same for the 80-bit floats of INCRBYFLOAT and HINCRBYFLOAT.
std::optional<long double> ParseLongDouble(std::string_view text);

// Room for any number that the functions below print.
using NumberBuffer = std::array<char, 48>;

// The fewest digits that read back as the same double, laid out as Redis 7.2 does: "0.00001",
// "1e-7", "1e+20"; whole numbers up to 2^62 in full; "inf", "-inf", "nan". The view lives as long
// as `buffer`.
std::string_view FormatDouble(double value, NumberBuffer& buffer);
std::string_view FormatInt64(std::int64_t value, NumberBuffer& buffer);
std::string_view FormatUint64(std::uint64_t value, NumberBuffer& buffer);

// At most 17 digits after the point, trailing zeros cut: the form of INCRBYFLOAT.
std::string FormatLongDouble(long double value);

// The whole of `text` in lower case (ASCII only).
std::string ToLower(std::string_view text);
std::string ToUpper(std::string_view text);
// Equal but for ASCII case.
bool SameLettersIgnoreCase(const char* a, const char* b, std::size_t length);
inline bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && SameLettersIgnoreCase(a.data(), b.data(), a.size());
}

}  // namespace rung

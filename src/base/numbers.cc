// Strict parse and print of numbers. See numbers.h.

#include "rung/base/numbers.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace rung {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; }

bool IsCanonicalUnsigned(std::string_view digits) {
  if (digits.empty() || digits.size() > 20) return false;
  if (digits[0] == '0') return digits.size() == 1;
  return digits[0] >= '1' && digits[0] <= '9';
}

template <typename T>
std::optional<T> FromChars(std::string_view text) {
  T value{};
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Eight digits at once, by three multiplications, each of which joins neighbours to numbers of
// twice as many digits. False if there is anything else among them. (As Daniel Lemire describes it
// in "Quickly parsing eight digits", 2018.)
bool ParseEightDigits(const char* text, std::int64_t& value) {
  std::uint64_t digits;
  std::memcpy(&digits, text, sizeof(digits));
  constexpr std::uint64_t kHighHalves = 0xf0f0f0f0f0f0f0f0;
  constexpr std::uint64_t kZeros = 0x3030303030303030;
  constexpr std::uint64_t kSixes = 0x0606060606060606;
  if ((digits & kHighHalves) != kZeros) return false;
  if (((digits + kSixes) & kHighHalves) != kZeros) return false;
  digits = (digits & ~kHighHalves) * (1 + (10ull << 8)) >> 8;
  digits = (digits & 0x00ff00ff00ff00ff) * (1 + (100ull << 16)) >> 16;
  digits = (digits & 0x0000ffff0000ffff) * (1 + (10000ull << 32)) >> 32;
  value = static_cast<std::int64_t>(digits);
  return true;
}

// Digits alone, few enough for a double to hold each such number: what most scores are.
std::optional<double> ParseFewDigits(std::string_view text) {
  constexpr std::size_t kDigitsMax = 15;
  if (text.empty() || text.size() > kDigitsMax) return std::nullopt;
  std::int64_t value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    if (text.size() >= 8 && ParseEightDigits(text.data(), value)) text.remove_prefix(8);
  }
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return static_cast<double>(value);
}

// strtod and its kin want a terminated string, take leading spaces and report range in errno.
template <typename T>
std::optional<T> ParseWithLibc(std::string_view text, T (*parse)(const char*, char**)) {
  constexpr std::size_t kMaxText = 255;
  if (text.empty() || text.size() > kMaxText) return std::nullopt;
  if (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r')) return std::nullopt;
  char terminated[kMaxText + 1];
  std::memcpy(terminated, text.data(), text.size());
  terminated[text.size()] = '\0';
  char* end = nullptr;
  errno = 0;
  const T value = parse(terminated, &end);
  if (end != terminated + text.size() || std::isnan(value)) return std::nullopt;
  const bool overflow = std::isinf(value) && errno == ERANGE;
  const bool underflow = value == 0 && errno == ERANGE;
  if (overflow || underflow) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> ParseInt64(std::string_view text) {
  std::string_view digits = text;
  if (!digits.empty() && digits[0] == '-') {
    digits.remove_prefix(1);
    if (digits == "0") return std::nullopt;
  }
  if (!IsCanonicalUnsigned(digits)) return std::nullopt;
  return FromChars<std::int64_t>(text);
}

std::optional<std::uint64_t> ParseUint64(std::string_view text) {
  if (!IsCanonicalUnsigned(text)) return std::nullopt;
  return FromChars<std::uint64_t>(text);
}

std::optional<double> ParseDouble(std::string_view text) {
  if (const std::optional<double> whole = ParseFewDigits(text)) return whole;
  // from_chars knows neither '+' nor hexadecimal prefixes; it serves the common case.
  if (!text.empty() && ((text[0] >= '0' && text[0] <= '9') || text[0] == '-')) {
    double value{};
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec == std::errc() && end == text.data() + text.size() && !std::isnan(value)) return value;
  }
  return ParseWithLibc<double>(text, &std::strtod);
}

std::optional<long double> ParseLongDouble(std::string_view text) {
  return ParseWithLibc<long double>(text, &std::strtold);
}

std::string_view FormatInt64(std::int64_t value, NumberBuffer& buffer) {
  const auto [end, ec] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

std::string_view FormatUint64(std::uint64_t value, NumberBuffer& buffer) {
  const auto [end, ec] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

namespace {

// A positive number as d.ddd times a power of ten, in the fewest digits that read back the same.
struct Decimal {
  std::array<char, 24> digits;
  int count = 0;     // Of digits: 1 to 17.
  int exponent = 0;  // Of the first digit.
};

Decimal ShortestDigits(double value) {
  std::array<char, 32> text;
  const char* const end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific)
          .ptr;
  const char* const mark = std::find<const char*>(text.data(), end, 'e');
  Decimal decimal;
  for (const char* at = text.data(); at != mark; ++at) {
    if (*at != '.') decimal.digits[static_cast<std::size_t>(decimal.count++)] = *at;
  }
  // from_chars takes no '+'.
  std::from_chars(mark[1] == '+' ? mark + 2 : mark + 1, end, decimal.exponent);
  return decimal;
}

// The layouts of Redis: all digits in place where few zeros are needed for it, else an exponent
// without padding ("1.5e-7").
std::string_view LayOut(const Decimal& decimal, bool negative, NumberBuffer& buffer) {
  const int last_exponent = decimal.exponent - (decimal.count - 1);
  const int magnitude = std::abs(decimal.exponent);
  const char* const digits = decimal.digits.data();
  const char* const digits_end = digits + decimal.count;
  char* at = buffer.data();
  if (negative) *at++ = '-';
  if (last_exponent >= 0 && magnitude < decimal.count + 7) {
    at = std::fill_n(std::copy(digits, digits_end, at), last_exponent, '0');
  } else if (last_exponent < 0 && (last_exponent > -7 || magnitude < 4)) {
    const int before_point = std::max(decimal.exponent + 1, 0);
    at = before_point > 0 ? std::copy(digits, digits + before_point, at) : std::fill_n(at, 1, '0');
    *at++ = '.';
    at = std::fill_n(at, before_point > 0 ? 0 : -decimal.exponent - 1, '0');
    at = std::copy(digits + before_point, digits_end, at);
  } else {
    *at++ = digits[0];
    if (decimal.count > 1) *at++ = '.';
    at = std::copy(digits + 1, digits_end, at);
    *at++ = 'e';
    *at++ = decimal.exponent < 0 ? '-' : '+';
    at = std::to_chars(at, buffer.data() + buffer.size(), magnitude).ptr;
  }
  return {buffer.data(), static_cast<std::size_t>(at - buffer.data())};
}

}  // namespace

std::string_view FormatDouble(double value, NumberBuffer& buffer) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  // Whole numbers print as digits up to 2^62, as scores are mostly counters.
  constexpr double kWholeLimit = 0x1p62;
  if (std::abs(value) <= kWholeLimit && value == std::trunc(value)) {
    return FormatInt64(static_cast<std::int64_t>(value), buffer);
  }
  return LayOut(ShortestDigits(std::abs(value)), std::signbit(value), buffer);
}

std::string FormatLongDouble(long double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[5 * 1024];
  const int length = std::snprintf(text, sizeof(text), "%.17Lf", value);
  std::string_view digits(text, static_cast<std::size_t>(length));
  if (digits.find('.') != std::string_view::npos) {
    digits = digits.substr(0, digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.remove_suffix(1);
  }
  return digits == "-0" ? "0" : std::string(digits);
}

std::string ToLower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower;
}

std::string ToUpper(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(), Upper);
  return upper;
}

bool SameLettersIgnoreCase(const char* a, const char* b, std::size_t length) {
  return std::equal(a, a + length, b, [](char x, char y) { return Lower(x) == Lower(y); });
}

}  // namespace rung

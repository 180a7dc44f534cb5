// How a packed hash writes a field's value. Private to the hash files.
//
// One code byte, then what it says:
//   0 to 223      that many bytes
//   224 to 239    nothing: the number 0 to 15
//   240 to 245    a number in 1 to 6 bytes, low byte first
//   246           a length of 2 bytes, then that many bytes
// Fields of jobs are counters and times in milliseconds more often than not: "1700000000000" takes
// 7 bytes and not 14. Only what prints back to the same bytes is taken for a number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "rung/base/numbers.h"

namespace rung::hash_value {

inline constexpr unsigned kInlineMax = 223;
inline constexpr unsigned kDigit = 224;
inline constexpr unsigned kNumber = 240;  // 240: one byte, and so on.
inline constexpr unsigned kLong = 246;
inline constexpr std::size_t kNumberBytesMax = 6;
inline constexpr std::uint64_t kDigitMax = 15;
inline constexpr std::size_t kValueBytesMax = 65535;

// A value ready to be written.
class Encoded {
 public:
  // `value` must live as long as this. Requires value.size() <= kValueBytesMax.
  explicit Encoded(std::string_view value) : text_(value) {
    if (ParseNumber(value)) {
      while (number_bytes_ < kNumberBytesMax && number_ >> (8 * number_bytes_) != 0) {
        ++number_bytes_;
      }
      bytes_ = number_ <= kDigitMax ? 1 : 1 + number_bytes_;
      is_number_ = true;
    } else {
      bytes_ = value.size() + (value.size() <= kInlineMax ? 1 : 3);
    }
  }

  std::size_t bytes() const { return bytes_; }

  void Write(char* at) const {
    if (is_number_) return WriteNumber(at);
    if (text_.size() <= kInlineMax) {
      *at++ = static_cast<char>(text_.size());
    } else {
      *at++ = static_cast<char>(kLong);
      const std::uint16_t length = static_cast<std::uint16_t>(text_.size());
      std::memcpy(at, &length, sizeof(length));
      at += sizeof(length);
    }
    if (!text_.empty()) std::memcpy(at, text_.data(), text_.size());
  }

 private:
  // Decimal, without a sign or a leading zero, below 2^48.
  bool ParseNumber(std::string_view text) {
    constexpr std::size_t kDigitsMax = 15;  // 2^48 has 15 digits.
    if (text.empty() || text.size() > kDigitsMax || (text[0] == '0' && text.size() > 1)) {
      return false;
    }
    std::uint64_t number = 0;
    for (const char c : text) {
      const unsigned digit = static_cast<unsigned char>(c) - unsigned{'0'};
      if (digit > 9) return false;
      number = number * 10 + digit;
    }
    if (number >> (8 * kNumberBytesMax) != 0) return false;
    number_ = number;
    return true;
  }

  void WriteNumber(char* at) const {
    if (number_ <= kDigitMax) {
      *at = static_cast<char>(kDigit + number_);
      return;
    }
    *at++ = static_cast<char>(kNumber - 1 + number_bytes_);
    for (std::size_t i = 0; i < number_bytes_; ++i) at[i] = static_cast<char>(number_ >> (8 * i));
  }

  std::string_view text_;
  std::uint64_t number_ = 0;
  std::size_t number_bytes_ = 0;
  std::size_t bytes_ = 0;
  bool is_number_ = false;
};

inline std::uint16_t LongLength(const char* at) {
  std::uint16_t length;
  std::memcpy(&length, at + 1, sizeof(length));
  return length;
}

// Bytes that the value written at `at` takes, its code included.
inline std::size_t BytesAt(const char* at) {
  const unsigned code = static_cast<unsigned char>(*at);
  if (code <= kInlineMax) return 1 + code;
  if (code < kNumber) return 1;
  if (code < kLong) return 2 + code - kNumber;
  return std::size_t{3} + LongLength(at);
}

// The value written at `at`. Numbers are printed into `buffer`.
inline std::string_view Decode(const char* at, NumberBuffer& buffer) {
  const unsigned code = static_cast<unsigned char>(*at);
  if (code <= kInlineMax) return {at + 1, code};
  if (code == kLong) return {at + 3, LongLength(at)};
  if (code < kNumber) return FormatInt64(static_cast<std::int64_t>(code - kDigit), buffer);
  std::uint64_t number = 0;
  const std::size_t number_bytes = 1 + code - kNumber;
  for (std::size_t i = 0; i < number_bytes; ++i) {
    number |= std::uint64_t{static_cast<unsigned char>(at[1 + i])} << (8 * i);
  }
  return FormatInt64(static_cast<std::int64_t>(number), buffer);
}

}  // namespace rung::hash_value

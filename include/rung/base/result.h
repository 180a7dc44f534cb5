// Error and Result: how a request that cannot be served is reported, in values and not exceptions.
//
// An Error is the text a client will read, code word first ("WRONGTYPE Operation against ...").
// The errors that many commands share stand here once, so that their words agree everywhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "rung/base/check.h"

namespace rung {

class [[nodiscard]] Error {
 public:
  // `text` starts with its code: "ERR syntax error".
  explicit Error(std::string_view text) : text_(text) {}

  const std::string& text() const { return text_; }
  // The first word, such as "ERR" or "WRONGTYPE": the key of INFO errorstats.
  std::string_view code() const { return std::string_view(text_).substr(0, text_.find(' ')); }

  bool operator==(const Error&) const = default;

 private:
  std::string text_;
};

namespace errors {
inline constexpr std::string_view kSyntax = "ERR syntax error";
inline constexpr std::string_view kWrongType =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr std::string_view kNotInteger = "ERR value is not an integer or out of range";
inline constexpr std::string_view kNotFloat = "ERR value is not a valid float";
inline constexpr std::string_view kOutOfRange = "ERR value is out of range";
inline constexpr std::string_view kNotPositive = "ERR value is out of range, must be positive";
inline constexpr std::string_view kNoSuchKey = "ERR no such key";
inline constexpr std::string_view kIndexOutOfRange = "ERR index out of range";
inline constexpr std::string_view kNaN = "ERR resulting score is not a number (NaN)";
inline constexpr std::string_view kOverflow = "ERR increment or decrement would overflow";
inline constexpr std::string_view kNanOrInfinity = "ERR increment would produce NaN or Infinity";
inline constexpr std::string_view kInvalidCursor = "ERR invalid cursor";
inline constexpr std::string_view kInvalidDb = "ERR invalid DB index";
inline constexpr std::string_view kDbOutOfRange = "ERR DB index is out of range";
}  // namespace errors

// Either a T or an Error. Ask ok() before value().
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  // Requires ok().
  T& value() {
    RUNG_CHECK(ok(), "Result::value on an error");
    return *value_;
  }
  const T& value() const {
    RUNG_CHECK(ok(), "Result::value on an error");
    return *value_;
  }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  // Requires !ok().
  const Error& error() const {
    RUNG_CHECK(error_.has_value(), "Result::error on a value");
    return *error_;
  }

 private:
  std::optional<T> value_;
  std::optional<Error> error_;
};

}  // namespace rung

// Reading arguments with a latched error. See arg_reader.h.

#include "rung/commands/arg_reader.h"

#include <cmath>
#include <limits>

#include "rung/base/numbers.h"

namespace rung {
namespace {

constexpr std::string_view kTimeoutNotFloat = "ERR timeout is not a float or out of range";
constexpr std::string_view kTimeoutNotInteger = "ERR timeout is not an integer or out of range";
constexpr std::string_view kTimeoutNegative = "ERR timeout is negative";
constexpr std::string_view kTimeoutOutOfRange = "ERR timeout is out of range";

// Longer waits are refused, so that "now plus time-out" cannot overflow the clock.
constexpr double kTimeoutSecondsMax = 9.2e9 / 2;

}  // namespace

std::string_view ArgReader::Bytes() {
  if (error_) return {};
  if (next_ >= args_.size()) {
    Fail(errors::kSyntax);
    return {};
  }
  return args_[next_++];
}

bool ArgReader::Take(std::string_view word) {
  if (!More() || !EqualsIgnoreCase(args_[next_], word)) return false;
  ++next_;
  return true;
}

bool ArgReader::TakeWithValue(std::string_view word) { return left() >= 2 && Take(word); }

std::span<const std::string_view> ArgReader::Rest() { return Take(left()); }

std::span<const std::string_view> ArgReader::Take(std::size_t count) {
  if (error_) return {};
  if (count > left()) {
    Fail(errors::kSyntax);
    return {};
  }
  const std::span<const std::string_view> taken = args_.subspan(next_, count);
  next_ += count;
  return taken;
}

std::int64_t ArgReader::Integer(std::string_view error) {
  const std::string_view text = Bytes();
  if (error_) return 0;
  const std::optional<std::int64_t> value = ParseInt64(text);
  if (!value) Fail(error);
  return value.value_or(0);
}

std::int64_t ArgReader::IntegerIn(std::int64_t min, std::int64_t max, std::string_view range_error,
                                  std::string_view parse_error) {
  const std::int64_t value = Integer(parse_error);
  if (!ok() || (value >= min && value <= max)) return value;
  Fail(range_error);
  return 0;  // What is out of range must not get into sums.
}

double ArgReader::Double(std::string_view error) {
  const std::string_view text = Bytes();
  if (error_) return 0;
  const std::optional<double> value = ParseDouble(text);
  if (!value) Fail(error);
  return value.value_or(0);
}

std::optional<std::chrono::nanoseconds> ArgReader::Timeout() {
  const double seconds = Double(kTimeoutNotFloat);
  if (ok() && seconds < 0) Fail(kTimeoutNegative);
  if (ok() && seconds > kTimeoutSecondsMax) Fail(kTimeoutOutOfRange);
  if (!ok() || seconds == 0) return std::nullopt;
  // A positive time-out too small to express still ends: it must not become "for ever".
  return std::chrono::nanoseconds(
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(seconds * 1e9))));
}

std::optional<std::chrono::nanoseconds> ArgReader::TimeoutMilliseconds() {
  const std::int64_t milliseconds = Integer(kTimeoutNotInteger);
  if (ok() && milliseconds < 0) Fail(kTimeoutNegative);
  if (ok() && static_cast<double>(milliseconds) > kTimeoutSecondsMax * 1e3) {
    Fail(kTimeoutOutOfRange);
  }
  if (!ok() || milliseconds == 0) return std::nullopt;
  return std::chrono::milliseconds(milliseconds);
}

}  // namespace rung

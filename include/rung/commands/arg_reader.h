// ArgReader: the arguments of a request, read left to right; the first mistake is remembered.
//
//   const std::string_view key = args.Bytes();
//   const std::int64_t count = args.Integer();
//   bool nx = false, xx = false;
//   while (args.More()) {
//     if (args.Take("NX")) nx = true;
//     else if (args.Take("XX")) xx = true;
//     else return ctx.Fail(errors::kSyntax);
//   }
//   if (auto error = args.Finish()) return ctx.Fail(*error);
//
// After a mistake every further call returns an empty value, so a handler checks once, in Finish().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "rung/base/result.h"
#include "rung/base/time.h"

namespace rung {

class ArgReader {
 public:
  // `args` without the command's own words.
  explicit ArgReader(std::span<const std::string_view> args) : args_(args) {}

  bool More() const { return !error_ && next_ < args_.size(); }
  std::size_t left() const { return args_.size() - next_; }
  // The next argument without taking it; empty at the end.
  std::string_view Peek() const { return next_ < args_.size() ? args_[next_] : std::string_view(); }

  // Takes the next argument. Running out of arguments is a syntax error.
  std::string_view Bytes();
  // Takes the next argument if it is this word in any case. `word` is upper case.
  bool Take(std::string_view word);
  // The same, but only if at least one argument follows it.
  bool TakeWithValue(std::string_view word);
  // All that is left.
  std::span<const std::string_view> Rest();
  std::span<const std::string_view> Take(std::size_t count);

  // `error` is what to say if the argument does not parse.
  std::int64_t Integer(std::string_view error = errors::kNotInteger);
  // In [min, max], or `range_error`.
  std::int64_t IntegerIn(std::int64_t min, std::int64_t max, std::string_view range_error,
                         std::string_view parse_error = errors::kNotInteger);
  double Double(std::string_view error = errors::kNotFloat);
  // A time-out in seconds with fraction, as the blocking commands take it. 0 waits for ever and
  // gives nullopt. Errors: not a float, negative, out of range.
  std::optional<std::chrono::nanoseconds> Timeout();
  // The same in whole milliseconds (XREAD BLOCK, WAIT).
  std::optional<std::chrono::nanoseconds> TimeoutMilliseconds();

  void Fail(std::string_view error) {
    if (!error_) error_ = Error(error);
  }
  bool ok() const { return !error_; }
  // The first mistake, if any.
  const std::optional<Error>& error() const { return error_; }
  // The same, and arguments left over are a syntax error.
  const std::optional<Error>& Finish() {
    if (!error_ && next_ < args_.size()) Fail(errors::kSyntax);
    return error_;
  }

 private:
  std::span<const std::string_view> args_;
  std::size_t next_ = 0;
  std::optional<Error> error_;
};

}  // namespace rung

// RequestParser: bytes in, one request at a time out, as views into those bytes. No I/O.
//
// Both forms of a request are understood: arrays of bulk strings, and inline commands (a line of
// words, with quotes). A request may arrive in any number of pieces: the parser keeps its place,
// so that no byte is looked at twice.
//
// Use: call Next() with a buffer that starts at the current request. kRequest: args() is valid
// until the buffer changes; continue after consumed() bytes. kNeedMore: keep the bytes, and call
// again with the same bytes and more behind them (they may have moved). kError: error() is to be
// answered and the connection closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rung {

struct RequestLimits {
  std::size_t bulk_bytes_max = std::size_t{512} << 20;
  // Before login a request stays small, so that a stranger cannot make the server hold much.
  bool authenticated = true;
};

class RequestParser {
 public:
  enum class Status : std::uint8_t { kRequest, kNeedMore, kError };

  // `bytes` starts at the first byte of the current request.
  Status Next(std::string_view bytes, const RequestLimits& limits);

  // The words of the request; empty for an empty line or array, which asks for nothing.
  const std::vector<std::string_view>& args() const { return args_; }
  std::size_t consumed() const { return position_; }
  // "ERR Protocol error: ...". Valid after kError.
  const std::string& error() const { return error_; }
  // How many more bytes the bulk string in work needs: a hint for one reservation.
  std::size_t missing_bytes() const { return missing_bytes_; }
  bool in_request() const { return state_ != State::kStart; }

  // Forgets the current request; Next() starts anew. Called by itself after kRequest.
  void Reset();

 private:
  enum class State : std::uint8_t { kStart, kBulkHeader, kBulkBody, kDone };

  Status ParseArray(const RequestLimits& limits);
  Status ParseBulkHeader(const RequestLimits& limits);
  Status ParseBulkLength();
  Status ParseBulkBody();
  Status ParseInline();
  Status SplitInline(std::string_view line);
  Status Fail(std::string_view reason);
  // The line at position_, without its end; advances. False when it has not fully arrived.
  bool TakeLine(std::string_view& line);

  std::string_view bytes_;
  State state_ = State::kStart;
  std::size_t position_ = 0;  // Bytes of this request understood so far.
  std::size_t bulks_left_ = 0;
  std::size_t bulk_bytes_ = 0;  // Length of the bulk string in work.
  std::size_t missing_bytes_ = 0;
  std::vector<std::string_view> args_;
  std::vector<std::pair<std::size_t, std::size_t>> parked_;  // args_ as offsets, while waiting.
  std::vector<std::string> inline_words_;
  std::string error_;
};

}  // namespace rung

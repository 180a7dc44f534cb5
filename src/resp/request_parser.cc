// The request side of RESP. See request_parser.h.

#include "rung/resp/request_parser.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "rung/base/numbers.h"
#include "rung/resp/length_line.h"

namespace rung {
namespace {

constexpr std::size_t kLineBytesMax = 64 * 1024;  // An inline request, or a length line.
constexpr std::size_t kArgumentsMax = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kArgumentsMaxBeforeLogin = 10;
constexpr std::size_t kBulkBytesMaxBeforeLogin = 16 * 1024;
// A count announced is not memory given: room is made for the arguments that really come.
constexpr std::size_t kArgumentsReserved = 64;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0'; }

char Unescape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'b':
      return '\b';
    case 'a':
      return '\a';
    default:
      return c;
  }
}

// Reads one double-quoted part behind its opening quote. False when the quotes do not balance.
bool TakeDoubleQuoted(std::string_view& rest, std::string& word) {
  while (!rest.empty()) {
    const char c = rest[0];
    if (c == '"') {
      rest.remove_prefix(1);
      return rest.empty() || IsSpace(rest[0]);
    }
    if (c == '\\' && rest.size() >= 4 && rest[1] == 'x' && HexDigit(rest[2]) >= 0 &&
        HexDigit(rest[3]) >= 0) {
      word.push_back(static_cast<char>(HexDigit(rest[2]) * 16 + HexDigit(rest[3])));
      rest.remove_prefix(4);
    } else if (c == '\\' && rest.size() >= 2) {
      word.push_back(Unescape(rest[1]));
      rest.remove_prefix(2);
    } else {
      word.push_back(c);
      rest.remove_prefix(1);
    }
  }
  return false;
}

bool TakeSingleQuoted(std::string_view& rest, std::string& word) {
  while (!rest.empty()) {
    if (rest[0] == '\'') {
      rest.remove_prefix(1);
      return rest.empty() || IsSpace(rest[0]);
    }
    if (rest[0] == '\\' && rest.size() >= 2 && rest[1] == '\'') rest.remove_prefix(1);
    word.push_back(rest[0]);
    rest.remove_prefix(1);
  }
  return false;
}

bool TakeWord(std::string_view& rest, std::string& word) {
  while (!rest.empty() && !IsSpace(rest[0])) {
    const char c = rest[0];
    rest.remove_prefix(1);
    if (c == '"') {
      if (!TakeDoubleQuoted(rest, word)) return false;
    } else if (c == '\'') {
      if (!TakeSingleQuoted(rest, word)) return false;
    } else {
      word.push_back(c);
    }
  }
  return true;
}

}  // namespace

void RequestParser::Reset() {
  state_ = State::kStart;
  position_ = 0;
  bulks_left_ = 0;
  missing_bytes_ = 0;
  args_.clear();
  parked_.clear();
}

RequestParser::Status RequestParser::Next(std::string_view bytes, const RequestLimits& limits) {
  if (state_ == State::kDone) Reset();
  if (bytes.size() <= position_) return Status::kNeedMore;
  bytes_ = bytes;
  missing_bytes_ = 0;
  for (const auto& [offset, size] : parked_) args_.push_back(bytes.substr(offset, size));
  parked_.clear();
  Status status{};
  if (state_ == State::kStart) {
    status = bytes[0] == '*' ? ParseArray(limits) : ParseInline();
  } else {
    status = ParseBulkHeader(limits);
  }
  if (status == Status::kRequest) {
    state_ = State::kDone;
  } else if (status == Status::kNeedMore) {
    for (const std::string_view arg : args_) {
      parked_.emplace_back(static_cast<std::size_t>(arg.data() - bytes.data()), arg.size());
    }
    args_.clear();
  }
  return status;
}

bool RequestParser::TakeLine(std::string_view& line) {
  const char* start = bytes_.data() + position_;
  const std::size_t left = bytes_.size() - position_;
  const auto* end = static_cast<const char*>(std::memchr(start, '\r', left));
  // The CR alone is not enough: its LF is skipped with it.
  if (end == nullptr || static_cast<std::size_t>(end - start) + 2 > left) return false;
  line = {start, static_cast<std::size_t>(end - start)};
  position_ += line.size() + 2;
  return true;
}

RequestParser::Status RequestParser::ParseArray(const RequestLimits& limits) {
  if (const std::size_t plain = ReadLengthLine(bytes_, '*', bulks_left_)) {
    position_ = plain;
  } else {
    std::string_view line;
    if (!TakeLine(line)) {
      return bytes_.size() > kLineBytesMax ? Fail("too big mbulk count string") : Status::kNeedMore;
    }
    const std::optional<std::int64_t> count = ParseInt64(line.substr(1));
    if (!count || *count > static_cast<std::int64_t>(kArgumentsMax)) {
      return Fail("invalid multibulk length");
    }
    if (*count <= 0) return Status::kRequest;
    bulks_left_ = static_cast<std::size_t>(*count);
  }
  if (!limits.authenticated && bulks_left_ > kArgumentsMaxBeforeLogin) {
    return Fail("unauthenticated multibulk length");
  }
  args_.reserve(std::min(bulks_left_, kArgumentsReserved));
  state_ = State::kBulkHeader;
  return ParseBulkHeader(limits);
}

RequestParser::Status RequestParser::ParseBulkHeader(const RequestLimits& limits) {
  while (bulks_left_ > 0) {
    if (state_ == State::kBulkHeader) {
      const std::string_view rest = bytes_.substr(position_);
      if (const std::size_t plain = ReadLengthLine(rest, '$', bulk_bytes_)) {
        position_ += plain;
      } else if (const Status status = ParseBulkLength(); status != Status::kRequest) {
        return status;
      }
      if (bulk_bytes_ > limits.bulk_bytes_max) return Fail("invalid bulk length");
      if (!limits.authenticated && bulk_bytes_ > kBulkBytesMaxBeforeLogin) {
        return Fail("unauthenticated bulk length");
      }
      state_ = State::kBulkBody;
    }
    if (ParseBulkBody() == Status::kNeedMore) return Status::kNeedMore;
  }
  return Status::kRequest;
}

// The length of a bulk string, however it is written.
RequestParser::Status RequestParser::ParseBulkLength() {
  std::string_view line;
  if (!TakeLine(line)) {
    const bool too_long = bytes_.size() - position_ > kLineBytesMax;
    return too_long ? Fail("too big bulk count string") : Status::kNeedMore;
  }
  if (line.empty() || line[0] != '$') {
    // Named as Redis names it; a line break as first byte is shown as what it is.
    const char got = line.empty() ? '\r' : line[0];
    return Fail(std::string("expected '$', got '") + got + "'");
  }
  const std::optional<std::int64_t> length = ParseInt64(line.substr(1));
  if (!length || *length < 0) return Fail("invalid bulk length");
  bulk_bytes_ = static_cast<std::size_t>(*length);
  return Status::kRequest;
}

RequestParser::Status RequestParser::ParseBulkBody() {
  const std::size_t left = bytes_.size() - position_;
  if (left < bulk_bytes_ + 2) {
    missing_bytes_ = bulk_bytes_ + 2 - left;
    return Status::kNeedMore;
  }
  args_.push_back(bytes_.substr(position_, bulk_bytes_));
  position_ += bulk_bytes_ + 2;
  --bulks_left_;
  state_ = State::kBulkHeader;
  return Status::kRequest;
}

RequestParser::Status RequestParser::ParseInline() {
  const std::size_t end = bytes_.find('\n');
  if (end == std::string_view::npos) {
    return bytes_.size() > kLineBytesMax ? Fail("too big inline request") : Status::kNeedMore;
  }
  position_ = end + 1;
  std::string_view line = bytes_.substr(0, end);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return SplitInline(line);
}

RequestParser::Status RequestParser::SplitInline(std::string_view line) {
  inline_words_.clear();
  while (true) {
    while (!line.empty() && IsSpace(line[0])) line.remove_prefix(1);
    if (line.empty()) break;
    std::string word;
    if (!TakeWord(line, word)) return Fail("unbalanced quotes in request");
    inline_words_.push_back(std::move(word));
  }
  args_.assign(inline_words_.begin(), inline_words_.end());
  return Status::kRequest;
}

RequestParser::Status RequestParser::Fail(std::string_view reason) {
  error_ = "ERR Protocol error: ";
  error_ += reason;
  return Status::kError;
}

}  // namespace rung

// All differences between RESP2 and RESP3 replies. See reply_writer.h.

#include "rung/resp/reply_writer.h"

#include <charconv>
#include <cstring>
#include <string>

#include "rung/base/numbers.h"

namespace rung {
namespace {

constexpr std::size_t kHeaderRoom = 24;  // Type byte, 20 digits, CR LF.

char* PrintNumber(char* at, std::int64_t value) { return std::to_chars(at, at + 20, value).ptr; }

char* PrintEnd(char* at) {
  at[0] = '\r';
  at[1] = '\n';
  return at + 2;
}

}  // namespace

void ReplyWriter::BulkInteger(std::int64_t value) {
  NumberBuffer buffer;
  Bulk(FormatInt64(value, buffer));
}

void ReplyWriter::BulkDouble(double value) {
  NumberBuffer buffer;
  Bulk(FormatDouble(value, buffer));
}

void RespWriter::Header(char type, std::size_t count) {
  char* start = out_->Reserve(kHeaderRoom);
  *start = type;
  char* end = PrintEnd(PrintNumber(start + 1, static_cast<std::int64_t>(count)));
  out_->Commit(static_cast<std::size_t>(end - start));
}

void RespWriter::Line(char type, std::string_view text) {
  char* start = out_->Reserve(text.size() + 3);
  *start = type;
  std::memcpy(start + 1, text.data(), text.size());
  char* end = PrintEnd(start + 1 + text.size());
  out_->Commit(static_cast<std::size_t>(end - start));
}

void RespWriter::Status(std::string_view text) { Line('+', text); }

void RespWriter::WriteError(std::string_view text) {
  ++error_count_;
  // A client's bytes may be quoted in an error; they must not start a reply of their own.
  if (text.find_first_of("\r\n") == std::string_view::npos) return Line('-', text);
  std::string one_line(text);
  for (char& c : one_line) {
    if (c == '\r' || c == '\n') c = ' ';
  }
  Line('-', one_line);
}

void RespWriter::Integer(std::int64_t value) {
  char* start = out_->Reserve(kHeaderRoom);
  *start = ':';
  char* end = PrintEnd(PrintNumber(start + 1, value));
  out_->Commit(static_cast<std::size_t>(end - start));
}

void RespWriter::Bulk(std::string_view bytes) {
  constexpr std::size_t kOnePiece = 4096;
  if (bytes.size() <= kOnePiece) {
    char* start = out_->Reserve(kHeaderRoom + bytes.size() + 2);
    *start = '$';
    char* at = PrintEnd(PrintNumber(start + 1, static_cast<std::int64_t>(bytes.size())));
    if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
    at = PrintEnd(at + bytes.size());
    out_->Commit(static_cast<std::size_t>(at - start));
    return;
  }
  Header('$', bytes.size());
  out_->Append(bytes);
  out_->Append("\r\n");
}

void RespWriter::Double(double value) {
  NumberBuffer buffer;
  const std::string_view text = FormatDouble(value, buffer);
  if (resp3_) {
    Line(',', text);
  } else {
    Bulk(text);
  }
}

void RespWriter::Bool(bool value) {
  if (resp3_) {
    Line('#', value ? "t" : "f");
  } else {
    Integer(value ? 1 : 0);
  }
}

void RespWriter::BigNumber(std::string_view digits) {
  if (resp3_) {
    Line('(', digits);
  } else {
    Bulk(digits);
  }
}

void RespWriter::Null() { out_->Append(resp3_ ? "_\r\n" : "$-1\r\n"); }

void RespWriter::NullArray() { out_->Append(resp3_ ? "_\r\n" : "*-1\r\n"); }

void RespWriter::Verbatim(std::string_view format, std::string_view text) {
  if (!resp3_) return Bulk(text);
  Header('=', format.size() + 1 + text.size());
  out_->Append(format);
  out_->Append(":");
  out_->Append(text);
  out_->Append("\r\n");
}

}  // namespace rung

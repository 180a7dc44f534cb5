// Cutting JSON into tokens. See cjson_lexer.h.

#include "script/cjson_lexer.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "rung/base/numbers.h"

namespace rung {
namespace {

// Four hexadecimal digits, or -1. Stops at the first that is none, hence at the final NUL.
int HexCode(const char* digits) {
  int code = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = digits[i];
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      code = code * 16 + (c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      code = code * 16 + (lower - 'a' + 10);
    } else {
      return -1;
    }
  }
  return code;
}

void AppendUtf8(LuaBuffer& out, int code) {
  const auto tail = [code](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code <= 0x7f) {
    out.Append(static_cast<char>(code));
  } else if (code <= 0x7ff) {
    out.Append(static_cast<char>(0xc0 | code >> 6));
    out.Append(tail(0));
  } else if (code <= 0xffff) {
    out.Append(static_cast<char>(0xe0 | code >> 12));
    out.Append(tail(6));
    out.Append(tail(0));
  } else {
    out.Append(static_cast<char>(0xf0 | code >> 18));
    out.Append(tail(12));
    out.Append(tail(6));
    out.Append(tail(0));
  }
}

}  // namespace

const char* DescribeJsonToken(const JsonToken& token) {
  switch (token.kind) {
    case JsonToken::Kind::kObjectBegin:
      return "T_OBJ_BEGIN";
    case JsonToken::Kind::kObjectEnd:
      return "T_OBJ_END";
    case JsonToken::Kind::kArrayBegin:
      return "T_ARR_BEGIN";
    case JsonToken::Kind::kArrayEnd:
      return "T_ARR_END";
    case JsonToken::Kind::kString:
      return "T_STRING";
    case JsonToken::Kind::kNumber:
      return "T_NUMBER";
    case JsonToken::Kind::kBoolean:
      return "T_BOOLEAN";
    case JsonToken::Kind::kNull:
      return "T_NULL";
    case JsonToken::Kind::kColon:
      return "T_COLON";
    case JsonToken::Kind::kComma:
      return "T_COMMA";
    case JsonToken::Kind::kEnd:
      return "T_END";
    case JsonToken::Kind::kError:
      break;
  }
  return token.error;
}

void JsonLexer::Next(JsonToken& token) {
  while (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r') ++at_;
  token.index = position();
  const auto single = [&](JsonToken::Kind kind) {
    token.kind = kind;
    ++at_;
  };
  switch (*at_) {
    case '{':
      return single(JsonToken::Kind::kObjectBegin);
    case '}':
      return single(JsonToken::Kind::kObjectEnd);
    case '[':
      return single(JsonToken::Kind::kArrayBegin);
    case ']':
      return single(JsonToken::Kind::kArrayEnd);
    case ':':
      return single(JsonToken::Kind::kColon);
    case ',':
      return single(JsonToken::Kind::kComma);
    case '"':
      return TakeString(token);
    case '\0':
      token.kind = JsonToken::Kind::kEnd;
      return;
    default:
      break;
  }
  if (*at_ == '-' || (*at_ >= '0' && *at_ <= '9')) {
    if (TakeShortInteger(token)) return;
    if (settings_.decode_invalid_numbers == 0 && IsLenientNumber()) {
      return Fail(token, "invalid number");
    }
    return TakeNumber(token);
  }
  TakeWord(token);
}

void JsonLexer::TakeString(JsonToken& token) {
  token.kind = JsonToken::Kind::kString;
  ++at_;
  const char* plain_from = at_;
  bool has_escapes = false;
  unescaped_.Clear();
  while (*at_ != '"') {
    if (*at_ == '\0') return Fail(token, "unexpected end of string");
    if (*at_ != '\\') {
      ++at_;
      continue;
    }
    has_escapes = true;
    unescaped_.Append({plain_from, static_cast<std::size_t>(at_ - plain_from)});
    if (const char* error = TakeEscape()) return Fail(token, error);
    plain_from = at_;
  }
  const std::string_view plain(plain_from, static_cast<std::size_t>(at_ - plain_from));
  ++at_;
  token.text = plain;
  if (has_escapes) {
    unescaped_.Append(plain);
    token.text = unescaped_.bytes();
  }
}

// At a backslash. Returns what is wrong, where it stands then, or nullptr.
const char* JsonLexer::TakeEscape() {
  constexpr std::string_view kNames = "\"\\/btnfr";
  constexpr std::string_view kMeant = "\"\\/\b\t\n\f\r";
  if (at_[1] == 'u') return TakeUnicodeEscape() ? nullptr : "invalid unicode escape code";
  const std::size_t named = at_[1] == '\0' ? std::string_view::npos : kNames.find(at_[1]);
  if (named == std::string_view::npos) return "invalid escape code";
  unescaped_.Append(kMeant[named]);
  at_ += 2;
  return nullptr;
}

bool JsonLexer::TakeUnicodeEscape() {
  constexpr int kEscapeBytes = 6;
  int code = HexCode(at_ + 2);
  if (code < 0) return false;
  int bytes = kEscapeBytes;
  if ((code & 0xf800) == 0xd800) {
    const bool is_high = (code & 0x400) == 0;
    if (!is_high || at_[kEscapeBytes] != '\\' || at_[kEscapeBytes + 1] != 'u') return false;
    const int low = HexCode(at_ + kEscapeBytes + 2);
    if (low < 0 || (low & 0xfc00) != 0xdc00) return false;
    code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
    bytes = 2 * kEscapeBytes;
  }
  AppendUtf8(unescaped_, code);
  at_ += bytes;
  return true;
}

bool JsonLexer::SkipWord(std::string_view word) {
  if (std::strncmp(at_, word.data(), word.size()) != 0) return false;
  at_ += word.size();
  return true;
}

void JsonLexer::TakeWord(JsonToken& token) {
  if (SkipWord("true") || SkipWord("false")) {
    token.kind = JsonToken::Kind::kBoolean;
    token.boolean = text_[token.index] == 't';
  } else if (SkipWord("null")) {
    token.kind = JsonToken::Kind::kNull;
  } else if (settings_.decode_invalid_numbers != 0 && IsLenientNumber()) {
    TakeNumber(token);
  } else {
    Fail(token, "invalid token");
  }
}

// Up to 15 digits and nothing more, which are most numbers.
bool JsonLexer::TakeShortInteger(JsonToken& token) {
  constexpr int kDigitsMax = 15;
  const bool negative = *at_ == '-';
  const char* digits = at_ + (negative ? 1 : 0);
  const char* end = digits;
  std::int64_t number = 0;
  for (; *end >= '0' && *end <= '9' && end - digits < kDigitsMax; ++end) {
    number = number * 10 + (*end - '0');
  }
  const bool leads_with_zero = *digits == '0' && end - digits > 1;
  const bool goes_on =
      (*end >= '0' && *end <= '9') || (*end != '\0' && std::strchr(".eExX", *end) != nullptr);
  if (end == digits || leads_with_zero || goes_on) return false;
  token.kind = JsonToken::Kind::kNumber;
  token.number = static_cast<double>(number);
  if (negative) token.number = -token.number;
  at_ = end;
  return true;
}

void JsonLexer::TakeNumber(JsonToken& token) {
  char* end = nullptr;
  token.kind = JsonToken::Kind::kNumber;
  token.number = std::strtod(at_, &end);
  if (end == at_) return Fail(token, "invalid number");
  at_ = end;
}

// Does strtod perhaps take for a number what JSON has no form for?
bool JsonLexer::IsLenientNumber() const {
  if (*at_ == '+') return true;
  const char* digits = at_ + (*at_ == '-' ? 1 : 0);
  if (*digits == '0') {
    return digits[1] == 'x' || digits[1] == 'X' || (digits[1] >= '0' && digits[1] <= '9');
  }
  const std::string_view word(digits, strnlen(digits, 3));
  return EqualsIgnoreCase(word, "inf") || EqualsIgnoreCase(word, "nan");
}

}  // namespace rung

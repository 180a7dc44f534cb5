// The tokens of a JSON text, as leniently as Redis's cjson takes them. See cjson_decode.cc.
#pragma once

#include <cstddef>
#include <lua.hpp>
#include <string_view>

#include "script/cjson.h"
#include "script/lua_buffer.h"

namespace rung {

struct JsonToken {
  enum class Kind {
    kObjectBegin,
    kObjectEnd,
    kArrayBegin,
    kArrayEnd,
    kString,
    kNumber,
    kBoolean,
    kNull,
    kColon,
    kComma,
    kEnd,
    kError
  };

  Kind kind;
  std::size_t index;      // Where it begins, or where the error is.
  std::string_view text;  // Of a string; valid until the next token.
  double number;
  bool boolean;
  const char* error;
};

// The word for a token in errors: its kind, or what is wrong with it.
const char* DescribeJsonToken(const JsonToken& token);

// Cuts a text into tokens. The text is a Lua string: a NUL follows it, at which every scan stops.
class JsonLexer {
 public:
  JsonLexer(lua_State* state, const char* text, const CjsonSettings& settings)
      : settings_(settings), text_(text), at_(text), unescaped_(state) {}

  void Next(JsonToken& token);
  std::size_t position() const { return static_cast<std::size_t>(at_ - text_); }

 private:
  void Fail(JsonToken& token, const char* error) {
    token.kind = JsonToken::Kind::kError;
    token.index = position();
    token.error = error;
  }
  void TakeString(JsonToken& token);
  const char* TakeEscape();
  bool TakeUnicodeEscape();
  void TakeWord(JsonToken& token);
  bool SkipWord(std::string_view word);
  void TakeNumber(JsonToken& token);
  bool TakeShortInteger(JsonToken& token);
  bool IsLenientNumber() const;

  const CjsonSettings& settings_;
  const char* text_;
  const char* at_;
  LuaBuffer unescaped_;
};

}  // namespace rung

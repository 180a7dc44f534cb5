// cjson.encode: a Lua value as JSON, in Redis's form.
//
// What is particular: '/' is escaped, as are control characters and DEL; bytes of 128 and more pass
// as they are. An empty table is an object. Numbers have 14 significant digits.

#include <array>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <lua.hpp>
#include <string_view>
#include <type_traits>

#include "script/cjson.h"
#include "script/lua_buffer.h"

namespace rung {
namespace {

constexpr std::array<bool, 256> kEscaped = [] {
  std::array<bool, 256> escaped{};
  for (std::size_t c = 0; c < ' '; ++c) escaped[c] = true;
  for (const unsigned char c : {'"', '\\', '/', '\x7f'}) escaped[c] = true;
  return escaped;
}();

// Works on the value on top of the stack, and leaves the stack as it was.
class Encoder {
 public:
  Encoder(lua_State* state, const CjsonSettings& settings)
      : state_(state), settings_(settings), out_(state) {}

  void Append(int depth);
  void Push() const { out_.Push(); }

 private:
  static constexpr int kObject = -1;

  void AppendString(int index);
  void AppendEscape(char c);
  void AppendNumber(int index);
  void AppendTable(int depth);
  void AppendArray(int length, int depth);
  void AppendObject(int depth);
  void AppendKey();
  int ArrayLength();
  void Refuse(int index, const char* reason) {
    luaL_error(state_, "Cannot serialise %s: %s", luaL_typename(state_, index), reason);
  }

  lua_State* state_;
  const CjsonSettings& settings_;
  LuaBuffer out_;
};

static_assert(std::is_trivially_destructible_v<Encoder>);

void Encoder::Append(int depth) {
  switch (lua_type(state_, -1)) {
    case LUA_TSTRING:
      return AppendString(-1);
    case LUA_TNUMBER:
      return AppendNumber(-1);
    case LUA_TBOOLEAN:
      return out_.Append(lua_toboolean(state_, -1) != 0 ? std::string_view("true") : "false");
    case LUA_TTABLE:
      return AppendTable(depth + 1);
    case LUA_TNIL:
      return out_.Append("null");
    case LUA_TLIGHTUSERDATA:
      if (lua_touserdata(state_, -1) == nullptr) return out_.Append("null");
      break;
    default:
      break;
  }
  Refuse(-1, "type not supported");
}

void Encoder::AppendString(int index) {
  std::size_t size = 0;
  const char* bytes = lua_tolstring(state_, index, &size);
  const std::string_view text(bytes, size);
  out_.Append('"');
  std::size_t plain_from = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (!kEscaped[static_cast<unsigned char>(text[i])]) continue;
    out_.Append(text.substr(plain_from, i - plain_from));
    AppendEscape(text[i]);
    plain_from = i + 1;
  }
  out_.Append(text.substr(plain_from));
  out_.Append('"');
}

void Encoder::AppendEscape(char c) {
  constexpr std::string_view kNamed = "\"\\/\b\t\n\f\r";
  constexpr std::string_view kNames = "\"\\/btnfr";
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::size_t named = kNamed.find(c);
  if (named != std::string_view::npos) {
    const char escape[] = {'\\', kNames[named]};
    return out_.Append({escape, sizeof(escape)});
  }
  out_.Append("\\u00");
  out_.Append(kHex[static_cast<unsigned char>(c) >> 4]);
  out_.Append(kHex[static_cast<unsigned char>(c) & 15]);
}

void Encoder::AppendNumber(int index) {
  const double number = lua_tonumber(state_, index);
  if (!std::isfinite(number)) {
    if (settings_.encode_invalid_numbers == CjsonSettings::kRefuse) {
      Refuse(index, "must not be NaN or Inf");
    }
    if (settings_.encode_invalid_numbers == CjsonSettings::kAsNull) return out_.Append("null");
    if (std::isnan(number)) return out_.Append("nan");
  }
  constexpr std::size_t kRoom = 64;
  // Whole numbers of few digits are most numbers, and much cheaper.
  constexpr int kShortDigits = 9;
  constexpr double kShortMax = 999'999'999;
  char* to = out_.Reserve(kRoom);
  const bool is_short = std::fabs(number) <= kShortMax &&
                        settings_.significant_digits >= kShortDigits &&
                        std::trunc(number) == number && !(number == 0 && std::signbit(number));
  const std::to_chars_result result =
      is_short ? std::to_chars(to, to + kRoom, static_cast<std::int64_t>(number))
               : std::to_chars(to, to + kRoom, number, std::chars_format::general,
                               settings_.significant_digits);
  out_.Advance(static_cast<std::size_t>(result.ptr - to));
}

void Encoder::AppendTable(int depth) {
  // A key, a value and an error's text.
  if (depth > settings_.encode_depth_max || lua_checkstack(state_, 4) == 0) {
    luaL_error(state_, "Cannot serialise, excessive nesting (%d)", depth);
  }
  const int length = ArrayLength();
  return length > 0 ? AppendArray(length, depth) : AppendObject(depth);
}

// The largest index when all keys are whole numbers from 1 on and not too far apart, else kObject.
int Encoder::ArrayLength() {
  double length = 0;
  std::int64_t elements = 0;
  lua_pushnil(state_);
  while (lua_next(state_, -2) != 0) {
    const double key = lua_type(state_, -2) == LUA_TNUMBER ? lua_tonumber(state_, -2) : 0;
    if (key < 1 || std::floor(key) != key) {
      lua_pop(state_, 2);
      return kObject;
    }
    if (key > length) length = key;
    ++elements;
    lua_pop(state_, 1);
  }
  if (length > INT_MAX) return kObject;
  const auto most = static_cast<double>(elements * settings_.sparse_ratio);
  if (settings_.sparse_ratio > 0 && length > most && length > settings_.sparse_safe) {
    if (settings_.sparse_as_object == 0) Refuse(-1, "excessively sparse array");
    return kObject;
  }
  return static_cast<int>(length);
}

void Encoder::AppendArray(int length, int depth) {
  out_.Append('[');
  for (int i = 1; i <= length; ++i) {
    if (i > 1) out_.Append(',');
    lua_rawgeti(state_, -1, i);
    Append(depth);
    lua_pop(state_, 1);
  }
  out_.Append(']');
}

void Encoder::AppendObject(int depth) {
  out_.Append('{');
  bool first = true;
  lua_pushnil(state_);
  while (lua_next(state_, -2) != 0) {
    if (!first) out_.Append(',');
    first = false;
    AppendKey();
    out_.Append(':');
    Append(depth);
    lua_pop(state_, 1);
  }
  out_.Append('}');
}

// The key lies below its value.
void Encoder::AppendKey() {
  switch (lua_type(state_, -2)) {
    case LUA_TNUMBER:
      out_.Append('"');
      AppendNumber(-2);
      return out_.Append('"');
    case LUA_TSTRING:
      return AppendString(-2);
    default:
      Refuse(-2, "table key must be a number or string");
  }
}

}  // namespace

int CjsonEncode(lua_State* state) {
  luaL_argcheck(state, lua_gettop(state) == 1, 1, "expected 1 argument");
  Encoder encoder(state, CjsonSettings::Of(state));
  lua_pushvalue(state, 1);
  encoder.Append(0);
  encoder.Push();
  return 1;
}

}  // namespace rung

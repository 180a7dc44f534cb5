// cjson.decode: JSON as a Lua value, as leniently as Redis does it.
//
// What is particular: numbers are what strtod takes (hexadecimal, inf, nan, leading zeros), unless
// decode_invalid_numbers is off; a NUL ends the text; null is the light userdata NULL; bytes are
// not checked for being UTF-8. The texts of the errors name kinds of tokens as lua-cjson does.

#include <cstddef>
#include <lua.hpp>
#include <type_traits>

#include "script/cjson.h"
#include "script/cjson_lexer.h"

namespace rung {
namespace {

// Builds the value, pushing it onto the stack.
class Decoder {
 public:
  Decoder(lua_State* state, const char* text, const CjsonSettings& settings)
      : state_(state), settings_(settings), lexer_(state, text, settings) {}

  void PushDocument() {
    JsonToken token{};
    lexer_.Next(token);
    PushValue(token);
    lexer_.Next(token);
    if (token.kind != JsonToken::Kind::kEnd) Refuse("the end", token);
  }

 private:
  void PushValue(const JsonToken& token);
  void PushObject();
  void PushArray();
  void Descend(int slots);
  void Refuse(const char* expected, const JsonToken& token) {
    luaL_error(state_, "Expected %s but found %s at character %d", expected,
               DescribeJsonToken(token), static_cast<int>(token.index + 1));
  }

  lua_State* state_;
  const CjsonSettings& settings_;
  JsonLexer lexer_;
  int depth_ = 0;
};

static_assert(std::is_trivially_destructible_v<Decoder>);

void Decoder::PushValue(const JsonToken& token) {
  switch (token.kind) {
    case JsonToken::Kind::kString:
      lua_pushlstring(state_, token.text.data(), token.text.size());
      return;
    case JsonToken::Kind::kNumber:
      lua_pushnumber(state_, token.number);
      return;
    case JsonToken::Kind::kBoolean:
      lua_pushboolean(state_, token.boolean ? 1 : 0);
      return;
    case JsonToken::Kind::kNull:
      lua_pushlightuserdata(state_, nullptr);
      return;
    case JsonToken::Kind::kObjectBegin:
      return PushObject();
    case JsonToken::Kind::kArrayBegin:
      return PushArray();
    default:
      Refuse("value", token);
  }
}

void Decoder::Descend(int slots) {
  ++depth_;
  if (depth_ <= settings_.decode_depth_max && lua_checkstack(state_, slots) != 0) return;
  luaL_error(state_, "Found too many nested data structures (%d) at character %d", depth_,
             static_cast<int>(lexer_.position()));
}

// Tables grow as they are filled, so that their keys come in the order that they have in Redis.
void Decoder::PushObject() {
  Descend(4);
  lua_newtable(state_);
  JsonToken token{};
  lexer_.Next(token);
  bool more = token.kind != JsonToken::Kind::kObjectEnd;
  while (more) {
    if (token.kind != JsonToken::Kind::kString) Refuse("object key string", token);
    lua_pushlstring(state_, token.text.data(), token.text.size());
    lexer_.Next(token);
    if (token.kind != JsonToken::Kind::kColon) Refuse("colon", token);
    lexer_.Next(token);
    PushValue(token);
    lua_rawset(state_, -3);
    lexer_.Next(token);
    more = token.kind != JsonToken::Kind::kObjectEnd;
    if (!more) break;
    if (token.kind != JsonToken::Kind::kComma) Refuse("comma or object end", token);
    lexer_.Next(token);
  }
  --depth_;
}

void Decoder::PushArray() {
  Descend(3);
  lua_newtable(state_);
  JsonToken token{};
  lexer_.Next(token);
  bool more = token.kind != JsonToken::Kind::kArrayEnd;
  for (int i = 1; more; ++i) {
    PushValue(token);
    lua_rawseti(state_, -2, i);
    lexer_.Next(token);
    more = token.kind != JsonToken::Kind::kArrayEnd;
    if (!more) break;
    if (token.kind != JsonToken::Kind::kComma) Refuse("comma or array end", token);
    lexer_.Next(token);
  }
  --depth_;
}

}  // namespace

int CjsonDecode(lua_State* state) {
  luaL_argcheck(state, lua_gettop(state) == 1, 1, "expected 1 argument");
  std::size_t size = 0;
  const char* text = luaL_checklstring(state, 1, &size);
  if (size >= 2 && (text[0] == '\0' || text[1] == '\0')) {
    return luaL_error(state, "JSON parser does not support UTF-16 or UTF-32");
  }
  Decoder decoder(state, text, CjsonSettings::Of(state));
  decoder.PushDocument();
  return 1;
}

}  // namespace rung

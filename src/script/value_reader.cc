// Replies from Lua values. See value_reader.h.
//
// A table is what its first matching field says: err, ok, double, big_number, verbatim_string, map,
// set; without any it is an array that ends at the first nil.

#include "script/value_reader.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "script/errors.h"

namespace rung {
namespace {

// The slots that writing one value takes.
constexpr int kSlots = 6;

// Tables within tables. Readers of replies call themselves, ours and those of clients.
constexpr int kDepthMax = 1000;

// As the processor converts: what does not fit becomes the smallest integer.
std::int64_t ToInteger(lua_Number number) {
  constexpr lua_Number kLimit = 0x1p63;
  if (!(number >= -kLimit && number < kLimit)) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(number);
}

std::string_view TextAt(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* const bytes = lua_tolstring(lua, index, &size);
  return {bytes, size};
}

std::string OneLine(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (c == '\r' || c == '\n') c = ' ';
  }
  return line;
}

class Reader {
 public:
  Reader(lua_State* lua, const ExecContext& ctx, bool resp3)
      : lua_(lua), ctx_(ctx), resp3_(resp3) {}

  // Writes the value on top of the stack, and pops it.
  Outcome Write();

 private:
  Outcome WriteTable();
  // Pushes the field of the table on top of the stack; pops it again unless it has this type.
  bool PushField(const char* name, int type);
  Outcome WriteError();
  bool WriteVerbatim();
  void WriteMap();
  void WriteSet();
  void WriteArray();
  std::size_t CountPairs();

  lua_State* lua_;
  const ExecContext& ctx_;
  bool resp3_;
  int depth_ = 0;
};

Outcome Reader::Write() {
  if (depth_ > kDepthMax || lua_checkstack(lua_, kSlots) == 0) {
    ctx_.reply.WriteError("ERR reached lua stack limit");
    ctx_.broker.statistics.CountError("ERR");
    lua_pop(lua_, 1);
    return Outcome::kFailed;
  }
  switch (lua_type(lua_, -1)) {
    case LUA_TSTRING:
      ctx_.reply.Bulk(TextAt(lua_, -1));
      break;
    case LUA_TNUMBER:
      ctx_.reply.Integer(ToInteger(lua_tonumber(lua_, -1)));
      break;
    case LUA_TBOOLEAN: {
      const bool value = lua_toboolean(lua_, -1) != 0;
      if (resp3_) {
        ctx_.reply.Bool(value);
      } else if (value) {
        ctx_.reply.Integer(1);
      } else {
        ctx_.reply.Null();
      }
      break;
    }
    case LUA_TTABLE: {
      ++depth_;
      const Outcome outcome = WriteTable();
      --depth_;
      lua_pop(lua_, 1);
      return outcome;
    }
    default:
      ctx_.reply.Null();
  }
  lua_pop(lua_, 1);
  return Outcome::kReplied;
}

bool Reader::PushField(const char* name, int type) {
  lua_pushstring(lua_, name);
  lua_rawget(lua_, -2);
  if (lua_type(lua_, -1) == type) return true;
  lua_pop(lua_, 1);
  return false;
}

Outcome Reader::WriteTable() {
  if (PushField("err", LUA_TSTRING)) {
    lua_pop(lua_, 1);
    return WriteError();
  }
  if (PushField("ok", LUA_TSTRING)) {
    const std::string_view text = TextAt(lua_, -1);
    ctx_.reply.Status(OneLine(text.substr(0, text.find('\0'))));  // As a string of C.
    lua_pop(lua_, 1);
  } else if (PushField("double", LUA_TNUMBER)) {
    ctx_.reply.Double(lua_tonumber(lua_, -1));
    lua_pop(lua_, 1);
  } else if (PushField("big_number", LUA_TSTRING)) {
    ctx_.reply.BigNumber(OneLine(TextAt(lua_, -1)));
    lua_pop(lua_, 1);
  } else if (WriteVerbatim()) {
    return Outcome::kReplied;
  } else if (PushField("map", LUA_TTABLE)) {
    WriteMap();
    lua_pop(lua_, 1);
  } else if (PushField("set", LUA_TTABLE)) {
    WriteSet();
    lua_pop(lua_, 1);
  } else {
    WriteArray();
  }
  return Outcome::kReplied;
}

Outcome Reader::WriteError() {
  const ScriptError error = ReadError(lua_);
  // Redis's error is a string of C, and no line ends within it or behind it.
  std::string_view message = error.message;
  message = message.substr(0, message.find('\0'));
  message = message.substr(0, message.find_last_not_of("\r\n") + 1);
  ctx_.reply.WriteError(message);
  if (!error.counted) ctx_.broker.statistics.CountError(message.substr(0, message.find(' ')));
  return Outcome::kFailed;
}

bool Reader::WriteVerbatim() {
  if (!PushField("verbatim_string", LUA_TTABLE)) return false;
  bool written = false;
  if (PushField("format", LUA_TSTRING)) {
    std::array<char, 3> format = {' ', ' ', ' '};
    TextAt(lua_, -1).copy(format.data(), format.size());
    lua_pop(lua_, 1);
    if (PushField("string", LUA_TSTRING)) {
      ctx_.reply.Verbatim({format.data(), format.size()}, TextAt(lua_, -1));
      lua_pop(lua_, 1);
      written = true;
    }
  }
  lua_pop(lua_, 1);
  return written;
}

std::size_t Reader::CountPairs() {
  std::size_t count = 0;
  lua_pushnil(lua_);
  while (lua_next(lua_, -2) != 0) {
    ++count;
    lua_pop(lua_, 1);
  }
  return count;
}

void Reader::WriteMap() {
  ctx_.reply.Map(CountPairs());
  lua_pushnil(lua_);
  while (lua_next(lua_, -2) != 0) {
    lua_pushvalue(lua_, -2);
    Write();
    Write();
  }
}

void Reader::WriteSet() {
  ctx_.reply.Set(CountPairs());
  lua_pushnil(lua_);
  while (lua_next(lua_, -2) != 0) {
    lua_pop(lua_, 1);
    lua_pushvalue(lua_, -1);
    Write();
  }
}

void Reader::WriteArray() {
  std::size_t count = 0;
  for (int i = 1;; ++i, ++count) {
    lua_rawgeti(lua_, -1, i);
    const bool ends = lua_isnil(lua_, -1);
    lua_pop(lua_, 1);
    if (ends) break;
  }
  ctx_.reply.Array(count);
  for (std::size_t i = 1; i <= count; ++i) {
    lua_rawgeti(lua_, -1, static_cast<int>(i));
    Write();
  }
}

}  // namespace

Outcome WriteValue(lua_State* lua, const ExecContext& ctx, bool resp3) {
  return Reader(lua, ctx, resp3).Write();
}

}  // namespace rung

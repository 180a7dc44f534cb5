// From replies to Lua values. See value_writer.h.

#include "script/value_writer.h"

#include "rung/base/numbers.h"

namespace rung {
namespace {

// What one value needs at most on the stack, with the tables around it.
constexpr int kSlotsPerValue = 6;

void SetField(lua_State* lua, const char* name, std::string_view value) {
  lua_pushlstring(lua, value.data(), value.size());
  lua_setfield(lua, -2, name);
}

}  // namespace

bool ValueWriter::Room() {
  return !memory_.over_limit() && lua_checkstack(lua_, kSlotsPerValue) != 0;
}

void ValueWriter::Status(std::string_view text) {
  if (!Room()) return;
  lua_createtable(lua_, 0, 1);
  SetField(lua_, "ok", text);
  Close();
}

void ValueWriter::WriteError(std::string_view text) {
  if (!Room()) return;
  is_error_ = frames_.empty();
  lua_createtable(lua_, 0, 4);
  SetField(lua_, "err", text);
  // It was counted when it was made.
  lua_pushboolean(lua_, 1);
  lua_setfield(lua_, -2, "ignore_error_stats_update");
  Close();
}

void ValueWriter::Integer(std::int64_t value) {
  if (!Room()) return;
  lua_pushnumber(lua_, static_cast<lua_Number>(value));
  Close();
}

void ValueWriter::Bulk(std::string_view bytes) {
  if (!Room()) return;
  lua_pushlstring(lua_, bytes.data(), bytes.size());
  Close();
}

void ValueWriter::Double(double value) {
  if (!resp3_) return BulkDouble(value);
  if (!Room()) return;
  lua_createtable(lua_, 0, 1);
  lua_pushnumber(lua_, value);
  lua_setfield(lua_, -2, "double");
  Close();
}

void ValueWriter::Bool(bool value) {
  if (!Room()) return;
  if (resp3_) {
    lua_pushboolean(lua_, value ? 1 : 0);
  } else {
    lua_pushnumber(lua_, value ? 1 : 0);
  }
  Close();
}

void ValueWriter::BigNumber(std::string_view digits) {
  if (!resp3_) return Bulk(digits);
  if (!Room()) return;
  lua_createtable(lua_, 0, 1);
  SetField(lua_, "big_number", digits);
  Close();
}

void ValueWriter::Null() {
  if (!Room()) return;
  if (resp3_) {
    lua_pushnil(lua_);
  } else {
    lua_pushboolean(lua_, 0);
  }
  Close();
}

void ValueWriter::Verbatim(std::string_view format, std::string_view text) {
  if (!resp3_) return Bulk(text);
  if (!Room()) return;
  lua_createtable(lua_, 0, 1);
  lua_createtable(lua_, 0, 2);
  SetField(lua_, "string", text);
  SetField(lua_, "format", format);
  lua_setfield(lua_, -2, "verbatim_string");
  Close();
}

void ValueWriter::Array(std::size_t count) { Open(Kind::kArray, count, count, 0); }

void ValueWriter::Map(std::size_t pairs) {
  if (!resp3_) return Array(2 * pairs);
  Open(Kind::kMap, 2 * pairs, 0, pairs);
}

void ValueWriter::Set(std::size_t count) {
  if (!resp3_) return Array(count);
  Open(Kind::kSet, count, 0, count);
}

void ValueWriter::Push(std::size_t count) {
  if (count > 0) frames_.push_back({.kind = Kind::kDropped, .left = count});
}

void ValueWriter::Attribute(std::size_t pairs) {
  if (pairs > 0) frames_.push_back({.kind = Kind::kDropped, .left = 2 * pairs});
}

void ValueWriter::Open(Kind kind, std::size_t replies, std::size_t array_size,
                       std::size_t hash_size) {
  if (!Room()) return;
  if (kind != Kind::kArray) lua_createtable(lua_, 0, 1);  // The table around it.
  lua_createtable(lua_, static_cast<int>(array_size), static_cast<int>(hash_size));
  if (replies > 0) {
    frames_.push_back({.kind = kind, .left = replies});
    return;
  }
  Wrap(kind);
  Close();
}

void ValueWriter::Wrap(Kind kind) {
  if (kind == Kind::kMap) lua_setfield(lua_, -2, "map");
  if (kind == Kind::kSet) lua_setfield(lua_, -2, "set");
}

// An aggregate that is complete is itself a value of the one around it, and so on outwards.
void ValueWriter::Close() {
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    Store(frame);
    if (--frame.left > 0) return;
    const Kind kind = frame.kind;
    frames_.pop_back();
    if (kind == Kind::kDropped) return;
    Wrap(kind);
  }
  complete_ = true;
}

void ValueWriter::Store(Frame& frame) {
  switch (frame.kind) {
    case Kind::kArray:
      lua_rawseti(lua_, -2, frame.next++);
      return;
    case Kind::kMap:
      frame.has_key = !frame.has_key;
      if (frame.has_key) return;
      if (lua_isnil(lua_, -2)) {
        lua_pop(lua_, 2);  // Nothing can be kept under nil.
      } else {
        lua_rawset(lua_, -3);
      }
      return;
    case Kind::kSet:
      if (lua_isnil(lua_, -1)) {
        lua_pop(lua_, 1);
      } else {
        lua_pushboolean(lua_, 1);
        lua_rawset(lua_, -3);
      }
      return;
    case Kind::kDropped:
      lua_pop(lua_, 1);
      return;
  }
}

}  // namespace rung

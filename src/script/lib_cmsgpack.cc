// cmsgpack for scripts: Lua values to and from MessagePack, in the bytes that Redis makes of them.
//
// What is particular: a whole number is an integer whenever it fits int64, any other a float32 if
// that is exact; a table with exactly the keys 1..n is an array, any other a map; tables nested
// deeper than 16 and what MessagePack has no form for become nil; an unsigned 64-bit integer beyond
// int64 wraps; there are no bin and ext types.

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <lua.hpp>
#include <string_view>
#include <type_traits>

#include "script/libraries.h"
#include "script/lua_buffer.h"

namespace rung {
namespace {

constexpr int kPackDepthMax = 16;
// Deeper input would overflow the Lua stack of Redis; here it guards the C stack.
constexpr int kUnpackDepthMax = 4000;

// --- Packing.

template <typename Integer>
void AppendBigEndian(LuaBuffer& out, unsigned char tag, Integer value) {
  using Unsigned = std::make_unsigned_t<Integer>;
  auto rest = static_cast<Unsigned>(value);
  char* bytes = out.Reserve(1 + sizeof(value));
  bytes[0] = static_cast<char>(tag);
  for (std::size_t i = sizeof(value); i > 0; --i) {
    bytes[i] = static_cast<char>(rest & 0xff);
    rest = static_cast<Unsigned>(rest >> 4 >> 4);  // A byte is not shifted by its own width.
  }
  out.Advance(1 + sizeof(value));
}

void PackInteger(LuaBuffer& out, std::int64_t value) {
  if (value >= -32 && value <= 127) {
    out.Append(static_cast<char>(value));
  } else if (value >= 0) {
    if (value <= UINT8_MAX) {
      AppendBigEndian(out, 0xcc, static_cast<std::uint8_t>(value));
    } else if (value <= UINT16_MAX) {
      AppendBigEndian(out, 0xcd, static_cast<std::uint16_t>(value));
    } else if (value <= UINT32_MAX) {
      AppendBigEndian(out, 0xce, static_cast<std::uint32_t>(value));
    } else {
      AppendBigEndian(out, 0xcf, value);
    }
  } else if (value >= INT8_MIN) {
    AppendBigEndian(out, 0xd0, static_cast<std::int8_t>(value));
  } else if (value >= INT16_MIN) {
    AppendBigEndian(out, 0xd1, static_cast<std::int16_t>(value));
  } else if (value >= INT32_MIN) {
    AppendBigEndian(out, 0xd2, static_cast<std::int32_t>(value));
  } else {
    AppendBigEndian(out, 0xd3, value);
  }
}

template <typename Bits, typename Float>
Bits BitsOf(Float value) {
  static_assert(sizeof(Bits) == sizeof(Float));
  Bits bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

void PackNumber(LuaBuffer& out, double value) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (value >= -kTwoTo63 && value < kTwoTo63 && std::trunc(value) == value) {
    PackInteger(out, static_cast<std::int64_t>(value));
    return;
  }
  const bool float_has_it = std::isinf(value) || std::fabs(value) <= FLT_MAX;
  if (float_has_it && static_cast<double>(static_cast<float>(value)) == value) {
    AppendBigEndian(out, 0xca, BitsOf<std::uint32_t>(static_cast<float>(value)));
  } else {
    AppendBigEndian(out, 0xcb, BitsOf<std::uint64_t>(value));
  }
}

void PackString(LuaBuffer& out, std::string_view text) {
  if (text.size() < 32) {
    out.Append(static_cast<char>(0xa0 | text.size()));
  } else if (text.size() <= UINT8_MAX) {
    AppendBigEndian(out, 0xd9, static_cast<std::uint8_t>(text.size()));
  } else if (text.size() <= UINT16_MAX) {
    AppendBigEndian(out, 0xda, static_cast<std::uint16_t>(text.size()));
  } else {
    AppendBigEndian(out, 0xdb, static_cast<std::uint32_t>(text.size()));
  }
  out.Append(text);
}

void PackCount(LuaBuffer& out, std::size_t count, unsigned char fixed, unsigned char tag16) {
  if (count <= 15) {
    out.Append(static_cast<char>(fixed | count));
  } else if (count <= UINT16_MAX) {
    AppendBigEndian(out, tag16, static_cast<std::uint16_t>(count));
  } else {
    AppendBigEndian(out, static_cast<unsigned char>(tag16 + 1), static_cast<std::uint32_t>(count));
  }
}

struct TableShape {
  std::size_t entries = 0;
  bool is_array = true;  // The keys are 1..entries.
};

// Keys differ, so that `entries` whole numbers from 1 with that maximum are all of 1..entries.
TableShape ShapeOf(lua_State* state, int table) {
  TableShape shape;
  double largest = 0;
  lua_pushnil(state);
  while (lua_next(state, table) != 0) {
    lua_pop(state, 1);
    ++shape.entries;
    if (!shape.is_array) continue;
    const double key = lua_type(state, -1) == LUA_TNUMBER ? lua_tonumber(state, -1) : 0;
    shape.is_array = key >= 1 && key <= INT_MAX && std::trunc(key) == key;
    if (key > largest) largest = key;
  }
  shape.is_array = shape.is_array && largest == static_cast<double>(shape.entries);
  return shape;
}

void PackValue(lua_State* state, LuaBuffer& out, int index, int depth);

// Two stack slots for each level of nesting.
void PackTable(lua_State* state, LuaBuffer& out, int table, int depth) {
  const TableShape shape = ShapeOf(state, table);
  if (shape.is_array) {
    PackCount(out, shape.entries, 0x90, 0xdc);
    for (std::size_t i = 1; i <= shape.entries; ++i) {
      lua_rawgeti(state, table, static_cast<int>(i));
      PackValue(state, out, lua_gettop(state), depth + 1);
      lua_pop(state, 1);
    }
    return;
  }
  PackCount(out, shape.entries, 0x80, 0xde);
  lua_pushnil(state);
  while (lua_next(state, table) != 0) {
    const int value = lua_gettop(state);
    PackValue(state, out, value - 1, depth + 1);
    PackValue(state, out, value, depth + 1);
    lua_pop(state, 1);
  }
}

// `index` counts from the bottom of the stack.
void PackValue(lua_State* state, LuaBuffer& out, int index, int depth) {
  constexpr char kNil = static_cast<char>(0xc0);
  switch (lua_type(state, index)) {
    case LUA_TSTRING: {
      std::size_t size = 0;
      const char* text = lua_tolstring(state, index, &size);
      PackString(out, {text, size});
      return;
    }
    case LUA_TNUMBER:
      PackNumber(out, lua_tonumber(state, index));
      return;
    case LUA_TBOOLEAN:
      out.Append(static_cast<char>(lua_toboolean(state, index) != 0 ? 0xc3 : 0xc2));
      return;
    case LUA_TTABLE:
      if (depth < kPackDepthMax) {
        PackTable(state, out, index, depth);
      } else {
        out.Append(kNil);
      }
      return;
    default:
      out.Append(kNil);
  }
}

// pack(value...): the values one after another.
int Pack(lua_State* state) {
  const int count = lua_gettop(state);
  if (count == 0) return luaL_argerror(state, 0, "MessagePack pack needs input.");
  luaL_checkstack(state, 2 * kPackDepthMax + 8, "nested tables");
  LuaBuffer out(state);
  for (int i = 1; i <= count; ++i) PackValue(state, out, i, 0);
  out.Push();
  return 1;
}

// --- Unpacking. Errors are raised where they are found: nothing here needs a destructor.

struct Input {
  const unsigned char* at;
  const unsigned char* end;
};

const unsigned char* Take(lua_State* state, Input& in, std::size_t bytes) {
  if (static_cast<std::size_t>(in.end - in.at) < bytes) {
    luaL_error(state, "Missing bytes in input.");
  }
  const unsigned char* taken = in.at;
  in.at += bytes;
  return taken;
}

template <typename Unsigned>
Unsigned TakeBigEndian(lua_State* state, Input& in) {
  const unsigned char* bytes = Take(state, in, sizeof(Unsigned));
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) value = value << 8 | bytes[i];
  return static_cast<Unsigned>(value);
}

template <typename Float, typename Bits>
void UnpackFloat(lua_State* state, Input& in) {
  const Bits bits = TakeBigEndian<Bits>(state, in);
  Float value;
  std::memcpy(&value, &bits, sizeof(value));
  lua_pushnumber(state, static_cast<lua_Number>(value));
}

template <typename Signed>
void UnpackSigned(lua_State* state, Input& in) {
  const auto bits = TakeBigEndian<std::make_unsigned_t<Signed>>(state, in);
  lua_pushnumber(state, static_cast<lua_Number>(static_cast<Signed>(bits)));
}

template <typename Unsigned>
void UnpackUnsigned(lua_State* state, Input& in) {
  // Through int64, so that the largest wrap as they do in Redis.
  const auto value = static_cast<std::int64_t>(TakeBigEndian<Unsigned>(state, in));
  lua_pushnumber(state, static_cast<lua_Number>(value));
}

void UnpackString(lua_State* state, Input& in, std::size_t size) {
  const unsigned char* text = Take(state, in, size);
  lua_pushlstring(state, reinterpret_cast<const char*>(text), size);
}

void UnpackValue(lua_State* state, Input& in, int depth);

// Tables grow as they are filled: a length says nothing about the bytes that follow, and a table
// made to measure would order its keys, and find its border, otherwise than Redis's.
void UnpackArray(lua_State* state, Input& in, std::size_t count, int depth) {
  lua_newtable(state);
  for (std::size_t i = 1; i <= count; ++i) {
    UnpackValue(state, in, depth + 1);
    lua_rawseti(state, -2, static_cast<int>(i));
  }
}

void UnpackMap(lua_State* state, Input& in, std::size_t count, int depth) {
  lua_newtable(state);
  for (std::size_t i = 0; i < count; ++i) {
    UnpackValue(state, in, depth + 1);
    UnpackValue(state, in, depth + 1);
    lua_rawset(state, -3);
  }
}

// The types that carry a number or length in bytes of their own.
void UnpackTagged(lua_State* state, Input& in, unsigned char tag, int depth) {
  switch (tag) {
    case 0xc0:
      lua_pushnil(state);
      return;
    case 0xc2:
      lua_pushboolean(state, 0);
      return;
    case 0xc3:
      lua_pushboolean(state, 1);
      return;
    case 0xca:
      UnpackFloat<float, std::uint32_t>(state, in);
      return;
    case 0xcb:
      UnpackFloat<double, std::uint64_t>(state, in);
      return;
    case 0xcc:
      UnpackUnsigned<std::uint8_t>(state, in);
      return;
    case 0xcd:
      UnpackUnsigned<std::uint16_t>(state, in);
      return;
    case 0xce:
      UnpackUnsigned<std::uint32_t>(state, in);
      return;
    case 0xcf:
      UnpackUnsigned<std::uint64_t>(state, in);
      return;
    case 0xd0:
      UnpackSigned<std::int8_t>(state, in);
      return;
    case 0xd1:
      UnpackSigned<std::int16_t>(state, in);
      return;
    case 0xd2:
      UnpackSigned<std::int32_t>(state, in);
      return;
    case 0xd3:
      UnpackSigned<std::int64_t>(state, in);
      return;
    case 0xd9:
      UnpackString(state, in, TakeBigEndian<std::uint8_t>(state, in));
      return;
    case 0xda:
      UnpackString(state, in, TakeBigEndian<std::uint16_t>(state, in));
      return;
    case 0xdb:
      UnpackString(state, in, TakeBigEndian<std::uint32_t>(state, in));
      return;
    case 0xdc:
      UnpackArray(state, in, TakeBigEndian<std::uint16_t>(state, in), depth);
      return;
    case 0xdd:
      UnpackArray(state, in, TakeBigEndian<std::uint32_t>(state, in), depth);
      return;
    case 0xde:
      UnpackMap(state, in, TakeBigEndian<std::uint16_t>(state, in), depth);
      return;
    case 0xdf:
      UnpackMap(state, in, TakeBigEndian<std::uint32_t>(state, in), depth);
      return;
    default:
      luaL_error(state, "Bad data format in input.");
  }
}

// Pushes the next value of the input.
void UnpackValue(lua_State* state, Input& in, int depth) {
  constexpr const char* kTooMany =
      "too many return values at once; use unpack_one or unpack_limit instead.";
  const unsigned char tag = *Take(state, in, 1);
  if (depth > kUnpackDepthMax) luaL_error(state, "stack overflow (%s)", kTooMany);
  luaL_checkstack(state, 2, kTooMany);
  if (tag <= 0x7f || tag >= 0xe0) {
    lua_pushnumber(state, static_cast<signed char>(tag));
  } else if (tag <= 0x8f) {
    UnpackMap(state, in, tag & 0x0f, depth);
  } else if (tag <= 0x9f) {
    UnpackArray(state, in, tag & 0x0f, depth);
  } else if (tag <= 0xbf) {
    UnpackString(state, in, tag & 0x1f);
  } else {
    UnpackTagged(state, in, tag, depth);
  }
}

// Pushes up to `limit` values from `offset` on, behind the offset of what follows them (-1 at the
// end); with neither limit nor offset all values alone. Returns how many results there are.
int UnpackFrom(lua_State* state, lua_Integer limit, lua_Integer offset) {
  std::size_t size = 0;
  const char* bytes = luaL_checklstring(state, 1, &size);
  if (offset < 0 || limit < 0) {
    return luaL_error(state, "Invalid request to unpack with offset of %d and limit of %d.",
                      static_cast<int>(offset), static_cast<int>(size));
  }
  if (static_cast<std::size_t>(offset) > size) {
    return luaL_error(state, "Start offset %d greater than input length %d.",
                      static_cast<int>(offset), static_cast<int>(size));
  }
  if (lua_gettop(state) > 1) lua_settop(state, 1);
  const bool all = limit == 0 && offset == 0;
  if (all) limit = std::numeric_limits<lua_Integer>::max();
  const auto* start = reinterpret_cast<const unsigned char*>(bytes);
  Input in{start + offset, start + size};
  int count = 0;
  for (; in.at != in.end && count < limit; ++count) UnpackValue(state, in, 0);
  if (all) return count;
  luaL_checkstack(state, 1, "unpacked values");
  lua_pushinteger(state, in.at == in.end ? -1 : in.at - start);
  lua_insert(state, 2);
  return count + 1;
}

// unpack(bytes): all values.
int Unpack(lua_State* state) { return UnpackFrom(state, 0, 0); }

// unpack_one(bytes [, offset])
int UnpackOne(lua_State* state) { return UnpackFrom(state, 1, luaL_optinteger(state, 2, 0)); }

// unpack_limit(bytes, limit [, offset])
int UnpackLimit(lua_State* state) {
  const lua_Integer limit = luaL_checkinteger(state, 2);
  return UnpackFrom(state, limit, luaL_optinteger(state, 3, 0));
}

constexpr luaL_Reg kFunctions[] = {
    {"pack", Pack}, {"unpack", Unpack}, {"unpack_one", UnpackOne}, {"unpack_limit", UnpackLimit}};

}  // namespace

int OpenCmsgpack(lua_State* state) {
  lua_createtable(state, 0, 6);
  for (const luaL_Reg& function : kFunctions) {
    lua_pushcfunction(state, function.func);
    lua_setfield(state, -2, function.name);
  }
  lua_pushliteral(state, "cmsgpack");
  lua_setfield(state, -2, "_NAME");
  lua_pushliteral(state, "lua-cmsgpack 0.4.0");
  lua_setfield(state, -2, "_VERSION");
  return 1;
}

}  // namespace rung

// struct for scripts: numbers and strings to and from the layouts of C structures.
//
// A format is read left to right: '<' '>' choose the byte order, "!n" the largest alignment
// (1 until then), ' ' is skipped; b B h H l L T "in" "In" are integers (lower case signed), f d
// floats, x one byte of padding, "cn" n bytes (c0: all, or as many as the number before says), s a
// string with a zero after it.
//
// Integers of more than 8 bytes hold the low 64 bits, zeros above them; read back they are taken
// from the low 8 bytes. Redis shifts by more than a word there and answers by chance.

#include <bit>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <lua.hpp>
#include <string_view>
#include <utility>

#include "script/libraries.h"
#include "script/lua_buffer.h"

namespace rung {
namespace {

constexpr int kIntegerBytesMax = 32;
constexpr int kNaturalAlignment = 8;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsLetterOrDigit(char c) { return IsDigit(c) || IsLower(c) || (c >= 'A' && c <= 'Z'); }

// One step of a format.
struct Item {
  char option;
  std::size_t size;     // As the option and its number say; 0 for s, c0 and what sets a mode.
  std::size_t padding;  // Before it, for alignment.
};

// Walks a format, keeping the byte order and alignment that it has set.
class Format {
 public:
  // Takes the format from argument 1.
  explicit Format(lua_State* state) : state_(state), at_(luaL_checkstring(state, 1)) {}

  bool AtEnd() const { return *at_ == '\0'; }
  bool big_endian() const { return big_endian_; }

  // The next item, when `position` bytes lie before it. Raises an error for a number that is too
  // large.
  Item Next(std::size_t position) {
    Item item{*at_++, 0, 0};
    item.size = SizeOf(item.option);
    item.padding = PaddingOf(item, position);
    return item;
  }

  // Obeys an option that is no data; raises an error when there is no such option.
  void Set(char option) {
    switch (option) {
      case ' ':
        return;
      case '>':
        big_endian_ = true;
        return;
      case '<':
        big_endian_ = false;
        return;
      case '!': {
        const int alignment = TakeNumber(kNaturalAlignment);
        if (alignment <= 0 || (alignment & (alignment - 1)) != 0) {
          luaL_error(state_, "alignment %d is not a power of 2", alignment);
        }
        alignment_ = static_cast<std::size_t>(alignment);
        return;
      }
      default:
        luaL_argerror(state_, 1, lua_pushfstring(state_, "invalid format option '%c'", option));
    }
  }

 private:
  int TakeNumber(int otherwise) {
    if (!IsDigit(*at_)) return otherwise;
    std::int64_t number = 0;
    for (; IsDigit(*at_); ++at_) {
      number = number * 10 + (*at_ - '0');
      if (number > INT_MAX) luaL_error(state_, "integral size overflow");
    }
    return static_cast<int>(number);
  }

  std::size_t SizeOf(char option) {
    switch (option) {
      case 'b':
      case 'B':
      case 'x':
        return 1;
      case 'h':
      case 'H':
        return sizeof(std::int16_t);
      case 'l':
      case 'L':
      case 'T':
        return sizeof(std::int64_t);
      case 'f':
        return sizeof(float);
      case 'd':
        return sizeof(double);
      case 'c':
        return static_cast<std::size_t>(TakeNumber(1));
      case 'i':
      case 'I': {
        const int size = TakeNumber(sizeof(std::int32_t));
        if (size > kIntegerBytesMax) {
          luaL_error(state_, "integral size %d is larger than limit of %d", size, kIntegerBytesMax);
        }
        return static_cast<std::size_t>(size);
      }
      default:
        return 0;
    }
  }

  // Sizes that are no power of two are aligned by the same formula, odd as its outcome is: the
  // layout must be the one that Redis makes.
  std::size_t PaddingOf(const Item& item, std::size_t position) const {
    if (item.size == 0 || item.option == 'c') return 0;
    const std::size_t unit = item.size > alignment_ ? alignment_ : item.size;
    return (unit - (position & (unit - 1))) & (unit - 1);
  }

  lua_State* state_;
  const char* at_;
  bool big_endian_ = false;
  std::size_t alignment_ = 1;
};

bool IsInteger(char option) {
  return option != '\0' && std::strchr("bBhHlLTiI", option) != nullptr;
}

// --- Packing.

// What the processors of today make of a number beyond the range, without asking them.
std::uint64_t Wrapped(double number) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;
  if (std::isnan(number) || number < -kTwoTo63) return kTopBit;
  if (number < 0) return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
  return number < 2 * kTwoTo63 ? static_cast<std::uint64_t>(number) : 0;
}

void PackInteger(LuaBuffer& out, std::uint64_t value, std::size_t size, bool big_endian) {
  char* bytes = out.Reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[big_endian ? size - 1 - i : i] = static_cast<char>(value & 0xff);
    value >>= 8;
  }
  out.Advance(size);
}

// Returns how many bytes the string has become.
std::size_t PackString(lua_State* state, LuaBuffer& out, const Item& item, int argument) {
  std::size_t length = 0;
  const char* text = luaL_checklstring(state, argument, &length);
  const std::size_t size = item.size == 0 ? length : item.size;
  // Redis names the argument after it.
  luaL_argcheck(state, length >= size, argument + 1, "string too short");
  out.Append({text, size});
  if (item.option == 'c') return size;
  out.Append('\0');
  return size + 1;
}

// pack(format, value...)
int Pack(lua_State* state) {
  Format format(state);
  int argument = 2;
  lua_pushnil(state);  // A missing argument is nil, not the buffer.
  LuaBuffer out(state);
  while (!format.AtEnd()) {
    const Item item = format.Next(out.bytes().size());
    for (std::size_t i = 0; i < item.padding; ++i) out.Append('\0');
    if (IsInteger(item.option)) {
      const std::uint64_t value = Wrapped(luaL_checknumber(state, argument++));
      PackInteger(out, value, item.size, format.big_endian());
    } else if (item.option == 'x') {
      out.Append('\0');
    } else if (item.option == 'f') {
      const auto value = static_cast<float>(luaL_checknumber(state, argument++));
      PackInteger(out, std::bit_cast<std::uint32_t>(value), item.size, format.big_endian());
    } else if (item.option == 'd') {
      const double value = luaL_checknumber(state, argument++);
      PackInteger(out, std::bit_cast<std::uint64_t>(value), item.size, format.big_endian());
    } else if (item.option == 'c' || item.option == 's') {
      PackString(state, out, item, argument++);
    } else {
      format.Set(item.option);
    }
  }
  out.Push();
  return 1;
}

// --- Unpacking.

std::uint64_t UnpackInteger(std::string_view bytes, bool big_endian) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char byte = bytes[big_endian ? i : bytes.size() - 1 - i];
    value = value << 8 | static_cast<unsigned char>(byte);
  }
  return value;
}

double SignExtended(std::uint64_t value, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t unused_bits = size < sizeof(value) ? 64 - 8 * size : 0;
  return static_cast<double>(static_cast<std::int64_t>(value << unused_bits) >> unused_bits);
}

double UnpackNumber(char option, std::string_view bytes, bool big_endian) {
  const std::uint64_t value = UnpackInteger(bytes, big_endian);
  if (option == 'f') return std::bit_cast<float>(static_cast<std::uint32_t>(value));
  if (option == 'd') return std::bit_cast<double>(value);
  return IsLower(option) ? SignExtended(value, bytes.size()) : static_cast<double>(value);
}

// The data and how far it has been read.
struct Input {
  std::string_view data;
  std::size_t position;

  bool Has(std::size_t bytes) const {
    return bytes <= data.size() && position <= data.size() - bytes;
  }
};

// The length for c0: the number that is the last result, which it replaces.
std::size_t TakeLength(lua_State* state, const Input& in, int results) {
  if (results == 0 || lua_isnumber(state, -1) == 0) {
    luaL_error(state, "format 'c0' needs a previous size");
  }
  const double length = lua_tonumber(state, -1);
  lua_pop(state, 1);
  const bool fits = length > -1 && length <= static_cast<double>(in.data.size());
  luaL_argcheck(state, fits && in.Has(static_cast<std::size_t>(length)), 2,
                "data string too short");
  return static_cast<std::size_t>(length);
}

// Pushes the string up to the next zero; returns its bytes with the zero.
std::size_t UnpackTerminated(lua_State* state, const Input& in) {
  const std::string_view rest = in.data.substr(in.position);
  const std::size_t length = rest.find('\0');
  if (length == std::string_view::npos) luaL_error(state, "unfinished string in data");
  lua_pushlstring(state, rest.data(), length);
  return length + 1;
}

// unpack(format, data [, position]): the values, and the position after them.
int Unpack(lua_State* state) {
  Format format(state);
  std::size_t size = 0;
  const char* data = luaL_checklstring(state, 2, &size);
  // A negative position is far beyond the end, as it is for Redis.
  const auto start = static_cast<std::size_t>(luaL_optinteger(state, 3, 1));
  luaL_argcheck(state, start > 0, 3, "offset must be 1 or greater");
  Input in{{data, size}, start - 1};
  int results = 0;
  while (!format.AtEnd()) {
    const Item item = format.Next(in.position);
    in.position += item.padding;
    luaL_argcheck(state, in.Has(item.size), 2, "data string too short");
    luaL_checkstack(state, 2, "too many results");
    const std::string_view bytes = in.data.substr(in.position, item.size);
    std::size_t used = item.size;
    if (IsInteger(item.option) || item.option == 'f' || item.option == 'd') {
      lua_pushnumber(state, UnpackNumber(item.option, bytes, format.big_endian()));
      ++results;
    } else if (item.option == 'c') {
      if (item.size == 0) {
        used = TakeLength(state, in, results);
        --results;
      }
      lua_pushlstring(state, in.data.data() + in.position, used);
      ++results;
    } else if (item.option == 's') {
      used = UnpackTerminated(state, in);
      ++results;
    } else if (item.option != 'x') {
      format.Set(item.option);
    }
    in.position += used;
  }
  lua_pushinteger(state, static_cast<lua_Integer>(in.position + 1));
  return results + 1;
}

// size(format). Letters without a meaning count nothing, as in Redis.
int Size(lua_State* state) {
  Format format(state);
  std::size_t total = 0;
  while (!format.AtEnd()) {
    const Item item = format.Next(total);
    if (item.option == 's') return luaL_argerror(state, 1, "option 's' has no fixed size");
    if (item.option == 'c' && item.size == 0) {
      return luaL_argerror(state, 1, "option 'c0' has no fixed size");
    }
    if (!IsLetterOrDigit(item.option)) format.Set(item.option);
    total += item.padding + item.size;
  }
  lua_pushinteger(state, static_cast<lua_Integer>(total));
  return 1;
}

constexpr luaL_Reg kFunctions[] = {{"pack", Pack}, {"unpack", Unpack}, {"size", Size}};

}  // namespace

int OpenStruct(lua_State* state) {
  lua_createtable(state, 0, 3);
  for (const luaL_Reg& function : kFunctions) {
    lua_pushcfunction(state, function.func);
    lua_setfield(state, -2, function.name);
  }
  return 1;
}

}  // namespace rung

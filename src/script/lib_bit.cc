// bit for scripts: 32-bit operations on Lua numbers, results signed.
//
// Written here because the packaged library reads outside its buffer for tohex(x, -2^31).

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <lua.hpp>

#include "script/libraries.h"

namespace rung {
namespace {

// The argument rounded to a whole number (ties to even), its low 32 bits. A double of this
// magnitude has no bits left for a fraction, and its low bits are the number's own.
std::uint32_t Bits(lua_State* state, int argument) {
  constexpr double kTwoTo52And51 = 6755399441055744.0;
  const double number = lua_tonumber(state, argument);
  const auto bits =
      static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(number + kTwoTo52And51));
  if (bits == 0 && lua_isnumber(state, argument) == 0) luaL_typerror(state, argument, "number");
  return bits;
}

int Return(lua_State* state, std::uint32_t bits) {
  lua_pushnumber(state, static_cast<std::int32_t>(bits));
  return 1;
}

int ToBit(lua_State* state) { return Return(state, Bits(state, 1)); }
int Not(lua_State* state) { return Return(state, ~Bits(state, 1)); }

template <typename Operation>
int Fold(lua_State* state, Operation operation) {
  std::uint32_t bits = Bits(state, 1);
  for (int i = lua_gettop(state); i > 1; --i) bits = operation(bits, Bits(state, i));
  return Return(state, bits);
}

int And(lua_State* state) {
  return Fold(state, [](std::uint32_t a, std::uint32_t b) { return a & b; });
}
int Or(lua_State* state) {
  return Fold(state, [](std::uint32_t a, std::uint32_t b) { return a | b; });
}
int Xor(lua_State* state) {
  return Fold(state, [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
}

template <typename Operation>
int Shift(lua_State* state, Operation operation) {
  const std::uint32_t bits = Bits(state, 1);
  return Return(state, operation(bits, static_cast<int>(Bits(state, 2) & 31)));
}

int ShiftLeft(lua_State* state) {
  return Shift(state, [](std::uint32_t bits, int count) { return bits << count; });
}
int ShiftRight(lua_State* state) {
  return Shift(state, [](std::uint32_t bits, int count) { return bits >> count; });
}
int ShiftRightSigned(lua_State* state) {
  return Shift(state, [](std::uint32_t bits, int count) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> count);
  });
}
int RotateLeft(lua_State* state) {
  return Shift(state, [](std::uint32_t bits, int count) { return std::rotl(bits, count); });
}
int RotateRight(lua_State* state) {
  return Shift(state, [](std::uint32_t bits, int count) { return std::rotr(bits, count); });
}

int SwapBytes(lua_State* state) {
  const std::uint32_t bits = Bits(state, 1);
  return Return(state, bits >> 24 | (bits >> 8 & 0xff00) | (bits & 0xff00) << 8 | bits << 24);
}

// tohex(x [, digits]): the low digits, in upper case when `digits` is negative.
int ToHex(lua_State* state) {
  std::uint32_t bits = Bits(state, 1);
  const auto wanted = static_cast<std::int32_t>(lua_isnone(state, 2) ? 8U : Bits(state, 2));
  const char* digits = wanted < 0 ? "0123456789ABCDEF" : "0123456789abcdef";
  const auto count = static_cast<std::size_t>(
      std::min<std::int64_t>(8, wanted < 0 ? -std::int64_t{wanted} : wanted));
  char text[8];
  for (std::size_t i = count; i > 0; --i) {
    text[i - 1] = digits[bits & 15];
    bits >>= 4;
  }
  lua_pushlstring(state, text, count);
  return 1;
}

constexpr luaL_Reg kFunctions[] = {{"tobit", ToBit},
                                   {"bnot", Not},
                                   {"band", And},
                                   {"bor", Or},
                                   {"bxor", Xor},
                                   {"lshift", ShiftLeft},
                                   {"rshift", ShiftRight},
                                   {"rol", RotateLeft},
                                   {"arshift", ShiftRightSigned},
                                   {"ror", RotateRight},
                                   {"bswap", SwapBytes},
                                   {"tohex", ToHex}};

}  // namespace

int OpenBit(lua_State* state) {
  lua_createtable(state, 0, 12);
  for (const luaL_Reg& function : kFunctions) {
    lua_pushcfunction(state, function.func);
    lua_setfield(state, -2, function.name);
  }
  return 1;
}

}  // namespace rung

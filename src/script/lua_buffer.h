// Bytes in the making inside a Lua function, for the libraries that pack and encode.
//
// An error in Lua leaves C++ frames without running destructors, so nothing here owns memory: the
// first bytes live in the object itself, on the C stack, and what outgrows them in a userdata that
// Lua's collector owns. Script memory is thereby counted and bounded wherever Lua's is.
#pragma once

#include <cstddef>
#include <cstring>
#include <lua.hpp>
#include <string_view>
#include <type_traits>

namespace rung {

// The longest string that a library builds, that of a RESP bulk string: shared tables make an
// encoding exponentially larger than what they take themselves.
inline constexpr std::size_t kLuaStringBytesMax = std::size_t{512} << 20;

// Invariants: size_ <= capacity_ <= kLuaStringBytesMax; data_ points to inline_ or into the
// userdata at slot_ of the Lua stack.
class LuaBuffer {
 public:
  // Pushes one value onto the Lua stack, which stays where it is until the C function returns.
  explicit LuaBuffer(lua_State* state) : state_(state) {
    lua_pushnil(state);
    slot_ = lua_gettop(state);
  }
  LuaBuffer(const LuaBuffer&) = delete;
  LuaBuffer& operator=(const LuaBuffer&) = delete;

  // Room for `bytes` more, to be filled and then told by Advance(). Needs one free stack slot; may
  // raise a Lua error (memory, or more than kLuaStringBytesMax). Constant but when it grows.
  char* Reserve(std::size_t bytes) {
    if (bytes > capacity_ - size_) Grow(bytes);
    return data_ + size_;
  }
  void Advance(std::size_t bytes) { size_ += bytes; }

  void Append(char byte) {
    *Reserve(1) = byte;
    ++size_;
  }
  void Append(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(Reserve(bytes.size()), bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  void Clear() { size_ = 0; }

  // Valid until the next change.
  std::string_view bytes() const { return {data_, size_}; }
  // The bytes as a Lua string on top of the stack.
  void Push() const { lua_pushlstring(state_, data_, size_); }

 private:
  static constexpr std::size_t kInlineBytes = 1024;

  void Grow(std::size_t bytes);

  lua_State* state_;
  int slot_ = 0;
  char* data_ = inline_;
  std::size_t size_ = 0;
  std::size_t capacity_ = kInlineBytes;
  char inline_[kInlineBytes];
};

static_assert(std::is_trivially_destructible_v<LuaBuffer>);

}  // namespace rung

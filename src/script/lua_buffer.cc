// Growth of a LuaBuffer. See lua_buffer.h.

#include "script/lua_buffer.h"

#include <algorithm>

namespace rung {

void LuaBuffer::Grow(std::size_t bytes) {
  if (bytes > kLuaStringBytesMax - size_) {
    luaL_error(state_, "the result would be longer than %d bytes",
               static_cast<int>(kLuaStringBytesMax));
  }
  const std::size_t capacity = std::min(kLuaStringBytesMax, std::max(size_ + bytes, 2 * capacity_));
  auto* larger = static_cast<char*>(lua_newuserdata(state_, capacity));
  std::memcpy(larger, data_, size_);
  lua_replace(state_, slot_);
  data_ = larger;
  capacity_ = capacity;
}

}  // namespace rung

// A Lua interpreter with the libraries that scripts have, in memory that can run out: for tests and
// fuzz targets of these libraries alone.
#pragma once

#include <cstddef>
#include <lua.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rung::testing {

class BoundedLua {
 public:
  // Lua's own base, table, string and math libraries, and cmsgpack, cjson, struct and bit.
  explicit BoundedLua(std::size_t bytes_max);
  ~BoundedLua();
  BoundedLua(const BoundedLua&) = delete;
  BoundedLua& operator=(const BoundedLua&) = delete;

  // Runs a chunk named user_script with `arguments` as its `...`. Returns its first result as
  // tostring() gives it, or "ERR " and what was raised.
  std::string Run(std::string_view source, const std::vector<std::string_view>& arguments = {});

  // A full collection; returns the bytes that remain.
  std::size_t Collect();

 private:
  static void* Allocate(void* self, void* block, std::size_t old_bytes, std::size_t new_bytes);
  std::string TakeTop(int status);

  std::size_t bytes_max_;
  std::size_t bytes_used_ = 0;
  lua_State* state_ = nullptr;
};

}  // namespace rung::testing

// What the fuzz targets of the script libraries share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kit/bounded_lua.h"
#include "rung/base/check.h"

namespace rung::testing {

// Runs `source` on the input, with much memory or so little that it runs out. The source may fail
// in any way but by an error that says BROKEN.
inline void RunOnInput(std::string_view source, bool much_memory,
                       const std::vector<std::string_view>& arguments) {
  BoundedLua lua(much_memory ? std::size_t{16} << 20 : std::size_t{80} << 10);
  const std::string outcome = lua.Run(source, arguments);
  RUNG_CHECK(outcome.find("BROKEN") == std::string::npos, outcome.c_str());
}

}  // namespace rung::testing

// The count of SRANDMEMBER and HRANDFIELD: none, so many different ones, or (negative) so many
// with repetitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rung/commands/arg_reader.h"

namespace rung {

struct RandomCount {
  bool single = false;  // No count: one, and not an array.
  bool repeats = false;
  bool with_values = false;
  std::size_t count = 1;
};

// A reply with repetitions is as long as the client asks for, whatever the value's size. More than
// this is refused, since no client could take it and it would fill the memory on its way.
inline constexpr std::size_t kRepetitionsMax = std::size_t{1} << 24;

// Reads the rest of the request: [count [value_word]]. An empty `value_word`: there is none.
RandomCount ReadRandomCount(ArgReader& args, std::string_view value_word);

}  // namespace rung

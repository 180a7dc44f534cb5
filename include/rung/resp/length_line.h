// The lines of the protocol that announce a length: a mark ('*' or '$'), a number, CR LF.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace rung {

// Reads such a line at the start of `text`, if it is one as clients write them: no sign, no leading
// zero, and at most nine digits. Returns the bytes of the line, and 0 if it is not all there or
// anything else, which need not be an error. O(1).
inline std::size_t ReadLengthLine(std::string_view text, char mark, std::size_t& length) {
  constexpr std::size_t kDigitsMax = 9;
  if (text.size() < 4 || text[0] != mark || text[1] < '1' || text[1] > '9') return 0;
  std::size_t value = static_cast<std::size_t>(text[1] - '0');
  const std::size_t end = std::min(text.size() - 1, kDigitsMax + 2);
  for (std::size_t at = 2; at < end; ++at) {
    const char c = text[at];
    if (c == '\r') {
      length = value;
      return text[at + 1] == '\n' ? at + 2 : 0;
    }
    if (c < '0' || c > '9') return 0;
    value = value * 10 + static_cast<std::size_t>(c - '0');
  }
  return 0;
}

}  // namespace rung

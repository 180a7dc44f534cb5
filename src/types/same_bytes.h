// Whether two strings are the same, for walks over many that are not. Private to types/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rung {

// The same as a == b. Names, ids and members that lie side by side begin alike ("job:1", "job:2")
// and have the same length: so the end is compared first, and without a call.
inline bool SameBytes(std::string_view a, std::string_view b) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (a.size() != b.size()) return false;
  if (a.size() < kWord) {
    if (!a.empty() && a.back() != b.back()) return false;
    return a == b;
  }
  std::uint64_t end_a;
  std::uint64_t end_b;
  std::memcpy(&end_a, a.data() + a.size() - kWord, kWord);
  std::memcpy(&end_b, b.data() + b.size() - kWord, kWord);
  return end_a == end_b && std::memcmp(a.data(), b.data(), a.size() - kWord) == 0;
}

}  // namespace rung

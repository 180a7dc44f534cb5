// Drawing several different elements at once. Private to types/.
#pragma once

#include <algorithm>
#include <cstddef>

#include "rung/base/rng.h"

namespace rung {

// Calls visit(element...) for `count` of the `size` elements that for_each(pick) hands to its
// argument one after the other; all of them if there are no more. Each subset is equally likely:
// selection sampling (Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm S).
// O(size).
template <typename ForEach, typename Visit>
void SampleFrom(std::size_t size, Rng& rng, std::size_t count, ForEach for_each, Visit visit) {
  std::size_t wanted = std::min(size, count);
  std::size_t left = size;
  for_each([&](const auto&... element) {
    if (wanted > 0 && rng.Below(left) < wanted) {
      visit(element...);
      --wanted;
    }
    --left;
  });
}

}  // namespace rung

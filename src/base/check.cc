// The report of a broken invariant. See check.h.

#include "rung/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace rung {

void CheckFailed(const char* file, int line, const char* condition, const char* why) {
  std::fprintf(stderr, "rungd: broken invariant at %s:%d: %s (%s)\n", file, line, condition, why);
  std::fflush(stderr);
  std::abort();
}

}  // namespace rung

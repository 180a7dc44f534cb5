// CHECK: an invariant that must hold in release builds too.
//
// A failed CHECK is our own bug: the process reports it and aborts. What a client or the outside
// world can get wrong is never a CHECK; it is an Error (result.h).
#pragma once

namespace rung {

// Writes `file:line: condition (why)` to stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition, const char* why);

}  // namespace rung

#define RUNG_CHECK(condition, why)                              \
  do {                                                          \
    if (!(condition)) [[unlikely]]                              \
      ::rung::CheckFailed(__FILE__, __LINE__, #condition, why); \
  } while (false)

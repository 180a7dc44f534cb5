// Prefetch: starts to load a cache line that will be needed soon.
//
// The empty asm is what makes it happen: GCC takes a function that does nothing but prefetch for
// one without effect, and drops the calls of it, silently.
#pragma once

namespace rung {

inline void Prefetch(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

}  // namespace rung

// Huge pages for what is looked up all over, where the system has them.
#pragma once

namespace rung {

// From now on AllocateBlock() finds huge pages, for one thread: the one that calls this, once, at
// the start. Does nothing where the system refuses, or with libc's allocator.
void UseHugePages();

}  // namespace rung

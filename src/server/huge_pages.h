// Huge pages for what is looked up all over, where the system has them.
#pragma once

namespace rung {

// From now on AllocateBlock() finds huge pages. To be called once, at the start, by the thread that
// holds the data. Does nothing where the system refuses, or with libc's allocator.
void UseHugePages();

}  // namespace rung

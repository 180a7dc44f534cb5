// Huge pages for the data, where the system has them.
#pragma once

namespace rung {

// From now on what the allocator takes from the system, but for the first 64 MB, is made of huge
// pages. To be called once, at the start, by the thread that holds the data. Does nothing where the
// system refuses, or with libc's allocator.
void UseHugePages();

}  // namespace rung

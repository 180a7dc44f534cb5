// What the operating system lets this process have: descriptors, huge pages.
#pragma once

#include <cstdint>

namespace rung {

// Raises the limit of open descriptors, if need be and as far as permitted, to what so many clients
// need; returns how many clients there is room for, at most `clients`.
std::uint64_t MakeRoomForClients(std::uint64_t clients);

// Whether a process that asks for huge pages may get some.
bool SystemHasHugePages();
// Has none from now on, even if the system gives them to processes that do not ask.
void ForgoHugePages();

}  // namespace rung

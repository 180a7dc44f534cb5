// Socket addresses as text, in the form of CLIENT LIST.
#pragma once

#include <sys/socket.h>

#include <string>

namespace rung {

// "127.0.0.1:6379", "[::1]:6379"; "?:0" for another family.
std::string AddressText(const sockaddr_storage& address);
// Whether only this machine can be at the other end.
bool IsLoopback(const sockaddr_storage& address);

}  // namespace rung

// Formatting of socket addresses. See peer_address.h.

#include "net/peer_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>
#include <cstring>

namespace rung {
namespace {

template <typename T>
T As(const sockaddr_storage& address) {
  T typed;
  std::memcpy(&typed, &address, sizeof typed);
  return typed;
}

}  // namespace

std::string AddressText(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto v4 = As<sockaddr_in>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return std::string(text.data()) + ":" + std::to_string(ntohs(v4.sin_port));
  }
  if (address.ss_family == AF_INET6) {
    const auto v6 = As<sockaddr_in6>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    return "[" + std::string(text.data()) + "]:" + std::to_string(ntohs(v6.sin6_port));
  }
  return "?:0";
}

bool IsLoopback(const sockaddr_storage& address) {
  constexpr std::uint32_t kLoopbackNet = 127;
  if (address.ss_family == AF_UNIX) return true;
  if (address.ss_family == AF_INET) {
    return ntohl(As<sockaddr_in>(address).sin_addr.s_addr) >> 24 == kLoopbackNet;
  }
  if (address.ss_family != AF_INET6) return false;
  const auto v6 = As<sockaddr_in6>(address);
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) return v6.sin6_addr.s6_addr[12] == kLoopbackNet;
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

}  // namespace rung

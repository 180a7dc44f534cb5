// See socket_client.h.

#include "kit/socket_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace rung::testing {
namespace {

using Clock = std::chrono::steady_clock;

int MillisecondsUntil(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

template <typename Address>
int Connect(const Address& address, int family) {
  const int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ADD_FAILURE() << "connect: " << std::strerror(errno);
  }
  return descriptor;
}

}  // namespace

SocketClient SocketClient::Tcp(int port, const std::string& host) {
  if (host.find(':') != std::string::npos) {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr);
    return SocketClient(Connect(v6, AF_INET6));
  }
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, host.c_str(), &v4.sin_addr);
  return SocketClient(Connect(v4, AF_INET));
}

SocketClient SocketClient::Unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return SocketClient(Connect(address, AF_UNIX));
}

SocketClient::SocketClient(SocketClient&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      ended_(other.ended_),
      input_(std::move(other.input_)) {}

SocketClient::~SocketClient() { Close(); }

void SocketClient::Close() {
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
}

void SocketClient::CloseOutput() { shutdown(descriptor_, SHUT_WR); }

Reply SocketClient::Call(std::string_view line) {
  Send(line);
  return Read();
}

void SocketClient::Send(std::string_view line) { SendRaw(EncodeRequest(SplitWords(line))); }

bool SocketClient::SendRaw(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool SocketClient::ReadMore(Clock::time_point deadline) {
  pollfd readable{.fd = descriptor_, .events = POLLIN, .revents = 0};
  if (ended_ || poll(&readable, 1, MillisecondsUntil(deadline)) <= 0) return false;
  std::array<char, 65536> buffer;
  const ssize_t count = recv(descriptor_, buffer.data(), buffer.size(), 0);
  ended_ = count <= 0;
  if (count > 0) input_.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

std::optional<Reply> SocketClient::TryRead(std::chrono::milliseconds wait) {
  const auto deadline = Clock::now() + wait;
  while (true) {
    if (std::optional<Reply> reply = TakeReply(input_)) return reply;
    if (!ReadMore(deadline)) return std::nullopt;
  }
}

Reply SocketClient::Read() {
  std::optional<Reply> reply = TryRead(kPatience);
  if (!reply) ADD_FAILURE() << (ended_ ? "the connection is closed" : "no reply came");
  return reply.value_or(Reply{});
}

std::string SocketClient::ReadRaw() {
  if (input_.empty()) ReadMore(Clock::now() + kPatience);
  return std::exchange(input_, {});
}

bool SocketClient::WaitForClose() {
  const auto deadline = Clock::now() + kPatience;
  while (ReadMore(deadline)) {
  }
  return ended_;
}

}  // namespace rung::testing

// SocketClient: a client of the real daemon, byte for byte. Understands RESP2 and RESP3.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kit/daemon.h"
#include "kit/reply.h"

namespace rung::testing {

class SocketClient {
 public:
  // Connect, or fail the test.
  static SocketClient Tcp(int port, const std::string& host = "127.0.0.1");
  static SocketClient Unix(const std::string& path);

  SocketClient(SocketClient&& other) noexcept;
  SocketClient& operator=(SocketClient&&) = delete;
  ~SocketClient();

  // Sends one request (words as SplitWords has them) and waits for its reply.
  Reply Call(std::string_view line);
  void Send(std::string_view line);
  // Waits until everything is with the system; false if the connection is broken.
  bool SendRaw(std::string_view bytes);
  // The next reply; fails the test if it does not come.
  Reply Read();
  // Nullopt: nothing came within `wait`, or the connection is closed.
  std::optional<Reply> TryRead(std::chrono::milliseconds wait);
  // The next bytes as they are, at least one; empty if the connection is closed.
  std::string ReadRaw();
  // Reads to the end: true if the other end closes the connection.
  bool WaitForClose();

  // Sends no more, but still reads.
  void CloseOutput();
  void Close();
  int descriptor() const { return descriptor_; }

 private:
  explicit SocketClient(int descriptor) : descriptor_(descriptor) {}
  // False: the end, an error, or the deadline.
  bool ReadMore(std::chrono::steady_clock::time_point deadline);

  int descriptor_ = -1;
  bool ended_ = false;  // The other end has closed.
  std::string input_;
};

}  // namespace rung::testing

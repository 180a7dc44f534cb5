// Clients: every client's connection, and the bytes between its socket and the engine's session.
//
// One non-blocking recv per readable socket and batch into one shared buffer, straight into the
// engine; replies leave at the end of the turn, in one send per client. A connection is closed
// only here.
//
// How a connection ends. The engine says so (close_now; close_after_reply once all is sent); the
// socket is broken; or the other end has sent its last byte: then what it asked for is still run
// and answered, but a client that waits for a key is dropped at once, so that it eats no element.
#pragma once

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <memory>

#include "net/connection.h"
#include "net/socket_driver.h"
#include "rung/engine/engine.h"
#include "rung/net/server.h"

namespace rung {

// What happens at the end of a batch of socket events: the server's turn.
class BatchEnd {
 public:
  virtual ~BatchEnd() = default;
  virtual void OnBatchEnd() = 0;
};

class Clients final : public SocketEvents {
 public:
  // All must outlive the clients.
  Clients(boost::asio::io_context& io, Engine& engine, BatchEnd& batch_end, IoDriver driver);
  ~Clients() override;

  std::size_t count() const { return table_.size(); }

  // Takes over the socket, which must be non-blocking.
  void Adopt(int descriptor, PeerInfo peer);
  // Sends what the engine has answered, and closes what is to be closed.
  void Flush();
  // From now on nothing is read; connections close as soon as their replies are out.
  void Drain();
  void CloseAll();
  // While a command of one client is under way the others can be served, between these two: that
  // one is left alone, and so is the buffer that holds its request.
  void BeginBusy();
  void EndBusy();

  void OnReady(ConnectionId id, Readiness readiness) override;
  void OnBatchEnd() override { batch_end_.OnBatchEnd(); }

 private:
  void Receive(Connection& connection);
  // Sends and then closes or waits, as the state of the session asks.
  void Settle(Connection& connection);
  bool Send(Connection& connection);
  bool IsDone(const Connection& connection) const;
  void Watch(Connection& connection);
  void Close(Connection& connection);

  Engine& engine_;
  BatchEnd& batch_end_;
  ConnectionTable table_;
  std::unique_ptr<SocketDriver> driver_;
  bool draining_ = false;
  std::unique_ptr<char[]> input_;
  std::unique_ptr<char[]> busy_input_;  // In its place between BeginBusy() and EndBusy().
};

}  // namespace rung

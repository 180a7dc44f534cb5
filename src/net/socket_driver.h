// SocketDriver: tells which client sockets can be read from or written to, in batches.
//
// Two of them stand behind this face. The epoll driver is the fast one: all client sockets in one
// level-triggered epoll set, and one Asio wait on that set. The Asio driver is the portable one: an
// Asio wait for each socket. Reading, writing and the turn are the same for both (clients.h).
//
// Events may come for connections that have been removed meanwhile: hence ids, not references.
#pragma once

#include <boost/asio/io_context.hpp>

#include <memory>

#include "net/connection.h"

namespace rung {

struct Readiness {
  bool input = false;
  bool output = false;
  bool broken = false;  // Nobody is at the other end. May be told without being asked for.
};

class SocketEvents {
 public:
  virtual ~SocketEvents() = default;
  virtual void OnReady(ConnectionId id, Readiness readiness) = 0;
  // All events that were at hand have been told.
  virtual void OnBatchEnd() = 0;
};

class SocketDriver {
 public:
  virtual ~SocketDriver() = default;
  // Begins to tell of the socket what connection.watched asks. False: the system refused.
  virtual bool Add(Connection& connection) = 0;
  // connection.watched has changed.
  virtual void Update(Connection& connection) = 0;
  // Tells once of what is ready, without waiting, from within a SocketEvents call.
  virtual void PollWhileBusy() = 0;
  // The socket is about to be closed.
  virtual void Remove(Connection& connection) = 0;
};

// `io` and `events` must outlive the driver.
std::unique_ptr<SocketDriver> MakeEpollDriver(boost::asio::io_context& io, SocketEvents& events);
std::unique_ptr<SocketDriver> MakeAsioDriver(boost::asio::io_context& io, SocketEvents& events);

}  // namespace rung

// Listeners: the sockets that new clients come in by, TCP and Unix.
//
// When the process runs out of descriptors, accepting pauses for a moment: the waiting connection
// would otherwise wake the loop for ever.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rung/base/log.h"
#include "rung/base/result.h"
#include "rung/config/options.h"
#include "rung/state/session.h"

namespace rung {

class AcceptSink {
 public:
  virtual ~AcceptSink() = default;
  // A new client; the socket is non-blocking and the receiver's to close.
  virtual void OnAccepted(int descriptor, PeerInfo peer) = 0;
};

class Listeners {
 public:
  // All must outlive the listeners.
  Listeners(boost::asio::io_context& io, AcceptSink& sink, Log& log);
  ~Listeners();

  // Opens what the options name: every address of `bind`, and the Unix socket. The error is one
  // line that says what failed; nothing is open then.
  std::optional<Error> Open(const Options& options);
  // As Open for changed `bind` and `port`; sockets that stay keep what waits in them. On an error
  // everything is as it was.
  std::optional<Error> Reopen(const Options& before, const Options& after);
  // tcp-keepalive for clients to come.
  void SetKeepAlive(int seconds);
  // Also removes the Unix socket's file.
  void Close();

 private:
  using Protocol = boost::asio::generic::stream_protocol;
  using Acceptor = boost::asio::basic_socket_acceptor<Protocol>;

  struct Address {
    Protocol::endpoint endpoint;
    std::string text;       // As errors name it.
    bool optional = false;  // May be missing on this machine.
  };
  struct Listener {
    int id;  // Tells a wait that ended whether its socket is still there.
    Address address;
    Acceptor acceptor;
    std::string unix_path;  // Empty: TCP.
  };

  static Result<std::vector<Address>> PlanTcp(const Options& options, boost::asio::io_context& io);
  std::optional<Error> OpenTcp(const std::vector<Address>& addresses, const Options& options);
  std::optional<Error> OpenUnix(const Options& options);
  void CloseTcpExcept(const std::vector<Address>& kept);
  void Await(Listener& listener);
  Listener* Find(int id) const;
  void AcceptBatch(Listener& listener);
  void PauseAccepting(Listener& listener, int error);

  boost::asio::io_context& io_;
  AcceptSink& sink_;
  Log& log_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  boost::asio::steady_timer pause_;
  std::vector<int> paused_;
  int next_id_ = 1;
};

}  // namespace rung

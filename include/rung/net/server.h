// Server: sockets, timers and signals around one engine. One thread, one Asio loop.
//
// The order of a turn: read, parse and run what has come; pipelines that had to let others go
// first; timed work; TurnHook (the place for a log to be written); then the replies, one send per
// client. Between turns Asio takes new connections, signals and the timer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "rung/base/log.h"
#include "rung/base/result.h"
#include "rung/base/time.h"
#include "rung/config/options.h"
#include "rung/engine/engine.h"

namespace rung {

// How client sockets are watched: an epoll set of our own, or Asio's portable way.
enum class IoDriver : std::uint8_t { kEpoll, kAsio };

class TurnHook {
 public:
  virtual ~TurnHook() = default;
  // All commands of the turn have run, no reply has left.
  virtual void BeforeReplies() = 0;
};

class Server {
 public:
  // All must outlive the server.
  Server(Engine& engine, Clock& clock, Log& log, TurnHook& hook, IoDriver driver);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Opens the sockets that the options name. The error says which one failed, and why.
  std::optional<Error> Listen(const Options& options);
  // CONFIG SET bind and port: opens what `after` names. On an error all is as `before` has it.
  std::optional<Error> Relisten(const Options& before, const Options& after);

  // tcp-keepalive for clients to come.
  void SetKeepAlive(int seconds);

  // Looks once, without waiting, at what clients have sent while a command of one of them is under
  // way, and answers. Only from within that command (Host::ServeWhileBusy).
  void ServeWhileBusy();

  // Serves until SHUTDOWN, SIGTERM or SIGINT; replies on their way still leave. A second SIGINT
  // ends the process on the spot. SIGHUP opens the log file anew.
  void Run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rung

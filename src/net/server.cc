// The loop and its turns. See server.h.

#include "rung/net/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <string_view>
#include <utility>

#include "net/clients.h"
#include "net/listeners.h"

namespace rung {
namespace {

using boost::system::error_code;
using std::chrono::milliseconds;

// At the end, how long replies may take to leave.
constexpr auto kDrainTime = milliseconds(2000);

constexpr std::string_view kTooManyClients = "-ERR max number of clients reached\r\n";
constexpr std::string_view kDenied =
    "-DENIED Redis is running in protected mode because no password is set, so only clients on the "
    "same machine are served. Either set a password (requirepass, or CONFIG SET requirepass from "
    "this machine), or, where the network itself keeps strangers out, switch protected-mode off "
    "(protected-mode no in the configuration file, --protected-mode no on the command line, or "
    "CONFIG SET protected-mode no from this machine).\r\n";

void Refuse(int descriptor, std::string_view why) {
  // One packet into an empty socket buffer: it fits, or the other end is gone already.
  send(descriptor, why.data(), why.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  close(descriptor);
}

}  // namespace

struct Server::Impl final : BatchEnd, AcceptSink {
  Impl(Engine& engine_ref, Clock& clock_ref, Log& log_ref, TurnHook& hook_ref, IoDriver driver)
      : engine(engine_ref),
        clock(clock_ref),
        log(log_ref),
        hook(hook_ref),
        timer(io),
        signals(io, SIGTERM, SIGINT, SIGHUP),
        clients(io, engine, *this, driver),
        listeners(io, *this, log) {}

  void OnAccepted(int descriptor, PeerInfo peer) override;
  void OnBatchEnd() override { EndTurn(); }

  void EndTurn();
  void ArmTimer();
  void PostTurn();
  void AwaitSignal();
  void OnSignal(int signal);
  void BeginShutdown();
  void EndIfDrained();
  void ServeWhileBusy();

  Engine& engine;
  Clock& clock;
  Log& log;
  TurnHook& hook;
  boost::asio::io_context io{1};
  boost::asio::steady_timer timer;
  boost::asio::signal_set signals;
  Clients clients;
  Listeners listeners;

  MonoTime next_tick{};              // When the engine has timed work.
  MonoTime armed = MonoTime::max();  // When the timer fires; never later than next_tick.
  bool turn_posted = false;
  bool stopping = false;
  bool interrupted = false;             // A SIGINT has come.
  bool inside_command = false;          // ServeWhileBusy: a turn is under way already.
  std::optional<int> signal_meanwhile;  // What came then, to be obeyed after the command.
};

void Server::Impl::OnAccepted(int descriptor, PeerInfo peer) {
  const Options& options = engine.broker().options();
  Statistics& statistics = engine.broker().statistics;
  if (clients.count() >= options.maxclients) {
    ++statistics.connections_rejected;
    return Refuse(descriptor, kTooManyClients);
  }
  if (options.protected_mode && options.requirepass.empty() && !peer.loopback) {
    ++statistics.connections_rejected;
    return Refuse(descriptor, kDenied);
  }
  if (log.Shows(LogLevel::kVerbose)) log.Verbose("Accepted {}", peer.address);
  clients.Adopt(descriptor, std::move(peer));
}

// The order matters: see server.h.
void Server::Impl::EndTurn() {
  if (inside_command) return clients.Flush();
  if (signal_meanwhile) OnSignal(*std::exchange(signal_meanwhile, std::nullopt));
  if (stopping) {
    clients.Flush();
    return EndIfDrained();
  }
  engine.RunBacklog();
  if (clock.ReadMono() >= next_tick) engine.Tick();
  hook.BeforeReplies();
  clients.Flush();
  if (engine.broker().shutdown) {
    log.Warning("SHUTDOWN asked for by a client");
    return BeginShutdown();
  }
  if (engine.has_backlog()) PostTurn();
  ArmTimer();
}

// Asio's timer is only touched when it would fire too late: at one request per turn, arming it
// each time would cost as much as the request.
void Server::Impl::ArmTimer() {
  next_tick = engine.NextDeadline();
  if (next_tick >= armed) return;
  armed = next_tick;
  timer.expires_at(std::chrono::time_point_cast<std::chrono::steady_clock::duration>(armed));
  timer.async_wait([this](const error_code& aborted) {
    if (aborted || stopping) return;
    armed = MonoTime::max();
    EndTurn();
  });
}

// Pipelines left to run get a turn of their own, behind whatever Asio has ready.
void Server::Impl::PostTurn() {
  if (std::exchange(turn_posted, true)) return;
  boost::asio::post(io, [this] {
    turn_posted = false;
    EndTurn();
  });
}

void Server::Impl::AwaitSignal() {
  signals.async_wait([this](const error_code& aborted, int signal) {
    if (aborted) return;
    OnSignal(signal);
    AwaitSignal();
  });
}

void Server::Impl::OnSignal(int signal) {
  if (inside_command && signal != SIGHUP && !interrupted) {
    interrupted = signal == SIGINT;
    signal_meanwhile = signal;
    return;
  }
  if (signal == SIGHUP) {
    const std::optional<Error> error = log.Reopen();
    return log.Notice("Received SIGHUP: {}", error ? error->text() : "log file opened anew");
  }
  if (signal == SIGINT && interrupted) {
    log.Warning("A second SIGINT: ending on the spot");
    std::_Exit(1);
  }
  interrupted = interrupted || signal == SIGINT;
  log.Warning("Received {}, shutting down", signal == SIGINT ? "SIGINT" : "SIGTERM");
  BeginShutdown();
}

void Server::Impl::BeginShutdown() {
  if (std::exchange(stopping, true)) return;
  listeners.Close();
  clients.Drain();
  timer.expires_after(kDrainTime);
  timer.async_wait([this](const error_code& aborted) {
    if (aborted) return;
    log.Warning("{} clients did not take their last replies in time", clients.count());
    io.stop();
  });
  EndIfDrained();
}

// A turn within a turn, for a command that takes too long: input and output only. Timed work waits
// for the outer turn, which goes on where it was.
void Server::Impl::ServeWhileBusy() {
  inside_command = true;
  clients.BeginBusy();
  io.poll();
  clients.Flush();
  clients.EndBusy();
  inside_command = false;
}

void Server::Impl::EndIfDrained() {
  if (clients.count() == 0) io.stop();
}

Server::Server(Engine& engine, Clock& clock, Log& log, TurnHook& hook, IoDriver driver)
    : impl_(std::make_unique<Impl>(engine, clock, log, hook, driver)) {}

Server::~Server() = default;

std::optional<Error> Server::Listen(const Options& options) {
  return impl_->listeners.Open(options);
}

std::optional<Error> Server::Relisten(const Options& before, const Options& after) {
  return impl_->listeners.Reopen(before, after);
}

void Server::SetKeepAlive(int seconds) { impl_->listeners.SetKeepAlive(seconds); }

void Server::ServeWhileBusy() { impl_->ServeWhileBusy(); }

void Server::Run() {
  impl_->AwaitSignal();
  impl_->ArmTimer();
  impl_->io.run();
  impl_->clients.CloseAll();
}

}  // namespace rung

// Opening listening sockets and taking clients in. See listeners.h.

#include "net/listeners.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/socket_base.hpp>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>

#include "net/peer_address.h"

namespace rung {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// New clients per wake-up, so that a storm of them leaves time for those that are there.
constexpr int kAcceptsMax = 128;
constexpr auto kPause = std::chrono::milliseconds(100);

// Options of every client's socket are set once, on the socket that it comes in by: accepted
// sockets inherit them.
void SetKeepAliveOn(int descriptor, int seconds) {
  const int on = seconds > 0 ? 1 : 0;
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  if (on == 0) return;
  // A third of the time between further probes, and three of them: dead after twice the time.
  constexpr int kProbes = 3;
  const int interval = std::max(seconds / kProbes, 1);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &kProbes, sizeof kProbes);
}

bool MeansNotAvailable(const error_code& error) {
  constexpr std::array kErrors = {EADDRNOTAVAIL,   EAFNOSUPPORT, EPFNOSUPPORT,
                                  EPROTONOSUPPORT, ENOPROTOOPT,  ESOCKTNOSUPPORT};
  return std::find(kErrors.begin(), kErrors.end(), error.value()) != kErrors.end();
}

bool MeansOutOfResources(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

Listeners::Listeners(asio::io_context& io, AcceptSink& sink, Log& log)
    : io_(io), sink_(sink), log_(log), pause_(io) {}

Listeners::~Listeners() { Close(); }

Result<std::vector<Listeners::Address>> Listeners::PlanTcp(const Options& options,
                                                           asio::io_context& io) {
  std::vector<Address> addresses;
  if (options.port == 0) return addresses;
  for (std::string_view name : options.bind) {
    if (name.empty()) continue;
    const bool optional = name.starts_with('-');
    if (optional) name.remove_prefix(1);
    std::string host(name);
    if (name == "*") host = "0.0.0.0";
    if (name == "::*") host = "::";
    error_code error;
    asio::ip::tcp::resolver resolver(io);
    const auto found = resolver.resolve(host, std::to_string(options.port),
                                        asio::ip::resolver_base::passive, error);
    if (error && optional) continue;
    if (error) return Error(host + ": " + error.message());
    for (const auto& entry : found) {
      const Protocol::endpoint endpoint(entry.endpoint());
      const bool known = std::any_of(addresses.begin(), addresses.end(),
                                     [&](const Address& a) { return a.endpoint == endpoint; });
      if (known) continue;
      addresses.push_back(
          {endpoint, std::string(name) + ":" + std::to_string(options.port), optional});
    }
  }
  return addresses;
}

std::optional<Error> Listeners::OpenTcp(const std::vector<Address>& addresses,
                                        const Options& options) {
  for (const Address& address : addresses) {
    const bool open = std::any_of(listeners_.begin(), listeners_.end(), [&](const auto& listener) {
      return listener->address.endpoint == address.endpoint;
    });
    if (open) continue;
    auto listener = std::make_unique<Listener>(Listener{next_id_++, address, Acceptor(io_), {}});
    Acceptor& acceptor = listener->acceptor;
    error_code error;
    acceptor.open(address.endpoint.protocol(), error);
    if (!error) {
      acceptor.set_option(asio::socket_base::reuse_address(true), error);
      const int on = 1;
      if (address.endpoint.protocol().family() == AF_INET6) {
        setsockopt(acceptor.native_handle(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
      }
      setsockopt(acceptor.native_handle(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      SetKeepAliveOn(acceptor.native_handle(), options.tcp_keepalive_seconds);
      acceptor.bind(address.endpoint, error);
    }
    if (!error) acceptor.listen(options.tcp_backlog, error);
    if (error && address.optional && MeansNotAvailable(error)) continue;
    if (error) {
      return Error("Failed listening on port " + std::to_string(options.port) +
                   " (tcp): " + address.text + ": " + error.message());
    }
    acceptor.non_blocking(true, error);
    Await(*listener);
    listeners_.push_back(std::move(listener));
  }
  return std::nullopt;
}

std::optional<Error> Listeners::OpenUnix(const Options& options) {
  if (options.unixsocket.empty()) return std::nullopt;
  const auto failed = [&](std::string_view reason) {
    return Error("Failed opening Unix socket " + options.unixsocket + ": " + std::string(reason));
  };
  constexpr std::size_t kPathMax = sizeof(sockaddr_un{}.sun_path) - 1;
  if (options.unixsocket.size() > kPathMax) return failed("the path is too long");
  unlink(options.unixsocket.c_str());
  const asio::local::stream_protocol::endpoint local(options.unixsocket);
  auto listener =
      std::make_unique<Listener>(Listener{next_id_++,
                                          {Protocol::endpoint(local), options.unixsocket},
                                          Acceptor(io_),
                                          options.unixsocket});
  Acceptor& acceptor = listener->acceptor;
  error_code error;
  acceptor.open(listener->address.endpoint.protocol(), error);
  if (!error) acceptor.bind(listener->address.endpoint, error);
  if (!error && options.unixsocketperm != 0) {
    const auto mode = static_cast<mode_t>(options.unixsocketperm);
    if (chmod(options.unixsocket.c_str(), mode) != 0) {
      error.assign(errno, boost::system::system_category());
    }
  }
  if (!error) acceptor.listen(options.tcp_backlog, error);
  if (error) return failed(error.message());
  acceptor.non_blocking(true, error);
  Await(*listener);
  listeners_.push_back(std::move(listener));
  return std::nullopt;
}

std::optional<Error> Listeners::Open(const Options& options) {
  const Result<std::vector<Address>> addresses = PlanTcp(options, io_);
  if (!addresses.ok()) {
    return Error("Failed listening on port " + std::to_string(options.port) +
                 " (tcp): " + addresses.error().text());
  }
  std::optional<Error> error = OpenTcp(*addresses, options);
  if (!error) error = OpenUnix(options);
  if (error) Close();
  return error;
}

void Listeners::CloseTcpExcept(const std::vector<Address>& kept) {
  std::erase_if(listeners_, [&](const std::unique_ptr<Listener>& listener) {
    const bool stays = !listener->unix_path.empty() ||
                       std::any_of(kept.begin(), kept.end(), [&](const Address& address) {
                         return address.endpoint == listener->address.endpoint;
                       });
    return !stays;
  });
}

std::optional<Error> Listeners::Reopen(const Options& before, const Options& after) {
  const Result<std::vector<Address>> wanted = PlanTcp(after, io_);
  if (!wanted.ok()) return wanted.error();
  // The old ones go first: "*" and one address cannot listen on the same port side by side.
  CloseTcpExcept(*wanted);
  std::optional<Error> error = OpenTcp(*wanted, after);
  if (!error) return std::nullopt;
  const Result<std::vector<Address>> old = PlanTcp(before, io_);
  if (!old.ok()) return error;
  CloseTcpExcept(*old);
  if (const std::optional<Error> lost = OpenTcp(*old, before)) log_.Warning("{}", lost->text());
  return error;
}

void Listeners::SetKeepAlive(int seconds) {
  for (const std::unique_ptr<Listener>& listener : listeners_) {
    if (listener->unix_path.empty()) SetKeepAliveOn(listener->acceptor.native_handle(), seconds);
  }
}

void Listeners::Close() {
  for (const std::unique_ptr<Listener>& listener : listeners_) {
    if (!listener->unix_path.empty()) unlink(listener->unix_path.c_str());
  }
  listeners_.clear();
}

void Listeners::Await(Listener& listener) {
  const auto on_ready = [this, id = listener.id](const error_code& error) {
    Listener* ready = error ? nullptr : Find(id);
    if (ready != nullptr) AcceptBatch(*ready);
  };
  listener.acceptor.async_wait(Acceptor::wait_read, on_ready);
}

Listeners::Listener* Listeners::Find(int id) const {
  const auto found = std::find_if(listeners_.begin(), listeners_.end(),
                                  [&](const auto& listener) { return listener->id == id; });
  return found == listeners_.end() ? nullptr : found->get();
}

void Listeners::AcceptBatch(Listener& listener) {
  for (int i = 0; i < kAcceptsMax; ++i) {
    sockaddr_storage remote{};
    socklen_t length = sizeof remote;
    const int descriptor =
        accept4(listener.acceptor.native_handle(), reinterpret_cast<sockaddr*>(&remote), &length,
                SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) {
      if (MeansOutOfResources(errno)) return PauseAccepting(listener, errno);
      // Whoever gave up before it was its turn is not worth a word.
      if (errno == EAGAIN || errno == EWOULDBLOCK) break;
      continue;
    }
    PeerInfo peer;
    peer.unix_socket = !listener.unix_path.empty();
    peer.loopback = IsLoopback(remote);
    if (peer.unix_socket) {
      peer.address = peer.local_address = listener.unix_path + ":0";
    } else {
      sockaddr_storage local{};
      length = sizeof local;
      getsockname(descriptor, reinterpret_cast<sockaddr*>(&local), &length);
      peer.address = AddressText(remote);
      peer.local_address = AddressText(local);
    }
    sink_.OnAccepted(descriptor, std::move(peer));
  }
  Await(listener);
}

void Listeners::PauseAccepting(Listener& listener, int error) {
  log_.Warning("Accepting clients pauses: {}",
               error_code(error, boost::system::system_category()).message());
  paused_.push_back(listener.id);
  if (paused_.size() > 1) return;
  pause_.expires_after(kPause);
  pause_.async_wait([this](const error_code& aborted) {
    if (aborted) return;
    for (const int id : std::exchange(paused_, {})) {
      if (Listener* paused = Find(id)) Await(*paused);
    }
  });
}

}  // namespace rung

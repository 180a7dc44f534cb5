// The portable driver: one Asio wait for each socket and direction. See socket_driver.h.
//
// Asio tells of one socket at a time. The first of them posts the end of the batch, which then runs
// behind all others that are ready by then. A broken connection is noticed when it is written to or
// read from again: Asio has no wait for that alone.

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include <memory>
#include <vector>

#include "net/socket_driver.h"

namespace rung {
namespace {

using boost::asio::posix::stream_descriptor;

class AsioDriver final : public SocketDriver {
 public:
  AsioDriver(boost::asio::io_context& io, SocketEvents& events) : io_(io), events_(events) {}
  ~AsioDriver() override {
    for (const std::unique_ptr<Watch>& watch : watches_) {
      if (watch != nullptr) watch->socket.release();
    }
  }

  bool Add(Connection& connection) override {
    auto watch = std::make_unique<Watch>(io_, connection.id);
    boost::system::error_code error;
    watch->socket.assign(connection.descriptor, error);
    if (error) return false;
    const std::size_t slot = SlotOf(connection.id);
    if (slot >= watches_.size()) watches_.resize(slot + 1);
    watches_[slot] = std::move(watch);
    Update(connection);
    return true;
  }

  void Update(Connection& connection) override {
    Watch& watch = *watches_[SlotOf(connection.id)];
    watch.interest = connection.watched;
    Await(watch);
  }

  // Asio's own loop is polled by the server.
  void PollWhileBusy() override {}

  void Remove(Connection& connection) override {
    std::unique_ptr<Watch>& watch = watches_[SlotOf(connection.id)];
    watch->socket.release();  // Not closed: the descriptor is the connection's.
    watch.reset();
  }

 private:
  struct Watch {
    Watch(boost::asio::io_context& io, ConnectionId connection) : id(connection), socket(io) {}

    const ConnectionId id;
    stream_descriptor socket;
    Interest interest;
    bool awaits_input = false;
    bool awaits_output = false;
  };

  static std::size_t SlotOf(ConnectionId id) { return static_cast<std::uint32_t>(id); }

  Watch* Find(ConnectionId id) {
    Watch* watch = watches_[SlotOf(id)].get();
    return watch != nullptr && watch->id == id ? watch : nullptr;
  }

  void Await(Watch& watch) {
    if (watch.interest.input && !watch.awaits_input) {
      watch.awaits_input = true;
      watch.socket.async_wait(stream_descriptor::wait_read,
                              [this, id = watch.id](const boost::system::error_code& error) {
                                if (!error) OnInput(id);
                              });
    }
    if (watch.interest.output && !watch.awaits_output) {
      watch.awaits_output = true;
      watch.socket.async_wait(stream_descriptor::wait_write,
                              [this, id = watch.id](const boost::system::error_code& error) {
                                if (!error) OnOutput(id);
                              });
    }
  }

  void OnInput(ConnectionId id) {
    Watch* watch = Find(id);
    if (watch == nullptr) return;
    watch->awaits_input = false;
    if (watch->interest.input) Tell(id, {.input = true});
  }

  void OnOutput(ConnectionId id) {
    Watch* watch = Find(id);
    if (watch == nullptr) return;
    watch->awaits_output = false;
    if (watch->interest.output) Tell(id, {.output = true});
  }

  void Tell(ConnectionId id, Readiness readiness) {
    events_.OnReady(id, readiness);
    told_.push_back(id);
    if (told_.size() > 1) return;
    boost::asio::post(io_, [this] { EndBatch(); });
  }

  // Waits begin anew only now: the batch has changed what is wanted.
  void EndBatch() {
    events_.OnBatchEnd();
    for (const ConnectionId id : told_) {
      if (Watch* watch = Find(id)) Await(*watch);
    }
    told_.clear();
  }

  boost::asio::io_context& io_;
  SocketEvents& events_;
  std::vector<std::unique_ptr<Watch>> watches_;
  std::vector<ConnectionId> told_;  // In this batch.
};

}  // namespace

std::unique_ptr<SocketDriver> MakeAsioDriver(boost::asio::io_context& io, SocketEvents& events) {
  return std::make_unique<AsioDriver>(io, events);
}

}  // namespace rung

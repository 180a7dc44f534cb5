// The fast driver: one epoll set of our own behind a single Asio wait. See socket_driver.h.
//
// Level-triggered, so that one recv per socket and batch is enough: what is left shows again. A
// batch is bounded, and after it Asio has its turn with timers, signals and new connections.

#include <sys/epoll.h>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>

#include "net/socket_driver.h"
#include "rung/base/check.h"

namespace rung {
namespace {

constexpr int kBatchMax = 512;
constexpr int kBusyBatchMax = 64;

std::uint32_t MaskOf(Interest interest) {
  std::uint32_t mask = 0;
  if (interest.input) mask |= EPOLLIN;
  if (interest.output) mask |= EPOLLOUT;
  return mask;
}

class EpollDriver final : public SocketDriver {
 public:
  EpollDriver(boost::asio::io_context& io, SocketEvents& events) : events_(events), set_(io) {
    const int descriptor = epoll_create1(EPOLL_CLOEXEC);
    RUNG_CHECK(descriptor >= 0, "no epoll set at start");
    set_.assign(descriptor);
    AwaitBatch();
  }

  bool Add(Connection& connection) override { return Control(EPOLL_CTL_ADD, connection); }
  void Update(Connection& connection) override { Control(EPOLL_CTL_MOD, connection); }
  void Remove(Connection& connection) override { Control(EPOLL_CTL_DEL, connection); }
  // With a list of its own: the batch that is under way goes on with its.
  void PollWhileBusy() override {
    std::array<epoll_event, kBusyBatchMax> ready;
    const int count = epoll_wait(set_.native_handle(), ready.data(), kBusyBatchMax, 0);
    Tell(ready.data(), count);
  }

 private:
  bool Control(int operation, Connection& connection) {
    epoll_event event{};
    event.events = MaskOf(connection.watched);
    event.data.u64 = connection.id;
    return epoll_ctl(set_.native_handle(), operation, connection.descriptor, &event) == 0;
  }

  void AwaitBatch() {
    set_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this](const boost::system::error_code& error) {
                      if (error) return;
                      RunBatch();
                      AwaitBatch();
                    });
  }

  void RunBatch() {
    const int count = epoll_wait(set_.native_handle(), ready_.data(), kBatchMax, 0);
    Tell(ready_.data(), count);
    events_.OnBatchEnd();
  }

  void Tell(const epoll_event* ready, int count) {
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = ready[i];
      const std::uint32_t mask = event.events;
      events_.OnReady(event.data.u64, {.input = (mask & EPOLLIN) != 0,
                                       .output = (mask & EPOLLOUT) != 0,
                                       .broken = (mask & (EPOLLERR | EPOLLHUP)) != 0});
    }
  }

  SocketEvents& events_;
  boost::asio::posix::stream_descriptor set_;
  std::array<epoll_event, kBatchMax> ready_;
};

}  // namespace

std::unique_ptr<SocketDriver> MakeEpollDriver(boost::asio::io_context& io, SocketEvents& events) {
  return std::make_unique<EpollDriver>(io, events);
}

}  // namespace rung

// Receiving, sending, closing. See clients.h.

#include "net/clients.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace rung {
namespace {

constexpr std::size_t kInputBytes = 64 * 1024;
constexpr std::size_t kPiecesMax = 64;

// A close with unread input makes the system reset the connection, and the other end may lose the
// last reply. So as much of it as a client can have on its way is read and thrown away first.
void DiscardInput(int descriptor, char* buffer) {
  constexpr int kReadsMax = 16;
  shutdown(descriptor, SHUT_WR);
  for (int i = 0; i < kReadsMax; ++i) {
    if (recv(descriptor, buffer, kInputBytes, MSG_DONTWAIT) <= 0) return;
  }
}

// One system call; the plain one where it will do, since it is cheaper.
ssize_t SendPieces(int descriptor, const ReplyBuffer& out) {
  constexpr int kFlags = MSG_DONTWAIT | MSG_NOSIGNAL;
  if (out.block_count() == 1) {
    std::string_view piece;
    out.Pieces({&piece, 1});
    return send(descriptor, piece.data(), piece.size(), kFlags);
  }
  std::array<std::string_view, kPiecesMax> pieces;
  const std::size_t count = out.Pieces(pieces);
  std::array<iovec, kPiecesMax> vectors;
  for (std::size_t i = 0; i < count; ++i) {
    vectors[i] = {.iov_base = const_cast<char*>(pieces[i].data()), .iov_len = pieces[i].size()};
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  return sendmsg(descriptor, &message, kFlags);
}

bool IsTemporary(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Clients::Clients(boost::asio::io_context& io, Engine& engine, BatchEnd& batch_end, IoDriver driver)
    : engine_(engine),
      batch_end_(batch_end),
      driver_(driver == IoDriver::kEpoll ? MakeEpollDriver(io, *this) : MakeAsioDriver(io, *this)),
      input_(std::make_unique<char[]>(kInputBytes)) {}

Clients::~Clients() { CloseAll(); }

void Clients::Adopt(int descriptor, PeerInfo peer) {
  Connection& connection = table_.Add(descriptor);
  connection.watched = {.input = true};
  if (!driver_->Add(connection)) {
    close(descriptor);
    table_.Remove(connection);
    return;
  }
  peer.descriptor = descriptor;
  connection.session = &engine_.Open(std::move(peer));
  connection.session->connection = &connection;
}

void Clients::OnReady(ConnectionId id, Readiness readiness) {
  Connection* connection = table_.Find(id);
  if (connection == nullptr || engine_.IsInterrupted(*connection->session)) return;
  if (readiness.output) {
    connection->send_blocked = false;
    engine_.MarkDirty(*connection->session);
  }
  if (readiness.input) return Receive(*connection);
  // What it has sent and was not yet wanted cannot be answered any more.
  if (readiness.broken) Close(*connection);
}

void Clients::Receive(Connection& connection) {
  if (draining_ || connection.input_ended) return;
  Session& session = *connection.session;
  const ssize_t received = recv(connection.descriptor, input_.get(), kInputBytes, MSG_DONTWAIT);
  if (received > 0) {
    engine_.Feed(session, std::string_view(input_.get(), static_cast<std::size_t>(received)));
    if (session.pending != nullptr && !Engine::WantsInput(session)) engine_.MarkDirty(session);
    return;
  }
  if (received == 0) {
    connection.input_ended = true;
    engine_.MarkDirty(session);
  } else if (!IsTemporary(errno)) {
    Close(connection);
  }
}

void Clients::Flush() {
  while (engine_.has_dirty()) {
    for (Session* session : engine_.TakeDirty()) {
      if (session->connection == nullptr) continue;
      Settle(*static_cast<Connection*>(session->connection));
    }
  }
}

void Clients::Settle(Connection& connection) {
  Session& session = *connection.session;
  // It is dirty again when its command is done.
  if (engine_.IsInterrupted(session)) return;
  if (session.close_now) return Close(connection);
  if (!session.out.empty() && !connection.send_blocked && !Send(connection)) {
    return Close(connection);
  }
  if (IsDone(connection)) {
    if (session.close_after_reply) DiscardInput(connection.descriptor, input_.get());
    return Close(connection);
  }
  Watch(connection);
}

// False: the connection is broken.
bool Clients::Send(Connection& connection) {
  Session& session = *connection.session;
  const ssize_t result = SendPieces(connection.descriptor, session.out);
  if (result < 0 && !IsTemporary(errno)) return false;
  const auto sent = static_cast<std::size_t>(result < 0 ? 0 : result);
  connection.send_blocked = sent < session.out.size();
  if (sent == 0) return true;
  session.out.Consume(sent);
  Statistics& statistics = engine_.broker().statistics;
  ++statistics.writes;
  statistics.output_bytes += sent;
  engine_.OnSent(session);
  return true;
}

bool Clients::IsDone(const Connection& connection) const {
  const Session& session = *connection.session;
  if (connection.input_ended && session.blocked()) return true;
  if (!session.out.empty()) return false;
  if (draining_ || session.close_after_reply) return true;
  return connection.input_ended && !session.in_backlog;
}

void Clients::Watch(Connection& connection) {
  const Session& session = *connection.session;
  const bool reads_on = !draining_ && !connection.input_ended && Engine::WantsInput(session);
  const Interest interest{.input = reads_on, .output = connection.send_blocked};
  if (interest == connection.watched) return;
  connection.watched = interest;
  driver_->Update(connection);
}

void Clients::BeginBusy() {
  if (busy_input_ == nullptr) busy_input_ = std::make_unique<char[]>(kInputBytes);
  input_.swap(busy_input_);
  driver_->PollWhileBusy();
}

void Clients::EndBusy() { input_.swap(busy_input_); }

void Clients::Drain() {
  draining_ = true;
  table_.ForEach([this](Connection& connection) { Settle(connection); });
}

void Clients::CloseAll() {
  table_.ForEach([this](Connection& connection) { Close(connection); });
}

void Clients::Close(Connection& connection) {
  driver_->Remove(connection);
  engine_.Close(*connection.session);
  close(connection.descriptor);
  table_.Remove(connection);
}

}  // namespace rung

// Printing a client. See client_line.h. Fields, their order and their meaning are those of Redis:
// tools parse them.

#include "commands/client_line.h"

#include <chrono>

#include "rung/base/numbers.h"

namespace rung {
namespace {

class Fields {
 public:
  void Add(std::string_view name, std::string_view value) {
    if (!line_.empty()) line_ += ' ';
    line_ += name;
    line_ += '=';
    line_ += value;
  }
  void Add(std::string_view name, std::int64_t value) {
    NumberBuffer number;
    Add(name, FormatInt64(value, number));
  }
  void AddSize(std::string_view name, std::size_t value) {
    Add(name, static_cast<std::int64_t>(value));
  }
  std::string Take() { return std::move(line_); }

 private:
  std::string line_;
};

std::string FlagsOf(const Session& session) {
  std::string flags;
  if (session.monitor) flags += 'O';
  if (session.session_class() == SessionClass::kReplica) flags += 'S';
  if (session.session_class() == SessionClass::kPubSub) flags += 'P';
  if (session.transaction != nullptr) flags += 'x';
  if (session.blocked() || session.postponed) flags += 'b';
  if (session.watched_changed) flags += 'd';
  if (session.close_after_reply) flags += 'c';
  if (session.close_now) flags += 'A';
  if (session.peer.unix_socket) flags += 'U';
  if (session.no_evict) flags += 'e';
  if (session.no_touch) flags += 'T';
  return flags.empty() ? "N" : flags;
}

// Bytes of a request on the wire, and of its words alone.
std::size_t WireBytes(std::span<const std::string_view> args) {
  const auto line = [](std::size_t number) { return std::to_string(number).size() + 3; };
  std::size_t bytes = args.empty() ? 0 : line(args.size());
  for (const std::string_view arg : args) bytes += line(arg.size()) + arg.size() + 2;
  return bytes;
}

std::size_t WordBytes(std::span<const std::string_view> args) {
  std::size_t bytes = 0;
  for (const std::string_view arg : args) bytes += arg.size();
  return bytes;
}

void AddBuffers(Fields& fields, const Session& session, std::span<const std::string_view> running) {
  const PendingInput* pending = session.pending.get();
  const std::size_t waiting = pending == nullptr ? 0 : pending->bytes.size() - pending->start;
  const std::size_t capacity = pending == nullptr ? 0 : pending->bytes.capacity();
  fields.AddSize("qbuf", waiting + WireBytes(running));
  fields.AddSize("qbuf-free", capacity - std::min(capacity, waiting));
  fields.AddSize("argv-mem", WordBytes(running));
  fields.AddSize("multi-mem", session.transaction == nullptr ? 0 : session.transaction->bytes);
  // Redis has one fixed buffer and a list behind it; here the first block stands for the former.
  const std::size_t blocks = session.out.block_count();
  const std::size_t first_block = blocks <= 1 ? session.out.MemoryBytes() : BlockPool::kBlockBytes;
  fields.AddSize("rbs", first_block);
  fields.AddSize("rbp", first_block);
  fields.AddSize("obl", blocks <= 1 ? session.out.size() : BlockPool::kBlockBytes);
  fields.AddSize("oll", blocks <= 1 ? 0 : blocks - 1);
  fields.AddSize("omem", blocks <= 1 ? 0 : session.out.MemoryBytes() - first_block);
  fields.AddSize("tot-mem", ClientMemoryBytes(session) + WireBytes(running));
}

}  // namespace

std::size_t ClientMemoryBytes(const Session& session) {
  std::size_t bytes = sizeof(Session) + session.out.MemoryBytes();
  bytes += session.name.capacity() + session.library_name.capacity() +
           session.library_version.capacity() + session.peer.address.capacity() +
           session.peer.local_address.capacity();
  if (session.pending != nullptr) bytes += sizeof(PendingInput) + session.pending->bytes.capacity();
  if (session.transaction != nullptr) bytes += sizeof(Transaction) + session.transaction->bytes;
  if (session.wait != nullptr) {
    bytes += sizeof(Wait) + session.wait->args.MemoryBytes() +
             session.wait->places.capacity() * sizeof(WaitPlace);
  }
  if (session.subscribed()) bytes += session.subscriptions->MemoryBytes();
  return bytes;
}

std::string ClientLine(const Session& session, Now now, std::span<const std::string_view> running) {
  using std::chrono::duration_cast;
  using std::chrono::seconds;
  Fields fields;
  fields.Add("id", static_cast<std::int64_t>(session.id));
  fields.Add("addr", session.peer.address);
  fields.Add("laddr", session.peer.local_address);
  fields.Add("fd", session.peer.descriptor);
  fields.Add("name", session.name);
  fields.Add("age", now.wall_ms() / 1000 - session.created_wall_ms / 1000);
  fields.Add("idle", duration_cast<seconds>(now.mono - session.last_active).count());
  fields.Add("flags", FlagsOf(session));
  fields.Add("db", session.database);
  fields.AddSize("sub", session.subscription_count(TopicKind::kChannel));
  fields.AddSize("psub", session.subscription_count(TopicKind::kPattern));
  fields.AddSize("ssub", session.subscription_count(TopicKind::kShardChannel));
  const bool queueing = session.transaction != nullptr;
  fields.Add("multi",
             queueing ? static_cast<std::int64_t>(session.transaction->commands.size()) : -1);
  AddBuffers(fields, session, running);
  fields.Add("events", session.out.empty() || !running.empty() ? "r" : "rw");
  fields.Add("cmd", session.last_command);
  fields.Add("user", session.user);
  fields.Add("redir", -1);
  fields.Add("resp", session.reply.resp3() ? 3 : 2);
  fields.Add("lib-name", session.library_name);
  fields.Add("lib-ver", session.library_version);
  return fields.Take();
}

}  // namespace rung

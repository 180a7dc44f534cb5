// Messages on their way to subscribers, and keyspace events as messages. See engine.h.
//
// A message is encoded once for all its readers: RESP2 and RESP3 differ in its first byte only.

#include <initializer_list>
#include <string>
#include <utility>

#include "rung/base/numbers.h"
#include "rung/engine/engine.h"

namespace rung {
namespace {

// A buffer that held a larger message gives its memory back.
constexpr std::size_t kKeptBytes = std::size_t{64} << 10;

void AppendNumber(std::string& out, char type, std::size_t value) {
  NumberBuffer number;
  out += type;
  out += FormatUint64(value, number);
  out += "\r\n";
}

// An array of bulk strings; the type byte in front is set for each reader.
void Encode(std::string& out, std::initializer_list<std::string_view> words) {
  out.clear();
  AppendNumber(out, '*', words.size());
  for (const std::string_view word : words) {
    AppendNumber(out, '$', word.size());
    out += word;
    out += "\r\n";
  }
}

void Empty(std::string& buffer) {
  if (buffer.capacity() > kKeptBytes) {
    std::string().swap(buffer);
  } else {
    buffer.clear();
  }
}

}  // namespace

std::int64_t Engine::Publish(TopicKind kind, std::string_view channel, std::string_view message) {
  std::int64_t copies = 0;
  const PubSub::Subscribers subscribers = broker_.pub_sub.SubscribersOf(kind, channel);
  const bool shard = kind == TopicKind::kShardChannel;
  if (!subscribers.empty()) {
    Encode(message_, {shard ? "smessage" : "message", channel, message});
    copies += Deliver(subscribers);
  }
  if (!shard) {
    broker_.pub_sub.ForEachMatch(channel,
                                 [&](std::string_view pattern, PubSub::Subscribers matching) {
                                   Encode(message_, {"pmessage", pattern, channel, message});
                                   copies += Deliver(matching);
                                 });
  }
  Empty(message_);
  return copies;
}

// Sends message_ to each of them; returns how many they are.
std::int64_t Engine::Deliver(PubSub::Subscribers subscribers) {
  for (Session* const session : subscribers) {
    if (session->closing()) continue;
    message_[0] = session->reply.resp3() ? '>' : '*';
    if (session == running_) {
      held_pushes_ += message_;
      CheckOutputLimit(*session, held_pushes_.size());
      continue;
    }
    session->reply.Raw(message_);
    CheckOutputLimit(*session, 0);
    MarkDirty(*session);
  }
  return static_cast<std::int64_t>(subscribers.size());
}

// The messages of `session` to itself follow the reply of the command that sent them, and that of
// a MULTI or a script as a whole.
void Engine::SendHeldPushes(Session& session, std::size_t held_before) {
  if (!session.closing()) {
    session.reply.Raw(std::string_view(held_pushes_).substr(held_before));
  }
  held_pushes_.resize(held_before);
  if (held_before == 0) Empty(held_pushes_);
}

void Engine::OnEvent(EventClass /*event_class*/, std::string_view event, Database& db,
                     std::string_view key) {
  if (broker_.pub_sub.empty()) return;
  const EventMask mask = broker_.options().notify_keyspace_events;
  NumberBuffer number;
  const std::string_view index = FormatInt64(db.index(), number);
  const auto publish = [&](std::string_view prefix, std::string_view topic,
                           std::string_view message) {
    std::string channel(prefix);
    channel.append(index).append("__:").append(topic);
    Publish(TopicKind::kChannel, channel, message);
  };
  if ((mask & Mask(EventClass::kKeyspace)) != 0) publish("__keyspace@", key, event);
  if ((mask & Mask(EventClass::kKeyevent)) != 0) publish("__keyevent@", event, key);
}

}  // namespace rung

// Subscriptions: the channels, patterns and shard channels that one session listens to.
//
// A session has one only while it listens to something; the other side, who listens to a channel,
// is PubSub (pub_sub.h), which alone changes both.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

namespace rung {

enum class TopicKind : std::uint8_t { kChannel, kPattern, kShardChannel };
constexpr std::size_t kTopicKinds = 3;

struct Subscriptions {
  // By the topic's own name: the session's place among its subscribers. Ordered, so that leaving
  // everything is answered in an order that no hash decides.
  using Places = std::map<std::string_view, std::size_t>;

  Places& of(TopicKind kind) { return topics[static_cast<std::size_t>(kind)]; }
  const Places& of(TopicKind kind) const { return topics[static_cast<std::size_t>(kind)]; }
  bool empty() const { return topics[0].empty() && topics[1].empty() && topics[2].empty(); }
  // What it takes of the heap, about; the names are the topics'.
  std::size_t MemoryBytes() const {
    constexpr std::size_t kNode = sizeof(Places::value_type) + 4 * sizeof(void*);
    return sizeof(*this) + (topics[0].size() + topics[1].size() + topics[2].size()) * kNode;
  }

  std::array<Places, kTopicKinds> topics;
};

}  // namespace rung

// PubSub: who listens to which channel, pattern or shard channel. Sending is the engine's part.
//
// A message goes to many and subscriptions change seldom, so a topic keeps its subscribers in one
// array, and each session knows its place in it: leaving moves the last subscriber into the gap
// and searches nothing. Patterns stand in one array as well, since each of them is tried.
//
// Invariants (CheckInvariants):
//  1. A topic has a subscriber; the last one to leave takes the topic with it.
//  2. Subscriber i of a topic has the topic's name in its Subscriptions, with place i, and no
//     Subscriptions hold anything else.
//  3. patterns_ holds each pattern once, at the place that the pattern knows.
//  4. A session's Subscriptions are null, not empty.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rung/base/glob.h"
#include "rung/state/session.h"
#include "rung/state/subscriptions.h"
#include "rung/state/waiters.h"

namespace rung {

class PubSub {
 public:
  // In no particular order. Valid until the next subscription or its end.
  using Subscribers = std::span<Session* const>;

  // False if the session has subscribed already. O(log n) for n subscriptions of the session.
  bool Subscribe(Session& session, TopicKind kind, std::string_view name);
  // False if it had not subscribed. `name` may be the topic's own, and is gone then. O(log n).
  bool Unsubscribe(Session& session, TopicKind kind, std::string_view name);
  void UnsubscribeAll(Session& session);

  // Those who have subscribed to this very name.
  Subscribers SubscribersOf(TopicKind kind, std::string_view name) const;
  // Calls visit(pattern, Subscribers) for each pattern that `channel` matches. O(patterns); what
  // one of them can cost is bounded, see glob.h.
  template <typename F>
  void ForEachMatch(std::string_view channel, F visit) const {
    for (const Topics::value_type* topic : patterns_) {
      if (GlobMatch(topic->first, channel)) visit(topic->first, topic->second.subscribers);
    }
  }

  // Topics that somebody listens to.
  std::size_t topic_count(TopicKind kind) const { return TopicsOf(kind).size(); }
  // Their names in byte order, if a pattern is given those that match it. Valid until a topic goes.
  std::vector<std::string_view> Names(TopicKind kind,
                                      std::optional<std::string_view> pattern) const;
  bool empty() const { return topics_[0].empty() && topics_[1].empty() && topics_[2].empty(); }

  // Ends the program if an invariant is broken. `sessions`: all there are. For tests.
  void CheckInvariants(std::span<Session* const> sessions) const;

 private:
  struct Topic {
    std::vector<Session*> subscribers;
    std::size_t pattern_place = 0;  // Only of patterns.
  };
  using Topics = KeyMap<Topic>;

  const Topics& TopicsOf(TopicKind kind) const { return topics_[static_cast<std::size_t>(kind)]; }
  void CheckTopic(TopicKind kind, const Topics::value_type& topic) const;
  void RemoveTopic(TopicKind kind, Topics::iterator topic);

  std::array<Topics, kTopicKinds> topics_;
  std::vector<Topics::value_type*> patterns_;
};

}  // namespace rung

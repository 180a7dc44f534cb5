// Subscribing and leaving. See pub_sub.h.

#include "rung/state/pub_sub.h"

#include <algorithm>
#include <memory>
#include <string>

#include "rung/base/check.h"

namespace rung {

bool PubSub::Subscribe(Session& session, TopicKind kind, std::string_view name) {
  if (session.subscriptions == nullptr) session.subscriptions = std::make_unique<Subscriptions>();
  Subscriptions::Places& places = session.subscriptions->of(kind);
  if (places.contains(name)) return false;
  Topics& topics = topics_[static_cast<std::size_t>(kind)];
  auto topic = topics.find(name);
  if (topic == topics.end()) {
    topic = topics.emplace(std::string(name), Topic{}).first;
    if (kind == TopicKind::kPattern) {
      topic->second.pattern_place = patterns_.size();
      patterns_.push_back(&*topic);
    }
  }
  std::vector<Session*>& subscribers = topic->second.subscribers;
  places.emplace(topic->first, subscribers.size());
  subscribers.push_back(&session);
  return true;
}

bool PubSub::Unsubscribe(Session& session, TopicKind kind, std::string_view name) {
  if (session.subscriptions == nullptr) return false;
  Subscriptions::Places& places = session.subscriptions->of(kind);
  const auto found = places.find(name);
  if (found == places.end()) return false;
  const auto topic = topics_[static_cast<std::size_t>(kind)].find(name);
  std::vector<Session*>& subscribers = topic->second.subscribers;
  const std::size_t place = found->second;
  Session* const last = subscribers.back();
  subscribers[place] = last;
  last->subscriptions->of(kind).find(name)->second = place;
  subscribers.pop_back();
  places.erase(found);
  if (session.subscriptions->empty()) session.subscriptions.reset();
  if (subscribers.empty()) RemoveTopic(kind, topic);
  return true;
}

void PubSub::RemoveTopic(TopicKind kind, Topics::iterator topic) {
  if (kind == TopicKind::kPattern) {
    const std::size_t place = topic->second.pattern_place;
    patterns_[place] = patterns_.back();
    patterns_[place]->second.pattern_place = place;
    patterns_.pop_back();
  }
  topics_[static_cast<std::size_t>(kind)].erase(topic);
}

void PubSub::UnsubscribeAll(Session& session) {
  for (const TopicKind kind :
       {TopicKind::kChannel, TopicKind::kPattern, TopicKind::kShardChannel}) {
    while (session.subscriptions != nullptr && !session.subscriptions->of(kind).empty()) {
      Unsubscribe(session, kind, session.subscriptions->of(kind).begin()->first);
    }
  }
}

PubSub::Subscribers PubSub::SubscribersOf(TopicKind kind, std::string_view name) const {
  const Topics& topics = TopicsOf(kind);
  const auto found = topics.find(name);
  return found == topics.end() ? Subscribers() : Subscribers(found->second.subscribers);
}

std::vector<std::string_view> PubSub::Names(TopicKind kind,
                                            std::optional<std::string_view> pattern) const {
  std::vector<std::string_view> names;
  for (const auto& [name, topic] : TopicsOf(kind)) {
    if (!pattern || GlobMatch(*pattern, name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void PubSub::CheckTopic(TopicKind kind, const Topics::value_type& topic) const {
  RUNG_CHECK(!topic.second.subscribers.empty(), "a topic that nobody listens to");
  for (std::size_t i = 0; i < topic.second.subscribers.size(); ++i) {
    const Session* session = topic.second.subscribers[i];
    RUNG_CHECK(session->subscriptions != nullptr, "a subscriber that knows nothing of it");
    const Subscriptions::Places& places = session->subscriptions->of(kind);
    const auto found = places.find(topic.first);
    RUNG_CHECK(found != places.end() && found->second == i, "a subscriber in a wrong place");
    RUNG_CHECK(found->first.data() == topic.first.data(), "a subscription with a name not its own");
  }
  if (kind != TopicKind::kPattern) return;
  const std::size_t place = topic.second.pattern_place;
  RUNG_CHECK(place < patterns_.size() && patterns_[place] == &topic, "a pattern in a wrong place");
}

void PubSub::CheckInvariants(std::span<Session* const> sessions) const {
  std::size_t places = 0;
  for (const TopicKind kind :
       {TopicKind::kChannel, TopicKind::kPattern, TopicKind::kShardChannel}) {
    for (const Topics::value_type& topic : TopicsOf(kind)) {
      CheckTopic(kind, topic);
      places += topic.second.subscribers.size();
    }
  }
  RUNG_CHECK(patterns_.size() == topic_count(TopicKind::kPattern), "a pattern stands twice");
  for (const Session* session : sessions) {
    if (session->subscriptions == nullptr) continue;
    RUNG_CHECK(!session->subscriptions->empty(), "subscriptions of a session that has none");
    for (const Subscriptions::Places& own : session->subscriptions->topics) places -= own.size();
  }
  RUNG_CHECK(places == 0, "subscriptions and subscribers differ in number");
}

}  // namespace rung

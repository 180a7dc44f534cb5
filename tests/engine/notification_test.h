// NotificationTest: an engine whose keyspace events a test turns on and reads back as text.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kit/engine_test.h"

namespace rung::testing {

class NotificationTest : public EngineTest {
 protected:
  // Sets notify-keyspace-events.
  void Notify(std::string_view classes) {
    const Config::Pair pair{"notify-keyspace-events", classes};
    EXPECT_FALSE(config.Set(std::span(&pair, 1), Config::Origin::kLocal, host));
    engine->broker().ApplyOptions();
  }

  // What a listener to the pattern __keyevent@* or * has been told since the last call, as
  // "event(key) event(key)"; of another database than 0 as "1:event(key)".
  static std::string TakeEvents(Client& listener) {
    constexpr std::string_view kPrefix = "__keyevent@";
    std::string events;
    while (const std::optional<Reply> message = listener.TryRead()) {
      std::string_view channel = message->elements.at(2).text;
      channel.remove_prefix(kPrefix.size());
      const std::string_view database = channel.substr(0, channel.find('_'));
      if (!events.empty()) events += ' ';
      if (database != "0") events.append(database).append(":");
      events.append(channel.substr(database.size() + 3)).append("(");
      events.append(message->elements.at(3).text).append(")");
    }
    return events;
  }
};

}  // namespace rung::testing

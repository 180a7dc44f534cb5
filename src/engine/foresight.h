// Foresight: starts loading what the next requests of a pipeline will look up, while the one before
// them runs. With a million keys or members a look-up mostly waits for memory; a pipeline says
// beforehand what it will look up, so these waits can go on at the same time.
//
// Nothing but hints comes of it: what it takes for a key or a member may be neither, and what it
// cannot read at a glance it lets be. The key of a request is its second word; what the words
// behind it name is for the value to say (ZADD key score member, HGET key field).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "rung/store/keyspace.h"

namespace rung {

class Foresight {
 public:
  // To be called before a request runs: `rest` is the input behind it, the same from call to call
  // but for what has been run. Views of it are kept until the last call. O(1), amortized.
  void LookBehind(const Database& db, std::string_view rest);

 private:
  // What is asked for how many requests ahead: a step reads what the one before has asked for.
  static constexpr std::size_t kReadAhead = 10;  // Where the key stands in its table.
  enum Step : std::size_t { kEntry, kObject, kPlace, kItem, kSteps };
  static constexpr std::array<std::size_t, kSteps> kAhead = {8, 7, 6, 3};
  // Below this many items all of it is in the processor's cache anyway.
  static constexpr std::size_t kManyItems = 4096;

  static constexpr std::size_t kWordsBehindKey = 2;

  enum class State : std::uint8_t { kNew, kLooking, kEnded };

  struct Request {
    std::string_view key;
    std::array<std::string_view, kWordsBehindKey> words;  // The first ones behind the key.
    std::size_t word_count = 0;
    std::uint64_t hash = 0;
    bool repeats_key = false;  // It has the key of the request before it.

    std::span<const std::string_view> Words() const { return {words.data(), word_count}; }
  };

  bool IsWorthwhile(const Database& db);
  static void Take(Step step, const Database& db, const Request& request);
  // Reads one more request. False at the end of the input, or of what can be read at a glance.
  bool ReadRequest();
  bool ReadLength(char mark, std::size_t& length);
  Request& At(std::size_t index) { return requests_[index % requests_.size()]; }

  State state_ = State::kNew;
  std::string_view unread_;
  std::array<Request, kReadAhead> requests_;
  // Numbers of requests, counted from the first that was ahead.
  std::size_t started_ = 0;
  std::size_t read_ = 0;
  std::array<std::size_t, kSteps> taken_{};  // Up to which each step has been taken.
};

}  // namespace rung

// Foresight: reads the next requests of a pipeline ahead and starts loading what they will look up,
// while the ones before them run. With a million keys or members a look-up mostly waits for memory;
// a pipeline says beforehand what it will look up, so these waits can go on at the same time.
//
// Only requests that can be read at a glance are: a few words, all of them there. They are run as
// they have been read, and not read again. What it takes for a key or a member may be neither: but
// for the reading nothing but hints comes of it. The key of a request is its second word; what the
// words behind it name is for the value to say (ZADD key score member, HGET key field).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "rung/store/keyspace.h"

namespace rung {

class Foresight {
 public:
  struct Request {
    static constexpr std::size_t kWordsMax = 8;

    const char* start = nullptr;
    std::size_t bytes = 0;         // 0: none has been read here.
    std::size_t longest_word = 0;  // Bytes of it.
    std::size_t word_count = 0;
    std::array<std::string_view, kWordsMax> words;
    std::uint64_t hash = 0;    // Of the key.
    std::uint64_t note = 0;    // The value's, from step to step.
    bool repeats_key = false;  // It has the key of the request before it.

    std::span<const std::string_view> Words() const { return {words.data(), word_count}; }
    std::string_view key() const { return words[1]; }
    // The first ones behind the key.
    std::span<const std::string_view> WordsBehindKey() const {
      return Words().subspan(2, std::min(word_count - 2, kWordsBehindKey));
    }
  };

  // The request that begins at `start`, if it is the next one and has been read ahead. Valid until
  // the second call of LookBehind from then on.
  const Request* Find(const char* start) const {
    if (started_ == 0) return nullptr;
    const Request& next = requests_[(started_ - 1) % requests_.size()];
    return next.start == start && next.bytes > 0 ? &next : nullptr;
  }

  // To be called before a request runs: `rest` is the input behind it, the same from call to call
  // but for what has been run. Views of it are kept until the last call. O(1), amortized.
  void LookBehind(const Database& db, std::string_view rest);

 private:
  static constexpr std::size_t kWordsBehindKey = 2;
  // What is asked for how many requests ahead: a step reads what the one before has asked for.
  static constexpr std::size_t kReadAhead = 12;  // Where the key stands in its table.
  enum Step : std::size_t { kEntry, kObject, kPlace, kItem, kSteps };
  static constexpr std::array<std::size_t, kSteps> kAhead = {10, 7, 4, 2};
  // Below this many items all of it is in the processor's cache anyway.
  static constexpr std::size_t kManyItems = 4096;

  enum class State : std::uint8_t { kNew, kLooking, kEnded };

  bool IsWorthwhile(const Database& db);
  void Take(Step step, const Database& db, Request& request);
  // The entry under the request's key. Only within one call of LookBehind: then nothing changes.
  const Entry* EntryOf(const Database& db, const Request& request);
  // Reads one more request. False at the end of the input, or of what can be read at a glance.
  bool ReadRequest();
  bool ReadWords(Request& request);
  bool ReadLength(char mark, std::size_t& length);
  Request& At(std::size_t index) { return requests_[index % requests_.size()]; }

  State state_ = State::kNew;
  std::string_view unread_;
  std::array<Request, kReadAhead + 1> requests_;  // One more than is ahead: the one that runs.
  // Numbers of requests, counted from the first that was ahead.
  std::size_t started_ = 0;  // Those before the one that comes next, and that one.
  std::size_t read_ = 0;
  std::array<std::size_t, kSteps> taken_{};  // Up to which each step has been taken.
  // The last one that EntryOf() looked up, null as well.
  struct {
    bool known = false;
    std::uint64_t hash = 0;
    const Entry* entry = nullptr;
  } last_;
};

}  // namespace rung

// What a pipeline will look up next. See foresight.h.

#include "engine/foresight.h"

#include <algorithm>

#include "rung/base/hash.h"

namespace rung {

void Foresight::LookBehind(const Database& db, std::string_view rest) {
  if (state_ == State::kEnded || rest.empty()) return;
  if (state_ == State::kNew) {
    unread_ = rest;
    state_ = IsWorthwhile(db) ? State::kLooking : State::kEnded;
    if (state_ == State::kEnded) return;
  }
  for (; read_ < started_ + kReadAhead && ReadRequest(); ++read_) {
    Request& request = At(read_);
    request.hash = HashBytes(request.key);
    db.PrefetchPlace(request.hash);
  }
  for (std::size_t step = 0; step < kSteps; ++step) {
    std::size_t& taken = taken_[step];
    taken = std::max(taken, started_);
    const std::size_t end = std::min(read_, started_ + kAhead[step]);
    for (; taken < end; ++taken) Take(static_cast<Step>(step), db, At(taken));
  }
  ++started_;
  if (started_ >= read_) state_ = State::kEnded;
}

void Foresight::Take(Step step, const Database& db, const Request& request) {
  switch (step) {
    case kEntry:
      return db.PrefetchEntry(request.key, request.hash);
    case kObject:
      return db.PrefetchObject(request.key, request.hash);
    case kPlace:
      return db.Foresee(request.key, request.hash, request.Words(), ForesightStep::kPlace);
    case kItem:
      return db.Foresee(request.key, request.hash, request.Words(), ForesightStep::kItem);
    case kSteps:
      return;
  }
}

bool Foresight::IsWorthwhile(const Database& db) {
  if (db.size() >= kManyItems) return true;
  const std::string_view start = unread_;
  const bool read = ReadRequest();
  unread_ = start;
  return read && db.ElementsOf(At(0).key) >= kManyItems;
}

bool Foresight::ReadRequest() {
  constexpr std::size_t kWordsMax = 8;
  std::size_t words = 0;
  if (!ReadNumber('*', words) || words < 2 || words > kWordsMax) return false;
  Request& request = At(read_);
  request.word_count = 0;
  for (std::size_t i = 0; i < words; ++i) {
    std::size_t bytes = 0;
    if (!ReadNumber('$', bytes) || unread_.size() < bytes + 2) return false;
    const std::string_view word = unread_.substr(0, bytes);
    if (i == 1) request.key = word;
    if (i >= 2 && request.word_count < kWordsBehindKey) request.words[request.word_count++] = word;
    unread_.remove_prefix(bytes + 2);
  }
  return true;
}

// A header of the protocol: the mark, a number, the end of the line.
bool Foresight::ReadNumber(char mark, std::size_t& number) {
  constexpr std::size_t kDigitsMax = 6;
  if (unread_.empty() || unread_[0] != mark) return false;
  std::size_t at = 1;
  for (; at < unread_.size() && unread_[at] >= '0' && unread_[at] <= '9'; ++at) {
    number = number * 10 + static_cast<std::size_t>(unread_[at] - '0');
  }
  if (at == 1 || at > 1 + kDigitsMax || unread_.substr(at, 2) != "\r\n") return false;
  unread_.remove_prefix(at + 2);
  return true;
}

}  // namespace rung

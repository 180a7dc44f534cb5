// What a pipeline will look up next. See foresight.h.

#include "engine/foresight.h"

#include <algorithm>

#include "rung/base/hash.h"
#include "rung/resp/length_line.h"

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
    const Request* const before = read_ > 0 ? &At(read_ - 1) : nullptr;
    request.repeats_key = before != nullptr && before->key == request.key;
    request.hash = request.repeats_key ? before->hash : HashBytes(request.key);
    if (!request.repeats_key) db.PrefetchPlace(request.hash);
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
      if (!request.repeats_key) db.PrefetchEntry(request.key, request.hash);
      return;
    case kObject:
      if (!request.repeats_key) db.PrefetchObject(request.key, request.hash);
      return;
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
  if (!ReadLength('*', words) || words < 2 || words > kWordsMax) return false;
  Request& request = At(read_);
  request.word_count = 0;
  for (std::size_t i = 0; i < words; ++i) {
    std::size_t bytes = 0;
    if (!ReadLength('$', bytes) || unread_.size() < bytes + 2) return false;
    const std::string_view word = unread_.substr(0, bytes);
    if (i == 1) request.key = word;
    if (i >= 2 && request.word_count < kWordsBehindKey) request.words[request.word_count++] = word;
    unread_.remove_prefix(bytes + 2);
  }
  return true;
}

bool Foresight::ReadLength(char mark, std::size_t& length) {
  const std::size_t line_bytes = ReadLengthLine(unread_, mark, length);
  unread_.remove_prefix(line_bytes);
  return line_bytes > 0;
}

}  // namespace rung

// The requests to come of a pipeline. See foresight.h.

#include "engine/foresight.h"

#include <algorithm>

#include "rung/base/hash.h"
#include "rung/base/prefetch.h"
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
    request.repeats_key = before != nullptr && before->key() == request.key();
    request.hash = request.repeats_key ? before->hash : HashBytes(request.key());
    if (!request.repeats_key) db.PrefetchPlace(request.hash);
  }
  last_.known = false;
  for (std::size_t step = 0; step < kSteps; ++step) {
    std::size_t& taken = taken_[step];
    taken = std::max(taken, started_);
    const std::size_t end = std::min(read_, started_ + kAhead[step]);
    for (; taken < end; ++taken) Take(static_cast<Step>(step), db, At(taken));
  }
  ++started_;
  if (started_ >= read_) state_ = State::kEnded;
}

void Foresight::Take(Step step, const Database& db, Request& request) {
  if (step == kEntry) {
    if (!request.repeats_key) db.PrefetchEntry(request.hash);
    return;
  }
  const Entry* const entry = EntryOf(db, request);
  if (entry == nullptr || entry->form() != Entry::Form::kObject) return;
  if (step == kObject) {
    if (!request.repeats_key) Prefetch(entry->object());
  } else if (request.word_count > 2) {
    entry->Foresee(request.WordsBehindKey(),
                   step == kPlace ? ForesightStep::kPlace : ForesightStep::kItem, request.note);
  }
}

const Entry* Foresight::EntryOf(const Database& db, const Request& request) {
  if (!last_.known || last_.hash != request.hash) {
    last_ = {true, request.hash, db.EntryUnder(request.key(), request.hash)};
  }
  return last_.entry;
}

bool Foresight::IsWorthwhile(const Database& db) {
  if (db.size() >= kManyItems) return true;
  const std::string_view start = unread_;
  const bool read = ReadRequest();
  unread_ = start;
  return read && db.ElementsOf(At(0).key()) >= kManyItems;
}

bool Foresight::ReadRequest() {
  Request& request = At(read_);
  request.bytes = 0;
  if (ReadWords(request)) return true;
  unread_ = {};  // What comes behind it begins nobody knows where.
  return false;
}

bool Foresight::ReadWords(Request& request) {
  request.start = unread_.data();
  request.longest_word = 0;
  if (!ReadLength('*', request.word_count)) return false;
  if (request.word_count < 2 || request.word_count > Request::kWordsMax) return false;
  for (std::size_t i = 0; i < request.word_count; ++i) {
    std::size_t bytes = 0;
    if (!ReadLength('$', bytes) || unread_.size() < bytes + 2) return false;
    request.words[i] = unread_.substr(0, bytes);
    request.longest_word = std::max(request.longest_word, bytes);
    unread_.remove_prefix(bytes + 2);
  }
  request.bytes = static_cast<std::size_t>(unread_.data() - request.start);
  return true;
}

bool Foresight::ReadLength(char mark, std::size_t& length) {
  const std::size_t line_bytes = ReadLengthLine(unread_, mark, length);
  unread_.remove_prefix(line_bytes);
  return line_bytes > 0;
}

}  // namespace rung

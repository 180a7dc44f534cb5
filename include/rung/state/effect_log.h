// EffectLog: what a write did, as commands with absolute times, for the log and the replicas.
//
// Records of one unit (a command, a MULTI, a script) are gathered and handed on together; a unit
// of several is wrapped in MULTI and EXEC, so that a reader applies all of it or nothing. While
// nobody listens nothing is recorded.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace rung {

// Where finished units go: the log writer, the replicas' backlog, or a test.
class EffectSink {
 public:
  virtual ~EffectSink() = default;
  // `resp` is one or more whole requests in RESP form.
  virtual void OnEffects(std::string_view resp) = 0;
};

class EffectLog {
 public:
  void set_sink(EffectSink* sink) { sink_ = sink; }
  bool enabled() const { return sink_ != nullptr; }

  // One record: a command as it would be sent to database `database`.
  void Append(int database, std::span<const std::string_view> args);
  void Append(int database, std::initializer_list<std::string_view> args) {
    Append(database, std::span(args.begin(), args.size()));
  }
  std::size_t records_in_unit() const { return records_; }
  // While muted nothing is recorded: redis.set_repl(redis.REPL_NONE).
  void set_muted(bool muted) { muted_ = muted; }

  // Ends the unit and hands it on.
  void FinishUnit();

 private:
  EffectSink* sink_ = nullptr;
  std::string unit_;
  std::string output_;  // Reused for wrapping.
  std::size_t records_ = 0;
  bool muted_ = false;
  int selected_database_ = -1;  // As a reader of everything so far would have it.
};

}  // namespace rung

// Timed work: one Tick, one next deadline. Nothing is scanned but the list of clients, once per
// second at most and only when an option asks for it.

#include <algorithm>
#include <chrono>
#include <vector>

#include "rung/base/memory.h"
#include "rung/commands/timed_work.h"
#include "rung/engine/engine.h"

namespace rung {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kSampleInterval = milliseconds(100);

// A million keys that fall due together go in slices, so that clients are served in between.
constexpr auto kExpirySlice = milliseconds(1);
constexpr std::size_t kExpiryStep = 128;

}  // namespace

void Engine::Tick() {
  BeginEvent();
  // Before waits time out: a job due at the same moment goes to whoever has waited longest.
  RunTimedValues();
  EndTimedOutWaits();
  ExpireKeys();
  EndPause();
  if (now_.mono >= next_sample_) Sample();
  FinishUnit();
}

void Engine::ExpireKeys() {
  const MonoTime slice_end = now_.mono + kExpirySlice;
  expiry_behind_ = false;
  std::size_t removed = kExpiryStep;
  bool any = false;
  while (removed == kExpiryStep && !expiry_behind_) {
    removed = broker_.store.ExpireDue(kExpiryStep);
    any = any || removed > 0;
    broker_.effects.FinishUnit();
    if (removed == kExpiryStep) expiry_behind_ = broker_.clock.ReadMono() >= slice_end;
  }
  if (any) NoteSpike("expire-cycle", broker_.clock.ReadMono() - now_.mono);
}

// Leases that end, delayed jobs that fall due: value by value in the order of their times.
void Engine::RunTimedValues() {
  const MonoTime slice_end = now_.mono + kExpirySlice;
  timed_behind_ = false;
  while (!timed_behind_) {
    const std::optional<std::int64_t> due = broker_.store.NextTimed();
    if (!due || *due > now_.wall_ms()) return;
    RunNextTimedWork(broker_, *this);
    FinishUnit();
    timed_behind_ = broker_.clock.ReadMono() >= slice_end;
  }
}

void Engine::EndPause() {
  if (!broker_.pause.until || *broker_.pause.until > now_.mono) return;
  broker_.pause.until.reset();
  ResumePostponed();
}

void Engine::ResumePostponed() {
  for (Session* session : std::exchange(postponed_, {})) {
    session->postponed = false;
    if (session->pending != nullptr) AddToBacklog(*session);
  }
}

void Engine::Sample() {
  next_sample_ = now_.mono + kSampleInterval;
  broker_.statistics.peak_memory_bytes =
      std::max<std::uint64_t>(broker_.statistics.peak_memory_bytes, AllocatedBytes());
  broker_.statistics.SampleRates(now_.mono);
  AgeAllocator();
  CheckSoftOutputLimits();
  if (broker_.options().timeout_seconds > 0) DropIdleSessions();
}

void Engine::CheckSoftOutputLimits() {
  if (!soft_limit_watched_) return;
  soft_limit_watched_ = false;  // CheckOutputLimit() sets it again.
  for (const auto& [id, session] : broker_.sessions) {
    if (session->over_soft_limit_since && !session->close_now) CheckOutputLimit(*session);
  }
}

void Engine::DropIdleSessions() {
  const auto limit = seconds(broker_.options().timeout_seconds);
  for (const auto& [id, session] : broker_.sessions) {
    const bool exempt =
        session->blocked() || session->monitor || session->subscribed() || session->closing();
    if (exempt || now_.mono - session->last_active <= limit) continue;
    session->close_now = true;
    MarkDirty(*session);
  }
}

MonoTime Engine::NextDeadline() const {
  if (broker_.waiters.has_ready()) return now_.mono;
  if (expiry_behind_ || timed_behind_ || !backlog_.empty()) return now_.mono;
  MonoTime next = next_sample_;
  if (const auto deadline = broker_.waiters.NextDeadline()) next = std::min(next, *deadline);
  if (broker_.pause.until) next = std::min(next, *broker_.pause.until);
  for (const auto& due_ms : {broker_.store.NextExpiry(), broker_.store.NextTimed()}) {
    if (!due_ms) continue;
    const auto wait = std::max(milliseconds(*due_ms) - now_.wall_us, std::chrono::microseconds(0));
    // Far times would overflow the sum, and a sample comes before them anyway.
    if (wait < kSampleInterval) next = std::min(next, now_.mono + wait);
  }
  return next;
}

}  // namespace rung

// Serving blocked clients. See waiters.h for who stands where, and why the order is what it is.
//
// A waiting command is not a second code path: it is run again, whole, by its own handler, as soon
// as one of its keys changes, and blocks again if it still finds nothing. What it then does is a
// unit of its own in the log.

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "rung/base/check.h"
#include "rung/engine/engine.h"

namespace rung {

// Serving one client can make further keys ready (BLMOVE feeds the next list): until none is left.
void Engine::ServeReadyKeys() {
  while (broker_.waiters.has_ready()) {
    for (const Waiters::ReadyKey& ready : broker_.waiters.TakeReady()) {
      ServeWaiters(ready);
    }
  }
}

void Engine::ServeWaiters(const Waiters::ReadyKey& ready) {
  if (ready.topic != WaitTopic::kValue) return ServeLines(ready);
  broker_.waiters.ForEachWaiting(ready, [&](Session& session) {
    const Served served = ServeWaiter(ready, session);
    return served != Served::kNobody && served != Served::kBeginAnew;
  });
}

// In order of arrival, but in each line nobody gets what the one before him waits for.
void Engine::ServeLines(const Waiters::ReadyKey& ready) {
  Waiters& waiters = broker_.waiters;
  std::set<LineHead> heads = waiters.HeadsOf(ready);
  std::set<std::uint64_t> held;  // Lines whose first one has got nothing.
  while (!heads.empty()) {
    const std::uint64_t line = heads.extract(heads.begin()).value().line;
    Session* const first = held.count(line) == 0 ? waiters.FirstIn(ready, line) : nullptr;
    if (first == nullptr) continue;
    const Served served = ServeWaiter(ready, *first);
    if (served == Served::kNobody || served == Served::kBeginAnew) return;
    if (served == Served::kNotThis) continue;
    // It may wait in another line now, for another limit.
    if (served == Served::kStillWaits) held.insert(first->wait->line);
    const auto next = waiters.HeadOf(ready.database, ready.topic, ready.key, line);
    if (next && held.count(line) == 0) heads.insert(*next);
  }
}

Engine::Served Engine::ServeWaiter(const Waiters::ReadyKey& ready, Session& session) {
  // Looked at anew each time: the client before may have taken the last element.
  const Lookup found = broker_.store.database(ready.database).Peek(ready.key);
  if (!found && !session.wait->wakes_on_deletion) return Served::kNobody;
  const bool serves = found && (session.wait->types & MaskOf(found.entry()->type())) != 0;
  if (!serves && !session.wait->wakes_on_deletion) return Served::kNotThis;
  const WaitOutlook outlook =
      serves ? found.entry()->OutlookFor(ready.topic, session.wait->line) : WaitOutlook::kTry;
  if (outlook == WaitOutlook::kNone) return Served::kNobody;
  if (outlook == WaitOutlook::kSkip) return Served::kNotThis;
  const std::uint64_t changes_before = broker_.store.change_count();
  RetryWait(session, Attempt::kRetry);
  if (session.blocked()) return Served::kStillWaits;
  // What one took may have set something free for one who waited longer and was passed over: the
  // change has made the key ready again, and that begins with the first one.
  const bool changed = broker_.store.change_count() != changes_before;
  return outlook == WaitOutlook::kTryEach && changed ? Served::kBeginAnew : Served::kServed;
}

void Engine::RetryWait(Session& session, Attempt attempt) {
  // The arguments must survive the end of the wait.
  const OwnedArgs args = session.wait->args;
  const std::vector<std::string_view> views = args.Views();
  const Command* command = catalog_.Find(views);
  RUNG_CHECK(command != nullptr, "a waiting command is gone from the catalog");
  const Outcome outcome = Execute(session, *command, views, Origin::kClient, attempt);
  if (outcome != Outcome::kBlocked) {
    broker_.waiters.Unblock(session);
    if (session.pending != nullptr) AddToBacklog(session);
  }
  broker_.effects.FinishUnit();
}

void Engine::EndWait(Session& session, std::optional<std::string_view> error) {
  if (!session.blocked()) return;
  if (!error) {
    RetryWait(session, Attempt::kTimedOut);
    return;
  }
  const std::unique_ptr<Wait> wait = broker_.waiters.Unblock(session);
  CountFailedWait(*wait);
  Refuse(session, nullptr, *error);
  if (session.pending != nullptr) AddToBacklog(session);
}

// A wait that ends with an error is a call that failed.
void Engine::CountFailedWait(const Wait& wait) {
  const Command* command = catalog_.Find(wait.args.Views());
  RUNG_CHECK(command != nullptr, "a waiting command is gone from the catalog");
  CommandStatistics& statistics =
      broker_.statistics.commands[static_cast<std::size_t>(command->id)];
  ++broker_.statistics.commands_processed;
  ++statistics.calls;
  ++statistics.failed;
}

void Engine::EndTimedOutWaits() {
  while (Session* session = broker_.waiters.NextTimedOut(now_.mono)) {
    RetryWait(*session, Attempt::kTimedOut);
  }
}

}  // namespace rung

// Engine: the deterministic machine. Bytes, time and a seed go in; replies, effects and the next
// deadline come out. It has no socket, no file, no thread, and reads time only from its Clock.
//
// How it is driven (net/, or a test): Open() a session, Feed() it bytes as they come, Tick() when
// NextDeadline() has passed, and after each batch of events TakeDirty(): the sessions whose output
// is to be sent or that are to be closed. A session whose socket is gone is Close()d.
//
// Not thread-safe: one thread drives one engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rung/base/time.h"
#include "rung/commands/catalog.h"
#include "rung/commands/context.h"
#include "rung/resp/request_parser.h"
#include "rung/script/script_host.h"
#include "rung/state/broker.h"
#include "rung/state/session.h"

namespace rung {

struct GateInput;

class Engine final : public StoreObserver, public Dispatcher {
 public:
  // All must outlive the engine. Equal seeds and inputs give equal outputs.
  Engine(Config& config, Clock& clock, Host& host, std::uint64_t seed);
  ~Engine() override;

  Broker& broker() { return broker_; }
  const Broker& broker() const { return broker_; }
  const Catalog& catalog() const override { return catalog_; }
  Catalog& mutable_catalog() { return catalog_; }

  // --- Sessions. ---

  Session& Open(PeerInfo peer);
  // Takes what has come. Runs whole requests at once, keeps the rest. The bytes may go afterwards.
  void Feed(Session& session, std::string_view bytes);
  // The socket is gone: forgets the session, and whatever it waited for goes to the next one.
  void Close(Session& session);
  // Output of the session has been sent: a pipeline held back by it may go on.
  void OnSent(Session& session);
  // False while more input would only pile up: the client is blocked, or does not read.
  static bool WantsInput(const Session& session);
  // Whether a command of the session is under way: a script that runs too long, in the middle of
  // which others are served. The session must then be neither fed nor closed.
  bool IsInterrupted(const Session& session) const { return &session == interrupted_; }

  // --- Time. ---

  // All timed work that is due: expiry, time-outs, the end of a pause, statistics.
  void Tick();
  // Pipelines that had to let others go first. Call once per turn.
  void RunBacklog();
  // When Tick() is next worth calling. Never empty: statistics are sampled ten times a second.
  MonoTime NextDeadline() const;
  bool has_backlog() const { return !backlog_.empty(); }

  // --- Output. ---

  // Sessions with unsent output or to be closed, or whose wish for input may have changed, each
  // once. Valid until the next call; closing one of them leaves its pointer behind.
  std::span<Session* const> TakeDirty();
  bool has_dirty() const { return !dirty_.empty(); }

  // --- Dispatcher, for commands. ---

  Scripting& scripting() override { return scripts_; }
  void RunQueued(Session& session, std::span<const std::string_view> args) override;
  Outcome RunFromScript(const ExecContext& caller, const ScriptedCommand& called) override;
  void ServeWhileBusy() override;
  void ShowToMonitors(const ExecContext& ctx) override;
  void MarkDirty(Session& session) override;
  void EndWait(Session& session, std::optional<std::string_view> error) override;
  void ResumePostponed() override;
  std::int64_t Publish(TopicKind kind, std::string_view channel, std::string_view message) override;

  // --- StoreObserver. ---

  void OnChanged(Database& db, std::string_view key) override;
  void OnEdited(Database& db, std::string_view key) override;
  void OnEvent(EventClass event_class, std::string_view event, Database& db,
               std::string_view key) override;
  void OnExpired(Database& db, std::string_view key) override;

 private:
  enum class Verdict : std::uint8_t { kGo, kRefused, kPostponed };

  void BeginEvent();

  // Running input (engine.cc).
  static bool CanRun(const Session& session);
  std::size_t RunRequests(Session& session, RequestParser& parser, std::string_view bytes);
  void RunPending(Session& session);
  void KeepInput(Session& session, std::string_view rest);
  void AddToBacklog(Session& session);
  bool CheckQueryLimit(Session& session);
  void CheckOutputLimit(Session& session, std::size_t held_back = 0);

  // One request (dispatch.cc).
  Verdict Dispatch(Session& session, std::span<const std::string_view> args);
  void RefuseUnknown(Session& session, std::span<const std::string_view> args);
  void Refuse(Session& session, const Command* command, std::string_view error);
  void RefuseExec(Session& session, const Command& exec, std::string_view reason);
  void Queue(const GateInput& input);
  Outcome Execute(Session& session, const Command& command, std::span<const std::string_view> args,
                  Origin origin, Attempt attempt);
  void ApplyReplyMode(Session& session, std::size_t output_before, bool is_push);

  // After a request (commit.cc).
  void Commit(const ExecContext& ctx, Outcome outcome, std::uint64_t changes_before,
              MonoTime started);
  void Count(const ExecContext& ctx, Outcome outcome, std::chrono::nanoseconds took);
  void FinishUnit();
  void FeedMonitors(const ExecContext& ctx);
  void ShowLine(const ExecContext& ctx);
  void NoteSlow(const ExecContext& ctx, std::chrono::microseconds took);
  // LATENCY hears of an event that took long.
  void NoteSpike(std::string_view event, std::chrono::nanoseconds took);

  // Messages (publish.cc).
  std::int64_t Deliver(PubSub::Subscribers subscribers);
  void SendHeldPushes(Session& session, std::size_t held_before);

  // Waits (blocking.cc).
  void ServeReadyKeys();
  void ServeWaiters(const Waiters::ReadyKey& ready);
  void ServeLines(const Waiters::ReadyKey& ready);
  // What came of asking one of them.
  enum class Served : std::uint8_t { kNobody, kNotThis, kStillWaits, kServed, kBeginAnew };
  Served ServeWaiter(const Waiters::ReadyKey& ready, Session& session);
  void RetryWait(Session& session, Attempt attempt);
  void CountFailedWait(const Wait& wait);

  // Time (ticker.cc).
  void EndTimedOutWaits();
  void ExpireKeys();
  void RunTimedValues();
  void EndPause();
  void Sample();
  void DropIdleSessions();
  void CheckSoftOutputLimits();

  Broker broker_;
  Catalog catalog_;
  ScriptHost scripts_;
  Now now_;
  RequestParser parser_;  // Shared by sessions that have no request half done.
  std::vector<Session*> dirty_;
  std::vector<Session*> taken_;  // What TakeDirty() gave last; kept for its memory.
  std::vector<Session*> backlog_;
  std::vector<Session*> running_backlog_;  // What RunBacklog() has taken; null where closed.
  std::vector<Session*> postponed_;
  Session* running_ = nullptr;      // Whose command runs now.
  Session* interrupted_ = nullptr;  // Whose script waits for ServeWhileBusy() to end.
  std::string message_;             // The push being delivered, encoded.
  std::string held_pushes_;         // Messages of running_ to itself, until its reply is written.
  SessionId next_session_id_ = 1;
  MonoTime next_sample_{};
  bool expiry_behind_ = false;  // Keys are past their time, but the tick's time slice was over.
  bool timed_behind_ = false;   // The same of queues' work.
  // Perhaps a session is over its soft output limit; else nobody needs to look at them all.
  bool soft_limit_watched_ = false;
};

}  // namespace rung

// Sessions and their input: from bytes to requests, fairly. See engine.h.

#include "rung/engine/engine.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/foresight.h"
#include "rung/base/check.h"
#include "rung/base/memory.h"

namespace rung {
namespace {

// What one session may run before others get their turn: a pipeline of any depth must not stall
// the rest, be it of many requests or of slow ones.
constexpr int kRequestsPerTurn = 1024;
constexpr auto kTimePerTurn = std::chrono::milliseconds(2);

// A client that asks and does not read is not asked for more while this much waits for it. Where
// client-output-buffer-limit sets a limit of its own, that one closes the connection instead.
constexpr std::size_t kOutputPauseBytes = std::size_t{1} << 20;

// A session that may not run keeps what it sent; beyond this its socket is left unread.
constexpr std::size_t kInputPauseBytes = std::size_t{64} << 10;

bool HasOutputLimit(const Session& session, const Options& options) {
  const OutputBufferLimit& limit =
      options.client_output_buffer_limits[static_cast<std::size_t>(session.session_class())];
  return limit.hard_bytes != 0 || limit.soft_bytes != 0;
}

}  // namespace

Engine::Engine(Config& config, Clock& clock, Host& host, std::uint64_t seed)
    : broker_(config, clock, host, seed), scripts_(broker_, *this) {
  broker_.statistics.commands.resize(static_cast<std::size_t>(catalog_.id_count()));
  broker_.store.set_observer(this);
  BeginEvent();
  next_sample_ = now_.mono;
  broker_.statistics.startup_memory_bytes = AllocatedBytes();
}

Engine::~Engine() { broker_.store.set_observer(nullptr); }

void Engine::BeginEvent() {
  now_ = broker_.clock.Read();
  broker_.store.BeginEvent(now_.wall_ms());
  // A paused server makes no changes of its own: keys past their time are hidden, and go later.
  broker_.store.set_expiry_frozen(broker_.pause.until.has_value());
}

Session& Engine::Open(PeerInfo peer) {
  BeginEvent();
  const SessionId id = next_session_id_++;
  auto session = std::make_unique<Session>(id, std::move(peer), broker_.blocks, now_);
  session->authenticated = broker_.options().requirepass.empty();
  ++broker_.statistics.connections_received;
  Session& opened = *session;
  broker_.sessions.emplace(id, std::move(session));
  return opened;
}

void Engine::Close(Session& session) {
  BeginEvent();
  if (session.blocked()) broker_.waiters.Unblock(session);
  broker_.watchers.UnwatchAll(session);
  broker_.pub_sub.UnsubscribeAll(session);
  std::erase(broker_.monitors, &session);
  if (session.dirty) std::erase(dirty_, &session);
  if (session.in_backlog) std::erase(backlog_, &session);
  std::replace(running_backlog_.begin(), running_backlog_.end(), &session,
               static_cast<Session*>(nullptr));
  if (session.postponed) std::erase(postponed_, &session);
  if (broker_.shutdown && broker_.shutdown->client == &session) broker_.shutdown->client = nullptr;
  broker_.sessions.erase(session.id);
}

bool Engine::CanRun(const Session& session) {
  return !session.closing() && !session.blocked() && !session.postponed;
}

bool Engine::WantsInput(const Session& session) {
  if (session.closing()) return false;
  // A blocked client is always read on, up to the query limit: behind unread bytes the end of its
  // connection would not be seen, and what it waits for be sent to nobody.
  if (session.pending == nullptr || session.blocked()) return true;
  // A request half received is always read on: its limits are the parser's and the query limit.
  if (session.pending->parser.in_request()) return true;
  return session.pending->bytes.size() - session.pending->start < kInputPauseBytes;
}

void Engine::Feed(Session& session, std::string_view bytes) {
  RUNG_CHECK(!IsInterrupted(session), "input for a session whose script is under way");
  BeginEvent();
  session.last_active = now_.mono;
  session.bytes_in += bytes.size();
  ++broker_.statistics.reads;
  broker_.statistics.input_bytes += bytes.size();
  if (session.closing()) return;
  if (session.pending != nullptr) {
    session.pending->bytes.append(bytes);
    if (!session.in_backlog) RunPending(session);
  } else {
    const std::size_t used = RunRequests(session, parser_, bytes);
    if (used < bytes.size() && !session.closing()) KeepInput(session, bytes.substr(used));
  }
  CheckQueryLimit(session);
}

// Keeps the start of a request, with the parser's place in it, until the rest comes.
void Engine::KeepInput(Session& session, std::string_view rest) {
  session.pending = std::make_unique<PendingInput>();
  std::swap(session.pending->parser, parser_);
  parser_.Reset();
  // The length of a bulk string announced is believed up to a limit, to save growing step by step.
  constexpr std::size_t kReserveMax = std::size_t{1} << 20;
  const std::size_t missing = std::min(session.pending->parser.missing_bytes(), kReserveMax);
  session.pending->bytes.reserve(rest.size() + missing);
  session.pending->bytes.append(rest);
}

void Engine::RunPending(Session& session) {
  PendingInput& pending = *session.pending;
  pending.start +=
      RunRequests(session, pending.parser, std::string_view(pending.bytes).substr(pending.start));
  if (pending.start == pending.bytes.size()) {
    session.pending.reset();
  } else if (pending.start > pending.bytes.size() / 2) {
    pending.bytes.erase(0, pending.start);
    pending.start = 0;
  }
}

// Runs requests from the front of `bytes`; returns how many bytes are done with.
namespace {

struct Incoming {
  RequestParser::Status status;
  std::span<const std::string_view> words;  // Until the next one is read.
  std::size_t bytes;
};

// The request at the start of `bytes`: as it was read ahead, or else parsed now.
Incoming ReadNext(RequestParser& parser, const std::optional<Foresight>& foresight,
                  std::string_view bytes, const RequestLimits& limits) {
  if (foresight && limits.authenticated) {
    const Foresight::Request* const seen = foresight->Find(bytes.data());
    if (seen != nullptr && seen->longest_word <= limits.bulk_bytes_max) {
      return {RequestParser::Status::kRequest, seen->Words(), seen->bytes};
    }
  }
  const RequestParser::Status status = parser.Next(bytes, limits);
  return {status, parser.args(), parser.consumed()};
}

}  // namespace

std::size_t Engine::RunRequests(Session& session, RequestParser& parser, std::string_view bytes) {
  std::size_t used = 0;
  std::optional<Foresight> foresight;  // Not for a request that comes alone.
  const MonoTime turn_end = now_.mono + kTimePerTurn;
  for (int count = 0; used < bytes.size() && CanRun(session); ++count) {
    const bool waits_for_reader =
        session.out.size() > kOutputPauseBytes && !HasOutputLimit(session, broker_.options());
    if (waits_for_reader) {
      session.waits_for_reader = true;
      return used;
    }
    if (count == kRequestsPerTurn || now_.mono > turn_end) {
      AddToBacklog(session);
      return used;
    }
    const RequestLimits limits{.bulk_bytes_max = broker_.options().proto_max_bulk_bytes,
                               .authenticated = session.authenticated};
    const Incoming next = ReadNext(parser, foresight, bytes.substr(used), limits);
    if (next.status == RequestParser::Status::kNeedMore) return used;
    if (next.status == RequestParser::Status::kError) {
      session.reply.WriteError(std::string_view(parser.error()));
      broker_.statistics.CountError("ERR");
      session.close_after_reply = true;
      parser.Reset();
      MarkDirty(session);
      return bytes.size();
    }
    if (const std::string_view rest = bytes.substr(used + next.bytes); !rest.empty()) {
      if (!foresight) foresight.emplace();
      foresight->LookBehind(broker_.store.database(session.database), rest);
    }
    if (!next.words.empty() && Dispatch(session, next.words) == Verdict::kPostponed) {
      parser.Reset();
      return used;
    }
    used += next.bytes;
    CheckOutputLimit(session);
  }
  return used;
}

void Engine::AddToBacklog(Session& session) {
  if (session.in_backlog) return;
  session.in_backlog = true;
  backlog_.push_back(&session);
}

void Engine::RunBacklog() {
  if (backlog_.empty()) return;
  BeginEvent();
  running_backlog_.swap(backlog_);
  for (Session* session : running_backlog_) session->in_backlog = false;
  // By index: a session may be closed while another one's script lets clients be served.
  for (std::size_t i = 0; i < running_backlog_.size(); ++i) {
    Session* const session = running_backlog_[i];
    if (session == nullptr) continue;
    if (session->pending != nullptr && CanRun(*session)) RunPending(*session);
    MarkDirty(*session);  // It may want input again, without having answered anything.
  }
  running_backlog_.clear();
}

void Engine::OnSent(Session& session) {
  if (!session.waits_for_reader || session.out.size() > kOutputPauseBytes) return;
  session.waits_for_reader = false;
  if (session.pending != nullptr) AddToBacklog(session);
}

bool Engine::CheckQueryLimit(Session& session) {
  if (session.pending == nullptr) return true;
  // Nobody may make the server hold much before it has said who it is.
  constexpr std::size_t kBeforeLoginMax = std::size_t{1} << 20;
  const std::size_t limit =
      session.authenticated ? static_cast<std::size_t>(broker_.options().client_query_buffer_limit)
                            : kBeforeLoginMax;
  if (session.pending->bytes.size() - session.pending->start <= limit) return true;
  ++broker_.statistics.query_buffer_disconnects;
  session.close_now = true;
  MarkDirty(session);
  return false;
}

// `held_back`: bytes for the session that are not in its output yet.
void Engine::CheckOutputLimit(Session& session, std::size_t held_back) {
  constexpr std::size_t kNoLimitBelow = 1024;
  const std::size_t held = session.out.size() + held_back;
  if (held < kNoLimitBelow) {
    session.over_soft_limit_since.reset();
    return;
  }
  // Before login nothing but short errors is due: whoever lets those pile up is not a client.
  constexpr std::size_t kBeforeLoginMax = 1024;
  const OutputBufferLimit& limit =
      broker_.options()
          .client_output_buffer_limits[static_cast<std::size_t>(session.session_class())];
  bool over = !session.authenticated && held > kBeforeLoginMax * 64;
  over = over || (limit.hard_bytes != 0 && held > limit.hard_bytes);
  if (limit.soft_bytes != 0 && held > limit.soft_bytes) {
    soft_limit_watched_ = true;
    if (!session.over_soft_limit_since) session.over_soft_limit_since = now_.mono;
    // In whole seconds, as Redis counts: a reader who counts for itself is never cut off early.
    const auto since = std::chrono::floor<std::chrono::seconds>(*session.over_soft_limit_since);
    const auto elapsed = std::chrono::floor<std::chrono::seconds>(now_.mono) - since;
    over = over || elapsed > std::chrono::seconds(limit.soft_seconds);
  } else {
    session.over_soft_limit_since.reset();
  }
  if (!over) return;
  ++broker_.statistics.output_buffer_disconnects;
  session.close_now = true;
  MarkDirty(session);
}

void Engine::MarkDirty(Session& session) {
  if (session.dirty) return;
  session.dirty = true;
  dirty_.push_back(&session);
}

std::span<Session* const> Engine::TakeDirty() {
  taken_.swap(dirty_);
  dirty_.clear();
  for (Session* session : taken_) session->dirty = false;
  return taken_;
}

}  // namespace rung

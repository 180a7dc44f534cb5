// CLIENT KILL, UNBLOCK, PAUSE and UNPAUSE: what one client does to others.

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "commands/client.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"

namespace rung {
namespace {

struct KillFilter {
  std::optional<std::string_view> address;
  std::optional<std::string_view> local_address;
  std::optional<ClientType> type;
  std::optional<SessionId> id;
  std::optional<std::string_view> user;
  bool skip_self = true;

  bool Matches(const Session& session) const {
    if (address && *address != session.peer.address) return false;
    if (local_address && *local_address != session.peer.local_address) return false;
    if (type && (!type->matches_any || type->session_class != session.session_class())) {
      return false;
    }
    if (user && *user != session.user) return false;
    return !id || *id == session.id;
  }
};

std::optional<Error> ReadOption(ArgReader& args, KillFilter& filter) {
  constexpr std::string_view kBadId = "ERR client-id should be greater than 0";
  if (args.TakeWithValue("ID")) {
    filter.id = static_cast<SessionId>(args.IntegerIn(1, INT64_MAX, kBadId, kBadId));
  } else if (args.TakeWithValue("TYPE")) {
    const Result<ClientType> type = ParseClientType(args.Bytes());
    if (!type.ok()) return type.error();
    filter.type = *type;
  } else if (args.TakeWithValue("ADDR")) {
    filter.address = args.Bytes();
  } else if (args.TakeWithValue("LADDR")) {
    filter.local_address = args.Bytes();
  } else if (args.TakeWithValue("USER")) {
    filter.user = args.Bytes();
    if (*filter.user != "default") {
      return Error("ERR No such user '" + std::string(*filter.user) + "'");
    }
  } else if (args.TakeWithValue("SKIPME")) {
    filter.skip_self = args.Take("YES");
    if (!filter.skip_self && !args.Take("NO")) args.Fail(errors::kSyntax);
  } else {
    args.Fail(errors::kSyntax);
  }
  return args.error();
}

// Whoever is killed stops waiting at once, so that nothing is handed to it any more; the connection
// itself is closed at the end of the turn.
void Kill(ExecContext& ctx, Session& session) {
  if (&session == &ctx.session) {
    session.close_after_reply = true;
    return;
  }
  if (session.blocked()) ctx.broker.waiters.Unblock(session);
  std::erase(ctx.broker.monitors, &session);
  session.close_now = true;
  ctx.dispatcher.MarkDirty(session);
}

std::int64_t KillMatching(ExecContext& ctx, const KillFilter& filter) {
  std::int64_t killed = 0;
  for (const auto& [id, session] : ctx.broker.sessions) {
    if (session->close_now || !filter.Matches(*session)) continue;
    if (filter.skip_self && session.get() == &ctx.session) continue;
    Kill(ctx, *session);
    ++killed;
  }
  return killed;
}

}  // namespace

Outcome ClientKill(ExecContext& ctx, ArgReader& args) {
  KillFilter filter;
  // The old form: an address alone. It may kill its own client and says whether there was one.
  if (args.left() == 1) {
    filter.address = args.Bytes();
    filter.skip_self = false;
    if (KillMatching(ctx, filter) == 0) return ctx.Fail("ERR No such client");
    ctx.reply.Ok();
    return Outcome::kReplied;
  }
  while (args.More()) {
    if (const auto error = ReadOption(args, filter)) return ctx.Fail(*error);
  }
  ctx.reply.Integer(KillMatching(ctx, filter));
  return Outcome::kReplied;
}

Outcome ClientUnblock(ExecContext& ctx, ArgReader& args) {
  const std::string_view id_text = args.Bytes();
  bool as_error = false;
  if (args.More()) {
    as_error = args.Take("ERROR");
    if (!as_error && !args.Take("TIMEOUT")) {
      return ctx.Fail("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    }
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const std::optional<std::int64_t> id = ParseInt64(id_text);
  if (!id) return ctx.Fail(errors::kNotInteger);
  const auto found = ctx.broker.sessions.find(static_cast<SessionId>(*id));
  const bool waits = found != ctx.broker.sessions.end() && found->second->blocked();
  ctx.reply.Integer(waits ? 1 : 0);
  if (waits) {
    constexpr std::string_view kUnblocked = "UNBLOCKED client unblocked via CLIENT UNBLOCK";
    ctx.dispatcher.EndWait(*found->second, as_error ? std::optional(kUnblocked) : std::nullopt);
  }
  return Outcome::kReplied;
}

Outcome ClientPause(ExecContext& ctx, ArgReader& args) {
  const std::span<const std::string_view> words = args.Rest();
  if (words.size() > 2) return ctx.Fail(errors::kSyntax);
  const bool writes_only = words.size() == 2 && EqualsIgnoreCase(words[1], "WRITE");
  if (words.size() == 2 && !writes_only && !EqualsIgnoreCase(words[1], "ALL")) {
    return ctx.Fail("ERR CLIENT PAUSE mode must be WRITE or ALL");
  }
  ArgReader time(words.first(1));
  const auto timeout = time.TimeoutMilliseconds();
  if (const auto& error = time.Finish()) return ctx.Fail(*error);
  Pause& pause = ctx.broker.pause;
  // A longer or stricter pause that holds already stays in force.
  const MonoTime until = ctx.now.mono + timeout.value_or(std::chrono::nanoseconds(0));
  pause.writes_only = writes_only && (!pause.until || pause.writes_only);
  pause.until = pause.until ? std::max(*pause.until, until) : until;
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome ClientUnpause(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.broker.pause.until.reset();
  ctx.dispatcher.ResumePostponed();
  ctx.reply.Ok();
  return Outcome::kReplied;
}

}  // namespace rung

// CLIENT ID, INFO and LIST: who is connected.

#include <optional>
#include <string>
#include <string_view>

#include "commands/client.h"
#include "commands/client_line.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"

namespace rung {
namespace {

void AppendClient(ExecContext& ctx, const Session& session, std::string& lines) {
  const bool self = &session == &ctx.session;
  lines += ClientLine(session, ctx.now, self ? ctx.args : std::span<const std::string_view>());
  lines += '\n';
}

std::optional<Error> ListById(ExecContext& ctx, ArgReader& args, std::string& lines) {
  while (args.More()) {
    const std::int64_t id = args.Integer("ERR Invalid client ID");
    if (!args.ok()) return args.error();
    const auto found = ctx.broker.sessions.find(static_cast<SessionId>(id));
    if (found == ctx.broker.sessions.end() || found->second->close_now) continue;
    AppendClient(ctx, *found->second, lines);
  }
  return std::nullopt;
}

}  // namespace

Result<ClientType> ParseClientType(std::string_view name) {
  if (EqualsIgnoreCase(name, "normal")) return ClientType{};
  if (EqualsIgnoreCase(name, "pubsub")) {
    return ClientType{.session_class = SessionClass::kPubSub};
  }
  if (EqualsIgnoreCase(name, "replica") || EqualsIgnoreCase(name, "slave")) {
    return ClientType{.session_class = SessionClass::kReplica};
  }
  if (EqualsIgnoreCase(name, "master")) return ClientType{.matches_any = false};
  return Error("ERR Unknown client type '" + std::string(name) + "'");
}

Outcome ClientId(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Integer(static_cast<std::int64_t>(ctx.session.id));
  return Outcome::kReplied;
}

Outcome ClientInfo(ExecContext& ctx, ArgReader& /*args*/) {
  std::string line;
  AppendClient(ctx, ctx.session, line);
  ctx.reply.Verbatim(line);
  return Outcome::kReplied;
}

Outcome ClientList(ExecContext& ctx, ArgReader& args) {
  std::string lines;
  if (args.left() >= 2 && args.Take("ID")) {
    if (const auto error = ListById(ctx, args, lines)) return ctx.Fail(*error);
    ctx.reply.Verbatim(lines);
    return Outcome::kReplied;
  }
  std::optional<ClientType> wanted;
  if (args.left() == 2 && args.Take("TYPE")) {
    const Result<ClientType> type = ParseClientType(args.Bytes());
    if (!type.ok()) return ctx.Fail(type.error());
    wanted = *type;
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  for (const auto& [id, session] : ctx.broker.sessions) {
    if (session->close_now) continue;
    const bool matches =
        !wanted || (wanted->matches_any && wanted->session_class == session->session_class());
    if (matches) AppendClient(ctx, *session, lines);
  }
  ctx.reply.Verbatim(lines);
  return Outcome::kReplied;
}

}  // namespace rung

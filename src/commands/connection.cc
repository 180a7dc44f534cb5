// PING ECHO HELLO AUTH SELECT QUIT RESET: what a client says about its own connection.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "commands/authentication.h"
#include "commands/families.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

Outcome Ping(ExecContext& ctx, ArgReader& args) {
  if (args.left() > 1) {
    return ctx.Fail("ERR wrong number of arguments for 'ping' command");
  }
  if (ctx.session.subscribed() && !ctx.reply.resp3()) {
    // Among the messages of a RESP2 connection every reply looks like a message.
    ctx.reply.Array(2);
    ctx.reply.Bulk("pong");
    ctx.reply.Bulk(args.More() ? args.Bytes() : std::string_view());
  } else if (args.More()) {
    ctx.reply.Bulk(args.Bytes());
  } else {
    ctx.reply.Status("PONG");
  }
  return Outcome::kReplied;
}

Outcome Echo(ExecContext& ctx, ArgReader& args) {
  ctx.reply.Bulk(args.Bytes());
  return Outcome::kReplied;
}

Outcome Auth(ExecContext& ctx, ArgReader& args) {
  if (args.left() > 2) return ctx.Fail(errors::kSyntax);
  const bool named = args.left() == 2;
  const std::string_view user = named ? args.Bytes() : std::string_view("default");
  const std::string_view password = args.Bytes();
  if (!named && ctx.broker.options().requirepass.empty()) {
    return ctx.Fail(
        "ERR AUTH <password> called without any password configured for the default user. Are you "
        "sure your configuration is correct?");
  }
  if (std::optional<Error> error = Authenticate(ctx, user, password)) return ctx.Fail(*error);
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome Select(ExecContext& ctx, ArgReader& args) {
  const std::int64_t index = args.Integer(errors::kNotInteger);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  if (index < 0 || index >= ctx.broker.store.database_count()) {
    return ctx.Fail(errors::kDbOutOfRange);
  }
  ctx.session.database = static_cast<int>(index);
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome Quit(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Ok();
  ctx.session.close_after_reply = true;
  return Outcome::kReplied;
}

Outcome Reset(ExecContext& ctx, ArgReader& /*args*/) {
  Session& session = ctx.session;
  session.transaction.reset();
  ctx.broker.watchers.UnwatchAll(session);
  ctx.broker.pub_sub.UnsubscribeAll(session);
  if (session.monitor) {
    std::erase(ctx.broker.monitors, &session);
    session.monitor = false;
  }
  session.database = 0;
  session.name.clear();
  session.reply_mode = ReplyMode::kOn;
  session.no_evict = false;
  session.no_touch = false;
  session.reply.set_resp3(false);
  session.user = "default";
  session.authenticated = ctx.broker.options().requirepass.empty();
  ctx.reply.Status("RESET");
  return Outcome::kReplied;
}

struct HelloRequest {
  std::optional<std::int64_t> protocol;
  std::optional<std::pair<std::string_view, std::string_view>> login;
  std::optional<std::string_view> name;
};

std::optional<Error> ReadHello(ArgReader& args, HelloRequest& hello) {
  if (!args.More()) return std::nullopt;
  hello.protocol = args.Integer("ERR Protocol version is not an integer or out of range");
  if (!args.ok()) return args.error();
  if (*hello.protocol < 2 || *hello.protocol > 3) {
    return Error("NOPROTO unsupported protocol version");
  }
  while (args.More()) {
    const std::string_view option = args.Peek();
    if (args.left() >= 3 && args.Take("AUTH")) {
      const std::string_view user = args.Bytes();
      hello.login = {user, args.Bytes()};
    } else if (args.TakeWithValue("SETNAME")) {
      hello.name = args.Bytes();
    } else {
      return Error("ERR Syntax error in HELLO option '" + std::string(option) + "'");
    }
  }
  return std::nullopt;
}

void ReplyHello(ExecContext& ctx) {
  ctx.reply.Map(7);
  ctx.reply.Bulk("server");
  ctx.reply.Bulk("redis");
  ctx.reply.Bulk("version");
  ctx.reply.Bulk(kRedisVersion);
  ctx.reply.Bulk("proto");
  ctx.reply.Integer(ctx.session.reply.resp3() ? 3 : 2);
  ctx.reply.Bulk("id");
  ctx.reply.Integer(static_cast<std::int64_t>(ctx.session.id));
  ctx.reply.Bulk("mode");
  ctx.reply.Bulk("standalone");
  ctx.reply.Bulk("role");
  ctx.reply.Bulk("master");
  ctx.reply.Bulk("modules");
  ctx.reply.Array(0);
}

// All or nothing: a HELLO that is refused leaves login, name and protocol as they were.
Outcome Hello(ExecContext& ctx, ArgReader& args) {
  HelloRequest hello;
  if (std::optional<Error> error = ReadHello(args, hello)) return ctx.Fail(*error);
  if (hello.name && !IsClientName(*hello.name)) return ctx.Fail(kBadClientName);
  if (hello.login) {
    if (auto error = Authenticate(ctx, hello.login->first, hello.login->second)) {
      return ctx.Fail(*error);
    }
  }
  if (!ctx.session.authenticated) {
    return ctx.Fail(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "
        "<proto> AUTH <user> <pass> option can be used to authenticate the client and select the "
        "RESP protocol version at the same time");
  }
  if (hello.name) ctx.session.name = *hello.name;
  if (hello.protocol) ctx.session.reply.set_resp3(*hello.protocol == 3);
  ReplyHello(ctx);
  return Outcome::kReplied;
}

constexpr std::uint32_t kSessionFlags = kFast | kLoading | kStale | kNoScript | kAllowBusy;

constexpr std::array kCommands = {
    Declare({.name = "PING",
             .arity = -1,
             .flags = kFast | kInPubSub,
             .acl = "connection",
             .tips = "request_policy:all_shards response_policy:all_succeeded",
             .group = "connection",
             .since = "1.0.0",
             .summary = "Answers PONG, or the message given: is the server there?",
             .complexity = "O(1)",
             .syntax = "[message]",
             .handler = &Ping}),
    Declare({.name = "ECHO",
             .arity = 2,
             .flags = kFast | kLoading | kStale,
             .acl = "connection",
             .group = "connection",
             .since = "1.0.0",
             .summary = "Answers the message given.",
             .complexity = "O(1)",
             .syntax = "message",
             .handler = &Echo}),
    Declare({.name = "HELLO",
             .arity = -1,
             .flags = kSessionFlags | kNoAuth,
             .acl = "connection",
             .group = "connection",
             .since = "6.0.0",
             .summary = "Greets the server: chooses the protocol, and may log in and set a name.",
             .complexity = "O(1)",
             .syntax = "[protover:integer [AUTH username password] [SETNAME clientname]]",
             .handler = &Hello}),
    Declare({.name = "AUTH",
             .arity = -2,
             .flags = kSessionFlags | kNoAuth,
             .acl = "connection",
             .group = "connection",
             .since = "1.0.0",
             .summary = "Logs the connection in.",
             .complexity = "O(1)",
             .syntax = "[username] password",
             .handler = &Auth}),
    Declare({.name = "SELECT",
             .arity = 2,
             .flags = kLoading | kStale | kFast,
             .acl = "connection",
             .group = "connection",
             .since = "1.0.0",
             .summary = "Changes the database that this connection works on.",
             .complexity = "O(1)",
             .syntax = "index:integer",
             .handler = &Select}),
    Declare({.name = "QUIT",
             .arity = -1,
             .flags = kSessionFlags | kNoAuth | kRunsInMulti | kInPubSub,
             .acl = "connection",
             .group = "connection",
             .since = "1.0.0",
             .summary = "Closes the connection after its replies have been sent.",
             .complexity = "O(1)",
             .handler = &Quit}),
    Declare({.name = "RESET",
             .arity = 1,
             .flags = kSessionFlags | kNoAuth | kRunsInMulti | kInPubSub,
             .acl = "connection",
             .group = "connection",
             .since = "6.2.0",
             .summary = "Brings the connection back to the state of a new one.",
             .complexity = "O(1)",
             .handler = &Reset}),
};

}  // namespace

std::span<const CommandSpec> ConnectionCommands() { return kCommands; }

}  // namespace rung

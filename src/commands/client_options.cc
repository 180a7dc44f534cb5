// CLIENT: what a client chooses for its own connection.

#include <string>
#include <string_view>

#include "commands/authentication.h"
#include "commands/client.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"

namespace rung {
namespace {

// ON or OFF as the only argument.
Outcome SetSwitch(ExecContext& ctx, ArgReader& args, bool& value) {
  const bool on = args.Take("ON");
  if (!on && !args.Take("OFF")) return ctx.Fail(errors::kSyntax);
  value = on;
  ctx.reply.Ok();
  return Outcome::kReplied;
}

}  // namespace

Outcome ClientGetName(ExecContext& ctx, ArgReader& /*args*/) {
  if (ctx.session.name.empty()) {
    ctx.reply.Null();
  } else {
    ctx.reply.Bulk(ctx.session.name);
  }
  return Outcome::kReplied;
}

Outcome ClientSetName(ExecContext& ctx, ArgReader& args) {
  const std::string_view name = args.Bytes();
  if (!IsClientName(name)) return ctx.Fail(kBadClientName);
  ctx.session.name = name;
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome ClientSetInfo(ExecContext& ctx, ArgReader& args) {
  const std::string_view option = args.Bytes();
  const std::string_view value = args.Bytes();
  std::string* target = nullptr;
  if (EqualsIgnoreCase(option, "LIB-NAME")) target = &ctx.session.library_name;
  if (EqualsIgnoreCase(option, "LIB-VER")) target = &ctx.session.library_version;
  if (target == nullptr) {
    return ctx.Fail("ERR Unrecognized option '" + std::string(option) + "'");
  }
  if (!IsClientName(value)) {
    return ctx.Fail("ERR " + std::string(option) +
                    " cannot contain spaces, newlines or special characters.");
  }
  *target = value;
  ctx.reply.Ok();
  return Outcome::kReplied;
}

// The dispatcher takes the reply back where the mode asks for silence.
Outcome ClientReply(ExecContext& ctx, ArgReader& args) {
  if (args.Take("ON")) {
    ctx.session.reply_mode = ReplyMode::kOn;
  } else if (args.Take("OFF")) {
    ctx.session.reply_mode = ReplyMode::kOff;
  } else if (args.Take("SKIP")) {
    if (ctx.session.reply_mode != ReplyMode::kOff) {
      ctx.session.reply_mode = ReplyMode::kSkipNext;
    }
  } else {
    return ctx.Fail(errors::kSyntax);
  }
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome ClientNoEvict(ExecContext& ctx, ArgReader& args) {
  return SetSwitch(ctx, args, ctx.session.no_evict);
}

Outcome ClientNoTouch(ExecContext& ctx, ArgReader& args) {
  return SetSwitch(ctx, args, ctx.session.no_touch);
}

Outcome ClientTracking(ExecContext& ctx, ArgReader& args) {
  if (args.Take("OFF")) {
    args.Rest();
    ctx.reply.Ok();
    return Outcome::kReplied;
  }
  if (!args.Take("ON")) return ctx.Fail(errors::kSyntax);
  return ctx.Fail("ERR Client-side caching is not supported by this server");
}

Outcome ClientTrackingInfo(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Map(3);
  ctx.reply.Bulk("flags");
  ctx.reply.Set(1);
  ctx.reply.Bulk("off");
  ctx.reply.Bulk("redirect");
  ctx.reply.Integer(-1);
  ctx.reply.Bulk("prefixes");
  ctx.reply.EmptyArray();
  return Outcome::kReplied;
}

Outcome ClientCaching(ExecContext& ctx, ArgReader& /*args*/) {
  return ctx.Fail(
      "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or "
      "OPTOUT mode enabled");
}

Outcome ClientGetRedir(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Integer(-1);
  return Outcome::kReplied;
}

}  // namespace rung

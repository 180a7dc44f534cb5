// The handlers of CLIENT, by file; client.cc lists them with their declarations.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rung/commands/context.h"
#include "rung/state/session.h"

namespace rung {

// client_list.cc
Outcome ClientId(ExecContext& ctx, ArgReader& args);
Outcome ClientInfo(ExecContext& ctx, ArgReader& args);
Outcome ClientList(ExecContext& ctx, ArgReader& args);

// client_kill.cc
Outcome ClientKill(ExecContext& ctx, ArgReader& args);
Outcome ClientUnblock(ExecContext& ctx, ArgReader& args);
Outcome ClientPause(ExecContext& ctx, ArgReader& args);
Outcome ClientUnpause(ExecContext& ctx, ArgReader& args);

// client_options.cc
Outcome ClientGetName(ExecContext& ctx, ArgReader& args);
Outcome ClientSetName(ExecContext& ctx, ArgReader& args);
Outcome ClientSetInfo(ExecContext& ctx, ArgReader& args);
Outcome ClientReply(ExecContext& ctx, ArgReader& args);
Outcome ClientNoEvict(ExecContext& ctx, ArgReader& args);
Outcome ClientNoTouch(ExecContext& ctx, ArgReader& args);
Outcome ClientTracking(ExecContext& ctx, ArgReader& args);
Outcome ClientTrackingInfo(ExecContext& ctx, ArgReader& args);
Outcome ClientCaching(ExecContext& ctx, ArgReader& args);
Outcome ClientGetRedir(ExecContext& ctx, ArgReader& args);

// The class that TYPE names: normal, pubsub, replica (or slave). "master" is known and never
// matches, as no client is one.
struct ClientType {
  bool matches_any = true;
  SessionClass session_class = SessionClass::kNormal;
};
// Errors: an unknown type.
Result<ClientType> ParseClientType(std::string_view name);

}  // namespace rung

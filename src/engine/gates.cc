// The ordered list of refusals. See gates.h.
//
// The order is part of the protocol: a client that is not logged in learns nothing of memory or
// arguments. To add a reason, add its two functions and its line in kGates.

#include "engine/gates.h"

#include <array>
#include <optional>
#include <string>

#include "rung/base/memory.h"

namespace rung {
namespace {

bool HasWrongArity(const GateInput& input) {
  return !input.command.AcceptsArity(input.args.size());
}
std::string WrongArity(const GateInput& input) {
  return "ERR wrong number of arguments for '" + input.command.full_name + "' command";
}

bool IsGuarded(const GateInput& input) {
  if (!input.command.Has(kGuarded)) return false;
  const Permission permission = input.broker.options().enable_debug_command;
  if (permission == Permission::kYes) return false;
  const bool local = input.session.peer.unix_socket || input.session.peer.loopback;
  return permission == Permission::kNo || !local;
}
std::string Guarded(const GateInput& /*input*/) {
  return "ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", "
         "you can run it from a local connection, otherwise you need to set this option in the "
         "configuration file, and then restart the server.";
}

bool IsStranger(const GateInput& input) {
  return !input.session.authenticated && !input.command.Has(kNoAuth);
}
std::string NotLoggedIn(const GateInput& /*input*/) { return "NOAUTH Authentication required."; }

bool IsBarredInMulti(const GateInput& input) {
  return input.session.transaction != nullptr && input.command.Has(kNoMulti);
}
std::string NotInMulti(const GateInput& /*input*/) {
  return "ERR Command not allowed inside a transaction";
}

// A queue never drops work by itself: what grows is refused, what takes work out always passes.
bool IsOutOfMemory(const GateInput& input) {
  const std::uint64_t limit = input.broker.options().maxmemory;
  if (limit == 0 || AllocatedBytes() <= limit) return false;
  if ((FlagsOf(input) & kDenyOom) != 0) return true;
  // EXEC answers for all that it would run.
  return EndsTransaction(input.session, input.command) && input.session.transaction->has_growth;
}
std::string OutOfMemory(const GateInput& /*input*/) {
  return "OOM command not allowed when used memory > 'maxmemory'.";
}

// RESP2 tells a message from a reply by the words in it: whoever listens gets no other replies.
bool IsBarredWhileSubscribed(const GateInput& input) {
  return input.session.subscribed() && !input.session.reply.resp3() &&
         !input.command.Has(kInPubSub);
}
std::string NotWhileSubscribed(const GateInput& input) {
  return "ERR Can't execute '" + input.command.full_name +
         "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "
         "context";
}

bool IsBusy(const GateInput& input) {
  return input.broker.script.busy && !input.command.Has(kAllowBusy);
}
std::string Busy(const GateInput& input) { return std::string(BusyError(input.broker.script)); }

constexpr std::array kGates = {
    Gate{.refuses = &HasWrongArity, .error = &WrongArity},
    Gate{.refuses = &IsGuarded, .error = &Guarded},
    Gate{.refuses = &IsStranger, .error = &NotLoggedIn},
    Gate{.refuses = &IsBarredInMulti, .error = &NotInMulti},
    Gate{.refuses = &IsOutOfMemory, .error = &OutOfMemory},
    Gate{.refuses = &IsBarredWhileSubscribed, .error = &NotWhileSubscribed},
    Gate{.refuses = &IsBusy, .error = &Busy},
};

}  // namespace

bool EndsTransaction(const Session& session, const Command& command) {
  return session.transaction != nullptr && command.full_name == "exec";
}

std::uint32_t FlagsOf(const GateInput& input) {
  const CommandSpec& spec = *input.command.spec;
  const std::optional<ScriptKind> kind = ScriptKindOf(spec);
  if (!kind || input.args.size() < 2) return spec.flags;
  return input.scripting.FlagsOf(*kind, input.args[1], spec.flags);
}

const Gate* FirstRefusal(const GateInput& input) {
  for (const Gate& gate : kGates) {
    if (gate.refuses(input)) return &gate;
  }
  return nullptr;
}

}  // namespace rung

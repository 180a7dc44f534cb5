// The ordered list of refusals. See gates.h.
//
// The order is part of the protocol: a client that is not logged in learns nothing of memory or
// arguments. To add a reason, add a function and its line in kGates.

#include "engine/gates.h"

#include <array>
#include <string>

#include "rung/base/memory.h"

namespace rung {
namespace {

using Gate = std::string (*)(const GateInput& input);

std::string WrongArity(const GateInput& input) {
  if (input.command.AcceptsArity(input.args.size())) return {};
  return "ERR wrong number of arguments for '" + input.command.full_name + "' command";
}

std::string NotLoggedIn(const GateInput& input) {
  if (input.session.authenticated || input.command.Has(kNoAuth)) return {};
  return "NOAUTH Authentication required.";
}

std::string NotInsideMulti(const GateInput& input) {
  if (input.session.transaction == nullptr || !input.command.Has(kNoMulti)) return {};
  return "ERR Command not allowed inside a transaction";
}

// A queue never drops work by itself: what grows is refused, what takes work out always passes.
std::string OutOfMemory(const GateInput& input) {
  const std::uint64_t limit = input.broker.options().maxmemory;
  if (limit == 0 || !input.command.Has(kDenyOom) || AllocatedBytes() <= limit) return {};
  return "OOM command not allowed when used memory > 'maxmemory'.";
}

constexpr std::array<Gate, 4> kGates = {
    &WrongArity,
    &NotLoggedIn,
    &NotInsideMulti,
    &OutOfMemory,
};

}  // namespace

std::string FirstRefusal(const GateInput& input) {
  for (const Gate gate : kGates) {
    std::string refusal = gate(input);
    if (!refusal.empty()) return refusal;
  }
  return {};
}

}  // namespace rung

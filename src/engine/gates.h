// Gates: the reasons to refuse a command before it runs, in the order in which they are asked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rung/commands/catalog.h"
#include "rung/commands/scripting.h"
#include "rung/state/broker.h"
#include "rung/state/session.h"

namespace rung {

struct GateInput {
  const Broker& broker;
  const Scripting& scripting;
  Session& session;
  const Command& command;
  std::span<const std::string_view> args;
};

// A reason to refuse, and its words. Two functions, so that asking builds no text.
struct Gate {
  bool (*refuses)(const GateInput& input);
  std::string (*error)(const GateInput& input);
};

// Whether the command is the EXEC of an open transaction: what holds of it holds of all it runs.
bool EndsTransaction(const Session& session, const Command& command);

// The flags of the command; of one that runs a script, as that script declares them.
std::uint32_t FlagsOf(const GateInput& input);

// The first gate that refuses; null if all let the command through.
const Gate* FirstRefusal(const GateInput& input);

}  // namespace rung

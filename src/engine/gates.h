// Gates: the reasons to refuse a command before it runs, in the order in which they are asked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rung/commands/catalog.h"
#include "rung/state/broker.h"
#include "rung/state/session.h"

namespace rung {

struct GateInput {
  const Broker& broker;
  const Session& session;
  const Command& command;
  std::span<const std::string_view> args;
};

// The error of the first gate that refuses; empty if all let the command through.
std::string FirstRefusal(const GateInput& input);

}  // namespace rung

// Requests as they may be shown: in SLOWLOG and MONITOR, passwords are blotted out.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "rung/commands/catalog.h"

namespace rung {

// The words of the request, with "(redacted)" for what nobody must read. Views into `args`.
std::vector<std::string_view> WithoutSecrets(const Command& command,
                                             std::span<const std::string_view> args);

}  // namespace rung

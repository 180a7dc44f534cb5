// Logging in, shared by AUTH and HELLO, and the rule for client names.
#pragma once

#include <optional>
#include <string_view>

#include "rung/base/result.h"
#include "rung/commands/context.h"
#include "rung/commands/version.h"

namespace rung {

inline constexpr std::string_view kBadClientName =
    "ERR Client names cannot contain spaces, newlines or special characters.";

// Printable ASCII without spaces; may be empty.
bool IsClientName(std::string_view name);

// Logs the session in, or says why not. The time it takes does not tell how much of the password
// was right.
std::optional<Error> Authenticate(ExecContext& ctx, std::string_view user,
                                  std::string_view password);

}  // namespace rung

// Priority as a right: the one place through which every request passes that would make a job of a
// queue urgent, with the user whose request it is. (Effects and schedules that come due do not:
// they were asked about when they were made.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rung/state/session.h"

namespace rung {

// The error of a request that would place a job in `tier`: "NOPERM ...", or nothing if the user
// may.
std::optional<std::string> RefuseTier(const Session& session, std::uint32_t tier);

// The same of a job that is in `before` now: to lower it, or leave it, is nobody's privilege.
std::optional<std::string> RefuseRaise(const Session& session, std::uint32_t before,
                                       std::uint32_t tier);

}  // namespace rung

// One client in one line, as CLIENT LIST shows it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rung/base/time.h"
#include "rung/state/session.h"

namespace rung {

// Heap and object bytes held for a client. O(1) but for a long wait's arguments.
std::size_t ClientMemoryBytes(const Session& session);

// Without the line break. `running`: the request that this client is running now, or empty.
std::string ClientLine(const Session& session, Now now, std::span<const std::string_view> running);

}  // namespace rung

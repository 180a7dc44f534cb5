// LogLevel: how much a log line matters. Apart from log.h so that the options can name it.
#pragma once

#include <cstdint>

namespace rung {

enum class LogLevel : std::uint8_t { kDebug, kVerbose, kNotice, kWarning, kNothing };

}  // namespace rung

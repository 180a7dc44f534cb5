// The Redis version whose behaviour this is, as clients and scripts are told.
#pragma once

#include <string_view>

namespace rung {

inline constexpr std::string_view kRedisVersion = "7.2.4";
// The same as redis.REDIS_VERSION_NUM has it: a byte for each part.
inline constexpr int kRedisVersionNumber = 0x00070204;

}  // namespace rung

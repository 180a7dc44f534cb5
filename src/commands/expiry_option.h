// Times of expiry as the clients write them, shared by SET, GETEX, EXPIRE and their kin.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {

enum class TimeUnit : std::uint8_t { kSeconds, kMilliseconds };
enum class TimeBase : std::uint8_t { kFromNow, kAbsolute };

// The moment that `amount` means, in milliseconds since the epoch; nullopt if it does not fit.
std::optional<std::int64_t> ResolveExpiry(const ExecContext& ctx, std::int64_t amount,
                                          TimeUnit unit, TimeBase base);

// "ERR invalid expire time in 'set' command"
std::string InvalidExpiry(const ExecContext& ctx);

// Takes EX, PX, EXAT or PXAT with its value, if one of them is next. A time that is not positive or
// does not fit fails `args`. Nullopt if none was there.
std::optional<std::int64_t> TakeExpiryOption(const ExecContext& ctx, ArgReader& args);

}  // namespace rung

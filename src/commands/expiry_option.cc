// Reading times of expiry. See expiry_option.h.

#include "commands/expiry_option.h"

#include <array>
#include <limits>
#include <string>

#include "rung/commands/catalog.h"

namespace rung {

std::optional<std::int64_t> ResolveExpiry(const ExecContext& ctx, std::int64_t amount,
                                          TimeUnit unit, TimeBase base) {
  std::int64_t at_ms = amount;
  if (unit == TimeUnit::kSeconds && __builtin_mul_overflow(amount, 1000, &at_ms)) {
    return std::nullopt;
  }
  if (base == TimeBase::kFromNow && __builtin_add_overflow(at_ms, ctx.now.wall_ms(), &at_ms)) {
    return std::nullopt;
  }
  return at_ms;
}

std::string InvalidExpiry(const ExecContext& ctx) {
  return "ERR invalid expire time in '" + ctx.command.full_name + "' command";
}

std::optional<std::int64_t> TakeExpiryOption(const ExecContext& ctx, ArgReader& args) {
  struct Form {
    std::string_view word;
    TimeUnit unit;
    TimeBase base;
  };
  constexpr std::array kForms = {
      Form{"EX", TimeUnit::kSeconds, TimeBase::kFromNow},
      Form{"PX", TimeUnit::kMilliseconds, TimeBase::kFromNow},
      Form{"EXAT", TimeUnit::kSeconds, TimeBase::kAbsolute},
      Form{"PXAT", TimeUnit::kMilliseconds, TimeBase::kAbsolute},
  };
  for (const Form& form : kForms) {
    if (!args.TakeWithValue(form.word)) continue;
    const std::int64_t amount = args.Integer();
    if (!args.ok()) return std::nullopt;
    const std::optional<std::int64_t> at_ms = ResolveExpiry(ctx, amount, form.unit, form.base);
    if (amount <= 0 || !at_ms) {
      args.Fail(InvalidExpiry(ctx));
      return std::nullopt;
    }
    return at_ms;
  }
  return std::nullopt;
}

}  // namespace rung

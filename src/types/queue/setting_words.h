// The values of Q.CONF that several scopes have: how they are read and printed. Those that read set
// nothing, or not for good, when they give false.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rung/types/queue_settings.h"

namespace rung {

inline constexpr std::int64_t kConcurrencyMax = 1000000000;

std::vector<std::string_view> Split(std::string_view text, char separator);
// Milliseconds from 0 on.
std::optional<std::int64_t> ParseTime(std::string_view text);
std::optional<std::uint32_t> ParseWeight(std::string_view text);

bool SetCount(std::uint64_t& target, std::string_view value);
bool SetNumber(std::uint32_t& target, std::int64_t max, std::string_view value);
bool SetFull(FullPolicy& target, std::string_view value, bool may_shed);
// "n/ms", or 0 for none.
bool SetRate(ScopeLimits& limits, std::string_view value);
// "hi:lo", per cent.
bool SetMarks(ScopeLimits& limits, std::string_view value);

std::string_view FullPolicyName(FullPolicy policy);
std::string PrintRate(const ScopeLimits& limits);
std::string PrintMarks(const ScopeLimits& limits);

}  // namespace rung

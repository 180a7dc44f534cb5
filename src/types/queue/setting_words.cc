// The values that several scopes have. See setting_words.h.

#include "types/queue/setting_words.h"

#include <array>

#include "rung/base/numbers.h"
#include "rung/types/queue_limits.h"

namespace rung {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::int64_t> ParseTime(std::string_view text) {
  const std::optional<std::int64_t> value = ParseInt64(text);
  if (!value || *value < 0 || *value > kTimeMaxMs) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> ParseWeight(std::string_view text) {
  constexpr std::int64_t kWeightMax = 1000;
  const std::optional<std::int64_t> weight = ParseInt64(text);
  if (!weight || *weight < 1 || *weight > kWeightMax) return std::nullopt;
  return static_cast<std::uint32_t>(*weight);
}

bool SetCount(std::uint64_t& target, std::string_view value) {
  const std::optional<std::int64_t> number = ParseInt64(value);
  if (!number || *number < 0) return false;
  target = static_cast<std::uint64_t>(*number);
  return true;
}

bool SetNumber(std::uint32_t& target, std::int64_t max, std::string_view value) {
  const std::optional<std::int64_t> number = ParseInt64(value);
  if (!number || *number < 0 || *number > max) return false;
  target = static_cast<std::uint32_t>(*number);
  return true;
}

std::string_view FullPolicyName(FullPolicy policy) {
  constexpr std::array<std::string_view, 4> kNames = {"reject", "block", "oldest", "shed"};
  return kNames[static_cast<std::size_t>(policy)];
}

bool SetFull(FullPolicy& target, std::string_view value, bool may_shed) {
  for (const FullPolicy policy :
       {FullPolicy::kReject, FullPolicy::kBlock, FullPolicy::kOldest, FullPolicy::kShed}) {
    if (!EqualsIgnoreCase(value, FullPolicyName(policy))) continue;
    target = policy;
    return policy != FullPolicy::kShed || may_shed;
  }
  return false;
}

bool SetRate(ScopeLimits& limits, std::string_view value) {
  const std::vector<std::string_view> parts = Split(value, '/');
  const std::optional<std::int64_t> count = ParseInt64(parts[0]);
  const std::optional<std::int64_t> per =
      parts.size() == 2 ? ParseInt64(parts[1]) : std::optional<std::int64_t>(1);
  if (!count || *count < 0 || *count > RateLimit::kMostCount || !per || parts.size() > 2) {
    return false;
  }
  if (*per < 1 || *per > RateLimit::kLongestPeriodMs || (*count != 0 && parts.size() != 2)) {
    return false;
  }
  limits.rate_count = *count;
  limits.rate_per_ms = *count == 0 ? 1 : *per;
  return true;
}

std::string PrintRate(const ScopeLimits& limits) {
  if (limits.rate_count == 0) return "0";
  return std::to_string(limits.rate_count) + "/" + std::to_string(limits.rate_per_ms);
}

bool SetMarks(ScopeLimits& limits, std::string_view value) {
  const std::vector<std::string_view> parts = Split(value, ':');
  if (parts.size() != 2) return false;
  const std::optional<std::int64_t> high = ParseInt64(parts[0]);
  const std::optional<std::int64_t> low = ParseInt64(parts[1]);
  if (!high || !low || *low < 0 || *low >= *high || *high > 100) return false;
  limits.mark_high = static_cast<std::uint32_t>(*high);
  limits.mark_low = static_cast<std::uint32_t>(*low);
  return true;
}

std::string PrintMarks(const ScopeLimits& limits) {
  return std::to_string(limits.mark_high) + ":" + std::to_string(limits.mark_low);
}

}  // namespace rung

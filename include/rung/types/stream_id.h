// StreamId: milliseconds and a sequence number, as "1700000000000-3".
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace rung {

struct StreamId {
  std::uint64_t ms = 0;
  std::uint64_t seq = 0;

  auto operator<=>(const StreamId&) const = default;

  static constexpr StreamId Min() { return {}; }
  static constexpr StreamId Max() {
    return {.ms = std::numeric_limits<std::uint64_t>::max(),
            .seq = std::numeric_limits<std::uint64_t>::max()};
  }
  bool IsZero() const { return ms == 0 && seq == 0; }

  // The id after this one, or before; nullopt at the end of the range.
  std::optional<StreamId> Next() const;
  std::optional<StreamId> Previous() const;

  std::string ToString() const;
  // "ms" or "ms-seq"; without a sequence number it is `missing_seq`. Nullopt if malformed.
  static std::optional<StreamId> Parse(std::string_view text, std::uint64_t missing_seq);
};

}  // namespace rung

// Arithmetic and text of stream ids. See stream_id.h.

#include "rung/types/stream_id.h"

#include <charconv>

namespace rung {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

// Digits only, also with leading zeros: the form that ids may have.
std::optional<std::uint64_t> ParsePart(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<StreamId> StreamId::Next() const {
  if (seq < kMax) return StreamId{.ms = ms, .seq = seq + 1};
  if (ms < kMax) return StreamId{.ms = ms + 1, .seq = 0};
  return std::nullopt;
}

std::optional<StreamId> StreamId::Previous() const {
  if (seq > 0) return StreamId{.ms = ms, .seq = seq - 1};
  if (ms > 0) return StreamId{.ms = ms - 1, .seq = kMax};
  return std::nullopt;
}

std::string StreamId::ToString() const { return std::to_string(ms) + "-" + std::to_string(seq); }

std::optional<StreamId> StreamId::Parse(std::string_view text, std::uint64_t missing_seq) {
  const std::size_t dash = text.find('-');
  const std::optional<std::uint64_t> ms = ParsePart(text.substr(0, dash));
  if (!ms) return std::nullopt;
  if (dash == std::string_view::npos) return StreamId{.ms = *ms, .seq = missing_seq};
  const std::optional<std::uint64_t> seq = ParsePart(text.substr(dash + 1));
  if (!seq) return std::nullopt;
  return StreamId{.ms = *ms, .seq = *seq};
}

}  // namespace rung

// Bounds, windows and replies of the sorted set commands. See zset.h.

#include "commands/zset.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "rung/base/numbers.h"

namespace rung {
namespace {

constexpr std::string_view kBadScoreRange = "ERR min or max is not a float";
constexpr std::string_view kBadLexRange = "ERR min or max not valid string range item";

// Bounds are read as strtod reads, more leniently than scores: Redis takes a bound beyond every
// double as infinite, and an empty one as 0.
std::optional<double> ParseBound(std::string_view text) {
  if (const std::optional<double> value = ParseDouble(text)) return value;
  std::array<char, 256> terminated;
  if (text.size() >= terminated.size()) return std::nullopt;
  std::copy(text.begin(), text.end(), terminated.begin());
  terminated[text.size()] = '\0';
  char* end = nullptr;
  const double value = std::strtod(terminated.data(), &end);
  const bool whole = text.empty() || end == terminated.data() + text.size();
  if (!whole || std::isnan(value)) return std::nullopt;
  return value;
}

bool ParseScoreBound(std::string_view text, double& value, bool& open) {
  open = text.starts_with('(');
  const std::optional<double> parsed = ParseBound(open ? text.substr(1) : text);
  value = parsed.value_or(0);
  return parsed.has_value();
}

bool ParseLexBound(std::string_view text, LexRange::Bound& bound) {
  using Kind = LexRange::Bound::Kind;
  if (text == "-") {
    bound = {.kind = Kind::kMinusInfinity};
  } else if (text == "+") {
    bound = {.kind = Kind::kPlusInfinity};
  } else if (text.starts_with('(') || text.starts_with('[')) {
    bound = {.kind = text[0] == '(' ? Kind::kOpen : Kind::kClosed, .value = text.substr(1)};
  } else {
    return false;
  }
  return true;
}

// The range of all that lies below `range`.
ScoreRange Below(const ScoreRange& range) {
  return {.max = range.min, .max_open = !range.min_open};
}

LexRange Below(const LexRange& range) {
  using Kind = LexRange::Bound::Kind;
  LexRange below{.max = range.min};
  if (range.min.kind == Kind::kClosed) below.max.kind = Kind::kOpen;
  if (range.min.kind == Kind::kOpen) below.max.kind = Kind::kClosed;
  return below;
}

template <typename Range>
RankWindow WindowOfRange(const SortedSet& set, const Range& range) {
  const std::size_t count = set.CountIn(range);
  return {.first = count == 0 ? 0 : set.CountIn(Below(range)), .count = count};
}

}  // namespace

ScoreRange ParseScoreRange(ArgReader& args, std::string_view min, std::string_view max) {
  ScoreRange range;
  if (!ParseScoreBound(min, range.min, range.min_open) ||
      !ParseScoreBound(max, range.max, range.max_open)) {
    args.Fail(kBadScoreRange);
  }
  return range;
}

LexRange ParseLexRange(ArgReader& args, std::string_view min, std::string_view max) {
  LexRange range;
  if (!ParseLexBound(min, range.min) || !ParseLexBound(max, range.max)) args.Fail(kBadLexRange);
  return range;
}

RankWindow WindowOfRanks(std::size_t size, std::int64_t start, std::int64_t stop, ZEnd from) {
  const auto members = static_cast<std::int64_t>(size);
  if (start < 0) start = std::max<std::int64_t>(start + members, 0);
  if (stop < 0) stop += members;
  stop = std::min(stop, members - 1);
  if (start > stop) return {};
  const std::int64_t first = from == ZEnd::kLowest ? start : members - 1 - stop;
  return {.first = static_cast<std::size_t>(first),
          .count = static_cast<std::size_t>(stop - start + 1)};
}

RankWindow WindowOf(const SortedSet& set, const ScoreRange& range) {
  return WindowOfRange(set, range);
}

RankWindow WindowOf(const SortedSet& set, const LexRange& range) {
  return WindowOfRange(set, range);
}

RankWindow Clip(RankWindow window, RangeLimit limit, ZEnd from) {
  if (limit.offset < 0 || static_cast<std::size_t>(limit.offset) >= window.count) return {};
  const auto skipped = static_cast<std::size_t>(limit.offset);
  std::size_t kept = window.count - skipped;
  if (limit.count >= 0) kept = std::min(kept, static_cast<std::size_t>(limit.count));
  const std::size_t into = from == ZEnd::kLowest ? skipped : window.count - skipped - kept;
  return {.first = window.first + into, .count = kept};
}

MemberReply::MemberReply(ReplyWriter& reply, MemberShape shape, std::size_t count)
    : reply_(&reply),
      with_scores_(shape != MemberShape::kMembers),
      nested_(shape == MemberShape::kNested ||
              (shape == MemberShape::kNestedInResp3 && reply.resp3())) {
  reply.Array(with_scores_ && !nested_ ? 2 * count : count);
}

void ReplyWindow(ReplyWriter& reply, const SortedSet& set, RankWindow window, ZEnd from,
                 MemberShape shape) {
  MemberReply members(reply, shape, window.count);
  if (window.count == 0) return;
  if (from == ZEnd::kLowest) {
    SortedSet::Cursor cursor = set.SeekRank(window.first);
    for (std::size_t left = window.count; left > 0; --left, cursor.Next()) {
      members(cursor.member(), cursor.score());
    }
  } else {
    SortedSet::Cursor cursor = set.SeekRank(window.first + window.count - 1);
    for (std::size_t left = window.count; left > 0; --left, cursor.Prev()) {
      members(cursor.member(), cursor.score());
    }
  }
}

}  // namespace rung

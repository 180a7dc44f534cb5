// Bounds, ranges and replies of the sorted set commands. See zset.h.

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

RankRange RanksBetween(std::size_t size, std::int64_t start, std::int64_t stop, ZEnd from) {
  const auto members = static_cast<std::int64_t>(size);
  if (start < 0) start = std::max<std::int64_t>(start + members, 0);
  if (stop < 0) stop += members;
  stop = std::min(stop, members - 1);
  if (start > stop) return {};
  const std::int64_t first = from == ZEnd::kLowest ? start : members - 1 - stop;
  return {.first = static_cast<std::size_t>(first),
          .count = static_cast<std::size_t>(stop - start + 1)};
}

RankRange Clip(RankRange ranks, RangeLimit limit, ZEnd from) {
  if (limit.offset < 0 || static_cast<std::size_t>(limit.offset) >= ranks.count) return {};
  const auto skipped = static_cast<std::size_t>(limit.offset);
  std::size_t kept = ranks.count - skipped;
  if (limit.count >= 0) kept = std::min(kept, static_cast<std::size_t>(limit.count));
  const std::size_t into = from == ZEnd::kLowest ? skipped : ranks.count - skipped - kept;
  return {.first = ranks.first + into, .count = kept};
}

MemberReply::MemberReply(ReplyWriter& reply, MemberShape shape, std::size_t count)
    : reply_(&reply),
      with_scores_(shape != MemberShape::kMembers),
      nested_(shape == MemberShape::kNested ||
              (shape == MemberShape::kNestedInResp3 && reply.resp3())) {
  reply.Array(with_scores_ && !nested_ ? 2 * count : count);
}

void ReplyRanks(ReplyWriter& reply, const SortedSet& set, RankRange ranks, ZEnd from,
                MemberShape shape) {
  MemberReply members(reply, shape, ranks.count);
  if (ranks.count == 0) return;
  if (from == ZEnd::kLowest) {
    SortedSet::Cursor cursor = set.SeekRank(ranks.first);
    for (std::size_t left = ranks.count; left > 0; --left, cursor.Next()) {
      members(cursor.member(), cursor.score());
    }
  } else {
    SortedSet::Cursor cursor = set.SeekRank(ranks.first + ranks.count - 1);
    for (std::size_t left = ranks.count; left > 0; --left, cursor.Prev()) {
      members(cursor.member(), cursor.score());
    }
  }
}

}  // namespace rung

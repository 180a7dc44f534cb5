// The bounds of sorted-set queries as predicates: true for the members before a point of the order,
// false from there on. Both forms of a set search by them.
//
// A predicate takes the score and a callable that fetches the member, since reading the member may
// cost a cache miss and is rarely needed.
#pragma once

#include <string_view>

#include "rung/types/sorted_set.h"

namespace rung {

// Before (score, member): itself lies before the point if `inclusive`.
struct BeforeKey {
  double score;
  std::string_view member;
  bool inclusive = false;

  template <typename MemberOf>
  bool operator()(double other, MemberOf member_of) const {
    if (other != score) return other < score;
    return inclusive ? member_of() <= member : member_of() < member;
  }
};

// Before a score: its own members lie before the point if `inclusive`.
struct BeforeScore {
  double score;
  bool inclusive;

  template <typename MemberOf>
  bool operator()(double other, MemberOf /*member_of*/) const {
    return other < score || (inclusive && other == score);
  }
};

// Before a member, whatever the scores. `inclusive` as above.
struct BeforeMember {
  LexRange::Bound::Kind kind;
  std::string_view member;
  bool inclusive;

  template <typename MemberOf>
  bool operator()(double /*score*/, MemberOf member_of) const {
    if (kind == LexRange::Bound::Kind::kMinusInfinity) return false;
    if (kind == LexRange::Bound::Kind::kPlusInfinity) return true;
    const std::string_view other = member_of();
    return inclusive ? other <= member : other < member;
  }
};

// The point where a range begins: before it lies what is below the range.
inline BeforeScore BeginOf(const ScoreRange& range) { return {range.min, range.min_open}; }
inline BeforeMember BeginOf(const LexRange& range) {
  return {range.min.kind, range.min.value, range.min.kind == LexRange::Bound::Kind::kOpen};
}

// The point where a range ends: from there on lies what is above the range.
inline BeforeScore EndOf(const ScoreRange& range) { return {range.max, !range.max_open}; }
inline BeforeMember EndOf(const LexRange& range) {
  return {range.max.kind, range.max.value, range.max.kind == LexRange::Bound::Kind::kClosed};
}

}  // namespace rung

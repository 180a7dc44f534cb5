// Searching one packed node of the blocked skiplist: how many of its first entries lie before a
// point (sorted_set_bounds.h). The scores are searched without a branch that depends on them, since
// such branches are guessed wrong every other time; members are read only where scores tie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rung/base/prefetch.h"
#include "types/blocked_skiplist_nodes.h"
#include "types/score_records.h"
#include "types/sorted_set_bounds.h"

namespace rung::skiplist {

// Asks for all lines of a leaf's scores at once, where a search would wait for one after another.
inline void PrefetchScores(const Leaf* leaf, std::uint32_t count) {
  constexpr std::size_t kLineBytes = 64;
  const auto* const begin = reinterpret_cast<const char*>(leaf);
  const char* const end = begin + sizeof(Leaf) + count * sizeof(double);
  for (const char* line = begin; line < end; line += kLineBytes) Prefetch(line);
}

// By halves down to two lines, which are then counted one and all: halves wait for each other,
// since each decides what the next one loads, and what is counted is loaded all at the same time.
template <typename IsBefore>
std::uint32_t CountBefore(const double* scores, std::uint32_t count, IsBefore is_before) {
  constexpr std::uint32_t kCounted = 16;
  const double* base = scores;
  while (count > kCounted) {
    const std::uint32_t half = count / 2;
    base += half & -static_cast<std::size_t>(is_before(base[half - 1]));
    count -= half;
  }
  auto before = static_cast<std::uint32_t>(base - scores);
  for (std::uint32_t i = 0; i < count; ++i) before += is_before(base[i]) ? 1 : 0;
  return before;
}

// The general case: any predicate, asked entry by entry. Starts at `low`.
template <typename Before>
std::uint32_t CountBeforeByMember(const double* scores, const ScoreRecords::Handle* handles,
                                  std::uint32_t low, std::uint32_t high, const Before& before,
                                  const ScoreRecords& records) {
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (before(scores[middle], [&] { return records.Member(handles[middle]); })) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

inline std::uint32_t Search(const double* scores, const ScoreRecords::Handle* handles,
                            std::uint32_t count, const BeforeMember& before,
                            const ScoreRecords& records) {
  return CountBeforeByMember(scores, handles, 0, count, before, records);
}

inline std::uint32_t Search(const double* scores, const ScoreRecords::Handle* /*handles*/,
                            std::uint32_t count, const BeforeScore& before,
                            const ScoreRecords& /*records*/) {
  const double bound = before.score;
  if (before.inclusive) return CountBefore(scores, count, [=](double s) { return s <= bound; });
  return CountBefore(scores, count, [=](double s) { return s < bound; });
}

inline std::uint32_t Search(const double* scores, const ScoreRecords::Handle* handles,
                            std::uint32_t count, const BeforeKey& before,
                            const ScoreRecords& records) {
  const double bound = before.score;
  const std::uint32_t low = CountBefore(scores, count, [=](double s) { return s < bound; });
  if (low == count || scores[low] != bound) return low;
  std::uint32_t high = low + 1;
  if (high < count && scores[high] == bound) {
    high = CountBefore(scores, count, [=](double s) { return s <= bound; });
  }
  return CountBeforeByMember(scores, handles, low, high, before, records);
}

// Asks for the records that a search for an entry with `score` may have to read, if they are few.
inline void PrefetchTies(const Leaf& leaf, double score, const ScoreRecords& records) {
  constexpr std::uint32_t kFew = 4;
  const std::uint32_t low =
      CountBefore(leaf.scores(), leaf.count, [=](double s) { return s < score; });
  const std::uint32_t few_end = std::min<std::uint32_t>(low + kFew, leaf.count);
  for (std::uint32_t i = low; i < few_end && leaf.scores()[i] == score; ++i) {
    records.Prefetch(leaf.handles()[i]);
  }
}

}  // namespace rung::skiplist

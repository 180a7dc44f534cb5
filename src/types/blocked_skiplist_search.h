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

// The entries of a node as a search sees them.
struct LeafKeys {
  const LeafEntry* entries;
  double ScoreAt(std::uint32_t index) const { return entries[index].score; }
  ScoreRecords::Handle HandleAt(std::uint32_t index) const { return entries[index].handle; }
};
struct LinkKeys {
  const double* scores;
  const ScoreRecords::Handle* handles;
  double ScoreAt(std::uint32_t index) const { return scores[index]; }
  ScoreRecords::Handle HandleAt(std::uint32_t index) const { return handles[index]; }
};

// How many entries around a guess are looked at together, which is three or four lines of a leaf.
constexpr std::uint32_t kWindow = 16;

// Asks for the lines of a leaf around `guess` at once, where a search would wait for one after
// another. Does not read the leaf, so it takes the entries to begin without a gap.
inline void PrefetchAround(const Leaf* leaf, std::uint32_t guess) {
  constexpr std::size_t kLineBytes = 64;
  Prefetch(leaf);
  const std::uint32_t low = guess > kWindow / 2 ? guess - kWindow / 2 : 0;
  const auto* const first = reinterpret_cast<const char*>(leaf + 1) + low * sizeof(LeafEntry);
  for (std::size_t at = 0; at <= kWindow * sizeof(LeafEntry); at += kLineBytes) {
    Prefetch(first + at);
  }
}

template <typename Keys, typename IsBefore>
std::uint32_t CountEach(const Keys& keys, std::uint32_t low, std::uint32_t high,
                        IsBefore is_before) {
  std::uint32_t before = low;
  for (std::uint32_t i = low; i < high; ++i) before += is_before(keys.ScoreAt(i)) ? 1 : 0;
  return before;
}

// By halves down to a few, which are then counted one and all: halves wait for each other, since
// each decides what the next one loads, and what is counted is loaded all at the same time.
template <typename Keys, typename IsBefore>
std::uint32_t CountBefore(const Keys& keys, std::uint32_t low, std::uint32_t high,
                          IsBefore is_before) {
  while (high - low > kWindow) {
    const std::uint32_t half = (high - low) / 2;
    const std::uint32_t passed = is_before(keys.ScoreAt(low + half - 1)) ? half : 0;
    high -= half - passed;
    low += passed;
  }
  return CountEach(keys, low, high, is_before);
}

// The same where a guess tells about how many it will be: what is around it is counted first.
template <typename Keys, typename IsBefore>
std::uint32_t CountBeforeNear(const Keys& keys, std::uint32_t count, std::uint32_t guess,
                              IsBefore is_before) {
  if (count <= kWindow) return CountEach(keys, 0, count, is_before);
  const std::uint32_t low = std::min(guess - std::min(guess, kWindow / 2), count - kWindow);
  const std::uint32_t high = low + kWindow;
  const std::uint32_t before = CountEach(keys, low, high, is_before);
  if (before == low) return CountBefore(keys, 0, low, is_before);
  if (before == high) return CountBefore(keys, high, count, is_before);
  return before;
}

// The general case: any predicate, asked entry by entry. Starts at `low`.
template <typename Keys, typename Before>
std::uint32_t CountBeforeByMember(const Keys& keys, std::uint32_t low, std::uint32_t high,
                                  const Before& before, const ScoreRecords& records) {
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (before(keys.ScoreAt(middle), [&] { return records.Member(keys.HandleAt(middle)); })) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// How many of a node's entries lie before a point. `guess`, at most `count`, only makes it fast.
template <typename Keys>
std::uint32_t Search(const Keys& keys, std::uint32_t count, std::uint32_t /*guess*/,
                     const BeforeMember& before, const ScoreRecords& records) {
  return CountBeforeByMember(keys, 0, count, before, records);
}

template <typename Keys>
std::uint32_t Search(const Keys& keys, std::uint32_t count, std::uint32_t guess,
                     const BeforeScore& before, const ScoreRecords& /*records*/) {
  const double bound = before.score;
  if (before.inclusive) {
    return CountBeforeNear(keys, count, guess, [=](double s) { return s <= bound; });
  }
  return CountBeforeNear(keys, count, guess, [=](double s) { return s < bound; });
}

// The same for a key of which is known that `low` entries lie below its score.
template <typename Keys>
std::uint32_t SearchAmongTies(const Keys& keys, std::uint32_t count, std::uint32_t low,
                              const BeforeKey& before, const ScoreRecords& records) {
  const double bound = before.score;
  if (low == count || keys.ScoreAt(low) != bound) return low;
  std::uint32_t high = low + 1;
  if (high < count && keys.ScoreAt(high) == bound) {
    high = CountBefore(keys, high, count, [=](double s) { return s <= bound; });
  }
  return CountBeforeByMember(keys, low, high, before, records);
}

template <typename Keys>
std::uint32_t Search(const Keys& keys, std::uint32_t count, std::uint32_t guess,
                     const BeforeKey& before, const ScoreRecords& records) {
  const double bound = before.score;
  const std::uint32_t low =
      CountBeforeNear(keys, count, guess, [=](double s) { return s < bound; });
  return SearchAmongTies(keys, count, low, before, records);
}

// Where in what a link leads to a point is likely to lie: as far between the first scores there and
// behind it as its own score is. Only for leaves; half way where nothing can be told.
inline std::uint32_t GuessIndex(LinkNode& node, std::uint32_t slot, double score) {
  const std::uint32_t members = node.members()[slot];
  if (slot == 0 || slot + 1 == node.count) return members / 2;
  const double low = node.scores()[slot];
  const double part = (score - low) / (node.scores()[slot + 1] - low);
  if (!(part > 0)) return 0;  // Also if all are the same.
  return part < 1 ? static_cast<std::uint32_t>(part * members) : members;
}
inline std::uint32_t GuessIndex(LinkNode& node, std::uint32_t slot, const BeforeKey& before) {
  return GuessIndex(node, slot, before.score);
}
inline std::uint32_t GuessIndex(LinkNode& node, std::uint32_t slot, const BeforeScore& before) {
  return GuessIndex(node, slot, before.score);
}
inline std::uint32_t GuessIndex(LinkNode& node, std::uint32_t slot, const BeforeMember&) {
  return node.members()[slot] / 2;
}

// Asks for the records of the entries from `low` on that have the score `score`, if they are few.
inline void PrefetchTies(const Leaf& leaf, std::uint32_t low, double score,
                         const ScoreRecords& records) {
  constexpr std::uint32_t kFew = 4;
  const std::uint32_t few_end = std::min<std::uint32_t>(low + kFew, leaf.count);
  for (std::uint32_t i = low; i < few_end && leaf.ScoreAt(i) == score; ++i) {
    records.Prefetch(leaf.HandleAt(i));
  }
}

}  // namespace rung::skiplist

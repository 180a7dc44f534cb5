// SortedSet: the value behind the Z* commands. Unique members, ordered by (score, member bytes).
//
// Why two forms. A set of a few members is one packed array: no index, no pointer, about 12 bytes
// a member besides its text. A large one has three parts: the members' records, a blocked skiplist
// over them (fat nodes, so that a step costs a cache miss for a hundred members and not for one;
// counts on the links, so that ranks are O(log n)), and a hash table from member to record, so that
// a lookup by member is O(1). No caller sees which form it has, but for IsSmall().
//
// Invariants, checked by CheckInvariants():
//   1. Members are strictly ascending by (score, member); equal scores fall back to memcmp, then
//      the shorter first.
//   2. No score is NaN, so the order is total. -0.0 is stored as 0.0.
//   3. A set has one form, and the invariants of that form hold (types/packed_sorted_set.h,
//      types/large_sorted_set.h).
//
// Not thread-safe. Knows nothing of keys, expiry, replies or logging.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rung/base/result.h"
#include "rung/base/rng.h"
#include "rung/types/foresight.h"

namespace rung {

// A member with its score, copied out of a set. Owns its bytes.
struct ScoredMember {
  std::string member;
  double score = 0.0;

  bool operator==(const ScoredMember&) const = default;
};

enum class ZEnd : std::uint8_t { kLowest, kHighest };

// An interval of scores. The default covers every member.
struct ScoreRange {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_open = false;  // true: `min` itself is outside, as in "(1.5".
  bool max_open = false;
};

// An interval of member bytes. Means something only if all scores are equal; otherwise the answer
// is some subset of the members, and never a fault. The default covers every member.
struct LexRange {
  struct Bound {
    enum class Kind : std::uint8_t { kMinusInfinity, kPlusInfinity, kClosed, kOpen };
    Kind kind = Kind::kMinusInfinity;
    std::string_view value = {};  // Of kClosed "[value" and kOpen "(value".
  };
  Bound min = {.kind = Bound::Kind::kMinusInfinity};
  Bound max = {.kind = Bound::Kind::kPlusInfinity};
};

// When Put() may act. The two conditions are independent and both must hold.
struct PutRule {
  enum class Presence : std::uint8_t { kAny, kAbsentOnly, kPresentOnly };
  enum class Direction : std::uint8_t { kAny, kUpOnly, kDownOnly };

  Presence presence = Presence::kAny;
  Direction direction = Direction::kAny;  // Looked at only if the member is present.
};

// kUnchanged: the member had that score. kRefused: the rule forbade it (an equal score is neither
// up nor down, hence refused under kUpOnly and kDownOnly).
enum class PutOutcome : std::uint8_t { kAdded, kMoved, kUnchanged, kRefused };

// Up to where a set stays in its small form. Read at every growth, so it may change at run time. A
// large set becomes small again when it has shrunk to a quarter of entries_max.
struct SmallFormLimit {
  std::size_t entries_max = 128;
  std::size_t value_bytes_max = 64;  // Above 65,535 counts as 65,535.
};
inline constexpr SmallFormLimit kDefaultSmallFormLimit;

class PackedSortedSet;
class LargeSortedSet;
class ScoreRecords;

class SortedSet {
 public:
  // `rng` draws node heights; it and `limit` must outlive the set. The same seed and the same calls
  // build the same set, byte for byte.
  explicit SortedSet(Rng& rng, const SmallFormLimit* limit = &kDefaultSmallFormLimit);
  ~SortedSet();

  // A set that was moved from may only be assigned to or destroyed.
  SortedSet(SortedSet&& other) noexcept;
  SortedSet& operator=(SortedSet&& other) noexcept;
  SortedSet(const SortedSet&) = delete;
  SortedSet& operator=(const SortedSet&) = delete;

  std::size_t size() const;
  bool empty() const { return size() == 0; }

  // Whether the set is in its small form ("listpack" for OBJECT ENCODING, else "skiplist").
  bool IsSmall() const;

  // Bytes held on the heap, members and allocator rounding included, without sizeof(*this). O(1).
  std::size_t MemoryBytes() const;

  // Adds `member`, or moves it to `score`, if `rule` allows.
  // Errors: kNaN if `score` is NaN, kSetFull; the set is then untouched.
  // Cost: O(log n), O(1) amortized at the end of the order and if the member keeps its place.
  Result<PutOutcome> Put(std::string_view member, double score, PutRule rule = {});

  struct Incremented {
    PutOutcome outcome;
    double score;  // The member's score after the call; of no meaning if kRefused.
  };
  // Adds `delta` to the member's score (0.0 if absent), if `rule` allows.
  // Errors: kNaN if the sum is NaN (inf plus -inf), kSetFull; the set is then untouched.
  Result<Incremented> Increment(std::string_view member, double delta, PutRule rule = {});

  // A hint for a request whose last word is a member. (The place of its score in the order is not
  // worth looking ahead for: the way there costs as much as it saves.)
  void Foresee(std::span<const std::string_view> words, ForesightStep step,
               std::uint64_t& note) const;

  // Returns whether the member was there. O(log n).
  bool Remove(std::string_view member);
  // Removes the members with ranks first..last (0-based, inclusive; a last beyond the end means the
  // end; nothing if first > last). Returns how many. O(log n) each.
  std::size_t RemoveRank(std::size_t first, std::size_t last);
  std::size_t RemoveIn(const ScoreRange& range);
  std::size_t RemoveIn(const LexRange& range);

  // Takes up to `count` members off one end, nearest to that end first. O(1) amortized each.
  std::vector<ScoredMember> PopEnd(ZEnd end, std::size_t count);
  // The same without copies: calls visit(std::string_view member, double score) for each member
  // before it goes. `visit` must not touch the set. Returns how many went.
  template <typename Visit>
  std::size_t PopEach(ZEnd end, std::size_t count, Visit visit);

  std::optional<double> Score(std::string_view member) const;  // O(1)

  struct Position {
    std::size_t rank;  // 0-based.
    double score;
  };
  std::optional<Position> Rank(std::string_view member, ZEnd from) const;  // O(log n)

  // The ranks first..first+count-1, from the lowest.
  struct RankRange {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  RankRange RanksIn(const ScoreRange& range) const;  // O(log n)
  RankRange RanksIn(const LexRange& range) const;    // O(log n)
  std::size_t CountIn(const ScoreRange& range) const { return RanksIn(range).count; }
  std::size_t CountIn(const LexRange& range) const { return RanksIn(range).count; }

  // A position in the set. Any mutation of the set invalidates every cursor on it.
  class Cursor {
   public:
    Cursor() = default;  // !Valid().
    bool Valid() const { return node_ != nullptr; }
    std::string_view member() const;  // Requires Valid(). Lives until the next mutation.
    double score() const;             // Requires Valid().
    void Next();                      // Requires Valid(). Past the last member: !Valid().
    void Prev();                      // Requires Valid(). Before the first member: !Valid().

   private:
    friend class SortedSet;
    const ScoreRecords* records_ = nullptr;  // Large form: what the node's handles stand for.
    const void* node_ = nullptr;             // The skiplist's leaf, or the packed set.
    std::uint32_t index_ = 0;                // Of the entry in its node.
    std::uint32_t offset_ = 0;               // Small form: where the member's bytes begin.
  };

  Cursor First() const;                             // O(1)
  Cursor Last() const;                              // O(1)
  Cursor SeekRank(std::size_t rank) const;          // O(log n). !Valid() if rank >= size().
  Cursor SeekFirst(const ScoreRange& range) const;  // O(log n). First member inside, if any.
  Cursor SeekLast(const ScoreRange& range) const;   // O(log n). Last member inside, if any.
  Cursor SeekFirst(const LexRange& range) const;    // O(log n)
  Cursor SeekLast(const LexRange& range) const;     // O(log n)
  Cursor Random(Rng& rng) const;                    // O(log n). Uniform; !Valid() if empty.

  // Visits some members by visit(std::string_view member, double score) and returns the cursor of
  // the next call, 0 at the end. Starting from 0, a member that stays in the set all the while is
  // visited at least once, whatever else changes in between. A small set is visited whole.
  template <typename Visit>
  std::uint64_t Scan(std::uint64_t cursor, Visit visit) const;

  // A copy with the same members and scores, the same limit, and heights drawn from `rng`. O(n).
  std::unique_ptr<SortedSet> Clone(Rng& rng) const;

  // Aborts the process, naming the broken invariant. O(n): for tests, fuzzers and DEBUG only.
  void CheckInvariants() const;

 private:
  using ScanVisitor = void (*)(void* context, std::string_view member, double score);
  std::uint64_t ScanWith(std::uint64_t cursor, void* context, ScanVisitor visitor) const;

  struct FreePacked {
    void operator()(PackedSortedSet* set) const;
  };

  struct Found {
    double score;
    std::uint32_t at;      // The record's handle, or the entry's number in the packed set.
    std::uint32_t offset;  // Small form: where the member's bytes begin.
  };
  // `hash` is the member's, and counts only in the large form.
  std::optional<Found> Find(std::string_view member, std::uint64_t hash) const;
  template <typename NewScore>
  Result<Incremented> Change(std::string_view member, NewScore new_score, PutRule rule);
  void AddAbsent(std::string_view member, std::uint64_t hash, double score);
  void BecomeLarge();
  void BecomeSmallIfFew();

  template <typename Range>
  RankRange RanksInRange(const Range& range) const;
  std::size_t RemoveRanks(RankRange ranks);   // Requires that they exist. Returns their count.
  void DropEnd(ZEnd end, std::size_t count);  // Requires count <= size().

  // By the predicates of types/sorted_set_bounds.h.
  template <typename Before>
  std::size_t RankAt(const Before& before) const;
  template <typename Before>
  Cursor CursorAt(const Before& before) const;
  template <typename Range>
  Cursor SeekFirstIn(const Range& range) const;
  template <typename Range>
  Cursor SeekLastIn(const Range& range) const;
  static Cursor CursorOver(const PackedSortedSet& set, std::uint32_t index, std::uint32_t offset);
  static Cursor CursorOver(const LargeSortedSet& set, const void* leaf, std::uint32_t index);

  // One of the two.
  std::unique_ptr<PackedSortedSet, FreePacked> small_;
  std::unique_ptr<LargeSortedSet> large_;
};

namespace errors {
inline constexpr std::string_view kSetFull = "ERR sorted set holds as many members as it can";
}  // namespace errors

template <typename Visit>
std::size_t SortedSet::PopEach(ZEnd end, std::size_t count, Visit visit) {
  // In batches, so that a member visited is still in the cache when it is removed.
  constexpr std::size_t kBatch = 16;
  const std::size_t wanted = std::min(count, size());
  for (std::size_t left = wanted; left > 0;) {
    const std::size_t batch = std::min(left, kBatch);
    Cursor cursor = end == ZEnd::kLowest ? First() : Last();
    for (std::size_t i = 0; i < batch; ++i) {
      visit(cursor.member(), cursor.score());
      if (i + 1 == batch) break;
      end == ZEnd::kLowest ? cursor.Next() : cursor.Prev();
    }
    DropEnd(end, batch);
    left -= batch;
  }
  return wanted;
}

template <typename Visit>
std::uint64_t SortedSet::Scan(std::uint64_t cursor, Visit visit) const {
  return ScanWith(cursor, &visit, [](void* context, std::string_view member, double score) {
    (*static_cast<Visit*>(context))(member, score);
  });
}

}  // namespace rung

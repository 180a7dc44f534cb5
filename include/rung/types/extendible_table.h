// ExtendibleTable: the hash table behind the keyspace and the members of large sets.
//
// A table that rehashes as a whole stalls for hundreds of milliseconds when it holds ten million
// entries. Here a directory maps the top bits of the hash to segments of some hundred items, and
// only the segment that is full is touched: a small one moves to the next size, one of the widest
// size splits in two (extendible hashing, Fagin et al., 1979). When items go, segments become
// smaller and merge again, and the directory halves. The worst single insertion is the doubling of
// the directory: 16 bytes for each segment.
//
// Segments are laid out in hash order (table_segment.h), which makes Scan simple: its cursor is a
// position in the hash space, and no growing or shrinking moves an item there.
//
// An Item is a handle, a pointer or a 32-bit index; KeyOf gives the bytes it stands for. The table
// owns neither. Each key operation takes the key's hash from the caller, who has it already; it
// must be what HashKey gives for these bytes.
//
// Invariants (CheckInvariants):
//  1. The directory has 1 << depth entries; a segment of depth d fills an aligned run of
//     1 << (depth - d) equal entries; segments and those of full depth are counted right.
//  2. Each segment's count is the number of its items and at most its limit; they add up to size().
//  3. Each item lies in the segment of its hash, with the tag and code of its hash.
//  4. A group's overflow flags are exactly those of the items that were placed past it, and no
//     item was placed past a group with room.
//  5. Each key can be found, and at the place where it lies: no key is held twice.
//  6. MemoryBytes() is what the segments and the directory take.
//
// Not thread-safe. Functions do not fail; running out of memory ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "rung/base/check.h"
#include "rung/base/hash.h"
#include "rung/base/memory.h"
#include "rung/base/rng.h"
#include "rung/types/table_segment.h"

namespace rung {

struct KeyedHash {
  std::uint64_t operator()(std::string_view key) const { return HashBytes(key); }
};

template <typename Item, typename KeyOf, typename HashKey = KeyedHash>
class ExtendibleTable {
  static_assert(std::is_trivially_copyable_v<Item> && (sizeof(Item) == 4 || sizeof(Item) == 8));

 public:
  // Allocates nothing before the first Insert.
  explicit ExtendibleTable(KeyOf key_of = {}) : key_of_(std::move(key_of)) {}
  ExtendibleTable(ExtendibleTable&& other) noexcept : key_of_(other.key_of_) { Swap(other); }
  ExtendibleTable& operator=(ExtendibleTable&& other) noexcept {
    ExtendibleTable taken(std::move(other));
    Swap(taken);
    return *this;
  }
  ~ExtendibleTable() { Clear(); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Forgets all items and gives back all memory. Cost: one Free per segment.
  void Clear();
  // Bytes of the heap that the table itself has taken, the allocator's rounding included; neither
  // the items' own memory nor sizeof(*this). O(1).
  std::size_t MemoryBytes() const { return bytes_; }

  // The slot of `key`, or null. It stays valid until the next Insert, Erase, EraseAt or Clear. The
  // caller may overwrite it with another item of the same key bytes.
  Item* Find(std::string_view key, std::uint64_t hash) {
    return const_cast<Item*>(std::as_const(*this).Find(key, hash));
  }
  const Item* Find(std::string_view key, std::uint64_t hash) const;

  // Requires: `key` is absent and is the key of `item`. Returns its slot, valid as Find's.
  Item* Insert(std::string_view key, std::uint64_t hash, Item item);

  // False when `key` is absent.
  bool Erase(std::string_view key, std::uint64_t hash);
  // Requires: `slot` came from Find, Insert or RandomItem and is still valid; `hash` is its key's.
  void EraseAt(Item* slot, std::uint64_t hash);

  // Calls visit(const Item&) once for each item, in no order that may be relied on. `visit` must
  // not change the table, but may destroy what the items stand for if Clear() comes next.
  template <typename F>
  void ForEach(F visit) const;

  // Calls visit(const Item&) for the items of one portion of the table, about ten, sometimes none.
  // Start with cursor 0 and go on with the result until it is 0. Items that are present all the
  // while are visited at least once, whatever is inserted and erased between the calls; others
  // perhaps. Any cursor is safe. Cursors are below 2^48. `visit` must not change the table.
  template <typename F>
  std::uint64_t Scan(std::uint64_t cursor, F visit) const;

  // An item drawn at random, each equally likely (nearly so in a table that is almost empty); null
  // when empty. Takes a few tries in the mean.
  Item* RandomItem(Rng& rng);

  // Starts loading the group in which `hash` belongs. For callers that know several keys ahead.
  void Prefetch(std::uint64_t hash) const;

  // Calls visit(item) for the items of that group which may have `hash`: nearly always the one that
  // Find() would return, or none. Reads no key.
  template <typename F>
  void ForEachCandidate(std::uint64_t hash, F visit) const;

  // Aborts if an invariant is broken. Touches every key: for tests.
  void CheckInvariants() const;

 private:
  using Tags = table_internal::GroupTags;
  using Slots = table_internal::GroupSlots<Item>;
  using Ref = table_internal::SegmentRef<Item>;
  using Filler = table_internal::SegmentFiller<Item>;
  using Sizes = table_internal::SegmentSizes<Item>;

  // A code's last bit is bit 47 of the hash at this depth; tags and cursors rely on it.
  static constexpr unsigned kMaxDepth = 32;
  // A directory doubles only while its entries would still stand for this many items in the mean.
  // Hashes that agree in their top bits (an attack, or a broken hash) cannot blow it up: their
  // segment grows beyond the widest normal size instead.
  static constexpr std::uint64_t kMinItemsPerEntry = 64;
  // Merged segments leave this share free, so that they do not split again soon.
  static constexpr std::uint32_t kMergeLimit = Sizes::kWidestLimit * 6 / 10;
  // A segment with fewer items per group is made smaller.
  static constexpr std::uint32_t kSparseGroup = 6;
  static constexpr int kRandomTries = 128;
  // Cursors are the first 48 bits of a hash: exact in a double, which some clients make of them.
  static constexpr std::uint64_t kCursorEnd = std::uint64_t{1} << 48;

  // Two shifts, since a shift by 64 (depth 0) is undefined.
  std::size_t IndexOf(std::uint64_t hash) const { return (hash >> 1) >> shift_; }
  const Ref& RefOf(std::uint64_t hash) const { return directory_[IndexOf(hash)]; }
  static bool IsFull(const Ref& ref) { return ref.segment().count >= ref.segment().limit; }
  std::size_t RunOf(const Ref& ref) const { return std::size_t{1} << (depth_ - ref.depth()); }

  [[gnu::noinline]] const Item* FindBehind(std::string_view key, std::uint64_t hash) const;

  Ref NewSegment(std::uint32_t limit, unsigned depth, unsigned window);
  void FreeSegment(const Ref& ref);
  void SetRun(std::uint64_t hash, const Ref& ref);

  void Grow(std::uint64_t hash);
  void Resize(std::uint64_t hash, std::uint32_t limit);
  bool MaySplit(const Ref& ref) const;
  void Split(std::uint64_t hash);
  void RenewCodes(Ref& ref);
  void Shrink(std::uint64_t hash);
  bool MergeWithBuddy(std::uint64_t hash);
  static void Refill(Filler& filler, const Ref& source, unsigned window, std::uint64_t prefix);
  void DoubleDirectory();
  void ReplaceDirectory(Ref* directory, unsigned depth);
  bool MayHalve() const;
  void HalveDirectory();
  void Swap(ExtendibleTable& other);

  template <typename F>
  std::uint64_t VisitPortion(std::uint64_t cursor, F visit) const;
  template <typename F>
  void ForEachSegment(F visit) const;
  void CheckDirectory() const;
  void CheckSegment(std::size_t index, const Ref& ref) const;

  [[no_unique_address]] KeyOf key_of_;
  [[no_unique_address]] HashKey hash_key_;
  Ref root_;  // The whole directory while depth_ is 0.
  Ref* directory_ = &root_;
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::size_t segments_ = 1;
  std::size_t deepest_ = 1;   // Segments whose depth is depth_.
  std::uint32_t widest_ = 0;  // Groups of the widest segment there has been.
  std::uint8_t depth_ = 0;
  std::uint8_t shift_ = 63;  // 63 - depth_
};

}  // namespace rung

#include "rung/types/extendible_table_growth.h"
#include "rung/types/extendible_table_search.h"

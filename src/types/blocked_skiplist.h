// BlockedSkiplist: the order of a large sorted set, a skiplist whose nodes hold many entries each.
//
// Why blocks. In a textbook skiplist each step is a pointer to somewhere else, and at a million
// members nearly each step is a cache miss: an insertion costs about 2 microseconds. Here level 0
// is a list of leaves with up to some hundred entries side by side, and each level above is a list
// of link nodes, packed in the same manner. Searching a node costs one or two cache misses, and
// there are three or four levels where there were twenty.
//
// It stays a skiplist: where nodes begin is decided by chance and not by balancing. A leaf, when a
// full one splits, draws its height once; height h means that it begins a new node on levels 1 to
// h, as the tower of a textbook skiplist stands in the lists of these levels. When a leaf goes, its
// tower goes with it, and the nodes that it began join their left neighbours. Link nodes are thus
// as long as chance makes them, 32 links in the mean, and no pattern of insertions can do anything
// about it without knowing the random numbers.
//
// An entry's score and handle lie side by side, and a leaf is searched from a guess: two links tell
// which scores lie between them, and thus about where in between a score stands. So a search, and
// the shift that follows it, touch a few neighbouring lines of the leaf and not all of them.
//
// Counts on the links make ranks O(log n). Runs of insertions at neighbouring places (a queue at
// its end, or at the end of each priority) split leaves at the place of insertion instead of in the
// middle, which leaves full leaves behind.
//
// Invariants, checked by CheckInvariants():
//   1. Entries strictly ascend by (score, member) through all leaves; no leaf is empty.
//   2. A link's member count is the number of entries below it.
//   3. A link that is not the first of its node carries the score and handle of the first entry
//      below it. (Those of first links are never read, and not kept up.)
//   4. Each level is one doubly linked list from left to right, in the order of the links above it;
//      the top level is one node, and has more than one link if it is not level 1.
//   5. MemoryBytes() is the sum of all nodes' blocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rung/base/rng.h"
#include "types/blocked_skiplist_nodes.h"
#include "types/blocked_skiplist_search.h"
#include "types/score_records.h"
#include "types/sorted_set_bounds.h"

namespace rung {

class BlockedSkiplist {
 public:
  using Handle = skiplist::Handle;
  using Leaf = skiplist::Leaf;

  static constexpr std::size_t kLevelsMax = 8;

  struct Entry {
    double score;
    std::string_view member;
    Handle handle;  // Of its record.
  };

  // An entry and its rank. At the end: no leaf, and the rank is size().
  struct Place {
    const Leaf* leaf = nullptr;
    std::uint32_t index = 0;
    std::size_t rank = 0;

    double score() const { return leaf->ScoreAt(index); }
    Handle handle() const { return leaf->HandleAt(index); }
  };

  // The way from the top to a leaf: the node and the link taken on each level. Level 1 is steps[0].
  struct Step {
    skiplist::LinkNode* node;
    std::uint32_t slot;
  };
  struct Path {
    std::array<Step, kLevelsMax> steps;
    Leaf* leaf;           // Null in an empty list.
    std::uint32_t guess;  // About where in the leaf it ends.
  };

  // Both must outlive the list.
  BlockedSkiplist(Rng* rng, const ScoreRecords* records) : rng_(rng), records_(records) {}
  ~BlockedSkiplist();
  BlockedSkiplist(const BlockedSkiplist&) = delete;
  BlockedSkiplist& operator=(const BlockedSkiplist&) = delete;

  Rng* rng() const { return rng_; }
  std::size_t size() const { return size_; }
  std::size_t MemoryBytes() const { return bytes_; }

  // Adding an entry takes three steps, so that the caller may do something else while what the next
  // one reads is on its way from memory. The way holds until the list changes.
  // 1. The way to the leaf for (score, member), which is absent. O(log n), O(1) at the end.
  Path WayTo(double score, std::string_view member) const;
  // 2. How many entries of that leaf have a lower score.
  std::uint32_t CountBelow(const Path& way, double score) const;
  // 3. Adds it, given both. Requires that its record is there. O(leaf).
  void Insert(Path& way, std::uint32_t below, const Entry& entry);
  // Both require that `entry` is present and its record still there. O(log n).
  void Erase(const Entry& entry);
  void Move(const Entry& entry, double to);  // Gives it the score `to` and its new place.
  // Tells the list that the record of `entry` gets another handle: calls handle_of() for it when
  // the entry is found. Until then the old record must be there.
  template <typename HandleOf>
  void ChangeHandle(const Entry& entry, HandleOf handle_of);
  // Removes `count` entries from rank `first` on, calling removed(handle) for each.
  // Requires that they exist. `removed` may free the record.
  template <typename Removed>
  void EraseRange(std::size_t first, std::size_t count, Removed removed);
  // The same for the entries at the front or at the end. O(1) amortized each.
  template <typename Removed>
  void EraseFront(std::size_t count, Removed removed);
  template <typename Removed>
  void EraseBack(std::size_t count, Removed removed);

  // The first entry for which `before` is false (sorted_set_bounds.h). O(log n).
  template <typename Before>
  Place PartitionPoint(const Before& before) const;
  // The entry with that rank, or the end. O(log n).
  Place PlaceAt(std::size_t rank) const;
  // The handle of the entry `offset` steps from one end. Requires offset < size(). O(1) if small.
  Handle HandleFrom(ZEnd end, std::size_t offset) const;
  const Leaf* first_leaf() const { return first_; }
  const Leaf* last_leaf() const { return last_; }

  void CheckInvariants() const;

 private:
  using LinkNode = skiplist::LinkNode;

  // Leaves of 1 to 2 KB and nodes of 16 to 64 links were about equally fast at 100K and 1M members.
  static constexpr std::size_t kLeafBytesMax = 1536;
  static constexpr std::size_t kLeafEntriesMin = 8;
  static constexpr std::size_t kLeafEntriesMax =
      (kLeafBytesMax - sizeof(Leaf)) / sizeof(skiplist::LeafEntry);
  // A leaf with fewer entries joins its right neighbour, if both then have room to grow.
  static constexpr std::size_t kMergeBelow = kLeafEntriesMax / 4;
  static constexpr std::size_t kMergedMax = kLeafEntriesMax * 3 / 4;
  static constexpr std::size_t kNodeLinksMin = 8;
  // Each level has 2^kHeightBits times fewer nodes than the one below.
  static constexpr int kHeightBits = 5;

  template <typename Before>
  Path Descend(const Before& before) const;
  Path DescendToEntry(const Entry& entry) const;
  // How many entries of the way's leaf lie before `key`, of which `below` have a lower score.
  std::uint32_t PlaceIn(const Path& way, std::uint32_t below, const BeforeKey& key) const {
    return skiplist::SearchAmongTies(skiplist::LeafKeys{way.leaf->entries()}, way.leaf->count,
                                     below, key, *records_);
  }
  // How many entries of the leaf that a way leads to lie before its point.
  template <typename Before>
  std::uint32_t IndexIn(const Path& way, const Before& before) const {
    return skiplist::Search(skiplist::LeafKeys{way.leaf->entries()}, way.leaf->count, way.guess,
                            before, *records_);
  }
  std::uint32_t IndexOf(const Path& way, const Entry& entry) const;
  Path DescendToRank(std::size_t rank, std::uint32_t* index) const;
  Path PathToFirst() const;
  Path PathToLast() const;
  bool AdvanceToNextLeaf(Path& path) const;
  std::size_t RankOfLeaf(const Path& path) const;
  void AddToPath(const Path& path, std::uint32_t delta) const;

  Leaf* NewLeaf(std::size_t entries);
  void FreeLeaf(Leaf* leaf);
  LinkNode* NewNode(std::size_t links);
  void FreeNode(LinkNode* node);

  void InsertFirst(double score, Handle handle);
  void InsertAt(Path& path, std::uint32_t index, double score, Handle handle);
  static void InsertIntoLeaf(Leaf& leaf, std::uint32_t index, double score, Handle handle);
  void InsertIntoFullLeaf(Path& path, std::uint32_t index, double score, Handle handle);
  void ResizeLeaf(Path& path, std::size_t entries);
  static void MoveInLeaf(Leaf& leaf, std::uint32_t index, std::uint32_t place, double score);
  void RemoveFromLeaf(Path& path, std::uint32_t index, std::uint32_t count);
  void TidyLeaf(Path& path);
  void MergeWithNext(Path& path);
  void UpdateFirstEntry(const Path& path) const;

  void AddTower(Path& path, Leaf* leaf);
  void InsertLink(Path& path, std::size_t level, const Leaf& leaf, void* child,
                  std::uint32_t members);
  LinkNode* SplitNode(LinkNode* node, std::uint32_t at);
  void AddTopLevel(Path& path);
  void RemoveTower(const Path& path);
  bool RemoveLink(const Path& path, std::size_t level);
  void JoinPrevious(const Path& path, std::size_t level);
  void UnlinkAndFree(LinkNode* node);
  void LowerTop();
  LinkNode* Enlarge(LinkNode* old, std::uint32_t links);

  class Checker;

  Rng* rng_;
  const ScoreRecords* records_;
  LinkNode* top_ = nullptr;  // Null if the list is empty.
  Leaf* first_ = nullptr;
  Leaf* last_ = nullptr;
  std::size_t levels_ = 0;  // Above the leaves.
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t tower_changes_ = 0;  // Towers that came or went: while it stays, so do ways.
};

template <typename Before>
BlockedSkiplist::Path BlockedSkiplist::Descend(const Before& before) const {
  Path path;
  LinkNode* node = top_;
  for (std::size_t level = levels_; level-- > 0;) {
    // What lies before the first link does not matter: the place is below it anyhow.
    const skiplist::LinkKeys keys = {node->scores() + 1, node->handles() + 1};
    const std::uint32_t links = node->count - 1;
    const std::uint32_t slot = skiplist::Search(keys, links, links / 2, before, *records_);
    path.steps[level] = {node, slot};
    if (level == 0) {
      path.leaf = node->LeafAt(slot);
      path.guess = skiplist::GuessIndex(*node, slot, before);
      skiplist::PrefetchAround(path.leaf, path.guess);
    } else {
      node = node->NodeAt(slot);
    }
  }
  return path;
}

template <typename Before>
BlockedSkiplist::Place BlockedSkiplist::PartitionPoint(const Before& before) const {
  if (size_ == 0) return Place();
  const Path path = Descend(before);
  const std::uint32_t index = IndexIn(path, before);
  const std::size_t rank = RankOfLeaf(path) + index;
  if (index == path.leaf->count) return {path.leaf->next, 0, rank};
  return {path.leaf, index, rank};
}

template <typename HandleOf>
void BlockedSkiplist::ChangeHandle(const Entry& entry, HandleOf handle_of) {
  const Path path = DescendToEntry(entry);
  const std::uint32_t index = IndexOf(path, entry);
  path.leaf->entries()[index].handle = handle_of();
  if (index == 0) UpdateFirstEntry(path);
}

template <typename Removed>
void BlockedSkiplist::EraseRange(std::size_t first, std::size_t count, Removed removed) {
  while (count > 0) {
    std::uint32_t index = 0;
    Path path = DescendToRank(first, &index);
    const auto taken =
        static_cast<std::uint32_t>(std::min<std::size_t>(count, path.leaf->count - index));
    for (std::uint32_t i = 0; i < taken; ++i) removed(path.leaf->HandleAt(index + i));
    RemoveFromLeaf(path, index, taken);
    count -= taken;
  }
}

template <typename Removed>
void BlockedSkiplist::EraseFront(std::size_t count, Removed removed) {
  while (count > 0) {
    Path path = PathToFirst();
    const auto taken = static_cast<std::uint32_t>(std::min<std::size_t>(count, path.leaf->count));
    for (std::uint32_t i = 0; i < taken; ++i) removed(path.leaf->HandleAt(i));
    RemoveFromLeaf(path, 0, taken);
    count -= taken;
  }
}

template <typename Removed>
void BlockedSkiplist::EraseBack(std::size_t count, Removed removed) {
  while (count > 0) {
    Path path = PathToLast();
    const auto taken = static_cast<std::uint32_t>(std::min<std::size_t>(count, path.leaf->count));
    const std::uint32_t index = path.leaf->count - taken;
    for (std::uint32_t i = 0; i < taken; ++i) removed(path.leaf->HandleAt(index + i));
    RemoveFromLeaf(path, index, taken);
    count -= taken;
  }
}

}  // namespace rung

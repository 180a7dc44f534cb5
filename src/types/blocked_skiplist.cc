// Entries of the blocked skiplist: insertion, removal, and what that does to leaves. The towers of
// links above them are in blocked_skiplist_links.cc.

#include "types/blocked_skiplist.h"

#include <cstring>
#include <new>

#include "rung/base/check.h"
#include "rung/base/memory.h"

namespace rung {

using skiplist::Leaf;

BlockedSkiplist::~BlockedSkiplist() {
  LinkNode* leftmost = top_;
  for (std::size_t level = levels_; level-- > 0;) {
    LinkNode* const below = level > 0 ? leftmost->NodeAt(0) : nullptr;
    for (LinkNode* node = leftmost; node != nullptr;) {
      LinkNode* const next = node->next;
      FreeNode(node);
      node = next;
    }
    leftmost = below;
  }
  for (Leaf* leaf = first_; leaf != nullptr;) {
    Leaf* const next = leaf->next;
    FreeLeaf(leaf);
    leaf = next;
  }
}

// ---- Finding the way

BlockedSkiplist::Path BlockedSkiplist::PathToFirst() const {
  Path path;
  path.leaf = first_;
  path.guess = 0;
  LinkNode* node = top_;
  for (std::size_t level = levels_ - 1;; --level) {
    path.steps[level] = {node, 0};
    if (level == 0) return path;
    node = node->NodeAt(0);
  }
}

BlockedSkiplist::Path BlockedSkiplist::PathToLast() const {
  Path path;
  path.leaf = last_;
  path.guess = last_->count;
  LinkNode* node = top_;
  for (std::size_t level = levels_ - 1;; --level) {
    path.steps[level] = {node, node->count - 1};
    if (level == 0) return path;
    node = node->NodeAt(node->count - 1);
  }
}

BlockedSkiplist::Path BlockedSkiplist::DescendToRank(std::size_t rank, std::uint32_t* index) const {
  Path path;
  LinkNode* node = top_;
  for (std::size_t level = levels_ - 1;; --level) {
    std::uint32_t slot = 0;
    for (const std::uint32_t* members = node->members(); rank >= members[slot]; ++slot) {
      rank -= members[slot];
    }
    path.steps[level] = {node, slot};
    if (level == 0) {
      path.leaf = node->LeafAt(slot);
      path.guess = *index = static_cast<std::uint32_t>(rank);
      return path;
    }
    node = node->NodeAt(slot);
  }
}

BlockedSkiplist::Place BlockedSkiplist::PlaceAt(std::size_t rank) const {
  if (rank >= size_) return {nullptr, 0, size_};
  std::uint32_t index = 0;
  const Path path = DescendToRank(rank, &index);
  return {path.leaf, index, rank};
}

BlockedSkiplist::Handle BlockedSkiplist::HandleFrom(ZEnd end, std::size_t offset) const {
  if (end == ZEnd::kLowest) {
    const Leaf* leaf = first_;
    for (; offset >= leaf->count; leaf = leaf->next) offset -= leaf->count;
    return leaf->HandleAt(static_cast<std::uint32_t>(offset));
  }
  const Leaf* leaf = last_;
  for (; offset >= leaf->count; leaf = leaf->previous) offset -= leaf->count;
  return leaf->HandleAt(static_cast<std::uint32_t>(leaf->count - 1u - offset));
}

bool BlockedSkiplist::AdvanceToNextLeaf(Path& path) const {
  std::size_t level = 0;
  while (path.steps[level].slot + 1 == path.steps[level].node->count) {
    if (++level == levels_) return false;
  }
  ++path.steps[level].slot;
  for (; level > 0; --level) {
    const Step& above = path.steps[level];
    path.steps[level - 1] = {above.node->NodeAt(above.slot), 0};
  }
  path.leaf = path.steps[0].node->LeafAt(path.steps[0].slot);
  path.guess = 0;
  return true;
}

std::size_t BlockedSkiplist::RankOfLeaf(const Path& path) const {
  std::size_t rank = 0;
  for (std::size_t level = 0; level < levels_; ++level) {
    const std::uint32_t* const members = path.steps[level].node->members();
    for (std::uint32_t i = 0; i < path.steps[level].slot; ++i) rank += members[i];
  }
  return rank;
}

void BlockedSkiplist::AddToPath(const Path& path, std::uint32_t delta) const {
  for (std::size_t level = 0; level < levels_; ++level) {
    path.steps[level].node->members()[path.steps[level].slot] += delta;
  }
}

void BlockedSkiplist::UpdateFirstEntry(const Path& path) const {
  for (std::size_t level = 0; level < levels_; ++level) {
    const auto [node, slot] = path.steps[level];
    if (slot == 0) continue;
    node->scores()[slot] = path.leaf->ScoreAt(0);
    node->handles()[slot] = path.leaf->HandleAt(0);
    return;
  }
}

// ---- Leaves

// Leaves of a hundred sizes that come and go would keep the allocator busy, in memory that nobody
// else touches; so all but the smallest have room for the most that a leaf may hold.
Leaf* BlockedSkiplist::NewLeaf(std::size_t entries) {
  constexpr std::size_t kSmallMax = 24;
  if (entries > kSmallMax) entries = kLeafEntriesMax;
  const std::size_t wanted = AllocationSize(Leaf::BytesFor(std::max(entries, kLeafEntriesMin)));
  const std::size_t capacity =
      (std::min(wanted, kLeafBytesMax) - sizeof(Leaf)) / sizeof(skiplist::LeafEntry);
  auto* const leaf = new (AllocateBlock(Leaf::BytesFor(capacity), PagesBeyond(bytes_))) Leaf{};
  leaf->capacity = static_cast<std::uint16_t>(capacity);
  bytes_ += AllocationSize(Leaf::BytesFor(capacity));
  return leaf;
}

void BlockedSkiplist::FreeLeaf(Leaf* leaf) {
  const std::size_t bytes = Leaf::BytesFor(leaf->capacity);
  bytes_ -= AllocationSize(bytes);
  FreeBlock(leaf, bytes);
}

void BlockedSkiplist::InsertIntoLeaf(Leaf& leaf, std::uint32_t index, double score, Handle handle) {
  const std::uint32_t count = leaf.count;
  const bool room_behind = leaf.begin + count < leaf.capacity;
  if (leaf.begin > 0 && (!room_behind || index < count / 2)) {
    --leaf.begin;
    skiplist::LeafEntry* const entries = leaf.entries();
    std::memmove(entries, entries + 1, index * sizeof(*entries));
  } else {
    skiplist::LeafEntry* const entries = leaf.entries() + index;
    std::memmove(entries + 1, entries, (count - index) * sizeof(*entries));
  }
  leaf.entries()[index] = {score, handle};
  leaf.last_insert = static_cast<std::uint16_t>(index);
  ++leaf.count;
}

// ---- Insertion

BlockedSkiplist::Path BlockedSkiplist::WayTo(double score, std::string_view member) const {
  if (size_ == 0) return {};
  const BeforeKey key = {score, member};
  const std::uint32_t last = last_->count - 1u;
  if (key(last_->ScoreAt(last), [&] { return records_->Member(last_->HandleAt(last)); })) {
    return PathToLast();
  }
  return Descend(key);
}

// Asks for the records which will tell about those with the same score.
std::uint32_t BlockedSkiplist::CountBelow(const Path& way, double score) const {
  if (way.leaf == nullptr) return 0;
  const std::uint32_t below = IndexIn(way, BeforeScore{score, false});
  skiplist::PrefetchTies(*way.leaf, below, score, *records_);
  return below;
}

void BlockedSkiplist::Insert(Path& way, std::uint32_t below, const Entry& entry) {
  const auto& [score, member, handle] = entry;
  if (way.leaf == nullptr) {
    InsertFirst(score, handle);
    return;
  }
  InsertAt(way, PlaceIn(way, below, BeforeKey{score, member}), score, handle);
}

void BlockedSkiplist::InsertAt(Path& path, std::uint32_t index, double score, Handle handle) {
  Leaf& leaf = *path.leaf;
  ++size_;
  AddToPath(path, 1);
  if (leaf.count < leaf.capacity) {
    InsertIntoLeaf(leaf, index, score, handle);
  } else {
    InsertIntoFullLeaf(path, index, score, handle);
  }
}

void BlockedSkiplist::InsertFirst(double score, Handle handle) {
  first_ = last_ = NewLeaf(kLeafEntriesMin);
  InsertIntoLeaf(*first_, 0, score, handle);
  top_ = NewNode(kNodeLinksMin);
  top_->count = 1;
  top_->children()[0] = first_;
  top_->members()[0] = 1;
  levels_ = 1;
  size_ = 1;
}

void BlockedSkiplist::InsertIntoFullLeaf(Path& path, std::uint32_t index, double score,
                                         Handle handle) {
  const std::uint32_t count = path.leaf->count;
  if (count < kLeafEntriesMax) {
    ResizeLeaf(path, count * std::size_t{2});
    InsertIntoLeaf(*path.leaf, index, score, handle);
    return;
  }

  // One in a run of insertions at neighbouring places, upwards or downwards.
  const bool in_run = index == path.leaf->last_insert + 1u || index == path.leaf->last_insert;
  const std::uint32_t split_at = in_run ? index : count / 2;
  const std::uint32_t moved = count - split_at;
  Leaf* const right = NewLeaf(moved + 1);
  std::copy_n(path.leaf->entries() + split_at, moved, right->entries());
  right->count = static_cast<std::uint16_t>(moved);
  path.leaf->count = static_cast<std::uint16_t>(split_at);
  if (moved == 0) {
    InsertIntoLeaf(*right, 0, score, handle);
  } else {
    // Not to the front of the right leaf: the next of a run comes to the end of the left one too.
    if (index <= split_at) {
      InsertIntoLeaf(*path.leaf, index, score, handle);
    } else {
      InsertIntoLeaf(*right, index - split_at, score, handle);
    }
  }
  AddTower(path, right);
}

void BlockedSkiplist::ResizeLeaf(Path& path, std::size_t entries) {
  Leaf* const old = path.leaf;
  Leaf* const leaf = NewLeaf(entries);
  leaf->previous = old->previous;
  leaf->next = old->next;
  leaf->count = old->count;
  leaf->last_insert = old->last_insert;
  std::copy_n(old->entries(), old->count, leaf->entries());
  (leaf->previous != nullptr ? leaf->previous->next : first_) = leaf;
  (leaf->next != nullptr ? leaf->next->previous : last_) = leaf;
  path.steps[0].node->children()[path.steps[0].slot] = leaf;
  path.leaf = leaf;
  FreeLeaf(old);
}

// ---- Removal and moves

// By an inclusive key, since the first entry of a leaf is not before itself and the way to an
// exclusive key would end one leaf too early.
BlockedSkiplist::Path BlockedSkiplist::DescendToEntry(const Entry& entry) const {
  return Descend(BeforeKey{entry.score, entry.member, true});
}

// Knows the entry by its handle where few have its score: then no other record is read, which would
// be a cache miss for each.
std::uint32_t BlockedSkiplist::IndexOf(const Path& way, const Entry& entry) const {
  constexpr std::uint32_t kFew = 8;
  const Leaf& leaf = *way.leaf;
  std::uint32_t index = IndexIn(way, BeforeScore{entry.score, false});
  const std::uint32_t few_end = std::min<std::uint32_t>(index + kFew, leaf.count);
  for (; index < few_end; ++index) {
    if (leaf.HandleAt(index) == entry.handle) return index;
  }
  index = IndexIn(way, BeforeKey{entry.score, entry.member});
  RUNG_CHECK(index < leaf.count, "the entry is not in the list");
  return index;
}

void BlockedSkiplist::Erase(const Entry& entry) {
  Path path = DescendToEntry(entry);
  RemoveFromLeaf(path, IndexOf(path, entry), 1);
}

void BlockedSkiplist::RemoveFromLeaf(Path& path, std::uint32_t index, std::uint32_t count) {
  Leaf& leaf = *path.leaf;
  skiplist::LeafEntry* const entries = leaf.entries();
  const std::uint32_t behind = leaf.count - index - count;
  if (index == 0) {
    leaf.begin = static_cast<std::uint16_t>(leaf.begin + count);
  } else if (index <= behind) {
    std::memmove(entries + count, entries, index * sizeof(*entries));
    leaf.begin = static_cast<std::uint16_t>(leaf.begin + count);
  } else {
    std::memmove(entries + index, entries + index + count, behind * sizeof(*entries));
  }
  leaf.count = static_cast<std::uint16_t>(leaf.count - count);
  size_ -= count;
  AddToPath(path, -count);
  if (leaf.count == 0) {
    RemoveTower(path);
    return;
  }
  if (index == 0) UpdateFirstEntry(path);
  // The leaves at the ends are left alone: they are the ones that pops and appends change.
  if (&leaf != first_ && &leaf != last_) TidyLeaf(path);
}

void BlockedSkiplist::TidyLeaf(Path& path) {
  const std::uint32_t count = path.leaf->count;
  if (count < kMergeBelow && count + std::size_t{path.leaf->next->count} <= kMergedMax) {
    MergeWithNext(path);
  }
}

void BlockedSkiplist::MergeWithNext(Path& path) {
  Path next_path = path;
  RUNG_CHECK(AdvanceToNextLeaf(next_path), "a leaf has links above it");
  Leaf& next = *next_path.leaf;
  const std::uint32_t moved = next.count;
  ResizeLeaf(path, path.leaf->count + moved);
  Leaf& leaf = *path.leaf;
  std::copy_n(next.entries(), moved, leaf.entries() + leaf.count);
  leaf.count = static_cast<std::uint16_t>(leaf.count + moved);
  next.count = 0;
  AddToPath(path, moved);
  AddToPath(next_path, -moved);
  RemoveTower(next_path);
}

// Looks up both places before it changes anything, so that what they wait for in memory comes at
// the same time: the two leaves, then the records of members that have the new score already.
void BlockedSkiplist::Move(const Entry& entry, double to) {
  const BeforeKey key = {to, entry.member};
  Path target = Descend(key);
  Path path = DescendToEntry(entry);
  std::uint32_t below = CountBelow(target, to);
  const std::uint32_t index = IndexOf(path, entry);
  if (path.leaf == target.leaf) {
    const std::uint32_t place = PlaceIn(target, below, key);
    MoveInLeaf(*path.leaf, index, place, to);
    if (index == 0 || place == 0) UpdateFirstEntry(path);
    return;
  }
  const std::uint64_t tower_changes = tower_changes_;
  RemoveFromLeaf(path, index, 1);
  if (tower_changes != tower_changes_) {
    target = Descend(key);
    below = CountBelow(target, to);
  }
  Insert(target, below, {to, entry.member, entry.handle});
}

// `place` is where it would be inserted, itself being counted.
void BlockedSkiplist::MoveInLeaf(Leaf& leaf, std::uint32_t index, std::uint32_t place,
                                 double score) {
  skiplist::LeafEntry* const entries = leaf.entries();
  const Handle handle = leaf.HandleAt(index);
  if (place > index) {
    --place;
    std::memmove(entries + index, entries + index + 1, (place - index) * sizeof(*entries));
  } else {
    std::memmove(entries + place + 1, entries + place, (index - place) * sizeof(*entries));
  }
  entries[place] = {score, handle};
}

}  // namespace rung

// The levels of links above the leaves: towers that come and go with their leaf.

#include <algorithm>
#include <bit>
#include <new>
#include <numeric>

#include "rung/base/check.h"
#include "rung/base/memory.h"
#include "types/blocked_skiplist.h"

namespace rung {
namespace {

using skiplist::LinkNode;

void CopyLinks(LinkNode& from, std::uint32_t first, std::uint32_t count, LinkNode& to,
               std::uint32_t to_slot) {
  std::copy_n(from.scores() + first, count, to.scores() + to_slot);
  std::copy_n(from.children() + first, count, to.children() + to_slot);
  std::copy_n(from.handles() + first, count, to.handles() + to_slot);
  std::copy_n(from.members() + first, count, to.members() + to_slot);
}

template <typename T>
void OpenGap(T* array, std::uint32_t slot, std::uint32_t count) {
  std::copy_backward(array + slot, array + count, array + count + 1);
}

template <typename T>
void CloseGap(T* array, std::uint32_t slot, std::uint32_t count) {
  std::copy(array + slot + 1, array + count, array + slot);
}

void EraseLink(LinkNode& node, std::uint32_t slot) {
  CloseGap(node.scores(), slot, node.count);
  CloseGap(node.children(), slot, node.count);
  CloseGap(node.handles(), slot, node.count);
  CloseGap(node.members(), slot, node.count);
  --node.count;
}

}  // namespace

LinkNode* BlockedSkiplist::NewNode(std::size_t links) {
  const std::size_t wanted = AllocationSize(LinkNode::BytesFor(std::max(links, kNodeLinksMin)));
  const std::size_t capacity = (wanted - sizeof(LinkNode)) / LinkNode::kLinkBytes;
  auto* const node =
      new (AllocateBlock(LinkNode::BytesFor(capacity), PagesBeyond(bytes_))) LinkNode{};
  node->capacity = static_cast<std::uint32_t>(capacity);
  bytes_ += AllocationSize(LinkNode::BytesFor(capacity));
  return node;
}

void BlockedSkiplist::FreeNode(LinkNode* node) {
  const std::size_t bytes = LinkNode::BytesFor(node->capacity);
  bytes_ -= AllocationSize(bytes);
  FreeBlock(node, bytes);
}

LinkNode* BlockedSkiplist::Enlarge(LinkNode* old, std::uint32_t links) {
  LinkNode* const node = NewNode(links);
  node->previous = old->previous;
  node->next = old->next;
  node->count = old->count;
  CopyLinks(*old, 0, old->count, *node, 0);
  if (node->previous != nullptr) node->previous->next = node;
  if (node->next != nullptr) node->next->previous = node;
  FreeNode(old);
  return node;
}

void BlockedSkiplist::AddTower(Path& path, Leaf* leaf) {
  ++tower_changes_;
  leaf->previous = path.leaf;
  leaf->next = path.leaf->next;
  leaf->previous->next = leaf;
  (leaf->next != nullptr ? leaf->next->previous : last_) = leaf;

  constexpr std::uint64_t kStop = std::uint64_t{1} << 63;
  const auto drawn = static_cast<std::size_t>(std::countr_zero(rng_->Next() | kStop)) / kHeightBits;
  // At most one level more than there is, so that the top level never has a single link.
  const std::size_t height = std::min({drawn, levels_, kLevelsMax - 1});
  void* child = leaf;
  std::uint32_t members = leaf->count;
  for (std::size_t level = 0;; ++level) {
    if (level == levels_) AddTopLevel(path);
    InsertLink(path, level, *leaf, child, members);
    if (level == height) return;
    LinkNode* const right = SplitNode(path.steps[level].node, path.steps[level].slot + 1);
    child = right;
    members = std::accumulate(right->members(), right->members() + right->count, 0u);
  }
}

// Adds a link behind the one that the path takes, which gives `members` of its members to it.
void BlockedSkiplist::InsertLink(Path& path, std::size_t level, const Leaf& leaf, void* child,
                                 std::uint32_t members) {
  auto& [node, left] = path.steps[level];
  if (node->count == node->capacity) {
    node = Enlarge(node, node->count + node->count / 2);
    if (level + 1 == levels_) {
      top_ = node;
    } else {
      path.steps[level + 1].node->children()[path.steps[level + 1].slot] = node;
    }
  }
  const std::uint32_t slot = left + 1;
  node->members()[left] -= members;
  OpenGap(node->scores(), slot, node->count);
  OpenGap(node->children(), slot, node->count);
  OpenGap(node->handles(), slot, node->count);
  OpenGap(node->members(), slot, node->count);
  node->scores()[slot] = leaf.ScoreAt(0);
  node->children()[slot] = child;
  node->handles()[slot] = leaf.HandleAt(0);
  node->members()[slot] = members;
  ++node->count;
}

LinkNode* BlockedSkiplist::SplitNode(LinkNode* node, std::uint32_t at) {
  LinkNode* const right = NewNode(node->count - at);
  right->count = node->count - at;
  CopyLinks(*node, at, right->count, *right, 0);
  node->count = at;
  right->previous = node;
  right->next = node->next;
  if (right->next != nullptr) right->next->previous = right;
  node->next = right;
  return right;
}

void BlockedSkiplist::AddTopLevel(Path& path) {
  LinkNode* const top = NewNode(kNodeLinksMin);
  top->count = 1;
  top->children()[0] = top_;
  top->members()[0] = static_cast<std::uint32_t>(size_);
  path.steps[levels_] = {top, 0};
  top_ = top;
  ++levels_;
}

void BlockedSkiplist::RemoveTower(const Path& path) {
  ++tower_changes_;
  Leaf* const leaf = path.leaf;
  (leaf->previous != nullptr ? leaf->previous->next : first_) = leaf->next;
  (leaf->next != nullptr ? leaf->next->previous : last_) = leaf->previous;
  FreeLeaf(leaf);

  std::size_t level = 0;
  while (level < levels_ && RemoveLink(path, level)) ++level;
  if (level == levels_) {
    top_ = nullptr;
    levels_ = 0;
  } else {
    LowerTop();
  }
}

// Removes the link that the path takes; what it still counts goes to the link before it. Returns
// whether its node went too, so that the link to the node must be removed from the level above.
bool BlockedSkiplist::RemoveLink(const Path& path, std::size_t level) {
  const auto [node, slot] = path.steps[level];
  if (slot > 0) {
    node->members()[slot - 1] += node->members()[slot];
    EraseLink(*node, slot);
    return false;
  }
  if (node->previous != nullptr) {
    JoinPrevious(path, level);
    return true;
  }
  // The leftmost tower stands before everything: the next leaf inherits it, as high as it is not
  // higher itself.
  EraseLink(*node, 0);
  if (node->count > 0) return false;
  UnlinkAndFree(node);
  return true;
}

// The first link of a node goes and takes the node's beginning with it.
void BlockedSkiplist::JoinPrevious(const Path& path, std::size_t level) {
  LinkNode* const node = path.steps[level].node;
  LinkNode* previous = node->previous;
  const std::uint32_t joined = previous->count + node->count - 1;
  if (joined > previous->capacity) {
    const auto [above, slot] = path.steps[level + 1];
    void*& link = slot > 0 ? above->children()[slot - 1]
                           : above->previous->children()[above->previous->count - 1];
    previous = Enlarge(previous, joined + joined / 8);
    link = previous;
  }
  previous->members()[previous->count - 1] += node->members()[0];
  CopyLinks(*node, 1, node->count - 1, *previous, previous->count);
  previous->count = joined;
  UnlinkAndFree(node);
}

void BlockedSkiplist::UnlinkAndFree(LinkNode* node) {
  if (node->previous != nullptr) node->previous->next = node->next;
  if (node->next != nullptr) node->next->previous = node->previous;
  FreeNode(node);
}

void BlockedSkiplist::LowerTop() {
  while (levels_ > 1 && top_->count == 1) {
    LinkNode* const below = top_->NodeAt(0);
    FreeNode(top_);
    top_ = below;
    --levels_;
  }
}

// ---- Invariants

// Walks all levels from left to right at once, in the order of the links.
class BlockedSkiplist::Checker {
 public:
  explicit Checker(const BlockedSkiplist& list) : list_(list) {}

  void Run() {
    RUNG_CHECK((list_.top_ == nullptr) == (list_.size_ == 0), "skiplist: empty without a top");
    if (list_.size_ > 0) {
      RUNG_CHECK(list_.top_->next == nullptr && (list_.levels_ == 1 || list_.top_->count > 1),
                 "skiplist: the top level is one node with more than one link");
      RUNG_CHECK(CheckNode(list_.top_, list_.levels_ - 1) == list_.size_,
                 "skiplist: all entries are below the top");
    }
    RUNG_CHECK(leaf_ == list_.last_, "skiplist: the last leaf is the end of the list");
    RUNG_CHECK(bytes_ == list_.bytes_, "skiplist: bytes add up");
  }

 private:
  std::size_t CheckNode(LinkNode* node, std::size_t level) {
    RUNG_CHECK(node->previous == nodes_[level], "skiplist: nodes are linked from right to left");
    RUNG_CHECK(node->previous == nullptr || node->previous->next == node,
               "skiplist: nodes are linked from left to right");
    RUNG_CHECK(node->count > 0 && node->count <= node->capacity, "skiplist: no node is empty");
    nodes_[level] = node;
    bytes_ += AllocationSize(LinkNode::BytesFor(node->capacity));
    std::size_t total = 0;
    for (std::uint32_t slot = 0; slot < node->count; ++slot) {
      const Leaf* const before = leaf_;
      const std::size_t members =
          level == 0 ? CheckLeaf(node->LeafAt(slot)) : CheckNode(node->NodeAt(slot), level - 1);
      RUNG_CHECK(members == node->members()[slot], "skiplist: links count what is below them");
      total += members;
      if (slot == 0) continue;
      const Leaf* const first = before->next;
      RUNG_CHECK(
          node->scores()[slot] == first->ScoreAt(0) && node->handles()[slot] == first->HandleAt(0),
          "skiplist: links know the first entry below them");
    }
    return total;
  }

  std::size_t CheckLeaf(const Leaf* leaf) {
    RUNG_CHECK(leaf->previous == leaf_, "skiplist: leaves are linked from right to left");
    RUNG_CHECK((leaf_ == nullptr ? list_.first_ : leaf_->next) == leaf,
               "skiplist: leaves are linked from left to right");
    RUNG_CHECK(leaf->count > 0 && leaf->begin + leaf->count <= leaf->capacity,
               "skiplist: a leaf has entries within its capacity");
    leaf_ = leaf;
    bytes_ += AllocationSize(Leaf::BytesFor(leaf->capacity));
    for (std::uint32_t i = 0; i < leaf->count; ++i) {
      const double score = leaf->ScoreAt(i);
      const std::string_view member = list_.records_->Member(leaf->HandleAt(i));
      RUNG_CHECK(score == list_.records_->Score(leaf->HandleAt(i)),
                 "skiplist: an entry has its record's score");
      const BeforeKey key = {score, member};
      RUNG_CHECK(!any_ || key(last_score_, [&] { return last_member_; }),
                 "skiplist: entries ascend strictly");
      any_ = true;
      last_score_ = score;
      last_member_ = member;
    }
    return leaf->count;
  }

  const BlockedSkiplist& list_;
  std::array<LinkNode*, kLevelsMax> nodes_{};  // The last one seen on each level.
  const Leaf* leaf_ = nullptr;
  std::size_t bytes_ = 0;
  bool any_ = false;
  double last_score_ = 0;
  std::string_view last_member_;
};

void BlockedSkiplist::CheckInvariants() const { Checker(*this).Run(); }

}  // namespace rung

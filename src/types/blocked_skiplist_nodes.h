// The packed nodes of the blocked skiplist (blocked_skiplist.h): leaves and link nodes, each one
// block of memory with its arrays behind the header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "types/score_records.h"

namespace rung::skiplist {

using Handle = ScoreRecords::Handle;

// One entry of level 0, packed to 12 bytes: whoever finds a score has its handle in the same line.
struct [[gnu::packed, gnu::aligned(alignof(Handle))]] LeafEntry {
  double score;
  Handle handle;
};
static_assert(sizeof(LeafEntry) == sizeof(double) + sizeof(Handle));

// Some hundred entries of level 0. They may begin after a gap, so that taking the first one off
// costs nothing.
struct Leaf {
  Leaf* previous;
  Leaf* next;
  std::uint16_t capacity;
  std::uint16_t begin;
  std::uint16_t count;
  std::uint16_t last_insert;  // Index of the last insertion: tells runs from random ones.

  static std::size_t BytesFor(std::size_t entries) {
    return sizeof(Leaf) + entries * sizeof(LeafEntry);
  }

  LeafEntry* entries() { return reinterpret_cast<LeafEntry*>(this + 1) + begin; }
  const LeafEntry* entries() const { return reinterpret_cast<const LeafEntry*>(this + 1) + begin; }
  double ScoreAt(std::uint32_t index) const { return entries()[index].score; }
  Handle HandleAt(std::uint32_t index) const { return entries()[index].handle; }
};

// The links of a stretch of one level above the leaves, packed. A link leads one level down and
// knows the first entry and the number of members of what it leads to.
struct LinkNode {
  static constexpr std::size_t kLinkBytes =
      sizeof(double) + sizeof(void*) + sizeof(Handle) + sizeof(std::uint32_t);

  LinkNode* previous;
  LinkNode* next;
  std::uint32_t capacity;
  std::uint32_t count;

  static std::size_t BytesFor(std::size_t links) { return sizeof(LinkNode) + links * kLinkBytes; }

  double* scores() { return reinterpret_cast<double*>(this + 1); }
  void** children() { return reinterpret_cast<void**>(scores() + capacity); }
  Handle* handles() { return reinterpret_cast<Handle*>(children() + capacity); }
  std::uint32_t* members() { return reinterpret_cast<std::uint32_t*>(handles() + capacity); }

  // A link on level 1 leads to a leaf, one on a higher level to a node.
  Leaf* LeafAt(std::uint32_t slot) { return static_cast<Leaf*>(children()[slot]); }
  LinkNode* NodeAt(std::uint32_t slot) { return static_cast<LinkNode*>(children()[slot]); }
};

}  // namespace rung::skiplist

// The packed nodes of the blocked skiplist (blocked_skiplist.h): leaves and link nodes, each one
// block of memory with its arrays behind the header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "types/score_records.h"

namespace rung::skiplist {

using Handle = ScoreRecords::Handle;

// Some hundred entries of level 0, each a score and a record's handle. Entries may begin after a
// gap, so that taking the first one off costs nothing.
struct Leaf {
  static constexpr std::size_t kEntryBytes = sizeof(double) + sizeof(Handle);

  Leaf* previous;
  Leaf* next;
  std::uint16_t capacity;
  std::uint16_t begin;
  std::uint16_t count;
  std::uint16_t last_insert;  // Index of the last insertion: tells runs from random ones.

  static std::size_t BytesFor(std::size_t entries) { return sizeof(Leaf) + entries * kEntryBytes; }

  double* scores() { return reinterpret_cast<double*>(this + 1) + begin; }
  const double* scores() const { return reinterpret_cast<const double*>(this + 1) + begin; }
  Handle* handles() {
    return reinterpret_cast<Handle*>(reinterpret_cast<double*>(this + 1) + capacity) + begin;
  }
  const Handle* handles() const {
    return reinterpret_cast<const Handle*>(reinterpret_cast<const double*>(this + 1) + capacity) +
           begin;
  }
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

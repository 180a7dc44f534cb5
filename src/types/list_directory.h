// The blocks of a List of more than one block. Private to list*.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "types/list_block.h"

namespace rung {

struct List::Directory {
  struct Slot {
    Block* block;
    // Of the block's first element, on an axis on which only differences mean anything. Not kept
    // for the first slot.
    std::int64_t position;
  };

  std::size_t size = 0;         // Elements.
  std::size_t block_bytes = 0;  // Reserved for all blocks.
  Block* head = nullptr;        // Those of the first and last slot: the way to them is hot.
  Block* tail = nullptr;
  std::deque<Slot> slots;  // Two or more.

  void CacheEnds() {
    head = slots.front().block;
    tail = slots.back().block;
  }
};

}  // namespace rung

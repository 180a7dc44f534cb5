// OrderedItems: pointers in ascending order of a key that lies in what they point to.
//
// Why so. All the orders of a queue — the jobs of a tier, delayed ones by due time, leases by
// deadline — grow at the end and shrink at the front, and only now and then in the middle. So the
// pointers lie in blocks, in a ring of blocks: both ends cost O(1) and touch one cache line, the
// middle costs a binary search and the moving of one block. A rank adds up the sizes of the blocks.
//
// Traits::KeyOf(item) gives the key, an ordered type; the keys of two items differ, and a key does
// not change while its item is here.
//
// Invariants (CheckInvariants):
//  1. Keys ascend strictly.
//  2. No block is empty, but a single one that is kept for its memory; sizes add up to size().
//
// Not thread-safe. Owns the blocks, not what the items point to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "rung/base/check.h"
#include "rung/base/memory.h"

namespace rung {

template <typename Item, typename Traits>
class OrderedItems {
 public:
  using Key = decltype(Traits::KeyOf(std::declval<Item>()));

  // A position; any change makes it invalid.
  class Cursor {
   public:
    bool Valid() const { return block_ < owner_->blocks_.size(); }
    Item operator*() const { return owner_->blocks_[block_].At(index_); }
    // To the one before; from the first one, to nothing.
    void Previous() {
      if (index_ > 0) {
        --index_;
      } else if (block_ > owner_->first_) {
        --block_;
        index_ = owner_->blocks_[block_].size() - 1;
      } else {
        block_ = owner_->blocks_.size();
      }
    }
    void Next() {
      if (++index_ < owner_->blocks_[block_].size()) return;
      ++block_;
      index_ = 0;
    }

   private:
    friend class OrderedItems;
    Cursor(const OrderedItems& owner, std::size_t block, std::uint32_t index)
        : owner_(&owner), block_(block), index_(index) {
      if (Valid() && index_ >= owner.blocks_[block_].size()) {
        ++block_;
        index_ = 0;
      }
    }
    const OrderedItems* owner_;
    std::size_t block_;
    std::uint32_t index_;
  };

  OrderedItems() = default;
  OrderedItems(OrderedItems&& other) noexcept { Swap(other); }
  OrderedItems& operator=(OrderedItems&& other) noexcept {
    OrderedItems taken(std::move(other));
    Swap(taken);
    return *this;
  }
  ~OrderedItems() {
    for (std::size_t i = first_; i < blocks_.size(); ++i) blocks_[i].Release();
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Requires !empty().
  Item front() const { return blocks_[first_].At(0); }
  Item back() const { return blocks_.back().At(blocks_.back().size() - 1); }
  // Of the blocks; O(1).
  std::size_t MemoryBytes() const { return bytes_ + blocks_.capacity() * sizeof(Block); }

  // O(1) at the end.
  void Insert(Item item) {
    ++size_;
    if (first_ == blocks_.size()) {
      blocks_.push_back(NewBlock(kSmallest));
    } else if (size_ > 1 && Traits::KeyOf(item) < Traits::KeyOf(back())) {
      return InsertInside(item);
    }
    Append(item);
  }

  // Requires that the item is here. O(1) at the front.
  void Erase(Item item) {
    std::size_t block = first_;
    std::uint32_t index = 0;
    if (front() != item) {
      block = BlockOf(Traits::KeyOf(item));
      index = blocks_[block].LowerBound(Traits::KeyOf(item));
      RUNG_CHECK(block < blocks_.size() && blocks_[block].At(index) == item, "item is not here");
    }
    --size_;
    blocks_[block].EraseAt(index);
    if (blocks_[block].size() == 0) DropBlock(block);
  }

  Cursor First() const { return Cursor(*this, first_, 0); }
  Cursor Last() const {
    if (empty()) return First();
    return Cursor(*this, blocks_.size() - 1, blocks_.back().size() - 1);
  }
  // The first item whose key is not below `key`. O(log n).
  Cursor LowerBound(const Key& key) const {
    const std::size_t block = BlockOf(key);
    if (block == blocks_.size()) return Cursor(*this, block, 0);
    return Cursor(*this, block, blocks_[block].LowerBound(key));
  }
  // How many items have a smaller key. O(blocks).
  std::size_t RankOf(const Key& key) const {
    const std::size_t block = BlockOf(key);
    std::size_t rank = 0;
    for (std::size_t i = first_; i < block; ++i) rank += blocks_[i].size();
    return block == blocks_.size() ? rank : rank + blocks_[block].LowerBound(key);
  }

  void CheckInvariants() const {
    std::size_t count = 0;
    Item last{};
    for (std::size_t i = first_; i < blocks_.size(); ++i) {
      RUNG_CHECK(blocks_[i].size() > 0 || blocks_.size() - first_ == 1, "an empty block");
      for (std::uint32_t j = 0; j < blocks_[i].size(); ++j, ++count) {
        const Item item = blocks_[i].At(j);
        RUNG_CHECK(count == 0 || Traits::KeyOf(last) < Traits::KeyOf(item), "keys out of order");
        last = item;
      }
    }
    RUNG_CHECK(count == size_, "the size is wrong");
  }

 private:
  static constexpr std::uint32_t kSmallest = 4;
  static constexpr std::uint32_t kLargest = 256;

  struct Block {
    Item* items = nullptr;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t capacity = 0;

    std::uint32_t size() const { return end - begin; }
    Item At(std::uint32_t index) const { return items[begin + index]; }
    std::uint32_t LowerBound(const Key& key) const {
      const Item* const found =
          std::lower_bound(items + begin, items + end, key,
                           [](Item item, const Key& bound) { return Traits::KeyOf(item) < bound; });
      return static_cast<std::uint32_t>(found - (items + begin));
    }
    void EraseAt(std::uint32_t index) {
      Item* const place = items + begin + index;
      if (index < size() / 2) {
        std::memmove(items + begin + 1, items + begin, index * sizeof(Item));
        ++begin;
      } else {
        std::memmove(place, place + 1, (size() - index - 1) * sizeof(Item));
        --end;
      }
    }
    // Requires room.
    void InsertAt(std::uint32_t index, Item item) {
      if (begin > 0 && (index < size() / 2 || end == capacity)) {
        std::memmove(items + begin - 1, items + begin, index * sizeof(Item));
        --begin;
      } else {
        std::memmove(items + begin + index + 1, items + begin + index,
                     (size() - index) * sizeof(Item));
        ++end;
      }
      items[begin + index] = item;
    }
    void Release() { Free(items, capacity * sizeof(Item)); }
  };

  void Swap(OrderedItems& other) noexcept {
    std::swap(blocks_, other.blocks_);
    std::swap(first_, other.first_);
    std::swap(size_, other.size_);
    std::swap(bytes_, other.bytes_);
  }

  Block NewBlock(std::uint32_t capacity) {
    const std::size_t bytes = capacity * sizeof(Item);
    bytes_ += AllocationSize(bytes);
    return {
        .items = static_cast<Item*>(Allocate(bytes)), .begin = 0, .end = 0, .capacity = capacity};
  }
  void FreeBlock(Block& block) {
    bytes_ -= AllocationSize(block.capacity * sizeof(Item));
    block.Release();
  }

  // The first block whose last key is not below `key`.
  std::size_t BlockOf(const Key& key) const {
    const auto found = std::partition_point(
        blocks_.begin() + static_cast<std::ptrdiff_t>(first_), blocks_.end(),
        [&](const Block& block) {
          return block.size() == 0 || Traits::KeyOf(block.At(block.size() - 1)) < key;
        });
    return static_cast<std::size_t>(found - blocks_.begin());
  }

  void Append(Item item) {
    Block& last = blocks_.back();
    if (last.end < last.capacity) {
      last.items[last.end++] = item;
    } else if (last.begin >= last.capacity / 2) {
      std::memmove(last.items, last.items + last.begin, last.size() * sizeof(Item));
      last.end -= last.begin;
      last.begin = 0;
      last.items[last.end++] = item;
    } else if (last.capacity < kLargest) {
      Grow(last);
      last.items[last.end++] = item;
    } else {
      blocks_.push_back(NewBlock(kLargest));
      blocks_.back().items[blocks_.back().end++] = item;
    }
  }

  void Grow(Block& block) {
    Block larger = NewBlock(block.capacity * 2);
    larger.end = block.size();
    std::memcpy(larger.items, block.items + block.begin, block.size() * sizeof(Item));
    FreeBlock(block);
    block = larger;
  }

  void InsertInside(Item item) {
    std::size_t at = BlockOf(Traits::KeyOf(item));
    if (blocks_[at].size() == blocks_[at].capacity) {
      if (blocks_[at].capacity < kLargest) {
        Grow(blocks_[at]);
      } else {
        Split(at);
        at = BlockOf(Traits::KeyOf(item));
      }
    }
    blocks_[at].InsertAt(blocks_[at].LowerBound(Traits::KeyOf(item)), item);
  }

  void Split(std::size_t at) {
    Block upper = NewBlock(kLargest);
    Block& lower = blocks_[at];
    upper.end = lower.size() / 2;
    lower.end -= upper.end;
    std::memcpy(upper.items, lower.items + lower.end, upper.end * sizeof(Item));
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1, upper);
  }

  void DropBlock(std::size_t at) {
    if (blocks_.size() - first_ == 1) {
      blocks_[at].begin = blocks_[at].end = 0;
      return;
    }
    FreeBlock(blocks_[at]);
    if (at != first_) {
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    }
    // The places of blocks that have gone from the front are given back now and then.
    blocks_[first_++] = Block{};
    if (first_ < 16 || first_ * 2 < blocks_.size()) return;
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }

  std::vector<Block> blocks_;
  std::size_t first_ = 0;  // The blocks before it have gone.
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace rung

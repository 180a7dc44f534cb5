// SortedBlocks: items in the order of their keys, in blocks of at most 64, with the least key of
// each block in an array beside them.
//
// For what is mostly appended at the end and taken from the front, in order or nearly so, as the
// pending entries of a stream's group are: an append and a removal at the front move a few words,
// and no item costs a node. A search is binary twice, first over the least keys, which lie close
// together, then in one block.
//
// Invariants, checked by CheckInvariants():
//  1. No block is empty, none holds more than kBlockItems, and firsts_ holds the least key of each.
//  2. Keys ascend strictly, within blocks and from block to block.
//  3. The blocks' sizes add up to size().
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "rung/base/check.h"
#include "rung/base/memory.h"

namespace rung {

// `KeyOf` gives the key of an item; keys are small, and compared by <.
template <typename Key, typename Item, typename KeyOf>
class SortedBlocks {
  using Block = std::vector<Item>;

 public:
  // Any change of the container ends an iterator.
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Item;
    using difference_type = std::ptrdiff_t;
    using pointer = const Item*;
    using reference = const Item&;

    Iterator() = default;
    reference operator*() const { return (*blocks_)[block_][slot_]; }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      if (++slot_ == (*blocks_)[block_].size()) {
        ++block_;
        slot_ = 0;
      }
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const {
      return block_ == other.block_ && slot_ == other.slot_;
    }

   private:
    friend SortedBlocks;
    Iterator(const std::vector<Block>* blocks, std::size_t block, std::size_t slot)
        : blocks_(blocks), block_(block), slot_(slot) {}
    const std::vector<Block>* blocks_ = nullptr;
    std::size_t block_ = 0;
    std::size_t slot_ = 0;
  };

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Iterator begin() const { return {&blocks_, 0, 0}; }
  Iterator end() const { return {&blocks_, blocks_.size(), 0}; }
  // Requires: not empty.
  const Item& front() const { return blocks_.front().front(); }
  const Item& back() const { return blocks_.back().back(); }

  // The first item whose key is not below `key`; end() if there is none. O(log n).
  Iterator LowerBound(const Key& key) const {
    if (blocks_.empty()) return end();
    const std::size_t block = BlockFor(key);
    const std::size_t slot = SlotFor(blocks_[block], key);
    return slot < blocks_[block].size() ? Iterator(&blocks_, block, slot)
                                        : Iterator(&blocks_, block + 1, 0);
  }

  // Null if there is none. The pointer ends with the next change; the key must stay as it is.
  Item* Find(const Key& key) {
    if (blocks_.empty()) return nullptr;
    Block& block = blocks_[BlockFor(key)];
    const std::size_t slot = SlotFor(block, key);
    return slot < block.size() && KeyOf{}(block[slot]) == key ? &block[slot] : nullptr;
  }
  const Item* Find(const Key& key) const { return const_cast<SortedBlocks*>(this)->Find(key); }

  // Requires: no item has this key. O(1) at the end, elsewhere O(log n + n / 64) with a tiny
  // constant in the second term.
  Item& Insert(Item item) {
    ++size_;
    const Key key = KeyOf{}(item);
    if (blocks_.empty() || (KeyOf{}(back()) < key && blocks_.back().size() == kBlockItems)) {
      firsts_.push_back(key);
      return blocks_.emplace_back().emplace_back(std::move(item));
    }
    std::size_t at = BlockFor(key);
    if (blocks_[at].size() == kBlockItems) at = Split(at, key);
    Block& block = blocks_[at];
    const auto slot = static_cast<std::ptrdiff_t>(SlotFor(block, key));
    const auto place = block.insert(block.begin() + slot, std::move(item));
    if (slot == 0) firsts_[at] = key;
    return *place;
  }

  // Returns whether there was one. Costs as Insert.
  bool Erase(const Key& key) {
    if (blocks_.empty()) return false;
    const std::size_t at = BlockFor(key);
    Block& block = blocks_[at];
    const std::size_t slot = SlotFor(block, key);
    if (slot == block.size() || !(KeyOf{}(block[slot]) == key)) return false;
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(slot));
    --size_;
    if (block.empty()) {
      Remove(at);
      return true;
    }
    if (slot == 0) firsts_[at] = KeyOf{}(block.front());
    JoinWithNeighbour(at);
    return true;
  }

  // Bytes of the allocator.
  std::size_t MemoryBytes() const {
    std::size_t bytes = BytesOf(firsts_) + BytesOf(blocks_);
    for (const Block& block : blocks_) bytes += BytesOf(block);
    return bytes;
  }

  void CheckInvariants() const {
    RUNG_CHECK(firsts_.size() == blocks_.size(), "each block has its least key");
    std::size_t items = 0;
    const Item* before = nullptr;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      RUNG_CHECK(!blocks_[i].empty() && blocks_[i].size() <= kBlockItems, "a block has its size");
      RUNG_CHECK(firsts_[i] == KeyOf{}(blocks_[i].front()), "the least key is the first one's");
      items += blocks_[i].size();
      for (const Item& item : blocks_[i]) {
        RUNG_CHECK(before == nullptr || KeyOf{}(*before) < KeyOf{}(item), "keys ascend");
        before = &item;
      }
    }
    RUNG_CHECK(items == size_, "the blocks add up");
  }

 private:
  static constexpr std::size_t kBlockItems = 64;

  template <typename T>
  static std::size_t BytesOf(const std::vector<T>& array) {
    return array.capacity() == 0 ? 0 : AllocationSize(array.capacity() * sizeof(T));
  }

  // The block in which `key` lies, or would. Requires: not empty.
  std::size_t BlockFor(const Key& key) const {
    const auto behind = std::upper_bound(firsts_.begin(), firsts_.end(), key);
    return behind == firsts_.begin() ? 0 : static_cast<std::size_t>(behind - firsts_.begin() - 1);
  }
  static std::size_t SlotFor(const Block& block, const Key& key) {
    const auto found =
        std::lower_bound(block.begin(), block.end(), key,
                         [](const Item& item, const Key& low) { return KeyOf{}(item) < low; });
    return static_cast<std::size_t>(found - block.begin());
  }

  // Halves a full block; returns the half for `key`.
  std::size_t Split(std::size_t at, const Key& key) {
    const auto middle = blocks_[at].begin() + kBlockItems / 2;
    Block upper(std::make_move_iterator(middle), std::make_move_iterator(blocks_[at].end()));
    blocks_[at].erase(middle, blocks_[at].end());
    const auto next = static_cast<std::ptrdiff_t>(at + 1);
    firsts_.insert(firsts_.begin() + next, KeyOf{}(upper.front()));
    blocks_.insert(blocks_.begin() + next, std::move(upper));
    return key < firsts_[at + 1] ? at : at + 1;
  }

  void Remove(std::size_t at) {
    firsts_.erase(firsts_.begin() + static_cast<std::ptrdiff_t>(at));
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  // So that removals all over leave no trail of blocks with an item or two.
  void JoinWithNeighbour(std::size_t at) {
    if (blocks_[at].size() > kBlockItems / 4) return;
    if (at + 1 < blocks_.size() && Join(at)) return;
    if (at > 0) Join(at - 1);
  }
  // Appends the next block to this one, if together they leave room to grow.
  bool Join(std::size_t at) {
    Block& next = blocks_[at + 1];
    if (blocks_[at].size() + next.size() > kBlockItems * 3 / 4) return false;
    blocks_[at].insert(blocks_[at].end(), std::make_move_iterator(next.begin()),
                       std::make_move_iterator(next.end()));
    Remove(at + 1);
    return true;
  }

  std::vector<Key> firsts_;
  std::vector<Block> blocks_;
  std::size_t size_ = 0;
};

}  // namespace rung

// List: the value behind the L* and R* commands. Byte strings in order, cheap at both ends.
//
// Why packed blocks. A queue is pushed at one end and popped at the other, mostly with elements of
// 20 to 200 bytes: a node for each would cost more than the element. So elements lie in blocks of
// 8 KiB, each with its length before and after it (two bytes up to 253 bytes), which can be walked
// both ways. A block has a gap at either end, and a push or pop at an end is a copy and a few
// additions; a list in one block slides its elements to use the gap that pops have left. An
// element of more than half a block has a block of its own.
//
// Why a directory with positions. A list of more than one block keeps them in a deque, each with
// the position of its first element on an axis of its own, so that At() is a binary search. Pushes
// and pops at the ends change no position: the first block's is never stored (it follows from the
// second's), the last block's length is not needed.
//
// Invariants, checked by CheckInvariants():
//   1. root_ is null if and only if the list is empty. No block is empty.
//   2. One block: root_ is the block. More: root_ is the directory, tagged by its lowest bit.
//   3. A block's entries fill it from `begin` to `end` without a hole, read from either side, and
//      there are `count` of them. A block of more than 8 KiB holds one entry.
//   4. Positions: from the third block on, position = position of the block before + its count.
//   5. The directory's size and bytes are the sums over its blocks.
//
// Not thread-safe. Knows nothing of keys, expiry, replies or logging: see rung/store/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace rung {

enum class ListEnd : std::uint8_t { kHead, kTail };

constexpr ListEnd Opposite(ListEnd end) {
  return end == ListEnd::kHead ? ListEnd::kTail : ListEnd::kHead;
}

class List {
 private:
  struct Block;
  struct Directory;

 public:
  enum class Where : std::uint8_t { kBefore, kAfter };

  // What Find() looks for (LPOS).
  struct FindRule {
    std::int64_t rank = 1;         // 1: the first match from the head; -1: from the tail. Not 0.
    std::size_t count = 1;         // Matches wanted; 0: all.
    std::size_t max_compared = 0;  // Elements looked at before giving up; 0: all.
  };

  List() = default;
  ~List() { Clear(); }
  List(List&& other) noexcept : root_(other.root_) { other.root_ = 0; }
  List& operator=(List&& other) noexcept;
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  std::size_t size() const;                  // O(1)
  bool empty() const { return root_ == 0; }  // O(1)
  // Bytes held on the heap, without sizeof(List). O(1).
  std::size_t MemoryBytes() const;
  // Everything fits one block of 8 KiB: what OBJECT ENCODING calls "listpack". O(1).
  bool IsSmall() const;

  // Adds `value` at one end. It may lie in this very list. Cost: O(1) amortised; no allocation but
  // for a new block.
  // Requires: value.size() < 2 GiB.
  void Push(ListEnd end, std::string_view value);
  // The element at one end; lives until the list changes. Requires !empty(). O(1).
  std::string_view Peek(ListEnd end) const;
  // Takes up to `count` elements off one end. Cost: O(count / elements of a block).
  void Drop(ListEnd end, std::size_t count = 1);
  // Removes everything. Cost: O(blocks).
  void Clear();

  // A position in the list. Any change of the list invalidates its cursors and their values.
  class Cursor {
   public:
    bool Valid() const { return at_ != nullptr; }
    std::string_view value() const { return value_; }  // Requires Valid().
    // Requires Valid(). Past the tail: !Valid().
    void Next() {
      at_ = entry_end_;
      if (at_ == block_end_) [[unlikely]]
        return EnterBlock(ListEnd::kTail);
      ReadEntry();
    }
    void Prev();  // Requires Valid(). Past the head: !Valid().

   private:
    friend class List;
    static constexpr std::uint8_t kShortMax = 253;

    void ReadEntry() {
      const std::uint8_t length = static_cast<std::uint8_t>(*at_);
      if (length > kShortMax) [[unlikely]]
        return ReadLongEntry();
      value_ = {at_ + 1, length};
      entry_end_ = at_ + 2 + length;
    }
    void ReadLongEntry();
    void EnterBlock(ListEnd towards);

    const List* list_ = nullptr;
    std::size_t number_ = 0;    // Of the block.
    const char* at_ = nullptr;  // The entry; null if not Valid().
    const char* entry_end_ = nullptr;
    const char* block_begin_ = nullptr;  // The block's entries.
    const char* block_end_ = nullptr;
    std::string_view value_;
  };

  Cursor First() const;  // O(1). !Valid() if the list is empty.
  Cursor Last() const;   // O(1). !Valid() if the list is empty.
  // The element at `index`; negative from the tail (-1 is the last). !Valid() if out of range.
  // Cost: O(log blocks + elements of a block).
  Cursor At(std::int64_t index) const;

  // Replaces the element at `index` (negative from the tail). Returns whether there is one.
  // `value` must not lie in this list. Cost: as At(), plus moving within a block.
  bool Set(std::int64_t index, std::string_view value);
  // Adds `value` beside the first element equal to `pivot`, seen from the head. Returns whether
  // there is one. Neither may lie in this list. Cost: O(n).
  bool InsertBeside(std::string_view pivot, std::string_view value, Where where);
  // Removes elements equal to `value`: the first `count` from the head, or -`count` from the tail,
  // or all if 0. Returns how many went. `value` must not lie in this list. Cost: O(n).
  std::size_t RemoveEqual(std::string_view value, std::int64_t count);
  // Keeps only the elements `first` to `last`, both included, counted from the head; none if
  // first > last. Cost: O(blocks dropped).
  void Trim(std::size_t first, std::size_t last);

  // Positions (from the head) of the elements equal to `value`, in the order of the search.
  std::vector<std::size_t> Find(std::string_view value, const FindRule& rule) const;

  // Calls visit(std::string_view) for each element, from head to tail.
  template <typename F>
  void ForEach(F visit) const {
    for (Cursor cursor = First(); cursor.Valid(); cursor.Next()) visit(cursor.value());
  }

  // A deep copy, its blocks without gaps. O(bytes).
  std::unique_ptr<List> Clone() const;

  // Aborts the process, naming the broken invariant. O(n): for tests, fuzzers and DEBUG only.
  void CheckInvariants() const;

 private:
  bool IsLarge() const { return (root_ & 1) != 0; }
  Directory& directory() const { return *reinterpret_cast<Directory*>(root_ - 1); }
  Block* only_block() const { return reinterpret_cast<Block*>(root_); }

  // list_directory.cc: the blocks, whichever form the list has. Every change of a block's count
  // goes through these or is followed by Recount().
  Block* EndBlock(ListEnd end) const;
  std::size_t EndNumber(ListEnd end) const { return end == ListEnd::kHead ? 0 : BlockCount() - 1; }
  std::size_t BlockCount() const;
  Block* BlockAt(std::size_t number) const;
  void ReplaceBlock(std::size_t number, Block* block);
  void InsertBlock(std::size_t number, Block* block);
  void RemoveBlock(std::size_t number);
  void AdoptBlocks(const std::vector<Block*>& blocks);
  void Recount(std::size_t number, std::int64_t delta);
  void ShiftPositions(std::size_t first, std::int64_t delta);

  void PushSlow(ListEnd end, std::string_view value);
  void PushBlock(ListEnd end, std::string_view value);
  void DropEntries(ListEnd end, std::size_t count);
  void ShrinkOnlyBlock();
  Cursor CursorAt(std::size_t number, std::uint32_t offset) const;
  std::uint32_t OffsetOf(const Cursor& cursor) const;

  void InsertEntry(std::size_t number, std::uint32_t offset, std::string_view value);
  void SplitInsert(std::size_t number, std::uint32_t offset, std::string_view value);
  Cursor FindFromTail(std::string_view value, std::size_t count) const;
  std::size_t RemoveFrom(const Cursor& start, std::string_view value, std::size_t limit);
  void Tidy(std::size_t number);
  void MergeWithNext(std::size_t number);
  void Compact();

  std::uintptr_t root_ = 0;  // Block*, or Directory* with the lowest bit set.
};

}  // namespace rung

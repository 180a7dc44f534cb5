// ReplyBuffer: the bytes on their way to one client, as a chain of blocks.
//
// Why a chain. A growing flat buffer copies itself and keeps its peak size; ten thousand idle
// clients must keep nothing. Blocks of the common size come from a BlockPool and go back when they
// have been sent, so that steady traffic allocates nothing.
//
// Invariants: 1. size() is the sum of the unsent bytes of all blocks. 2. Only the last block has
// room for more; every block but the last holds at least one unsent byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace rung {

// One piece of reply bytes; its memory follows the header. Made by BlockPool only.
struct ReplyBlock {
  ReplyBlock* next;
  std::uint32_t capacity;
  std::uint32_t filled;  // Bytes written, from the start.
  std::uint32_t sent;    // Of these, bytes already handed to the socket.

  char* data() { return reinterpret_cast<char*>(this + 1); }
  const char* data() const { return reinterpret_cast<const char*>(this + 1); }
};

// Free list of blocks of one size, shared by all clients of an engine. Not thread-safe.
class BlockPool {
 public:
  static constexpr std::size_t kBlockBytes = 16 * 1024;  // With the header.
  static constexpr std::size_t kIdleBlocksMax = 64;

  BlockPool() = default;
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // A block with room for at least `bytes`. O(1).
  ReplyBlock* Take(std::size_t bytes);
  void GiveBack(ReplyBlock* block);

 private:
  ReplyBlock* idle_ = nullptr;
  std::size_t idle_count_ = 0;
};

class ReplyBuffer {
 public:
  // `pool` must outlive the buffer.
  explicit ReplyBuffer(BlockPool& pool) : pool_(&pool) {}
  ~ReplyBuffer() { Clear(); }
  ReplyBuffer(const ReplyBuffer&) = delete;
  ReplyBuffer& operator=(const ReplyBuffer&) = delete;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Heap bytes held, for CLIENT LIST omem and the output limits. O(1).
  std::size_t MemoryBytes() const { return memory_bytes_; }
  std::size_t block_count() const { return block_count_; }

  // Room for `bytes` in one piece, to be written and then Commit()ted at once.
  char* Reserve(std::size_t bytes) {
    if (last_ == nullptr || last_->capacity - last_->filled < bytes) AddBlock(bytes);
    return last_->data() + last_->filled;
  }
  void Commit(std::size_t bytes) {
    last_->filled += static_cast<std::uint32_t>(bytes);
    size_ += bytes;
  }
  // Copies any number of bytes, over several blocks if need be.
  void Append(std::string_view bytes);

  // The unsent pieces in order, at most `pieces.size()` of them; returns how many were set.
  std::size_t Pieces(std::span<std::string_view> pieces) const;
  // Drops `bytes` from the front: they have been sent. Requires bytes <= size().
  void Consume(std::size_t bytes);
  void Clear();

  // CLIENT REPLY OFF and SKIP: forgets everything appended since size() was `size`.
  // Requires that nothing was consumed in between.
  void TruncateTo(std::size_t size);

 private:
  void AddBlock(std::size_t bytes);

  BlockPool* pool_;
  ReplyBlock* first_ = nullptr;
  ReplyBlock* last_ = nullptr;
  std::size_t size_ = 0;
  std::size_t memory_bytes_ = 0;
  std::size_t block_count_ = 0;
};

}  // namespace rung

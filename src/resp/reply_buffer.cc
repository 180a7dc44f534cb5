// Block chain behind a client's output. See reply_buffer.h.

#include "rung/resp/reply_buffer.h"

#include <algorithm>
#include <cstring>

#include "rung/base/check.h"
#include "rung/base/memory.h"

namespace rung {

BlockPool::~BlockPool() {
  while (idle_ != nullptr) {
    ReplyBlock* next = idle_->next;
    Free(idle_, kBlockBytes);
    idle_ = next;
  }
}

ReplyBlock* BlockPool::Take(std::size_t bytes) {
  if (bytes <= kBlockBytes - sizeof(ReplyBlock)) {
    bytes = kBlockBytes - sizeof(ReplyBlock);
    if (idle_ != nullptr) {
      ReplyBlock* block = idle_;
      idle_ = block->next;
      --idle_count_;
      *block = {.next = nullptr, .capacity = block->capacity, .filled = 0, .sent = 0};
      return block;
    }
  }
  auto* block = static_cast<ReplyBlock*>(Allocate(sizeof(ReplyBlock) + bytes));
  *block = {.next = nullptr, .capacity = static_cast<std::uint32_t>(bytes), .filled = 0, .sent = 0};
  return block;
}

void BlockPool::GiveBack(ReplyBlock* block) {
  const std::size_t bytes = sizeof(ReplyBlock) + block->capacity;
  if (bytes != kBlockBytes || idle_count_ >= kIdleBlocksMax) {
    Free(block, bytes);
    return;
  }
  block->next = idle_;
  idle_ = block;
  ++idle_count_;
}

void ReplyBuffer::AddBlock(std::size_t bytes) {
  ReplyBlock* block = pool_->Take(bytes);
  (last_ == nullptr ? first_ : last_->next) = block;
  last_ = block;
  memory_bytes_ += sizeof(ReplyBlock) + block->capacity;
  ++block_count_;
}

void ReplyBuffer::Append(std::string_view bytes) {
  // A piece of a block is filled first, so that many small appends pack densely.
  constexpr std::size_t kLargestBlock = std::size_t{1} << 30;
  while (!bytes.empty()) {
    std::size_t room = last_ == nullptr ? 0 : last_->capacity - last_->filled;
    if (room == 0) {
      AddBlock(std::min(bytes.size(), kLargestBlock));
      room = last_->capacity;
    }
    const std::size_t part = std::min(room, bytes.size());
    std::memcpy(last_->data() + last_->filled, bytes.data(), part);
    Commit(part);
    bytes.remove_prefix(part);
  }
}

std::size_t ReplyBuffer::Pieces(std::span<std::string_view> pieces) const {
  std::size_t count = 0;
  for (const ReplyBlock* block = first_; block != nullptr && count < pieces.size();
       block = block->next) {
    if (block->filled == block->sent) continue;
    pieces[count++] = {block->data() + block->sent, block->filled - block->sent};
  }
  return count;
}

void ReplyBuffer::Consume(std::size_t bytes) {
  RUNG_CHECK(bytes <= size_, "more reply bytes sent than there were");
  size_ -= bytes;
  while (first_ != nullptr) {
    const std::size_t unsent = first_->filled - first_->sent;
    if (bytes < unsent) {
      first_->sent += static_cast<std::uint32_t>(bytes);
      return;
    }
    bytes -= unsent;
    ReplyBlock* next = first_->next;
    memory_bytes_ -= sizeof(ReplyBlock) + first_->capacity;
    --block_count_;
    pool_->GiveBack(first_);
    first_ = next;
  }
  last_ = nullptr;
}

void ReplyBuffer::Clear() { Consume(size_); }

void ReplyBuffer::TruncateTo(std::size_t size) {
  RUNG_CHECK(size <= size_, "truncating to more than there is");
  std::size_t kept = 0;
  ReplyBlock* block = first_;
  ReplyBlock* keep_last = nullptr;
  while (block != nullptr && (kept < size || keep_last == nullptr)) {
    const std::size_t unsent = block->filled - block->sent;
    const std::size_t keep = std::min<std::size_t>(unsent, size - kept);
    block->filled = block->sent + static_cast<std::uint32_t>(keep);
    kept += keep;
    keep_last = block;
    block = block->next;
  }
  while (block != nullptr) {
    ReplyBlock* next = block->next;
    memory_bytes_ -= sizeof(ReplyBlock) + block->capacity;
    --block_count_;
    pool_->GiveBack(block);
    block = next;
  }
  if (keep_last != nullptr) keep_last->next = nullptr;
  last_ = keep_last;
  size_ = size;
}

}  // namespace rung

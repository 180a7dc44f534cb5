// The packed block of a List, and the entries in it. Private to list*.cc.
//
// An entry is: length, bytes, length again, so that a walk can go either way.
//   up to 253 bytes:   [n]               bytes  [n]
//   up to 65,535:      [254] [u16]       bytes  [u16] [254]
//   above:             [255] [u32]       bytes  [u32] [255]
// Numbers are in the machine's order: a block never leaves the process.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>

#include "rung/base/check.h"
#include "rung/base/memory.h"
#include "rung/types/list.h"

namespace rung {

namespace list_entry {

inline constexpr std::size_t kShortMax = 253;
inline constexpr std::uint8_t kMedium = 254;
inline constexpr std::uint8_t kLong = 255;

struct Entry {
  std::uint32_t bytes;  // Of the whole entry.
  std::string_view value;
};

inline std::size_t LengthBytes(std::size_t length) {
  return length <= kShortMax ? 1 : length <= 0xffff ? 3 : 5;
}

inline std::size_t EntryBytes(std::size_t length) { return length + 2 * LengthBytes(length); }

template <typename T>
T Load(const char* at) {
  T number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

inline void Write(char* at, std::string_view value) {
  const std::size_t length = value.size();
  if (length <= kShortMax) [[likely]] {
    at[0] = static_cast<char>(length);
    if (length != 0) std::memcpy(at + 1, value.data(), length);
    at[1 + length] = static_cast<char>(length);
    return;
  }
  const bool medium = length <= 0xffff;
  const std::uint8_t mark = medium ? kMedium : kLong;
  const std::size_t width = medium ? 2 : 4;
  // The low bytes come first on every machine that this runs on (x86-64, AArch64).
  const std::uint32_t number = static_cast<std::uint32_t>(length);
  at[0] = static_cast<char>(mark);
  std::memcpy(at + 1, &number, width);
  std::memcpy(at + 1 + width, value.data(), length);
  std::memcpy(at + 1 + width + length, &number, width);
  at[1 + width + length + width] = static_cast<char>(mark);
}

// The entry that begins at `at`.
inline Entry ReadForward(const char* at) {
  const std::uint8_t mark = static_cast<std::uint8_t>(at[0]);
  if (mark <= kShortMax) [[likely]]
    return {mark + 2U, {at + 1, mark}};
  if (mark == kMedium) {
    const std::uint32_t length = Load<std::uint16_t>(at + 1);
    return {length + 6, {at + 3, length}};
  }
  const std::uint32_t length = Load<std::uint32_t>(at + 1);
  return {length + 10, {at + 5, length}};
}

// The entry that ends just before `end`.
inline Entry ReadBackward(const char* end) {
  const std::uint8_t mark = static_cast<std::uint8_t>(end[-1]);
  if (mark <= kShortMax) [[likely]]
    return {mark + 2U, {end - 1 - mark, mark}};
  if (mark == kMedium) {
    const std::uint32_t length = Load<std::uint16_t>(end - 3);
    return {length + 6, {end - 3 - length, length}};
  }
  const std::uint32_t length = Load<std::uint32_t>(end - 5);
  return {length + 10, {end - 5 - length, length}};
}

}  // namespace list_entry

// The header; the bytes for entries follow it.
struct List::Block {
  std::uint32_t capacity;  // Bytes for entries.
  std::uint32_t begin;     // Offset of the first entry.
  std::uint32_t end;       // Offset behind the last entry.
  std::uint32_t count;

  static constexpr std::size_t kHeaderBytes = 16;
  static constexpr std::size_t kBytes = 8192;  // Of a full-grown block with its header.
  static constexpr std::size_t kBytesMin = 32;
  static constexpr std::size_t kRoomMax = kBytes - kHeaderBytes;
  // An entry above this gets a block of its own; two of this size share one.
  static constexpr std::size_t kSharedEntryMax = kRoomMax / 2;

  char* data() { return reinterpret_cast<char*>(this + 1); }
  const char* data() const { return reinterpret_cast<const char*>(this + 1); }
  std::size_t used() const { return end - begin; }
  std::size_t slack() const { return capacity - used(); }
  std::size_t bytes() const { return kHeaderBytes + capacity; }
  std::size_t reserved() const { return AllocationSize(bytes()); }
  std::size_t Room(ListEnd at) const { return at == ListEnd::kHead ? begin : capacity - end; }
  bool Holds(const char* at) const {
    return std::greater_equal<>()(at, data()) && std::less<>()(at, data() + capacity);
  }
  // Whether an entry of `entry_bytes` may join, if need be after growing the block.
  bool CanTake(std::size_t entry_bytes) const {
    return entry_bytes <= kSharedEntryMax && used() + entry_bytes <= kRoomMax;
  }

  // An empty block for at least `room` bytes of entries, the gap on the side of `gap_at`.
  static Block* Create(std::size_t room, ListEnd gap_at);
  // A block for `value` alone.
  static Block* CreateFor(std::string_view value);
  static void Destroy(Block* block) { Free(block, block->bytes()); }
  // A copy with room for `room` bytes of entries, the gap on the side of `gap_at`.
  Block* Copy(std::size_t room, ListEnd gap_at) const;
  // A copy of the entries from `from` to `to`, without a gap.
  Block* CopyPart(std::uint32_t from, std::uint32_t to) const;
  // A copy at about twice the size, with room for `more` bytes of entries beside the present ones.
  Block* Grown(std::size_t more, ListEnd gap_at) const;

  // Requires that Room(at) holds it.
  void Add(ListEnd at, std::string_view value, std::size_t entry_bytes) {
    if (at == ListEnd::kHead) {
      begin -= static_cast<std::uint32_t>(entry_bytes);
      list_entry::Write(data() + begin, value);
    } else {
      list_entry::Write(data() + end, value);
      end += static_cast<std::uint32_t>(entry_bytes);
    }
    ++count;
  }
  // Adds all entries of `other` behind the last one. Requires that Room(kTail) holds them.
  void Append(const Block& other);
  // Moves the entries so that the first lies at `target`. Requires that they fit there.
  void Slide(std::size_t target);
  // Adds an entry before that at `offset` (`end`: behind all). Requires slack() >= entry_bytes.
  void Insert(std::uint32_t offset, std::string_view value);
  // Removes the entry of `entry_bytes` at `offset`. Returns the offset of what followed it.
  std::uint32_t Erase(std::uint32_t offset, std::uint32_t entry_bytes);
  // Removes up to `limit` entries equal to `value` from `offset` on. Returns how many.
  std::size_t EraseEqual(std::uint32_t offset, std::string_view value, std::size_t limit);

  // Aborts if the entries are not what the header says.
  void CheckInvariants() const;
};

}  // namespace rung

// The packed block of a List: making, moving and editing one. See list_block.h.

#include "types/list_block.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "types/same_bytes.h"

namespace rung {

using list_entry::Entry;
using list_entry::EntryBytes;
using list_entry::ReadBackward;
using list_entry::ReadForward;

List::Block* List::Block::Create(std::size_t room, ListEnd gap_at) {
  std::size_t bytes = kHeaderBytes + room;
  // What the allocator would round up is used, but not behind a large element: there the rounding
  // is large too, and no small element shall move in beside it.
  if (bytes <= kBytes) bytes = std::min(AllocationSize(std::max(bytes, kBytesMin)), kBytes);
  auto* block = static_cast<Block*>(Allocate(bytes));
  block->capacity = static_cast<std::uint32_t>(bytes - kHeaderBytes);
  block->begin = block->end = gap_at == ListEnd::kHead ? block->capacity : 0;
  block->count = 0;
  return block;
}

List::Block* List::Block::CreateFor(std::string_view value) {
  const std::size_t entry_bytes = EntryBytes(value.size());
  Block* block = Create(entry_bytes, ListEnd::kTail);
  block->Add(ListEnd::kTail, value, entry_bytes);
  return block;
}

List::Block* List::Block::Copy(std::size_t room, ListEnd gap_at) const {
  Block* copy = Create(room, gap_at);
  if (gap_at == ListEnd::kHead) {
    copy->begin = copy->end = copy->capacity - static_cast<std::uint32_t>(used());
  }
  copy->Append(*this);
  return copy;
}

List::Block* List::Block::CopyPart(std::uint32_t from, std::uint32_t to) const {
  Block* copy = Create(to - from, ListEnd::kTail);
  std::memcpy(copy->data(), data() + from, to - from);
  copy->end = to - from;
  for (const char* at = data() + from; at != data() + to; at += ReadForward(at).bytes) {
    ++copy->count;
  }
  return copy;
}

List::Block* List::Block::Grown(std::size_t more, ListEnd gap_at) const {
  // Powers of two, so that a block ends at its full size whatever it began with.
  const std::size_t wanted = std::max(bytes() + bytes() / 2, kHeaderBytes + used() + more);
  return Copy(std::min(std::bit_ceil(wanted), kBytes) - kHeaderBytes, gap_at);
}

void List::Block::Append(const Block& other) {
  std::memcpy(data() + end, other.data() + other.begin, other.used());
  end += static_cast<std::uint32_t>(other.used());
  count += other.count;
}

void List::Block::Slide(std::size_t target) {
  std::memmove(data() + target, data() + begin, used());
  end = static_cast<std::uint32_t>(target + used());
  begin = static_cast<std::uint32_t>(target);
}

void List::Block::Insert(std::uint32_t offset, std::string_view value) {
  const std::uint32_t bytes = static_cast<std::uint32_t>(EntryBytes(value.size()));
  if (Room(ListEnd::kHead) < bytes && Room(ListEnd::kTail) < bytes) {
    offset -= begin;
    Slide(0);
  }
  // The shorter side makes way, if it has the room.
  const bool front_is_shorter = offset - begin < end - offset;
  const bool to_front =
      Room(ListEnd::kTail) < bytes || (front_is_shorter && Room(ListEnd::kHead) >= bytes);
  if (to_front) {
    std::memmove(data() + begin - bytes, data() + begin, offset - begin);
    begin -= bytes;
    offset -= bytes;
  } else {
    std::memmove(data() + offset + bytes, data() + offset, end - offset);
    end += bytes;
  }
  list_entry::Write(data() + offset, value);
  ++count;
}

std::uint32_t List::Block::Erase(std::uint32_t offset, std::uint32_t entry_bytes) {
  const std::uint32_t behind = offset + entry_bytes;
  --count;
  if (offset - begin < end - behind) {
    std::memmove(data() + begin + entry_bytes, data() + begin, offset - begin);
    begin += entry_bytes;
    return behind;
  }
  std::memmove(data() + offset, data() + behind, end - behind);
  end -= entry_bytes;
  return offset;
}

std::size_t List::Block::EraseEqual(std::uint32_t offset, std::string_view value,
                                    std::size_t limit) {
  std::size_t erased = 0;
  char* kept_end = data() + offset;  // Entries before it are in their final place.
  const char* run = kept_end;        // Entries from here to `at` stay and are to be moved there.
  const char* at = run;
  const auto move_run = [&] {
    const std::size_t bytes = static_cast<std::size_t>(at - run);
    if (kept_end != run) std::memmove(kept_end, run, bytes);
    kept_end += bytes;
  };
  while (at != data() + end && erased < limit) {
    const Entry entry = ReadForward(at);
    if (SameBytes(entry.value, value)) {
      move_run();
      run = at + entry.bytes;
      ++erased;
    }
    at += entry.bytes;
  }
  at = data() + end;
  move_run();
  end = static_cast<std::uint32_t>(kept_end - data());
  count -= static_cast<std::uint32_t>(erased);
  return erased;
}

void List::Block::CheckInvariants() const {
  RUNG_CHECK(count > 0, "list: empty block");
  RUNG_CHECK(begin < end && end <= capacity, "list: block bounds");
  RUNG_CHECK(bytes() <= kBytes || count == 1, "list: a large element shares its block");
  std::uint32_t entries = 0;
  const char* at = data() + begin;
  while (at < data() + end) {
    const Entry entry = ReadForward(at);
    at += entry.bytes;
    RUNG_CHECK(at <= data() + end, "list: entry reaches over the block's end");
    const Entry backward = ReadBackward(at);
    RUNG_CHECK(backward.bytes == entry.bytes && backward.value.data() == entry.value.data(),
               "list: entry reads differently backward");
    ++entries;
  }
  RUNG_CHECK(entries == count, "list: block count");
}

}  // namespace rung

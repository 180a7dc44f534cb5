// The small form of a sorted set: one block, three parallel arrays.

#include "types/packed_sorted_set.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include "rung/base/check.h"
#include "rung/base/memory.h"

namespace rung {
namespace {

constexpr std::size_t kBytesPerEntry = sizeof(double) + sizeof(std::uint16_t);
constexpr std::size_t kLengthMax = std::numeric_limits<std::uint16_t>::max();
// Keeps the header's 32-bit fields safe under any configured limit.
constexpr std::size_t kBlockBytesMax = std::size_t{1} << 30;

}  // namespace

PackedSortedSet::PackedSortedSet(Rng* rng, const SmallFormLimit* limit, std::size_t entry_capacity,
                                 std::size_t block_bytes)
    : rng_(rng),
      limit_(limit),
      entry_capacity_(static_cast<std::uint32_t>(entry_capacity)),
      block_bytes_(static_cast<std::uint32_t>(block_bytes)) {}

PackedSortedSet* PackedSortedSet::Allocate(Rng* rng, const SmallFormLimit* limit,
                                           std::size_t entries, std::size_t member_bytes) {
  const std::size_t wanted = sizeof(PackedSortedSet) + entries * kBytesPerEntry + member_bytes;
  // The allocator's rounding goes to the members' bytes.
  const std::size_t block_bytes = AllocationSize(wanted);
  return new (rung::Allocate(block_bytes)) PackedSortedSet(rng, limit, entries, block_bytes);
}

PackedSortedSet* PackedSortedSet::Create(Rng* rng, const SmallFormLimit* limit) {
  return Allocate(rng, limit, 0, 0);
}

void PackedSortedSet::Destroy(PackedSortedSet* set) {
  const std::size_t block_bytes = set->block_bytes_;
  set->~PackedSortedSet();
  Free(set, block_bytes);
}

PackedSortedSet* PackedSortedSet::WithRoomFor(PackedSortedSet* set, std::size_t member_bytes) {
  const std::size_t entries = std::size_t{set->count_} + 1;
  const std::size_t bytes = set->byte_count_ + member_bytes;
  if (entries <= set->entry_capacity_ && bytes <= set->byte_capacity()) return set;

  // A fifth of headroom: amortized O(1) copies, and little waste. A first member gets none, since
  // many sets stay at one.
  const std::size_t spare = entries > 1 ? entries / 5 + 1 : 0;
  PackedSortedSet* larger =
      Allocate(set->rng_, set->limit_, entries + spare, bytes + spare * (bytes / entries));
  larger->CopyFrom(*set);
  Destroy(set);
  return larger;
}

PackedSortedSet* PackedSortedSet::Clone(const PackedSortedSet* set, Rng* rng) {
  PackedSortedSet* copy = Allocate(rng, set->limit_, set->count_, set->byte_count_);
  copy->CopyFrom(*set);
  return copy;
}

void PackedSortedSet::CopyFrom(const PackedSortedSet& source) {
  count_ = source.count_;
  byte_count_ = source.byte_count_;
  std::copy_n(source.scores(), count_, scores());
  std::copy_n(source.lengths(), count_, lengths());
  std::copy_n(source.bytes(), byte_count_, bytes());
}

bool PackedSortedSet::CanHold(std::size_t member_bytes) const {
  return count_ < limit_->entries_max && member_bytes <= limit_->value_bytes_max &&
         member_bytes <= kLengthMax && block_bytes_ + member_bytes < kBlockBytesMax / 2;
}

std::size_t PackedSortedSet::byte_capacity() const {
  return block_bytes_ - sizeof(PackedSortedSet) - entry_capacity_ * kBytesPerEntry;
}

std::uint32_t PackedSortedSet::OffsetOf(std::uint32_t index) const {
  std::uint32_t offset = 0;
  for (std::uint32_t i = 0; i < index; ++i) offset += lengths()[i];
  return offset;
}

std::optional<PackedSortedSet::Place> PackedSortedSet::Find(std::string_view member) const {
  const char* const text = bytes();
  const std::uint16_t* const length = lengths();
  std::uint32_t offset = 0;
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (length[i] == member.size() &&
        std::memcmp(text + offset, member.data(), member.size()) == 0) {
      return Place{i, offset};
    }
    offset += length[i];
  }
  return std::nullopt;
}

void PackedSortedSet::Insert(Place place, std::string_view member, double score) {
  RUNG_CHECK(count_ < entry_capacity_ && byte_count_ + member.size() <= byte_capacity(),
             "a packed set is full");
  const std::uint32_t index = place.index;
  std::copy_backward(scores() + index, scores() + count_, scores() + count_ + 1);
  std::copy_backward(lengths() + index, lengths() + count_, lengths() + count_ + 1);
  char* const begin = bytes() + place.offset;
  std::copy_backward(begin, bytes() + byte_count_, bytes() + byte_count_ + member.size());
  scores()[index] = score;
  lengths()[index] = static_cast<std::uint16_t>(member.size());
  std::copy_n(member.data(), member.size(), begin);
  ++count_;
  byte_count_ += static_cast<std::uint32_t>(member.size());
}

void PackedSortedSet::Move(Place from, double score) {
  const std::uint32_t length = lengths()[from.index];
  // The moving entry itself, at its old place, lies before its new place only if the score rises.
  const Place to = PartitionPoint(BeforeKey{score, MemberAt(from)});
  double* const s = scores();
  std::uint16_t* const l = lengths();
  char* const b = bytes();
  if (to.index > from.index) {
    std::rotate(s + from.index, s + from.index + 1, s + to.index);
    std::rotate(l + from.index, l + from.index + 1, l + to.index);
    std::rotate(b + from.offset, b + from.offset + length, b + to.offset);
    s[to.index - 1] = score;
  } else {
    std::rotate(s + to.index, s + from.index, s + from.index + 1);
    std::rotate(l + to.index, l + from.index, l + from.index + 1);
    std::rotate(b + to.offset, b + from.offset, b + from.offset + length);
    s[to.index] = score;
  }
}

void PackedSortedSet::Erase(std::uint32_t first, std::uint32_t count) {
  const std::uint32_t last = first + count;
  const std::uint32_t begin = OffsetOf(first);
  std::uint32_t end = begin;
  for (std::uint32_t i = first; i < last; ++i) end += lengths()[i];
  std::copy(scores() + last, scores() + count_, scores() + first);
  std::copy(lengths() + last, lengths() + count_, lengths() + first);
  std::copy(bytes() + end, bytes() + byte_count_, bytes() + begin);
  count_ -= count;
  byte_count_ -= end - begin;
}

void PackedSortedSet::CheckInvariants() const {
  RUNG_CHECK(count_ <= entry_capacity_ && byte_count_ <= byte_capacity(),
             "packed set: counts keep within capacities");
  Place place = {0, 0};
  for (std::uint32_t i = 0; i < count_; ++i) {
    RUNG_CHECK(!std::isnan(ScoreAt(i)), "packed set: no score is NaN");
    const Place next = {i + 1, place.offset + lengths()[i]};
    RUNG_CHECK(next.offset <= byte_count_, "packed set: members keep within the bytes");
    if (next.index < count_) {
      const BeforeKey before_next = {ScoreAt(next.index), MemberAt(next)};
      RUNG_CHECK(before_next(ScoreAt(i), [&] { return MemberAt(place); }),
                 "packed set: members ascend strictly");
    }
    place = next;
  }
  RUNG_CHECK(place.offset == byte_count_, "packed set: lengths sum up to the bytes");
}

}  // namespace rung

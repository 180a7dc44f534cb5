// The small forms of a set. See small_set.h.

#include "types/small_set.h"

#include <algorithm>
#include <limits>
#include <new>
#include <optional>

#include "rung/base/check.h"
#include "rung/base/memory.h"
#include "types/same_bytes.h"

namespace rung {
namespace {

// A block is made smaller when its members take less than this part of it.
constexpr std::size_t kShrinkPart = 4;

template <typename T>
bool Fits(std::int64_t number) {
  return number >= std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max();
}

std::size_t WidthFor(std::int64_t number) {
  return Fits<std::int16_t>(number) ? 2 : Fits<std::int32_t>(number) ? 4 : 8;
}

template <typename T>
std::int64_t Load(const char* at) {
  T number;
  std::memcpy(&number, at, sizeof(number));
  return number;
}

template <typename T>
void Store(char* at, std::int64_t number) {
  const T narrow = static_cast<T>(number);
  std::memcpy(at, &narrow, sizeof(narrow));
}

}  // namespace

SmallSet* SmallSet::Allocate(std::size_t bytes) {
  const std::size_t reserved = AllocationSize(sizeof(SmallSet) + bytes);
  auto* set = new (rung::Allocate(reserved)) SmallSet;
  set->capacity_ = static_cast<std::uint16_t>(reserved - sizeof(SmallSet));
  return set;
}

void SmallSet::Destroy(SmallSet* set) { Free(set, sizeof(SmallSet) + set->capacity_); }

std::size_t SmallSet::MemoryBytes() const { return AllocationSize(sizeof(SmallSet) + capacity_); }

SmallSet* SmallSet::Clone(const SmallSet* set) {
  SmallSet* clone = Allocate(set->used_);
  const std::uint16_t capacity = clone->capacity_;
  std::memcpy(static_cast<void*>(clone), set, sizeof(SmallSet) + set->used_);
  clone->capacity_ = capacity;
  return clone;
}

// The same set in a block for `bytes` bytes.
SmallSet* SmallSet::Resized(SmallSet* set, std::size_t bytes) {
  SmallSet* moved = Allocate(bytes);
  const std::uint16_t capacity = moved->capacity_;
  std::memcpy(static_cast<void*>(moved), set, sizeof(SmallSet) + set->used_);
  moved->capacity_ = capacity;
  Destroy(set);
  return moved;
}

SmallSet* SmallSet::Create(std::string_view member) {
  const std::optional<std::int64_t> number = ParseInt64(member);
  if (number) {
    SmallSet* set = Allocate(WidthFor(*number));
    set->width_ = static_cast<std::uint8_t>(WidthFor(*number));
    return AddInteger(set, *number);
  }
  if (member.size() > kMemberBytesMax) return nullptr;
  return AddPacked(Allocate(1 + member.size()), member);
}

SmallSet* SmallSet::Add(SmallSet* set, std::string_view member) {
  if (set->IsIntegers()) {
    const std::optional<std::int64_t> number = ParseInt64(member);
    if (number) return set->count_ == kIntegersMax ? nullptr : AddInteger(set, *number);
    if (set->count_ >= kPackedMax || member.size() > kMemberBytesMax) return nullptr;
    SmallSet* packed = Packed(set);
    Destroy(set);
    return AddPacked(packed, member);
  }
  const bool fits = set->count_ < kPackedMax && member.size() <= kMemberBytesMax &&
                    set->used_ + 1 + member.size() <= kBytesMax;
  return fits ? AddPacked(set, member) : nullptr;
}

SmallSet* SmallSet::AddInteger(SmallSet* set, std::int64_t number) {
  const std::size_t width = WidthFor(number);
  if (width > set->width_) {
    SmallSet* wide = Widened(set, width);
    Destroy(set);
    set = wide;
  }
  const std::size_t needed = std::size_t{set->used_} + set->width_;
  if (needed > set->capacity_) set = Resized(set, needed + needed / 4);
  const std::size_t at = set->LowerBound(number) * set->width_;
  std::memmove(set->data() + at + set->width_, set->data() + at, set->used_ - at);
  set->used_ = static_cast<std::uint16_t>(needed);
  ++set->count_;
  set->WriteInteger(at / set->width_, number);
  return set;
}

SmallSet* SmallSet::AddPacked(SmallSet* set, std::string_view member) {
  const std::size_t needed = set->used_ + 1 + member.size();
  // Not by doubling: half of all small sets have a few members only, and a copy is cheap.
  if (needed > set->capacity_) set = Resized(set, std::min(needed + needed / 4, kBytesMax));
  char* at = set->data() + set->used_;
  *at = static_cast<char>(member.size());
  std::copy(member.begin(), member.end(), at + 1);
  set->used_ = static_cast<std::uint16_t>(needed);
  ++set->count_;
  return set;
}

SmallSet* SmallSet::Widened(const SmallSet* set, std::size_t width) {
  SmallSet* wide = Allocate((std::size_t{set->count_} + 1) * width);
  wide->width_ = static_cast<std::uint8_t>(width);
  for (std::size_t i = 0; i < set->count_; ++i) wide->WriteInteger(i, set->Integer(i));
  wide->count_ = set->count_;
  wide->used_ = static_cast<std::uint16_t>(set->count_ * width);
  return wide;
}

// Requires at most kPackedMax integers: they take 21 bytes each at most, which always fits.
SmallSet* SmallSet::Packed(const SmallSet* set) {
  std::size_t bytes = 0;
  set->ForEach([&](std::string_view member) { bytes += 1 + member.size(); });
  SmallSet* packed = Allocate(bytes);
  set->ForEach([&](std::string_view member) { packed = AddPacked(packed, member); });
  return packed;
}

SmallSet* SmallSet::Remove(SmallSet* set, std::string_view member) {
  std::size_t at = 0;
  std::size_t bytes = 0;
  if (set->IsIntegers()) {
    at = set->LowerBound(*ParseInt64(member)) * set->width_;
    bytes = set->width_;
  } else {
    at = set->OffsetOf(member);
    bytes = 1 + member.size();
  }
  std::memmove(set->data() + at, set->data() + at + bytes, set->used_ - at - bytes);
  set->used_ = static_cast<std::uint16_t>(set->used_ - bytes);
  --set->count_;
  if (std::size_t{set->used_} * kShrinkPart >= set->capacity_) return set;
  return Resized(set, std::size_t{set->used_} * 2);
}

bool SmallSet::Contains(std::string_view member) const {
  if (!IsIntegers()) return OffsetOf(member) != used_;
  const std::optional<std::int64_t> number = ParseInt64(member);
  if (!number) return false;
  const std::size_t index = LowerBound(*number);
  return index < count_ && Integer(index) == *number;
}

std::string_view SmallSet::Member(std::size_t index, NumberBuffer& buffer) const {
  if (IsIntegers()) return FormatInt64(Integer(index), buffer);
  const char* at = data();
  for (; index > 0; --index) at += 1 + static_cast<unsigned char>(*at);
  return {at + 1, static_cast<unsigned char>(*at)};
}

std::int64_t SmallSet::Integer(std::size_t index) const {
  const char* at = data() + index * width_;
  if (width_ == 2) return Load<std::int16_t>(at);
  return width_ == 4 ? Load<std::int32_t>(at) : Load<std::int64_t>(at);
}

void SmallSet::WriteInteger(std::size_t index, std::int64_t number) {
  char* at = data() + index * width_;
  if (width_ == 2) return Store<std::int16_t>(at, number);
  if (width_ == 4) return Store<std::int32_t>(at, number);
  Store<std::int64_t>(at, number);
}

std::size_t SmallSet::LowerBound(std::int64_t number) const {
  std::size_t low = 0;
  std::size_t high = count_;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (Integer(middle) < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::size_t SmallSet::OffsetOf(std::string_view member) const {
  for (const char* at = data(); at != data() + used_;) {
    const std::size_t length = static_cast<unsigned char>(*at);
    if (SameBytes({at + 1, length}, member)) return static_cast<std::size_t>(at - data());
    at += 1 + length;
  }
  return used_;
}

void SmallSet::CheckInvariants() const {
  RUNG_CHECK(count_ > 0 && used_ <= capacity_, "small set: bounds");
  if (IsIntegers()) {
    RUNG_CHECK(count_ <= kIntegersMax && used_ == count_ * width_, "small set: integers");
    for (std::size_t i = 1; i < count_; ++i) {
      RUNG_CHECK(Integer(i - 1) < Integer(i), "small set: integers ascend");
    }
    return;
  }
  RUNG_CHECK(count_ <= kPackedMax && used_ <= kBytesMax, "small set: size of the packed form");
  RUNG_CHECK(encoding_ != SetEncoding::kIntset, "small set: an intset of other members");
  std::size_t members = 0;
  for (const char* at = data(); at != data() + used_; ++members) {
    const std::string_view member(at + 1, static_cast<unsigned char>(*at));
    RUNG_CHECK(OffsetOf(member) == static_cast<std::size_t>(at - data()),
               "small set: a member comes twice");
    at += 1 + member.size();
    RUNG_CHECK(at <= data() + used_, "small set: a member reaches over the end");
  }
  RUNG_CHECK(members == count_, "small set: count");
}

}  // namespace rung

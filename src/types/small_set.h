// SmallSet: the small forms of a set, one block of memory: integers in a sorted array, or members
// packed one behind the other.
//
// Block: this header, then either the integers, ascending, each of `width` bytes, the same for all;
// or for each member its length (u8) and its bytes, in order of arrival.
//
// Invariants, checked by CheckInvariants():
//   1. Integers strictly ascend. No packed member comes twice.
//   2. `used` is what the members take, at most `capacity`; `count` is their number, not 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "rung/base/numbers.h"
#include "rung/base/rng.h"
#include "rung/types/set.h"

namespace rung {

class SmallSet {
 public:
  static constexpr std::size_t kIntegersMax = 512;
  static constexpr std::size_t kPackedMax = 128;
  static constexpr std::size_t kMemberBytesMax = 255;
  static constexpr std::size_t kBytesMax = 4096;  // Of packed members.

  // A set of one member; null if it is too long.
  static SmallSet* Create(std::string_view member);
  static void Destroy(SmallSet* set);
  static SmallSet* Clone(const SmallSet* set);

  SmallSet(const SmallSet&) = delete;
  SmallSet& operator=(const SmallSet&) = delete;

  std::size_t size() const { return count_; }
  std::size_t MemoryBytes() const;
  SetEncoding encoding() const { return encoding_; }
  void set_encoding(SetEncoding encoding) { encoding_ = encoding; }

  // Adds `member`, which must be absent. Returns where the set is now; its encoding is left to the
  // caller. Null if it cannot be held, and nothing is changed.
  static SmallSet* Add(SmallSet* set, std::string_view member);
  // Removes `member`, which must be present. Returns where the set is now. Requires size() > 1.
  static SmallSet* Remove(SmallSet* set, std::string_view member);
  bool Contains(std::string_view member) const;
  std::string_view Member(std::size_t index, NumberBuffer& buffer) const;

  template <typename F>
  void ForEach(F visit) const;

  void CheckInvariants() const;

 private:
  SmallSet() = default;

  // A block for members of `bytes` bytes, without members.
  static SmallSet* Allocate(std::size_t bytes);
  static SmallSet* CreateIntegers(std::size_t width, std::size_t capacity);
  static SmallSet* AddInteger(SmallSet* set, std::int64_t number);
  static SmallSet* AddPacked(SmallSet* set, std::string_view member);
  static SmallSet* Resized(SmallSet* set, std::size_t bytes);
  // The integers as packed members; null if that is more than fits.
  static SmallSet* Packed(const SmallSet* set);
  static SmallSet* Widened(const SmallSet* set, std::size_t width);

  bool IsIntegers() const { return width_ != 0; }
  char* data() { return reinterpret_cast<char*>(this + 1); }
  const char* data() const { return reinterpret_cast<const char*>(this + 1); }
  std::int64_t Integer(std::size_t index) const;
  void WriteInteger(std::size_t index, std::int64_t number);
  // The first integer that is not less; size() if there is none.
  std::size_t LowerBound(std::int64_t number) const;
  // The offset of a packed member's length; used_ if it is absent.
  std::size_t OffsetOf(std::string_view member) const;

  std::uint16_t capacity_ = 0;  // Bytes for members.
  std::uint16_t used_ = 0;      // Bytes of members.
  std::uint16_t count_ = 0;
  std::uint8_t width_ = 0;  // Of an integer; 0 if the members are packed.
  SetEncoding encoding_ = SetEncoding::kIntset;
};

template <typename F>
void SmallSet::ForEach(F visit) const {
  if (IsIntegers()) {
    NumberBuffer buffer;
    for (std::size_t i = 0; i < count_; ++i) visit(FormatInt64(Integer(i), buffer));
    return;
  }
  for (const char* at = data(); at != data() + used_;) {
    const std::string_view member(at + 1, static_cast<unsigned char>(*at));
    at += 1 + member.size();
    visit(member);
  }
}

}  // namespace rung

// PackedHash: the small form of a hash, one block of memory with everything inside.
//
// Record: u16 capacity (a multiple of 16; its low bits are flags), u16 bytes in use, then the names
// (types/field_names.h) or a pointer to a shape that has them, then the values in the same order
// (types/hash_value.h). Names apart from values is what lets jobs share the names.
//
// A record is changed in place while it has room; a change of the list of names writes it anew,
// through a draft.
//
// Invariants, checked by CheckInvariants(): there are as many values as names and they end where
// the bytes in use end; no name comes twice; the size keeps within the limits below.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "rung/base/numbers.h"
#include "rung/base/prefetch.h"
#include "rung/types/hash_shapes.h"
#include "types/field_names.h"
#include "types/hash_value.h"

namespace rung {

// A view of a record; the functions that may move it return where it is now.
class PackedHash {
 public:
  static constexpr std::size_t kFieldsMax = 128;
  // A larger hash has each field in a block of its own: rewriting more than this at a change of
  // one field would cost more than the memory saved is worth.
  static constexpr std::size_t kRecordBytesMax = 16384;

  explicit PackedHash(char* record) : record_(record) {}

  static void Destroy(char* record);
  static char* Clone(const char* record);

  FieldNames names() const {
    if (!IsShared()) return FieldNames(record_ + kNamesAt);
    return FieldNames(shape()->names());
  }
  std::size_t size() const { return names().count(); }
  std::size_t MemoryBytes() const;

  // Whether the hash was once beyond the limit up to which it counts as small.
  bool IsMarkedLarge() const { return (Head() & kLargeFlag) != 0; }
  void MarkLarge() { SetHead(static_cast<std::uint16_t>(Head() | kLargeFlag)); }

  void Prefetch() const {
    rung::Prefetch(record_);
    rung::Prefetch(record_ + kCacheLineBytes);
  }

  const char* FirstValue() const {
    return record_ + kNamesAt + (IsShared() ? sizeof(HashShape*) : names().bytes());
  }
  const char* ValueAt(std::size_t index) const {
    const char* value = FirstValue();
    for (; index > 0; --index) value += hash_value::BytesAt(value);
    return value;
  }

  // Puts `value` in the place of another. Null if the record would become too large; it is then
  // unchanged.
  [[nodiscard]] char* Assign(std::size_t index, std::string_view value);

  void CheckInvariants() const;

 private:
  friend class PackedHashDraft;

  static constexpr std::size_t kCacheLineBytes = 64;
  static constexpr std::size_t kUsedAt = 2;
  static constexpr std::size_t kNamesAt = 4;
  static constexpr unsigned kSharedFlag = 1;
  static constexpr unsigned kLargeFlag = 2;
  static constexpr unsigned kFlags = 15;

  // A block for `used` bytes of record; only its capacity is written.
  static char* Create(std::size_t used);

  std::uint16_t Head() const {
    std::uint16_t head;
    std::memcpy(&head, record_, sizeof(head));
    return head;
  }
  void SetHead(std::uint16_t head) { std::memcpy(record_, &head, sizeof(head)); }
  std::size_t capacity() const { return Head() & ~kFlags; }
  std::size_t used() const {
    std::uint16_t used;
    std::memcpy(&used, record_ + kUsedAt, sizeof(used));
    return used;
  }
  void SetUsed(std::size_t used) {
    const std::uint16_t narrow = static_cast<std::uint16_t>(used);
    std::memcpy(record_ + kUsedAt, &narrow, sizeof(narrow));
  }
  bool IsShared() const { return (Head() & kSharedFlag) != 0; }
  HashShape* shape() const {
    HashShape* shape;
    std::memcpy(&shape, record_ + kNamesAt, sizeof(shape));
    return shape;
  }

  char* record_;
};

// Names and values taken apart, to be changed at will and written as a record again.
class PackedHashDraft {
 public:
  enum class Outcome : std::uint8_t { kAdded, kReplaced, kFull };

  PackedHashDraft() { FieldNames::WriteHeader(names_, 0, FieldNames::kHeaderBytes); }

  void Load(const PackedHash& hash);
  // kFull: it would be more than a packed hash may hold; nothing is changed.
  Outcome Put(std::string_view field, std::string_view value);
  void Remove(std::size_t index);

  FieldNames names() const { return FieldNames(names_); }
  const char* first_value() const { return values_; }

  // Writes the record anew, into the block of `old` (null: none) if it fits there, and lets go of
  // what `old` had. `shapes` may be null. Requires at least one field.
  [[nodiscard]] char* Build(char* old, HashShapes* shapes) const;

 private:
  char* ValueAt(std::size_t index);
  bool HasRoom(std::size_t more) const;

  std::size_t names_bytes_ = FieldNames::kHeaderBytes;
  std::size_t values_bytes_ = 0;
  bool marked_large_ = false;
  char names_[PackedHash::kRecordBytesMax];
  char values_[PackedHash::kRecordBytesMax];
};

}  // namespace rung

// The small form of a hash. See packed_hash.h.

#include "types/packed_hash.h"

#include <algorithm>

#include "rung/base/check.h"
#include "rung/base/memory.h"

namespace rung {

using hash_value::Encoded;

char* PackedHash::Create(std::size_t used) {
  constexpr std::size_t kStep = kFlags + 1;
  // What the allocator rounds up to is used. Its sizes are multiples of the step from 16 on.
  const std::size_t capacity = AllocationSize((used + kStep - 1) / kStep * kStep);
  char* record = static_cast<char*>(Allocate(capacity));
  PackedHash(record).SetHead(static_cast<std::uint16_t>(capacity));
  return record;
}

void PackedHash::Destroy(char* record) {
  const PackedHash hash(record);
  if (hash.IsShared()) hash.shape()->Unuse();
  Free(record, hash.capacity());
}

char* PackedHash::Clone(const char* record) {
  const PackedHash source(const_cast<char*>(record));
  char* clone = Create(source.used());
  const std::uint16_t head =
      static_cast<std::uint16_t>(PackedHash(clone).Head() | (source.Head() & kFlags));
  std::memcpy(clone + kUsedAt, record + kUsedAt, source.used() - kUsedAt);
  PackedHash(clone).SetHead(head);
  if (source.IsShared()) source.shape()->Use();
  return clone;
}

std::size_t PackedHash::MemoryBytes() const { return AllocationSize(capacity()); }

char* PackedHash::Assign(std::size_t index, std::string_view value) {
  if (value.size() > kRecordBytesMax) return nullptr;
  const Encoded encoded(value);
  const std::size_t at = static_cast<std::size_t>(ValueAt(index) - record_);
  const std::size_t old_bytes = hash_value::BytesAt(record_ + at);
  const std::size_t new_used = used() - old_bytes + encoded.bytes();
  if (new_used > kRecordBytesMax) return nullptr;
  const std::size_t behind = at + old_bytes;
  const std::size_t tail_bytes = used() - behind;
  if (new_used <= capacity() && new_used * 4 >= capacity()) {
    std::memmove(record_ + at + encoded.bytes(), record_ + behind, tail_bytes);
  } else {
    char* moved = Create(new_used);
    PackedHash(moved).SetHead(
        static_cast<std::uint16_t>(PackedHash(moved).Head() | (Head() & kFlags)));
    std::memcpy(moved + kUsedAt, record_ + kUsedAt, at - kUsedAt);
    std::memcpy(moved + at + encoded.bytes(), record_ + behind, tail_bytes);
    Free(record_, capacity());
    record_ = moved;
  }
  encoded.Write(record_ + at);
  SetUsed(new_used);
  return record_;
}

void PackedHash::CheckInvariants() const {
  const FieldNames all = names();
  RUNG_CHECK(all.count() > 0 && all.count() <= kFieldsMax, "packed hash: number of fields");
  RUNG_CHECK(used() <= capacity() && used() <= kRecordBytesMax, "packed hash: size");
  const char* name = all.first();
  for (std::size_t i = 0; i < all.count(); ++i, name = FieldNames::Behind(name)) {
    RUNG_CHECK(all.IndexOf(FieldNames::NameAt(name)) == i, "packed hash: a name comes twice");
  }
  RUNG_CHECK(name == all.form().data() + all.bytes(), "packed hash: names fill their form");
  RUNG_CHECK(ValueAt(all.count()) == record_ + used(), "packed hash: a value for each name");
}

void PackedHashDraft::Load(const PackedHash& hash) {
  const FieldNames all = hash.names();
  const char* values = hash.FirstValue();
  names_bytes_ = all.bytes();
  values_bytes_ = static_cast<std::size_t>(hash.record_ + hash.used() - values);
  marked_large_ = hash.IsMarkedLarge();
  std::memcpy(names_, all.form().data(), names_bytes_);
  std::memcpy(values_, values, values_bytes_);
}

bool PackedHashDraft::HasRoom(std::size_t more) const {
  return PackedHash::kNamesAt + names_bytes_ + values_bytes_ + more <= PackedHash::kRecordBytesMax;
}

char* PackedHashDraft::ValueAt(std::size_t index) {
  char* value = values_;
  for (; index > 0; --index) value += hash_value::BytesAt(value);
  return value;
}

PackedHashDraft::Outcome PackedHashDraft::Put(std::string_view field, std::string_view value) {
  if (field.size() > FieldNames::kNameBytesMax || value.size() > PackedHash::kRecordBytesMax) {
    return Outcome::kFull;
  }
  const Encoded encoded(value);
  const std::size_t count = names().count();
  const std::size_t index = names().IndexOf(field);
  if (index < count) {
    char* at = ValueAt(index);
    const std::size_t old_bytes = hash_value::BytesAt(at);
    if (encoded.bytes() > old_bytes && !HasRoom(encoded.bytes() - old_bytes)) return Outcome::kFull;
    const char* behind = at + old_bytes;
    std::memmove(at + encoded.bytes(), behind,
                 static_cast<std::size_t>(values_ + values_bytes_ - behind));
    encoded.Write(at);
    values_bytes_ = values_bytes_ - old_bytes + encoded.bytes();
    return Outcome::kReplaced;
  }
  if (count == PackedHash::kFieldsMax || !HasRoom(1 + field.size() + encoded.bytes())) {
    return Outcome::kFull;
  }
  char* name = names_ + names_bytes_;
  *name = static_cast<char>(field.size());
  if (!field.empty()) std::memcpy(name + 1, field.data(), field.size());
  names_bytes_ += 1 + field.size();
  FieldNames::WriteHeader(names_, count + 1, names_bytes_);
  encoded.Write(values_ + values_bytes_);
  values_bytes_ += encoded.bytes();
  return Outcome::kAdded;
}

void PackedHashDraft::Remove(std::size_t index) {
  const std::size_t count = names().count();
  char* value = ValueAt(index);
  const std::size_t value_bytes = hash_value::BytesAt(value);
  std::memmove(value, value + value_bytes,
               static_cast<std::size_t>(values_ + values_bytes_ - value) - value_bytes);
  values_bytes_ -= value_bytes;

  char* name = const_cast<char*>(names().Name(index).data()) - 1;
  const char* behind = FieldNames::Behind(name);
  const std::size_t name_bytes = static_cast<std::size_t>(behind - name);
  std::memmove(name, behind, static_cast<std::size_t>(names_ + names_bytes_ - behind));
  names_bytes_ -= name_bytes;
  FieldNames::WriteHeader(names_, count - 1, names_bytes_);
}

char* PackedHashDraft::Build(char* old, HashShapes* shapes) const {
  HashShape* shape = shapes == nullptr ? nullptr : shapes->Share(names().form());
  const std::size_t names_bytes = shape == nullptr ? names_bytes_ : sizeof(shape);
  const std::size_t used = PackedHash::kNamesAt + names_bytes + values_bytes_;

  char* record = old;
  if (old != nullptr && PackedHash(old).IsShared()) PackedHash(old).shape()->Unuse();
  if (old == nullptr || PackedHash(old).capacity() < used ||
      PackedHash(old).capacity() > 2 * used) {
    if (old != nullptr) Free(old, PackedHash(old).capacity());
    record = PackedHash::Create(used);
  }
  PackedHash hash(record);
  const unsigned flags = (shape == nullptr ? 0 : PackedHash::kSharedFlag) |
                         (marked_large_ ? PackedHash::kLargeFlag : 0);
  hash.SetHead(static_cast<std::uint16_t>(hash.capacity() | flags));
  hash.SetUsed(used);
  char* at = record + PackedHash::kNamesAt;
  if (shape == nullptr) {
    std::memcpy(at, names_, names_bytes);
  } else {
    std::memcpy(at, &shape, sizeof(shape));
  }
  std::memcpy(at + names_bytes, values_, values_bytes_);
  return record;
}

}  // namespace rung

// The record of a key. See entry.h.

#include "rung/store/entry.h"

#include <cstring>
#include <new>

#include "rung/base/check.h"
#include "rung/base/memory.h"
#include "rung/base/prefetch.h"

namespace rung {

std::string_view TypeName(ValueType type) {
  switch (type) {
    case ValueType::kString:
      return "string";
    case ValueType::kList:
      return "list";
    case ValueType::kSet:
      return "set";
    case ValueType::kSortedSet:
      return "zset";
    case ValueType::kHash:
      return "hash";
    case ValueType::kStream:
      return "stream";
    case ValueType::kQueue:
      return "queue";
  }
  RUNG_CHECK(false, "unknown value type");
}

void EntryPlaces::Set(Entry* entry, std::uint32_t place) { entry->expiry()->place = place; }

Entry* Entry::Make(std::string_view key, const Payload& payload, bool with_expiry) {
  const std::size_t payload_bytes = payload.form == Form::kInline ? payload.bytes.size() : 8;
  const std::size_t bytes =
      sizeof(Entry) + (with_expiry ? sizeof(Expiry) : 0) + key.size() + payload_bytes;
  Entry* entry = new (Allocate(bytes)) Entry();
  entry->key_size_ = static_cast<std::uint32_t>(key.size());
  entry->type_ = payload.type;
  entry->form_ = payload.form;
  entry->has_expiry_ = with_expiry;
  if (with_expiry) *entry->expiry() = {.at_ms = 0, .place = ExpiryHeap::kNowhere, .unused = 0};
  std::memcpy(entry->payload() - key.size(), key.data(), key.size());
  switch (payload.form) {
    case Form::kInline:
      entry->value_size_ = static_cast<std::uint32_t>(payload.bytes.size());
      std::memcpy(entry->payload(), payload.bytes.data(), payload.bytes.size());
      break;
    case Form::kInteger:
      std::memcpy(entry->payload(), &payload.integer, 8);
      break;
    case Form::kGrowing:
    case Form::kObject:
      std::memcpy(entry->payload(), &payload.object, 8);
      break;
  }
  return entry;
}

void Entry::Destroy(Entry* entry) {
  if (entry->form_ == Form::kGrowing) {
    delete static_cast<std::string*>(entry->object());
  } else if (entry->form_ == Form::kObject) {
    OperationsOf(entry->type_).destroy(entry->object());
  }
  Release(entry);
}

void Entry::Release(Entry* entry) { Free(entry, entry->RecordBytes()); }

std::size_t Entry::RecordBytes() const {
  return sizeof(Entry) + (has_expiry_ ? sizeof(Expiry) : 0) + key_size_ + PayloadBytes();
}

std::int64_t Entry::expire_at() const { return expiry()->at_ms; }
ExpiryHeap::Place Entry::expiry_place() const { return expiry()->place; }
void Entry::set_expire_at(std::int64_t at_ms) { expiry()->at_ms = at_ms; }

std::string_view Entry::StringView(NumberBuffer& buffer) const {
  switch (form_) {
    case Form::kInline:
      return {payload(), value_size_};
    case Form::kInteger:
      return FormatInt64(integer(), buffer);
    case Form::kGrowing:
      return growing();
    case Form::kObject:
      break;
  }
  RUNG_CHECK(false, "string asked of another type");
}

std::int64_t Entry::integer() const {
  std::int64_t value = 0;
  std::memcpy(&value, payload(), 8);
  return value;
}

void Entry::set_integer(std::int64_t value) { std::memcpy(payload(), &value, 8); }

void* Entry::object() const {
  void* object = nullptr;
  std::memcpy(&object, payload(), 8);
  return object;
}

std::string& Entry::growing() const { return *static_cast<std::string*>(object()); }

bool Entry::TryAssign(std::string_view bytes) {
  if (form_ != Form::kInline) return false;
  const std::size_t fixed = RecordBytes() - value_size_;
  if (bytes.size() != value_size_ &&
      AllocationSize(fixed + bytes.size()) != AllocationSize(fixed + value_size_)) {
    return false;
  }
  value_size_ = static_cast<std::uint32_t>(bytes.size());
  std::memcpy(payload(), bytes.data(), bytes.size());
  return true;
}

std::string_view Entry::EncodingName() const {
  // Strings up to this long lie in one block with their header, in Redis as here.
  constexpr std::size_t kEmbeddedMax = 44;
  switch (form_) {
    case Form::kInline:
      return value_size_ <= kEmbeddedMax ? "embstr" : "raw";
    case Form::kInteger:
      return "int";
    case Form::kGrowing:
      return "raw";
    case Form::kObject:
      return OperationsOf(type_).encoding(object());
  }
  RUNG_CHECK(false, "unknown entry form");
}

Digest Entry::ValueDigest() const {
  Digest digest;
  digest.Append(TypeName(type_));
  if (type_ == ValueType::kString) {
    NumberBuffer buffer;
    digest.Append(StringView(buffer));
  } else {
    OperationsOf(type_).digest(object(), digest);
  }
  return digest;
}

void Entry::Prefetch() const {
  constexpr std::size_t kLineBytes = 64;
  rung::Prefetch(this);
  rung::Prefetch(reinterpret_cast<const char*>(this) +
                 kLineBytes);  // Key and value are mostly longer than one line.
}

void Entry::Foresee(std::span<const std::string_view> words, ForesightStep step,
                    std::uint64_t& note) const {
  if (form_ == Form::kObject) OperationsOf(type_).foresee(object(), words, step, note);
}

WaitOutlook Entry::OutlookFor(WaitTopic topic, std::uint64_t id) const {
  return form_ == Form::kObject ? OperationsOf(type_).outlook(object(), topic, id)
                                : WaitOutlook::kTry;
}

std::size_t Entry::MemoryBytes() const {
  std::size_t bytes = AllocationSize(RecordBytes());
  if (form_ == Form::kGrowing) {
    bytes += AllocationSize(sizeof(std::string)) + AllocationSize(growing().capacity() + 1);
  } else if (form_ == Form::kObject) {
    bytes += OperationsOf(type_).memory_bytes(object());
  }
  return bytes;
}

}  // namespace rung

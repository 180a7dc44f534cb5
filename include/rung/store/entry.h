// Entry: a key and its value, in one heap record wherever the value is a string.
//
// Layout (bytes): header 16 | expiry 16, if the key has one | key | payload. The payload is the
// string itself, a 64-bit integer, or a pointer to a growing string or to a typed object. A key of
// 16 bytes with a value of 16 bytes thus takes one block of 48. Entries move when they grow, so
// nobody but the Database keeps a pointer to one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rung/base/deadline_heap.h"
#include "rung/base/digest.h"
#include "rung/base/numbers.h"
#include "rung/base/rng.h"
#include "rung/types/foresight.h"
#include "rung/types/wait_topic.h"

namespace rung {

enum class ValueType : std::uint8_t { kString, kList, kSet, kSortedSet, kHash, kStream, kQueue };

// "string", "list", "zset" ...: the words of TYPE and SCAN.
std::string_view TypeName(ValueType type);

class Entry;
class TimedValue;

struct EntryPlaces {
  static void Set(Entry* entry, std::uint32_t place);
};

// Which key is past its time next: milliseconds since the epoch.
using ExpiryHeap = DeadlineHeap<std::int64_t, Entry*, EntryPlaces>;

class Entry {
 public:
  enum class Form : std::uint8_t { kInline, kInteger, kGrowing, kObject };

  // What a new entry shall hold. Exactly one of the pointers, the integer, or the bytes is used.
  struct Payload {
    ValueType type = ValueType::kString;
    Form form = Form::kInline;
    std::string_view bytes{};  // kInline
    std::int64_t integer = 0;  // kInteger
    void* object = nullptr;    // kGrowing: std::string*. kObject: the type's class. Taken over.
  };

  // A record for `key`; `with_expiry` makes room for one. Free with Destroy or Release.
  static Entry* Make(std::string_view key, const Payload& payload, bool with_expiry);
  // Frees the record and the value.
  static void Destroy(Entry* entry);
  // Frees the record only: the object has been taken out.
  static void Release(Entry* entry);

  std::string_view key() const { return {key_data(), key_size_}; }
  ValueType type() const { return type_; }
  Form form() const { return form_; }

  bool has_expiry() const { return has_expiry_; }
  // Requires has_expiry(). Milliseconds since the epoch.
  std::int64_t expire_at() const;
  ExpiryHeap::Place expiry_place() const;
  void set_expire_at(std::int64_t at_ms);

  // Seconds since the store began when the key was last used (OBJECT IDLETIME).
  std::uint32_t access_seconds() const { return access_seconds_; }
  void set_access_seconds(std::uint32_t seconds) { access_seconds_ = seconds; }

  // The string value. Integers are printed into `buffer`. Requires type() == kString.
  std::string_view StringView(NumberBuffer& buffer) const;
  std::int64_t integer() const;          // Requires kInteger.
  void set_integer(std::int64_t value);  // Requires kInteger.
  std::string& growing() const;          // Requires kGrowing.
  void* object() const;                  // Requires kObject or kGrowing.

  // Overwrites an inline string of the same length class in place; false if it does not fit.
  bool TryAssign(std::string_view bytes);

  // The word of OBJECT ENCODING.
  std::string_view EncodingName() const;
  // Type and contents, without key and expiry. O(bytes).
  Digest ValueDigest() const;

  // Hints. Prefetch() does not read the entry; Foresee() tells an object what a request with
  // `words` behind the key will look up in it (rung/types/foresight.h).
  void Prefetch() const;
  void Foresee(std::span<const std::string_view> words, ForesightStep step,
               std::uint64_t& note) const;

  // What a client may hope for that waits for `topic` of this key; see ObjectOperations.
  WaitOutlook OutlookFor(WaitTopic topic, std::uint64_t id) const;

  // Heap bytes of the record and its value, with rounding. O(1) for every type.
  std::size_t MemoryBytes() const;

 private:
  friend struct EntryPlaces;
  struct Expiry {
    std::int64_t at_ms;
    std::uint32_t place;
    std::uint32_t unused;
  };

  Entry() = default;
  std::size_t RecordBytes() const;
  std::size_t PayloadBytes() const { return form_ == Form::kInline ? value_size_ : 8; }
  char* start() { return reinterpret_cast<char*>(this + 1); }
  const char* start() const { return reinterpret_cast<const char*>(this + 1); }
  Expiry* expiry() { return reinterpret_cast<Expiry*>(start()); }
  const Expiry* expiry() const { return reinterpret_cast<const Expiry*>(start()); }
  const char* key_data() const { return start() + (has_expiry_ ? sizeof(Expiry) : 0); }
  char* payload() { return start() + (has_expiry_ ? sizeof(Expiry) : 0) + key_size_; }
  const char* payload() const { return key_data() + key_size_; }

  std::uint32_t key_size_ = 0;
  std::uint32_t value_size_ = 0;  // kInline only.
  std::uint32_t access_seconds_ = 0;
  ValueType type_ = ValueType::kString;
  Form form_ = Form::kInline;
  bool has_expiry_ = false;
  std::uint8_t unused_ = 0;
};

// What the store must know of a typed object, by type. One line per type in value_types.cc.
struct ObjectOperations {
  void (*destroy)(void* object);
  void* (*clone)(const void* object, Rng& rng);
  std::size_t (*memory_bytes)(const void* object);
  std::size_t (*size)(const void* object);  // Elements: what DEL costs, and when a key is empty.
  // OBJECT ENCODING's word for the form that the value has now.
  std::string_view (*encoding)(const void* object);
  // Adds the contents; values that read the same have the same digest. O(bytes).
  void (*digest)(const void* object, Digest& digest);
  // Hints: see rung/types/foresight.h.
  void (*foresee)(const void* object, std::span<const std::string_view> words, ForesightStep step,
                  std::uint64_t& note);
  // The value as one with timed work; null for types without.
  TimedValue* (*timed)(void* object);
  // What a client may hope for that waits for `topic` and, with kResult, for the job `id`. O(1).
  WaitOutlook (*outlook)(const void* object, WaitTopic topic, std::uint64_t id);
};

// Requires a type other than kString.
const ObjectOperations& OperationsOf(ValueType type);

}  // namespace rung

// Hash: the value behind the H* commands. Unique fields, each with a value.
//
// Why two forms. A job is a hash of some ten short fields, and there are a million of them: such a
// hash is one packed block, numbers in binary and the field names shared by all hashes that have
// the same ones (rung/types/hash_shapes.h). A lookup walks the names, which is as quick as hashing
// at this size. A hash of more than 128 fields or 16 KiB becomes a table of records.
//
// The form is not what OBJECT ENCODING says: a hash counts as "listpack" until it was once beyond
// the configured limit, whatever its form.
//
// Invariants, checked by CheckInvariants():
//   1. form_ is null if and only if the hash is empty.
//   2. Packed: the invariants of types/packed_hash.h. Large: those of types/record_table.h.
//
// Not thread-safe, but a hash may be destroyed on another thread than the one that made it. Knows
// nothing of keys, expiry, replies or logging.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "rung/base/numbers.h"
#include "rung/base/rng.h"
#include "rung/types/foresight.h"
#include "rung/types/hash_shapes.h"

namespace rung {

class LargeHash;

// What changes of a hash follow; one for all hashes of a store.
struct HashRules {
  // Up to where a hash counts as small ("listpack").
  std::size_t small_fields_max = 128;
  std::size_t small_bytes_max = 64;  // Of a field or a value.
  // Where names are shared; must outlive the hashes. Null: each keeps its own.
  HashShapes* shapes = nullptr;
};

class Hash {
 public:
  // A field with its value. Views that live until the hash changes or the buffer that was given
  // is used again.
  struct Field {
    std::string_view name;
    std::string_view value;
  };

  Hash() = default;
  ~Hash() { Clear(); }
  Hash(Hash&& other) noexcept : form_(other.form_) { other.form_ = 0; }
  Hash& operator=(Hash&& other) noexcept;
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;

  std::size_t size() const;  // O(1)
  bool empty() const { return form_ == 0; }
  // Bytes held on the heap, without shared names and sizeof(Hash). O(1).
  std::size_t MemoryBytes() const;
  // Whether the hash was always within the limit: "listpack" for OBJECT ENCODING, else "hashtable".
  bool IsSmall() const;

  // Sets each field to its value: name, value, name, value and so on, the last one counting if a
  // name comes twice. Returns how many fields are new. Requires an even number. The views must not
  // lie in this hash. Cost: a packed hash is rewritten once, if names are new.
  std::size_t SetAll(std::span<const std::string_view> names_and_values, const HashRules& rules);
  // Returns whether the field is new.
  bool Set(std::string_view name, std::string_view value, const HashRules& rules);
  // Returns whether the field was there.
  bool Remove(std::string_view name, const HashRules& rules);
  void Clear();

  // The value; a number may be printed into `buffer`. O(1), or O(fields) up to 128 of them.
  std::optional<std::string_view> Get(std::string_view name, NumberBuffer& buffer) const;
  // A hint for a request whose first word behind the key is a field.
  void Foresee(std::span<const std::string_view> words, ForesightStep step,
               std::uint64_t& note) const;
  bool Contains(std::string_view name) const;
  // A field drawn at random, each equally likely. Requires !empty().
  Field Random(Rng& rng, NumberBuffer& buffer) const;

  // Draws up to `count` different fields: calls visit(name, value) for each. Each subset is equally
  // likely. `visit` must not change the hash. Cost: O(min(n, count)), O(n) up to 128 fields.
  template <typename F>
  void Sample(Rng& rng, std::size_t count, F visit) const {
    SampleWith(rng, count, &visit, &Call<F>);
  }

  // Calls visit(std::string_view name, std::string_view value) for each field; a packed hash in the
  // order in which fields were added. `visit` must not change the hash.
  template <typename F>
  void ForEach(F visit) const {
    VisitWith(&visit, &Call<F>);
  }
  // Visits some fields and returns the cursor of the next call, 0 at the end. Starting from 0, a
  // field that stays in the hash all the while is visited at least once, whatever else changes in
  // between. A small hash (IsSmall) is visited whole, another one about ten fields at a time.
  template <typename F>
  std::uint64_t Scan(std::uint64_t cursor, F visit) const {
    return ScanWith(cursor, &visit, &Call<F>);
  }

  std::unique_ptr<Hash> Clone() const;

  // Aborts the process, naming the broken invariant. O(n): for tests, fuzzers and DEBUG only.
  void CheckInvariants() const;

 private:
  using Visitor = void (*)(void* context, std::string_view name, std::string_view value);
  template <typename F>
  static void Call(void* context, std::string_view name, std::string_view value) {
    (*static_cast<F*>(context))(name, value);
  }

  bool IsLarge() const { return (form_ & 1) != 0; }
  LargeHash& large() const { return *reinterpret_cast<LargeHash*>(form_ - 1); }
  char* packed() const { return reinterpret_cast<char*>(form_); }
  void SetPacked(char* record) { form_ = reinterpret_cast<std::uintptr_t>(record); }

  void VisitWith(void* context, Visitor visitor) const;
  std::uint64_t ScanWith(std::uint64_t cursor, void* context, Visitor visitor) const;
  void SampleWith(Rng& rng, std::size_t count, void* context, Visitor visitor) const;
  std::size_t AssignPacked(std::span<const std::string_view> names_and_values);
  std::size_t SetThroughDraft(std::span<const std::string_view> names_and_values,
                              const HashRules& rules);
  void BecomeLarge();
  void MarkIfLarge(std::span<const std::string_view> names_and_values, const HashRules& rules);

  std::uintptr_t form_ = 0;  // A packed record, or LargeHash* with the lowest bit set.
};

}  // namespace rung

// Set: the value behind the S* commands. Unique members, in no order that may be relied on.
//
// Why three forms. Up to 512 integers are a sorted array of 2, 4 or 8 bytes each; up to 128 short
// members are packed one behind the other and searched by walking; what is more is a table of
// records (types/record_table.h), some 30 bytes for a member of 16, which never rehashes as a
// whole.
//
// The form is not what OBJECT ENCODING says. encoding() follows the configured limits the way Redis
// does: from intset to listpack to hashtable and never back, while the form follows what is quick.
//
// Invariants, checked by CheckInvariants():
//   1. form_ is null if and only if the set is empty.
//   2. Small: those of types/small_set.h. Large: those of types/record_table.h.
//   3. A set whose encoding is intset holds integers only.
//
// Not thread-safe. Knows nothing of keys, expiry, replies or logging.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "rung/base/numbers.h"
#include "rung/base/rng.h"
#include "rung/types/foresight.h"

namespace rung {

struct LargeSet;
class SmallSet;

enum class SetEncoding : std::uint8_t { kIntset, kListpack, kHashtable };

// Up to where a set has which encoding; one for all sets of a store.
struct SetRules {
  std::size_t intset_members_max = 512;
  std::size_t listpack_members_max = 128;
  std::size_t listpack_bytes_max = 64;  // Of a member.
};

class Set {
 public:
  Set() = default;
  ~Set() { Clear(); }
  Set(Set&& other) noexcept : form_(other.form_) { other.form_ = 0; }
  Set& operator=(Set&& other) noexcept;
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;

  std::size_t size() const;  // O(1)
  bool empty() const { return form_ == 0; }
  // Bytes held on the heap, without sizeof(Set). O(1).
  std::size_t MemoryBytes() const;
  SetEncoding encoding() const;

  // Adds the members; returns how many are new. Their number counts towards the encoding even if
  // some come twice, as it does in Redis. The views must not lie in this set.
  // Cost: O(1) each, O(n) up to 512.
  std::size_t AddAll(std::span<const std::string_view> members, const SetRules& rules);
  // Returns whether the member is new.
  bool Add(std::string_view member, const SetRules& rules) {
    return AddAll({&member, 1}, rules) == 1;
  }
  // Returns whether the member was there. `member` may lie in this set. Cost: as Contains().
  bool Remove(std::string_view member);
  void Clear();

  // A hint for a request whose first word behind the key is a member.
  void Foresee(std::span<const std::string_view> words, ForesightStep step,
               std::uint64_t& note) const;
  bool Contains(std::string_view member) const;  // O(1), O(n) up to 128, O(log n) for integers.

  // A member drawn at random, each equally likely; lives until the set changes or `buffer` is used
  // again. Requires !empty(). Cost: O(1), O(n) up to 128.
  std::string_view Random(Rng& rng, NumberBuffer& buffer) const;
  // Draws up to `count` different members: calls visit(std::string_view) for each. Each subset is
  // equally likely. `visit` must not change the set. Cost: O(min(n, count) + small n).
  template <typename F>
  void Sample(Rng& rng, std::size_t count, F visit) const {
    SampleWith(rng, count, &visit, &Call<F>);
  }
  // Removes up to `count` members drawn at random: calls visit(std::string_view) for each before it
  // goes. `visit` must not touch the set. Returns how many went.
  template <typename F>
  std::size_t PopEach(Rng& rng, std::size_t count, F visit);

  // Calls visit(std::string_view) for each member. `visit` must not change the set.
  template <typename F>
  void ForEach(F visit) const {
    VisitWith(&visit, &Call<F>);
  }
  // Visits some members and returns the cursor of the next call, 0 at the end. Starting from 0, a
  // member that stays in the set all the while is visited at least once, whatever else changes in
  // between. A small set is visited whole.
  template <typename F>
  std::uint64_t Scan(std::uint64_t cursor, F visit) const {
    return ScanWith(cursor, &visit, &Call<F>);
  }

  std::unique_ptr<Set> Clone() const;

  // Aborts the process, naming the broken invariant. O(n): for tests, fuzzers and DEBUG only.
  void CheckInvariants() const;

 private:
  using Visitor = void (*)(void* context, std::string_view member);
  template <typename F>
  static void Call(void* context, std::string_view member) {
    (*static_cast<F*>(context))(member);
  }

  bool IsLarge() const { return (form_ & 1) != 0; }
  LargeSet& large() const { return *reinterpret_cast<LargeSet*>(form_ - 1); }
  SmallSet* small() const { return reinterpret_cast<SmallSet*>(form_); }
  void SetEncodingTo(SetEncoding encoding);

  bool AddOne(std::string_view member);
  void BecomeLarge();
  void VisitWith(void* context, Visitor visitor) const;
  std::uint64_t ScanWith(std::uint64_t cursor, void* context, Visitor visitor) const;
  void PopWith(Rng& rng, void* context, Visitor visitor);
  void SampleWith(Rng& rng, std::size_t count, void* context, Visitor visitor) const;

  std::uintptr_t form_ = 0;  // SmallSet*, or LargeSet* with the lowest bit set.
};

template <typename F>
std::size_t Set::PopEach(Rng& rng, std::size_t count, F visit) {
  if (count >= size()) {
    const std::size_t all = size();
    ForEach(visit);
    Clear();
    return all;
  }
  for (std::size_t left = count; left > 0; --left) PopWith(rng, &visit, &Call<F>);
  return count;
}

}  // namespace rung

// RecordTable: records that are found by a key within them: the large form of sets and hashes.
//
// The records lie in ByteRecords, the table holds their handles. KeyOf gives the key within a
// record's bytes; it has no state.
//
// Invariants, checked by CheckInvariants(): those of the two parts, and each record is in the
// table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "rung/base/check.h"
#include "rung/base/hash.h"
#include "rung/base/rng.h"
#include "rung/types/extendible_table.h"
#include "rung/types/foresight.h"
#include "types/byte_records.h"
#include "types/sampling.h"

namespace rung {

template <typename KeyOf>
class RecordTable {
 public:
  using Handle = ByteRecords::Handle;

  RecordTable() : table_(KeyOfHandle{&records_}) {}
  RecordTable(const RecordTable&) = delete;
  RecordTable& operator=(const RecordTable&) = delete;

  std::size_t size() const { return records_.size(); }
  std::size_t MemoryBytes() const { return records_.MemoryBytes() + table_.MemoryBytes(); }

  // The record with `key`, as its place in the table; null if there is none. Valid until the next
  // change.
  Handle* Find(std::string_view key, std::uint64_t hash) { return table_.Find(key, hash); }
  const Handle* Find(std::string_view key, std::uint64_t hash) const {
    return table_.Find(key, hash);
  }
  // Hints for a look-up of `key` that is to come (rung/types/foresight.h).
  void Foresee(std::string_view key, ForesightStep step, std::uint64_t& note) const {
    if (step == ForesightStep::kPlace) {
      note = HashBytes(key);
      table_.Prefetch(note);
    } else {
      table_.ForEachCandidate(note, [this](Handle handle) { records_.Prefetch(handle); });
    }
  }
  std::string_view Bytes(Handle handle) const { return records_.Bytes(handle); }

  // A record of `bytes` bytes, filled by fill(char* data). Requires that `key`, which is the key
  // that `fill` writes, is absent.
  template <typename Fill>
  void Add(std::string_view key, std::uint64_t hash, std::size_t bytes, Fill fill) {
    const Handle handle = records_.Add(bytes);
    fill(records_.Data(handle));
    table_.Insert(key, hash, handle);
  }

  // Puts a record with the same key in the place of another.
  template <typename Fill>
  void Replace(Handle* place, std::size_t bytes, Fill fill) {
    const Handle old = *place;
    if (records_.Bytes(old).size() == bytes) {
      fill(records_.Data(old));
      return;
    }
    const Handle fresh = records_.Add(bytes);
    fill(records_.Data(fresh));
    *place = fresh;
    records_.Remove(old);
    MoveOne();
  }

  // Requires that `place` is valid and `hash` is its key's.
  void Erase(Handle* place, std::uint64_t hash) {
    const Handle handle = *place;
    table_.EraseAt(place, hash);
    records_.Remove(handle);
    MoveOne();
  }

  template <typename F>
  void ForEach(F visit) const {
    table_.ForEach([&](Handle handle) { visit(records_.Bytes(handle)); });
  }
  template <typename F>
  std::uint64_t Scan(std::uint64_t cursor, F visit) const {
    return table_.Scan(cursor, [&](Handle handle) { visit(records_.Bytes(handle)); });
  }
  // A record drawn at random; null if there is none.
  Handle* Random(Rng& rng) { return table_.RandomItem(rng); }

  // Calls visit(std::string_view) for `count` records drawn at random, all different; for all if
  // there are no more. O(min(size, count)).
  template <typename F>
  void Sample(Rng& rng, std::size_t count, F visit) {
    // Few among many: draw until there are enough; a repetition is rare.
    if (count > size() / kDrawPart) {
      return SampleFrom(
          size(), rng, count, [&](auto pick) { ForEach(pick); }, visit);
    }
    std::unordered_set<Handle> drawn;
    while (drawn.size() < count) {
      const Handle handle = *Random(rng);
      if (drawn.insert(handle).second) visit(records_.Bytes(handle));
    }
  }

  void CheckInvariants() const {
    records_.CheckInvariants();
    table_.CheckInvariants();
    RUNG_CHECK(table_.size() == records_.size(), "record table: a place for each record");
  }

 private:
  static constexpr std::size_t kDrawPart = 4;

  struct KeyOfHandle {
    const ByteRecords* records;
    std::string_view operator()(Handle handle) const { return KeyOf()(records->Bytes(handle)); }
  };

  // After each removal: one record moves to where it saves memory.
  void MoveOne() {
    const std::optional<Handle> from = records_.FindMovable();
    if (!from) return;
    const std::string_view key = KeyOf()(records_.Bytes(*from));
    Handle* place = table_.Find(key, HashBytes(key));
    *place = records_.Move(*from);
  }

  ByteRecords records_;
  ExtendibleTable<Handle, KeyOfHandle> table_;
};

}  // namespace rung

// TimedEntries: the keys of one database whose values have work to do at a certain time, the next
// one first. Kept up to date by Database, whatever becomes of a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "rung/base/deadline_heap.h"
#include "rung/store/entry.h"

namespace rung {

struct TimedPlaces {
  static void Set(Entry* entry, std::uint32_t place);
};

class TimedEntries {
 public:
  // Brings the entry to the place of its value's deadline; does nothing for untimed values.
  void Update(Entry* entry);
  // The entry goes, or its value.
  void Remove(Entry* entry);
  // The value of `entry` lives in another record now.
  void Relocate(Entry* entry);
  void Clear() { heap_.Clear(); }

  std::optional<std::int64_t> NextDeadline() const {
    return heap_.empty() ? std::nullopt : std::optional(heap_.top().deadline);
  }
  // The entry that is due first; null if there is none at all.
  Entry* next() const { return heap_.empty() ? nullptr : heap_.top().item; }
  std::size_t MemoryBytes() const { return heap_.MemoryBytes(); }

 private:
  DeadlineHeap<std::int64_t, Entry*, TimedPlaces> heap_;
};

}  // namespace rung

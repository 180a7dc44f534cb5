// DeadlineHeap: which of many items is due next, exactly, with cheap changes of mind.
//
// A 4-ary heap of (deadline, item). Each item is told its place (SetPlace), so that it can be moved
// or removed in O(log n) without a search. Keys with an expiry, blocked clients and idle time-outs
// all wait in one of these; nothing is ever scanned.
//
// Invariants: 1. no entry is due before its parent; 2. the item of entry i was last told place i.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rung/base/check.h"

namespace rung {

// `Places::Set(item, place)` stores the place with the item. Deadline is any ordered type.
template <typename Deadline, typename Item, typename Places>
class DeadlineHeap {
 public:
  using Place = std::uint32_t;
  static constexpr Place kNowhere = ~Place{0};

  struct Entry {
    Deadline deadline;
    Item item;
  };

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  std::size_t MemoryBytes() const { return entries_.capacity() * sizeof(Entry); }
  // Requires !empty().
  const Entry& top() const { return entries_.front(); }
  const Entry& at(Place place) const { return entries_[place]; }

  void Add(Deadline deadline, Item item) {
    entries_.push_back({deadline, item});
    MoveUp(static_cast<Place>(entries_.size() - 1));
  }

  void Remove(Place place) {
    RUNG_CHECK(place < entries_.size(), "deadline removed twice");
    Places::Set(entries_[place].item, kNowhere);
    const Entry last = entries_.back();
    entries_.pop_back();
    if (place == entries_.size()) return;
    entries_[place] = last;
    Places::Set(last.item, place);
    Settle(place);
  }

  void Change(Place place, Deadline deadline) {
    entries_[place].deadline = deadline;
    Settle(place);
  }

  // The item at `place` has moved in memory.
  void Relocate(Place place, Item item) { entries_[place].item = item; }

  void Clear() { std::vector<Entry>().swap(entries_); }

  void CheckInvariants() const {
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      RUNG_CHECK(!(entries_[i].deadline < entries_[(i - 1) / 4].deadline), "heap order");
    }
  }

 private:
  void Settle(Place place) {
    if (place > 0 && entries_[place].deadline < entries_[(place - 1) / 4].deadline) {
      MoveUp(place);
    } else {
      MoveDown(place);
    }
  }

  void MoveUp(Place place) {
    const Entry moving = entries_[place];
    while (place > 0) {
      const Place parent = (place - 1) / 4;
      if (!(moving.deadline < entries_[parent].deadline)) break;
      Put(place, entries_[parent]);
      place = parent;
    }
    Put(place, moving);
  }

  void MoveDown(Place place) {
    const Entry moving = entries_[place];
    const std::size_t size = entries_.size();
    while (true) {
      const std::size_t first = std::size_t{place} * 4 + 1;
      if (first >= size) break;
      std::size_t least = first;
      for (std::size_t child = first + 1; child < first + 4 && child < size; ++child) {
        if (entries_[child].deadline < entries_[least].deadline) least = child;
      }
      if (!(entries_[least].deadline < moving.deadline)) break;
      Put(place, entries_[least]);
      place = static_cast<Place>(least);
    }
    Put(place, moving);
  }

  void Put(Place place, const Entry& entry) {
    entries_[place] = entry;
    Places::Set(entry.item, place);
  }

  std::vector<Entry> entries_;
};

}  // namespace rung

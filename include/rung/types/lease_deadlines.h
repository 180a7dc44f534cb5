// LeaseDeadlines: which lease ends next.
//
// Nearly every lease is given back long before it ends, and in any order. So it stands in a heap
// and knows its place: in and out cost a few steps, with no search. A hierarchical timing wheel
// would be cheaper still, but it says when the next lease ends only to its slot, and whose minimum
// goes all the time (workers that finish in order) must look through the slot each time, or wake up
// for nothing; here the answer is always at hand, and exact. Reading in order is for people
// (Q.LIST): it sorts as it goes.
//
// Invariants (CheckInvariants): 1. no lease ends before its parent in the heap; 2. each knows its
// place and has the deadline it stands there with.
//
// Owns no leases. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rung/base/check.h"
#include "rung/base/deadline_heap.h"
#include "rung/types/queue_job.h"

namespace rung {

class LeaseDeadlines {
 public:
  // Deadline and token: of leases that end together the older one is first.
  using Key = std::pair<std::int64_t, std::uint64_t>;

 private:
  struct Places {
    static void Set(Lease* lease, std::uint32_t place) { lease->place = place; }
  };
  using Heap = DeadlineHeap<Key, Lease*, Places>;

 public:
  // Leases in the order of their keys. Any change makes it invalid.
  class Cursor {
   public:
    bool Valid() const { return !left_.empty(); }
    Lease* operator*() const { return left_.front().item; }
    // O(log n).
    void Next() {
      std::pop_heap(left_.begin(), left_.end(), &IsLater);
      left_.pop_back();
    }

   private:
    friend class LeaseDeadlines;
    static bool IsLater(const Heap::Entry& a, const Heap::Entry& b) {
      return b.deadline < a.deadline;
    }

    std::vector<Heap::Entry> left_;  // A heap, the next one on top.
  };

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  std::size_t MemoryBytes() const { return heap_.MemoryBytes(); }
  // Requires !empty().
  Lease* front() const { return heap_.top().item; }
  bool Has(const Lease* lease) const {
    return lease->place < heap_.size() && heap_.at(lease->place).item == lease;
  }
  // O(1) for a lease that ends after all others, else O(log n).
  void Insert(Lease* lease) { heap_.Add(KeyOf(lease), lease); }
  // O(log n). Requires that it is here.
  void Erase(Lease* lease) { heap_.Remove(lease->place); }
  void Change(Lease* lease, std::int64_t deadline_ms) {
    lease->deadline_ms = deadline_ms;
    heap_.Change(lease->place, KeyOf(lease));
  }

  // All of them, and those from `key` on. O(n).
  Cursor First() const { return LowerBound({0, 0}); }
  Cursor LowerBound(const Key& key) const {
    Cursor cursor;
    for (std::size_t i = 0; i < heap_.size(); ++i) {
      const Heap::Entry& entry = heap_.at(static_cast<std::uint32_t>(i));
      if (!(entry.deadline < key)) cursor.left_.push_back(entry);
    }
    std::make_heap(cursor.left_.begin(), cursor.left_.end(), &Cursor::IsLater);
    return cursor;
  }
  // In any order.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (std::size_t i = 0; i < heap_.size(); ++i)
      visit(heap_.at(static_cast<std::uint32_t>(i)).item);
  }

  void CheckInvariants() const {
    heap_.CheckInvariants();
    for (std::uint32_t i = 0; i < heap_.size(); ++i) {
      const Heap::Entry& entry = heap_.at(i);
      RUNG_CHECK(entry.item->place == i && entry.deadline == KeyOf(entry.item), "a lease's place");
    }
  }

 private:
  static Key KeyOf(const Lease* lease) { return {lease->deadline_ms, lease->token}; }

  Heap heap_;
};

}  // namespace rung

// FairShare: whose turn it is, by weight: among the tiers of a queue, or the groups of a tier, of
// which there may be a million (the rules and their bounds: fair_flow.h).
//
// Entities are small dense numbers given by the caller. Three heaps of them: the eligible ones by
// finish, the waiting ones ahead of the clock by start, and those at rest (idle, ahead of the
// clock) by start: leaving and coming back clears no debt, and who is at rest counts for the clock.
// A take costs O(log entities) whatever stands still. Equals: the lower number first.
//
// It is a value: a copy can be run ahead (EXPLAIN NEXT).
//
// Invariants: 1. a waiting entity is eligible if and only if its start <= the clock; who is at
// rest is ahead; 2. the clock's weight is that of those who wait or rest; 3. each entity knows its
// heap and its place there; 4. no entity stands before its parent in a heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "types/queue/fair_flow.h"

namespace rung {

class FairShare {
 public:
  using Entity = std::uint32_t;

  // Entities ever used are [0, size()).
  std::size_t size() const { return slots_.size(); }
  const FairFlow& flow(Entity entity) const { return slots_[entity].flow; }
  const FairClock& clock() const { return clock_; }
  bool waits(Entity entity) const {
    return entity < slots_.size() && slots_[entity].state <= State::kAhead;
  }
  std::size_t waiting() const { return heap(State::kEligible).size() + heap(State::kAhead).size(); }
  std::size_t MemoryBytes() const;

  // `entity` has something to be taken, its head costing `cost`: it waits its turn. If it waits
  // already, only weight and cost are renewed. Requires weight > 0.
  void Activate(Entity entity, std::uint32_t weight = 1, std::uint32_t cost = 1);
  // It has nothing to be taken any more: empty, paused or at a limit.
  void Deactivate(Entity entity);
  // The head of a waiting entity is another one.
  void SetCost(Entity entity, std::uint32_t cost);
  // At once, also while it waits; what it is owed or owes stays. Requires entity < size().
  void SetWeight(Entity entity, std::uint32_t weight);

  // Whose turn it is, if anybody waits. Changes nothing. O(1).
  std::optional<Entity> Pick() const;
  // Whose turn it is among those that `allowed(entity)` accepts; if it is the turn of none of them,
  // the least served one's. Changes nothing. Cost: a look at each waiting entity.
  template <typename Allowed>
  std::optional<Entity> PickAmong(const Allowed& allowed) const;
  // `entity` was served a job of `cost`, by its turn or not, be it that nobody knew of it. To be
  // told before its next SetCost or its Deactivate.
  void Serve(Entity entity, std::uint32_t cost = 1);

  // An idle entity that owes nothing any more: its number may be given to another. Names each one
  // once, those skipped that wait again. Empty when there is none.
  std::optional<Entity> Forget();

  void CheckInvariants() const;

 private:
  // The first three are the numbers of the heaps.
  enum class State : std::uint8_t { kEligible, kAhead, kResting, kFree };
  struct Slot {
    FairFlow flow;
    std::uint32_t place = 0;  // In its heap.
    State state = State::kFree;
    bool listed = false;  // In settled_.
  };
  using Heap = std::vector<Entity>;

  Heap& heap(State state) { return heaps_[static_cast<std::size_t>(state)]; }
  const Heap& heap(State state) const { return heaps_[static_cast<std::size_t>(state)]; }
  // The order of the heap of `state`.
  bool Before(State state, Entity a, Entity b) const;
  void Put(Heap& heap, std::size_t place, Entity entity);
  void MoveUp(State state, std::size_t place);
  void MoveDown(State state, std::size_t place);

  void Insert(Entity entity, State state);
  void Detach(Entity entity);
  // Puts an entity, detached before, where it belongs now.
  void Enter(Entity entity, bool waits);
  // It owes nothing and is owed nothing.
  void Free(Entity entity);
  // Makes those eligible, or free, whom the clock has reached. Due whenever the clock has moved,
  // also by the rounding of a change of its weight.
  void Release();
  // Sets the clock forward, without anybody being served, or past all debts if `until` is null.
  void Skip(const ShareTime* until);

  std::vector<Slot> slots_;
  Heap heaps_[3];
  FairClock clock_;
  std::vector<Entity> settled_;  // Free, and not yet named by Forget.
};

template <typename Allowed>
std::optional<FairShare::Entity> FairShare::PickAmong(const Allowed& allowed) const {
  for (const State state : {State::kEligible, State::kAhead}) {
    std::optional<Entity> best;
    for (const Entity entity : heap(state)) {
      if (allowed(entity) && (!best || Before(state, entity, *best))) best = entity;
    }
    if (best) return best;
  }
  return std::nullopt;
}

}  // namespace rung

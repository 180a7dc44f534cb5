// FairShare: who is eligible is kept up to date as the clock moves, never searched.
#include "types/queue/fair_share.h"

namespace rung {

namespace {

constexpr std::size_t kChildren = 4;

}  // namespace

std::size_t FairShare::MemoryBytes() const {
  std::size_t bytes = slots_.capacity() * sizeof(Slot);
  for (const Heap& heap : heaps_) bytes += heap.capacity() * sizeof(Entity);
  return bytes;
}

void FairShare::Activate(Entity entity, std::uint32_t weight, std::uint32_t cost) {
  if (entity >= slots_.size()) slots_.resize(std::size_t{entity} + 1);
  SetWeight(entity, weight);
  SetCost(entity, cost);
  if (waits(entity)) return;
  if (slots_[entity].state == State::kFree) {
    slots_[entity].flow.StartAt(clock_.now());
    clock_.Add(weight);
  }
  Detach(entity);
  Enter(entity, true);
  Release();
}

void FairShare::Deactivate(Entity entity) {
  if (!waits(entity)) return;
  const bool eligible = slots_[entity].state == State::kEligible;
  Detach(entity);
  if (eligible) {
    // The ideal server was through with it when the clock passed its start.
    clock_.Pass(slots_[entity].flow.start(), slots_[entity].flow.weight());
    Free(entity);
    Release();
  } else {
    Enter(entity, false);
  }
  if (waiting() == 0) Skip(nullptr);
}

void FairShare::SetCost(Entity entity, std::uint32_t cost) {
  if (slots_[entity].flow.cost() == cost) return;
  const State state = slots_[entity].state;
  Detach(entity);
  slots_[entity].flow.SetCost(cost);
  Insert(entity, state);
}

void FairShare::SetWeight(Entity entity, std::uint32_t weight) {
  FairFlow& flow = slots_[entity].flow;
  if (flow.weight() == weight) return;
  const bool counts = slots_[entity].state != State::kFree;
  const bool waited = waits(entity);
  Detach(entity);
  if (counts) clock_.Remove(flow.weight());
  flow.SetWeight(weight, clock_.now(), waited);
  if (!counts) return;
  clock_.Add(weight);
  Enter(entity, waited);
  Release();
}

std::optional<FairShare::Entity> FairShare::Pick() const {
  for (const State state : {State::kEligible, State::kAhead}) {
    if (!heap(state).empty()) return heap(state).front();
  }
  return std::nullopt;
}

void FairShare::Serve(Entity entity, std::uint32_t cost) {
  if (entity >= slots_.size()) slots_.resize(std::size_t{entity} + 1);
  if (heap(State::kEligible).empty() && !heap(State::kAhead).empty()) {
    const ShareTime least = flow(heap(State::kAhead).front()).start();
    Skip(&least);
  }
  if (clock_.weight() > 0) clock_.Advance(cost);
  const bool waited = waits(entity);
  const bool counted = slots_[entity].state != State::kFree;
  Detach(entity);
  if (!counted) {
    slots_[entity].flow.StartAt(clock_.now());
    clock_.Add(slots_[entity].flow.weight());
  }
  slots_[entity].flow.Charge(cost);
  Enter(entity, waited);
  Release();
}

std::optional<FairShare::Entity> FairShare::Forget() {
  while (!settled_.empty()) {
    const Entity entity = settled_.back();
    settled_.pop_back();
    slots_[entity].listed = false;
    if (slots_[entity].state == State::kFree) return entity;
  }
  return std::nullopt;
}

bool FairShare::Before(State state, Entity a, Entity b) const {
  const FairFlow& one = slots_[a].flow;
  const FairFlow& other = slots_[b].flow;
  if (state != State::kEligible) {
    const auto order = one.start() <=> other.start();
    if (order != 0) return order < 0;
  }
  const auto order = one.finish() <=> other.finish();
  return order != 0 ? order < 0 : a < b;
}

void FairShare::Put(Heap& heap, std::size_t place, Entity entity) {
  heap[place] = entity;
  slots_[entity].place = static_cast<std::uint32_t>(place);
}

void FairShare::MoveUp(State state, std::size_t place) {
  Heap& heap = this->heap(state);
  const Entity moving = heap[place];
  while (place > 0) {
    const std::size_t parent = (place - 1) / kChildren;
    if (!Before(state, moving, heap[parent])) break;
    Put(heap, place, heap[parent]);
    place = parent;
  }
  Put(heap, place, moving);
}

void FairShare::MoveDown(State state, std::size_t place) {
  Heap& heap = this->heap(state);
  const Entity moving = heap[place];
  while (true) {
    const std::size_t first = place * kChildren + 1;
    if (first >= heap.size()) break;
    std::size_t least = first;
    for (std::size_t child = first + 1; child < first + kChildren && child < heap.size(); ++child) {
      if (Before(state, heap[child], heap[least])) least = child;
    }
    if (!Before(state, heap[least], moving)) break;
    Put(heap, place, heap[least]);
    place = least;
  }
  Put(heap, place, moving);
}

void FairShare::Insert(Entity entity, State state) {
  slots_[entity].state = state;
  if (state == State::kFree) return;
  heap(state).push_back(entity);
  MoveUp(state, heap(state).size() - 1);
}

void FairShare::Detach(Entity entity) {
  const State state = slots_[entity].state;
  if (state == State::kFree) return;
  Heap& heap = this->heap(state);
  const std::size_t place = slots_[entity].place;
  const Entity last = heap.back();
  heap.pop_back();
  if (last != entity) {
    Put(heap, place, last);
    MoveUp(state, place);
    MoveDown(state, slots_[last].place);
  }
  slots_[entity].state = State::kFree;
}

void FairShare::Enter(Entity entity, bool waits) {
  const bool ahead = slots_[entity].flow.start() > clock_.now();
  Insert(entity, !waits ? State::kResting : ahead ? State::kAhead : State::kEligible);
}

void FairShare::Free(Entity entity) {
  Slot& slot = slots_[entity];
  if (!slot.listed) settled_.push_back(entity);
  slot.listed = true;
}

void FairShare::Release() {
  // First those at rest, in the order in which the clock passed them: each lets it go on faster.
  while (!heap(State::kResting).empty()) {
    const Entity entity = heap(State::kResting).front();
    const FairFlow& flow = slots_[entity].flow;
    if (flow.start() > clock_.now()) break;
    Detach(entity);
    clock_.Pass(flow.start(), flow.weight());
    Free(entity);
  }
  while (!heap(State::kAhead).empty()) {
    const Entity entity = heap(State::kAhead).front();
    if (flow(entity).start() > clock_.now()) break;
    Detach(entity);
    Insert(entity, State::kEligible);
  }
}

void FairShare::Skip(const ShareTime* until) {
  while (!heap(State::kResting).empty()) {
    const Entity entity = heap(State::kResting).front();
    if (until != nullptr && flow(entity).start() > *until) break;
    Detach(entity);
    clock_.CatchUp(flow(entity).start());
    clock_.Remove(flow(entity).weight());
    Free(entity);
  }
  if (until != nullptr) clock_.CatchUp(*until);
}

void FairShare::CheckInvariants() const {
  std::uint64_t weight = 0;
  for (const State state : {State::kEligible, State::kAhead, State::kResting}) {
    const Heap& heap = this->heap(state);
    for (std::size_t place = 0; place < heap.size(); ++place) {
      const Slot& slot = slots_[heap[place]];
      slot.flow.start().CheckInvariants();
      RUNG_CHECK(slot.state == state && slot.place == place, "invariant 3");
      RUNG_CHECK(place == 0 || !Before(state, heap[place], heap[(place - 1) / kChildren]),
                 "invariant 4");
      weight += slot.flow.weight();
      const bool reached = slot.flow.start() <= clock_.now();
      RUNG_CHECK(reached == (state == State::kEligible), "invariant 1");
    }
  }
  RUNG_CHECK(weight == clock_.weight(), "invariant 2");
}

}  // namespace rung

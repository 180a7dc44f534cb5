// The table of connections. See connection.h.

#include "net/connection.h"

namespace rung {

Connection& ConnectionTable::Add(int descriptor) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  ++slot.generation;
  slot.connection = std::make_unique<Connection>();
  slot.connection->id = (ConnectionId{slot.generation} << 32) | index;
  slot.connection->descriptor = descriptor;
  ++count_;
  return *slot.connection;
}

Connection* ConnectionTable::Find(ConnectionId id) const {
  const auto index = static_cast<std::uint32_t>(id);
  if (index >= slots_.size()) return nullptr;
  const Slot& slot = slots_[index];
  return slot.generation == (id >> 32) ? slot.connection.get() : nullptr;
}

void ConnectionTable::Remove(Connection& connection) {
  const auto index = static_cast<std::uint32_t>(connection.id);
  slots_[index].connection.reset();
  free_.push_back(index);
  --count_;
}

}  // namespace rung

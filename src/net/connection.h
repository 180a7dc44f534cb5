// Connection: one client's socket beside the engine's session for it; and the table that owns them.
//
// Outside the table a connection goes by its id: events for a socket can arrive after it was closed
// and its descriptor or slot given to another client, and must then find nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rung/state/session.h"

namespace rung {

// Slot in the lower half, generation of the slot in the upper; never 0.
using ConnectionId = std::uint64_t;

// What is wanted to be told of a socket.
struct Interest {
  bool input = false;
  bool output = false;

  bool operator==(const Interest&) const = default;
};

struct Connection {
  ConnectionId id = 0;
  int descriptor = -1;
  Session* session = nullptr;
  Interest watched;           // What the driver was last told.
  bool send_blocked = false;  // The socket is full; it will say when it takes more.
  bool input_ended = false;   // The other end has sent all it will.
};

// Owns the connections. Cost: O(1) each. Not thread-safe.
class ConnectionTable {
 public:
  Connection& Add(int descriptor);
  // Null if the connection is gone.
  Connection* Find(ConnectionId id) const;
  // The connection is gone afterwards.
  void Remove(Connection& connection);
  std::size_t size() const { return count_; }

  // Visits every connection; `visit` may remove the one it is given.
  template <typename F>
  void ForEach(F visit) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].connection != nullptr) visit(*slots_[i].connection);
    }
  }

 private:
  struct Slot {
    std::unique_ptr<Connection> connection;
    std::uint32_t generation = 0;
  };

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t count_ = 0;
};

}  // namespace rung

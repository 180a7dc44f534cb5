// StreamGroup: consumers that share the reading of a stream, and what each of them has been given
// and not acknowledged (the pending entries).
//
// Invariants, checked by CheckInvariants(): each pending entry of the group stands in the list of
// exactly one consumer of the group, the one it names; no consumer lists any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rung/types/sorted_blocks.h"
#include "rung/types/stream_id.h"

namespace rung {

struct StreamConsumer {
  std::string name;
  std::int64_t seen_ms = 0;               // Wall time of its last attempt to read or claim.
  std::optional<std::int64_t> active_ms;  // Of the last one that gave it something.
  SortedBlocks<StreamId, StreamId, std::identity> pending;
};

struct PendingEntry {
  StreamId id;
  StreamConsumer* consumer = nullptr;
  std::int64_t delivered_ms = 0;  // Wall time of the last delivery.
  std::uint64_t delivery_count = 0;
};

struct IdOfPending {
  StreamId operator()(const PendingEntry& entry) const { return entry.id; }
};

class StreamGroup {
 public:
  using Consumers = std::map<std::string, std::unique_ptr<StreamConsumer>, std::less<>>;
  using Pending = SortedBlocks<StreamId, PendingEntry, IdOfPending>;

  StreamGroup(StreamId last_delivered, std::optional<std::uint64_t> read)
      : last_delivered_id(last_delivered), entries_read(read) {}
  StreamGroup(const StreamGroup&) = delete;
  StreamGroup& operator=(const StreamGroup&) = delete;

  StreamId last_delivered_id;
  std::optional<std::uint64_t> entries_read;  // Nothing: unknowable.

  const Consumers& consumers() const { return consumers_; }
  const Pending& pending() const { return pending_; }
  const PendingEntry* FindPending(StreamId id) const { return pending_.Find(id); }

  StreamConsumer* FindConsumer(std::string_view name);
  // Creates it if it is new; `created` tells.
  StreamConsumer& GetConsumer(std::string_view name, std::int64_t now_ms, bool& created);
  // Its pending entries go with it; returns how many.
  std::size_t DeleteConsumer(std::string_view name);

  // Gives the entry to the consumer, away from whoever had it. O(log n). What it returns is valid
  // until the next change.
  const PendingEntry& Assign(StreamId id, StreamConsumer& consumer, std::int64_t delivered_ms,
                             std::uint64_t delivery_count);
  // Returns whether it was pending. O(log n).
  bool Acknowledge(StreamId id);

  std::size_t MemoryBytes() const;  // O(consumers).
  std::unique_ptr<StreamGroup> Clone() const;
  void CheckInvariants() const;

 private:
  Consumers consumers_;
  Pending pending_;
};

}  // namespace rung

// Groups, consumers and their pending entries. See stream_group.h.

#include "rung/types/stream_group.h"

#include "rung/base/check.h"
#include "rung/base/memory.h"

namespace rung {
namespace {

// A node of a red-black tree: three pointers and a colour before the value.
template <typename T>
std::size_t TreeNodeBytes() {
  return AllocationSize(sizeof(T) + 4 * sizeof(void*));
}

}  // namespace

StreamConsumer* StreamGroup::FindConsumer(std::string_view name) {
  const auto found = consumers_.find(name);
  return found == consumers_.end() ? nullptr : found->second.get();
}

StreamConsumer& StreamGroup::GetConsumer(std::string_view name, std::int64_t now_ms,
                                         bool& created) {
  StreamConsumer* known = FindConsumer(name);
  created = known == nullptr;
  if (!created) return *known;
  auto consumer = std::make_unique<StreamConsumer>();
  consumer->name = name;
  consumer->seen_ms = now_ms;
  return *consumers_.emplace(std::string(name), std::move(consumer)).first->second;
}

std::size_t StreamGroup::DeleteConsumer(std::string_view name) {
  const auto found = consumers_.find(name);
  if (found == consumers_.end()) return 0;
  const std::size_t count = found->second->pending.size();
  for (const StreamId id : found->second->pending) pending_.Erase(id);
  consumers_.erase(found);
  return count;
}

const PendingEntry& StreamGroup::Assign(StreamId id, StreamConsumer& consumer,
                                        std::int64_t delivered_ms, std::uint64_t delivery_count) {
  PendingEntry* entry = pending_.Find(id);
  if (entry == nullptr) entry = &pending_.Insert({.id = id});
  if (entry->consumer != &consumer) {
    if (entry->consumer != nullptr) entry->consumer->pending.Erase(id);
    consumer.pending.Insert(id);
    entry->consumer = &consumer;
  }
  entry->delivered_ms = delivered_ms;
  entry->delivery_count = delivery_count;
  return *entry;
}

bool StreamGroup::Acknowledge(StreamId id) {
  const PendingEntry* found = pending_.Find(id);
  if (found == nullptr) return false;
  found->consumer->pending.Erase(id);
  pending_.Erase(id);
  return true;
}

std::size_t StreamGroup::MemoryBytes() const {
  std::size_t bytes = AllocationSize(sizeof(StreamGroup)) + pending_.MemoryBytes();
  for (const auto& [name, consumer] : consumers_) {
    bytes += TreeNodeBytes<Consumers::value_type>() + AllocationSize(sizeof(StreamConsumer)) +
             2 * name.capacity() + consumer->pending.MemoryBytes();
  }
  return bytes;
}

std::unique_ptr<StreamGroup> StreamGroup::Clone() const {
  auto clone = std::make_unique<StreamGroup>(last_delivered_id, entries_read);
  for (const auto& [name, consumer] : consumers_) {
    bool created = false;
    StreamConsumer& copy = clone->GetConsumer(name, consumer->seen_ms, created);
    copy.active_ms = consumer->active_ms;
    for (const StreamId id : consumer->pending) {
      const PendingEntry* entry = pending_.Find(id);
      clone->Assign(id, copy, entry->delivered_ms, entry->delivery_count);
    }
  }
  return clone;
}

void StreamGroup::CheckInvariants() const {
  pending_.CheckInvariants();
  std::size_t listed = 0;
  for (const auto& [name, consumer] : consumers_) {
    RUNG_CHECK(name == consumer->name, "a consumer under another name");
    consumer->pending.CheckInvariants();
    listed += consumer->pending.size();
    for (const StreamId id : consumer->pending) {
      const PendingEntry* found = pending_.Find(id);
      RUNG_CHECK(found != nullptr && found->consumer == consumer.get(),
                 "a consumer lists an entry that is not its own");
    }
  }
  RUNG_CHECK(listed == pending_.size(), "a pending entry that no consumer lists");
}

}  // namespace rung

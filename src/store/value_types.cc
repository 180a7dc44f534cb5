// The typed objects as the store sees them: destroy, clone, weigh, count, name, fingerprint. A new
// type adds EncodingOf and AddTo. See value_traits.h.

#include <array>
#include <cstddef>
#include <type_traits>

#include "rung/base/check.h"
#include "rung/base/digest.h"
#include "rung/base/numbers.h"
#include "rung/store/entry.h"
#include "rung/store/value_traits.h"
#include "rung/types/queue.h"
#include "rung/types/timed_value.h"

namespace rung {
namespace {

template <typename T>
void* CloneValue(const void* object, Rng& rng) {
  const T& value = *static_cast<const T*>(object);
  if constexpr (std::is_constructible_v<T, Rng&>) {
    return value.Clone(rng).release();
  } else {
    return value.Clone().release();
  }
}

std::string_view EncodingOf(const List& list) { return list.IsSmall() ? "listpack" : "quicklist"; }

std::string_view EncodingOf(const SortedSet& set) {
  return set.IsSmall() ? "listpack" : "skiplist";
}

std::string_view EncodingOf(const Hash& hash) { return hash.IsSmall() ? "listpack" : "hashtable"; }

std::string_view EncodingOf(const Set& set) {
  switch (set.encoding()) {
    case SetEncoding::kIntset:
      return "intset";
    case SetEncoding::kListpack:
      return "listpack";
    case SetEncoding::kHashtable:
      return "hashtable";
  }
  RUNG_CHECK(false, "unknown encoding of a set");
}

std::string_view EncodingOf(const Stream& /*stream*/) { return "stream"; }

std::string_view EncodingOf(const Queue& /*queue*/) { return "queue"; }

void AddTo(Digest& digest, const List& list) {
  list.ForEach([&](std::string_view element) { digest.Append(element); });
}

void AddTo(Digest& digest, const SortedSet& set) {
  for (auto cursor = set.First(); cursor.Valid(); cursor.Next()) {
    NumberBuffer number;
    digest.Append(FormatDouble(cursor.score(), number));
    digest.Append(cursor.member());
  }
}

void AddTo(Digest& digest, const Set& set) {
  set.ForEach([&](std::string_view member) {
    Digest item;
    item.Append(member);
    digest.AddUnordered(item);
  });
}

void AddTo(Digest& digest, const Hash& hash) {
  hash.ForEach([&](std::string_view name, std::string_view value) {
    Digest item;
    item.Append(name);
    item.Append(value);
    digest.AddUnordered(item);
  });
}

void AddTo(Digest& digest, const StreamGroup& group) {
  digest.Append(group.last_delivered_id.ToString());
  for (const auto& [name, consumer] : group.consumers()) digest.Append(name);
  for (const PendingEntry& entry : group.pending()) {
    digest.Append(entry.id.ToString());
    digest.Append(entry.consumer->name);
    digest.Append(std::to_string(entry.delivery_count));
  }
}

void AddTo(Digest& digest, const Stream& stream) {
  stream.ForEach(StreamId::Min(), StreamId::Max(), Stream::Order::kForward,
                 [&](const StreamEntry& entry) {
                   digest.Append(entry.id.ToString());
                   for (const auto& [name, value] : entry.fields) {
                     digest.Append(name);
                     digest.Append(value);
                   }
                   return true;
                 });
  digest.Append(stream.last_id().ToString());
  for (const auto& [name, group] : stream.groups()) {
    digest.Append(name);
    AddTo(digest, *group);
  }
}

void AddTo(Digest& digest, const Queue& queue) { queue.AddTo(digest); }

template <typename T>
constexpr ObjectOperations OperationsFor() {
  return {
      .destroy = [](void* object) { delete static_cast<T*>(object); },
      .clone = &CloneValue<T>,
      .memory_bytes =
          [](const void* object) { return static_cast<const T*>(object)->MemoryBytes(); },
      .size = [](const void* object) { return static_cast<const T*>(object)->size(); },
      .encoding = [](const void* object) { return EncodingOf(*static_cast<const T*>(object)); },
      .digest = [](const void* object,
                   Digest& digest) { AddTo(digest, *static_cast<const T*>(object)); },
      .foresee =
          [](const void* object, std::span<const std::string_view> words, ForesightStep step,
             std::uint64_t& note) {
            const T& value = *static_cast<const T*>(object);
            if constexpr (requires { value.Foresee(words, step, note); }) {
              value.Foresee(words, step, note);
            }
          },
      .timed = [](void* object) -> TimedValue* {
        if constexpr (std::is_base_of_v<TimedValue, T>) {
          return static_cast<T*>(object);
        } else {
          return nullptr;
        }
      },
      .outlook = [](const void* object, WaitTopic topic, std::uint64_t id) -> WaitOutlook {
        if constexpr (requires(const T& value) { value.OutlookFor(topic, id); }) {
          return static_cast<const T*>(object)->OutlookFor(topic, id);
        } else {
          return WaitOutlook::kTry;
        }
      },
  };
}

constexpr ObjectOperations kList = OperationsFor<List>();
constexpr ObjectOperations kSet = OperationsFor<Set>();
constexpr ObjectOperations kSortedSet = OperationsFor<SortedSet>();
constexpr ObjectOperations kHash = OperationsFor<Hash>();
constexpr ObjectOperations kStream = OperationsFor<Stream>();
constexpr ObjectOperations kQueue = OperationsFor<Queue>();

}  // namespace

const ObjectOperations& OperationsOf(ValueType type) {
  switch (type) {
    case ValueType::kList:
      return kList;
    case ValueType::kSet:
      return kSet;
    case ValueType::kSortedSet:
      return kSortedSet;
    case ValueType::kHash:
      return kHash;
    case ValueType::kStream:
      return kStream;
    case ValueType::kQueue:
      return kQueue;
    default:
      break;
  }
  RUNG_CHECK(false, "no such object type");
}

}  // namespace rung

// The typed objects as the store sees them: destroy, clone, weigh, count. See value_traits.h.

#include <array>
#include <cstddef>
#include <type_traits>

#include "rung/base/check.h"
#include "rung/store/entry.h"
#include "rung/store/value_traits.h"

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

template <typename T>
constexpr ObjectOperations OperationsFor() {
  return {
      .destroy = [](void* object) { delete static_cast<T*>(object); },
      .clone = &CloneValue<T>,
      .memory_bytes =
          [](const void* object) { return static_cast<const T*>(object)->MemoryBytes(); },
      .size = [](const void* object) { return static_cast<const T*>(object)->size(); },
  };
}

constexpr ObjectOperations kList = OperationsFor<List>();
constexpr ObjectOperations kSet = OperationsFor<Set>();
constexpr ObjectOperations kSortedSet = OperationsFor<SortedSet>();
constexpr ObjectOperations kHash = OperationsFor<Hash>();
constexpr ObjectOperations kStream = OperationsFor<Stream>();

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
    default:
      break;
  }
  RUNG_CHECK(false, "no such object type");
}

}  // namespace rung

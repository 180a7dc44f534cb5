// Which class stands behind which value type. A new type adds its line here and in value_types.cc.
#pragma once

#include <memory>
#include <type_traits>

#include "rung/base/rng.h"
#include "rung/store/entry.h"
#include "rung/types/hash.h"
#include "rung/types/list.h"
#include "rung/types/set.h"
#include "rung/types/sorted_set.h"
#include "rung/types/stream.h"

namespace rung {

class Queue;  // Large, and only its commands need to know it.

template <typename T>
inline constexpr ValueType kValueTypeOf = ValueType::kString;
template <>
inline constexpr ValueType kValueTypeOf<List> = ValueType::kList;
template <>
inline constexpr ValueType kValueTypeOf<Set> = ValueType::kSet;
template <>
inline constexpr ValueType kValueTypeOf<SortedSet> = ValueType::kSortedSet;
template <>
inline constexpr ValueType kValueTypeOf<Hash> = ValueType::kHash;
template <>
inline constexpr ValueType kValueTypeOf<Stream> = ValueType::kStream;
template <>
inline constexpr ValueType kValueTypeOf<Queue> = ValueType::kQueue;

// What new values are made by; may change at any time and holds for old values as they grow.
struct ValueLimits {
  SmallFormLimit sorted_set;
};

// An empty value. `rng` and `limits`, which not every type needs, must outlive it.
template <typename T>
std::unique_ptr<T> MakeValue(Rng& rng, const ValueLimits& limits) {
  static_assert(kValueTypeOf<T> != ValueType::kString, "not a value type");
  if constexpr (std::is_constructible_v<T, Rng&, const SmallFormLimit*>) {
    return std::make_unique<T>(rng, &limits.sorted_set);
  } else if constexpr (std::is_constructible_v<T, Rng&>) {
    return std::make_unique<T>(rng);
  } else {
    return std::make_unique<T>();
  }
}

}  // namespace rung

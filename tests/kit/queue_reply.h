// Reading the Q.* commands' replies in tests: fields of maps, entries of takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kit/reply.h"

namespace rung::testing {

// The value of a field in a map reply (flat array or map); a null if it has no such field.
inline Reply FieldOf(const Reply& map, std::string_view name) {
  for (std::size_t i = 0; i + 1 < map.elements.size(); i += 2) {
    if (map.elements[i].text == name) return map.elements[i + 1];
  }
  return Nil();
}

// The bodies of what Q.TAKE gave, in order.
inline std::vector<std::string> BodiesOf(const Reply& taken) {
  std::vector<std::string> bodies;
  for (const Reply& entry : taken.elements) bodies.push_back(entry.elements.at(2).text);
  return bodies;
}

// The receipt of the first job that Q.TAKE gave.
inline std::string ReceiptOf(const Reply& taken) {
  return taken.elements.empty() ? "none" : taken.elements[0].elements.at(1).text;
}

}  // namespace rung::testing

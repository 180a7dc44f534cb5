// Letters of notify-keyspace-events. See events.h.

#include "rung/base/events.h"

#include <array>

namespace rung {
namespace {

struct Letter {
  char letter;
  EventClass event_class;
};

// In the order in which CONFIG GET prints them. The first eleven make up `A`.
constexpr std::array kLetters = {
    Letter{'g', EventClass::kGeneric},  Letter{'$', EventClass::kString},
    Letter{'l', EventClass::kList},     Letter{'s', EventClass::kSet},
    Letter{'h', EventClass::kHash},     Letter{'z', EventClass::kSortedSet},
    Letter{'x', EventClass::kExpired},  Letter{'e', EventClass::kEvicted},
    Letter{'t', EventClass::kStream},   Letter{'d', EventClass::kModule},
    Letter{'q', EventClass::kQueue},    Letter{'n', EventClass::kNew},
    Letter{'K', EventClass::kKeyspace}, Letter{'E', EventClass::kKeyevent},
    Letter{'m', EventClass::kMiss},
};
constexpr std::size_t kLettersInAll = 11;

constexpr EventMask AllMask() {
  EventMask mask = 0;
  for (std::size_t i = 0; i < kLettersInAll; ++i) mask |= Mask(kLetters[i].event_class);
  return mask;
}

}  // namespace

std::optional<EventMask> ParseEventMask(std::string_view letters) {
  EventMask mask = 0;
  for (const char letter : letters) {
    EventMask found = letter == 'A' ? AllMask() : 0;
    for (const Letter& known : kLetters) {
      if (known.letter == letter) found = Mask(known.event_class);
    }
    if (found == 0) return std::nullopt;
    mask |= found;
  }
  return mask;
}

std::string FormatEventMask(EventMask mask) {
  std::string letters;
  const bool all = (mask & AllMask()) == AllMask();
  if (all) letters.push_back('A');
  for (std::size_t i = all ? kLettersInAll : 0; i < kLetters.size(); ++i) {
    if ((mask & Mask(kLetters[i].event_class)) != 0) letters.push_back(kLetters[i].letter);
  }
  return letters;
}

}  // namespace rung

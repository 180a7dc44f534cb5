// The classes of keyspace events, as `notify-keyspace-events` names them by letter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rung {

enum class EventClass : std::uint32_t {
  kKeyspace = 1u << 0,   // K: publish on __keyspace@<db>__:<key>.
  kKeyevent = 1u << 1,   // E: publish on __keyevent@<db>__:<event>.
  kGeneric = 1u << 2,    // g: DEL, EXPIRE, RENAME, ...
  kString = 1u << 3,     // $
  kList = 1u << 4,       // l
  kSet = 1u << 5,        // s
  kHash = 1u << 6,       // h
  kSortedSet = 1u << 7,  // z
  kExpired = 1u << 8,    // x
  kEvicted = 1u << 9,    // e
  kStream = 1u << 10,    // t
  kMiss = 1u << 11,      // m: not in A.
  kModule = 1u << 12,    // d
  kNew = 1u << 13,       // n: not in A.
  kQueue = 1u << 14,     // q: Rung's own queues.
};

using EventMask = std::uint32_t;

constexpr EventMask Mask(EventClass event_class) { return static_cast<EventMask>(event_class); }

// "KEA", "Kx" ... to a mask; nullopt if a letter is unknown.
std::optional<EventMask> ParseEventMask(std::string_view letters);
// The canonical letters of a mask, `A` for the whole alphabet as Redis prints it.
std::string FormatEventMask(EventMask mask);

}  // namespace rung

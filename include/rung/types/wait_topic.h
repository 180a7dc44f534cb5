// What a blocked client may wait for, and what a value says to it. The engine wakes clients by
// topic and asks the value (store/entry.h, ObjectOperations) whether that is worth while; so it
// needs to know no type.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rung {

// What about a key is awaited: its value (the rule), or something of a queue's own.
enum class WaitTopic : std::uint8_t {
  kValue,
  kJob,     // That a queue has a job to take. In lines by the tiers that are asked for.
  kResult,  // That a job is finished. In lines by job.
  kRoom,    // That a queue takes more jobs. In lines by what is full.
};
inline constexpr std::size_t kWaitTopics = 4;

// Whether a client that waits for a topic may be served from a value as it is now.
enum class WaitOutlook : std::uint8_t {
  kTry,      // Perhaps: its command is to be run again.
  kTryEach,  // The same; and once one was served, those before it that got nothing are tried anew.
  kSkip,     // Not this one, nor the others in its line.
  kNone,     // Nobody.
};

}  // namespace rung

// The records of a queue's jobs. See queue_job.h.

#include <cstring>
#include <new>

#include "rung/base/check.h"
#include "rung/base/memory.h"
#include "rung/types/queue_job.h"

namespace rung {
namespace {

std::size_t HeapBytes(const std::string& text) {
  constexpr std::size_t kInside = 15;  // Shorter ones lie in the string itself.
  return text.capacity() <= kInside ? 0 : AllocationSize(text.capacity() + 1);
}

}  // namespace

std::string_view JobStateName(JobState state) {
  switch (state) {
    case JobState::kReady:
      return "ready";
    case JobState::kDelayed:
      return "delayed";
    case JobState::kLeased:
      return "leased";
    case JobState::kBlocked:
      return "blocked";
    case JobState::kDead:
      return "dead";
    case JobState::kDone:
      return "done";
  }
  RUNG_CHECK(false, "unknown state of a job");
}

std::string_view DeathReasonName(DeathReason reason) {
  switch (reason) {
    case DeathReason::kNone:
      return "none";
    case DeathReason::kFailures:
      return "failures";
    case DeathReason::kRejected:
      return "rejected";
    case DeathReason::kExpired:
      return "expired";
    case DeathReason::kOverflow:
      return "overflow";
    case DeathReason::kShed:
      return "shed";
    case DeathReason::kDependency:
      return "dependency";
  }
  RUNG_CHECK(false, "unknown reason of death");
}

std::size_t JobExtra::MemoryBytes() const {
  const std::size_t edges = (waits_for.capacity() + dependents.capacity()) * sizeof(std::uint64_t);
  return AllocationSize(sizeof(JobExtra)) + edges + HeapBytes(user) + HeapBytes(error) +
         HeapBytes(progress) + HeapBytes(result);
}

JobExtra& Job::Extra() {
  if (extra == nullptr) extra = new JobExtra();
  return *extra;
}

static_assert(sizeof(Job) == 64, "a waiting job's header: what a queue of millions weighs");

Job* Job::Make(std::string_view name, std::string_view body) {
  Job* job = new (Allocate(sizeof(Job) + name.size() + body.size())) Job();
  job->name_size = static_cast<std::uint16_t>(name.size());
  job->body_size = static_cast<std::uint32_t>(body.size());
  char* const text = reinterpret_cast<char*>(job + 1);
  // An empty view may point nowhere, which memcpy must not be given.
  if (!name.empty()) std::memcpy(text, name.data(), name.size());
  if (!body.empty()) std::memcpy(text + name.size(), body.data(), body.size());
  return job;
}

void Job::Destroy(Job* job) {
  const std::size_t bytes = job->RecordBytes();
  job->~Job();
  Free(job, bytes);
}

std::size_t Job::MemoryBytes() const {
  return AllocationSize(RecordBytes()) + (extra == nullptr ? 0 : extra->MemoryBytes());
}

}  // namespace rung

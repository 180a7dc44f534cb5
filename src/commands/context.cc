// The two acts of a handler that need more than a line: failing and waiting. See context.h.

#include "rung/commands/context.h"

#include <memory>
#include <utility>

namespace rung {

Outcome ExecContext::Fail(std::string_view error) {
  reply.WriteError(error);
  broker.statistics.CountError(error.substr(0, error.find(' ')));
  return Outcome::kFailed;
}

Outcome ExecContext::BlockOn(std::span<const std::string_view> keys, ValueTypeMask types,
                             std::optional<std::chrono::nanoseconds> timeout) {
  // A retry that finds nothing keeps its place in the queues and its deadline.
  if (attempt == Attempt::kRetry) return Outcome::kBlocked;
  return BlockOn(keys, types, timeout, OwnedArgs(args), false);
}

Outcome ExecContext::BlockOn(std::span<const std::string_view> keys, ValueTypeMask types,
                             std::optional<std::chrono::nanoseconds> timeout, OwnedArgs retry_args,
                             bool wakes_on_deletion) {
  if (attempt == Attempt::kRetry) return Outcome::kBlocked;
  auto wait = std::make_unique<Wait>();
  wait->args = std::move(retry_args);
  wait->database = db.index();
  wait->types = types;
  wait->wakes_on_deletion = wakes_on_deletion;
  wait->since = now.mono;
  if (timeout) wait->deadline = now.mono + *timeout;
  broker.waiters.Block(session, std::move(wait), keys);
  return Outcome::kBlocked;
}

Outcome ExecContext::BlockInLine(WaitTopic topic, std::span<const std::string_view> keys,
                                 std::uint64_t line,
                                 std::optional<std::chrono::nanoseconds> timeout) {
  if (attempt == Attempt::kRetry) {
    broker.waiters.ChangeLine(session, line);
    return Outcome::kBlocked;
  }
  auto wait = std::make_unique<Wait>();
  wait->args = OwnedArgs(args);
  wait->database = db.index();
  wait->types = MaskOf(ValueType::kQueue);
  wait->topic = topic;
  wait->line = line;
  wait->wakes_on_deletion = topic != WaitTopic::kJob;
  wait->since = now.mono;
  if (timeout) wait->deadline = now.mono + *timeout;
  broker.waiters.Block(session, std::move(wait), keys);
  return Outcome::kBlocked;
}

}  // namespace rung

// Q.PRIO: a job becomes more urgent, or less.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "commands/families.h"
#include "commands/queue_rights.h"
#include "commands/queue_text.h"
#include "commands/queue_work.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

enum class Position : std::uint8_t { kKept, kFresh, kFront };

struct PrioRequest {
  std::string_view key;
  std::string_view reference;
  std::string_view tier;
  Position position = Position::kKept;
  bool boost = false;
};

PrioRequest ReadPrio(ArgReader& args) {
  PrioRequest request;
  request.key = args.Bytes();
  request.reference = args.Bytes();
  request.tier = args.Bytes();
  while (args.More()) {
    if (args.Take("FRESH")) {
      request.position = Position::kFresh;
    } else if (args.Take("FRONT")) {
      request.position = Position::kFront;
    } else if (args.Take("BOOST")) {
      request.boost = true;
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  if (request.boost && request.position != Position::kKept) {
    args.Fail("ERR BOOST keeps the place: no FRESH or FRONT");
  }
  return request;
}

// The place of the job in its tier to be.
void ChoosePlace(const QueueWork& work, const Job& job, Position position, TierChange& change) {
  const Queue& queue = work.queue();
  if (position == Position::kFresh) {
    change.seq = queue.last_seq() + 1;
    change.since_ms = std::max(work.now_ms(), queue.latest_since_ms());
  }
  if (position != Position::kFront) return;
  const QueueTier* tier = queue.FindTier(queue.EffectiveTier(job, change.own_tier));
  if (tier == nullptr || tier->ready.empty()) return;
  // As old as the one it is put before: within a tier nobody is older than who stands in front.
  const Job& head = *tier->ready.front();
  if (change.seq != 0 && change.seq <= head.seq) return;
  change.seq = head.seq - 1;
  change.since_ms = head.since_ms;
}

Outcome Prio(ExecContext& ctx, ArgReader& args) {
  const PrioRequest request = ReadPrio(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Result<QueueWork> work = QueueWork::Open(ctx, request.key);
  if (!work.ok()) return ctx.Fail(work.error());
  const Job* job = *work ? FindJob(work->queue(), request.reference) : nullptr;
  if (job == nullptr) return ctx.Fail(UnknownJob(request.reference));
  if (!job->Unfinished()) {
    return ctx.Fail("QSTATE id=" + std::to_string(job->id) +
                    " state=" + std::string(JobStateName(job->state)));
  }
  TierChange change{.own_tier = job->own_tier(),
                    .boost = job->boost(),
                    .seq = job->seq,
                    .since_ms = job->since_ms};
  if (request.boost && request.tier == "-") {
    change.boost = Job::kNoBoost;
  } else {
    const Result<std::uint32_t> tier = work->queue().settings().ParseTier(request.tier);
    if (!tier.ok()) return ctx.Fail(tier.error());
    // What is put on top of the own tier, or in front of others, makes urgent in any case.
    const bool moves_only = !request.boost && request.position != Position::kFront;
    const auto refusal = moves_only ? RefuseRaise(ctx.session, job->own_tier(), *tier)
                                    : RefuseTier(ctx.session, *tier);
    if (refusal) return ctx.Fail(*refusal);
    (request.boost ? change.boost : change.own_tier) = *tier;
  }
  // A delayed job has no place yet: it is given one when it falls due.
  const bool placed = job->state != JobState::kDelayed || job->seq != 0;
  if (placed) ChoosePlace(*work, *job, request.position, change);
  const std::uint64_t id = job->id;
  work->SetTier(*job, change);
  work->MarkChanged("prio");
  ctx.reply.Integer(work->queue().Find(id)->tier());
  return Outcome::kReplied;
}

constexpr std::array kCommands = {
    Declare({.name = "Q.PRIO",
             .arity = -4,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyUpdate)},
             .log = LogPolicy::kRewritten,
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Moves an unfinished job to another tier, where it keeps its place.",
             .complexity = "O(log n)",
             .syntax = "key:key id tier [FRESH | FRONT] [BOOST]",
             .handler = &Prio}),
};

}  // namespace

std::span<const CommandSpec> QueuePrioCommands() { return kCommands; }

}  // namespace rung

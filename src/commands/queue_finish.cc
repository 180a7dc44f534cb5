// What a worker says of the job it holds: Q.ACK, Q.NACK, Q.EXTEND.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/families.h"
#include "commands/queue_text.h"
#include "commands/queue_work.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

constexpr std::size_t kErrorMax = 4096;

std::vector<Receipt> TakeReceipts(ArgReader& args) {
  std::vector<Receipt> receipts = {TakeReceipt(args)};
  while (NextIsReceipt(args)) receipts.push_back(TakeReceipt(args));
  return receipts;
}

// Something was changed, and still the answer is an error: the job is gone, as it was cancelled.
Outcome ReplyCancelled(ExecContext& ctx, QueueWork& work, const Job& job, Receipt receipt) {
  work.Remove(job);
  work.MarkChanged("cancel");
  return ctx.Fail(CancelledReceipt(receipt));
}

Outcome AckOne(ExecContext& ctx, QueueWork& work, Receipt receipt,
               std::optional<std::string_view> result) {
  const Job* job = work ? work.queue().FindLeased(receipt.id, receipt.token) : nullptr;
  if (job == nullptr) return ctx.Fail(StaleReceipt(receipt));
  if (job->cancelled) return ReplyCancelled(ctx, work, *job, receipt);
  work.Finish(*job, result);
  work.MarkChanged("done");
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome Ack(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::vector<Receipt> receipts = TakeReceipts(args);
  std::optional<std::string_view> result;
  if (args.TakeWithValue("RESULT")) result = args.Bytes();
  if (result && receipts.size() > 1) args.Fail("ERR RESULT goes with one receipt only");
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Result<QueueWork> work = QueueWork::Open(ctx, key);
  if (!work.ok()) return ctx.Fail(work.error());
  if (receipts.size() == 1) return AckOne(ctx, *work, receipts[0], result);
  ctx.reply.Array(receipts.size());
  for (const Receipt& receipt : receipts) {
    const Job* job = *work ? work->queue().FindLeased(receipt.id, receipt.token) : nullptr;
    const bool done = job != nullptr && !job->cancelled;
    if (done) {
      work->Finish(*job, std::nullopt);
    } else if (job != nullptr) {
      work->Remove(*job);
    }
    if (job != nullptr) work->MarkChanged("done");
    ctx.reply.Integer(done ? 1 : 0);
  }
  return Outcome::kReplied;
}

struct NackRequest {
  QueueWork::Failure failure;
  bool free = false;
};

NackRequest ReadNack(const ExecContext& ctx, ArgReader& args) {
  NackRequest request{.failure = {.at_ms = ctx.db.store().now_ms()}};
  int ways = 0;
  while (args.More()) {
    if (args.TakeWithValue("ERR")) {
      request.failure.error = args.Bytes().substr(0, kErrorMax);
    } else if (args.TakeWithValue("DELAY")) {
      request.failure.delay_ms = TakeMilliseconds(args, 0);
      ++ways;
    } else if (args.Take("DEAD")) {
      request.failure.deadly = true;
      ++ways;
    } else if (args.Take("FREE")) {
      request.free = true;
      ++ways;
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  if (ways > 1) args.Fail("ERR DELAY, DEAD and FREE exclude each other");
  return request;
}

Outcome Nack(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const Receipt receipt = TakeReceipt(args);
  const NackRequest request = ReadNack(ctx, args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Result<QueueWork> work = QueueWork::Open(ctx, key);
  if (!work.ok()) return ctx.Fail(work.error());
  const Job* job = *work ? work->queue().FindLeased(receipt.id, receipt.token) : nullptr;
  if (job == nullptr) return ctx.Fail(StaleReceipt(receipt));
  if (job->cancelled) return ReplyCancelled(ctx, *work, *job, receipt);
  if (request.free) {
    work->GiveBack(*job);
  } else {
    work->Fail(*job, request.failure);
  }
  work->MarkChanged(request.free ? "free" : "fail");
  // A dead job may not have been kept.
  job = work->queue().Find(receipt.id);
  ctx.reply.Status(JobStateName(job == nullptr ? JobState::kDead : job->state));
  return Outcome::kReplied;
}

// What EXTEND answers for one receipt of several; a worker must stop at 0 and -1.
constexpr std::int64_t kStale = 0;
constexpr std::int64_t kCancelled = -1;

std::int64_t ExtendOne(QueueWork& work, Receipt receipt, std::int64_t length_ms) {
  const Job* job = work ? work.queue().FindLeased(receipt.id, receipt.token) : nullptr;
  if (job == nullptr) return kStale;
  if (job->cancelled) return kCancelled;
  const std::int64_t length = length_ms != 0 ? length_ms : job->lease->length_ms;
  work.Extend(*job, length);
  return length;
}

Outcome Extend(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::vector<Receipt> receipts = TakeReceipts(args);
  std::int64_t length_ms = 0;
  std::optional<std::string_view> progress;
  while (args.More()) {
    if (args.TakeWithValue("LEASE")) {
      length_ms = TakeMilliseconds(args, 1);
    } else if (args.TakeWithValue("PROGRESS")) {
      progress = args.Bytes();
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  if (progress && receipts.size() > 1) args.Fail("ERR PROGRESS goes with one receipt only");
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Result<QueueWork> work = QueueWork::Open(ctx, key);
  if (!work.ok()) return ctx.Fail(work.error());
  if (receipts.size() > 1) ctx.reply.Array(receipts.size());
  for (const Receipt& receipt : receipts) {
    const std::int64_t granted = ExtendOne(*work, receipt, length_ms);
    if (receipts.size() == 1 && granted == kStale) return ctx.Fail(StaleReceipt(receipt));
    if (receipts.size() == 1 && granted == kCancelled) return ctx.Fail(CancelledReceipt(receipt));
    ctx.reply.Integer(granted);
  }
  if (progress) {
    work->SetProgress(*work->queue().Find(receipts[0].id), *progress);
    work->MarkChanged("progress");
  }
  return Outcome::kReplied;
}

constexpr int kJobsKey = kKeyReadWrite | kKeyUpdate;

constexpr std::array kCommands = {
    Declare({.name = "Q.ACK",
             .arity = -3,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kJobsKey | kKeyDelete)},
             .log = LogPolicy::kRewritten,
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Finishes leased jobs.",
             .complexity = "O(log n) for each receipt",
             .syntax = "key:key receipt... [RESULT result]",
             .handler = &Ack}),
    Declare({.name = "Q.NACK",
             .arity = -3,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kJobsKey)},
             .log = LogPolicy::kRewritten,
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Fails a leased job, which is tried again later, or gives it back.",
             .complexity = "O(log n)",
             .syntax = "key:key receipt [ERR text] [DELAY milliseconds:integer | DEAD | FREE]",
             .handler = &Nack}),
    Declare({.name = "Q.EXTEND",
             .arity = -3,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kJobsKey)},
             .log = LogPolicy::kRewritten,
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Prolongs leases: the sign of life of a worker.",
             .complexity = "O(log n) for each receipt",
             .syntax = "key:key receipt... [LEASE milliseconds:integer] [PROGRESS progress]",
             .handler = &Extend}),
};

}  // namespace

std::span<const CommandSpec> QueueFinishCommands() { return kCommands; }

}  // namespace rung

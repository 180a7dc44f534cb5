// Q.TAKE: the next jobs of a queue, under a lease.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/families.h"
#include "commands/queue_text.h"
#include "commands/queue_work.h"
#include "rung/base/hash.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

constexpr std::int64_t kCountMax = 10000;
constexpr std::size_t kWorkerMax = 1024;

struct TakeRequest {
  std::vector<std::string_view> keys;
  std::size_t count = 1;
  bool blocks = false;
  std::optional<std::chrono::nanoseconds> timeout;
  std::int64_t lease_ms = 0;
  std::optional<std::string_view> tiers;
  std::string_view worker;
  bool without_ack = false;
  bool with_meta = false;
};

void TakeOtherKeys(ArgReader& args, TakeRequest& request) {
  const std::int64_t count = args.IntegerIn(1, 1000, errors::kOutOfRange);
  if (!args.ok() || args.left() < static_cast<std::size_t>(count)) {
    return args.Fail(errors::kSyntax);
  }
  for (const std::string_view key : args.Take(static_cast<std::size_t>(count))) {
    request.keys.push_back(key);
  }
}

TakeRequest ReadTake(ArgReader& args) {
  TakeRequest request;
  request.keys.push_back(args.Bytes());
  while (args.More()) {
    if (args.TakeWithValue("COUNT")) {
      request.count = static_cast<std::size_t>(args.IntegerIn(1, kCountMax, errors::kOutOfRange));
    } else if (args.TakeWithValue("BLOCK")) {
      request.blocks = true;
      request.timeout = TakeBlock(args);
    } else if (args.TakeWithValue("LEASE")) {
      request.lease_ms = TakeMilliseconds(args, 1);
    } else if (args.TakeWithValue("TIERS")) {
      request.tiers = args.Bytes();
    } else if (args.TakeWithValue("WORKER")) {
      request.worker = args.Bytes();
      if (request.worker.size() > kWorkerMax) args.Fail("ERR a worker's name is too long");
    } else if (args.Take("NOACK")) {
      request.without_ack = true;
    } else if (args.Take("META")) {
      request.with_meta = true;
    } else if (args.TakeWithValue("ALSO")) {
      TakeOtherKeys(args, request);
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  return request;
}

// "lo-hi", or a single tier; names of a closed ladder may stand for numbers.
Result<TierRange> ParseTiers(const QueueSettings& settings, std::string_view text) {
  if (const Result<std::uint32_t> single = settings.ParseTier(text); single.ok()) {
    return TierRange{.first = *single, .last = *single};
  }
  // A name may hold a dash too: the one that leaves a tier on both sides is meant.
  for (std::size_t dash = text.find('-'); dash != std::string_view::npos;
       dash = text.find('-', dash + 1)) {
    const Result<std::uint32_t> first = settings.ParseTier(text.substr(0, dash));
    const Result<std::uint32_t> last = settings.ParseTier(text.substr(dash + 1));
    if (first.ok() && last.ok() && *first <= *last)
      return TierRange{.first = *first, .last = *last};
  }
  return Error("QTIER tiers=" + std::string(text.substr(0, 64)) + " is not of the form lo-hi");
}

FieldList MetaOf(const QueueWork& work, const Job& job) {
  const QueueSettings& settings = work.queue().settings();
  FieldList fields;
  fields.Add("id", job.id);
  fields.Add("tier", settings.TierName(job.tier()));
  fields.Add("own", settings.TierName(job.own_tier()));
  fields.Add("seq", job.seq);
  fields.Add("since", job.since_ms);
  fields.Add("waited", std::max<std::int64_t>(0, work.now_ms() - job.since_ms));
  fields.Add("deliveries", job.deliveries());
  fields.Add("failures", std::uint32_t{job.failures});
  fields.Add("group", work.queue().GroupOf(job).name);
  fields.Add("name", job.name());
  fields.Add("cost", job.cost());
  fields.Add("expires", job.lease->deadline_ms);
  fields.Add("user", job.extra == nullptr || job.extra->user.empty() ? std::string_view("default")
                                                                     : job.extra->user);
  return fields;
}

void ReplyEntry(ExecContext& ctx, const QueueWork& work, const Job& job, bool with_meta) {
  NumberBuffer number;
  std::array<char, 48> receipt;
  const std::string_view id = FormatUint64(job.id, number);
  char* end = std::copy(id.begin(), id.end(), receipt.begin());
  *end++ = '-';
  const std::string_view token = FormatUint64(job.lease->token, number);
  end = std::copy(token.begin(), token.end(), end);
  ctx.reply.Array(with_meta ? 4 : 3);
  ctx.reply.Bulk(work.key());
  ctx.reply.Bulk({receipt.data(), static_cast<std::size_t>(end - receipt.data())});
  ctx.reply.Bulk(job.body());
  if (with_meta) MetaOf(work, job).Write(ctx.reply);
}

// Replies what the queue gives; false if that is nothing.
bool TakeFrom(ExecContext& ctx, QueueWork& work, const TakeRequest& request, TierRange range) {
  std::optional<QueuePick> next = work.queue().PickNext(range, work.now_ms());
  if (!next) {
    work.NoteEmpty();
    return false;
  }
  std::vector<const Job*> taken;  // Beyond the first: most workers take one at a time.
  const Job* const first = next->job;
  work.Grant(*first, request.lease_ms, request.worker);
  while (taken.size() + 1 < request.count) {
    next = work.queue().PickNext(range, work.now_ms());
    if (!next) break;
    work.Grant(*next->job, request.lease_ms, request.worker);
    taken.push_back(next->job);
  }
  ctx.reply.Array(taken.size() + 1);
  ReplyEntry(ctx, work, *first, request.with_meta);
  for (const Job* job : taken) ReplyEntry(ctx, work, *job, request.with_meta);
  if (request.without_ack) {
    work.Finish(*first, std::nullopt);
    for (const Job* job : taken) work.Finish(*job, std::nullopt);
  }
  work.MarkChanged("take");
  return true;
}

Outcome Take(ExecContext& ctx, ArgReader& args) {
  const TakeRequest request = ReadTake(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  for (const std::string_view key : request.keys) {
    Result<QueueWork> work = QueueWork::Open(ctx, key);
    if (!work.ok()) return ctx.Fail(work.error());
    if (!*work) continue;
    TierRange range;
    if (request.tiers) {
      const Result<TierRange> parsed = ParseTiers(work->queue().settings(), *request.tiers);
      if (!parsed.ok()) return ctx.Fail(parsed.error());
      range = *parsed;
    }
    if (TakeFrom(ctx, *work, request, range)) return Outcome::kReplied;
  }
  if (request.blocks && ctx.MayBlock()) {
    // Where one finds nothing, another one who asks for the same tiers finds nothing either.
    const std::uint64_t line = request.tiers ? HashBytes(*request.tiers) : 0;
    return ctx.BlockInLine(WaitTopic::kJob, request.keys, line, request.timeout);
  }
  ctx.reply.NullArray();
  return Outcome::kReplied;
}

constexpr KeySpec kOtherKeys{
    .flags = kKeyReadWrite | kKeyAccess | kKeyUpdate, .index = 2, .keyword = "ALSO", .count_at = 0};

constexpr std::array kCommands = {
    Declare({.name = "Q.TAKE",
             .arity = -2,
             .flags = kWrite | kFast | kBlocking,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyUpdate), kOtherKeys},
             .log = LogPolicy::kRewritten,
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Leases the next jobs of a queue; waits for one if asked to.",
             .complexity = "O(log n) for each job",
             .syntax = "key:key [COUNT count:integer] [BLOCK milliseconds:integer] [LEASE "
                       "milliseconds:integer] [TIERS range] [WORKER name] [NOACK] [META] [ALSO "
                       "numkeys:integer key:key...]",
             .handler = &Take}),
};

}  // namespace

std::span<const CommandSpec> QueueTakeCommands() { return kCommands; }

}  // namespace rung

// Pending entries and taking them over: XPENDING XCLAIM XAUTOCLAIM.

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/families.h"
#include "commands/stream.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

std::int64_t IdleMs(const ExecContext& ctx, const PendingEntry& entry) {
  return std::max<std::int64_t>(0, ctx.now.wall_ms() - entry.delivered_ms);
}

// --- XPENDING. ---

void ReplySummary(ExecContext& ctx, const StreamGroup& group) {
  ctx.reply.Array(4);
  ctx.reply.Integer(static_cast<std::int64_t>(group.pending().size()));
  if (group.pending().empty()) {
    ctx.reply.Null();
    ctx.reply.Null();
    ctx.reply.NullArray();
    return;
  }
  ReplyId(ctx.reply, group.pending().front().id);
  ReplyId(ctx.reply, group.pending().back().id);
  std::vector<const StreamConsumer*> holders;
  for (const auto& [name, consumer] : group.consumers()) {
    if (!consumer->pending.empty()) holders.push_back(consumer.get());
  }
  ctx.reply.Array(holders.size());
  for (const StreamConsumer* consumer : holders) {
    ctx.reply.Array(2);
    ctx.reply.Bulk(consumer->name);
    ctx.reply.BulkInteger(static_cast<std::int64_t>(consumer->pending.size()));
  }
}

struct PendingQuery {
  std::int64_t min_idle_ms = 0;
  StreamRange range;
  std::int64_t count = 0;
  std::optional<std::string_view> consumer;
};

PendingQuery ReadPendingQuery(ArgReader& args) {
  PendingQuery query;
  if (args.TakeWithValue("IDLE")) query.min_idle_ms = args.Integer();
  query.range.first = TakeFirstBound(args);
  query.range.last = TakeLastBound(args);
  query.count = std::max<std::int64_t>(0, args.Integer());
  if (args.More()) query.consumer = args.Bytes();
  return query;
}

void ReplyPending(ExecContext& ctx, const StreamGroup& group, const PendingQuery& query) {
  std::vector<const PendingEntry*> matching;
  for (auto it = group.pending().LowerBound(query.range.first);
       it != group.pending().end() && it->id <= query.range.last &&
       matching.size() < static_cast<std::size_t>(query.count);
       ++it) {
    if (query.consumer && it->consumer->name != *query.consumer) continue;
    if (IdleMs(ctx, *it) < query.min_idle_ms) continue;
    matching.push_back(&*it);
  }
  ctx.reply.Array(matching.size());
  for (const PendingEntry* entry : matching) {
    ctx.reply.Array(4);
    ReplyId(ctx.reply, entry->id);
    ctx.reply.Bulk(entry->consumer->name);
    ctx.reply.Integer(IdleMs(ctx, *entry));
    ctx.reply.Integer(static_cast<std::int64_t>(entry->delivery_count));
  }
}

Outcome XPending(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view name = args.Bytes();
  const bool summary = !args.More();
  PendingQuery query;
  if (!summary) query = ReadPendingQuery(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const Stream*> stream = ctx.db.Read<Stream>(key);
  if (!stream.ok()) return ctx.Fail(stream.error());
  const StreamGroup* group = *stream == nullptr ? nullptr : (*stream)->FindGroup(name);
  if (group == nullptr) return ctx.Fail(NoGroup(key, name));
  if (summary) {
    ReplySummary(ctx, *group);
  } else {
    ReplyPending(ctx, *group, query);
  }
  return Outcome::kReplied;
}

// --- Claiming. ---

struct ClaimRequest {
  std::string_view key;
  std::string_view group;
  std::string_view consumer;
  std::int64_t min_idle_ms = 0;
  std::int64_t delivered_ms = 0;  // What the entries are marked with.
  std::optional<std::uint64_t> retry_count;
  bool force = false;
  bool just_id = false;
  std::optional<StreamId> last_id;
};

// Gives entries to a consumer, with everything that an XCLAIM may change.
class Claimer {
 public:
  Claimer(ExecContext& ctx, const ClaimRequest& request, Edit<Stream>& stream)
      : ctx_(ctx), request_(request), stream_(stream), group_(*stream->FindGroup(request.group)) {
    bool created = false;
    consumer_ = &group_.GetConsumer(request.consumer, ctx.now.wall_ms(), created);
    consumer_->seen_ms = ctx.now.wall_ms();
    if (!created) return;
    stream.MarkChanged("xgroup-createconsumer");
    ctx.Log({"XGROUP", "CREATECONSUMER", request.key, request.group, request.consumer});
  }

  StreamGroup& group() { return group_; }

  void AdvanceGroup() {
    if (!request_.last_id || *request_.last_id <= group_.last_delivered_id) return;
    group_.last_delivered_id = *request_.last_id;
    stream_.MarkBookkeeping();
    LogGroupPosition(ctx_, request_.key, request_.group, group_);
  }

  // The entry is gone from the stream: nobody can work on it any more.
  void Forget(StreamId id) {
    if (!group_.Acknowledge(id)) return;
    stream_.MarkBookkeeping();
    const std::string text = id.ToString();
    ctx_.Log({"XACK", request_.key, request_.group, text});
  }

  void Take(StreamId id) {
    const PendingEntry* known = group_.FindPending(id);
    std::uint64_t deliveries = known == nullptr ? 0 : known->delivery_count;
    if (request_.retry_count) {
      deliveries = *request_.retry_count;
    } else if (!request_.just_id) {
      ++deliveries;
    }
    consumer_->active_ms = ctx_.now.wall_ms();
    const PendingEntry& entry = group_.Assign(id, *consumer_, request_.delivered_ms, deliveries);
    stream_.MarkBookkeeping();
    LogClaim(ctx_, request_.key, request_.group, id, entry);
    taken_.push_back(id);
  }

  void ReplyTaken() {
    ctx_.reply.Array(taken_.size());
    for (const StreamId id : taken_) {
      if (request_.just_id) {
        ReplyId(ctx_.reply, id);
        continue;
      }
      stream_->ForEach(id, id, Stream::Order::kForward, [&](const StreamEntry& entry) {
        ReplyEntry(ctx_.reply, entry);
        return false;
      });
    }
  }

 private:
  ExecContext& ctx_;
  const ClaimRequest& request_;
  Edit<Stream>& stream_;
  StreamGroup& group_;
  StreamConsumer* consumer_ = nullptr;
  std::vector<StreamId> taken_;
};

// Opens the stream of a claim; an empty Edit with the error replied if it has no such group.
Edit<Stream> OpenForClaim(ExecContext& ctx, const ClaimRequest& request) {
  Result<Edit<Stream>> stream = ctx.db.EditExisting<Stream>(request.key);
  if (!stream.ok()) {
    ctx.Fail(stream.error());
    return {};
  }
  if (!*stream || (*stream)->FindGroup(request.group) == nullptr) {
    ctx.Fail(NoGroup(request.key, request.group));
    return {};
  }
  return std::move(*stream);
}

void ReadClaimOptions(ExecContext& ctx, ArgReader& args, ClaimRequest& request) {
  while (args.More()) {
    const std::string option(args.Peek());
    if (args.Take("FORCE")) {
      request.force = true;
    } else if (args.Take("JUSTID")) {
      request.just_id = true;
    } else if (args.TakeWithValue("IDLE")) {
      request.delivered_ms =
          ctx.now.wall_ms() - args.Integer("ERR Invalid IDLE option argument for XCLAIM");
    } else if (args.TakeWithValue("TIME")) {
      request.delivered_ms = args.Integer("ERR Invalid TIME option argument for XCLAIM");
    } else if (args.TakeWithValue("RETRYCOUNT")) {
      request.retry_count = static_cast<std::uint64_t>(std::max<std::int64_t>(
          0, args.Integer("ERR Invalid RETRYCOUNT option argument for XCLAIM")));
    } else if (args.TakeWithValue("LASTID")) {
      request.last_id = TakeStreamId(args, 0);
    } else {
      args.Fail("ERR Unrecognized XCLAIM option '" + option + "'");
    }
  }
  // A delivery in the future would hide the entry from everybody: it counts as of now.
  if (request.delivered_ms < 0 || request.delivered_ms > ctx.now.wall_ms()) {
    request.delivered_ms = ctx.now.wall_ms();
  }
}

Outcome XClaim(ExecContext& ctx, ArgReader& args) {
  ClaimRequest request;
  request.key = args.Bytes();
  request.group = args.Bytes();
  request.consumer = args.Bytes();
  request.delivered_ms = ctx.now.wall_ms();
  Edit<Stream> stream = OpenForClaim(ctx, request);
  if (!stream) return Outcome::kFailed;
  request.min_idle_ms =
      std::max<std::int64_t>(0, args.Integer("ERR Invalid min-idle-time argument for XCLAIM"));
  std::vector<StreamId> ids;
  while (args.More() && StreamId::Parse(args.Peek(), 0)) ids.push_back(TakeStreamId(args, 0));
  ReadClaimOptions(ctx, args, request);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Claimer claimer(ctx, request, stream);
  claimer.AdvanceGroup();
  for (const StreamId id : ids) {
    const PendingEntry* known = claimer.group().FindPending(id);
    if (!stream->Contains(id)) {
      claimer.Forget(id);
      continue;
    }
    if (known == nullptr && !request.force) continue;
    if (known != nullptr && IdleMs(ctx, *known) < request.min_idle_ms) continue;
    claimer.Take(id);
  }
  claimer.ReplyTaken();
  return Outcome::kReplied;
}

struct AutoClaimRequest {
  ClaimRequest claim;
  StreamId start;
  std::int64_t count = 100;
};

void ReadAutoClaim(ArgReader& args, AutoClaimRequest& request) {
  request.claim.min_idle_ms =
      std::max<std::int64_t>(0, args.Integer("ERR Invalid min-idle-time argument for XAUTOCLAIM"));
  request.start = TakeFirstBound(args);
  while (args.More()) {
    if (args.TakeWithValue("COUNT")) {
      // The attempts are ten times as many; that product must not overflow.
      request.count = args.IntegerIn(1, kInt64Max / 16, "ERR COUNT must be > 0");
    } else if (args.Take("JUSTID")) {
      request.claim.just_id = true;
    } else {
      args.Fail(errors::kSyntax);
    }
  }
}

Outcome XAutoClaim(ExecContext& ctx, ArgReader& args) {
  AutoClaimRequest request;
  request.claim.key = args.Bytes();
  request.claim.group = args.Bytes();
  request.claim.consumer = args.Bytes();
  request.claim.delivered_ms = ctx.now.wall_ms();
  ReadAutoClaim(args, request);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Edit<Stream> stream = OpenForClaim(ctx, request.claim);
  if (!stream) return Outcome::kFailed;
  Claimer claimer(ctx, request.claim, stream);
  std::int64_t attempts = request.count * 10;
  std::int64_t wanted = request.count;
  std::vector<StreamId> gone;
  const StreamGroup::Pending& pending = claimer.group().pending();
  auto it = pending.LowerBound(request.start);
  while (it != pending.end() && attempts-- > 0 && wanted > 0) {
    const StreamId id = it->id;
    const std::int64_t idle = IdleMs(ctx, *it);
    if (!stream->Contains(id)) {
      claimer.Forget(id);
      gone.push_back(id);
      --wanted;
    } else if (idle >= request.claim.min_idle_ms) {
      claimer.Take(id);
      --wanted;
    }
    // Taking or forgetting the entry has ended the iterator.
    const std::optional<StreamId> next = id.Next();
    it = next ? pending.LowerBound(*next) : pending.end();
  }
  ctx.reply.Array(3);
  ReplyId(ctx.reply, it == pending.end() ? StreamId{} : it->id);
  claimer.ReplyTaken();
  ctx.reply.Array(gone.size());
  for (const StreamId id : gone) ReplyId(ctx.reply, id);
  return Outcome::kReplied;
}

constexpr std::array kCommands = {
    Declare({.name = "XPENDING",
             .arity = -3,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .tips = "nondeterministic_output",
             .group = "stream",
             .since = "5.0.0",
             .summary = "Returns what a group has been given and not acknowledged.",
             .complexity = "O(log n + m) for m entries returned",
             .syntax = "key:key group [[IDLE min-idle-time:integer] start end count:integer "
                       "[consumer]]",
             .handler = &XPending}),
    Declare({.name = "XCLAIM",
             .arity = -6,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyUpdate)},
             .log = LogPolicy::kRewritten,
             .tips = "nondeterministic_output",
             .group = "stream",
             .since = "5.0.0",
             .summary = "Takes pending entries over from other consumers.",
             .complexity = "O(log n) per id",
             .syntax = "key:key group consumer min-idle-time:integer id... [IDLE ms:integer] "
                       "[TIME unix-time-milliseconds:unix-time] [RETRYCOUNT count:integer] [FORCE] "
                       "[JUSTID] [LASTID lastid]",
             .handler = &XClaim}),
    Declare({.name = "XAUTOCLAIM",
             .arity = -6,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyDelete)},
             .log = LogPolicy::kRewritten,
             .tips = "nondeterministic_output",
             .group = "stream",
             .since = "6.2.0",
             .summary = "Takes over pending entries that were idle for long, a portion a call.",
             .complexity = "O(1) for a COUNT that is small",
             .syntax = "key:key group consumer min-idle-time:integer start [COUNT count:integer] "
                       "[JUSTID]",
             .handler = &XAutoClaim}),
};

}  // namespace

std::span<const CommandSpec> StreamClaimCommands() { return kCommands; }

}  // namespace rung

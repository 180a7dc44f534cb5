// Reading streams without groups: XLEN XRANGE XREVRANGE XREAD.

#include <array>
#include <limits>
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

Outcome XLen(ExecContext& ctx, ArgReader& args) {
  const Result<const Stream*> stream = ctx.db.Read<Stream>(args.Bytes());
  if (!stream.ok()) return ctx.Fail(stream.error());
  ctx.reply.Integer(*stream == nullptr ? 0 : static_cast<std::int64_t>((*stream)->entry_count()));
  return Outcome::kReplied;
}

Outcome ReadRange(ExecContext& ctx, ArgReader& args, std::string_view key, StreamRange range,
                  Stream::Order order) {
  std::int64_t count = -1;
  while (args.More()) {
    if (args.TakeWithValue("COUNT")) {
      count = std::max<std::int64_t>(0, args.Integer());
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const Stream*> stream = ctx.db.Read<Stream>(key);
  if (!stream.ok()) return ctx.Fail(stream.error());
  if (*stream == nullptr) {
    ctx.reply.EmptyArray();
  } else if (count == 0) {
    ctx.reply.NullArray();
  } else {
    ReplyRange(ctx.reply, **stream, range, order, count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  return Outcome::kReplied;
}

Outcome XRange(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  StreamRange range;
  range.first = TakeFirstBound(args);
  range.last = TakeLastBound(args);
  return ReadRange(ctx, args, key, range, Stream::Order::kForward);
}

Outcome XRevRange(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  StreamRange range;
  range.last = TakeLastBound(args);
  range.first = TakeFirstBound(args);
  return ReadRange(ctx, args, key, range, Stream::Order::kBackward);
}

struct ReadRequest {
  std::size_t count = 0;  // 0: all.
  bool blocks = false;
  std::optional<std::chrono::nanoseconds> timeout;
  std::size_t first_id_word = 0;  // Of the request, where the ids begin.
  std::span<const std::string_view> keys;
  std::span<const std::string_view> ids;
};

void ReadOptions(ExecContext& ctx, ArgReader& args, ReadRequest& request) {
  while (args.More() && request.keys.empty()) {
    if (args.TakeWithValue("COUNT")) {
      request.count = static_cast<std::size_t>(std::max<std::int64_t>(0, args.Integer()));
    } else if (args.TakeWithValue("BLOCK")) {
      RefuseBlockInScript(ctx, args);
      request.blocks = true;
      request.timeout = args.TimeoutMilliseconds();
    } else if (args.TakeWithValue("STREAMS")) {
      if (args.left() % 2 != 0) {
        args.Fail(
            "ERR Unbalanced 'xread' list of streams: for each stream key an ID or '$' must be "
            "specified.");
      }
      request.keys = args.Take(args.left() / 2);
      request.ids = args.Rest();
      request.first_id_word = ctx.args.size() - request.ids.size();
    } else if (EqualsIgnoreCase(args.Peek(), "GROUP") || EqualsIgnoreCase(args.Peek(), "NOACK")) {
      args.Fail("ERR The " + ToUpper(args.Peek()) +
                " option is only supported by XREADGROUP. You called XREAD instead.");
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  if (request.keys.empty()) args.Fail(errors::kSyntax);
}

// The id behind which one stream is read: `$` and `+` by what it holds now.
Result<StreamId> ResolveStart(const Stream* stream, std::string_view text) {
  if (text == "$") return stream == nullptr ? StreamId{} : stream->last_id();
  if (text == "+") {
    // The last entry itself: everything behind the id before it.
    if (stream == nullptr || stream->entry_count() == 0) {
      return stream == nullptr ? StreamId{} : stream->last_id();
    }
    StreamId last;
    stream->ForEach(StreamId::Min(), StreamId::Max(), Stream::Order::kBackward,
                    [&](const StreamEntry& entry) {
                      last = entry.id;
                      return false;
                    });
    return last.Previous().value_or(StreamId{});
  }
  if (text == ">") {
    return Error(
        "ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> "
        "<consumer> option.");
  }
  const std::optional<StreamId> id = StreamId::Parse(text, 0);
  if (!id) return Error(kBadStreamId);
  return *id;
}

struct ReadSource {
  std::string_view key;
  const Stream* stream = nullptr;
  StreamId after;

  bool HasNews() const {
    const std::optional<StreamId> first = after.Next();
    if (stream == nullptr || !first || stream->last_id() < *first) return false;
    bool found = false;
    stream->ForEach(*first, StreamId::Max(), Stream::Order::kForward, [&](const StreamEntry&) {
      found = true;
      return false;
    });
    return found;
  }
};

void ReplySources(ExecContext& ctx, const std::vector<ReadSource>& sources, std::size_t count) {
  if (ctx.reply.resp3()) {
    ctx.reply.Map(sources.size());
  } else {
    ctx.reply.Array(sources.size());
  }
  for (const ReadSource& source : sources) {
    if (!ctx.reply.resp3()) ctx.reply.Array(2);
    ctx.reply.Bulk(source.key);
    ReplyRange(ctx.reply, *source.stream, {.first = *source.after.Next(), .last = StreamId::Max()},
               Stream::Order::kForward, count);
  }
}

// Waits with ids in place of `$`: what comes from now on is news, however often the wait is tried.
Outcome WaitForNews(ExecContext& ctx, const ReadRequest& request,
                    const std::vector<ReadSource>& all) {
  std::vector<std::string> ids;
  for (const ReadSource& source : all) ids.push_back(source.after.ToString());
  std::vector<std::string_view> words(ctx.args.begin(), ctx.args.end());
  for (std::size_t i = 0; i < ids.size(); ++i) words[request.first_id_word + i] = ids[i];
  return ctx.BlockOn(request.keys, MaskOf(ValueType::kStream), request.timeout, OwnedArgs(words),
                     false);
}

Outcome XRead(ExecContext& ctx, ArgReader& args) {
  ReadRequest request;
  ReadOptions(ctx, args, request);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  std::vector<ReadSource> all;
  std::vector<ReadSource> news;
  for (std::size_t i = 0; i < request.keys.size(); ++i) {
    const Result<const Stream*> stream = ctx.db.Read<Stream>(request.keys[i]);
    if (!stream.ok()) return ctx.Fail(stream.error());
    const Result<StreamId> after = ResolveStart(*stream, request.ids[i]);
    if (!after.ok()) return ctx.Fail(after.error());
    all.push_back({.key = request.keys[i], .stream = *stream, .after = *after});
    if (all.back().HasNews()) news.push_back(all.back());
  }
  if (!news.empty()) {
    ReplySources(ctx, news, request.count);
    return Outcome::kReplied;
  }
  if (request.blocks && ctx.MayBlock()) return WaitForNews(ctx, request, all);
  ctx.reply.NullArray();
  return Outcome::kReplied;
}

constexpr KeySpec kStreamsKeys = {.flags = kKeyRead | kKeyAccess,
                                  .index = 1,
                                  .keyword = "STREAMS",
                                  .last = -1,
                                  .step = 1,
                                  .limit = 2};

constexpr std::array kCommands = {
    Declare({.name = "XLEN",
             .arity = 2,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead)},
             .group = "stream",
             .since = "5.0.0",
             .summary = "Returns the number of entries in a stream.",
             .complexity = "O(1)",
             .syntax = "key:key",
             .handler = &XLen}),
    Declare({.name = "XRANGE",
             .arity = -4,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "stream",
             .since = "5.0.0",
             .summary = "Returns the entries between two ids.",
             .complexity = "O(log n + m) for m entries returned",
             .syntax = "key:key start end [COUNT count:integer]",
             .handler = &XRange}),
    Declare({.name = "XREVRANGE",
             .arity = -4,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "stream",
             .since = "5.0.0",
             .summary = "Returns the entries between two ids, latest first.",
             .complexity = "O(log n + m) for m entries returned",
             .syntax = "key:key end start [COUNT count:integer]",
             .handler = &XRevRange}),
    Declare(
        {.name = "XREAD",
         .arity = -4,
         .flags = kReadOnly | kBlocking,
         .keys = {kStreamsKeys},
         .group = "stream",
         .since = "5.0.0",
         .summary = "Returns the entries behind the ids given, of several streams; may wait.",
         .complexity = "O(m) for m entries returned",
         .syntax = "[COUNT count:integer] [BLOCK milliseconds:integer] STREAMS key:key... id...",
         .handler = &XRead}),
};

}  // namespace

std::span<const CommandSpec> StreamReadCommands() { return kCommands; }

}  // namespace rung

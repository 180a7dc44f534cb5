// Consumer groups: XGROUP, XREADGROUP, XACK.
//
// What a group has been given is logged entry by entry (XCLAIM) and not as the question that was
// asked, so that a reader of the log ends with the same pending entries whatever its clock says.

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/families.h"
#include "commands/help.h"
#include "commands/stream.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

constexpr std::string_view kNeedsKey =
    "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use "
    "the MKSTREAM option to create an empty stream automatically.";

std::string NoSuchGroup(std::string_view group, std::string_view key) {
  return "NOGROUP No such consumer group '" + std::string(group) + "' for key name '" +
         std::string(key) + "'";
}

// A group's position as XGROUP CREATE and SETID take it.
struct GroupPosition {
  bool at_end = false;  // "$"
  StreamId id;
  std::optional<std::uint64_t> entries_read;
  bool make_stream = false;
};

GroupPosition ReadPosition(ArgReader& args, bool may_make_stream) {
  GroupPosition position;
  position.at_end = args.Take("$");
  if (!position.at_end) position.id = TakeStreamBound(args, 0);
  while (args.More()) {
    if (may_make_stream && args.Take("MKSTREAM")) {
      position.make_stream = true;
    } else if (args.TakeWithValue("ENTRIESREAD")) {
      const std::int64_t read = args.IntegerIn(-1, std::numeric_limits<std::int64_t>::max(),
                                               "ERR value for ENTRIESREAD must be positive or -1");
      if (read >= 0) position.entries_read = static_cast<std::uint64_t>(read);
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  return position;
}

Outcome XGroupCreate(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view group = args.Bytes();
  const GroupPosition position = ReadPosition(args, true);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  if (!position.make_stream && !ctx.db.Find(key)) return ctx.Fail(kNeedsKey);
  Result<Edit<Stream>> stream = ctx.db.EditOrCreate<Stream>(key);
  if (!stream.ok()) return ctx.Fail(stream.error());
  if ((*stream)->FindGroup(group) != nullptr) {
    return ctx.Fail("BUSYGROUP Consumer Group name already exists");
  }
  (*stream)->CreateGroup(group, position.at_end ? (*stream)->last_id() : position.id,
                         position.entries_read);
  stream->MarkChanged("xgroup-create");
  ctx.reply.Ok();
  return Outcome::kReplied;
}

// The group of an existing stream, open for change; null with the error replied.
StreamGroup* OpenGroup(ExecContext& ctx, std::string_view key, std::string_view group,
                       Edit<Stream>& stream) {
  Result<Edit<Stream>> opened = ctx.db.EditExisting<Stream>(key);
  if (!opened.ok()) {
    ctx.Fail(opened.error());
    return nullptr;
  }
  if (!*opened) {
    ctx.Fail(kNeedsKey);
    return nullptr;
  }
  stream = std::move(*opened);
  StreamGroup* found = stream->FindGroup(group);
  if (found == nullptr) ctx.Fail(NoSuchGroup(group, key));
  return found;
}

Outcome XGroupSetId(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view name = args.Bytes();
  const GroupPosition position = ReadPosition(args, false);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Edit<Stream> stream;
  StreamGroup* group = OpenGroup(ctx, key, name, stream);
  if (group == nullptr) return Outcome::kFailed;
  group->last_delivered_id = position.at_end ? stream->last_id() : position.id;
  group->entries_read = position.entries_read;
  stream.MarkChanged("xgroup-setid");
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome XGroupDestroy(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  Result<Edit<Stream>> stream = ctx.db.EditExisting<Stream>(key);
  if (!stream.ok()) return ctx.Fail(stream.error());
  if (!*stream) return ctx.Fail(kNeedsKey);
  const bool destroyed = (*stream)->DestroyGroup(args.Bytes());
  if (destroyed) stream->MarkChanged("xgroup-destroy");
  ctx.reply.Integer(destroyed ? 1 : 0);
  return Outcome::kReplied;
}

Outcome XGroupCreateConsumer(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view name = args.Bytes();
  Edit<Stream> stream;
  StreamGroup* group = OpenGroup(ctx, key, name, stream);
  if (group == nullptr) return Outcome::kFailed;
  bool created = false;
  group->GetConsumer(args.Bytes(), ctx.now.wall_ms(), created);
  if (created) stream.MarkChanged("xgroup-createconsumer");
  ctx.reply.Integer(created ? 1 : 0);
  return Outcome::kReplied;
}

Outcome XGroupDelConsumer(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view name = args.Bytes();
  Edit<Stream> stream;
  StreamGroup* group = OpenGroup(ctx, key, name, stream);
  if (group == nullptr) return Outcome::kFailed;
  const std::string_view consumer = args.Bytes();
  const bool known = group->FindConsumer(consumer) != nullptr;
  const std::size_t pending = group->DeleteConsumer(consumer);
  if (known) stream.MarkChanged("xgroup-delconsumer");
  ctx.reply.Integer(static_cast<std::int64_t>(pending));
  return Outcome::kReplied;
}

Outcome XAck(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view name = args.Bytes();
  Result<Edit<Stream>> stream = ctx.db.EditExisting<Stream>(key);
  if (!stream.ok()) return ctx.Fail(stream.error());
  StreamGroup* group = *stream ? (*stream)->FindGroup(name) : nullptr;
  if (group == nullptr) {
    ctx.reply.Integer(0);
    return Outcome::kReplied;
  }
  std::vector<StreamId> ids;
  while (args.More()) ids.push_back(TakeStreamId(args, 0));
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  std::int64_t acknowledged = 0;
  for (const StreamId id : ids) acknowledged += group->Acknowledge(id) ? 1 : 0;
  if (acknowledged > 0) stream->MarkBookkeeping();
  ctx.reply.Integer(acknowledged);
  return Outcome::kReplied;
}

// --- XREADGROUP. ---

struct GroupReadRequest {
  std::string_view group;
  std::string_view consumer;
  std::size_t count = 0;  // 0: all.
  bool blocks = false;
  std::optional<std::chrono::nanoseconds> timeout;
  bool no_ack = false;
  std::span<const std::string_view> keys;
  std::span<const std::string_view> ids;
};

void ReadGroupOptions(ExecContext& ctx, ArgReader& args, GroupReadRequest& request) {
  bool grouped = false;
  while (args.More() && request.keys.empty()) {
    if (args.TakeWithValue("COUNT")) {
      request.count = static_cast<std::size_t>(std::max<std::int64_t>(0, args.Integer()));
    } else if (args.TakeWithValue("BLOCK")) {
      RefuseBlockInScript(ctx, args);
      request.blocks = true;
      request.timeout = args.TimeoutMilliseconds();
    } else if (args.left() >= 3 && args.Take("GROUP")) {
      grouped = true;
      request.group = args.Bytes();
      request.consumer = args.Bytes();
    } else if (args.Take("NOACK")) {
      request.no_ack = true;
    } else if (args.TakeWithValue("STREAMS")) {
      if (args.left() % 2 != 0) {
        args.Fail(
            "ERR Unbalanced 'xreadgroup' list of streams: for each stream key an ID or '>' must "
            "be specified.");
      }
      request.keys = args.Take(args.left() / 2);
      request.ids = args.Rest();
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  if (request.keys.empty()) args.Fail(errors::kSyntax);
  if (!grouped) args.Fail("ERR Missing GROUP option for XREADGROUP");
}

// One stream of the request, checked.
struct GroupSource {
  std::string_view key;
  std::optional<StreamId> history;  // Read the consumer's own pending entries behind this id.
};

std::optional<Error> CheckSource(ExecContext& ctx, const GroupReadRequest& request, std::size_t i,
                                 GroupSource& source) {
  source.key = request.keys[i];
  const Result<const Stream*> stream = ctx.db.Read<Stream>(source.key);
  if (!stream.ok()) return stream.error();
  if (*stream == nullptr || (*stream)->FindGroup(request.group) == nullptr) {
    return Error(NoGroup(source.key, request.group, " in XREADGROUP with GROUP option"));
  }
  const std::string_view id = request.ids[i];
  if (id == ">") return std::nullopt;
  if (id == "$") {
    return Error(
        "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of "
        "this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID "
        "would just return an empty result set.");
  }
  source.history = StreamId::Parse(id, 0);
  if (!source.history) return Error(kBadStreamId);
  return std::nullopt;
}

bool HasNews(const Stream& stream, const StreamGroup& group) {
  const std::optional<StreamId> first = group.last_delivered_id.Next();
  if (!first || stream.last_id() < *first) return false;
  bool found = false;
  stream.ForEach(*first, StreamId::Max(), Stream::Order::kForward, [&](const StreamEntry&) {
    found = true;
    return false;
  });
  return found;
}

class GroupReader {
 public:
  GroupReader(ExecContext& ctx, const GroupReadRequest& request) : ctx_(ctx), request_(request) {}

  // Whether this source has something to answer. History always has, if only an empty list.
  bool Answers(const GroupSource& source) {
    if (source.history) return true;
    const Stream& stream = **ctx_.db.Read<Stream>(source.key);
    return HasNews(stream, *stream.FindGroup(request_.group));
  }

  // Makes the consumer known and marks its attempt.
  void Touch(const GroupSource& source) {
    Result<Edit<Stream>> stream = ctx_.db.EditExisting<Stream>(source.key);
    bool created = false;
    StreamConsumer& consumer = Consumer(**stream, created);
    consumer.seen_ms = ctx_.now.wall_ms();
    if (!created) return;
    stream->MarkChanged("xgroup-createconsumer");
    ctx_.Log({"XGROUP", "CREATECONSUMER", source.key, request_.group, request_.consumer});
  }

  void Reply(const GroupSource& source) {
    if (!ctx_.reply.resp3()) ctx_.reply.Array(2);
    ctx_.reply.Bulk(source.key);
    Result<Edit<Stream>> stream = ctx_.db.EditExisting<Stream>(source.key);
    if (source.history) {
      ReplyHistory(**stream, *source.history);
    } else {
      ReplyNews(source, *stream);
    }
  }

 private:
  StreamConsumer& Consumer(Stream& stream, bool& created) {
    return stream.FindGroup(request_.group)
        ->GetConsumer(request_.consumer, ctx_.now.wall_ms(), created);
  }

  void ReplyNews(const GroupSource& source, Edit<Stream>& stream) {
    StreamGroup& group = *stream->FindGroup(request_.group);
    bool created = false;
    StreamConsumer& consumer = Consumer(*stream, created);
    consumer.active_ms = ctx_.now.wall_ms();
    std::vector<StreamId> given;
    const StreamId first = *group.last_delivered_id.Next();
    stream->ForEach(first, StreamId::Max(), Stream::Order::kForward, [&](const StreamEntry& entry) {
      given.push_back(entry.id);
      return given.size() != request_.count;
    });
    ReplyRange(ctx_.reply, *stream, {.first = first, .last = given.back()}, Stream::Order::kForward,
               0);
    for (const StreamId id : given) {
      stream->NoteDelivered(group, id);
      if (request_.no_ack) continue;
      const PendingEntry& entry = group.Assign(id, consumer, ctx_.now.wall_ms(), 1);
      LogClaim(ctx_, source.key, request_.group, id, entry);
    }
    LogGroupPosition(ctx_, source.key, request_.group, group);
    stream.MarkBookkeeping();
  }

  // What the consumer has been given and not acknowledged. An entry deleted since has no fields.
  void ReplyHistory(Stream& stream, StreamId after) {
    bool created = false;
    const StreamConsumer& consumer = Consumer(stream, created);
    std::vector<StreamId> ids;
    const std::optional<StreamId> first = after.Next();
    for (auto it = first ? consumer.pending.LowerBound(*first) : consumer.pending.end();
         it != consumer.pending.end() && (request_.count == 0 || ids.size() < request_.count);
         ++it) {
      ids.push_back(*it);
    }
    ctx_.reply.Array(ids.size());
    for (const StreamId id : ids) {
      bool found = false;
      stream.ForEach(id, id, Stream::Order::kForward, [&](const StreamEntry& entry) {
        ReplyEntry(ctx_.reply, entry);
        found = true;
        return false;
      });
      if (found) continue;
      ctx_.reply.Array(2);
      ReplyId(ctx_.reply, id);
      ctx_.reply.NullArray();
    }
  }

  ExecContext& ctx_;
  const GroupReadRequest& request_;
};

Outcome XReadGroup(ExecContext& ctx, ArgReader& args) {
  GroupReadRequest request;
  ReadGroupOptions(ctx, args, request);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  GroupReader reader(ctx, request);
  std::vector<GroupSource> sources;
  for (std::size_t i = 0; i < request.keys.size(); ++i) {
    GroupSource source;
    if (const auto error = CheckSource(ctx, request, i, source)) return ctx.Fail(*error);
    sources.push_back(source);
  }
  std::vector<GroupSource> answering;
  for (const GroupSource& source : sources) {
    reader.Touch(source);
    if (reader.Answers(source)) answering.push_back(source);
  }
  if (answering.empty()) {
    if (request.blocks && ctx.MayBlock()) {
      return ctx.BlockOn(request.keys, MaskOf(ValueType::kStream), request.timeout,
                         OwnedArgs(ctx.args), true);
    }
    ctx.reply.NullArray();
    return Outcome::kReplied;
  }
  if (ctx.reply.resp3()) {
    ctx.reply.Map(answering.size());
  } else {
    ctx.reply.Array(answering.size());
  }
  for (const GroupSource& source : answering) reader.Reply(source);
  return Outcome::kReplied;
}

constexpr std::array kGroupSubcommands = {
    Declare({.name = "CREATE",
             .arity = -5,
             .flags = kWrite | kDenyOom,
             .keys = {KeyAt(2, kKeyReadWrite | kKeyInsert)},
             .log = LogPolicy::kVerbatim,
             .group = "stream",
             .since = "5.0.0",
             .summary = "Creates a consumer group.",
             .complexity = "O(1)",
             .syntax = "key:key group (id | $) [MKSTREAM] [ENTRIESREAD entries-read:integer]",
             .handler = &XGroupCreate}),
    Declare({.name = "SETID",
             .arity = -5,
             .flags = kWrite,
             .keys = {KeyAt(2, kKeyReadWrite | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .group = "stream",
             .since = "5.0.0",
             .summary = "Sets the id up to which a group counts as served.",
             .complexity = "O(1)",
             .syntax = "key:key group (id | $) [ENTRIESREAD entries-read:integer]",
             .handler = &XGroupSetId}),
    Declare({.name = "DESTROY",
             .arity = 4,
             .flags = kWrite,
             .keys = {KeyAt(2, kKeyReadWrite | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .group = "stream",
             .since = "5.0.0",
             .summary = "Destroys a consumer group.",
             .complexity = "O(n) for n pending entries",
             .syntax = "key:key group",
             .handler = &XGroupDestroy}),
    Declare({.name = "CREATECONSUMER",
             .arity = 5,
             .flags = kWrite | kDenyOom,
             .keys = {KeyAt(2, kKeyReadWrite | kKeyInsert)},
             .log = LogPolicy::kVerbatim,
             .group = "stream",
             .since = "6.2.0",
             .summary = "Creates a consumer in a group.",
             .complexity = "O(log n) for n consumers",
             .syntax = "key:key group consumer",
             .handler = &XGroupCreateConsumer}),
    Declare({.name = "DELCONSUMER",
             .arity = 5,
             .flags = kWrite,
             .keys = {KeyAt(2, kKeyReadWrite | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .group = "stream",
             .since = "5.0.0",
             .summary = "Removes a consumer from a group, and its pending entries.",
             .complexity = "O(n) for n pending entries",
             .syntax = "key:key group consumer",
             .handler = &XGroupDelConsumer}),
    HelpSubcommand("stream", "5.0.0"),
};

constexpr KeySpec kStreamsKeys = {.flags = kKeyRead | kKeyAccess,
                                  .index = 4,
                                  .keyword = "STREAMS",
                                  .last = -1,
                                  .step = 1,
                                  .limit = 2};

constexpr std::array kCommands = {
    Declare({.name = "XGROUP",
             .arity = -2,
             .group = "stream",
             .since = "5.0.0",
             .summary = "Consumer groups of a stream.",
             .complexity = "Depends on the subcommand.",
             .subcommands = kGroupSubcommands}),
    Declare({.name = "XREADGROUP",
             .arity = -7,
             .flags = kWrite | kBlocking,
             .keys = {kStreamsKeys},
             .log = LogPolicy::kRewritten,
             .group = "stream",
             .since = "5.0.0",
             .summary = "Gives a consumer of a group entries of several streams; may wait.",
             .complexity = "O(m log n) for m entries given and n pending",
             .syntax = "GROUP group consumer [COUNT count:integer] [BLOCK milliseconds:integer] "
                       "[NOACK] STREAMS key:key... id...",
             .handler = &XReadGroup}),
    Declare({.name = "XACK",
             .arity = -4,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .group = "stream",
             .since = "5.0.0",
             .summary = "Acknowledges entries: they are pending no more.",
             .complexity = "O(log n) per id",
             .syntax = "key:key group id...",
             .handler = &XAck}),
};

}  // namespace

std::span<const CommandSpec> StreamGroupCommands() { return kCommands; }

}  // namespace rung

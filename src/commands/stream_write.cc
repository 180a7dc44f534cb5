// Adding to streams and removing from them: XADD XDEL XTRIM XSETID.

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
#include "rung/commands/catalog.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

StreamBlockLimit BlockLimit(const ExecContext& ctx) {
  const Options& options = ctx.broker.options();
  return {.bytes_max = static_cast<std::size_t>(options.stream_node_max_bytes),
          .entries_max = static_cast<std::size_t>(options.stream_node_max_entries)};
}

// Takes MAXLEN or MINID with what belongs to it, if one is next.
void TakeTrim(const ExecContext& ctx, ArgReader& args, std::optional<StreamTrim>& trim) {
  if (trim) {
    return args.Fail(
        "ERR syntax error, MAXLEN and MINID options at the same time are not compatible");
  }
  trim.emplace();
  trim->by = args.Take("MAXLEN") ? StreamTrim::By::kLength : StreamTrim::By::kMinId;
  if (trim->by == StreamTrim::By::kMinId) args.Bytes();
  trim->approximate = args.TakeWithValue("~");
  if (!trim->approximate) args.TakeWithValue("=");
  if (trim->by == StreamTrim::By::kLength) {
    trim->length_max = static_cast<std::uint64_t>(
        args.IntegerIn(0, kInt64Max, "ERR The MAXLEN argument must be >= 0."));
  } else {
    trim->min_id = TakeStreamId(args, 0);
  }
  // Unless told otherwise, an approximate trim is bounded work.
  const auto per_block = static_cast<std::uint64_t>(ctx.broker.options().stream_node_max_entries);
  if (trim->approximate) trim->limit = 100 * (per_block == 0 ? 100 : per_block);
}

void TakeLimit(ArgReader& args, const std::optional<StreamTrim>& trim, bool& limited,
               std::uint64_t& limit) {
  limited = true;
  limit = static_cast<std::uint64_t>(
      args.IntegerIn(0, kInt64Max, "ERR The LIMIT argument must be >= 0."));
  if (args.ok() && (!trim || !trim->approximate)) {
    args.Fail("ERR syntax error, LIMIT cannot be used without the special ~ option");
  }
}

struct AddRequest {
  std::optional<StreamTrim> trim;
  bool only_existing = false;  // NOMKSTREAM
};

void ReadAddOptions(const ExecContext& ctx, ArgReader& args, AddRequest& add) {
  bool limited = false;
  std::uint64_t limit = 0;
  while (args.left() > 1 && args.ok()) {
    if (args.Take("NOMKSTREAM")) {
      add.only_existing = true;
    } else if (EqualsIgnoreCase(args.Peek(), "MAXLEN") || EqualsIgnoreCase(args.Peek(), "MINID")) {
      TakeTrim(ctx, args, add.trim);
    } else if (args.TakeWithValue("LIMIT")) {
      TakeLimit(args, add.trim, limited, limit);
    } else {
      break;  // The id.
    }
  }
  if (limited && add.trim) add.trim->limit = limit;
}

// The id of a new entry as it was asked for.
struct WantedId {
  bool automatic = false;      // "*"
  bool automatic_seq = false;  // "ms-*"
  StreamId id;
};

WantedId TakeWantedId(ArgReader& args) {
  WantedId wanted;
  const std::string_view text = args.Bytes();
  if (text == "*") {
    wanted.automatic = true;
    return wanted;
  }
  const bool open_seq = text.size() > 2 && text.substr(text.size() - 2) == "-*";
  wanted.automatic_seq = open_seq;
  const auto id = StreamId::Parse(open_seq ? text.substr(0, text.size() - 2) : text, 0);
  if (!id || (open_seq && text.find('-') != text.size() - 2)) {
    args.Fail(kBadStreamId);
    return wanted;
  }
  wanted.id = *id;
  if (!open_seq && id->IsZero()) {
    args.Fail("ERR The ID specified in XADD must be greater than 0-0");
  }
  return wanted;
}

Result<StreamId> ResolveId(const ExecContext& ctx, const Stream& stream, const WantedId& wanted) {
  constexpr std::string_view kTooSmall =
      "ERR The ID specified in XADD is equal or smaller than the target stream top item";
  if (stream.last_id() == StreamId::Max()) {
    return Error("ERR The stream has exhausted the last possible ID, unable to add more items");
  }
  if (wanted.automatic) return *stream.NextId(ctx.now.wall_ms());
  if (wanted.automatic_seq) {
    const std::optional<StreamId> id = stream.NextIdAt(wanted.id.ms);
    if (!id) return Error(kTooSmall);
    return *id;
  }
  if (wanted.id <= stream.last_id()) return Error(kTooSmall);
  return wanted.id;
}

// Trims and returns whether something went.
bool ApplyTrim(Stream& stream, const std::optional<StreamTrim>& trim) {
  return trim && stream.Trim(*trim) > 0;
}

// The record of an addition: its id fixed, and its trim by the length that was left.
void LogAdd(ExecContext& ctx, std::string_view key, StreamId id, bool trimmed, std::size_t length,
            std::span<const std::string_view> fields) {
  if (!ctx.broker.effects.enabled()) return;
  NumberBuffer number;
  const std::string id_text = id.ToString();
  std::vector<std::string_view> record = {"XADD", key};
  if (trimmed) {
    record.insert(record.end(), {"MAXLEN", "=", FormatUint64(length, number)});
  }
  record.push_back(id_text);
  record.insert(record.end(), fields.begin(), fields.end());
  ctx.Log(record);
}

Outcome XAdd(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  AddRequest add;
  ReadAddOptions(ctx, args, add);
  const WantedId wanted = TakeWantedId(args);
  const std::span<const std::string_view> words = args.Rest();
  if (args.ok() && (words.size() < 2 || words.size() % 2 != 0)) {
    return ctx.Fail("ERR wrong number of arguments for 'xadd' command");
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  if (add.only_existing && !ctx.db.Find(key)) {
    ctx.reply.Null();
    return Outcome::kReplied;
  }
  Result<Edit<Stream>> stream = ctx.db.EditOrCreate<Stream>(key);
  if (!stream.ok()) return ctx.Fail(stream.error());
  const Result<StreamId> id = ResolveId(ctx, **stream, wanted);
  if (!id.ok()) return ctx.Fail(id.error());
  std::vector<StreamField> fields;
  for (std::size_t i = 0; i < words.size(); i += 2) fields.emplace_back(words[i], words[i + 1]);
  (*stream)->Append(*id, fields, BlockLimit(ctx));
  stream->MarkChanged("xadd");
  const bool trimmed = ApplyTrim(**stream, add.trim);
  if (trimmed) stream->AddEvent("xtrim");
  LogAdd(ctx, key, *id, trimmed, (*stream)->entry_count(), words);
  ReplyId(ctx.reply, *id);
  return Outcome::kReplied;
}

Outcome XDel(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  std::vector<StreamId> ids;
  while (args.More()) ids.push_back(TakeStreamId(args, 0));
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Result<Edit<Stream>> stream = ctx.db.EditExisting<Stream>(key);
  if (!stream.ok()) return ctx.Fail(stream.error());
  std::int64_t deleted = 0;
  if (*stream) {
    for (const StreamId id : ids) deleted += (*stream)->Delete(id) ? 1 : 0;
    if (deleted > 0) stream->MarkChanged("xdel");
  }
  ctx.reply.Integer(deleted);
  return Outcome::kReplied;
}

Outcome XTrim(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  std::optional<StreamTrim> trim;
  bool limited = false;
  std::uint64_t limit = 0;
  while (args.More()) {
    if (EqualsIgnoreCase(args.Peek(), "MAXLEN") || EqualsIgnoreCase(args.Peek(), "MINID")) {
      TakeTrim(ctx, args, trim);
    } else if (args.TakeWithValue("LIMIT")) {
      TakeLimit(args, trim, limited, limit);
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  if (!trim) args.Fail(errors::kSyntax);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  if (limited) trim->limit = limit;
  Result<Edit<Stream>> stream = ctx.db.EditExisting<Stream>(key);
  if (!stream.ok()) return ctx.Fail(stream.error());
  const std::uint64_t removed = *stream ? (*stream)->Trim(*trim) : 0;
  if (removed > 0) {
    NumberBuffer number;
    stream->MarkChanged("xtrim");
    ctx.Log({"XTRIM", key, "MAXLEN", "=", FormatUint64((*stream)->entry_count(), number)});
  }
  ctx.reply.Integer(static_cast<std::int64_t>(removed));
  return Outcome::kReplied;
}

struct SetIdRequest {
  StreamId id;
  std::optional<std::uint64_t> entries_added;
  std::optional<StreamId> max_deleted_id;
};

SetIdRequest ReadSetId(ArgReader& args) {
  SetIdRequest request;
  request.id = TakeStreamId(args, 0);
  while (args.More()) {
    if (args.TakeWithValue("ENTRIESADDED")) {
      request.entries_added = static_cast<std::uint64_t>(
          args.IntegerIn(0, kInt64Max, "ERR entries_added must be positive"));
    } else if (args.TakeWithValue("MAXDELETEDID")) {
      request.max_deleted_id = TakeStreamId(args, 0);
      if (args.ok() && request.id < *request.max_deleted_id) {
        args.Fail(
            "ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id");
      }
    } else {
      args.Fail(errors::kSyntax);
    }
  }
  return request;
}

// The id of the last entry that is there; 0-0 without entries.
StreamId TopId(const Stream& stream) {
  StreamId top;
  stream.ForEach(StreamId::Min(), StreamId::Max(), Stream::Order::kBackward,
                 [&](const StreamEntry& entry) {
                   top = entry.id;
                   return false;
                 });
  return top;
}

Outcome XSetId(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const SetIdRequest request = ReadSetId(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  Result<Edit<Stream>> stream = ctx.db.EditExisting<Stream>(key);
  if (!stream.ok()) return ctx.Fail(stream.error());
  if (!*stream) return ctx.Fail(errors::kNoSuchKey);
  const Stream& value = **stream;
  if (request.id < value.max_deleted_id()) {
    return ctx.Fail("ERR The ID specified in XSETID is smaller than current max_deleted_entry_id");
  }
  if (value.entry_count() > 0) {
    if (request.id < TopId(value)) {
      return ctx.Fail("ERR The ID specified in XSETID is smaller than the target stream top item");
    }
    if (request.entries_added && *request.entries_added < value.entry_count()) {
      return ctx.Fail(
          "ERR The entries_added specified in XSETID is smaller than the target stream length");
    }
  }
  (*stream)->SetLastId(request.id, request.entries_added, request.max_deleted_id);
  stream->MarkChanged("xsetid");
  ctx.reply.Ok();
  return Outcome::kReplied;
}

constexpr std::array kCommands = {
    Declare({.name = "XADD",
             .arity = -5,
             .flags = kWrite | kDenyOom | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyUpdate)},
             .log = LogPolicy::kRewritten,
             .tips = "nondeterministic_output",
             .group = "stream",
             .since = "5.0.0",
             .summary = "Adds an entry to a stream; creates it if it does not exist.",
             .complexity = "O(1), and O(n) for n entries trimmed",
             .syntax = "key:key [NOMKSTREAM] [(MAXLEN | MINID) [= | ~] threshold [LIMIT "
                       "count:integer]] (* | id) (field value)...",
             .handler = &XAdd}),
    Declare({.name = "XDEL",
             .arity = -3,
             .flags = kWrite | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyDelete)},
             .log = LogPolicy::kVerbatim,
             .group = "stream",
             .since = "5.0.0",
             .summary = "Removes entries from a stream.",
             .complexity = "O(log n) per id",
             .syntax = "key:key id...",
             .handler = &XDel}),
    Declare({.name = "XTRIM",
             .arity = -4,
             .flags = kWrite,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyDelete)},
             .log = LogPolicy::kRewritten,
             .tips = "nondeterministic_output",
             .group = "stream",
             .since = "5.0.0",
             .summary = "Removes the oldest entries of a stream.",
             .complexity = "O(n) for n blocks removed",
             .syntax = "key:key (MAXLEN | MINID) [= | ~] threshold [LIMIT count:integer]",
             .handler = &XTrim}),
    Declare({.name = "XSETID",
             .arity = -3,
             .flags = kWrite | kDenyOom | kFast,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .group = "stream",
             .since = "5.0.0",
             .summary = "Sets the last id of a stream. For replication.",
             .complexity = "O(1)",
             .syntax = "key:key last-id [ENTRIESADDED entries-added:integer] "
                       "[MAXDELETEDID max-deleted-id]",
             .handler = &XSetId}),
};

}  // namespace

std::span<const CommandSpec> StreamWriteCommands() { return kCommands; }

}  // namespace rung

// Ids, bounds and entries of stream commands. See stream.h.

#include "commands/stream.h"

#include <vector>

#include "rung/base/numbers.h"

namespace rung {
namespace {

constexpr std::uint64_t kSeqMax = std::numeric_limits<std::uint64_t>::max();

}  // namespace

StreamId TakeStreamId(ArgReader& args, std::uint64_t missing_seq) {
  const std::optional<StreamId> id = StreamId::Parse(args.Bytes(), missing_seq);
  if (!id) args.Fail(kBadStreamId);
  return id.value_or(StreamId{});
}

StreamId TakeStreamBound(ArgReader& args, std::uint64_t missing_seq) {
  if (args.Take("-")) return StreamId::Min();
  if (args.Take("+")) return StreamId::Max();
  return TakeStreamId(args, missing_seq);
}

namespace {

// "(id": the neighbour of the id; an id without one is refused.
std::optional<StreamId> TakeOpenBound(ArgReader& args, bool first) {
  if (args.Peek().empty() || args.Peek()[0] != '(') return std::nullopt;
  const std::string_view text = args.Bytes().substr(1);
  const std::optional<StreamId> id = StreamId::Parse(text, first ? 0 : kSeqMax);
  if (!id) {
    args.Fail(kBadStreamId);
    return StreamId{};
  }
  const std::optional<StreamId> neighbour = first ? id->Next() : id->Previous();
  if (!neighbour) {
    args.Fail(first ? "ERR invalid start ID for the interval"
                    : "ERR invalid end ID for the interval");
  }
  return neighbour.value_or(StreamId{});
}

}  // namespace

StreamId TakeFirstBound(ArgReader& args) {
  if (const auto open = TakeOpenBound(args, true)) return *open;
  return TakeStreamBound(args, 0);
}

StreamId TakeLastBound(ArgReader& args) {
  if (const auto open = TakeOpenBound(args, false)) return *open;
  return TakeStreamBound(args, kSeqMax);
}

void ReplyId(ReplyWriter& reply, StreamId id) { reply.Bulk(id.ToString()); }

void ReplyEntry(ReplyWriter& reply, const StreamEntry& entry) {
  reply.Array(2);
  ReplyId(reply, entry.id);
  reply.Array(2 * entry.fields.size());
  for (const StreamField& field : entry.fields) {
    reply.Bulk(field.first);
    reply.Bulk(field.second);
  }
}

std::optional<StreamId> ReplyRange(ReplyWriter& reply, const Stream& stream, StreamRange range,
                                   Stream::Order order, std::size_t count) {
  // Counted first, as an array's length comes before its elements.
  std::size_t matching = 0;
  stream.ForEach(range.first, range.last, order, [&](const StreamEntry&) {
    ++matching;
    return matching != count;
  });
  reply.Array(matching);
  std::optional<StreamId> last;
  stream.ForEach(range.first, range.last, order, [&](const StreamEntry& entry) {
    if (matching == 0) return false;
    ReplyEntry(reply, entry);
    last = entry.id;
    return --matching > 0;
  });
  return last;
}

std::string NoGroup(std::string_view key, std::string_view group, std::string_view where) {
  return "NOGROUP No such key '" + std::string(key) + "' or consumer group '" + std::string(group) +
         "'" + std::string(where);
}

void RefuseBlockInScript(const ExecContext& ctx, ArgReader& args) {
  if (ctx.origin != Origin::kScript) return;
  args.Fail("ERR " + std::string(ctx.args[0]) +
            " command is not allowed with BLOCK option from scripts");
}

void LogGroupPosition(ExecContext& ctx, std::string_view key, std::string_view group_name,
                      const StreamGroup& group) {
  NumberBuffer number;
  const std::string_view read =
      group.entries_read ? FormatUint64(*group.entries_read, number) : std::string_view("-1");
  const std::string id = group.last_delivered_id.ToString();
  ctx.Log({"XGROUP", "SETID", key, group_name, id, "ENTRIESREAD", read});
}

void LogClaim(ExecContext& ctx, std::string_view key, std::string_view group_name, StreamId id,
              const PendingEntry& entry) {
  NumberBuffer time;
  NumberBuffer count;
  const std::string id_text = id.ToString();
  ctx.Log({"XCLAIM", key, group_name, entry.consumer->name, "0", id_text, "TIME",
           FormatInt64(entry.delivered_ms, time), "RETRYCOUNT",
           FormatUint64(entry.delivery_count, count), "FORCE", "JUSTID"});
}

}  // namespace rung

// What the stream commands share: reading ids, and replying entries.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/stream.h"

namespace rung {

inline constexpr std::string_view kBadStreamId =
    "ERR Invalid stream ID specified as stream command argument";

// Takes "ms-seq" or "ms" (then with `missing_seq`); fails `args` otherwise.
StreamId TakeStreamId(ArgReader& args, std::uint64_t missing_seq);
// The same, and "-" and "+" for the least and the greatest id.
StreamId TakeStreamBound(ArgReader& args, std::uint64_t missing_seq);

// The bounds of XRANGE, XPENDING and their kin: also "(id" for an open bound.
struct StreamRange {
  StreamId first;
  StreamId last;
};
StreamId TakeFirstBound(ArgReader& args);
StreamId TakeLastBound(ArgReader& args);

// [id, [name, value, ...]]
void ReplyEntry(ReplyWriter& reply, const StreamEntry& entry);
void ReplyId(ReplyWriter& reply, StreamId id);

// Replies up to `count` entries (0: all) as an array; returns the last one's id.
std::optional<StreamId> ReplyRange(ReplyWriter& reply, const Stream& stream, StreamRange range,
                                   Stream::Order order, std::size_t count);

// "NOGROUP No such key 'k' or consumer group 'g'", and what follows it.
std::string NoGroup(std::string_view key, std::string_view group, std::string_view where = "");

// A script that asks to wait makes a mistake: the error is remembered.
void RefuseBlockInScript(const ExecContext& ctx, ArgReader& args);

// One record that brings the group's position over: XGROUP SETID.
void LogGroupPosition(ExecContext& ctx, std::string_view key, std::string_view group_name,
                      const StreamGroup& group);
// One record that brings a pending entry over: XCLAIM ... FORCE JUSTID.
void LogClaim(ExecContext& ctx, std::string_view key, std::string_view group_name, StreamId id,
              const PendingEntry& entry);

}  // namespace rung

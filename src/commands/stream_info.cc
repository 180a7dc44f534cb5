// What streams, groups and consumers say of themselves: XINFO.

#include <algorithm>
#include <array>
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

void ReplyCount(ExecContext& ctx, std::string_view name, std::uint64_t value) {
  ctx.reply.Bulk(name);
  ctx.reply.Integer(static_cast<std::int64_t>(value));
}

void ReplyCount(ExecContext& ctx, std::string_view name, std::optional<std::uint64_t> value) {
  if (value) return ReplyCount(ctx, name, *value);
  ctx.reply.Bulk(name);
  ctx.reply.Null();
}

void ReplyNamedId(ExecContext& ctx, std::string_view name, StreamId id) {
  ctx.reply.Bulk(name);
  ReplyId(ctx.reply, id);
}

// The first or last entry under this name, or null.
void ReplyEndEntry(ExecContext& ctx, std::string_view name, const Stream& stream,
                   Stream::Order order) {
  ctx.reply.Bulk(name);
  if (stream.entry_count() == 0) return ctx.reply.Null();
  stream.ForEach(StreamId::Min(), StreamId::Max(), order, [&](const StreamEntry& entry) {
    ReplyEntry(ctx.reply, entry);
    return false;
  });
}

// The stream of a request, or null with the error replied.
const Stream* FindStream(ExecContext& ctx, std::string_view key) {
  const Result<const Stream*> stream = ctx.db.Read<Stream>(key);
  if (!stream.ok()) {
    ctx.Fail(stream.error());
    return nullptr;
  }
  if (*stream == nullptr) ctx.Fail(errors::kNoSuchKey);
  return *stream;
}

// --- XINFO STREAM. ---

// Fields that both forms of XINFO STREAM begin with: seven pairs.
void ReplyStreamFacts(ExecContext& ctx, const Stream& stream) {
  ReplyCount(ctx, "length", stream.entry_count());
  ReplyCount(ctx, "radix-tree-keys", stream.block_count());
  ReplyCount(ctx, "radix-tree-nodes", stream.block_count() + 1);
  ReplyNamedId(ctx, "last-generated-id", stream.last_id());
  ReplyNamedId(ctx, "max-deleted-entry-id", stream.max_deleted_id());
  ReplyCount(ctx, "entries-added", stream.entries_added());
  ReplyNamedId(ctx, "recorded-first-entry-id", stream.first_id());
}

void ReplyActiveTime(ExecContext& ctx, const StreamConsumer& consumer) {
  ctx.reply.Bulk("seen-time");
  ctx.reply.Integer(consumer.seen_ms);
  ctx.reply.Bulk("active-time");
  ctx.reply.Integer(consumer.active_ms.value_or(-1));
}

void ReplyFullConsumer(ExecContext& ctx, const StreamGroup& group, const StreamConsumer& consumer,
                       std::size_t count) {
  ctx.reply.Map(5);
  ctx.reply.Bulk("name");
  ctx.reply.Bulk(consumer.name);
  ReplyActiveTime(ctx, consumer);
  ReplyCount(ctx, "pel-count", consumer.pending.size());
  const std::size_t shown =
      count == 0 ? consumer.pending.size() : std::min(count, consumer.pending.size());
  ctx.reply.Bulk("pending");
  ctx.reply.Array(shown);
  auto id = consumer.pending.begin();
  for (std::size_t i = 0; i < shown; ++i, ++id) {
    const PendingEntry& entry = *group.FindPending(*id);
    ctx.reply.Array(3);
    ReplyId(ctx.reply, *id);
    ctx.reply.Integer(entry.delivered_ms);
    ctx.reply.Integer(static_cast<std::int64_t>(entry.delivery_count));
  }
}

void ReplyFullGroup(ExecContext& ctx, const Stream& stream, std::string_view name,
                    const StreamGroup& group, std::size_t count) {
  ctx.reply.Map(7);
  ctx.reply.Bulk("name");
  ctx.reply.Bulk(name);
  ReplyNamedId(ctx, "last-delivered-id", group.last_delivered_id);
  ReplyCount(ctx, "entries-read", group.entries_read);
  ReplyCount(ctx, "lag", stream.Lag(group));
  ReplyCount(ctx, "pel-count", group.pending().size());
  const std::size_t shown =
      count == 0 ? group.pending().size() : std::min(count, group.pending().size());
  ctx.reply.Bulk("pending");
  ctx.reply.Array(shown);
  auto entry = group.pending().begin();
  for (std::size_t i = 0; i < shown; ++i, ++entry) {
    ctx.reply.Array(4);
    ReplyId(ctx.reply, entry->id);
    ctx.reply.Bulk(entry->consumer->name);
    ctx.reply.Integer(entry->delivered_ms);
    ctx.reply.Integer(static_cast<std::int64_t>(entry->delivery_count));
  }
  ctx.reply.Bulk("consumers");
  ctx.reply.Array(group.consumers().size());
  for (const auto& [consumer_name, consumer] : group.consumers()) {
    ReplyFullConsumer(ctx, group, *consumer, count);
  }
}

void ReplyFull(ExecContext& ctx, const Stream& stream, std::size_t count) {
  ctx.reply.Map(9);
  ReplyStreamFacts(ctx, stream);
  ctx.reply.Bulk("entries");
  ReplyRange(ctx.reply, stream, {.first = StreamId::Min(), .last = StreamId::Max()},
             Stream::Order::kForward, count);
  ctx.reply.Bulk("groups");
  ctx.reply.Array(stream.groups().size());
  for (const auto& [name, group] : stream.groups()) {
    ReplyFullGroup(ctx, stream, name, *group, count);
  }
}

Outcome XInfoStream(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const bool full = args.Take("FULL");
  std::int64_t count = 10;
  if (full && args.TakeWithValue("COUNT")) {
    count = args.Integer();
    if (count < 0) count = 10;
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Stream* stream = FindStream(ctx, key);
  if (stream == nullptr) return Outcome::kFailed;
  if (full) {
    ReplyFull(ctx, *stream, static_cast<std::size_t>(count));
    return Outcome::kReplied;
  }
  ctx.reply.Map(10);
  ReplyStreamFacts(ctx, *stream);
  ReplyCount(ctx, "groups", stream->groups().size());
  ReplyEndEntry(ctx, "first-entry", *stream, Stream::Order::kForward);
  ReplyEndEntry(ctx, "last-entry", *stream, Stream::Order::kBackward);
  return Outcome::kReplied;
}

// --- XINFO GROUPS and CONSUMERS. ---

Outcome XInfoGroups(ExecContext& ctx, ArgReader& args) {
  const Stream* stream = FindStream(ctx, args.Bytes());
  if (stream == nullptr) return Outcome::kFailed;
  ctx.reply.Array(stream->groups().size());
  for (const auto& [name, group] : stream->groups()) {
    ctx.reply.Map(6);
    ctx.reply.Bulk("name");
    ctx.reply.Bulk(name);
    ReplyCount(ctx, "consumers", group->consumers().size());
    ReplyCount(ctx, "pending", group->pending().size());
    ReplyNamedId(ctx, "last-delivered-id", group->last_delivered_id);
    ReplyCount(ctx, "entries-read", group->entries_read);
    ReplyCount(ctx, "lag", stream->Lag(*group));
  }
  return Outcome::kReplied;
}

Outcome XInfoConsumers(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view name = args.Bytes();
  const Stream* stream = FindStream(ctx, key);
  if (stream == nullptr) return Outcome::kFailed;
  const StreamGroup* group = stream->FindGroup(name);
  if (group == nullptr) {
    return ctx.Fail("NOGROUP No such consumer group '" + std::string(name) + "' for key name '" +
                    std::string(key) + "'");
  }
  const std::int64_t now = ctx.now.wall_ms();
  ctx.reply.Array(group->consumers().size());
  for (const auto& [consumer_name, consumer] : group->consumers()) {
    ctx.reply.Map(4);
    ctx.reply.Bulk("name");
    ctx.reply.Bulk(consumer_name);
    ReplyCount(ctx, "pending", consumer->pending.size());
    ctx.reply.Bulk("idle");
    ctx.reply.Integer(std::max<std::int64_t>(0, now - consumer->seen_ms));
    ctx.reply.Bulk("inactive");
    ctx.reply.Integer(consumer->active_ms ? std::max<std::int64_t>(0, now - *consumer->active_ms)
                                          : -1);
  }
  return Outcome::kReplied;
}

constexpr std::array kInfoSubcommands = {
    Declare({.name = "STREAM",
             .arity = -3,
             .flags = kReadOnly,
             .keys = {KeyAt(2, kKeyRead | kKeyAccess)},
             .group = "stream",
             .since = "5.0.0",
             .summary = "Returns facts about a stream.",
             .complexity = "O(1), with FULL O(n) for what is shown",
             .syntax = "key:key [FULL [COUNT count:integer]]",
             .handler = &XInfoStream}),
    Declare({.name = "GROUPS",
             .arity = 3,
             .flags = kReadOnly,
             .keys = {KeyAt(2, kKeyRead | kKeyAccess)},
             .group = "stream",
             .since = "5.0.0",
             .summary = "Returns the consumer groups of a stream.",
             .complexity = "O(g) for g groups",
             .syntax = "key:key",
             .handler = &XInfoGroups}),
    Declare({.name = "CONSUMERS",
             .arity = 4,
             .flags = kReadOnly,
             .keys = {KeyAt(2, kKeyRead | kKeyAccess)},
             .tips = "nondeterministic_output",
             .group = "stream",
             .since = "5.0.0",
             .summary = "Returns the consumers of a group.",
             .complexity = "O(c) for c consumers",
             .syntax = "key:key group",
             .handler = &XInfoConsumers}),
    HelpSubcommand("stream", "5.0.0"),
};

constexpr std::array kCommands = {
    Declare({.name = "XINFO",
             .arity = -2,
             .group = "stream",
             .since = "5.0.0",
             .summary = "What a stream and its groups say of themselves.",
             .complexity = "Depends on the subcommand.",
             .subcommands = kInfoSubcommands}),
};

}  // namespace

std::span<const CommandSpec> StreamInfoCommands() { return kCommands; }

}  // namespace rung

// SUBSCRIBE and its kin, PUBLISH, PUBSUB.
//
// Subscribing answers once per channel, with pushes. Shard channels are a name space of their own;
// with one node that is all that tells them from the others.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/families.h"
#include "commands/help.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/catalog.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

// Channels and patterns are counted together, shard channels apart.
std::size_t CountOfKind(const Session& session, TopicKind kind) {
  if (kind == TopicKind::kShardChannel) return session.subscription_count(kind);
  return session.subscription_count(TopicKind::kChannel) +
         session.subscription_count(TopicKind::kPattern);
}

// What the connection has now, after one step. Without a name: there was nothing to leave.
void PushStep(ExecContext& ctx, std::string_view step, std::optional<std::string_view> name,
              TopicKind kind) {
  ctx.reply.Push(3);
  ctx.reply.Bulk(step);
  if (name) {
    ctx.reply.Bulk(*name);
  } else {
    ctx.reply.Null();
  }
  ctx.reply.Integer(static_cast<std::int64_t>(CountOfKind(ctx.session, kind)));
}

Outcome SubscribeTo(ExecContext& ctx, ArgReader& args, TopicKind kind, std::string_view step) {
  for (const std::string_view name : args.Rest()) {
    ctx.broker.pub_sub.Subscribe(ctx.session, kind, name);
    PushStep(ctx, step, name, kind);
  }
  return Outcome::kReplied;
}

Outcome LeaveAll(ExecContext& ctx, TopicKind kind, std::string_view step) {
  if (ctx.session.subscription_count(kind) == 0) PushStep(ctx, step, std::nullopt, kind);
  while (ctx.session.subscription_count(kind) != 0) {
    const std::string name(ctx.session.subscriptions->of(kind).begin()->first);
    ctx.broker.pub_sub.Unsubscribe(ctx.session, kind, name);
    PushStep(ctx, step, name, kind);
  }
  return Outcome::kReplied;
}

Outcome Leave(ExecContext& ctx, ArgReader& args, TopicKind kind, std::string_view step) {
  if (!args.More()) return LeaveAll(ctx, kind, step);
  for (const std::string_view name : args.Rest()) {
    ctx.broker.pub_sub.Unsubscribe(ctx.session, kind, name);
    PushStep(ctx, step, name, kind);
  }
  return Outcome::kReplied;
}

Outcome Subscribe(ExecContext& ctx, ArgReader& args) {
  return SubscribeTo(ctx, args, TopicKind::kChannel, "subscribe");
}

Outcome PSubscribe(ExecContext& ctx, ArgReader& args) {
  return SubscribeTo(ctx, args, TopicKind::kPattern, "psubscribe");
}

// Unlike its kin it is refused in a transaction, whose reply has one element per command.
Outcome SSubscribe(ExecContext& ctx, ArgReader& args) {
  if (ctx.origin == Origin::kTransaction) {
    return ctx.Fail("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client");
  }
  return SubscribeTo(ctx, args, TopicKind::kShardChannel, "ssubscribe");
}

Outcome Unsubscribe(ExecContext& ctx, ArgReader& args) {
  return Leave(ctx, args, TopicKind::kChannel, "unsubscribe");
}

Outcome PUnsubscribe(ExecContext& ctx, ArgReader& args) {
  return Leave(ctx, args, TopicKind::kPattern, "punsubscribe");
}

Outcome SUnsubscribe(ExecContext& ctx, ArgReader& args) {
  return Leave(ctx, args, TopicKind::kShardChannel, "sunsubscribe");
}

Outcome PublishTo(ExecContext& ctx, ArgReader& args, TopicKind kind) {
  const std::string_view channel = args.Bytes();
  ctx.reply.Integer(ctx.dispatcher.Publish(kind, channel, args.Bytes()));
  return Outcome::kReplied;
}

Outcome Publish(ExecContext& ctx, ArgReader& args) {
  return PublishTo(ctx, args, TopicKind::kChannel);
}

Outcome SPublish(ExecContext& ctx, ArgReader& args) {
  return PublishTo(ctx, args, TopicKind::kShardChannel);
}

Outcome ListTopics(ExecContext& ctx, ArgReader& args, TopicKind kind) {
  if (args.left() > 1) {
    return ctx.Fail("ERR unknown subcommand or wrong number of arguments for '" +
                    std::string(ctx.args[1]) + "'. Try PUBSUB HELP.");
  }
  std::optional<std::string_view> pattern;
  if (args.More()) pattern = args.Bytes();
  const std::vector<std::string_view> names = ctx.broker.pub_sub.Names(kind, pattern);
  ctx.reply.Array(names.size());
  for (const std::string_view name : names) ctx.reply.Bulk(name);
  return Outcome::kReplied;
}

Outcome CountSubscribers(ExecContext& ctx, ArgReader& args, TopicKind kind) {
  ctx.reply.Array(2 * args.left());
  for (const std::string_view name : args.Rest()) {
    ctx.reply.Bulk(name);
    ctx.reply.Integer(
        static_cast<std::int64_t>(ctx.broker.pub_sub.SubscribersOf(kind, name).size()));
  }
  return Outcome::kReplied;
}

Outcome Channels(ExecContext& ctx, ArgReader& args) {
  return ListTopics(ctx, args, TopicKind::kChannel);
}

Outcome ShardChannels(ExecContext& ctx, ArgReader& args) {
  return ListTopics(ctx, args, TopicKind::kShardChannel);
}

Outcome NumSub(ExecContext& ctx, ArgReader& args) {
  return CountSubscribers(ctx, args, TopicKind::kChannel);
}

Outcome ShardNumSub(ExecContext& ctx, ArgReader& args) {
  return CountSubscribers(ctx, args, TopicKind::kShardChannel);
}

Outcome NumPat(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Integer(static_cast<std::int64_t>(ctx.broker.pub_sub.topic_count(TopicKind::kPattern)));
  return Outcome::kReplied;
}

constexpr std::uint32_t kListening =
    kPubSub | kNoScript | kLoading | kStale | kInPubSub | kAnswersByPush;
constexpr std::uint32_t kSending = kPubSub | kLoading | kStale | kFast | kMayReplicate;
constexpr std::uint32_t kLooking = kPubSub | kLoading | kStale;

constexpr std::array kPubSubSubcommands = {
    Declare({.name = "CHANNELS",
             .arity = -2,
             .flags = kLooking,
             .group = "pubsub",
             .since = "2.8.0",
             .summary = "Lists the channels that somebody listens to.",
             .complexity = "O(n log n) for n channels",
             .syntax = "[pattern:pattern]",
             .handler = &Channels}),
    HelpSubcommand("pubsub", "6.2.0"),
    Declare({.name = "NUMPAT",
             .arity = 2,
             .flags = kLooking,
             .group = "pubsub",
             .since = "2.8.0",
             .summary = "Counts the patterns that somebody listens to.",
             .complexity = "O(1)",
             .handler = &NumPat}),
    Declare({.name = "NUMSUB",
             .arity = -2,
             .flags = kLooking,
             .group = "pubsub",
             .since = "2.8.0",
             .summary = "Counts who listens to each of these channels, patterns left out.",
             .complexity = "O(1) per channel",
             .syntax = "[channel...]",
             .handler = &NumSub}),
    Declare({.name = "SHARDCHANNELS",
             .arity = -2,
             .flags = kLooking,
             .group = "pubsub",
             .since = "7.0.0",
             .summary = "Lists the shard channels that somebody listens to.",
             .complexity = "O(n log n) for n shard channels",
             .syntax = "[pattern:pattern]",
             .handler = &ShardChannels}),
    Declare({.name = "SHARDNUMSUB",
             .arity = -2,
             .flags = kLooking,
             .group = "pubsub",
             .since = "7.0.0",
             .summary = "Counts who listens to each of these shard channels.",
             .complexity = "O(1) per shard channel",
             .syntax = "[shardchannel...]",
             .handler = &ShardNumSub}),
};

constexpr std::array kCommands = {
    Declare({.name = "SUBSCRIBE",
             .arity = -2,
             .flags = kListening,
             .group = "pubsub",
             .since = "2.0.0",
             .summary = "Listens to channels.",
             .complexity = "O(log n) per channel, for n subscriptions of the connection",
             .syntax = "channel...",
             .handler = &Subscribe}),
    Declare({.name = "PSUBSCRIBE",
             .arity = -2,
             .flags = kListening,
             .group = "pubsub",
             .since = "2.0.0",
             .summary = "Listens to all channels that match a pattern.",
             .complexity = "O(log n) per pattern, for n subscriptions of the connection",
             .syntax = "pattern:pattern...",
             .handler = &PSubscribe}),
    Declare({.name = "SSUBSCRIBE",
             .arity = -2,
             .flags = kListening,
             .keys = {KeysFrom(1, -1, 1, kKeyNotKey)},
             .group = "pubsub",
             .since = "7.0.0",
             .summary = "Listens to shard channels.",
             .complexity = "O(log n) per shard channel, for n subscriptions of the connection",
             .syntax = "shardchannel...",
             .handler = &SSubscribe}),
    Declare({.name = "UNSUBSCRIBE",
             .arity = -1,
             .flags = kListening,
             .group = "pubsub",
             .since = "2.0.0",
             .summary = "Stops listening to channels: to these, or to all.",
             .complexity = "O(log n) per channel, for n subscriptions of the connection",
             .syntax = "[channel...]",
             .handler = &Unsubscribe}),
    Declare({.name = "PUNSUBSCRIBE",
             .arity = -1,
             .flags = kListening,
             .group = "pubsub",
             .since = "2.0.0",
             .summary = "Stops listening to patterns: to these, or to all.",
             .complexity = "O(log n) per pattern, for n subscriptions of the connection",
             .syntax = "[pattern:pattern...]",
             .handler = &PUnsubscribe}),
    Declare({.name = "SUNSUBSCRIBE",
             .arity = -1,
             .flags = kListening,
             .keys = {KeysFrom(1, -1, 1, kKeyNotKey)},
             .group = "pubsub",
             .since = "7.0.0",
             .summary = "Stops listening to shard channels: to these, or to all.",
             .complexity = "O(log n) per shard channel, for n subscriptions of the connection",
             .syntax = "[shardchannel...]",
             .handler = &SUnsubscribe}),
    Declare({.name = "PUBLISH",
             .arity = 3,
             .flags = kSending,
             .group = "pubsub",
             .since = "2.0.0",
             .summary = "Sends a message to whoever listens to a channel.",
             .complexity = "O(n + m) for n subscribers of the channel and m patterns of anybody",
             .syntax = "channel message",
             .handler = &Publish}),
    Declare({.name = "SPUBLISH",
             .arity = 3,
             .flags = kSending,
             .keys = {KeyAt(1, kKeyNotKey)},
             .group = "pubsub",
             .since = "7.0.0",
             .summary = "Sends a message to whoever listens to a shard channel.",
             .complexity = "O(n) for n subscribers of the shard channel",
             .syntax = "shardchannel message",
             .handler = &SPublish}),
    Declare({.name = "PUBSUB",
             .arity = -2,
             .group = "pubsub",
             .since = "2.8.0",
             .summary = "Tells who listens to what.",
             .complexity = "Depends on the subcommand",
             .subcommands = kPubSubSubcommands}),
};

}  // namespace

std::span<const CommandSpec> PubSubCommands() { return kCommands; }

}  // namespace rung

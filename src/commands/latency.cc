// LATENCY: spikes per event, and how long the calls of each command took.

#include <array>
#include <utility>
#include <vector>

#include "commands/families.h"
#include "commands/help.h"
#include "commands/latency_text.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/catalog.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

Outcome LatencyHistory(ExecContext& ctx, ArgReader& args) {
  const auto& all = ctx.broker.latency.series();
  const auto found = all.find(args.Bytes());
  if (found == all.end()) {
    ctx.reply.EmptyArray();
    return Outcome::kReplied;
  }
  ctx.reply.Array(found->second.samples.size());
  for (const LatencyMonitor::Sample& sample : found->second.samples) {
    ctx.reply.Array(2);
    ctx.reply.Integer(sample.wall_seconds);
    ctx.reply.Integer(sample.milliseconds);
  }
  return Outcome::kReplied;
}

Outcome LatencyLatest(ExecContext& ctx, ArgReader& /*args*/) {
  const auto& all = ctx.broker.latency.series();
  ctx.reply.Array(all.size());
  for (const auto& [event, series] : all) {
    ctx.reply.Array(4);
    ctx.reply.Bulk(event);
    ctx.reply.Integer(series.samples.back().wall_seconds);
    ctx.reply.Integer(series.samples.back().milliseconds);
    ctx.reply.Integer(series.worst_milliseconds);
  }
  return Outcome::kReplied;
}

Outcome LatencyReset(ExecContext& ctx, ArgReader& args) {
  std::size_t forgotten = 0;
  if (!args.More()) forgotten = ctx.broker.latency.ResetAll();
  while (args.More()) forgotten += ctx.broker.latency.Reset(args.Bytes()) ? 1 : 0;
  ctx.reply.Integer(static_cast<std::int64_t>(forgotten));
  return Outcome::kReplied;
}

Outcome LatencyGraphCommand(ExecContext& ctx, ArgReader& args) {
  const std::string_view event = args.Bytes();
  const auto& all = ctx.broker.latency.series();
  const auto found = all.find(event);
  if (found == all.end()) {
    return ctx.Fail("ERR No samples available for event '" + std::string(event) + "'");
  }
  ctx.reply.Verbatim(LatencyGraph(found->first, found->second, ctx.now.wall_ms() / 1000));
  return Outcome::kReplied;
}

Outcome LatencyDoctor(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Verbatim(LatencyReport(ctx.broker.latency, ctx.broker.options()));
  return Outcome::kReplied;
}

using Histograms = std::vector<std::pair<std::string_view, const LatencyHistogram*>>;

// Of the command and its subcommands, as far as they have been called.
void AddHistograms(const ExecContext& ctx, const Command& command, Histograms& histograms) {
  const auto& statistics = ctx.broker.statistics.commands[static_cast<std::size_t>(command.id)];
  if (statistics.histogram != nullptr) {
    histograms.emplace_back(command.full_name, statistics.histogram.get());
  }
  for (const Command& sub : command.subcommands) AddHistograms(ctx, sub, histograms);
}

Outcome LatencyHistogramCommand(ExecContext& ctx, ArgReader& args) {
  const Catalog& catalog = ctx.dispatcher.catalog();
  Histograms histograms;
  if (!args.More()) {
    for (const auto& command : catalog.commands()) AddHistograms(ctx, *command, histograms);
  }
  while (args.More()) {
    const Command* command = catalog.FindByFullName(args.Bytes());
    if (command != nullptr) AddHistograms(ctx, *command, histograms);
  }
  constexpr std::uint64_t kNsOfUs = 1000;
  ctx.reply.Map(histograms.size());
  for (const auto& [name, histogram] : histograms) {
    const std::vector<LatencyHistogram::Step> steps = histogram->Distribution();
    ctx.reply.Bulk(name);
    ctx.reply.Map(2);
    ctx.reply.Bulk("calls");
    ctx.reply.Integer(static_cast<std::int64_t>(histogram->count()));
    ctx.reply.Bulk("histogram_usec");
    ctx.reply.Map(steps.size());
    for (const LatencyHistogram::Step& step : steps) {
      ctx.reply.Integer(static_cast<std::int64_t>(step.up_to_ns / kNsOfUs));
      ctx.reply.Integer(static_cast<std::int64_t>(step.calls));
    }
  }
  return Outcome::kReplied;
}

constexpr std::uint32_t kFlags = kAdmin | kNoScript | kLoading | kStale;
constexpr std::string_view kTips =
    "nondeterministic_output request_policy:all_nodes response_policy:special";

constexpr std::array kSubcommands = {
    Declare({.name = "DOCTOR",
             .arity = 2,
             .flags = kFlags,
             .tips = kTips,
             .group = "server",
             .since = "2.8.13",
             .summary = "Reports on latency spikes in plain words.",
             .complexity = "O(1)",
             .handler = &LatencyDoctor}),
    Declare({.name = "GRAPH",
             .arity = 3,
             .flags = kFlags,
             .tips = kTips,
             .group = "server",
             .since = "2.8.13",
             .summary = "Draws the spikes of an event.",
             .complexity = "O(1)",
             .syntax = "event",
             .handler = &LatencyGraphCommand}),
    Declare({.name = "HISTORY",
             .arity = 3,
             .flags = kFlags,
             .tips = kTips,
             .group = "server",
             .since = "2.8.13",
             .summary = "Returns the spikes of an event: time and milliseconds.",
             .complexity = "O(1)",
             .syntax = "event",
             .handler = &LatencyHistory}),
    Declare({.name = "LATEST",
             .arity = 2,
             .flags = kFlags,
             .tips = kTips,
             .group = "server",
             .since = "2.8.13",
             .summary = "Returns the latest and the worst spike of each event.",
             .complexity = "O(1)",
             .handler = &LatencyLatest}),
    Declare({.name = "RESET",
             .arity = -2,
             .flags = kFlags,
             .tips = "request_policy:all_nodes response_policy:agg_sum",
             .group = "server",
             .since = "2.8.13",
             .summary = "Forgets the spikes of events; of all if none is named.",
             .complexity = "O(1)",
             .syntax = "[event...]",
             .handler = &LatencyReset}),
    Declare({.name = "HISTOGRAM",
             .arity = -2,
             .flags = kFlags,
             .tips = kTips,
             .group = "server",
             .since = "7.0.0",
             .summary = "Returns how many calls of commands took up to how many microseconds.",
             .complexity = "O(n) for n commands",
             .syntax = "[command...]",
             .handler = &LatencyHistogramCommand}),
    HelpSubcommand("server", "2.8.13"),
};

constexpr std::array kCommands = {
    Declare({.name = "LATENCY",
             .arity = -2,
             .group = "server",
             .since = "2.8.13",
             .summary = "Commands about latency.",
             .complexity = "That of the subcommand",
             .subcommands = kSubcommands}),
};

}  // namespace

std::span<const CommandSpec> LatencyCommands() { return kCommands; }

}  // namespace rung

// MEMORY: where the memory is.

#include <array>
#include <string>
#include <string_view>

#include "commands/families.h"
#include "commands/help.h"
#include "commands/memory_report.h"
#include "rung/base/memory.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/scripting.h"

namespace rung {
namespace {

// SAMPLES is taken for the sake of clients: sizes are known exactly here.
Outcome MemoryUsage(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  while (args.More()) {
    if (!args.TakeWithValue("SAMPLES")) return ctx.Fail(errors::kSyntax);
    const std::int64_t samples = args.Integer();
    if (args.ok() && samples < 0) args.Fail(errors::kSyntax);
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Lookup found = ctx.db.Peek(key);
  if (!found) {
    ctx.reply.Null();
    return Outcome::kReplied;
  }
  // The key's share of the tables that find it.
  const std::size_t share = ctx.db.TableBytes() / ctx.db.size();
  ctx.reply.Integer(static_cast<std::int64_t>(found.entry()->MemoryBytes() + share));
  return Outcome::kReplied;
}

// Names and values of MEMORY STATS, gathered so that their number is known first.
class StatsReply {
 public:
  void Add(std::string_view name, std::size_t value) {
    entries_.push_back({.name = std::string(name), .integer = static_cast<std::int64_t>(value)});
  }
  void Add(std::string_view name, std::int64_t value) {
    entries_.push_back({.name = std::string(name), .integer = value});
  }
  void Add(std::string_view name, double value) {
    entries_.push_back({.name = std::string(name), .is_double = true, .number = value});
  }
  void Add(const std::string& name, const MemoryReport::Overhead& overhead) {
    Add(name + ".ratio", overhead.ratio);
    Add(name + ".bytes", overhead.bytes);
  }
  void AddDatabase(int index, std::size_t table_bytes) {
    entries_.push_back({.name = "db." + std::to_string(index),
                        .is_database = true,
                        .integer = static_cast<std::int64_t>(table_bytes)});
  }

  void Write(ReplyWriter& reply) const {
    reply.Map(entries_.size());
    for (const Entry& entry : entries_) {
      reply.Bulk(entry.name);
      if (entry.is_database) {
        reply.Map(3);
        reply.Bulk("overhead.hashtable.main");
        reply.Integer(entry.integer);
        reply.Bulk("overhead.hashtable.expires");
        reply.Integer(0);
        reply.Bulk("overhead.hashtable.slot-to-keys");
        reply.Integer(0);
      } else if (entry.is_double) {
        reply.Double(entry.number);
      } else {
        reply.Integer(entry.integer);
      }
    }
  }

 private:
  struct Entry {
    std::string name;
    bool is_database = false;
    bool is_double = false;
    std::int64_t integer = 0;
    double number = 0;
  };
  std::vector<Entry> entries_;
};

Outcome MemoryStats(ExecContext& ctx, ArgReader& /*args*/) {
  const MemoryReport report = MakeMemoryReport(ctx);
  StatsReply stats;
  stats.Add("peak.allocated", report.peak);
  stats.Add("total.allocated", report.allocated);
  stats.Add("startup.allocated", report.startup);
  stats.Add("replication.backlog", std::size_t{0});
  stats.Add("clients.slaves", std::size_t{0});
  stats.Add("clients.normal", report.clients);
  stats.Add("cluster.links", std::size_t{0});
  stats.Add("aof.buffer", std::size_t{0});
  const ScriptFigures scripts = ctx.dispatcher.scripting().Figures();
  stats.Add("lua.caches", scripts.script_bytes);
  stats.Add("functions.caches", scripts.function_bytes);
  for (const auto& [index, bytes] : report.databases) stats.AddDatabase(index, bytes);
  stats.Add("overhead.total", report.overhead);
  stats.Add("keys.count", report.keys);
  stats.Add("keys.bytes-per-key", report.keys == 0 ? 0 : report.dataset / report.keys);
  stats.Add("dataset.bytes", report.dataset);
  stats.Add("dataset.percentage", report.DatasetPercent());
  stats.Add("peak.percentage", report.PeakPercent());
  stats.Add("allocator.allocated", report.allocated);
  stats.Add("allocator.active", report.allocator_active);
  stats.Add("allocator.resident", report.allocator_resident);
  stats.Add("allocator-fragmentation", report.Fragmentation());
  stats.Add("allocator-rss", report.AllocatorResident());
  stats.Add("rss-overhead", report.Process());
  stats.Add("fragmentation", report.Total().ratio);
  stats.Add("fragmentation.bytes", report.Total().bytes);
  stats.Write(ctx.reply);
  return Outcome::kReplied;
}

std::string Diagnose(const MemoryReport& report, std::size_t clients) {
  constexpr std::size_t kTooLittleToTell = 5 << 20;
  constexpr double kPeakPercentLow = 66;
  constexpr double kResidentRatioHigh = 1.4;
  constexpr std::size_t kClientBytesHigh = 200 << 10;
  if (report.allocated < kTooLittleToTell) {
    return "Less than 5 MB are in use: too little to find anything.\n";
  }
  std::string findings;
  if (report.PeakPercent() < kPeakPercentLow) {
    findings +=
        "- More than 150 % of today's memory was once in use. What was freed may stay with "
        "the process; MEMORY PURGE gives it back.\n";
  }
  if (report.Total().ratio > kResidentRatioHigh) {
    findings +=
        "- The process holds more than 140 % of the memory in use. After a peak that is "
        "normal; otherwise it is fragmentation.\n";
  }
  if (clients > 0 && report.clients / clients > kClientBytesHigh) {
    findings +=
        "- Clients hold more than 200 KB each: long pipelines, large replies, or clients "
        "that do not read. CLIENT LIST shows which.\n";
  }
  return findings.empty() ? "Nothing to complain about.\n" : findings;
}

Outcome MemoryDoctor(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Verbatim(Diagnose(MakeMemoryReport(ctx), ctx.broker.sessions.size()));
  return Outcome::kReplied;
}

Outcome MemoryPurge(ExecContext& ctx, ArgReader& /*args*/) {
  PurgeAllocator();
  ctx.reply.Ok();
  return Outcome::kReplied;
}

Outcome MemoryMallocStats(ExecContext& ctx, ArgReader& /*args*/) {
  ctx.reply.Verbatim(AllocatorReport());
  return Outcome::kReplied;
}

constexpr std::string_view kTips =
    "nondeterministic_output request_policy:all_shards response_policy:special";

constexpr std::array kSubcommands = {
    Declare({.name = "DOCTOR",
             .arity = 2,
             .tips = kTips,
             .group = "server",
             .since = "4.0.0",
             .summary = "Reports on memory in plain words.",
             .complexity = "O(n) for n clients",
             .handler = &MemoryDoctor}),
    Declare({.name = "MALLOC-STATS",
             .arity = 2,
             .tips = kTips,
             .group = "server",
             .since = "4.0.0",
             .summary = "Returns the allocator's own report.",
             .complexity = "Depends on the allocator",
             .handler = &MemoryMallocStats}),
    Declare({.name = "PURGE",
             .arity = 2,
             .tips = "request_policy:all_shards response_policy:all_succeeded",
             .group = "server",
             .since = "4.0.0",
             .summary = "Gives unused memory back to the system.",
             .complexity = "Depends on the allocator",
             .handler = &MemoryPurge}),
    Declare({.name = "STATS",
             .arity = 2,
             .tips = kTips,
             .group = "server",
             .since = "4.0.0",
             .summary = "Returns what the memory is used for.",
             .complexity = "O(n) for n clients",
             .handler = &MemoryStats}),
    Declare({.name = "USAGE",
             .arity = -3,
             .flags = kReadOnly,
             .keys = {KeyAt(2, kKeyRead)},
             .group = "server",
             .since = "4.0.0",
             .summary = "Returns the bytes that a key takes with its value.",
             .complexity = "O(1)",
             .syntax = "key:key [SAMPLES count:integer]",
             .handler = &MemoryUsage}),
    HelpSubcommand("server", "4.0.0"),
};

constexpr std::array kCommands = {
    Declare({.name = "MEMORY",
             .arity = -2,
             .group = "server",
             .since = "4.0.0",
             .summary = "Commands about memory.",
             .complexity = "That of the subcommand",
             .subcommands = kSubcommands}),
};

}  // namespace

std::span<const CommandSpec> MemoryCommands() { return kCommands; }

}  // namespace rung

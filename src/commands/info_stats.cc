// INFO: persistence, stats, and the statistics of commands, errors and latency. See info_text.h.

#include <array>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "commands/info_text.h"
#include "rung/base/numbers.h"
#include "rung/commands/catalog.h"

namespace rung {
namespace {

constexpr double kKilo = 1024;

// What would break the report's grammar becomes an underscore.
std::string SafeName(std::string_view name) {
  std::string safe(name);
  for (char& c : safe) {
    if (c == '#' || c == ':' || c == '\n' || c == '\r') c = '_';
  }
  return safe;
}

template <typename Visit>
void ForEachCommand(ExecContext& ctx, Visit visit) {
  const auto one = [&](const Command& command) {
    visit(command, ctx.broker.statistics.commands[static_cast<std::size_t>(command.id)]);
  };
  for (const auto& command : ctx.dispatcher.catalog().commands()) {
    one(*command);
    for (const Command& sub : command->subcommands) one(sub);
  }
}

std::string CallsLine(const CommandStatistics& statistics) {
  const double per_call = statistics.calls == 0 ? 0
                                                : static_cast<double>(statistics.microseconds) /
                                                      static_cast<double>(statistics.calls);
  std::array<char, 256> line{};
  std::snprintf(line.data(), line.size(),
                "calls=%llu,usec=%llu,usec_per_call=%.2f,rejected_calls=%llu,failed_calls=%llu",
                static_cast<unsigned long long>(statistics.calls),
                static_cast<unsigned long long>(statistics.microseconds), per_call,
                static_cast<unsigned long long>(statistics.rejected),
                static_cast<unsigned long long>(statistics.failed));
  return line.data();
}

std::string PercentilesLine(const LatencyHistogram& histogram,
                            const std::vector<double>& percentiles) {
  std::string line;
  for (const double percentile : percentiles) {
    NumberBuffer number;
    std::array<char, 32> value{};
    constexpr double kNsOfUs = 1000;
    std::snprintf(value.data(), value.size(), "%.3f",
                  static_cast<double>(histogram.PercentileNs(percentile)) / kNsOfUs);
    if (!line.empty()) line += ',';
    line += "p";
    line += FormatDouble(percentile, number);
    line += "=";
    line += value.data();
  }
  return line;
}

// What other servers count and there is nothing of here: monitoring looks for the names.
void WriteZeros(std::initializer_list<std::string_view> names, InfoText& info) {
  for (const std::string_view name : names) info.Field(name, 0);
}

void WriteTrafficFields(const Statistics& statistics, InfoText& info) {
  info.Field("total_connections_received", statistics.connections_received);
  info.Field("total_commands_processed", statistics.commands_processed);
  info.Field("instantaneous_ops_per_sec",
             static_cast<std::uint64_t>(statistics.command_rate.PerSecond()));
  info.Field("total_net_input_bytes", statistics.input_bytes);
  info.Field("total_net_output_bytes", statistics.output_bytes);
  info.Field("total_net_repl_input_bytes", 0);
  info.Field("total_net_repl_output_bytes", 0);
  info.Field("instantaneous_input_kbps", statistics.input_rate.PerSecond() / kKilo);
  info.Field("instantaneous_output_kbps", statistics.output_rate.PerSecond() / kKilo);
  info.Field("instantaneous_input_repl_kbps", 0.0);
  info.Field("instantaneous_output_repl_kbps", 0.0);
  info.Field("rejected_connections", statistics.connections_rejected);
}

}  // namespace

void WritePersistenceInfo(ExecContext& ctx, InfoText& info) {
  info.Section("Persistence");
  info.Field("loading", 0);
  info.Field("async_loading", 0);
  info.Field("rdb_changes_since_last_save", ctx.broker.store.change_count());
  info.Field("rdb_bgsave_in_progress", 0);
  info.Field("rdb_last_save_time", ctx.broker.started_wall_ms / 1000);
  info.Field("rdb_last_bgsave_status", "ok");
  info.Field("rdb_last_bgsave_time_sec", -1);
  info.Field("rdb_current_bgsave_time_sec", -1);
  info.Field("rdb_saves", 0);
  info.Field("aof_enabled", 0);
  info.Field("aof_rewrite_in_progress", 0);
  info.Field("aof_rewrite_scheduled", 0);
  info.Field("aof_last_rewrite_time_sec", -1);
  info.Field("aof_current_rewrite_time_sec", -1);
  info.Field("aof_last_bgrewrite_status", "ok");
  info.Field("aof_rewrites", 0);
  info.Field("aof_last_write_status", "ok");
}

void WriteStatsInfo(ExecContext& ctx, InfoText& info) {
  const Statistics& statistics = ctx.broker.statistics;
  const StoreStats& keys = ctx.broker.store.stats();
  info.Section("Stats");
  WriteTrafficFields(statistics, info);
  info.Field("sync_full", 0);
  info.Field("sync_partial_ok", 0);
  info.Field("sync_partial_err", 0);
  info.Field("expired_keys", keys.expired_keys);
  info.Field("expired_stale_perc", 0.0);
  WriteZeros({"expired_time_cap_reached_count", "expire_cycle_cpu_milliseconds", "evicted_keys",
              "evicted_clients", "total_eviction_exceeded_time", "current_eviction_exceeded_time"},
             info);
  info.Field("evicted_scripts", statistics.evicted_scripts);
  info.Field("keyspace_hits", keys.keyspace_hits);
  info.Field("keyspace_misses", keys.keyspace_misses);
  const PubSub& pub_sub = ctx.broker.pub_sub;
  info.Field("pubsub_channels", pub_sub.topic_count(TopicKind::kChannel));
  info.Field("pubsub_patterns", pub_sub.topic_count(TopicKind::kPattern));
  info.Field("pubsubshard_channels", pub_sub.topic_count(TopicKind::kShardChannel));
  WriteZeros({"latest_fork_usec", "total_forks", "migrate_cached_sockets",
              "slave_expires_tracked_keys", "active_defrag_hits", "active_defrag_misses",
              "active_defrag_key_hits", "active_defrag_key_misses", "total_active_defrag_time",
              "current_active_defrag_time", "tracking_total_keys", "tracking_total_items",
              "tracking_total_prefixes", "unexpected_error_replies"},
             info);
  info.Field("total_error_replies", statistics.error_replies);
  info.Field("dump_payload_sanitizations", 0);
  info.Field("total_reads_processed", statistics.reads);
  info.Field("total_writes_processed", statistics.writes);
  WriteZeros({"io_threaded_reads_processed", "io_threaded_writes_processed", "reply_buffer_shrinks",
              "reply_buffer_expands"},
             info);
  info.Field("client_query_buffer_limit_disconnections", statistics.query_buffer_disconnects);
  info.Field("client_output_buffer_limit_disconnections", statistics.output_buffer_disconnects);
  info.Field("acl_access_denied_auth", statistics.auth_failures);
  info.Field("acl_access_denied_cmd", 0);
  info.Field("acl_access_denied_key", 0);
  info.Field("acl_access_denied_channel", 0);
}

void WriteCommandStats(ExecContext& ctx, InfoText& info) {
  info.Section("Commandstats");
  ForEachCommand(ctx, [&](const Command& command, const CommandStatistics& statistics) {
    if (statistics.calls + statistics.rejected + statistics.failed == 0) return;
    info.Field("cmdstat_" + SafeName(command.full_name), CallsLine(statistics));
  });
}

void WriteErrorStats(ExecContext& ctx, InfoText& info) {
  info.Section("Errorstats");
  for (const auto& [code, count] : ctx.broker.statistics.errors) {
    info.Field("errorstat_" + SafeName(code), "count=" + std::to_string(count));
  }
}

void WriteLatencyStats(ExecContext& ctx, InfoText& info) {
  const Options& options = ctx.broker.options();
  info.Section("Latencystats");
  if (!options.latency_tracking) return;
  ForEachCommand(ctx, [&](const Command& command, const CommandStatistics& statistics) {
    if (statistics.histogram == nullptr) return;
    info.Field("latency_percentiles_usec_" + SafeName(command.full_name),
               PercentilesLine(*statistics.histogram, options.latency_tracking_info_percentiles));
  });
}

}  // namespace rung

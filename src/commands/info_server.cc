// INFO: server, clients, replication, cpu, modules, cluster, keyspace. See info_text.h.

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "commands/authentication.h"
#include "commands/info_text.h"
#include "rung/commands/catalog.h"

namespace rung {
namespace {

constexpr std::int64_t kSecondsOfDay = 24 * 60 * 60;

// How often the engine samples its figures; a key's end is no matter of sampling.
constexpr int kSamplesPerSecond = 10;

// Redis keeps the time in 24 bits of seconds for its idle times.
constexpr std::int64_t kClockMask = (1 << 24) - 1;

std::string Seconds(double seconds) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.6f", seconds);
  return buffer.data();
}

std::string CompilerVersion() {
  return std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." +
         std::to_string(__GNUC_PATCHLEVEL__);
}

}  // namespace

void WriteServerInfo(ExecContext& ctx, InfoText& info) {
  const ProcessIdentity& process = ctx.broker.host.Identity();
  const std::int64_t uptime = (ctx.now.wall_ms() - ctx.broker.started_wall_ms) / 1000;
  info.Section("Server");
  info.Field("redis_version", kRedisVersion);
  info.Field("rung_version", RUNG_VERSION);
  info.Field("redis_git_sha1", "00000000");
  info.Field("redis_git_dirty", 0);
  info.Field("redis_build_id", "0000000000000000");
  info.Field("redis_mode", "standalone");
  info.Field("os", process.system);
  info.Field("arch_bits", 8 * sizeof(void*));
  info.Field("monotonic_clock", "POSIX clock_gettime");
  info.Field("multiplexing_api", "epoll");
  info.Field("atomicvar_api", "c11-builtin");
  info.Field("gcc_version", CompilerVersion());
  info.Field("process_id", process.pid);
  info.Field("process_supervised", "no");
  info.Field("run_id", ctx.broker.run_id);
  info.Field("tcp_port", process.tcp_port);
  info.Field("server_time_usec", ctx.now.wall_us.count());
  info.Field("uptime_in_seconds", uptime);
  info.Field("uptime_in_days", uptime / kSecondsOfDay);
  info.Field("hz", kSamplesPerSecond);
  info.Field("configured_hz", kSamplesPerSecond);
  info.Field("lru_clock", (ctx.now.wall_ms() / 1000) & kClockMask);
  info.Field("executable", process.executable);
  info.Field("config_file", process.config_file);
  info.Field("io_threads_active", 0);
}

void WriteClientsInfo(ExecContext& ctx, InfoText& info) {
  std::size_t connected = 0;
  std::size_t longest_input = 0;
  std::size_t longest_output = 0;
  std::size_t with_deadline = 0;
  std::size_t postponed = 0;
  for (const auto& [id, session] : ctx.broker.sessions) {
    if (session->close_now) continue;
    ++connected;
    longest_output = std::max(longest_output, session->out.MemoryBytes());
    if (session->pending != nullptr) {
      longest_input = std::max(longest_input, session->pending->bytes.capacity());
    }
    if (session->blocked() && session->wait->deadline) ++with_deadline;
    if (session->postponed) ++postponed;  // Held back by CLIENT PAUSE: blocked, as Redis counts.
  }
  info.Section("Clients");
  info.Field("connected_clients", connected);
  info.Field("cluster_connections", 0);
  info.Field("maxclients", ctx.broker.options().maxclients);
  info.Field("client_recent_max_input_buffer", longest_input);
  info.Field("client_recent_max_output_buffer", longest_output);
  info.Field("blocked_clients", ctx.broker.waiters.blocked_count() + postponed);
  info.Field("tracking_clients", 0);
  info.Field("clients_in_timeout_table", with_deadline);
  info.Field("watching_clients", ctx.broker.watchers.watching_clients());
  info.Field("total_watched_keys", ctx.broker.watchers.watched_keys());
  info.Field("total_blocking_keys", ctx.broker.waiters.awaited_keys());
  info.Field("total_blocking_keys_on_nokey", 0);
}

void WriteReplicationInfo(ExecContext& ctx, InfoText& info) {
  info.Section("Replication");
  info.Field("role", "master");
  info.Field("connected_slaves", 0);
  info.Field("master_failover_state", "no-failover");
  info.Field("master_replid", ctx.broker.run_id);
  info.Field("master_replid2", std::string(ctx.broker.run_id.size(), '0'));
  info.Field("master_repl_offset", 0);
  info.Field("second_repl_offset", -1);
  info.Field("repl_backlog_active", 0);
  info.Field("repl_backlog_size", 0);
  info.Field("repl_backlog_first_byte_offset", 0);
  info.Field("repl_backlog_histlen", 0);
}

void WriteCpuInfo(ExecContext& ctx, InfoText& info) {
  const ProcessUsage usage = ctx.broker.host.Usage();
  info.Section("CPU");
  info.Field("used_cpu_sys", Seconds(usage.system_seconds));
  info.Field("used_cpu_user", Seconds(usage.user_seconds));
  info.Field("used_cpu_sys_children", Seconds(0));
  info.Field("used_cpu_user_children", Seconds(0));
}

void WriteModulesInfo(ExecContext& /*ctx*/, InfoText& info) { info.Section("Modules"); }

void WriteClusterInfo(ExecContext& /*ctx*/, InfoText& info) {
  info.Section("Cluster");
  info.Field("cluster_enabled", 0);
}

void WriteKeyspaceInfo(ExecContext& ctx, InfoText& info) {
  info.Section("Keyspace");
  for (int i = 0; i < ctx.broker.store.database_count(); ++i) {
    const Database& db = ctx.broker.store.database(i);
    if (db.size() == 0) continue;
    info.Field("db" + std::to_string(i), "keys=" + std::to_string(db.size()) +
                                             ",expires=" + std::to_string(db.expiring_keys()) +
                                             ",avg_ttl=" + std::to_string(db.average_ttl_ms()));
  }
}

}  // namespace rung

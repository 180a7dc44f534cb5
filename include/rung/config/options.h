// Options: every setting of the broker, as plain fields with their defaults.
//
// The engine and the network read these fields and know nothing of names, units or files. What a
// field is called outside, its range and whether it may change while running stand in the table of
// options (src/config/options.cc). Names of fields end in their unit where they have one; memory
// sizes are bytes. Persistence is off by default.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rung/base/events.h"
#include "rung/base/log_level.h"

namespace rung {

enum class AppendFsync : std::uint8_t { kAlways, kEverySecond, kNo };
// Who may use a guarded command: nobody, everybody, connections from this machine.
enum class Permission : std::uint8_t { kNo, kYes, kLocal };
enum class Supervision : std::uint8_t { kNo, kUpstart, kSystemd, kAuto };
// clang-format off
enum class SyslogFacility : std::uint8_t {
  kUser, kLocal0, kLocal1, kLocal2, kLocal3, kLocal4, kLocal5, kLocal6, kLocal7
};
// clang-format on
enum class DisklessLoad : std::uint8_t { kDisabled, kOnEmptyDatabase, kSwapDatabase };
enum class OomScoreAdjust : std::uint8_t { kNo, kRelative, kAbsolute };
enum class SanitizePayload : std::uint8_t { kNo, kYes, kClients };
enum class PropagationErrors : std::uint8_t { kIgnore, kPanic, kPanicOnReplicas };
enum class ChannelDefault : std::uint8_t { kResetChannels, kAllChannels };

// Bits of Options::shutdown_on_sigint and _sigterm; none is the default behaviour.
enum ShutdownFlags : std::uint32_t {
  kShutdownSave = 1U << 0,
  kShutdownNoSave = 1U << 1,
  kShutdownNow = 1U << 2,
  kShutdownForce = 1U << 3,
};

// What a client may leave unread before it is dropped: at once above `hard_bytes`, and above
// `soft_bytes` when that lasts for `soft_seconds`. 0 bytes: no limit.
struct OutputBufferLimit {
  std::uint64_t hard_bytes = 0;
  std::uint64_t soft_bytes = 0;
  std::int64_t soft_seconds = 0;

  bool operator==(const OutputBufferLimit&) const = default;
};
// Index into Options::client_output_buffer_limits.
enum class BufferClass : std::uint8_t { kNormal, kReplica, kPubsub };

struct SavePoint {
  std::int64_t seconds = 0;
  std::int64_t changes = 0;

  bool operator==(const SavePoint&) const = default;
};

// `rename-command from to`; an empty `to` takes the command away. Only who knows the commands can
// tell whether it makes sense, so where it was read goes along for the error.
struct RenamedCommand {
  std::string from;
  std::string to;
  std::string place;  // "rung.conf:12".
};

struct Options {
  // Network.
  std::vector<std::string> bind = {"*", "-::*"};  // "-" before one: no error if not available.
  std::string bind_source_addr;
  int port = 6379;  // 0: no TCP.
  std::string unixsocket;
  std::int64_t unixsocketperm = 0;  // 0: as the umask has it.
  int tcp_backlog = 511;
  int tcp_keepalive_seconds = 300;   // 0: off.
  std::int64_t timeout_seconds = 0;  // Of an idle client. 0: never.
  bool protected_mode = true;
  std::uint64_t maxclients = 10000;
  std::int64_t socket_mark_id = 0;
  int io_threads = 1;
  bool io_threads_do_reads = false;

  // Access.
  std::string requirepass;  // Empty: no password.
  std::string aclfile;
  ChannelDefault acl_pubsub_default = ChannelDefault::kResetChannels;
  std::uint64_t acllog_max_len = 128;
  Permission enable_debug_command = Permission::kNo;
  Permission enable_protected_configs = Permission::kNo;
  Permission enable_module_command = Permission::kNo;
  std::vector<RenamedCommand> renamed_commands;

  // Limits of one client.
  std::uint64_t proto_max_bulk_bytes = 512ULL << 20;
  std::uint64_t client_query_buffer_limit = 1ULL << 30;
  std::array<OutputBufferLimit, 3> client_output_buffer_limits = {
      {{}, {256ULL << 20, 64ULL << 20, 60}, {32ULL << 20, 8ULL << 20, 60}}};
  std::int64_t maxmemory_clients = 0;  // Bytes; below 0: percent of maxmemory; 0: no limit.

  // Memory.
  std::uint64_t maxmemory = 0;  // 0: no limit.
  int maxmemory_samples = 5;
  int maxmemory_eviction_tenacity = 10;
  int lfu_log_factor = 10;
  int lfu_decay_time = 1;
  bool lazyfree_lazy_eviction = false;
  bool lazyfree_lazy_expire = false;
  bool lazyfree_lazy_server_del = false;
  bool lazyfree_lazy_user_del = false;
  bool lazyfree_lazy_user_flush = false;
  bool activedefrag = false;
  std::uint64_t active_defrag_ignore_bytes = 100ULL << 20;
  int active_defrag_cycle_min = 1;
  int active_defrag_cycle_max = 25;
  int active_defrag_threshold_lower = 10;
  int active_defrag_threshold_upper = 100;
  std::int64_t active_defrag_max_scan_fields = 1000;
  bool jemalloc_bg_thread = true;

  // Keys and their small forms.
  int databases = 16;
  std::uint64_t hash_max_listpack_entries = 512;
  std::uint64_t hash_max_listpack_value = 64;
  int list_max_listpack_size = -2;  // Entries; below 0: class of node bytes, -1 4 kb to -5 64 kb.
  int list_compress_depth = 0;
  std::uint64_t set_max_intset_entries = 512;
  std::uint64_t set_max_listpack_entries = 128;
  std::uint64_t set_max_listpack_value = 64;
  std::uint64_t zset_max_listpack_entries = 128;
  std::uint64_t zset_max_listpack_value = 64;
  std::int64_t stream_node_max_entries = 100;
  std::uint64_t stream_node_max_bytes = 4096;
  std::uint64_t hll_sparse_max_bytes = 3000;
  EventMask notify_keyspace_events = 0;
  std::uint64_t tracking_table_max_keys = 1000000;
  SanitizePayload sanitize_dump_payload = SanitizePayload::kNo;
  bool activerehashing = true;

  // Time.
  int hz = 10;
  bool dynamic_hz = true;
  int active_expire_effort = 1;
  std::int64_t busy_reply_threshold_ms = 5000;
  std::int64_t script_time_limit_ms = 60000;
  std::uint64_t script_memory_limit = std::uint64_t{256} << 20;

  // Watching.
  LogLevel loglevel = LogLevel::kNotice;
  std::string logfile;  // Empty: standard output.
  bool syslog_enabled = false;
  std::string syslog_ident = "rung";
  SyslogFacility syslog_facility = SyslogFacility::kLocal0;
  std::int64_t slowlog_log_slower_than_us = 10000;  // Below 0: off. 0: everything.
  std::uint64_t slowlog_max_len = 128;
  std::int64_t latency_monitor_threshold_ms = 0;  // 0: off.
  bool latency_tracking = true;
  std::vector<double> latency_tracking_info_percentiles = {50, 99, 99.9};
  bool crash_log_enabled = true;
  bool crash_memcheck_enabled = true;
  std::int64_t watchdog_period_ms = 0;
  bool use_exit_on_panic = false;

  // Process.
  bool daemonize = false;
  Supervision supervised = Supervision::kNo;
  std::string pidfile;
  std::string dir = "./";
  std::int64_t shutdown_timeout_seconds = 10;
  std::uint32_t shutdown_on_sigint = 0;   // ShutdownFlags.
  std::uint32_t shutdown_on_sigterm = 0;  // ShutdownFlags.
  bool set_proc_title = true;
  std::string proc_title_template = "{title} {listen-addr} {server-mode}";
  bool always_show_logo = false;
  std::string locale_collate;
  std::string ignore_warnings;
  bool disable_thp = false;
  OomScoreAdjust oom_score_adj = OomScoreAdjust::kNo;
  std::array<int, 3> oom_score_adj_values = {0, 200, 800};
  std::string server_cpulist;
  std::string bio_cpulist;
  std::string aof_rewrite_cpulist;
  std::string bgsave_cpulist;

  // Persistence.
  std::vector<SavePoint> save_points;
  std::string dbfilename = "dump.rdb";
  bool rdbcompression = true;
  bool rdbchecksum = true;
  bool rdb_save_incremental_fsync = true;
  bool rdb_del_sync_files = false;
  int rdb_key_save_delay_us = 0;
  int key_load_delay_us = 0;
  std::int64_t loading_process_events_interval_bytes = 2 << 20;
  bool stop_writes_on_bgsave_error = true;
  bool appendonly = false;
  AppendFsync appendfsync = AppendFsync::kEverySecond;
  std::string appendfilename = "appendonly.aof";
  std::string appenddirname = "appendonlydir";
  bool no_appendfsync_on_rewrite = false;
  int auto_aof_rewrite_percentage = 100;
  std::uint64_t auto_aof_rewrite_min_size = 64ULL << 20;
  bool aof_load_truncated = true;
  bool aof_use_rdb_preamble = true;
  bool aof_timestamp_enabled = false;
  bool aof_rewrite_incremental_fsync = true;
  bool aof_disable_auto_gc = false;

  // Replication.
  std::string primary_host;  // Empty: this is a primary.
  int primary_port = 0;
  std::string masteruser;
  std::string masterauth;
  bool replica_read_only = true;
  bool replica_serve_stale_data = true;
  bool replica_ignore_maxmemory = true;
  bool replica_lazy_flush = false;
  bool replica_announced = true;
  std::string replica_announce_ip;
  int replica_announce_port = 0;
  int replica_priority = 100;
  bool replica_ignore_disk_write_errors = false;
  PropagationErrors propagation_error_behavior = PropagationErrors::kIgnore;
  int min_replicas_to_write = 0;
  int min_replicas_max_lag_seconds = 10;
  int repl_timeout_seconds = 60;
  int repl_ping_replica_period_seconds = 10;
  std::uint64_t repl_backlog_size = 1ULL << 20;
  std::int64_t repl_backlog_ttl_seconds = 3600;
  bool repl_disable_tcp_nodelay = false;
  bool repl_diskless_sync = true;
  int repl_diskless_sync_delay_seconds = 5;
  int repl_diskless_sync_max_replicas = 0;
  DisklessLoad repl_diskless_load = DisklessLoad::kDisabled;
};

}  // namespace rung

// The table of options: the one place that knows every name, range, unit and meaning. A new option
// is a field in options.h and a row here; see option_spec.h for what a row holds.

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "config/option_spec.h"
#include "rung/base/numbers.h"

namespace rung {
namespace {

constexpr std::int64_t kIntMax = std::numeric_limits<int>::max();
constexpr std::int64_t kIntMin = std::numeric_limits<int>::min();
constexpr std::int64_t kLongMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kUnsignedMax = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMegabyte = 1 << 20;

// --- Values -------------------------------------------------------------------------------------

template <auto kField>
std::int64_t LoadField(const Options& options) {
  return static_cast<std::int64_t>(options.*kField);
}

template <auto kField>
void StoreField(Options& options, std::int64_t value) {
  auto& field = options.*kField;
  field = static_cast<std::remove_reference_t<decltype(field)>>(value);
}

template <auto kField>
constexpr OptionValue Number(OptionKind kind, std::int64_t min, std::int64_t max) {
  return {.kind = kind,
          .load = &LoadField<kField>,
          .store = &StoreField<kField>,
          .min = min,
          .max = max};
}

template <auto kField>
constexpr OptionValue Integer(std::int64_t min, std::int64_t max) {
  return Number<kField>(OptionKind::kInteger, min, max);
}

template <auto kField>
constexpr OptionValue Memory(std::int64_t min = 0, std::int64_t max = kLongMax) {
  return Number<kField>(OptionKind::kMemory, min, max);
}

template <auto kField>
constexpr OptionValue Bool() {
  return Number<kField>(OptionKind::kBool, 0, 1);
}

template <auto kField>
constexpr OptionValue OneOf(std::span<const EnumName> names) {
  OptionValue value = Number<kField>(OptionKind::kEnum, 0, 0);
  value.names = names;
  return value;
}

template <auto kField>
constexpr OptionValue SomeOf(std::span<const EnumName> names) {
  OptionValue value = Number<kField>(OptionKind::kFlags, 0, 0);
  value.names = names;
  return value;
}

constexpr OptionValue Text(std::string Options::*field) {
  return {.kind = OptionKind::kText, .text = field};
}

constexpr OptionValue Special(const SpecialValue& special) {
  return {.kind = OptionKind::kSpecial, .special = &special};
}

template <typename T>
constexpr EnumName Named(std::string_view name, T value) {
  return {name, static_cast<std::int64_t>(value)};
}

constexpr std::array kLogLevels = {
    Named("debug", LogLevel::kDebug),     Named("verbose", LogLevel::kVerbose),
    Named("notice", LogLevel::kNotice),   Named("warning", LogLevel::kWarning),
    Named("nothing", LogLevel::kNothing),
};
constexpr std::array kPermissions = {
    Named("no", Permission::kNo),
    Named("yes", Permission::kYes),
    Named("local", Permission::kLocal),
};
constexpr std::array kSupervisions = {
    Named("upstart", Supervision::kUpstart),
    Named("systemd", Supervision::kSystemd),
    Named("auto", Supervision::kAuto),
    Named("no", Supervision::kNo),
};
constexpr std::array kSyslogFacilities = {
    Named("user", SyslogFacility::kUser),     Named("local0", SyslogFacility::kLocal0),
    Named("local1", SyslogFacility::kLocal1), Named("local2", SyslogFacility::kLocal2),
    Named("local3", SyslogFacility::kLocal3), Named("local4", SyslogFacility::kLocal4),
    Named("local5", SyslogFacility::kLocal5), Named("local6", SyslogFacility::kLocal6),
    Named("local7", SyslogFacility::kLocal7),
};
constexpr std::array kAppendFsyncs = {
    Named("everysec", AppendFsync::kEverySecond),
    Named("always", AppendFsync::kAlways),
    Named("no", AppendFsync::kNo),
};
constexpr std::array kDisklessLoads = {
    Named("disabled", DisklessLoad::kDisabled),
    Named("on-empty-db", DisklessLoad::kOnEmptyDatabase),
    Named("swapdb", DisklessLoad::kSwapDatabase),
};
constexpr std::array kOomScoreAdjusts = {
    Named("no", OomScoreAdjust::kNo),
    Named("yes", OomScoreAdjust::kRelative),
    Named("relative", OomScoreAdjust::kRelative),
    Named("absolute", OomScoreAdjust::kAbsolute),
};
constexpr std::array kSanitizePayloads = {
    Named("no", SanitizePayload::kNo),
    Named("yes", SanitizePayload::kYes),
    Named("clients", SanitizePayload::kClients),
};
constexpr std::array kPropagationErrors = {
    Named("ignore", PropagationErrors::kIgnore),
    Named("panic", PropagationErrors::kPanic),
    Named("panic-on-replicas", PropagationErrors::kPanicOnReplicas),
};
constexpr std::array kChannelDefaults = {
    Named("allchannels", ChannelDefault::kAllChannels),
    Named("resetchannels", ChannelDefault::kResetChannels),
};
constexpr std::array kShutdownWords = {
    EnumName{"default", 0},     Named("save", kShutdownSave),   Named("nosave", kShutdownNoSave),
    Named("now", kShutdownNow), Named("force", kShutdownForce),
};

// --- Checks -------------------------------------------------------------------------------------

Reason ClampHz(Options& options) {
  options.hz = std::clamp(options.hz, 1, 500);
  return std::nullopt;
}

Reason ClampBacklog(Options& options) {
  constexpr std::uint64_t kLeast = 16 << 10;
  options.repl_backlog_size = std::max(options.repl_backlog_size, kLeast);
  return std::nullopt;
}

Reason RequireFileName(std::string_view option, std::string_view name, std::string_view what) {
  if (name.find('/') == std::string_view::npos) return std::nullopt;
  return std::string(option).append(" can't be a path, just a ").append(what);
}

Reason CheckDbfilename(Options& options) {
  return RequireFileName("dbfilename", options.dbfilename, "filename");
}

Reason CheckAppendfilename(Options& options) {
  if (options.appendfilename.empty()) return "appendfilename can't be empty";
  return RequireFileName("appendfilename", options.appendfilename, "filename");
}

Reason CheckAppenddirname(Options& options) {
  if (options.appenddirname.empty()) return "appenddirname can't be empty";
  return RequireFileName("appenddirname", options.appenddirname, "dirname");
}

Reason CheckShutdownFlags(Options& options) {
  constexpr std::uint32_t kBoth = kShutdownSave | kShutdownNoSave;
  if ((options.shutdown_on_sigint & kBoth) == kBoth ||
      (options.shutdown_on_sigterm & kBoth) == kBoth) {
    return "shutdown options SAVE and NOSAVE can't be used simultaneously";
  }
  return std::nullopt;
}

Reason CheckActivedefrag(Options& options) {
  if (!options.activedefrag) return std::nullopt;
  return "active defragmentation is not available: it needs an allocator made for it";
}

// --- Rows ---------------------------------------------------------------------------------------

constexpr std::string_view kNotRead = "nothing reads it yet";
constexpr std::string_view kNoEviction = "nothing is ever evicted: a queue drops no work";
constexpr std::string_view kFreedBehind = "large ones always are";
constexpr std::string_view kNoDefrag = "there is no active defragmentation";
constexpr std::string_view kNoPolling = "timers and expiry are exact, nothing is polled";
constexpr std::string_view kOneThread = "one thread serves all connections";
constexpr std::string_view kNoPersistence = "there is no persistence yet";
constexpr std::string_view kNoReplication = "there is no replication yet";
constexpr std::string_view kNoAcl = "there are no access control lists yet";
constexpr std::string_view kNoModules = "there are no modules";
constexpr std::string_view kNoType = "this type of value does not exist yet";
constexpr std::string_view kNoTracking = "client-side caching does not exist yet";
constexpr std::string_view kNoDump = "there is no RESTORE yet";

// What a row may say beyond name, value and help.
struct More {
  std::string_view alias = {};
  unsigned flags = 0;
  Reason (*check)(Options& options) = nullptr;
  std::string_view unit = {};
  std::string_view without_effect = {};
};

constexpr OptionSpec Option(std::string_view name, OptionValue value, std::string_view help,
                            More more = {}) {
  if (value.kind == OptionKind::kFlags) more.flags |= kSeveralWords;
  return {.name = name,
          .alias = more.alias,
          .value = value,
          .flags = more.flags,
          .check = more.check,
          .unit = more.unit,
          .help = help,
          .without_effect = more.without_effect};
}

constexpr std::array kNetwork = {
    Option("bind", Special(kBindValue),
           "Addresses to listen on, IPv4 or IPv6; * is all of them. A '-' before one means that it "
           "may be missing. Nothing after the name: no TCP.",
           {.flags = kSeveralWords}),
    Option("bind-source-addr", Text(&Options::bind_source_addr),
           "Address from which connections to other servers are made.",
           {.without_effect = kNoReplication}),
    Option("port", Integer<&Options::port>(0, 65535), "TCP port to listen on; 0 turns TCP off."),
    Option("unixsocket", Text(&Options::unixsocket),
           "Path of a Unix socket to listen on; empty for none.", {.flags = kStartOnly}),
    Option("unixsocketperm", Number<&Options::unixsocketperm>(OptionKind::kOctal, 0, 0777),
           "Permissions of the Unix socket, octal; 0 leaves them to the umask.",
           {.flags = kStartOnly}),
    Option("tcp-backlog", Integer<&Options::tcp_backlog>(0, kIntMax),
           "Connections that may wait to be accepted; the system's somaxconn caps it.",
           {.flags = kStartOnly}),
    Option("tcp-keepalive", Integer<&Options::tcp_keepalive_seconds>(0, kIntMax),
           "Silence after which the system asks whether the other end still lives; 0 never.",
           {.unit = "seconds"}),
    Option("timeout", Integer<&Options::timeout_seconds>(0, kIntMax),
           "Idle time after which a client is disconnected; 0 never. Blocked clients and "
           "subscribers are not idle.",
           {.unit = "seconds"}),
    Option("maxclients", Integer<&Options::maxclients>(1, kUnsignedMax),
           "Connections that are served at the same time; more are refused with an error."),
    Option("protected-mode", Bool<&Options::protected_mode>(),
           "Without a password, serve connections from this machine only."),
    Option("socket-mark-id", Integer<&Options::socket_mark_id>(0, kUnsignedMax),
           "Mark for the packets of the listening sockets; 0 for none.",
           {.flags = kStartOnly, .without_effect = kNotRead}),
    Option("io-threads", Integer<&Options::io_threads>(1, 128),
           "Threads that read and write sockets.",
           {.flags = kStartOnly, .without_effect = kOneThread}),
    Option("io-threads-do-reads", Bool<&Options::io_threads_do_reads>(),
           "Whether those threads also read.", {.flags = kStartOnly, .without_effect = kOneThread}),
};

constexpr std::array kAccess = {
    Option("requirepass", Text(&Options::requirepass),
           "Password that a client must give with AUTH or HELLO; empty for none.",
           {.flags = kSecret}),
    Option("aclfile", Text(&Options::aclfile), "File of users and their rights.",
           {.flags = kStartOnly, .without_effect = kNoAcl}),
    Option("acl-pubsub-default", OneOf<&Options::acl_pubsub_default>(kChannelDefaults),
           "Channels that a new user may use.", {.without_effect = kNoAcl}),
    Option("acllog-max-len", Integer<&Options::acllog_max_len>(0, kLongMax),
           "Entries that ACL LOG keeps.", {.unit = "entries", .without_effect = kNoAcl}),
    Option("enable-debug-command", OneOf<&Options::enable_debug_command>(kPermissions),
           "Who may use DEBUG; local is connections from this machine.", {.flags = kStartOnly}),
    Option("enable-protected-configs", OneOf<&Options::enable_protected_configs>(kPermissions),
           "Who may change dir and dbfilename with CONFIG SET.", {.flags = kStartOnly}),
    Option("enable-module-command", OneOf<&Options::enable_module_command>(kPermissions),
           "Who may use MODULE.", {.flags = kStartOnly, .without_effect = kNoModules}),
};

constexpr std::array kClients = {
    Option("proto-max-bulk-len", Memory<&Options::proto_max_bulk_bytes>(kMegabyte),
           "Largest single argument of a request.", {.unit = "bytes"}),
    Option("client-query-buffer-limit", Memory<&Options::client_query_buffer_limit>(kMegabyte),
           "Largest request that a client may have under way; above it the client is closed.",
           {.unit = "bytes"}),
    Option("client-output-buffer-limit", Special(kOutputBufferLimitValue),
           "What a client may leave unread before it is closed: at once above the hard limit, or "
           "when it stays above the soft limit for so many seconds. Classes are normal, replica "
           "and pubsub; 0 is no limit. One line for each class.",
           {.flags = kSeveralWords, .unit = "bytes and seconds"}),
    Option("maxmemory-clients",
           Number<&Options::maxmemory_clients>(OptionKind::kMemoryOrPercent, -100, kLongMax),
           "Memory that all clients' buffers together may take, or a share of maxmemory; 0 for no "
           "limit.",
           {.unit = "bytes or %", .without_effect = kNotRead}),
    Option("tracking-table-max-keys", Integer<&Options::tracking_table_max_keys>(0, kLongMax),
           "Keys remembered for client-side caching; 0 for no limit.",
           {.unit = "keys", .without_effect = kNoTracking}),
};

constexpr std::array kMemory = {
    Option("maxmemory", Memory<&Options::maxmemory>(),
           "Memory for data and clients. When it is used up, commands that add data are refused "
           "and those that take data out go on. 0 for no limit.",
           {.unit = "bytes"}),
    Option("maxmemory-policy", Special(kMaxmemoryPolicyValue),
           "What is dropped when memory is used up: nothing, as a queue must not lose work."),
    Option("maxmemory-samples", Integer<&Options::maxmemory_samples>(1, kIntMax),
           "Keys looked at for each eviction.", {.without_effect = kNoEviction}),
    Option("maxmemory-eviction-tenacity", Integer<&Options::maxmemory_eviction_tenacity>(0, 100),
           "Effort put into eviction.", {.without_effect = kNoEviction}),
    Option("lfu-log-factor", Integer<&Options::lfu_log_factor>(0, kIntMax),
           "How slowly a key's use counter grows.", {.without_effect = kNoEviction}),
    Option("lfu-decay-time", Integer<&Options::lfu_decay_time>(0, kIntMax),
           "Time in which a key's use counter falls by one.",
           {.unit = "minutes", .without_effect = kNoEviction}),
    Option("lazyfree-lazy-eviction", Bool<&Options::lazyfree_lazy_eviction>(),
           "Free evicted values in the background.", {.without_effect = kNoEviction}),
    Option("lazyfree-lazy-expire", Bool<&Options::lazyfree_lazy_expire>(),
           "Free expired values in the background.", {.without_effect = kFreedBehind}),
    Option("lazyfree-lazy-server-del", Bool<&Options::lazyfree_lazy_server_del>(),
           "Free overwritten values in the background.", {.without_effect = kFreedBehind}),
    Option("lazyfree-lazy-user-del", Bool<&Options::lazyfree_lazy_user_del>(),
           "Let DEL free as UNLINK does."),
    Option("lazyfree-lazy-user-flush", Bool<&Options::lazyfree_lazy_user_flush>(),
           "Let FLUSHDB and FLUSHALL be ASYNC unless they say SYNC."),
    Option("activedefrag", Bool<&Options::activedefrag>(), "Move values to fight fragmentation.",
           {.check = &CheckActivedefrag, .without_effect = kNoDefrag}),
    Option("active-defrag-ignore-bytes", Memory<&Options::active_defrag_ignore_bytes>(1),
           "Fragmentation below which nothing is moved.",
           {.unit = "bytes", .without_effect = kNoDefrag}),
    Option("active-defrag-threshold-lower",
           Integer<&Options::active_defrag_threshold_lower>(0, 1000),
           "Fragmentation at which moving starts.", {.unit = "%", .without_effect = kNoDefrag}),
    Option(
        "active-defrag-threshold-upper", Integer<&Options::active_defrag_threshold_upper>(0, 1000),
        "Fragmentation at which most effort is spent.", {.unit = "%", .without_effect = kNoDefrag}),
    Option("active-defrag-cycle-min", Integer<&Options::active_defrag_cycle_min>(1, 99),
           "Least effort.", {.unit = "% of a processor", .without_effect = kNoDefrag}),
    Option("active-defrag-cycle-max", Integer<&Options::active_defrag_cycle_max>(1, 99),
           "Most effort.", {.unit = "% of a processor", .without_effect = kNoDefrag}),
    Option("active-defrag-max-scan-fields",
           Integer<&Options::active_defrag_max_scan_fields>(1, kLongMax),
           "Values with more elements are moved step by step.",
           {.unit = "elements", .without_effect = kNoDefrag}),
    Option("jemalloc-bg-thread", Bool<&Options::jemalloc_bg_thread>(),
           "Let the allocator give back memory from a thread of its own.",
           {.without_effect = kNotRead}),
};

constexpr std::array kData = {
    Option("databases", Integer<&Options::databases>(1, kIntMax),
           "Number of databases that SELECT can choose from.", {.flags = kStartOnly}),
    Option(
        "notify-keyspace-events", Special(kKeyspaceEventsValue),
        "Events that are published: K and E choose the channel by key or by event, g $ l s h z x "
        "e t d q the class, A all of these classes, m a miss, n a new key. Empty for none."),
    Option("list-max-listpack-size", Integer<&Options::list_max_listpack_size>(kIntMin, kIntMax),
           "Size up to which a list is in its small form: entries, or -1 to -5 for 4, 8, 16, 32, "
           "64 kb.",
           {.alias = "list-max-ziplist-size",
            .without_effect = "a list is in its small form while one block of 8 kb holds it"}),
    Option("list-compress-depth", Integer<&Options::list_compress_depth>(0, kIntMax),
           "Nodes at both ends of a list that are not compressed; 0 compresses none.",
           {.without_effect = kNotRead}),
    Option("zset-max-listpack-entries", Integer<&Options::zset_max_listpack_entries>(0, kLongMax),
           "Members up to which a sorted set is in its small form.",
           {.alias = "zset-max-ziplist-entries", .unit = "members"}),
    Option("zset-max-listpack-value", Memory<&Options::zset_max_listpack_value>(),
           "Longest member of the small form of a sorted set.",
           {.alias = "zset-max-ziplist-value", .unit = "bytes"}),
    Option("hash-max-listpack-entries", Integer<&Options::hash_max_listpack_entries>(0, kLongMax),
           "Fields up to which a hash is in its small form.",
           {.alias = "hash-max-ziplist-entries", .unit = "fields"}),
    Option("hash-max-listpack-value", Memory<&Options::hash_max_listpack_value>(),
           "Longest field or value of the small form of a hash.",
           {.alias = "hash-max-ziplist-value", .unit = "bytes"}),
    Option("set-max-intset-entries", Integer<&Options::set_max_intset_entries>(0, kLongMax),
           "Members up to which a set of integers is in its small form.", {.unit = "members"}),
    Option("set-max-listpack-entries", Integer<&Options::set_max_listpack_entries>(0, kLongMax),
           "Members up to which any other set is in its small form.", {.unit = "members"}),
    Option("set-max-listpack-value", Integer<&Options::set_max_listpack_value>(0, kLongMax),
           "Longest member of the small form of a set.", {.unit = "bytes"}),
    Option("stream-node-max-entries", Integer<&Options::stream_node_max_entries>(0, kLongMax),
           "Entries in one block of a stream; 0 for no limit.", {.unit = "entries"}),
    Option("stream-node-max-bytes", Memory<&Options::stream_node_max_bytes>(),
           "Size of one block of a stream; 0 for no limit.", {.unit = "bytes"}),
    Option("hll-sparse-max-bytes", Memory<&Options::hll_sparse_max_bytes>(),
           "Size up to which a HyperLogLog is in its small form.",
           {.unit = "bytes", .without_effect = kNoType}),
    Option("sanitize-dump-payload", OneOf<&Options::sanitize_dump_payload>(kSanitizePayloads),
           "Whose RESTORE payloads are checked in depth.", {.without_effect = kNoDump}),
    Option("activerehashing", Bool<&Options::activerehashing>(),
           "Spend idle time on growing the main table.",
           {.without_effect = "the table grows piece by piece as it is filled"}),
    Option("hz", Integer<&Options::hz>(0, kIntMax),
           "How often background work is looked for; brought into 1 to 500.",
           {.check = &ClampHz, .unit = "times a second", .without_effect = kNoPolling}),
    Option("dynamic-hz", Bool<&Options::dynamic_hz>(), "Raise hz with the number of clients.",
           {.without_effect = kNoPolling}),
    Option("active-expire-effort", Integer<&Options::active_expire_effort>(1, 10),
           "Effort put into finding expired keys.", {.without_effect = kNoPolling}),
    Option("busy-reply-threshold", Integer<&Options::busy_reply_threshold_ms>(0, kLongMax),
           "Time after which other clients are told that a script is running; 0 never.",
           {.alias = "lua-time-limit", .unit = "milliseconds"}),
    Option("script-time-limit", Integer<&Options::script_time_limit_ms>(0, kLongMax),
           "Time after which a script is ended, whatever it has done; 0 never.",
           {.unit = "milliseconds"}),
    Option("script-memory-limit", Memory<&Options::script_memory_limit>(),
           "Memory that scripts may hold while one runs; 0 without bound.", {.unit = "bytes"}),
    Option("cluster-enabled", Special(kClusterEnabledValue),
           "Cluster mode, which does not exist: only no is taken.", {.flags = kStartOnly}),
};

constexpr std::array kWatching = {
    Option("loglevel", OneOf<&Options::loglevel>(kLogLevels), "How much is logged."),
    Option("logfile", Text(&Options::logfile), "File to log to; empty for standard output.",
           {.flags = kStartOnly}),
    Option("syslog-enabled", Bool<&Options::syslog_enabled>(), "Log to the system's log as well.",
           {.flags = kStartOnly, .without_effect = kNotRead}),
    Option("syslog-ident", Text(&Options::syslog_ident), "Name in the system's log.",
           {.flags = kStartOnly, .without_effect = kNotRead}),
    Option("syslog-facility", OneOf<&Options::syslog_facility>(kSyslogFacilities),
           "Facility of the system's log.", {.flags = kStartOnly, .without_effect = kNotRead}),
    Option("slowlog-log-slower-than", Integer<&Options::slowlog_log_slower_than_us>(-1, kLongMax),
           "Commands that take longer go into SLOWLOG; 0 logs all, -1 none.",
           {.unit = "microseconds"}),
    Option("slowlog-max-len", Integer<&Options::slowlog_max_len>(0, kLongMax),
           "Entries that SLOWLOG keeps.", {.unit = "entries"}),
    Option("latency-monitor-threshold",
           Integer<&Options::latency_monitor_threshold_ms>(0, kLongMax),
           "Events that take at least so long go into LATENCY; 0 turns it off.",
           {.unit = "milliseconds"}),
    Option("latency-tracking", Bool<&Options::latency_tracking>(),
           "Keep a histogram of times for each command (LATENCY HISTOGRAM, INFO latencystats)."),
    Option("latency-tracking-info-percentiles", Special(kPercentilesValue),
           "Percentiles that INFO latencystats shows.", {.flags = kSeveralWords, .unit = "%"}),
    Option("crash-log-enabled", Bool<&Options::crash_log_enabled>(),
           "Log a report when the process crashes.", {.without_effect = kNotRead}),
    Option("crash-memcheck-enabled", Bool<&Options::crash_memcheck_enabled>(),
           "Test the memory when the process crashes.", {.without_effect = kNotRead}),
    Option("watchdog-period", Integer<&Options::watchdog_period_ms>(0, kIntMax),
           "Log where the process is when it does not answer for so long.",
           {.flags = kHidden, .unit = "milliseconds", .without_effect = kNotRead}),
    Option("use-exit-on-panic", Bool<&Options::use_exit_on_panic>(),
           "End with exit() instead of abort() on a bug.",
           {.flags = kHidden, .without_effect = kNotRead}),
};

constexpr std::array kProcess = {
    Option("dir", Text(&Options::dir), "Working directory; files are looked for and written here.",
           {.flags = kProtected}),
    Option("daemonize", Bool<&Options::daemonize>(), "Go to the background.",
           {.flags = kStartOnly}),
    Option("supervised", OneOf<&Options::supervised>(kSupervisions),
           "How to tell the process manager that the broker is ready.",
           {.flags = kStartOnly,
            .without_effect = "whoever sets NOTIFY_SOCKET, as systemd does, is told in any case"}),
    Option("pidfile", Text(&Options::pidfile),
           "File that holds the process number; empty for none.", {.flags = kStartOnly}),
    Option("shutdown-timeout", Integer<&Options::shutdown_timeout_seconds>(0, kIntMax),
           "How long a shutdown waits for replicas that lag behind.",
           {.unit = "seconds", .without_effect = kNoReplication}),
    Option("shutdown-on-sigint", SomeOf<&Options::shutdown_on_sigint>(kShutdownWords),
           "What SIGINT does: as SHUTDOWN with these words.",
           {.check = &CheckShutdownFlags, .without_effect = kNoPersistence}),
    Option("shutdown-on-sigterm", SomeOf<&Options::shutdown_on_sigterm>(kShutdownWords),
           "What SIGTERM does: as SHUTDOWN with these words.",
           {.check = &CheckShutdownFlags, .without_effect = kNoPersistence}),
    Option("set-proc-title", Bool<&Options::set_proc_title>(),
           "Show port and mode in the process list.",
           {.flags = kStartOnly, .without_effect = kNotRead}),
    Option("proc-title-template", Text(&Options::proc_title_template),
           "What the process list shows.", {.without_effect = kNotRead}),
    Option("always-show-logo", Bool<&Options::always_show_logo>(), "Print a banner at start.",
           {.flags = kStartOnly, .without_effect = "there is no banner"}),
    Option("locale-collate", Text(&Options::locale_collate), "Locale that SORT ALPHA follows.",
           {.without_effect = "there is no SORT yet"}),
    Option("ignore-warnings", Text(&Options::ignore_warnings),
           "Warnings about the system that do not keep the broker from starting.",
           {.without_effect = "no such warning exists"}),
    Option(
        "disable-thp", Bool<&Options::disable_thp>(),
        "Use no huge pages. With them look-ups in large sorted sets, sets and hashes are cheaper.",
        {.flags = kStartOnly}),
    Option("oom-score-adj", OneOf<&Options::oom_score_adj>(kOomScoreAdjusts),
           "Whether to tell the system how willingly it may kill this process.",
           {.without_effect = kNotRead}),
    Option("oom-score-adj-values", Special(kOomScoreAdjValuesValue),
           "The scores of a primary, a replica and a background process, each -2000 to 2000.",
           {.flags = kSeveralWords, .without_effect = kNotRead}),
    Option("server_cpulist", Text(&Options::server_cpulist), "Processors for the main thread.",
           {.flags = kStartOnly, .without_effect = kNotRead}),
    Option("bio_cpulist", Text(&Options::bio_cpulist), "Processors for background threads.",
           {.flags = kStartOnly, .without_effect = kNotRead}),
    Option("aof_rewrite_cpulist", Text(&Options::aof_rewrite_cpulist),
           "Processors for the compaction of the log.",
           {.flags = kStartOnly, .without_effect = kNoPersistence}),
    Option("bgsave_cpulist", Text(&Options::bgsave_cpulist), "Processors for snapshots.",
           {.flags = kStartOnly, .without_effect = kNoPersistence}),
};

constexpr std::array kPersistence = {
    Option(
        "save", Special(kSaveValue),
        "Take a snapshot when, after so many seconds, there are so many changes. Several pairs "
        "or several lines; \"\" for never.",
        {.flags = kSeveralWords, .unit = "seconds and changes", .without_effect = kNoPersistence}),
    Option("dbfilename", Text(&Options::dbfilename), "Name of the snapshot file in dir.",
           {.flags = kProtected, .check = &CheckDbfilename, .without_effect = kNoPersistence}),
    Option("rdbcompression", Bool<&Options::rdbcompression>(), "Compress strings in snapshots.",
           {.without_effect = kNoPersistence}),
    Option("rdbchecksum", Bool<&Options::rdbchecksum>(), "Close snapshots with a checksum.",
           {.flags = kStartOnly, .without_effect = kNoPersistence}),
    Option("rdb-save-incremental-fsync", Bool<&Options::rdb_save_incremental_fsync>(),
           "Bring a snapshot to disk in steps while it is written.",
           {.without_effect = kNoPersistence}),
    Option("rdb-del-sync-files", Bool<&Options::rdb_del_sync_files>(),
           "Delete snapshots that were made for replicas only.",
           {.without_effect = kNoPersistence}),
    Option("rdb-key-save-delay", Integer<&Options::rdb_key_save_delay_us>(kIntMin, kIntMax),
           "Pause after each key of a snapshot, for tests.",
           {.flags = kHidden, .unit = "microseconds", .without_effect = kNoPersistence}),
    Option("key-load-delay", Integer<&Options::key_load_delay_us>(kIntMin, kIntMax),
           "Pause after each key that is loaded, for tests.",
           {.flags = kHidden, .unit = "microseconds", .without_effect = kNoPersistence}),
    Option("loading-process-events-interval-bytes",
           Memory<&Options::loading_process_events_interval_bytes>(1024, kIntMax),
           "How much is loaded before clients are looked after.",
           {.flags = kHidden, .unit = "bytes", .without_effect = kNoPersistence}),
    Option("stop-writes-on-bgsave-error", Bool<&Options::stop_writes_on_bgsave_error>(),
           "Refuse writes while snapshots fail.", {.without_effect = kNoPersistence}),
    Option("appendonly", Bool<&Options::appendonly>(), "Keep a log of every change.",
           {.without_effect = kNoPersistence}),
    Option("appendfsync", OneOf<&Options::appendfsync>(kAppendFsyncs),
           "When the log is brought to disk: before the reply, every second, or when the system "
           "likes.",
           {.without_effect = kNoPersistence}),
    Option("appendfilename", Text(&Options::appendfilename), "Base name of the files of the log.",
           {.flags = kStartOnly, .check = &CheckAppendfilename, .without_effect = kNoPersistence}),
    Option("appenddirname", Text(&Options::appenddirname), "Directory of the log within dir.",
           {.flags = kStartOnly, .check = &CheckAppenddirname, .without_effect = kNoPersistence}),
    Option("no-appendfsync-on-rewrite", Bool<&Options::no_appendfsync_on_rewrite>(),
           "Do not bring the log to disk while it is compacted.",
           {.without_effect = kNoPersistence}),
    Option("auto-aof-rewrite-percentage",
           Integer<&Options::auto_aof_rewrite_percentage>(0, kIntMax),
           "Growth after which the log is compacted; 0 never.",
           {.unit = "%", .without_effect = kNoPersistence}),
    Option("auto-aof-rewrite-min-size", Memory<&Options::auto_aof_rewrite_min_size>(),
           "Size below which the log is not compacted.",
           {.unit = "bytes", .without_effect = kNoPersistence}),
    Option("aof-load-truncated", Bool<&Options::aof_load_truncated>(),
           "Start although the end of the log is cut off.", {.without_effect = kNoPersistence}),
    Option("aof-use-rdb-preamble", Bool<&Options::aof_use_rdb_preamble>(),
           "Begin a compacted log with a snapshot.", {.without_effect = kNoPersistence}),
    Option("aof-timestamp-enabled", Bool<&Options::aof_timestamp_enabled>(),
           "Write times into the log.", {.without_effect = kNoPersistence}),
    Option("aof-rewrite-incremental-fsync", Bool<&Options::aof_rewrite_incremental_fsync>(),
           "Bring a compacted log to disk in steps while it is written.",
           {.without_effect = kNoPersistence}),
    Option("aof-disable-auto-gc", Bool<&Options::aof_disable_auto_gc>(),
           "Keep files of the log that are no longer needed.",
           {.flags = kHidden, .without_effect = kNoPersistence}),
};

constexpr std::array kReplication = {
    Option("replicaof", Special(kReplicaOfValue), "The primary to copy: host and port, or no one.",
           {.alias = "slaveof",
            .flags = kStartOnly | kSeveralWords,
            .without_effect = kNoReplication}),
    Option("masteruser", Text(&Options::masteruser), "User name at the primary.",
           {.flags = kSecret, .without_effect = kNoReplication}),
    Option("masterauth", Text(&Options::masterauth), "Password at the primary.",
           {.flags = kSecret, .without_effect = kNoReplication}),
    Option("replica-read-only", Bool<&Options::replica_read_only>(), "A replica refuses writes.",
           {.alias = "slave-read-only", .without_effect = kNoReplication}),
    Option("replica-serve-stale-data", Bool<&Options::replica_serve_stale_data>(),
           "A replica answers reads while it is cut off.",
           {.alias = "slave-serve-stale-data", .without_effect = kNoReplication}),
    Option("replica-ignore-maxmemory", Bool<&Options::replica_ignore_maxmemory>(),
           "A replica leaves the memory limit to its primary.",
           {.alias = "slave-ignore-maxmemory", .without_effect = kNoReplication}),
    Option("replica-lazy-flush", Bool<&Options::replica_lazy_flush>(),
           "A replica frees its old data in the background.",
           {.alias = "slave-lazy-flush", .without_effect = kNoReplication}),
    Option("replica-announced", Bool<&Options::replica_announced>(),
           "Show this replica in lists of replicas.", {.without_effect = kNoReplication}),
    Option("replica-announce-ip", Text(&Options::replica_announce_ip),
           "Address under which a replica is known.",
           {.alias = "slave-announce-ip", .without_effect = kNoReplication}),
    Option("replica-announce-port", Integer<&Options::replica_announce_port>(0, 65535),
           "Port under which a replica is known; 0 for the real one.",
           {.alias = "slave-announce-port", .without_effect = kNoReplication}),
    Option("replica-priority", Integer<&Options::replica_priority>(0, kIntMax),
           "The lowest is promoted first; 0 never.",
           {.alias = "slave-priority", .without_effect = kNoReplication}),
    Option("replica-ignore-disk-write-errors", Bool<&Options::replica_ignore_disk_write_errors>(),
           "A replica goes on when its disk fails.", {.without_effect = kNoReplication}),
    Option("propagation-error-behavior",
           OneOf<&Options::propagation_error_behavior>(kPropagationErrors),
           "What happens when a replicated change cannot be applied.",
           {.without_effect = kNoReplication}),
    Option("min-replicas-to-write", Integer<&Options::min_replicas_to_write>(0, kIntMax),
           "Refuse writes with fewer replicas in step; 0 for no such rule.",
           {.alias = "min-slaves-to-write", .without_effect = kNoReplication}),
    Option("min-replicas-max-lag", Integer<&Options::min_replicas_max_lag_seconds>(0, kIntMax),
           "Silence up to which a replica counts as in step.",
           {.alias = "min-slaves-max-lag", .unit = "seconds", .without_effect = kNoReplication}),
    Option("repl-timeout", Integer<&Options::repl_timeout_seconds>(1, kIntMax),
           "Silence after which the other side counts as lost.",
           {.unit = "seconds", .without_effect = kNoReplication}),
    Option(
        "repl-ping-replica-period", Integer<&Options::repl_ping_replica_period_seconds>(1, kIntMax),
        "How often a primary pings its replicas.",
        {.alias = "repl-ping-slave-period", .unit = "seconds", .without_effect = kNoReplication}),
    Option("repl-backlog-size", Memory<&Options::repl_backlog_size>(1),
           "Recent changes that are kept for replicas that come back; at least 16kb.",
           {.check = &ClampBacklog, .unit = "bytes", .without_effect = kNoReplication}),
    Option("repl-backlog-ttl", Integer<&Options::repl_backlog_ttl_seconds>(0, kLongMax),
           "Time without replicas after which these changes are dropped; 0 never.",
           {.unit = "seconds", .without_effect = kNoReplication}),
    Option("repl-disable-tcp-nodelay", Bool<&Options::repl_disable_tcp_nodelay>(),
           "Send to replicas in fewer, later packets.", {.without_effect = kNoReplication}),
    Option("repl-diskless-sync", Bool<&Options::repl_diskless_sync>(),
           "Send snapshots to replicas without a file.", {.without_effect = kNoReplication}),
    Option("repl-diskless-sync-delay",
           Integer<&Options::repl_diskless_sync_delay_seconds>(0, kIntMax),
           "Time to wait for more replicas before such a snapshot.",
           {.unit = "seconds", .without_effect = kNoReplication}),
    Option("repl-diskless-sync-max-replicas",
           Integer<&Options::repl_diskless_sync_max_replicas>(0, kIntMax),
           "Do not wait longer once so many replicas are there; 0 for no such rule.",
           {.without_effect = kNoReplication}),
    Option("repl-diskless-load", OneOf<&Options::repl_diskless_load>(kDisklessLoads),
           "Whether a replica loads a snapshot without a file.",
           {.without_effect = kNoReplication}),
};

constexpr std::array kTable = {
    OptionSection{"Network", kNetwork},
    OptionSection{"Access", kAccess},
    OptionSection{"Clients", kClients},
    OptionSection{"Memory", kMemory},
    OptionSection{"Data", kData},
    OptionSection{"Watching", kWatching},
    OptionSection{"Process", kProcess},
    OptionSection{"Persistence", kPersistence},
    OptionSection{"Replication", kReplication},
};

}  // namespace

std::span<const OptionSection> OptionTable() { return kTable; }

const OptionSpec* FindOption(std::string_view name) {
  for (const OptionSection& section : kTable) {
    for (const OptionSpec& spec : section.options) {
      const bool by_alias = !spec.alias.empty() && EqualsIgnoreCase(name, spec.alias);
      if (by_alias || EqualsIgnoreCase(name, spec.name)) return &spec;
    }
  }
  return nullptr;
}

}  // namespace rung

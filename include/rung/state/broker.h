// Broker: everything that one engine remembers — keys, clients, waits, statistics — as plain parts
// that commands use directly. There is no global; each part has its own small header.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rung/base/rng.h"
#include "rung/base/time.h"
#include "rung/config/config.h"
#include "rung/resp/reply_buffer.h"
#include "rung/state/effect_log.h"
#include "rung/state/host.h"
#include "rung/state/latency_monitor.h"
#include "rung/state/pub_sub.h"
#include "rung/state/script_run.h"
#include "rung/state/session.h"
#include "rung/state/slow_log.h"
#include "rung/state/statistics.h"
#include "rung/state/waiters.h"
#include "rung/store/keyspace.h"

namespace rung {

// CLIENT PAUSE: until when commands are held back, and which.
struct Pause {
  std::optional<MonoTime> until;
  bool writes_only = false;
};

// SHUTDOWN, as asked by a client; the host carries it out at the end of the turn.
struct ShutdownRequest {
  bool force = false;
  bool now = false;
  Session* client = nullptr;  // Answered if the shutdown fails.
};

class Broker {
 public:
  // `config`, `clock` and `host` must outlive the broker. Equal seeds and equal inputs give equal
  // outputs, byte for byte.
  Broker(Config& config_ref, Clock& clock_ref, Host& host_ref, std::uint64_t seed);

  Config& config;
  Clock& clock;
  Host& host;

  Rng rng;
  const std::string run_id;  // 40 hexadecimal digits, new at each start.
  const std::int64_t started_wall_ms;

  BlockPool blocks;  // Outlives the sessions below.
  Store store;
  EffectLog effects;
  Waiters waiters;
  Watchers watchers;
  PubSub pub_sub;
  std::map<SessionId, std::unique_ptr<Session>> sessions;  // Ordered by age.
  std::vector<Session*> monitors;                          // Those that sent MONITOR.

  Statistics statistics;
  SlowLog slow_log;
  LatencyMonitor latency;

  Pause pause;
  ScriptRun script;
  std::optional<ShutdownRequest> shutdown;

  const Options& options() const { return config.options(); }
  // Hands the options that others keep a copy of to them: at the start, and after CONFIG SET.
  void ApplyOptions();
};

}  // namespace rung

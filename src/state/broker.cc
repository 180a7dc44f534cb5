// Putting the parts together. See broker.h.

#include "rung/state/broker.h"

#include <string_view>

namespace rung {
namespace {

std::string MakeRunId(Rng& rng) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id;
  for (int i = 0; i < 40; ++i) id.push_back(kDigits[rng.Below(16)]);
  return id;
}

}  // namespace

Broker::Broker(Config& config_ref, Clock& clock_ref, Host& host_ref, std::uint64_t seed)
    : config(config_ref),
      clock(clock_ref),
      host(host_ref),
      rng(seed),
      run_id(MakeRunId(rng)),
      started_wall_ms(clock_ref.Read().wall_ms()),
      store(config_ref.options().databases, rng.Next()),
      waiters(config_ref.options().databases),
      watchers(config_ref.options().databases) {
  ApplyOptions();
}

void Broker::ApplyOptions() {
  store.set_event_mask(options().notify_keyspace_events);
  store.set_value_limits({.sorted_set = {.entries_max = options().zset_max_listpack_entries,
                                         .value_bytes_max = options().zset_max_listpack_value}});
  slow_log.Trim(options().slowlog_max_len);
  // Without a password everybody is let in, also those who came while there was one.
  if (options().requirepass.empty()) {
    for (const auto& [id, session] : sessions) session->authenticated = true;
  }
}

}  // namespace rung

// The one place that refuses what the options can ask for and the broker cannot do yet: silence
// would be taken for a promise. A feature that arrives deletes its line here.

#include "config/option_spec.h"

namespace rung {

Reason RefuseWhatDoesNotExistYet(const Options& options) {
  if (options.appendonly) return "persistence is not available yet: appendonly must be no";
  if (!options.save_points.empty()) return "persistence is not available yet: save must be \"\"";
  if (!options.primary_host.empty()) return "replication is not available yet";
  if (!options.aclfile.empty()) return "ACL files are not available yet: use requirepass";
  if (options.syslog_enabled) return "syslog is not available yet: use logfile";
  return std::nullopt;
}

}  // namespace rung

// What an engine's keys hold, for comparing two engines.
#pragma once

#include <map>
#include <string>

#include "rung/engine/engine.h"

namespace rung::testing {

// Of each key ("0:name") its type, contents and expiry. Checks the invariants of all databases.
inline std::map<std::string, std::string> SummaryOfKeys(Engine& engine) {
  std::map<std::string, std::string> summary;
  Store& store = engine.broker().store;
  for (int i = 0; i < store.database_count(); ++i) {
    store.database(i).CheckInvariants();
    store.database(i).ForEach([&](const Entry& entry) {
      std::string text(TypeName(entry.type()));
      text += ' ' + entry.ValueDigest().Hex();
      if (entry.has_expiry()) text += " until " + std::to_string(entry.expire_at());
      summary[std::to_string(i) + ":" + std::string(entry.key())] = text;
    });
  }
  return summary;
}

}  // namespace rung::testing

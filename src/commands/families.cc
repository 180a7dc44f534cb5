// The list itself. See families.h.

#include "commands/families.h"

namespace rung {

// clang-format off: one line a family, so that two changes of the list do not meet in one line.
std::vector<std::span<const CommandSpec>> AllFamilies() {
  return {
      BitCommands(),
      ConnectionCommands(),   KeyCommands(),        KeyExpiryCommands(),   KeyScanCommands(),
      ListCommands(),         ListMoveCommands(),   ListPopCommands(),     StreamClaimCommands(),
      StreamGroupCommands(),  StreamInfoCommands(), StreamReadCommands(),  StreamWriteCommands(),
      StringChangeCommands(), StringSetCommands(),  TransactionCommands(),
  };
}
// clang-format on

}  // namespace rung

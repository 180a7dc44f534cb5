// The list itself. See families.h.

#include "commands/families.h"

namespace rung {

std::vector<std::span<const CommandSpec>> AllFamilies() {
  return {
      ConnectionCommands(), KeyCommands(),         KeyExpiryCommands(), KeyScanCommands(),
      ListCommands(),       ListMoveCommands(),    ListPopCommands(),   StringChangeCommands(),
      StringSetCommands(),  TransactionCommands(),
  };
}

}  // namespace rung

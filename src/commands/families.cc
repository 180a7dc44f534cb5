// The list itself. See families.h.

#include "commands/families.h"

namespace rung {

// One line a family, so that two changes of the list do not meet in one line.
// clang-format off
std::vector<std::span<const CommandSpec>> AllFamilies() {
  return {
      BitCommands(),
      ClientCommands(),
      ClusterCommands(),
      CommandCommands(),
      ConfigCommands(),
      ConnectionCommands(),
      DatabaseCommands(),
      DebugCommands(),
      FunctionCommands(),
      HashAllCommands(),
      HashCommands(),
      InfoCommands(),
      KeyCommands(),
      KeyExpiryCommands(),
      KeyScanCommands(),
      LatencyCommands(),
      ListCommands(),
      ListMoveCommands(),
      ListPopCommands(),
      MemoryCommands(),
      ObjectCommands(),
      PersistenceCommands(),
      PubSubCommands(),
      ScriptCommands(),
      QueueAddCommands(),
      QueueCronCommands(),
      QueueEffectCommands(),
      QueueExplainCommands(),
      QueueFinishCommands(),
      QueueManageCommands(),
      QueuePrioCommands(),
      QueueReadCommands(),
      QueueStatsCommands(),
      QueueTakeCommands(),
      ServerCommands(),
      SetCombineCommands(),
      SetCommands(),
      SlowLogCommands(),
      StreamClaimCommands(),
      StreamGroupCommands(),
      StreamInfoCommands(),
      StreamReadCommands(),
      StreamWriteCommands(),
      StringChangeCommands(),
      StringSetCommands(),
      TransactionCommands(),
      ZSetAddCommands(),
      ZSetCombineCommands(),
      ZSetPopAnyCommands(),
      ZSetPopCommands(),
      ZSetRangeCommands(),
      ZSetReadCommands(),
      ZSetRemoveCommands(),
      ZSetSampleCommands(),
  };
}
// clang-format on

}  // namespace rung

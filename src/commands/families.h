// The list of command families: one function per file that declares commands. An explicit list and
// not self-registering objects: a linker drops what nobody names, and a reader sees all of it here.
#pragma once

#include <span>
#include <vector>

#include "rung/commands/command.h"

namespace rung {

// Every family, each once; families.cc has the list.
std::vector<std::span<const CommandSpec>> AllFamilies();

std::span<const CommandSpec> BitCommands();           // bits.cc
std::span<const CommandSpec> ClientCommands();        // client.cc
std::span<const CommandSpec> ClusterCommands();       // cluster.cc
std::span<const CommandSpec> CommandCommands();       // command_command.cc
std::span<const CommandSpec> ConfigCommands();        // config_command.cc
std::span<const CommandSpec> ConnectionCommands();    // connection.cc
std::span<const CommandSpec> DatabaseCommands();      // databases.cc
std::span<const CommandSpec> DebugCommands();         // debug.cc
std::span<const CommandSpec> FunctionCommands();      // function.cc
std::span<const CommandSpec> HashAllCommands();       // hash_all.cc
std::span<const CommandSpec> HashCommands();          // hash.cc
std::span<const CommandSpec> InfoCommands();          // info.cc
std::span<const CommandSpec> KeyCommands();           // keys.cc
std::span<const CommandSpec> KeyExpiryCommands();     // keys_expiry.cc
std::span<const CommandSpec> KeyScanCommands();       // keys_scan.cc
std::span<const CommandSpec> LatencyCommands();       // latency.cc
std::span<const CommandSpec> ListCommands();          // list.cc
std::span<const CommandSpec> ListMoveCommands();      // list_move.cc
std::span<const CommandSpec> ListPopCommands();       // list_pop.cc
std::span<const CommandSpec> MemoryCommands();        // memory_command.cc
std::span<const CommandSpec> ObjectCommands();        // object.cc
std::span<const CommandSpec> PersistenceCommands();   // persistence.cc
std::span<const CommandSpec> PubSubCommands();        // pub_sub.cc
std::span<const CommandSpec> ScriptCommands();        // script.cc
std::span<const CommandSpec> QueueAddCommands();      // queue_add.cc
std::span<const CommandSpec> QueueCronCommands();     // queue_cron.cc
std::span<const CommandSpec> QueueEffectCommands();   // queue_effect.cc
std::span<const CommandSpec> QueueExplainCommands();  // queue_explain.cc
std::span<const CommandSpec> QueueFinishCommands();   // queue_finish.cc
std::span<const CommandSpec> QueueManageCommands();   // queue_manage.cc
std::span<const CommandSpec> QueuePrioCommands();     // queue_prio.cc
std::span<const CommandSpec> QueueReadCommands();     // queue_read.cc
std::span<const CommandSpec> QueueStatsCommands();    // queue_stats.cc
std::span<const CommandSpec> QueueTakeCommands();     // queue_take.cc
std::span<const CommandSpec> ServerCommands();        // server.cc
std::span<const CommandSpec> SetCombineCommands();    // set_combine.cc
std::span<const CommandSpec> SetCommands();           // set.cc
std::span<const CommandSpec> SlowLogCommands();       // slow_log_command.cc
std::span<const CommandSpec> StreamClaimCommands();   // stream_claim.cc
std::span<const CommandSpec> StreamGroupCommands();   // stream_group.cc
std::span<const CommandSpec> StreamInfoCommands();    // stream_info.cc
std::span<const CommandSpec> StreamReadCommands();    // stream_read.cc
std::span<const CommandSpec> StreamWriteCommands();   // stream_write.cc
std::span<const CommandSpec> StringChangeCommands();  // string_change.cc
std::span<const CommandSpec> StringSetCommands();     // string_set.cc
std::span<const CommandSpec> TransactionCommands();   // transaction.cc
std::span<const CommandSpec> ZSetAddCommands();       // zset_add.cc
std::span<const CommandSpec> ZSetCombineCommands();   // zset_combine.cc
std::span<const CommandSpec> ZSetPopAnyCommands();    // zset_pop_any.cc
std::span<const CommandSpec> ZSetPopCommands();       // zset_pop.cc
std::span<const CommandSpec> ZSetRangeCommands();     // zset_range.cc
std::span<const CommandSpec> ZSetReadCommands();      // zset_read.cc
std::span<const CommandSpec> ZSetRemoveCommands();    // zset_remove.cc
std::span<const CommandSpec> ZSetSampleCommands();    // zset_sample.cc

}  // namespace rung

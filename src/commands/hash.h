// What the hash commands share.
#pragma once

#include "rung/commands/context.h"
#include "rung/types/hash.h"

namespace rung {

// Where hashes change their form, by the options of now.
HashRules HashRulesOf(ExecContext& ctx);

}  // namespace rung

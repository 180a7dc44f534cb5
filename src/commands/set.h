// What the set commands share.
#pragma once

#include "rung/commands/context.h"
#include "rung/types/set.h"

namespace rung {

// Where sets change their encoding, by the options of now.
SetRules SetRulesOf(const ExecContext& ctx);

}  // namespace rung

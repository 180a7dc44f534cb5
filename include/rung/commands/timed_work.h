// The timed work of values (a queue's leases and delays), for the engine's tick.
#pragma once

#include "rung/commands/context.h"
#include "rung/state/broker.h"

namespace rung {

// Does what is due now in the value whose deadline is next, of all databases: some hundred pieces
// at most. Requires that Store::NextTimed() is not later than the store's time.
void RunNextTimedWork(Broker& broker, Dispatcher& dispatcher);

}  // namespace rung

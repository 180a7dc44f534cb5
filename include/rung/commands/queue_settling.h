// The timed work of queues, for the engine's tick.
#pragma once

#include "rung/commands/context.h"
#include "rung/state/broker.h"

namespace rung {

// Does what is due now in the queue whose deadline is next, of all databases: some hundred jobs at
// most. Requires that Store::NextTimed() is not later than the store's time.
void SettleNextQueue(Broker& broker, Dispatcher& dispatcher);

}  // namespace rung

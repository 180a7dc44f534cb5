// Where the memory is, for INFO memory, MEMORY STATS and MEMORY DOCTOR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rung/commands/context.h"

namespace rung {

struct MemoryReport {
  std::size_t allocated = 0;  // Handed out by the allocator.
  std::size_t peak = 0;
  std::size_t startup = 0;   // As the server began, with no data.
  std::size_t clients = 0;   // Buffers and state of clients.
  std::size_t tables = 0;    // Of the databases, without the keys.
  std::size_t overhead = 0;  // All that is not data: startup, clients, tables.
  std::size_t dataset = 0;   // The rest.
  std::size_t keys = 0;
  std::size_t resident = 0;                            // Of the process.
  std::size_t allocator_active = 0;                    // Pages with something in them.
  std::size_t allocator_resident = 0;                  // Pages of the allocator in memory.
  std::size_t system = 0;                              // Of the machine.
  std::vector<std::pair<int, std::size_t>> databases;  // Those with keys, and their tables' bytes.

  double PeakPercent() const;
  double DatasetPercent() const;  // Of what has come since the start.

  // How much larger the second is than the first: factor and bytes.
  struct Overhead {
    double ratio = 0;
    std::int64_t bytes = 0;
  };
  Overhead Fragmentation() const;      // Within the allocator's pages.
  Overhead AllocatorResident() const;  // Pages kept without content.
  Overhead Process() const;            // Memory of the process outside the allocator.
  Overhead Total() const;              // All of these.
};

// O(clients).
MemoryReport MakeMemoryReport(ExecContext& ctx);

}  // namespace rung

// Cursors and options of the SCAN family.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rung/base/glob.h"
#include "rung/commands/arg_reader.h"

namespace rung {

struct ScanRequest {
  std::uint64_t cursor = 0;
  std::size_t count = 10;                     // Elements to look at, about.
  std::optional<std::string_view> pattern{};  // Nothing: everything matches.
  std::optional<std::string_view> type{};     // SCAN only: the name of a value type.

  bool Matches(std::string_view name) const { return !pattern || GlobMatch(*pattern, name); }

  // Portions are scanned until enough elements were looked at; this bounds the portions, so that a
  // sparse table cannot stretch one call.
  std::size_t portions_max() const { return count * 10; }
};

enum class ScanOf : std::uint8_t { kKeys, kElements };

// Reads a cursor; "ERR invalid cursor" if it is none.
std::uint64_t TakeCursor(ArgReader& args);

// Reads MATCH, COUNT and (for kKeys) TYPE until the end of the request.
void ReadScanOptions(ArgReader& args, ScanOf of, ScanRequest& request);

}  // namespace rung

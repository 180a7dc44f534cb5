// Reading the options of the SCAN family. See scan_options.h.

#include "commands/scan_options.h"

#include <limits>

#include "rung/base/numbers.h"

namespace rung {

std::uint64_t TakeCursor(ArgReader& args) {
  const std::optional<std::uint64_t> cursor = ParseUint64(args.Bytes());
  if (!cursor) args.Fail(errors::kInvalidCursor);
  return cursor.value_or(0);
}

void ReadScanOptions(ArgReader& args, ScanOf of, ScanRequest& request) {
  // More than this is looked at in several calls whatever is asked for.
  constexpr std::int64_t kCountMax = std::numeric_limits<std::int32_t>::max();
  while (args.More()) {
    if (args.TakeWithValue("MATCH")) {
      request.pattern = args.Bytes();
      if (*request.pattern == "*") request.pattern.reset();
    } else if (args.TakeWithValue("COUNT")) {
      const std::int64_t count = args.Integer();
      if (args.ok() && count < 1) args.Fail(errors::kSyntax);
      request.count = static_cast<std::size_t>(count < kCountMax ? count : kCountMax);
    } else if (of == ScanOf::kKeys && args.TakeWithValue("TYPE")) {
      request.type = args.Bytes();
    } else {
      args.Fail(errors::kSyntax);
    }
  }
}

}  // namespace rung

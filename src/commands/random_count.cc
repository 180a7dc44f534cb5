// Reading random counts. See random_count.h.

#include "commands/random_count.h"

#include <limits>

namespace rung {

RandomCount ReadRandomCount(ArgReader& args, std::string_view value_word) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  RandomCount request;
  request.single = !args.More();
  if (request.single) return request;
  const std::int64_t count = args.IntegerIn(-kMax, kMax,
                                            "ERR value is out of range, value must between "
                                            "-9223372036854775807 and 9223372036854775807");
  if (args.More()) {
    if (value_word.empty() || args.left() > 1 || !args.Take(value_word)) {
      args.Fail(errors::kSyntax);
    }
    request.with_values = true;
    // As many words as the array of RESP2 would have.
    if (count < -kMax / 2 || count > kMax / 2) args.Fail(errors::kOutOfRange);
  }
  request.repeats = count < 0;
  request.count = static_cast<std::size_t>(count < 0 ? -count : count);
  if (request.repeats && request.count > kRepetitionsMax) args.Fail(errors::kOutOfRange);
  return request;
}

}  // namespace rung

// The request parser under any bytes, in any pieces: it must never read outside them, and where the
// pieces are cut must not matter.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rung/base/check.h"
#include "rung/resp/request_parser.h"

namespace {

using rung::RequestLimits;
using rung::RequestParser;

// Everything that the parser makes of `input` when it comes in pieces of `piece` bytes.
std::vector<std::string> ParseInPieces(std::string_view input, std::size_t piece,
                                       bool authenticated) {
  const RequestLimits limits{.bulk_bytes_max = 1 << 20, .authenticated = authenticated};
  std::vector<std::string> seen;
  RequestParser parser;
  std::string buffer;
  for (std::size_t at = 0; at < input.size(); at += piece) {
    buffer += input.substr(at, piece);
    while (!buffer.empty()) {
      const RequestParser::Status status = parser.Next(buffer, limits);
      if (status == RequestParser::Status::kNeedMore) break;
      if (status == RequestParser::Status::kError) {
        seen.push_back("error " + parser.error());
        return seen;
      }
      std::string request = "request";
      for (const std::string_view arg : parser.args()) {
        request += ' ';
        request += arg;
      }
      seen.push_back(std::move(request));
      buffer.erase(0, parser.consumed());
    }
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool authenticated = (data[0] & 1) != 0;
  const std::size_t piece = 1 + (data[0] >> 1) % 32;
  const std::vector<std::string> whole = ParseInPieces(input, input.size() + 1, authenticated);
  const std::vector<std::string> pieces = ParseInPieces(input, piece, authenticated);
  RUNG_CHECK(whole == pieces, "the cut between two pieces changed what was understood");
  return 0;
}

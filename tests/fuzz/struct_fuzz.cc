// struct under any format and any data: the values that are found pack to bytes that hold the same.
//
// Input: [memory: 1 bit, length of the format: 7 bits][format][data].

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kit/script_fuzz.h"

namespace {

constexpr std::string_view kScript = R"(
local format, data = ...
pcall(struct.size, format)
pcall(struct.unpack, format, data, 3)
pcall(struct.pack, format, data, data, data)
pcall(struct.pack, format, 1e300, -1, 0/0)
local function again(packed) return struct.pack(format, struct.unpack(format, packed)) end
local first = again(data)
-- The number that c0 takes for a length is not among the values.
if string.find(format, 'c0', 1, true) then return end
if again(first) ~= first then error('BROKEN: packs to other bytes') end
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t format_bytes = std::min<std::size_t>(data[0] >> 1, input.size());
  rung::testing::RunOnInput(kScript, (data[0] & 1) != 0,
                            {input.substr(0, format_bytes), input.substr(format_bytes)});
  return 0;
}

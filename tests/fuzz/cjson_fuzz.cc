// cjson.decode under any bytes. What it takes for a value encodes to a text that decodes and
// encodes to one as long.
//
// Input: [memory and settings: 1 byte][text].

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kit/script_fuzz.h"

namespace {

constexpr std::string_view kScript = R"(
local text, settings = ...
local bits = string.byte(settings)
cjson.decode_invalid_numbers(bit.band(bits, 2) == 0)
cjson.encode_invalid_numbers(bit.band(bits, 4) == 0 and 'null' or 'on')
if bit.band(bits, 8) ~= 0 then cjson.decode_max_depth(5) end
if bit.band(bits, 16) ~= 0 then cjson.encode_max_depth(4) end
if bit.band(bits, 32) ~= 0 then cjson.encode_number_precision(3) end
local first = cjson.encode(cjson.decode(text))
cjson.decode_invalid_numbers(true)
local decoded, value = pcall(cjson.decode, first)
if not decoded then
  if string.find(value, 'memory') then error(value) end
  error('BROKEN: does not decode what it encoded: ' .. value)
end
local second = cjson.encode(value)
if #first ~= #second then error('BROKEN: encodes to another size') end
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  rung::testing::RunOnInput(kScript, (data[0] & 1) != 0, {input.substr(1), input.substr(0, 1)});
  return 0;
}

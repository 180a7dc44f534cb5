// cmsgpack.unpack under any bytes. What it takes for values packs to bytes that unpack and pack to
// as many again, and one value at a time gives as many values as all at once.
//
// Input: [memory: 1 bit of 1 byte][bytes to unpack].

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kit/script_fuzz.h"

namespace {

constexpr std::string_view kScript = R"(
local input = ...
local function again(packed) return cmsgpack.pack(cmsgpack.unpack(packed)) end
pcall(cmsgpack.unpack_limit, input, 3, 1)
local first = again(input)
local second = again(first)
local third = again(second)
if #second ~= #third then error('BROKEN: packs to another size') end
local count, offset = 0, 0
repeat
  offset = cmsgpack.unpack_one(second, offset)
  count = count + 1
until offset == -1
if count ~= select('#', cmsgpack.unpack(second)) then error('BROKEN: another count') end
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  rung::testing::RunOnInput(kScript, (data[0] & 1) != 0, {input});
  return 0;
}

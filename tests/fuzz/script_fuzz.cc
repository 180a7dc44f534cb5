// Values between Lua and RESP, both ways, under any bytes: a script returns what cmsgpack makes of
// the input, what a command replies, and both in a table. Nothing crashes, replies are well-formed,
// and the effects replayed into a fresh engine give the same keys.
//
// Input: [flags: 1 byte][words of a command, to the end of the line][bytes to unpack].

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kit/engine_test.h"
#include "kit/key_summary.h"
#include "kit/reply.h"
#include "rung/base/check.h"
#include "rung/engine/engine.h"

namespace {

using namespace rung;
using namespace rung::testing;

enum Flag : std::uint8_t { kClientResp3 = 1, kScriptResp3 = 2, kInTransaction = 4, kRaise = 8 };

constexpr std::string_view kScript = R"(
redis.setresp(tonumber(ARGV[1]))
local function values() return cmsgpack.unpack(ARGV[3]) end
local ok, value = pcall(values)
local words = {}
for i = 4, #ARGV do words[i - 3] = ARGV[i] end
local reply = redis.pcall(unpack(words))
local packed = cmsgpack.pack(reply)
local text = select(2, pcall(cjson.encode, {value, reply}))
redis.call('SET', 'packed', packed)
redis.pcall('RPUSH', 'values', value, reply)
if ARGV[2] == '1' then error(ok and value or reply) end
return {value, reply, text, {ok = value}, {map = {[1] = value}}, {set = {reply}}}
)";
constexpr std::string_view kReturnIt = "return (cmsgpack.unpack(ARGV[1]))";

class Harness final : public EngineTest {
 public:
  void TestBody() override {}
};

void Prepare(Client& client) {
  for (const char* const line : {"SET text words", "RPUSH list a b", "HSET hash f v", "SADD set m",
                                 "ZADD zset 1.5 a 2 b", "XADD stream 1-1 f v"}) {
    client.Call(line);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::uint8_t flags = data[0];
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t line = std::min(input.find('\n'), input.size());
  const std::string bytes(input.substr(std::min(line + 1, input.size())));
  Harness harness;
  Client client = (flags & kClientResp3) != 0 ? harness.ConnectResp3() : harness.Connect();
  Prepare(client);
  std::vector<std::string> request = {"EVAL",
                                      std::string(kScript),
                                      "0",
                                      (flags & kScriptResp3) != 0 ? "3" : "2",
                                      (flags & kRaise) != 0 ? "1" : "0",
                                      bytes};
  for (const std::string& word : SplitWords(std::string(input.substr(0, line)))) {
    request.push_back(word);
  }
  if ((flags & kInTransaction) != 0) client.SendRaw(EncodeRequest({"MULTI"}));
  client.SendRaw(EncodeRequest(request));
  client.SendRaw(EncodeRequest({"EVAL_RO", std::string(kReturnIt), "0", bytes}));
  if ((flags & kInTransaction) != 0) client.SendRaw(EncodeRequest({"EXEC"}));
  while (client.TryRead()) {
  }
  Harness replayed;
  Client replayer = replayed.Connect();
  replayer.SendRaw(harness.log.bytes);
  while (replayer.TryRead()) {
  }
  RUNG_CHECK(SummaryOfKeys(*harness.engine) == SummaryOfKeys(*replayed.engine),
             "the effects do not rebuild the keys");
  return 0;
}

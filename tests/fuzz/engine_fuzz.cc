// Whole sessions under any bytes: two clients, with time passing in between. Whatever they send,
// the engine keeps its invariants, answers well-formed replies, and its effects replayed into a
// fresh engine give the same keys.
//
// Input: records of [client and time: 1 byte][length: 1 byte][bytes to send]. After a length of 255
// comes a line instead, sent as an array of its words, so that commands are reached quickly.

#include <algorithm>
#include <chrono>
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

class Harness final : public EngineTest {
 public:
  void TestBody() override {}
};

void Replay(Harness& target, const std::string& effects) {
  Client client = target.Connect();
  client.SendRaw(effects);
  while (client.TryRead()) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Harness harness;
  // A script without end is to end soon.
  harness.clock.per_reading = std::chrono::microseconds(500);
  harness.Connect().Call("CONFIG SET script-time-limit 1 script-memory-limit 10mb");
  std::vector<Client> clients = {harness.Connect(), harness.Connect()};
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::size_t at = 0;
  while (at + 2 <= size) {
    Client& client = clients[data[at] & 1];
    harness.Advance(std::chrono::milliseconds(data[at] >> 1));
    const bool words = data[at + 1] == 255;
    const std::string_view rest = input.substr(at + 2);
    const std::size_t length =
        std::min<std::size_t>(words ? rest.find('\n') : data[at + 1], rest.size());
    const std::string bytes(rest.substr(0, length));
    at += 2 + length + (words ? 1 : 0);
    if (client.Closed()) {
      client.Disconnect();
      client = harness.Connect();
    }
    client.SendRaw(words ? EncodeRequest(SplitWords(bytes)) : bytes);
    while (client.TryRead()) {
    }
  }
  Harness replayed;
  replayed.clock.Advance(harness.clock.Read().mono - replayed.clock.Read().mono);
  Replay(replayed, harness.log.bytes);
  RUNG_CHECK(SummaryOfKeys(*harness.engine) == SummaryOfKeys(*replayed.engine),
             "the effects do not rebuild the keys");
  return 0;
}

// The engine under test and its clients. See engine_test.h.

#include "kit/engine_test.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rung::testing {

Reply Client::Call(std::string_view line) { return CallArgs(SplitWords(line)); }

Reply Client::CallArgs(const std::vector<std::string>& args) {
  SendRaw(EncodeRequest(args));
  return Read();
}

void Client::Send(std::string_view line) { SendRaw(EncodeRequest(SplitWords(line))); }

void Client::SendRaw(std::string_view bytes) {
  test_->engine->Feed(*session_, bytes);
  test_->Settle();
}

void Client::Collect() {
  std::array<std::string_view, 16> pieces;
  while (const std::size_t count = session_->out.Pieces(pieces)) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      input_ += pieces[i];
      bytes += pieces[i].size();
    }
    session_->out.Consume(bytes);
    test_->engine->OnSent(*session_);
    test_->Settle();
  }
}

std::optional<Reply> Client::TryRead() {
  if (!closed_) Collect();
  return TakeReply(input_);
}

Reply Client::Read() {
  std::optional<Reply> reply = TryRead();
  if (!reply) {
    ADD_FAILURE() << "no reply where one is due";
    return Err("no reply");
  }
  return *reply;
}

void Client::Disconnect() {
  closed_ = true;
  test_->engine->Close(*session_);
}

EngineTest::EngineTest(std::uint64_t seed)
    : engine(std::make_unique<Engine>(config, clock, host, seed)) {
  engine->broker().effects.set_sink(&log);
}

EngineTest::~EngineTest() = default;

Client EngineTest::Connect() {
  return {*this, engine->Open({.address = "127.0.0.1:50000", .local_address = "127.0.0.1:6379"})};
}

Client EngineTest::ConnectResp3() {
  Client client = Connect();
  client.Call("HELLO 3");
  return client;
}

void EngineTest::Settle() {
  while (engine->has_backlog()) engine->RunBacklog();
  engine->TakeDirty();
}

void EngineTest::Advance(std::chrono::nanoseconds duration) {
  const MonoTime end = clock.Read().mono + duration;
  while (clock.Read().mono < end) {
    const MonoTime now = clock.Read().mono;
    const MonoTime next = std::clamp(engine->NextDeadline(), now, end);
    clock.Advance(next - now);
    engine->Tick();
    Settle();
    // A deadline that lies in the past was served by this tick; the next one must be later.
    if (next == now && engine->NextDeadline() <= now) {
      clock.Advance(std::chrono::nanoseconds(1));
    }
  }
}

std::vector<std::string> EngineTest::TakeLog() {
  std::vector<std::string> lines;
  std::string bytes = std::exchange(log.bytes, {});
  while (std::optional<Reply> record = TakeReply(bytes)) {
    std::string line;
    for (const Reply& word : record->elements) {
      if (!line.empty()) line += ' ';
      line += word.text;
    }
    lines.push_back(std::move(line));
  }
  // The first record of a fresh engine selects database 0: no news to anybody.
  std::erase(lines, "SELECT 0");
  return lines;
}

}  // namespace rung::testing

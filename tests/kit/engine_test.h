// EngineTest: a whole engine in one process, with a clock that only the test moves. No sockets, no
// files, no sleeping.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kit/reply.h"
#include "rung/config/config.h"
#include "rung/engine/engine.h"

namespace rung::testing {

// Starts on 2026-01-01 00:00:00 UTC. Time passes only by Advance() and by DEBUG SLEEP.
class FakeClock final : public Clock {
 public:
  static constexpr std::int64_t kStartMs = 1767225600000;

  Now Read() override { return now_; }
  MonoTime ReadMono() override {
    if (per_reading.count() > 0) Advance(per_reading);
    return now_.mono;
  }
  void Sleep(std::chrono::microseconds duration) override { Advance(duration); }
  void Advance(std::chrono::nanoseconds duration) {
    now_.mono += duration;
    wall_ns_ += duration;
    now_.wall_us = std::chrono::duration_cast<std::chrono::microseconds>(wall_ns_);
  }

  // What each reading of a duration takes: for that which runs until its time is over.
  std::chrono::nanoseconds per_reading{0};

 private:
  std::chrono::nanoseconds wall_ns_ = std::chrono::milliseconds(kStartMs);
  Now now_{.wall_us = std::chrono::milliseconds(kStartMs), .mono = MonoTime(std::chrono::hours(1))};
};

// A process with fixed figures; keeps the configuration file in memory.
class FakeHost final : public Host {
 public:
  std::optional<Refusal> Apply(const Options&, const Options&,
                               const std::vector<std::string_view>&) override {
    return std::nullopt;
  }
  ProcessUsage Usage() override {
    return {.resident_bytes = 1 << 20, .system_memory_bytes = 1 << 30};
  }
  const ProcessIdentity& Identity() override { return identity; }
  Result<std::string> ReadConfigFile() override { return config_text; }
  std::optional<Error> WriteConfigFile(std::string_view text) override {
    config_text = text;
    return std::nullopt;
  }
  std::size_t PendingGarbage() override { return 0; }
  std::uint64_t FreedGarbage() override { return 0; }
  void WriteLog(LogLevel level, std::string_view line) override {
    static_cast<void>(level);
    log_lines.emplace_back(line);
  }
  void ServeWhileBusy() override {
    if (serve_while_busy) serve_while_busy();
  }

  ProcessIdentity identity{.pid = 4711,
                           .executable = "/usr/bin/rungd",
                           .config_file = "/etc/rung.conf",
                           .system = "Linux",
                           .tcp_port = 6379};
  std::string config_text;
  std::vector<std::string> log_lines;
  std::function<void()> serve_while_busy;
};

// Collects the effect records as lines of words.
class LogCollector final : public EffectSink {
 public:
  void OnEffects(std::string_view resp) override { bytes += resp; }
  std::string bytes;
};

class EngineTest;

// One connected client. Replies are read as they were written, in order.
class Client {
 public:
  Client(EngineTest& test, Session& session) : test_(&test), session_(&session) {}

  // Sends one request and returns its reply, which must be there at once.
  Reply Call(std::string_view line);
  Reply CallArgs(const std::vector<std::string>& args);
  // Sends without waiting for the reply.
  void Send(std::string_view line);
  void SendRaw(std::string_view bytes);
  // The next reply, if there is one.
  std::optional<Reply> TryRead();
  // The next reply, which must be there.
  Reply Read();
  // Whether the engine wants this connection closed.
  bool Closed() const { return closed_ || session_->closing(); }
  Session& session() { return *session_; }
  // The socket is gone.
  void Disconnect();

 private:
  friend class EngineTest;
  void Collect();

  EngineTest* test_;
  Session* session_;
  std::string input_;
  bool closed_ = false;
};

class EngineTest : public ::testing::Test {
 public:
  explicit EngineTest(std::uint64_t seed = 1);
  ~EngineTest() override;

  Client Connect();
  Client ConnectResp3();
  // Moves the clock, and runs what falls due on the way in steps of its own deadline.
  void Advance(std::chrono::nanoseconds duration);
  // What has been logged since the last call, one line per record: "SET k v". SELECT lines only
  // where the database changes.
  std::vector<std::string> TakeLog();
  // Runs what was put off for fairness until nothing is left.
  void Settle();

  FakeClock clock;
  FakeHost host;
  Config config;
  LogCollector log;
  std::unique_ptr<Engine> engine;
};

}  // namespace rung::testing

// QueueComparison: an engine and the twin of its queue side by side: requests to the one, what the
// other expects of it, and whether they still agree in every reply and in the whole state.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kit/engine_test.h"
#include "kit/queue_twin.h"
#include "rung/types/queue.h"

namespace rung::testing {

class QueueComparison : public EngineTest {
 public:
  static constexpr int kClients = 5;

  // `closed`: the ladder.
  QueueComparison(std::uint64_t seed, Defect defect, bool closed)
      : EngineTest(seed), twin_(FakeClock::kStartMs, defect), closed_(closed) {}
  void TestBody() override {}

  int requests() const { return requests_; }

 protected:
  using Words = std::vector<std::string>;

  // Before each step.
  void Remember();
  // Sends a request of client_, and compares its reply and what else it brought about.
  void Check(const Words& words, const std::optional<Reply>& expected);
  // The same of a request that was sent.
  void Compare(const std::optional<Reply>& expected);
  void AfterRequest();
  // What clients got that have waited.
  void CompareServed();
  void CompareState();
  // A copy of the queue is as the queue is.
  void CompareCopy();
  void Differ(const std::string& what);
  std::string QueueDigest();
  // As client_.
  void Send(const Words& words);
  // The next reply, be it that it was peeked at.
  std::optional<Reply> Read(int client);
  void Reconnect();
  // The last client is somebody whose tiers are few.
  TwinUser UserOf(int client) const;

  QueueTwin twin_;
  const bool closed_;
  std::vector<Client> clients_;
  std::array<std::optional<Reply>, kClients> peeked_;  // Replies, if they were read ahead.
  std::string difference_;                             // The first one.
  std::string last_request_;
  int client_ = 0;  // Who asks.

 private:
  void CompareSchedules(const rung::Queue& queue);
  void CompareMarks(const rung::Queue& queue);
  void CompareTurns(const rung::Queue& queue);
  static std::string Describe(const Job& job);
  static std::string Describe(const TwinJob& job);
  static bool Agree(const Job& job, const TwinJob& twin);
  // No request of a user with a range makes a job more urgent than that allows: asked of the jobs
  // themselves, and while nobody else's waiting request may come in between.
  void CheckRights();

  std::map<std::uint64_t, std::uint32_t> own_tiers_;  // Of the jobs before this step.
  bool producers_waited_ = false;
  int requests_ = 0;
};

}  // namespace rung::testing

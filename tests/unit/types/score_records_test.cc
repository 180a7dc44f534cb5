// The members of large sorted sets keep their bytes and scores, and their memory comes and goes.

#include "types/score_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "rung/base/rng.h"

namespace rung {
namespace {

TEST(ScoreRecordsTest, MembersOfAnyLengthAreKeptByteForByte) {
  ScoreRecords records;
  std::vector<std::pair<ScoreRecords::Handle, std::string>> kept;
  for (std::size_t length = 0; length < 600; ++length) {
    std::string member(length, static_cast<char>(length % 256));
    const ScoreRecords::Handle handle = records.Add(member, static_cast<double>(length));
    kept.emplace_back(handle, std::move(member));
  }
  records.CheckInvariants();
  for (const auto& [handle, member] : kept) {
    EXPECT_EQ(records.Member(handle), member);
    EXPECT_EQ(records.Score(handle), static_cast<double>(member.size()));
  }
}

TEST(ScoreRecordsTest, FreedSlotsServeTheNextMembersOfTheirSize) {
  ScoreRecords records;
  std::vector<ScoreRecords::Handle> handles;
  for (int i = 0; i < 1000; ++i) handles.push_back(records.Add("sixteen bytes ..", i));
  const std::size_t full = records.MemoryBytes();
  for (std::size_t i = 0; i < handles.size(); i += 2) records.Remove(handles[i]);
  for (int i = 0; i < 500; ++i) records.Add("16 bytes as well", i);
  EXPECT_EQ(records.MemoryBytes(), full);
  EXPECT_EQ(records.size(), 1000u);
  records.CheckInvariants();
}

TEST(ScoreRecordsTest, ASlabGoesWithItsLastRecord) {
  ScoreRecords records;
  std::vector<ScoreRecords::Handle> handles;
  for (int i = 0; i < 100'000; ++i) handles.push_back(records.Add("sixteen bytes ..", i));
  const std::size_t full = records.MemoryBytes();
  for (std::size_t i = 0; i < 90'000; ++i) records.Remove(handles[i]);
  EXPECT_LT(records.MemoryBytes(), full / 8);
  records.CheckInvariants();
}

TEST(ScoreRecordsTest, ComeAndGoInAnyOrder) {
  Rng rng(4);
  ScoreRecords records;
  std::vector<std::pair<ScoreRecords::Handle, std::string>> live;
  for (int step = 0; step < 50'000; ++step) {
    if (live.empty() || rng.Below(100) < (step % 10'000 < 5'000 ? 60u : 40u)) {
      std::string member(rng.Below(rng.Below(10) == 0 ? 3000 : 70), static_cast<char>(step));
      const ScoreRecords::Handle handle = records.Add(member, step);
      live.emplace_back(handle, std::move(member));
    } else {
      std::swap(live[rng.Below(live.size())], live.back());
      ASSERT_EQ(records.Member(live.back().first), live.back().second);
      records.Remove(live.back().first);
      live.pop_back();
    }
    if (step % 1000 == 0) records.CheckInvariants();
  }
  EXPECT_EQ(records.size(), live.size());
  for (const auto& [handle, member] : live) ASSERT_EQ(records.Member(handle), member);
}

}  // namespace
}  // namespace rung

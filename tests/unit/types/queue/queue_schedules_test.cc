// QueueSchedules: by name, by time, as a value.

#include "rung/types/queue_schedules.h"

#include <gtest/gtest.h>

#include <string>

#include "rung/base/rng.h"

namespace rung {
namespace {

QueueSchedule Named(std::string name, std::int64_t next_ms) {
  QueueSchedule schedule;
  schedule.name = std::move(name);
  schedule.next_ms = next_ms;
  return schedule;
}

std::string DigestOf(const QueueSchedules& schedules) {
  Digest digest;
  schedules.AddTo(digest);
  return digest.Hex();
}

TEST(QueueSchedulesTest, TheNextIsTheEarliestAndOfEqualsTheFirstByName) {
  QueueSchedules schedules;
  EXPECT_EQ(schedules.Next(), nullptr);
  schedules.Set(Named("never", 0));
  EXPECT_EQ(schedules.Next(), nullptr);
  schedules.Set(Named("c", 30));
  schedules.Set(Named("b", 20));
  schedules.Set(Named("a", 20));
  EXPECT_EQ(schedules.Next()->name, "a");
  schedules.Ran("a", 20, 7, 40);
  EXPECT_EQ(schedules.Next()->name, "b");
  EXPECT_EQ(schedules.Find("a")->last_id, 7u);
  EXPECT_EQ(schedules.Find("a")->runs, 1u);
  schedules.Ran("b", 20, 0, 0);
  EXPECT_EQ(schedules.Find("b")->skipped, 1u);
  EXPECT_EQ(schedules.Next()->name, "c");
  schedules.CheckInvariants();
}

TEST(QueueSchedulesTest, ACopyIsEqualAndItsOwn) {
  QueueSchedules schedules;
  schedules.Set(Named("a", 10));
  QueueSchedules copy = schedules;
  EXPECT_EQ(DigestOf(copy), DigestOf(schedules));
  EXPECT_EQ(copy.MemoryBytes(), schedules.MemoryBytes());
  schedules.Drop("a");
  EXPECT_EQ(copy.Next()->name, "a");
  copy.CheckInvariants();
  EXPECT_EQ(schedules.MemoryBytes(), 0u);
}

TEST(QueueSchedulesTest, StaysInOrderUnderRandomChanges) {
  Rng rng(1);
  QueueSchedules schedules;
  for (int i = 0; i < 2'000; ++i) {
    const std::string name = "a rather long name, number " + std::to_string(rng.Below(30));
    const auto next = static_cast<std::int64_t>(rng.Below(100));
    switch (rng.Below(3)) {
      case 0:
        schedules.Set(Named(name, next));
        break;
      case 1:
        schedules.Drop(name);
        break;
      default:
        if (schedules.Find(name) != nullptr) schedules.Ran(name, next, rng.Below(2), next);
    }
    if (i % 50 == 0) schedules.CheckInvariants();
  }
}

}  // namespace
}  // namespace rung

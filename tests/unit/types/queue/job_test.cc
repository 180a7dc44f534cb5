// What the packed header of a job holds.

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "rung/types/queue_job.h"

namespace rung {
namespace {

using JobOwner = std::unique_ptr<Job, decltype(&Job::Destroy)>;

TEST(JobTest, HoldsTheLargestOfEachNumberBesideTheOthers) {
  const JobOwner job(Job::Make("name", "body"), &Job::Destroy);
  job->SetTier(2'097'151);
  job->SetOwnTier(2'097'150);
  job->SetCost(1'000'000);
  job->SetDeliveries(134'217'727);
  job->state = JobState::kDone;
  job->holds_name = true;

  EXPECT_EQ(job->tier(), 2'097'151u);
  EXPECT_EQ(job->own_tier(), 2'097'150u);
  EXPECT_EQ(job->cost(), 1'000'000u);
  EXPECT_EQ(job->deliveries(), 134'217'727u);
  EXPECT_EQ(job->state, JobState::kDone);
  EXPECT_TRUE(job->holds_name);
  EXPECT_FALSE(job->cancelled);
  EXPECT_EQ(job->name(), "name");
  EXPECT_EQ(job->body(), "body");
}

TEST(JobTest, CountsDeliveriesUpToItsLargestNumberAndStaysThere) {
  const JobOwner job(Job::Make("", ""), &Job::Destroy);
  job->SetDeliveries(134'217'728);
  EXPECT_EQ(job->deliveries(), 134'217'727u);
  job->SetDeliveries(std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(job->deliveries(), 134'217'727u);
  EXPECT_EQ(job->tier(), 0u);
  EXPECT_EQ(job->cost(), 1u);
}

}  // namespace
}  // namespace rung

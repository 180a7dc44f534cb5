// Values of special options that Config refuses as a whole until their feature exists.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "config/option_spec.h"

namespace rung {
namespace {

Reason Parse(const SpecialValue& value, const std::vector<std::string>& words, ReadMode mode,
             Options& options) {
  return value.parse(words, mode, options);
}

TEST(SpecialValueTest, SavePointsAddUpAtStartAndReplaceLater) {
  Options options;
  ASSERT_EQ(Parse(kSaveValue, {"3600", "1", "300", "100"}, ReadMode::kReplace, options),
            std::nullopt);
  EXPECT_EQ(options.save_points, (std::vector<SavePoint>{{3600, 1}, {300, 100}}));
  ASSERT_EQ(Parse(kSaveValue, {"60", "0"}, ReadMode::kAdd, options), std::nullopt);
  EXPECT_EQ(kSaveValue.format(options), "3600 1 300 100 60 0");
  EXPECT_EQ(kSaveValue.lines(options), (std::vector<std::string>{"3600 1", "300 100", "60 0"}));
  ASSERT_EQ(Parse(kSaveValue, {"5", "6"}, ReadMode::kReplace, options), std::nullopt);
  EXPECT_EQ(options.save_points, (std::vector<SavePoint>{{5, 6}}));
}

TEST(SpecialValueTest, EmptySaveEmptiesAlsoAtStart) {
  Options options;
  options.save_points = {{1, 1}};
  ASSERT_EQ(Parse(kSaveValue, {""}, ReadMode::kAdd, options), std::nullopt);
  EXPECT_TRUE(options.save_points.empty());
  EXPECT_EQ(kSaveValue.lines(options), (std::vector<std::string>{"\"\""}));
}

TEST(SpecialValueTest, ReplicaOfNamesAPrimaryOrNone) {
  Options options;
  ASSERT_EQ(Parse(kReplicaOfValue, {"::1", "6380"}, ReadMode::kReplace, options), std::nullopt);
  EXPECT_EQ(options.primary_host, "::1");
  EXPECT_EQ(options.primary_port, 6380);
  EXPECT_EQ(kReplicaOfValue.format(options), "::1 6380");
  EXPECT_EQ(kReplicaOfValue.lines(options), (std::vector<std::string>{"::1 6380"}));
  ASSERT_EQ(Parse(kReplicaOfValue, {"NO", "one"}, ReadMode::kReplace, options), std::nullopt);
  EXPECT_EQ(options.primary_host, "");
  EXPECT_EQ(kReplicaOfValue.lines(options), (std::vector<std::string>{"no one"}));
}

}  // namespace
}  // namespace rung

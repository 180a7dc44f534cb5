// Promises that hold for every row of the table of options.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "config/option_spec.h"
#include "config/parser.h"
#include "kit/build_paths.h"
#include "rung/base/numbers.h"
#include "rung/base/quoting.h"
#include "rung/config/config.h"

namespace rung {
namespace {

class AgreeingApplier : public Applier {
 public:
  std::optional<Refusal> Apply(const Options&, const Options&,
                               const std::vector<std::string_view>&) override {
    return std::nullopt;
  }
};

std::vector<const OptionSpec*> AllOptions() {
  std::vector<const OptionSpec*> all;
  for (const OptionSection& section : OptionTable()) {
    for (const OptionSpec& spec : section.options) all.push_back(&spec);
  }
  return all;
}

// Values that cannot be derived from the kind of an option: where one value only is taken, it.
const std::map<std::string_view, std::string> kChosenValues = {
    {"bind", "127.0.0.1 -::1"},
    {"client-output-buffer-limit", "normal 1 2 3 slave 4 5 6 pubsub 7 8 9"},
    {"oom-score-adj-values", "-5 0 5"},
    {"notify-keyspace-events", "g$lKEm"},
    {"latency-tracking-info-percentiles", "50 99.25 100"},
    {"save", ""},
    {"appendonly", "no"},
    {"activedefrag", "no"},
    {"aclfile", ""},
    {"replicaof", ""},
    {"syslog-enabled", "no"},
    {"cluster-enabled", "no"},
    {"maxmemory-policy", "noeviction"},
    {"hz", "37"},
};

// A value of `spec` other than its default, where there is one.
std::string OtherValue(const OptionSpec& spec) {
  const auto chosen = kChosenValues.find(spec.name);
  if (chosen != kChosenValues.end()) return chosen->second;
  const std::string normal = FormatValue(spec, Options());
  switch (spec.value.kind) {
    case OptionKind::kBool:
      return normal == "yes" ? "no" : "yes";
    case OptionKind::kInteger:
    case OptionKind::kMemory:
      return std::to_string(normal == std::to_string(spec.value.max) ? spec.value.min
                                                                     : spec.value.max);
    case OptionKind::kMemoryOrPercent:
      return "17%";
    case OptionKind::kOctal:
      return "770";
    case OptionKind::kEnum:
      return std::string(spec.value.names[normal == spec.value.names[0].name ? 1 : 0].name);
    case OptionKind::kFlags:
      return std::string(spec.value.names[1].name);
    case OptionKind::kText:
      return "an \"odd\" value";
    case OptionKind::kSpecial:
      break;
  }
  ADD_FAILURE() << spec.name << " needs a value in kChosenValues";
  return normal;
}

std::string Get(const Config& config, std::string_view name) {
  const std::vector<Config::OwnedPair> found = config.Get(std::vector{name});
  return found.size() == 1 ? found[0].second : "not found";
}

TEST(OptionsTest, NamesAreUniqueAndInLowerCase) {
  std::set<std::string_view> names;
  for (const OptionSpec* spec : AllOptions()) {
    for (const std::string_view name : {spec->name, spec->alias}) {
      if (name.empty()) continue;
      EXPECT_TRUE(names.insert(name).second) << name;
      EXPECT_EQ(ToLower(name), name);
      EXPECT_EQ(FindOption(ToUpper(name)), spec);
    }
  }
  EXPECT_EQ(FindOption(""), nullptr);
}

TEST(OptionsTest, EveryOptionHasAHelpText) {
  for (const OptionSpec* spec : AllOptions()) {
    EXPECT_TRUE(spec->help.ends_with('.')) << spec->name;
    EXPECT_FALSE(spec->without_effect.ends_with('.')) << spec->name;
  }
}

TEST(OptionsTest, EveryOptionReadsBackWhatAFileSaid) {
  for (const OptionSpec* spec : AllOptions()) {
    const std::string value = OtherValue(*spec);
    Config config;
    const std::string line = std::string(spec->name) + ' ' + Quote(value);
    ASSERT_EQ(config.Load(line, "file", nullptr), std::nullopt);
    EXPECT_EQ(Get(config, spec->name), value) << spec->name;
    if (!spec->alias.empty()) {
      EXPECT_EQ(Get(config, spec->alias), value) << spec->alias;
    }
  }
}

TEST(OptionsTest, EveryLiveOptionReadsBackWhatWasSet) {
  AgreeingApplier applier;
  for (const OptionSpec* spec : AllOptions()) {
    const std::string value = OtherValue(*spec);
    Config config;
    ASSERT_EQ(config.Load("enable-protected-configs yes", "file", nullptr), std::nullopt);
    const std::vector<Config::Pair> pairs = {{spec->name, value}};
    const std::optional<Error> error = config.Set(pairs, Config::Origin::kRemote, applier);
    if (spec->Is(kStartOnly)) {
      ASSERT_TRUE(error) << spec->name;
      EXPECT_TRUE(error->text().ends_with("can't set immutable config")) << error->text();
    } else {
      EXPECT_EQ(error, std::nullopt) << spec->name;
      EXPECT_EQ(Get(config, spec->name), value);
    }
  }
}

TEST(OptionsTest, EveryOptionCanBeSetToWhatItSays) {
  AgreeingApplier applier;
  for (const OptionSpec* spec : AllOptions()) {
    if (spec->Is(kStartOnly)) continue;
    Config config;
    ASSERT_EQ(config.Load("enable-protected-configs yes", "file", nullptr), std::nullopt);
    const std::string value = Get(config, spec->name);
    const std::vector<Config::Pair> pairs = {{spec->name, value}};
    EXPECT_EQ(config.Set(pairs, Config::Origin::kRemote, applier), std::nullopt) << spec->name;
    EXPECT_EQ(Get(config, spec->name), value);
  }
}

TEST(OptionsTest, EveryOptionSurvivesARewrite) {
  for (const OptionSpec* spec : AllOptions()) {
    Config config;
    const std::string value = OtherValue(*spec);
    const std::string line = std::string(spec->name) + ' ' + Quote(value);
    ASSERT_EQ(config.Load(line, "file", nullptr), std::nullopt);
    Config again;
    const std::string text = config.Rewrite("", Config::RewriteScope::kChangedOnly);
    ASSERT_EQ(again.Load(text, "rewritten", nullptr), std::nullopt);
    EXPECT_EQ(Get(again, spec->name), value) << text;
  }
}

TEST(OptionsTest, AllOptionsTogetherSurviveACompleteRewrite) {
  Config config;
  std::string text;
  for (const OptionSpec* spec : AllOptions()) {
    text.append(spec->name).append(" ").append(Quote(OtherValue(*spec))).append("\n");
  }
  ASSERT_EQ(config.Load(text, "file", nullptr), std::nullopt);
  Config again;
  const std::string rewritten = config.Rewrite("", Config::RewriteScope::kEverything);
  ASSERT_EQ(again.Load(rewritten, "rewritten", nullptr), std::nullopt);
  for (const OptionSpec* spec : AllOptions()) {
    EXPECT_EQ(Get(again, spec->name), Get(config, spec->name)) << spec->name;
    EXPECT_NE(rewritten.find(std::string(spec->name) + ' '), std::string::npos) << spec->name;
  }
}

TEST(OptionsTest, SampleFileIsAllCommentsAndItsLinesAreTheDefaults) {
  const std::string sample = Config::SampleFile();
  std::string uncommented;
  for (const std::string_view line : SplitLines(sample)) {
    EXPECT_LE(line.size(), 100u) << line;
    EXPECT_TRUE(line.empty() || line[0] == '#') << line;
    const bool is_option = line.size() > 1 && line[1] != ' ';
    if (is_option) uncommented.append(line.substr(1)).append("\n");
  }
  Config from_sample;
  ASSERT_EQ(from_sample.Load(uncommented, "sample", nullptr), std::nullopt);
  const Config defaults;
  const std::vector<std::string_view> everything = {"*"};
  EXPECT_EQ(from_sample.Get(everything), defaults.Get(everything));
  for (const OptionSpec* spec : AllOptions()) {
    const bool listed = uncommented.find(std::string(spec->name) + ' ') != std::string::npos;
    EXPECT_EQ(listed, !spec->Is(kHidden)) << spec->name;
  }
}

// The fields of Options that the source outside of config/ names: "options.port", "options().port".
std::set<std::string> FieldsThatAreRead() {
  static const std::regex kField(R"(options(?:\(\)|_)?(?:\.|->)([a-z_]+))");
  std::set<std::string> fields;
  const std::filesystem::path root = testing::SourceDir();
  for (const char* folder : {"src", "include"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string path = std::filesystem::relative(entry.path(), root).string();
      if (!entry.is_regular_file() || path.find("/config/") != std::string::npos) continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        std::smatch match;
        if (line.find("options") == std::string::npos) continue;
        if (std::regex_search(line, match, kField)) fields.insert(match[1]);
      }
    }
  }
  return fields;
}

bool IsRead(const OptionSpec& spec, const std::set<std::string>& fields) {
  std::string name(spec.name);
  std::replace(name.begin(), name.end(), '-', '_');
  for (const char* unit : {"", "_seconds", "_ms", "_us", "_bytes"}) {
    if (fields.contains(name + unit)) return true;
  }
  return false;
}

TEST(OptionsTest, WhatIsReadDoesNotClaimToBeWithoutEffect) {
  const std::set<std::string> fields = FieldsThatAreRead();
  ASSERT_TRUE(IsRead(*FindOption("databases"), fields)) << "the search itself is broken";
  for (const OptionSpec* spec : AllOptions()) {
    if (spec->without_effect.empty()) continue;
    EXPECT_FALSE(IsRead(*spec, fields))
        << spec->name << " is read: take .without_effect from its row in options.cc";
  }
}

TEST(OptionsTest, SampleFileInTheRepositoryIsUpToDate) {
  std::ifstream file(testing::SourceDir() + "/config/rung.conf");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), Config::SampleFile()) << "run ./dev docs";
}

}  // namespace
}  // namespace rung

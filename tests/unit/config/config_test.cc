// What CONFIG GET and CONFIG SET promise: values, all or nothing, and Redis's words for errors.

#include "rung/config/config.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rung {
namespace {

using Pairs = std::vector<Config::Pair>;
using Answer = std::vector<Config::OwnedPair>;

// Agrees to everything unless told whom to blame, and remembers what it was asked.
class FakeApplier : public Applier {
 public:
  std::optional<Refusal> Apply(const Options& before, const Options& after,
                               const std::vector<std::string_view>& changed) override {
    ++calls;
    before_port = before.port;
    after_port = after.port;
    changed_names.assign(changed.begin(), changed.end());
    return refusal;
  }

  std::optional<Refusal> refusal;
  int calls = 0;
  int before_port = 0;
  int after_port = 0;
  std::vector<std::string> changed_names;
};

class ConfigTest : public ::testing::Test {
 protected:
  std::string Load(std::string_view text) {
    return config_.Load(text, "test.conf", nullptr).value_or("taken");
  }

  std::string Set(const Pairs& pairs, Config::Origin origin = Config::Origin::kRemote) {
    const std::optional<Error> error = config_.Set(pairs, origin, applier_);
    return error ? error->text() : "OK";
  }

  Answer Get(const std::vector<std::string_view>& patterns) { return config_.Get(patterns); }

  Config config_;
  FakeApplier applier_;
};

TEST_F(ConfigTest, GetAnswersNamesAsTheyWereAskedFor) {
  EXPECT_EQ(Get({"port"}), (Answer{{"port", "6379"}}));
  EXPECT_EQ(Get({"PORT"}), (Answer{{"PORT", "6379"}}));
  EXPECT_EQ(Get({"no-such-option"}), Answer{});
  EXPECT_EQ(Get({"slowlog-*"}),
            (Answer{{"slowlog-log-slower-than", "10000"}, {"slowlog-max-len", "128"}}));
}

TEST_F(ConfigTest, GetTakesSeveralPatternsAndAnswersEachOptionOnce) {
  EXPECT_EQ(
      Get({"maxmemory", "Max*Policy", "maxmemory*samples", "maxmemory-policy"}),
      (Answer{{"maxmemory", "0"}, {"maxmemory-policy", "noeviction"}, {"maxmemory-samples", "5"}}));
}

TEST_F(ConfigTest, GetShowsAliasesToo) {
  EXPECT_EQ(Get({"*of"}), (Answer{{"replicaof", ""}, {"slaveof", ""}}));
  EXPECT_EQ(Get({"lua-time-limit"}), (Answer{{"lua-time-limit", "5000"}}));
}

TEST_F(ConfigTest, GetShowsHiddenOptionsToTheirFullNameOnly) {
  EXPECT_EQ(Get({"key-load-dela?"}), Answer{});
  EXPECT_EQ(Get({"key-load-delay"}), (Answer{{"key-load-delay", "0"}}));
}

TEST_F(ConfigTest, GetShowsSizesInBytes) {
  ASSERT_EQ(Load("maxmemory 1gb\nmaxmemory-clients 5%\nunixsocketperm 700"), "taken");
  EXPECT_EQ(Get({"maxmemory"}), (Answer{{"maxmemory", "1073741824"}}));
  EXPECT_EQ(Get({"maxmemory-clients"}), (Answer{{"maxmemory-clients", "5%"}}));
  EXPECT_EQ(Get({"unixsocketperm"}), (Answer{{"unixsocketperm", "700"}}));
  EXPECT_EQ(Get({"client-output-buffer-limit"}),
            (Answer{{"client-output-buffer-limit",
                     "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60"}}));
}

TEST_F(ConfigTest, SetChangesSeveralOptionsAndTellsWhichDiffer) {
  EXPECT_EQ(Set({{"MaxMemory", "10mb"}, {"port", "7000"}, {"timeout", "0"}}), "OK");
  EXPECT_EQ(config_.options().maxmemory, 10u << 20);
  EXPECT_EQ(config_.options().port, 7000);
  EXPECT_EQ(applier_.changed_names, (std::vector<std::string>{"maxmemory", "port"}));
  EXPECT_EQ(applier_.before_port, 6379);
  EXPECT_EQ(applier_.after_port, 7000);
}

TEST_F(ConfigTest, SetToTheSameValueAsksNobody) {
  EXPECT_EQ(Set({{"port", "6379"}, {"maxmemory", "0kb"}}), "OK");
  EXPECT_EQ(applier_.calls, 0);
}

TEST_F(ConfigTest, SetByAliasChangesTheOption) {
  EXPECT_EQ(Set({{"zset-max-ziplist-entries", "7"}}), "OK");
  EXPECT_EQ(config_.options().zset_max_listpack_entries, 7u);
  EXPECT_EQ(applier_.changed_names, (std::vector<std::string>{"zset-max-listpack-entries"}));
  EXPECT_EQ(Get({"zset-max-*-entries"}),
            (Answer{{"zset-max-listpack-entries", "7"}, {"zset-max-ziplist-entries", "7"}}));
}

TEST_F(ConfigTest, SetIsAllOrNothingWhenAValueIsWrong) {
  EXPECT_EQ(Set({{"maxmemory", "10000001"}, {"maxmemory-clients", "200%"}, {"timeout", "x"}}),
            "ERR CONFIG SET failed (possibly related to argument 'maxmemory-clients') - "
            "percentage argument must be less or equal to 100");
  EXPECT_EQ(config_.options().maxmemory, 0u);
  EXPECT_EQ(applier_.calls, 0);
}

TEST_F(ConfigTest, SetIsAllOrNothingWhenTheOutsideRefuses) {
  applier_.refusal = Refusal{"port", "Unable to listen on this port."};
  EXPECT_EQ(Set({{"maxmemory", "10000001"}, {"port", "80"}}),
            "ERR CONFIG SET failed (possibly related to argument 'port') - "
            "Unable to listen on this port.");
  EXPECT_EQ(config_.options().maxmemory, 0u);
  EXPECT_EQ(config_.options().port, 6379);
}

TEST_F(ConfigTest, SetRefusesUnknownOptionsFirstComeFirstServed) {
  EXPECT_EQ(Set({{"port", "1"}, {"Nonsense", "1"}, {"daemonize", "yes"}}),
            "ERR Unknown option or number of arguments for CONFIG SET - 'Nonsense'");
  EXPECT_EQ(Set({{"Daemonize", "yes"}, {"nonsense", "1"}}),
            "ERR CONFIG SET failed (possibly related to argument 'Daemonize') - "
            "can't set immutable config");
  EXPECT_EQ(config_.options().port, 6379);
}

TEST_F(ConfigTest, SetRefusesAnOptionThatAppearsTwice) {
  EXPECT_EQ(Set({{"maxmemory", "10000001"}, {"maxmemory", "10000002"}}),
            "ERR CONFIG SET failed (possibly related to argument 'maxmemory') - "
            "duplicate parameter");
  EXPECT_EQ(Set({{"hash-max-ziplist-value", "1"}, {"hash-max-listpack-value", "2"}}),
            "ERR CONFIG SET failed (possibly related to argument 'hash-max-listpack-value') - "
            "duplicate parameter");
}

TEST_F(ConfigTest, ProtectedOptionsAreOpenToWhomTheirOptionNames) {
  const std::string refused =
      "ERR CONFIG SET failed (possibly related to argument 'dir') - can't set protected config";
  EXPECT_EQ(Set({{"dir", "/data"}}, Config::Origin::kLocal), refused);

  ASSERT_EQ(Load("enable-protected-configs local"), "taken");
  EXPECT_EQ(Set({{"dir", "/data"}}, Config::Origin::kRemote), refused);
  EXPECT_EQ(Set({{"dir", "/data"}}, Config::Origin::kLocal), "OK");

  ASSERT_EQ(Load("enable-protected-configs yes"), "taken");
  EXPECT_EQ(Set({{"dir", "/other"}}, Config::Origin::kRemote), "OK");
  EXPECT_EQ(config_.options().dir, "/other");
}

struct BadValue {
  std::string_view name;
  std::string_view value;
  std::string_view reason;
};

constexpr BadValue kBadValues[] = {
    {"protected-mode", "maybe", "argument must be 'yes' or 'no'"},
    {"port", "70000", "argument must be between 0 and 65535 inclusive"},
    {"port", "0x10", "argument couldn't be parsed into an integer"},
    {"port", "", "argument couldn't be parsed into an integer"},
    {"maxclients", "0", "argument must be between 1 and 4294967295 inclusive"},
    {"slowlog-log-slower-than", "-2",
     "argument must be between -1 and 9223372036854775807 inclusive"},
    {"maxmemory", "-1", "argument must be a memory value"},
    {"maxmemory", "1tb", "argument must be a memory value"},
    {"maxmemory", "gb", "argument must be a memory value"},
    {"maxmemory", "9223372036854775808", "argument must be a memory value"},
    {"maxmemory", "9999999999gb", "argument must be a memory value"},
    {"proto-max-bulk-len", "1kb",
     "argument must be between 1048576 and 9223372036854775807 inclusive"},
    {"maxmemory-clients", "x%", "argument must be a memory or percent value"},
    {"maxmemory-clients", "-5%", "argument must be a memory or percent value"},
    {"loglevel", "loud",
     "argument(s) must be one of the following: debug, verbose, notice, warning, nothing"},
    {"shutdown-on-sigterm", "",
     "argument(s) must be one of the following: default, save, nosave, now, force"},
    {"shutdown-on-sigterm", "save nosave",
     "shutdown options SAVE and NOSAVE can't be used simultaneously"},
    {"notify-keyspace-events", "KEQ", "Invalid event class character. Use 'Ag$lshzxeKEtmdn'."},
    {"client-output-buffer-limit", "normal 0 0",
     "Wrong number of arguments in buffer limit "
     "configuration."},
    {"client-output-buffer-limit", "master 0 0 0",
     "Invalid client class specified in buffer limit "
     "configuration."},
    {"client-output-buffer-limit", "normal 0 0 -1",
     "Error in hard, soft or soft_seconds setting "
     "in buffer limit configuration."},
    {"latency-tracking-info-percentiles", "50 x",
     "Invalid latency-tracking-info-percentiles parameters"},
    {"latency-tracking-info-percentiles", "101",
     "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]"},
    {"oom-score-adj-values", "1 2", "wrong number of arguments"},
    {"oom-score-adj-values", "1 2 3000",
     "Invalid oom-score-adj-values, elements must be between -2000 and 2000."},
    {"save", "60", "Invalid save parameters"},
    {"save", "0 1", "Invalid save parameters"},
    {"save", "60 1000", "persistence is not available yet: save must be \"\""},
    {"appendonly", "yes", "persistence is not available yet: appendonly must be no"},
    {"maxmemory-policy", "allkeys-lru",
     "the only policy is noeviction: a queue never drops work silently"},
    {"activedefrag", "yes",
     "active defragmentation is not available: it needs an allocator made for it"},
    {"bind", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", "Too many bind addresses specified."},
};

TEST_F(ConfigTest, SetSaysWhatIsWrongWithAValue) {
  for (const BadValue& bad : kBadValues) {
    EXPECT_EQ(Set({{bad.name, bad.value}}),
              "ERR CONFIG SET failed (possibly related to argument '" + std::string(bad.name) +
                  "') - " + std::string(bad.reason));
  }
  EXPECT_EQ(applier_.calls, 0);
}

TEST_F(ConfigTest, SetTakesSizesInEveryUnit) {
  const std::vector<std::pair<std::string_view, std::uint64_t>> sizes = {
      {"100", 100},       {"100b", 100},       {"2k", 2000},
      {"2Kb", 2048},      {"3m", 3000000},     {"3MB", 3145728},
      {"4g", 4000000000}, {"4gb", 4294967296}, {"9223372036854775807", 9223372036854775807},
  };
  for (const auto& [text, bytes] : sizes) {
    EXPECT_EQ(Set({{"maxmemory", text}}), "OK");
    EXPECT_EQ(config_.options().maxmemory, bytes) << text;
  }
}

TEST_F(ConfigTest, SetOfBufferLimitsLeavesOtherClassesAlone) {
  EXPECT_EQ(Set({{"client-output-buffer-limit", "replica 1mb 512kb 5"}}), "OK");
  EXPECT_EQ(Get({"client-output-buffer-limit"}),
            (Answer{{"client-output-buffer-limit",
                     "normal 0 0 0 slave 1048576 524288 5 pubsub 33554432 8388608 60"}}));
}

TEST_F(ConfigTest, SetOfListsTakesThemEmpty) {
  EXPECT_EQ(Set({{"bind", ""}, {"save", ""}, {"latency-tracking-info-percentiles", ""}}), "OK");
  EXPECT_TRUE(config_.options().bind.empty());
  EXPECT_TRUE(config_.options().latency_tracking_info_percentiles.empty());
  EXPECT_EQ(Set({{"bind", " 127.0.0.1  ::1 "}}), "OK");
  EXPECT_EQ(config_.options().bind, (std::vector<std::string>{"127.0.0.1", "::1"}));
}

TEST_F(ConfigTest, SmallBacklogIsRaised) {
  EXPECT_EQ(Set({{"repl-backlog-size", "1"}}), "OK");
  EXPECT_EQ(config_.options().repl_backlog_size, 16384u);
}

TEST_F(ConfigTest, HzIsBroughtIntoItsRange) {
  EXPECT_EQ(Set({{"hz", "100000"}}), "OK");
  EXPECT_EQ(config_.options().hz, 500);
  EXPECT_EQ(Set({{"hz", "0"}}), "OK");
  EXPECT_EQ(config_.options().hz, 1);
}

TEST_F(ConfigTest, ShutdownFlagsPrintInOneOrder) {
  EXPECT_EQ(Set({{"shutdown-on-sigint", "force nosave now"}}), "OK");
  EXPECT_EQ(config_.options().shutdown_on_sigint, kShutdownNoSave | kShutdownNow | kShutdownForce);
  EXPECT_EQ(Get({"shutdown-on-sigint"}), (Answer{{"shutdown-on-sigint", "nosave now force"}}));
}

TEST_F(ConfigTest, ReferencesToTheOptionsSurviveASet) {
  const Options& options = config_.options();
  EXPECT_EQ(Set({{"port", "7001"}}), "OK");
  EXPECT_EQ(options.port, 7001);
}

TEST_F(ConfigTest, PasswordsAreSecretInAnySpelling) {
  EXPECT_TRUE(Config::IsSecret("requirepass"));
  EXPECT_TRUE(Config::IsSecret("MasterAuth"));
  EXPECT_FALSE(Config::IsSecret("port"));
  EXPECT_FALSE(Config::IsSecret("nonsense"));
}

TEST_F(ConfigTest, DirReadsAsTheDirectoryThatItTurnedOutToBe) {
  config_.ResolveDirectory("/var/lib/rung");
  EXPECT_EQ(Get({"dir"}), (Answer{{"dir", "/var/lib/rung"}}));
}

}  // namespace
}  // namespace rung

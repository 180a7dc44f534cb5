// What a configuration text may say, and the one line that tells what is wrong with it.

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rung/config/config.h"

namespace rung {
namespace {

class LoadTest : public ::testing::Test {
 protected:
  std::string Load(std::string_view text) {
    const IncludeReader reader = [this](std::string_view path) { return Read(path); };
    return config_.Load(text, "rung.conf", reader).value_or("taken");
  }

  Result<std::vector<IncludedFile>> Read(std::string_view path) {
    if (path == "conf.d/*.conf") {
      return std::vector<IncludedFile>{{"conf.d/a.conf", "port 1"}, {"conf.d/b.conf", "port 2"}};
    }
    if (path == "bad.d/*.conf") {
      return std::vector<IncludedFile>{{"bad.d/a.conf", "port x"}, {"bad.d/b.conf", "# nothing"}};
    }
    if (path == "none/*.conf") return std::vector<IncludedFile>{};
    const auto found = files_.find(path);
    if (found == files_.end()) return Error("No such file or directory");
    return std::vector<IncludedFile>{{std::string(path), found->second}};
  }

  const Options& options() const { return config_.options(); }

  Config config_;
  std::map<std::string, std::string, std::less<>> files_;
};

TEST_F(LoadTest, TakesNamesInAnyCaseCommentsAndBlankLines) {
  EXPECT_EQ(Load("# a comment\r\n\n  PORT\t7000  \r\n   # another\ntimeout \"30\""), "taken");
  EXPECT_EQ(options().port, 7000);
  EXPECT_EQ(options().timeout_seconds, 30);
}

TEST_F(LoadTest, LastLineOfAnOptionCounts) {
  EXPECT_EQ(Load("hash-max-listpack-entries 20\nhash-max-ziplist-entries 21"), "taken");
  EXPECT_EQ(options().hash_max_listpack_entries, 21u);
}

TEST_F(LoadTest, ListsTakeOneWordOrSeveral) {
  EXPECT_EQ(Load("bind 127.0.0.1 -::1"), "taken");
  EXPECT_EQ(options().bind, (std::vector<std::string>{"127.0.0.1", "-::1"}));
  EXPECT_EQ(Load("bind \"10.0.0.1 10.0.0.2\""), "taken");
  EXPECT_EQ(options().bind, (std::vector<std::string>{"10.0.0.1", "10.0.0.2"}));
  EXPECT_EQ(Load("bind ''"), "taken");
  EXPECT_TRUE(options().bind.empty());
}

TEST_F(LoadTest, TextsMayHoldAnything) {
  EXPECT_EQ(Load(R"(requirepass "a b\"\x00#")"), "taken");
  EXPECT_EQ(options().requirepass, std::string("a b\"\0#", 6));
  EXPECT_EQ(Load("logfile ''"), "taken");
  EXPECT_EQ(options().logfile, "");
}

TEST_F(LoadTest, BufferLimitsComeOneClassALine) {
  EXPECT_EQ(Load("client-output-buffer-limit normal 1mb 2mb 3\n"
                 "client-output-buffer-limit pubsub 0 0 0"),
            "taken");
  EXPECT_EQ(options().client_output_buffer_limits[0], (OutputBufferLimit{1048576, 2097152, 3}));
  EXPECT_EQ(options().client_output_buffer_limits[1], (OutputBufferLimit{268435456, 67108864, 60}));
  EXPECT_EQ(options().client_output_buffer_limits[2], (OutputBufferLimit{0, 0, 0}));
}

TEST_F(LoadTest, ErrorsNameFileLineAndReason) {
  EXPECT_EQ(Load("port 7000\n\n port  70000 "),
            "rung.conf:3: 'port  70000': argument must be between 0 and 65535 inclusive");
  EXPECT_EQ(Load("prot 7000"),
            "rung.conf:1: 'prot 7000': Bad directive or wrong number of "
            "arguments");
  EXPECT_EQ(Load("port"), "rung.conf:1: 'port': wrong number of arguments");
  EXPECT_EQ(Load("port 1 2"), "rung.conf:1: 'port 1 2': wrong number of arguments");
  EXPECT_EQ(Load("logfile \"x"),
            "rung.conf:1: 'logfile \"x': Unbalanced quotes in configuration line");
  EXPECT_EQ(Load("bind \"'a\""),
            "rung.conf:1: 'bind \"'a\"': Unbalanced quotes in configuration "
            "line");
  EXPECT_EQ(Load("dbfilename a/b"),
            "rung.conf:1: 'dbfilename a/b': dbfilename can't be a path, just a filename");
  EXPECT_EQ(Load("appendfilename ''"),
            "rung.conf:1: 'appendfilename ''': appendfilename can't be empty");
  EXPECT_EQ(Load("appenddirname /x"),
            "rung.conf:1: 'appenddirname /x': appenddirname can't be a path, just a dirname");
  EXPECT_EQ(Load("replicaof localhost abc"),
            "rung.conf:1: 'replicaof localhost abc': Invalid master port");
  EXPECT_EQ(Load("unixsocketperm 888"),
            "rung.conf:1: 'unixsocketperm 888': argument couldn't be parsed as an octal number");
  EXPECT_EQ(Load("unixsocketperm 1000"),
            "rung.conf:1: 'unixsocketperm 1000': argument must be between 0 and 777 inclusive");
}

TEST_F(LoadTest, RenamedCommandsAreKeptWithTheirPlaces) {
  const IncludeReader reader = [](std::string_view) -> Result<std::vector<IncludedFile>> {
    return std::vector<IncludedFile>{{"inner.conf", "# one\nrename-command KEYS find\n"}};
  };
  Config config;
  ASSERT_EQ(config.Load("include inner.conf\nRename-Command FLUSHALL \"\"\n", "rung.conf", reader),
            std::nullopt);
  const std::vector<RenamedCommand>& renamed = config.options().renamed_commands;
  ASSERT_EQ(renamed.size(), 2u);
  EXPECT_EQ(renamed[0].from, "KEYS");
  EXPECT_EQ(renamed[0].to, "find");
  EXPECT_EQ(renamed[0].place, "inner.conf:2");
  EXPECT_EQ(renamed[1].from, "FLUSHALL");
  EXPECT_EQ(renamed[1].to, "");
  EXPECT_EQ(renamed[1].place, "rung.conf:2");
}

TEST_F(LoadTest, RefusesWhatDoesNotExistYet) {
  EXPECT_EQ(Load("appendonly yes"),
            "rung.conf:1: 'appendonly yes': persistence is not available yet: appendonly must be "
            "no");
  Config fresh;
  EXPECT_EQ(fresh.Load("save 900 1", "rung.conf", nullptr),
            "rung.conf:1: 'save 900 1': persistence is not available yet: save must be \"\"");
  Config replica;
  EXPECT_EQ(replica.Load("replicaof localhost 6379", "rung.conf", nullptr),
            "rung.conf:1: 'replicaof localhost 6379': replication is not available yet");
  Config users;
  EXPECT_EQ(users.Load("user alice on", "rung.conf", nullptr),
            "rung.conf:1: 'user alice on': users with rights are not available yet: use "
            "requirepass");
  Config cluster;
  EXPECT_EQ(cluster.Load("cluster-enabled yes", "rung.conf", nullptr),
            "rung.conf:1: 'cluster-enabled yes': there is no cluster mode");
}

TEST_F(LoadTest, TakesThatNothingIsWantedOfWhatDoesNotExistYet) {
  EXPECT_EQ(Load("save ''\nappendonly no\nreplicaof no one\ncluster-enabled no\naclfile ''\n"
                 "maxmemory-policy noeviction\nlua-replicate-commands yes"),
            "taken");
}

TEST_F(LoadTest, IncludeReadsFilesAtItsPlace) {
  files_["other.conf"] = "port 7\ntimeout 8";
  EXPECT_EQ(Load("port 1\ninclude other.conf\ntimeout 9"), "taken");
  EXPECT_EQ(options().port, 7);
  EXPECT_EQ(options().timeout_seconds, 9);
}

TEST_F(LoadTest, IncludeTakesAllFilesOfAPatternOrNone) {
  EXPECT_EQ(Load("include conf.d/*.conf\ninclude none/*.conf"), "taken");
  EXPECT_EQ(options().port, 2);
}

TEST_F(LoadTest, IncludeErrorsNameTheFileThatIsWrong) {
  EXPECT_EQ(Load("\ninclude missing.conf"),
            "rung.conf:2: 'include missing.conf': No such file or directory");
  files_["other.conf"] = "#\nport x";
  EXPECT_EQ(Load("include other.conf"),
            "other.conf:2: 'port x': argument couldn't be parsed into an integer");
  EXPECT_EQ(Load("include bad.d/*.conf"),
            "bad.d/a.conf:1: 'port x': argument couldn't be parsed into an integer");
}

TEST_F(LoadTest, FilesThatIncludeEachOtherAreRefused) {
  files_["a.conf"] = "include a.conf";
  EXPECT_EQ(Load("include a.conf"),
            "a.conf:1: 'include a.conf': too many files that include each other");
}

// What peer-suite writes into the file of the program that it tests.
TEST_F(LoadTest, TakesTheFileOfThePeerSuite) {
  EXPECT_EQ(Load("always-show-logo yes\nnotify-keyspace-events KEA\ndaemonize no\n"
                 "pidfile /var/run/redis.pid\nport 6379\ntimeout 0\nbind 127.0.0.1\n"
                 "loglevel verbose\nlogfile ''\ndatabases 16\nlatency-monitor-threshold 1\n"
                 "repl-diskless-sync-delay 0\nsave ''\nrdbcompression yes\n"
                 "dbfilename dump.rdb\ndir ./\nslave-serve-stale-data yes\nappendonly no\n"
                 "appendfsync everysec\nno-appendfsync-on-rewrite no\nactiverehashing yes\n"
                 "enable-protected-configs yes\nenable-debug-command yes\n"
                 "enable-module-command yes\npropagation-error-behavior panic\n"
                 "shutdown-on-sigterm force\nunixsocket /tmp/suite.sock\n"),
            "taken");
  EXPECT_EQ(options().loglevel, LogLevel::kVerbose);
  EXPECT_EQ(options().enable_debug_command, Permission::kYes);
}

}  // namespace
}  // namespace rung

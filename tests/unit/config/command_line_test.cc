// How the arguments of rungd are read: as redis-server reads them.

#include "rung/config/command_line.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rung/config/config.h"

namespace rung {
namespace {

CommandLine Parse(const std::vector<std::string_view>& arguments) {
  return ParseCommandLine(arguments);
}

// What loading these options says.
std::string Load(const std::vector<std::string_view>& arguments) {
  Config config;
  return config.Load(Parse(arguments).directives, "command line", nullptr).value_or("taken");
}

TEST(CommandLineTest, FirstArgumentIsTheFileUnlessItStartsWithADash) {
  EXPECT_EQ(Parse({}).file, "");
  EXPECT_EQ(Parse({"/etc/rung.conf", "--port", "7"}).file, "/etc/rung.conf");
  EXPECT_EQ(Parse({"/etc/rung.conf", "--port", "7"}).directives, "port \"7\" ");
  EXPECT_EQ(Parse({"--port", "7"}).file, "");
}

TEST(CommandLineTest, HelpAndVersionCountAsFirstArgumentOnly) {
  EXPECT_TRUE(Parse({"--help"}).show_help);
  EXPECT_TRUE(Parse({"-h", "x"}).show_help);
  EXPECT_TRUE(Parse({"--version"}).show_version);
  EXPECT_TRUE(Parse({"-v"}).show_version);
  EXPECT_FALSE(Parse({"x.conf", "--version"}).show_version);
}

TEST(CommandLineTest, SingleDashAtEitherEndReadsStandardInput) {
  EXPECT_TRUE(Parse({"-"}).read_stdin);
  EXPECT_TRUE(Parse({"-", "--port", "7"}).read_stdin);
  EXPECT_TRUE(Parse({"x.conf", "--port", "7", "-"}).read_stdin);
  const CommandLine inside = Parse({"--logfile", "-", "--port", "7"});
  EXPECT_FALSE(inside.read_stdin);
  EXPECT_EQ(inside.directives, "logfile \"-\" \nport \"7\" ");
}

TEST(CommandLineTest, OptionsTakeWordsUpToTheNextOption) {
  EXPECT_EQ(Parse({"--bind", "127.0.0.1", "::1", "--port", "0"}).directives,
            "bind \"127.0.0.1\" \"::1\" \nport \"0\" ");
  EXPECT_EQ(Parse({"x.conf", "loglevel", "verbose", "--maxmemory '7mb'"}).directives,
            "\"loglevel\" \"verbose\" \nmaxmemory '7mb' ");
}

TEST(CommandLineTest, FirstValueMayLookLikeAnOption) {
  EXPECT_EQ(Parse({"--proc-title-template", "--my", "--port", "1"}).directives,
            "proc-title-template \"--my\" \nport \"1\" ");
  EXPECT_EQ(Parse({"--proc-title-template --my", "--port", "1"}).directives,
            "proc-title-template --my \nport \"1\" ");
}

TEST(CommandLineTest, SaveWithoutAValueIsEmpty) {
  EXPECT_EQ(Parse({"--save", "--port", "1"}).directives, "save \"\"\nport \"1\" ");
  EXPECT_EQ(Parse({"--port", "1", "--save"}).directives, "port \"1\" \nsave \"\"");
  EXPECT_EQ(Parse({"--save", "", "--port", "1"}).directives, "save \"\" \nport \"1\" ");
  EXPECT_EQ(Load({"--save", "--port", "1"}), "taken");
  EXPECT_EQ(Load({"--port", "1", "--save"}), "taken");
  EXPECT_EQ(Load({"--save", "", "--port", "1"}), "taken");
}

TEST(CommandLineTest, ErrorsShowTheOptionAsItWasRead) {
  EXPECT_EQ(Load({"--invalid"}),
            "command line:1: 'invalid': Bad directive or wrong number of arguments");
  EXPECT_EQ(Load({"--port"}), "command line:1: 'port': wrong number of arguments");
  EXPECT_EQ(Load({"--port", "6380", "--loglevel"}),
            "command line:2: 'loglevel': wrong number of arguments");
  EXPECT_EQ(Load({"--port", "6379", "6380"}),
            "command line:1: 'port \"6379\" \"6380\"': wrong number of arguments");
  EXPECT_EQ(Load({"--port", "--bla", "--loglevel", "verbose"}),
            "command line:1: 'port \"--bla\"': argument couldn't be parsed into an integer");
  EXPECT_EQ(Load({"--logfile", "--my--log--file", "--loglevel", "--bla"}),
            "command line:2: 'loglevel \"--bla\"': argument(s) must be one of the following: "
            "debug, verbose, notice, warning, nothing");
  EXPECT_EQ(Load({"--shutdown-on-sigint", "now force", "--shutdown-on-sigterm"}),
            "command line:2: 'shutdown-on-sigterm': argument(s) must be one of the following: "
            "default, save, nosave, now, force");
  EXPECT_EQ(Load({"--replicaof", "--127.0.0.1", "abc"}),
            "command line:1: 'replicaof \"--127.0.0.1\" \"abc\"': Invalid master port");
  EXPECT_EQ(Load({"--replicaof", "--127.0.0.1", "--abc"}),
            "command line:1: 'replicaof \"--127.0.0.1\"': wrong number of arguments");
}

TEST(CommandLineTest, CommandLineCountsMoreThanTheFile) {
  Config config;
  ASSERT_EQ(config.Load("port 1\ntimeout 2", "rung.conf", nullptr), std::nullopt);
  ASSERT_EQ(config.Load(Parse({"rung.conf", "--port", "3"}).directives, "command line", nullptr),
            std::nullopt);
  EXPECT_EQ(config.options().port, 3);
  EXPECT_EQ(config.options().timeout_seconds, 2);
}

}  // namespace
}  // namespace rung

// A script that runs too long: what other clients are told meanwhile, and how it is ended.

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "kit/protocol_test.h"

namespace rung::testing {
namespace {

constexpr std::string_view kBusy =
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";

class BusyScriptTest : public ProtocolTest {
 public:
  static std::vector<std::string> Options() {
    return WithDriver({"--busy-reply-threshold", "20", "--script-time-limit", "0"});
  }
  // Asks until the script is known to run too long.
  static void AwaitBusy(SocketClient& client, const Reply& busy = Err(kBusy)) {
    while (client.Call("PING") != busy) {
      if (::testing::Test::HasFailure()) return;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Drivers, BusyScriptTest, BothDrivers(), DriverName);

TEST_P(BusyScriptTest, Case56_OthersAreToldAndMayEndIt) {
  Daemon daemon(Options());
  SocketClient runner = SocketClient::Tcp(daemon.port());
  SocketClient other = SocketClient::Tcp(daemon.port());
  ASSERT_EQ(other.Call("PING"), Status("PONG"));
  runner.Send("EVAL 'while true do end' 0");
  AwaitBusy(other);
  EXPECT_EQ(other.Call("GET k"), Err(kBusy));
  EXPECT_EQ(other.Call("SHUTDOWN"), Err(kBusy));
  EXPECT_EQ(other.Call("FUNCTION KILL"), Err(kBusy));
  EXPECT_EQ(other.Call("FUNCTION STATS"), Err(kBusy));
  // A connection made meanwhile is served too.
  SocketClient late = SocketClient::Tcp(daemon.port());
  EXPECT_EQ(late.Call("PING"), Err(kBusy));
  EXPECT_EQ(late.Call("SCRIPT KILL"), Ok());
  EXPECT_TRUE(
      runner.Read().text.starts_with("ERR Script killed by user with SCRIPT KILL... script: "));
  EXPECT_EQ(other.Call("PING"), Status("PONG"));
  EXPECT_EQ(runner.Call("PING"), Status("PONG"));
  EXPECT_EQ(other.Call("SCRIPT KILL"), Err("NOTBUSY No scripts in execution right now."));
}

TEST_P(BusyScriptTest, NoPcallKeepsAScriptAlive) {
  Daemon daemon(Options());
  SocketClient runner = SocketClient::Tcp(daemon.port());
  SocketClient other = SocketClient::Tcp(daemon.port());
  for (const char* script :
       {"while true do pcall(function() while true do end end) end",
        "while true do xpcall(function() while true do end end, function() end) end",
        "local f f = function() while true do coroutine.wrap(function() while true do end end)() "
        "end end while true do pcall(f) end"}) {
    runner.Send("EVAL '" + std::string(script) + "' 0");
    AwaitBusy(other);
    EXPECT_EQ(other.Call("SCRIPT KILL"), Ok());
    EXPECT_TRUE(runner.Read().IsError());
    EXPECT_EQ(other.Call("PING"), Status("PONG"));
  }
}

TEST_P(BusyScriptTest, Case56_AScriptThatHasWrittenIsEndedByShutdownAlone) {
  Daemon daemon(Options());
  SocketClient runner = SocketClient::Tcp(daemon.port());
  SocketClient other = SocketClient::Tcp(daemon.port());
  runner.Send("EVAL \"redis.call('SET', 'k', 'v') while true do end\" 0");
  AwaitBusy(other);
  EXPECT_EQ(other.Call("SCRIPT KILL"),
            Err("UNKILLABLE Sorry the script already executed write commands against the dataset. "
                "You can either wait the script termination or kill the server in a hard way using "
                "the SHUTDOWN NOSAVE command."));
  EXPECT_EQ(other.Call("PING"), Err(kBusy));
  other.Send("SHUTDOWN NOSAVE");
  EXPECT_EQ(daemon.process().Wait(), 0);
}

TEST_P(BusyScriptTest, Case56_ATransactionMeanwhileRunsWhollyOrNotAtAll) {
  Daemon daemon(Options());
  SocketClient runner = SocketClient::Tcp(daemon.port());
  SocketClient other = SocketClient::Tcp(daemon.port());
  SocketClient queued = SocketClient::Tcp(daemon.port());
  ASSERT_EQ(queued.Call("MULTI"), Ok());
  ASSERT_EQ(queued.Call("SET q 1"), Status("QUEUED"));
  runner.Send("EVAL 'while true do end' 0");
  AwaitBusy(other);
  EXPECT_EQ(other.Call("MULTI"), Ok());
  EXPECT_EQ(other.Call("SET a 1"), Err(kBusy));
  EXPECT_EQ(other.Call("EXEC"),
            Err("EXECABORT Transaction discarded because of: " + std::string(kBusy)));
  EXPECT_EQ(queued.Call("EXEC"),
            Err("EXECABORT Transaction discarded because of: " + std::string(kBusy)));
  EXPECT_EQ(other.Call("SCRIPT KILL"), Ok());
  runner.Read();
  EXPECT_EQ(other.Call("EXISTS a q"), Int(0));
}

TEST_P(BusyScriptTest, Case56_APipelinedTransactionMeanwhileRunsWhollyOrNotAtAll) {
  Daemon daemon(Options());
  SocketClient runner = SocketClient::Tcp(daemon.port());
  SocketClient other = SocketClient::Tcp(daemon.port());
  SocketClient torn = SocketClient::Tcp(daemon.port());
  runner.Send("EVAL 'while true do end' 0");
  AwaitBusy(other);
  const auto send = [](SocketClient& client, const std::vector<std::string>& requests) {
    for (const std::string& request : requests) client.Send(request);
  };
  const Reply aborted = Err("EXECABORT Transaction discarded because of previous errors.");
  send(other, {"MULTI", "SET a 1", "SET b 1", "EXEC"});
  EXPECT_EQ(other.Read(), Ok());
  EXPECT_EQ(other.Read(), Err(kBusy));
  EXPECT_EQ(other.Read(), Err(kBusy));
  EXPECT_EQ(other.Read(), Err("EXECABORT Transaction discarded because of: " + std::string(kBusy)));
  // Begun while the script runs, ended behind it.
  send(torn, {"MULTI", "SET c 1"});
  EXPECT_EQ(torn.Read(), Ok());
  EXPECT_EQ(torn.Read(), Err(kBusy));
  EXPECT_EQ(other.Call("SCRIPT KILL"), Ok());
  EXPECT_TRUE(runner.Read().IsError());
  send(torn, {"SET d 1", "EXEC"});
  EXPECT_EQ(torn.Read(), Status("QUEUED"));
  EXPECT_EQ(torn.Read(), aborted);
  EXPECT_EQ(other.Call("EXISTS a b c d"), Int(0));
}

TEST_P(BusyScriptTest, TheRestOfTheRunnersPipelineWaits) {
  Daemon daemon(Options());
  SocketClient runner = SocketClient::Tcp(daemon.port());
  SocketClient other = SocketClient::Tcp(daemon.port());
  runner.Send("EVAL 'while true do end' 0");
  runner.Send("ECHO behind");
  AwaitBusy(other);
  runner.Send("ECHO later");
  AwaitBusy(other);
  EXPECT_EQ(other.Call("SCRIPT KILL"), Ok());
  EXPECT_TRUE(runner.Read().IsError());
  EXPECT_EQ(runner.Read(), Bulk("behind"));
  EXPECT_EQ(runner.Read(), Bulk("later"));
}

TEST_P(BusyScriptTest, ClientsComeAndGoMeanwhile) {
  Daemon daemon(Options());
  SocketClient other = SocketClient::Tcp(daemon.port());
  {
    SocketClient runner = SocketClient::Tcp(daemon.port());
    runner.Send("EVAL 'while true do end' 0");
    AwaitBusy(other);
  }
  for (int i = 0; i < 20; ++i) {
    SocketClient guest = SocketClient::Tcp(daemon.port());
    EXPECT_EQ(guest.Call("PING"), Err(kBusy));
  }
  EXPECT_EQ(other.Call("SCRIPT KILL"), Ok());
  // Nobody is there to be told when it has ended.
  while (other.Call("PING") != Status("PONG")) {
    ASSERT_FALSE(HasFailure());
  }
}

TEST_P(BusyScriptTest, SigtermWaitsForTheScriptToBeEnded) {
  Daemon daemon(Options());
  SocketClient runner = SocketClient::Tcp(daemon.port());
  SocketClient other = SocketClient::Tcp(daemon.port());
  runner.Send("EVAL 'while true do end' 0");
  AwaitBusy(other);
  daemon.process().Signal(SIGTERM);
  EXPECT_EQ(other.Call("PING"), Err(kBusy));
  EXPECT_EQ(other.Call("SCRIPT KILL"), Ok());
  EXPECT_TRUE(runner.Read().IsError());
  EXPECT_EQ(daemon.process().Wait(), 0);
}

TEST_P(BusyScriptTest, Case56_ATimeLimitEndsAnyScript) {
  Daemon daemon(WithDriver({"--busy-reply-threshold", "20", "--script-time-limit", "200"}));
  SocketClient runner = SocketClient::Tcp(daemon.port());
  EXPECT_TRUE(runner.Call("EVAL \"redis.call('SET', 'k', 'v') while true do end\" 0")
                  .text.starts_with("ERR Script ended: it ran longer than script-time-limit"));
  EXPECT_EQ(runner.Call("GET k"), Bulk("v"));
}

TEST_P(BusyScriptTest, FunctionsAreEndedByTheirOwnCommand) {
  Daemon daemon(Options());
  SocketClient runner = SocketClient::Tcp(daemon.port());
  SocketClient other = SocketClient::Tcp(daemon.port());
  ASSERT_EQ(other.Call("FUNCTION LOAD \"#!lua name=lib\\n"
                       "redis.register_function('spin', function() while true do end end)\""),
            Bulk("lib"));
  runner.Send("FCALL spin 0");
  const Reply busy =
      Err("BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN "
          "NOSAVE.");
  AwaitBusy(other, busy);
  EXPECT_EQ(other.Call("SCRIPT KILL"), busy);
  EXPECT_EQ(other.Call("FUNCTION STATS").elements[1].elements[1], Bulk("spin"));
  EXPECT_EQ(other.Call("FUNCTION KILL"), Ok());
  EXPECT_TRUE(runner.Read().IsError());
  EXPECT_EQ(other.Call("PING"), Status("PONG"));
}

}  // namespace
}  // namespace rung::testing

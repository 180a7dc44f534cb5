// How the daemon starts, what it refuses to start with, and how it ends.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "kit/build_paths.h"
#include "kit/protocol_test.h"

namespace rung::testing {
namespace {

class LifecycleTest : public ProtocolTest {};

INSTANTIATE_TEST_SUITE_P(Drivers, LifecycleTest, BothDrivers(), DriverName);

// Runs rungd to its end.
struct Finished {
  int code = 0;
  std::string output;
  std::string errors;
};
Finished RunDaemon(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), DaemonPath());
  Process process(arguments);
  const int code = process.Wait();
  return {code, process.output(), process.errors()};
}

TEST_P(LifecycleTest, SigtermEndsWithCodeZeroAndTheWordsThatToolsLookFor) {
  Daemon daemon(WithDriver());
  SocketClient client = SocketClient::Tcp(daemon.port());
  ASSERT_EQ(client.Call("PING"), Status("PONG"));
  EXPECT_EQ(daemon.Stop(), 0);
  EXPECT_NE(daemon.process().output().find(" PID: " + std::to_string(daemon.process().pid())),
            std::string::npos);
  EXPECT_NE(daemon.process().output().find("ready to exit, bye bye"), std::string::npos);
  EXPECT_TRUE(client.WaitForClose());
}

TEST_P(LifecycleTest, RepliesOnTheirWayStillLeaveAtTheEnd) {
  Daemon daemon(WithDriver());
  SocketClient client = SocketClient::Tcp(daemon.port());
  const std::string value(std::size_t{8} << 20, 'x');
  ASSERT_TRUE(client.SendRaw(EncodeRequest({"SET", "k", value})));
  ASSERT_EQ(client.Read(), Ok());
  client.Send("GET k");
  // The first bytes are here, so the reply is being sent; the rest does not fit into the socket.
  std::string received = client.ReadRaw();
  daemon.process().Signal(SIGTERM);
  while (received.size() < value.size() + 12) {
    const std::string more = client.ReadRaw();
    ASSERT_FALSE(more.empty()) << "cut off after " << received.size();
    received += more;
  }
  EXPECT_EQ(daemon.process().Wait(), 0);
}

TEST_P(LifecycleTest, ABlockedClientDoesNotHoldTheEndUp) {
  Daemon daemon(WithDriver());
  SocketClient client = SocketClient::Tcp(daemon.port());
  client.Send("BLPOP nothing 0");
  SocketClient other = SocketClient::Tcp(daemon.port());
  ASSERT_EQ(other.Call("PING"), Status("PONG"));
  daemon.process().Signal(SIGINT);
  EXPECT_EQ(daemon.process().Wait(), 0);
}

TEST_P(LifecycleTest, AClientThatReadsNothingHoldsTheEndUpForAMomentOnly) {
  Daemon daemon(WithDriver());
  SocketClient client = SocketClient::Tcp(daemon.port());
  ASSERT_TRUE(client.SendRaw(EncodeRequest({"SET", "k", std::string(std::size_t{64} << 20, 'x')})));
  ASSERT_EQ(client.Read(), Ok());
  client.Send("GET k");
  ASSERT_FALSE(client.ReadRaw().empty());
  EXPECT_EQ(daemon.Stop(), 0);
}

TEST_P(LifecycleTest, ASecondInterruptEndsOnTheSpot) {
  Daemon daemon(WithDriver());
  SocketClient client = SocketClient::Tcp(daemon.port());
  ASSERT_TRUE(client.SendRaw(EncodeRequest({"SET", "k", std::string(std::size_t{64} << 20, 'x')})));
  ASSERT_EQ(client.Read(), Ok());
  client.Send("GET k");
  ASSERT_FALSE(client.ReadRaw().empty());
  daemon.process().Signal(SIGINT);
  ASSERT_TRUE(daemon.process().WaitFor("SIGINT, shutting down"));
  daemon.process().Signal(SIGINT);
  EXPECT_EQ(daemon.process().Wait(), 1);
}

TEST(Start, TheLogFileIsOpenedAnewOnSighup) {
  const TempDir folder;
  const std::string path = folder.path() + "/rung.log";
  Process process({DaemonPath(), "--port", std::to_string(FreePort()), "--dir", folder.path(),
                   "--logfile", "rung.log", "--unixsocket", folder.path() + "/rung.sock"});
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  const auto wait_for = [&](const std::string& file, std::string_view text) {
    while (ReadWholeFile(file).find(text) == std::string::npos) {
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  };
  ASSERT_TRUE(wait_for(path, "Ready to accept connections unix"));
  ASSERT_EQ(rename(path.c_str(), (path + ".1").c_str()), 0);
  process.Signal(SIGHUP);
  ASSERT_TRUE(wait_for(path, "SIGHUP"));
  process.Signal(SIGTERM);
  ASSERT_TRUE(wait_for(path, "bye bye"));
  EXPECT_EQ(ReadWholeFile(path + ".1").find("bye bye"), std::string::npos);
  EXPECT_EQ(process.Wait(), 0);
  EXPECT_EQ(process.output(), "");
}

TEST(Start, InTheBackgroundThePidFileSaysWhoItIs) {
  const TempDir folder;
  const std::string socket_path = folder.path() + "/rung.sock";
  const Finished parent =
      RunDaemon({"--port", "0", "--unixsocket", socket_path, "--daemonize", "yes", "--pidfile",
                 folder.path() + "/rung.pid", "--dir", folder.path(), "--logfile", "rung.log"});
  EXPECT_EQ(parent.code, 0);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  const auto log = [&] { return ReadWholeFile(folder.path() + "/rung.log"); };
  while (log().find("Ready to accept") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  }
  SocketClient client = SocketClient::Unix(socket_path);
  ASSERT_EQ(client.Call("PING"), Status("PONG"));
  const int pid = std::stoi(ReadWholeFile(folder.path() + "/rung.pid"));
  ASSERT_EQ(kill(pid, SIGTERM), 0);
  EXPECT_TRUE(client.WaitForClose());
}

TEST(Start, PortInUseIsOneLineAndAFailure) {
  Daemon first;
  const Finished second =
      RunDaemon({"--port", std::to_string(first.port()), "--bind", "127.0.0.1"});
  EXPECT_EQ(second.code, 1);
  EXPECT_EQ(second.errors, "rungd: Failed listening on port " + std::to_string(first.port()) +
                               " (tcp): 127.0.0.1:" + std::to_string(first.port()) +
                               ": Address already in use\n");
}

TEST(Start, AnAddressThatIsNotHereIsAFailureUnlessItIsOptional) {
  const Finished refused = RunDaemon({"--port", std::to_string(FreePort()), "--bind", "192.0.2.1"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.errors.find("192.0.2.1"), std::string::npos);
  Daemon daemon({"--bind", "-192.0.2.1", "127.0.0.1"});
  EXPECT_EQ(SocketClient::Tcp(daemon.port()).Call("PING"), Status("PONG"));
}

TEST(Start, ABadOptionIsNamedWithFileAndLine) {
  const TempDir folder;
  const std::string file = folder.Write("rung.conf", "# a comment\n\nport 70000\n");
  const Finished result = RunDaemon({file});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.errors.starts_with("rungd: " + file + ":3: ")) << result.errors;
  EXPECT_EQ(RunDaemon({"--no-such-option", "1"}).code, 1);
}

TEST(Start, AMissingFileOrFolderIsOneLineAndAFailure) {
  const Finished no_file = RunDaemon({"/nonexistent/rung.conf"});
  EXPECT_EQ(no_file.code, 1);
  EXPECT_EQ(no_file.errors, "rungd: /nonexistent/rung.conf: No such file or directory\n");
  const Finished no_folder = RunDaemon({"--dir", "/nonexistent"});
  EXPECT_EQ(no_folder.code, 1);
  EXPECT_EQ(no_folder.errors, "rungd: dir /nonexistent: No such file or directory\n");
}

TEST(Start, FilesStandardInputAndOptionsAreReadInThisOrder) {
  const TempDir folder;
  folder.Write("extra-1.conf", "requirepass from-include\n");
  const std::string file = folder.Write(
      "rung.conf", "requirepass from-file\ninclude " + folder.path() + "/extra-*.conf\n");
  Daemon by_include({file});
  SocketClient client = SocketClient::Tcp(by_include.port());
  EXPECT_EQ(client.Call("PING"), Err("NOAUTH Authentication required."));
  EXPECT_EQ(client.Call("AUTH from-include"), Ok());
  Daemon by_option({file, "--requirepass", "from-option"});
  EXPECT_EQ(SocketClient::Tcp(by_option.port()).Call("AUTH from-option"), Ok());
}

TEST(Start, VersionHelpAndSampleArePrinted) {
  const Finished version = RunDaemon({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(version.output.starts_with("Rung server v=")) << version.output;
  EXPECT_EQ(RunDaemon({"-v"}).output, version.output);
  EXPECT_TRUE(RunDaemon({"--help"}).output.starts_with("usage: rungd "));
  EXPECT_NE(RunDaemon({"--dump-config"}).output.find("maxclients"), std::string::npos);
}

TEST(Start, ThePidFileIsWrittenInTheWorkingDirectoryAndGoesAtTheEnd) {
  Daemon daemon({"--pidfile", "rung.pid", "--maxclients", "100"});
  const std::string path = daemon.dir() + "/rung.pid";
  EXPECT_EQ(ReadWholeFile(path), std::to_string(daemon.process().pid()) + "\n");
  EXPECT_EQ(daemon.Stop(), 0);
  struct stat status {};
  EXPECT_NE(stat(path.c_str(), &status), 0) << "the pid file is left behind";
}

TEST(Start, TheProcessManagerIsToldWhenItIsReadyAndWhenItEnds) {
  const TempDir folder;
  const std::string path = folder.path() + "/notify";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int channel = socket(AF_UNIX, SOCK_DGRAM, 0);
  ASSERT_EQ(bind(channel, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  Process process({DaemonPath(), "--port", std::to_string(FreePort()), "--dir", folder.path()},
                  {"NOTIFY_SOCKET=" + path});
  std::array<char, 64> buffer;
  const auto receive = [&] {
    const ssize_t count = recv(channel, buffer.data(), buffer.size(), 0);
    return std::string(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  };
  EXPECT_EQ(receive(), "READY=1");
  process.Signal(SIGTERM);
  EXPECT_EQ(receive(), "STOPPING=1");
  EXPECT_EQ(process.Wait(), 0);
  close(channel);
}

}  // namespace
}  // namespace rung::testing

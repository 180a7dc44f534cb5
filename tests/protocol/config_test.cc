// CONFIG SET and its effects outside the engine, CONFIG REWRITE, SHUTDOWN.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "kit/build_paths.h"
#include "kit/protocol_test.h"

namespace rung::testing {
namespace {

class ConfigTest : public ProtocolTest {};

INSTANTIATE_TEST_SUITE_P(Drivers, ConfigTest, BothDrivers(), DriverName);

bool Listens(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int result = connect(probe, reinterpret_cast<sockaddr*>(&address), sizeof address);
  close(probe);
  return result == 0;
}

TEST_P(ConfigTest, ThePortMovesAndWhoIsConnectedStays) {
  Daemon daemon(WithDriver());
  SocketClient client = SocketClient::Tcp(daemon.port());
  const int new_port = FreePort();
  ASSERT_EQ(client.Call("CONFIG SET port " + std::to_string(new_port)), Ok());
  EXPECT_FALSE(Listens(daemon.port()));
  EXPECT_EQ(SocketClient::Tcp(new_port).Call("PING"), Status("PONG"));
  EXPECT_EQ(client.Call("CONFIG GET port"), Bulks({"port", std::to_string(new_port)}));
}

TEST_P(ConfigTest, APortInUseIsRefusedAndEverythingStays) {
  Daemon other;
  Daemon daemon(WithDriver());
  SocketClient client = SocketClient::Tcp(daemon.port());
  const Reply refused = client.Call("CONFIG SET port " + std::to_string(other.port()));
  EXPECT_NE(refused.text.find("Unable to listen on this port"), std::string::npos) << refused;
  EXPECT_EQ(client.Call("CONFIG GET port"), Bulks({"port", std::to_string(daemon.port())}));
  EXPECT_EQ(SocketClient::Tcp(daemon.port()).Call("PING"), Status("PONG"));
}

TEST_P(ConfigTest, TheAddressesChangeWhileRunning) {
  Daemon daemon(WithDriver());
  SocketClient client = SocketClient::Tcp(daemon.port());
  ASSERT_EQ(client.Call("CONFIG SET bind ::1"), Ok());
  EXPECT_FALSE(Listens(daemon.port()));
  EXPECT_EQ(SocketClient::Tcp(daemon.port(), "::1").Call("PING"), Status("PONG"));
  const Reply refused = client.Call("CONFIG SET bind 192.0.2.1");
  EXPECT_NE(refused.text.find("Failed to bind"), std::string::npos) << refused;
  EXPECT_EQ(SocketClient::Tcp(daemon.port(), "::1").Call("PING"), Status("PONG"));
  ASSERT_EQ(client.Call("CONFIG SET bind \"* -::*\""), Ok());
  EXPECT_TRUE(Listens(daemon.port()));
}

TEST_P(ConfigTest, MoreClientsThanTheSystemAllowsAreRefused) {
  Daemon daemon(WithDriver());
  SocketClient client = SocketClient::Tcp(daemon.port());
  const Reply refused = client.Call("CONFIG SET maxclients 900000000");
  EXPECT_NE(refused.text.find("The operating system is not able to handle"), std::string::npos)
      << refused;
  EXPECT_EQ(client.Call("CONFIG GET maxclients"), Bulks({"maxclients", "10000"}));
  EXPECT_EQ(client.Call("CONFIG SET maxclients 1"), Ok());
  EXPECT_EQ(SocketClient::Tcp(daemon.port()).Read(), Err("ERR max number of clients reached"));
}

TEST_P(ConfigTest, TheWorkingDirectoryReadsBackAbsolute) {
  Daemon daemon(WithDriver({"--enable-protected-configs", "yes"}));
  ASSERT_EQ(mkdir((daemon.dir() + "/inner").c_str(), 0700), 0);
  SocketClient client = SocketClient::Tcp(daemon.port());
  EXPECT_EQ(client.Call("CONFIG GET dir"), Bulks({"dir", daemon.dir()}));
  EXPECT_NE(client.Call("CONFIG SET dir nowhere").text.find("No such file"), std::string::npos);
  ASSERT_EQ(client.Call("CONFIG SET dir inner"), Ok());
  EXPECT_EQ(client.Call("CONFIG GET dir"), Bulks({"dir", daemon.dir() + "/inner"}));
}

TEST_P(ConfigTest, RewriteKeepsTheFileAndAddsWhatHasChanged) {
  const TempDir folder;
  const std::string file = folder.Write("rung.conf", "# mine\nmaxclients 50\n");
  ASSERT_EQ(chmod(file.c_str(), 0600), 0);
  {
    Daemon daemon(WithDriver({}));
    SocketClient client = SocketClient::Tcp(daemon.port());
    EXPECT_EQ(client.Call("CONFIG REWRITE"),
              Err("ERR The server is running without a config file"));
  }
  std::vector<std::string> options = WithDriver();
  options.insert(options.begin(), file);
  Daemon daemon(options);
  SocketClient client = SocketClient::Tcp(daemon.port());
  ASSERT_EQ(client.Call("CONFIG SET maxclients 77 timeout 33"), Ok());
  ASSERT_EQ(client.Call("CONFIG REWRITE"), Ok());
  const std::string text = ReadWholeFile(file);
  EXPECT_TRUE(text.starts_with("# mine\nmaxclients 77\n")) << text;
  EXPECT_NE(text.find("timeout 33\n"), std::string::npos) << text;
  struct stat status {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_P(ConfigTest, RenamedCommandsAnswerToTheirNewNamesAlone) {
  const TempDir folder;
  const std::string file =
      folder.Write("rung.conf", "rename-command CONFIG hidden\nrename-command FLUSHALL \"\"\n");
  std::vector<std::string> options = WithDriver();
  options.insert(options.begin(), file);
  Daemon daemon(options);
  SocketClient client = SocketClient::Tcp(daemon.port());
  EXPECT_EQ(client.Call("CONFIG GET maxclients"),
            Err("ERR unknown command 'CONFIG', with args beginning with: 'GET' 'maxclients' "));
  EXPECT_EQ(client.Call("HIDDEN GET maxclients"), Bulks({"maxclients", "10000"}));
  EXPECT_EQ(client.Call("FLUSHALL"),
            Err("ERR unknown command 'FLUSHALL', with args beginning with: "));
  EXPECT_EQ(client.Call("COMMAND INFO flushall hidden").elements[0], Nil());
  EXPECT_EQ(client.Call("HIDDEN REWRITE"), Ok());
  EXPECT_TRUE(
      ReadWholeFile(file).starts_with("rename-command CONFIG hidden\nrename-command "
                                      "FLUSHALL \"\"\n"));
}

TEST_P(ConfigTest, ARenameThatMakesNoSenseIsRefusedWithFileAndLine) {
  const TempDir folder;
  const std::string nobody = folder.Write("nobody.conf", "\nrename-command NOSUCH x\n");
  const std::string taken = folder.Write("taken.conf", "rename-command GET set\n");
  for (const auto& [file, told] :
       {std::pair(nobody, nobody + ":2: 'rename-command NOSUCH x': No such command in "
                                   "rename-command"),
        std::pair(taken, taken + ":1: 'rename-command GET set': Target command name already "
                                 "exists")}) {
    Process process(
        {DaemonPath(), file, "--port", "0", "--io-driver", GetParam(), "--dir", folder.path()});
    EXPECT_EQ(process.Wait(), 1);
    EXPECT_EQ(process.errors(), "rungd: " + told + "\n");
  }
}

TEST_P(ConfigTest, ShutdownEndsWithCodeZeroAndWithoutAReply) {
  Daemon daemon(WithDriver());
  SocketClient client = SocketClient::Tcp(daemon.port());
  client.Send("SHUTDOWN NOSAVE");
  EXPECT_EQ(client.ReadRaw(), "");
  EXPECT_EQ(daemon.process().Wait(), 0);
  EXPECT_NE(daemon.process().output().find("bye bye"), std::string::npos);
}

}  // namespace
}  // namespace rung::testing

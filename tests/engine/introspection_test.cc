// COMMAND, CONFIG, INFO, DEBUG and whole databases, as clients and tools see them.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

// The value of a field in an INFO report; "(none)" if it is not there.
std::string FieldOf(const std::string& report, const std::string& field) {
  const std::string start = "\r\n" + field + ":";
  const std::size_t at = ("\r\n" + report).find(start);
  if (at == std::string::npos) return "(none)";
  const std::size_t begin = at + start.size() - 2;
  return report.substr(begin, report.find("\r\n", begin) - begin);
}

class IntrospectionTest : public EngineTest {
 protected:
  std::string Info(Client& client, const std::string& sections = "") {
    return client.Call("INFO " + sections).text;
  }
};

TEST_F(IntrospectionTest, CommandInfoHasTheTenFieldsOfRedis) {
  Client client = Connect();
  const Reply reply = client.Call("COMMAND INFO get nothing");
  ASSERT_EQ(reply.elements.size(), 2u);
  EXPECT_EQ(reply.elements[1], Nil());
  const Reply& get = reply.elements[0];
  ASSERT_EQ(get.elements.size(), 10u);
  EXPECT_EQ(get.elements[0], Bulk("get"));
  EXPECT_EQ(get.elements[1], Int(2));
  EXPECT_EQ(get.elements[2], Array({Status("readonly"), Status("fast")}));
  EXPECT_EQ(get.elements[3], Int(1));
  EXPECT_EQ(get.elements[4], Int(1));
  EXPECT_EQ(get.elements[5], Int(1));
  EXPECT_EQ(get.elements[6], Array({Status("@read"), Status("@string"), Status("@fast")}));
  EXPECT_EQ(get.elements[8].elements.size(), 1u);
  EXPECT_EQ(get.elements[9], Array({}));
}

TEST_F(IntrospectionTest, SubcommandsAreListedUnderTheirContainer) {
  Client client = ConnectResp3();
  const Reply container = client.Call("COMMAND INFO config").elements[0];
  EXPECT_EQ(container.elements[1], Int(-2));
  EXPECT_EQ(container.elements[9].elements[0].elements[0], Bulk("config|get"));
  EXPECT_EQ(client.Call("COMMAND INFO config|get").elements[0].elements[0], Bulk("config|get"));
}

TEST_F(IntrospectionTest, CommandDocsPrintTheArgumentTree) {
  Client client = ConnectResp3();
  const Reply docs = client.Call("COMMAND DOCS mget nothing");
  ASSERT_EQ(docs.type, '%');
  ASSERT_EQ(docs.elements.size(), 2u);
  const Reply& mget = docs.elements[1];
  ASSERT_EQ(mget.elements.size(), 10u);
  EXPECT_EQ(mget.elements[4], Bulk("group"));
  EXPECT_EQ(mget.elements[5], Bulk("string"));
  EXPECT_EQ(mget.elements[8], Bulk("arguments"));
  EXPECT_EQ(mget.elements[9], Array({Map({Bulk("name"), Bulk("key"), Bulk("type"), Bulk("key"),
                                          Bulk("display_text"), Bulk("key"), Bulk("key_spec_index"),
                                          Int(0), Bulk("flags"), SetOf({Status("multiple")})})}));
}

TEST_F(IntrospectionTest, CommandListFilters) {
  Client client = Connect();
  EXPECT_EQ(client.Call("COMMAND LIST FILTERBY PATTERN mset*"), Bulks({"mset", "msetnx"}));
  EXPECT_EQ(client.Call("COMMAND LIST FILTERBY PATTERN config|re*"),
            Bulks({"config|resetstat", "config|rewrite"}));
  EXPECT_EQ(client.Call("COMMAND LIST FILTERBY ACLCAT transaction"),
            Bulks({"multi", "exec", "discard", "watch", "unwatch"}));
  EXPECT_EQ(client.Call("COMMAND LIST FILTERBY ACLCAT nonsense"), Array({}));
  EXPECT_EQ(client.Call("COMMAND LIST FILTERBY MODULE m"), Array({}));
  EXPECT_EQ(client.Call("COMMAND LIST bad"), Err("ERR syntax error"));
}

TEST_F(IntrospectionTest, CommandGetKeysFollowsTheKeySpecifications) {
  Client client = Connect();
  EXPECT_EQ(client.Call("COMMAND GETKEYS mset a 1 b 2"), Bulks({"a", "b"}));
  EXPECT_EQ(client.Call("COMMAND GETKEYSANDFLAGS get a"),
            Array({Array({Bulk("a"), Array({Status("RO"), Status("access")})})}));
  EXPECT_EQ(client.Call("COMMAND GETKEYS nothing a"), Err("ERR Invalid command specified"));
  EXPECT_EQ(client.Call("COMMAND GETKEYS ping"), Err("ERR The command has no key arguments"));
  EXPECT_EQ(client.Call("COMMAND GETKEYS get"),
            Err("ERR Invalid number of arguments specified for command"));
}

TEST_F(IntrospectionTest, KeyFlagsFollowTheArgumentsWhereTheyMatter) {
  Client client = Connect();
  const auto flags = [&](const std::string& request) {
    return client.Call("COMMAND GETKEYSANDFLAGS " + request).elements.at(0).elements.at(1);
  };
  EXPECT_EQ(flags("set k v EX 10"), Array({Status("OW"), Status("update")}));
  EXPECT_EQ(flags("set k v get"), Array({Status("RW"), Status("access"), Status("update")}));
  EXPECT_EQ(flags("bitfield k get u8 0"), Array({Status("RO"), Status("access")}));
  EXPECT_EQ(flags("bitfield k get u8 0 set u8 0 1"),
            Array({Status("RW"), Status("access"), Status("update")}));
}

TEST_F(IntrospectionTest, WaitEndedByAnErrorIsAFailedCall) {
  Client client = Connect();
  Client waiter = Connect();
  waiter.Send("BLPOP list 0");
  client.Call("CLIENT UNBLOCK " + std::to_string(waiter.session().id) + " ERROR");
  EXPECT_EQ(FieldOf(Info(client, "commandstats"), "cmdstat_blpop"),
            "calls=1,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=1");
  EXPECT_EQ(FieldOf(Info(client, "errorstats"), "errorstat_UNBLOCKED"), "count=1");
}

TEST_F(IntrospectionTest, UnknownSubcommandPointsToHelp) {
  Client client = Connect();
  EXPECT_EQ(client.Call("COMMAND nothing"),
            Err("ERR unknown subcommand 'nothing'. Try COMMAND HELP."));
  EXPECT_EQ(client.Call("CONFIG nothing"),
            Err("ERR unknown subcommand 'nothing'. Try CONFIG HELP."));
  EXPECT_EQ(client.Call("CONFIG"), Err("ERR wrong number of arguments for 'config' command"));
}

TEST_F(IntrospectionTest, HelpIsMadeFromTheDeclarations) {
  Client client = Connect();
  const Reply help = client.Call("FUNCTION HELP");
  ASSERT_EQ(help.elements.size(), 19u);
  EXPECT_EQ(help.elements[0],
            Status("FUNCTION <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"));
  EXPECT_EQ(help.elements[1], Status("DELETE <library-name>"));
  EXPECT_EQ(help.elements[2], Status("    Deletes a library and its functions."));
  EXPECT_EQ(help.elements[5], Status("FLUSH [ASYNC | SYNC]"));
  EXPECT_EQ(help.elements[17], Status("HELP"));
  EXPECT_EQ(help.elements[18], Status("    Lists the subcommands."));
}

TEST_F(IntrospectionTest, ConfigSetTakesEffect) {
  Client client = Connect();
  EXPECT_EQ(client.Call("CONFIG SET notify-keyspace-events KEA"), Ok());
  EXPECT_NE(engine->broker().store.event_mask(), 0u);
  EXPECT_EQ(client.Call("CONFIG GET notify-keyspace-events"),
            Bulks({"notify-keyspace-events", "AKE"}));
  EXPECT_EQ(client.Call("CONFIG SET maxmemory"),
            Err("ERR wrong number of arguments for 'config|set' command"));
  EXPECT_EQ(client.Call("CONFIG SET maxmemory 1mb timeout"),
            Err("ERR wrong number of arguments for 'config|set' command"));
}

TEST_F(IntrospectionTest, PasswordSetLaterLetsTheConnectedStayAndNewOnesWait) {
  Client client = Connect();
  EXPECT_EQ(client.Call("CONFIG SET requirepass secret"), Ok());
  EXPECT_EQ(client.Call("PING"), Status("PONG"));
  Client stranger = Connect();
  EXPECT_EQ(stranger.Call("PING"), Err("NOAUTH Authentication required."));
  client.Call("CONFIG SET requirepass \"\"");
  EXPECT_EQ(stranger.Call("PING"), Status("PONG"));
}

TEST_F(IntrospectionTest, ConfigRewriteKeepsCommentsAndWritesWhatChanged) {
  host.config_text = "# mine\nport 6379\n";
  Client client = Connect();
  client.Call("CONFIG SET maxmemory 1048576");
  EXPECT_EQ(client.Call("CONFIG REWRITE"), Ok());
  EXPECT_NE(host.config_text.find("# mine\n"), std::string::npos);
  EXPECT_NE(host.config_text.find("maxmemory 1mb"), std::string::npos) << host.config_text;
}

TEST_F(IntrospectionTest, InfoSectionsCanBeChosen) {
  Client client = Connect();
  EXPECT_EQ(Info(client, "cluster"), "# Cluster\r\ncluster_enabled:0\r\n");
  EXPECT_EQ(Info(client, "nonsense"), "");
  const std::string both = Info(client, "CLUSTER keyspace");
  EXPECT_EQ(both, "# Cluster\r\ncluster_enabled:0\r\n\r\n# Keyspace\r\n");
  EXPECT_EQ(Info(client).find("# Commandstats"), std::string::npos);
  EXPECT_NE(Info(client, "all").find("# Commandstats"), std::string::npos);
  EXPECT_NE(Info(client, "everything").find("# Latencystats"), std::string::npos);
  EXPECT_NE(Info(client, "default commandstats").find("# Server"), std::string::npos);
}

TEST_F(IntrospectionTest, InfoHasTheFieldsThatClientLibrariesRead) {
  Client client = Connect();
  client.Call("SET a 1 EX 100");
  client.Call("SET b 2");
  const std::string info = Info(client);
  EXPECT_EQ(FieldOf(info, "redis_version"), "7.2.4");
  EXPECT_EQ(FieldOf(info, "redis_mode"), "standalone");
  EXPECT_EQ(FieldOf(info, "role"), "master");
  EXPECT_EQ(FieldOf(info, "loading"), "0");
  EXPECT_EQ(FieldOf(info, "maxmemory_policy"), "noeviction");
  EXPECT_EQ(FieldOf(info, "tcp_port"), "6379");
  EXPECT_EQ(FieldOf(info, "connected_clients"), "1");
  EXPECT_EQ(FieldOf(info, "db0"), "keys=2,expires=1,avg_ttl=100000");
  EXPECT_EQ(FieldOf(info, "run_id").size(), 40u);
  EXPECT_NE(FieldOf(info, "used_memory_human"), "(none)");
}

TEST_F(IntrospectionTest, InfoCountsCallsErrorsAndRejections) {
  Client client = Connect();
  client.Call("SET k word");
  client.Call("INCR k");
  client.Call("GET");
  const std::string stats = Info(client, "commandstats errorstats stats");
  EXPECT_EQ(FieldOf(stats, "cmdstat_set"),
            "calls=1,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=0");
  EXPECT_EQ(FieldOf(stats, "cmdstat_incr"),
            "calls=1,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=1");
  EXPECT_EQ(FieldOf(stats, "cmdstat_get"),
            "calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0");
  EXPECT_EQ(FieldOf(stats, "errorstat_ERR"), "count=2");
  EXPECT_EQ(FieldOf(stats, "total_error_replies"), "2");
  client.Call("CONFIG RESETSTAT");
  EXPECT_EQ(FieldOf(Info(client, "commandstats"), "cmdstat_set"), "(none)");
  EXPECT_EQ(FieldOf(Info(client, "errorstats"), "errorstat_ERR"), "(none)");
}

TEST_F(IntrospectionTest, LatencyStatsGivePercentilesOfWhatCommandsTook) {
  config.Load("enable-debug-command yes", "test", {});
  Client client = Connect();
  client.Call("DEBUG SLEEP 0.001");
  const std::string line = FieldOf(Info(client, "latencystats"), "latency_percentiles_usec_debug");
  // 1 ms, rounded up to the end of its bucket.
  EXPECT_EQ(line, "p50=1015.807,p99=1015.807,p99.9=1015.807");
}

TEST_F(IntrospectionTest, RateOfCommandsIsTakenOverTheLastSamples) {
  Client client = Connect();
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 10; ++j) client.Call("PING");
    Advance(100ms);
  }
  EXPECT_EQ(FieldOf(Info(client, "stats"), "instantaneous_ops_per_sec"), "100");
}

TEST_F(IntrospectionTest, FlushAllEmptiesEveryDatabaseAndIsLogged) {
  Client client = Connect();
  client.Call("SET a 1");
  client.Call("SELECT 3");
  client.Call("SET b 1");
  TakeLog();
  EXPECT_EQ(client.Call("FLUSHALL ASYNC"), Ok());
  EXPECT_EQ(client.Call("DBSIZE"), Int(0));
  EXPECT_EQ(TakeLog(), (Lines{"FLUSHALL ASYNC"}));
  EXPECT_EQ(client.Call("FLUSHALL now"), Err("ERR syntax error"));
  EXPECT_EQ(client.Call("FLUSHDB"), Ok());
}

TEST_F(IntrospectionTest, SwapDbExchangesContentsAndMarksWatchers) {
  Client client = Connect();
  client.Call("SET k zero");
  client.Call("WATCH k");
  Client other = Connect();
  EXPECT_EQ(other.Call("SWAPDB 0 1"), Ok());
  EXPECT_EQ(other.Call("GET k"), Nil());
  client.Call("MULTI");
  EXPECT_EQ(client.Call("EXEC"), NullArray());
  EXPECT_EQ(other.Call("SWAPDB 0 16"), Err("ERR DB index is out of range"));
  EXPECT_EQ(other.Call("SWAPDB 0 x"), Err("ERR invalid second DB index"));
}

TEST_F(IntrospectionTest, DebugIsRefusedUnlessAllowed) {
  Client client = Connect();
  EXPECT_TRUE(client.Call("DEBUG SLEEP 0").text.starts_with("ERR DEBUG command not allowed."));
  config.Load("enable-debug-command local", "test", {});
  EXPECT_EQ(client.Call("DEBUG SLEEP 0"), Ok());
  EXPECT_EQ(client.Call("DEBUG nothing"),
            Err("ERR unknown subcommand or wrong number of arguments for 'nothing'. "
                "Try DEBUG HELP."));
}

class DebugTest : public IntrospectionTest {
 protected:
  DebugTest() { config.Load("enable-debug-command yes", "test", {}); }
};

TEST_F(DebugTest, DigestIsThatOfTheContentsAlone) {
  Client client = Connect();
  EXPECT_EQ(client.Call("DEBUG DIGEST"), Status(std::string(40, '0')));
  client.Call("MSET a 1 b 2");
  const Reply digest = client.Call("DEBUG DIGEST");
  client.Call("FLUSHALL");
  client.Call("MSET b 2 a 1");
  EXPECT_EQ(client.Call("DEBUG DIGEST"), digest);
  client.Call("SET a 2");
  EXPECT_NE(client.Call("DEBUG DIGEST"), digest);
  client.Call("SET a 1 EX 100");
  EXPECT_NE(client.Call("DEBUG DIGEST"), digest);
}

TEST_F(DebugTest, DigestOfAListDependsOnItsOrder) {
  Client client = Connect();
  client.Call("RPUSH x a b");
  client.Call("RPUSH y a b");
  client.Call("RPUSH z b a");
  const Reply values = client.Call("DEBUG DIGEST-VALUE x y z none");
  EXPECT_EQ(values.elements[0], values.elements[1]);
  EXPECT_NE(values.elements[0], values.elements[2]);
  EXPECT_EQ(values.elements[3], Status(std::string(40, '0')));
}

TEST_F(DebugTest, PopulateMakesMissingKeysAndLogsThem) {
  Client client = Connect();
  client.Call("SET key:0 mine");
  TakeLog();
  EXPECT_EQ(client.Call("DEBUG POPULATE 2"), Ok());
  EXPECT_EQ(client.Call("MGET key:0 key:1"), Bulks({"mine", "value:1"}));
  EXPECT_EQ(TakeLog(), (Lines{"SET key:1 value:1"}));
  client.Call("DEBUG POPULATE 1 p 20");
  EXPECT_EQ(client.Call("STRLEN p:0"), Int(20));
}

TEST_F(DebugTest, ActiveExpiryCanBeHeld) {
  Client client = Connect();
  client.Call("DEBUG SET-ACTIVE-EXPIRE 0");
  client.Call("SET k v PX 10");
  Advance(1s);
  EXPECT_EQ(client.Call("DBSIZE"), Int(1));
  EXPECT_EQ(client.Call("GET k"), Nil());
  EXPECT_EQ(client.Call("DBSIZE"), Int(0));
}

TEST_F(DebugTest, ObjectDescribesWhatIsPastItsTimeUntilItIsTouched) {
  Client client = Connect();
  client.Call("DEBUG SET-ACTIVE-EXPIRE 0");
  client.Call("SET k v PX 10");
  Advance(1s);
  EXPECT_NE(client.Call("DEBUG OBJECT k").text.find(" encoding:embstr "), std::string::npos);
  EXPECT_EQ(client.Call("DBSIZE"), Int(1));
  EXPECT_EQ(client.CallArgs({"EVAL", "return redis.call('EXISTS', KEYS[1])", "1", "k"}), Int(0));
  EXPECT_EQ(client.Call("DEBUG OBJECT k"), Err("ERR no such key"));
}

TEST_F(DebugTest, ProtocolSamplesInBothProtocols) {
  Client two = Connect();
  Client three = ConnectResp3();
  EXPECT_EQ(two.Call("DEBUG PROTOCOL double"), Bulk("3.141"));
  EXPECT_EQ(three.Call("DEBUG PROTOCOL double"), Double("3.141"));
  EXPECT_EQ(two.Call("DEBUG PROTOCOL true"), Int(1));
  EXPECT_EQ(three.Call("DEBUG PROTOCOL true"), Bool(true));
  EXPECT_EQ(two.Call("DEBUG PROTOCOL push"), Err("ERR RESP2 is not supported by this command"));
  EXPECT_EQ(three.Call("DEBUG PROTOCOL verbatim"), Verbatim("txt:This is a verbatim\nstring"));
}

TEST_F(IntrospectionTest, MonitorShowsWhatOthersRun) {
  Client monitor = Connect();
  EXPECT_EQ(monitor.Call("MONITOR"), Ok());
  Client client = Connect();
  client.Call("SET k \"a b\"");
  EXPECT_EQ(monitor.Read(), Status("1767225600.000000 [0 127.0.0.1:50000] \"SET\" \"k\" \"a b\""));
}

TEST_F(IntrospectionTest, ShutdownAsksTheHostAndAnswersNothing) {
  Client client = Connect();
  EXPECT_EQ(client.Call("SHUTDOWN SAVE NOSAVE"), Err("ERR syntax error"));
  EXPECT_EQ(client.Call("SHUTDOWN ABORT"), Err("ERR No shutdown in progress."));
  client.Send("SHUTDOWN NOSAVE NOW");
  EXPECT_EQ(client.TryRead(), std::nullopt);
  ASSERT_TRUE(engine->broker().shutdown.has_value());
  EXPECT_TRUE(engine->broker().shutdown->now);
}

TEST_F(EngineTest, ProbesForAClusterGetTheErrorThatMeansThereIsNone) {
  Client client = Connect();
  for (const char* probe : {"CLUSTER INFO", "CLUSTER NODES", "CLUSTER SLOTS", "CLUSTER SHARDS",
                            "CLUSTER KEYSLOT k", "READONLY", "READWRITE", "ASKING"}) {
    EXPECT_EQ(client.Call(probe), Err("ERR This instance has cluster support disabled")) << probe;
  }
  EXPECT_EQ(client.Call("CLUSTER NOSUCH"),
            Err("ERR unknown subcommand 'NOSUCH'. Try CLUSTER HELP."));
}

}  // namespace
}  // namespace rung::testing

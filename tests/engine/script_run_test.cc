// EVAL and its kin: what scripts are given, what they call, and what of it their clients see.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

class ScriptRunTest : public EngineTest {
 public:
  Reply Eval(const std::string& script, std::vector<std::string> keys = {},
             std::vector<std::string> args = {}) {
    return EvalBy("EVAL", script, std::move(keys), std::move(args));
  }
  Reply EvalBy(const std::string& command, const std::string& script,
               std::vector<std::string> keys = {}, std::vector<std::string> args = {}) {
    std::vector<std::string> words = {command, script, std::to_string(keys.size())};
    words.insert(words.end(), keys.begin(), keys.end());
    words.insert(words.end(), args.begin(), args.end());
    return client.CallArgs(words);
  }
  // The error without the part that names the script.
  std::string ErrorOf(const std::string& script, std::vector<std::string> keys = {}) {
    const Reply reply = Eval(script, std::move(keys));
    EXPECT_TRUE(reply.IsError()) << script << ": " << reply;
    return reply.text.substr(0, reply.text.find(" script: "));
  }

  Client client = Connect();
};

TEST_F(ScriptRunTest, KeysAndArgumentsPassUnchanged) {
  const std::string bytes("a\0b\r\n\xff", 6);
  EXPECT_EQ(
      Eval("return {KEYS[1], KEYS[2], ARGV[1], ARGV[2], #KEYS, #ARGV}", {"k", bytes}, {bytes, ""}),
      Array({Bulk("k"), Bulk(bytes), Bulk(bytes), Bulk(""), Int(2), Int(2)}));
}

TEST_F(ScriptRunTest, CountsOfKeysThatCannotBeAreErrors) {
  EXPECT_EQ(client.Call("EVAL 'return 1' x"), Err("ERR value is not an integer or out of range"));
  EXPECT_EQ(client.Call("EVAL 'return 1' 2 a"),
            Err("ERR Number of keys can't be greater than number of args"));
  EXPECT_EQ(client.Call("EVAL 'return 1' -1"), Err("ERR Number of keys can't be negative"));
  EXPECT_EQ(client.Call("EVAL 'return 1'"),
            Err("ERR wrong number of arguments for 'eval' command"));
}

TEST_F(ScriptRunTest, ValuesBecomeReplies) {
  EXPECT_EQ(Eval("return 'text'"), Bulk("text"));
  EXPECT_EQ(Eval("return 7"), Int(7));
  EXPECT_EQ(Eval("return true"), Int(1));
  EXPECT_EQ(Eval("return false"), Nil());
  EXPECT_EQ(Eval("return nil"), Nil());
  EXPECT_EQ(Eval("return"), Nil());
  EXPECT_EQ(Eval("return function() end"), Nil());
  EXPECT_EQ(Eval("return {}"), Array({}));
  EXPECT_EQ(Eval("return {1, 'a', {2, {3}}}"),
            Array({Int(1), Bulk("a"), Array({Int(2), Array({Int(3)})})}));
  EXPECT_EQ(Eval("return {1, 2, nil, 4}"), Array({Int(1), Int(2)}));
  EXPECT_EQ(Eval("return {ok = 'FINE'}"), Status("FINE"));
  EXPECT_EQ(Eval("return {ok = 'a\\r\\nb'}"), Status("a  b"));
  EXPECT_EQ(Eval("return {err = 'MINE is bad'}"), Err("MINE is bad"));
  EXPECT_EQ(Eval("return {1, {err = 'INNER x'}}"), Array({Int(1), Err("INNER x")}));
  EXPECT_EQ(Eval("return {double = 3.5}"), Bulk("3.5"));
}

TEST_F(ScriptRunTest, Case48_NumbersAreTruncated) {
  EXPECT_EQ(Eval("return tonumber('34343.9')"), Int(34343));
  EXPECT_EQ(Eval("return -3.7"), Int(-3));
  EXPECT_EQ(Eval("return {1, 2^31, 2^53}"),
            Array({Int(1), Int(2147483648), Int(9007199254740992)}));
  EXPECT_EQ(Eval("return 0/0"), Int(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(Eval("return tostring(1e15)"), Bulk("1e+15"));
  client.Call("ZADD z 1.5 m");
  EXPECT_EQ(Eval("return type(redis.call('zscore', 'z', 'm'))"), Bulk("string"));
}

TEST_F(ScriptRunTest, RepliesBecomeValues) {
  client.Call("RPUSH l a b");
  client.Call("HSET h f v");
  EXPECT_EQ(Eval("return redis.call('LRANGE', 'l', 0, -1)"), Bulks({"a", "b"}));
  EXPECT_EQ(Eval("return redis.call('HGETALL', 'h')"), Bulks({"f", "v"}));
  EXPECT_EQ(Eval("return redis.call('SET', 'k', 'v')['ok']"), Bulk("OK"));
  EXPECT_EQ(Eval("return redis.call('TYPE', 'l').ok"), Bulk("list"));
  EXPECT_EQ(Eval("return tostring(redis.call('GET', 'none'))"), Bulk("false"));
  EXPECT_EQ(Eval("return tostring(redis.call('SET', 'k', 'w', 'NX'))"), Bulk("false"));
  EXPECT_EQ(Eval("return #redis.call('LRANGE', 'none', 0, -1)"), Int(0));
  EXPECT_EQ(Eval("return redis.call('HMGET', 'h', 'f', 'none', 'f')[3]"), Bulk("v"));
  EXPECT_EQ(Eval("return type(redis.call('LLEN', 'l'))"), Bulk("number"));
}

TEST_F(ScriptRunTest, WholeNumbersAreAlwaysDigits) {
  client.Call("SET n 299999999");
  EXPECT_EQ(Eval("local n = redis.call('INCR', 'n') redis.call('SET', 'copy', n) "
                 "return redis.call('GET', 'copy')"),
            Bulk("300000000"));
  EXPECT_EQ(Eval("redis.call('SET', 'k', 2^53) return redis.call('GET', 'k')"),
            Bulk("9007199254740992"));
  EXPECT_EQ(Eval("redis.call('SET', 'k', 0.1) return redis.call('GET', 'k')"), Bulk("0.1"));
  EXPECT_EQ(Eval("redis.call('SET', 'k', 1e20) return redis.call('GET', 'k')"), Bulk("1e+20"));
  EXPECT_EQ(Eval("redis.call('SET', 'k', -0.5) return redis.call('GET', 'k')"), Bulk("-0.5"));
}

TEST_F(ScriptRunTest, ErrorsOfCallsAreRaisedAndNameTheScript) {
  client.Call("SET s v");
  EXPECT_EQ(Eval("return redis.call('LPUSH', 's', 'x')"),
            Err("WRONGTYPE Operation against a key holding the wrong kind of value script: "
                "fca246eef10a96fa0e10a58030a1657e25f9a949, on @user_script:1."));
  EXPECT_EQ(ErrorOf("redis.call('nosuch')"), "ERR Unknown Redis command called from script");
  EXPECT_EQ(ErrorOf("redis.call('get')"),
            "ERR Wrong number of args calling Redis command from script");
  EXPECT_EQ(ErrorOf("redis.call('subscribe', 'c')"),
            "ERR This Redis command is not allowed from script");
  EXPECT_EQ(ErrorOf("redis.call('eval', 'return 1', 0)"),
            "ERR This Redis command is not allowed from script");
  EXPECT_EQ(ErrorOf("redis.call()"),
            "ERR Please specify at least one argument for this redis lib call");
  EXPECT_EQ(ErrorOf("redis.call('get', {})"),
            "ERR Lua redis lib command arguments must be strings or integers");
  EXPECT_EQ(ErrorOf("redis.call('get', nil)"),
            "ERR Lua redis lib command arguments must be strings or integers");
}

TEST_F(ScriptRunTest, ErrorsOfLuaNameLineAndScript) {
  const Reply reply = Eval("local a = 1\n\nerror('boom')");
  EXPECT_EQ(reply.text.substr(0, 25), "ERR user_script:3: boom s");
  EXPECT_TRUE(reply.text.ends_with(", on @user_script:3.")) << reply;
  EXPECT_EQ(ErrorOf("error({err = 'CODE text'})"), "CODE text");
  EXPECT_EQ(ErrorOf("error({})"), "ERR unknown error");
  EXPECT_EQ(ErrorOf("return nothing"),
            "ERR user_script:1: Script attempted to access nonexistent global variable 'nothing'");
  EXPECT_EQ(ErrorOf("local t = nil return t.x"),
            "ERR user_script:1: attempt to index local 't' (a nil value)");
  EXPECT_EQ(Eval("return )"), Err("ERR Error compiling script (new function): user_script:1: "
                                  "unexpected symbol near ')'"));
}

TEST_F(ScriptRunTest, PcallTurnsErrorsIntoValues) {
  client.Call("SET s v");
  EXPECT_EQ(Eval("return redis.pcall('LPUSH', 's', 'x')"),
            Err("WRONGTYPE Operation against a key holding the wrong kind of value"));
  EXPECT_EQ(Eval("return redis.pcall('LPUSH', 's', 'x').err"),
            Bulk("WRONGTYPE Operation against a key holding the wrong kind of value"));
  EXPECT_EQ(Eval("local ok, e = pcall(redis.call, 'nosuch') return {tostring(ok), type(e), e}"),
            Bulks({"false", "string", "ERR Unknown Redis command called from script"}));
  EXPECT_EQ(Eval("local ok, e = pcall(error, {err = 'X y'}) return e"), Bulk("X y"));
  EXPECT_EQ(Eval("local ok, e = pcall(error, {}) return type(e)"), Bulk("table"));
  EXPECT_EQ(Eval("return {pcall(function(...) return ... end, 1, 2)}"),
            Array({Int(1), Int(1), Int(2)}));
}

TEST_F(ScriptRunTest, RepliesCanBeMade) {
  EXPECT_EQ(Eval("return redis.error_reply('MY error')"), Err("MY error"));
  EXPECT_EQ(Eval("return redis.error_reply('-MY error')"), Err("MY error"));
  EXPECT_EQ(Eval("return redis.error_reply('oneword')"), Err("ERR oneword"));
  EXPECT_EQ(Eval("return redis.status_reply('FINE')"), Status("FINE"));
  EXPECT_EQ(Eval("return redis.error_reply()"), Err("ERR wrong number or type of arguments"));
  EXPECT_EQ(Eval("return redis.status_reply({})"), Err("ERR wrong number or type of arguments"));
}

TEST_F(ScriptRunTest, TheRestOfTheApi) {
  EXPECT_EQ(Eval("return redis.sha1hex('')"), Bulk("da39a3ee5e6b4b0d3255bfef95601890afd80709"));
  EXPECT_EQ(ErrorOf("return redis.sha1hex()"), "ERR wrong number of arguments");
  EXPECT_EQ(Eval("return redis.replicate_commands()"), Int(1));
  EXPECT_EQ(Eval("return type(os.clock())"), Bulk("number"));
  EXPECT_EQ(ErrorOf("redis.set_repl()"), "ERR redis.set_repl() requires one argument.");
  EXPECT_EQ(ErrorOf("redis.set_repl(4)"),
            "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or "
            "REPL_NONE.");
  EXPECT_EQ(Eval("return redis.breakpoint()"), Nil());
  EXPECT_EQ(Eval("return {redis.REDIS_VERSION, redis.REDIS_VERSION_NUM}"),
            Array({Bulk("7.2.4"), Int(0x00070204)}));
  EXPECT_EQ(Eval("return {redis.REPL_NONE, redis.REPL_AOF, redis.REPL_SLAVE, redis.REPL_REPLICA, "
                 "redis.REPL_ALL}"),
            Array({Int(0), Int(1), Int(2), Int(2), Int(3)}));
  EXPECT_EQ(Eval("return redis.acl_check_cmd('set', 'k', 'v')"), Int(1));
  EXPECT_EQ(ErrorOf("return redis.acl_check_cmd('nosuch')"),
            "ERR Invalid command passed to redis.acl_check_cmd()");
  EXPECT_EQ(Eval("redis.log(redis.LOG_NOTICE, 'one', 2)"), Nil());
  EXPECT_EQ(host.log_lines, Lines{"one 2"});
  EXPECT_EQ(ErrorOf("redis.log('x')"), "ERR redis.log() requires two arguments or more.");
  EXPECT_EQ(ErrorOf("redis.log('x', 'y')"), "ERR First argument must be a number (log level).");
  EXPECT_EQ(ErrorOf("redis.log(10, 'y')"), "ERR Invalid debug level.");
}

TEST_F(ScriptRunTest, Resp3ValuesAreToldApart) {
  client.Call("HSET h f v");
  client.Call("SADD s m");
  client.Call("ZADD z 1.5 m");
  EXPECT_EQ(Eval("redis.setresp(3) return redis.call('HGETALL', 'h').map.f"), Bulk("v"));
  EXPECT_EQ(Eval("redis.setresp(3) return redis.call('SMEMBERS', 's').set.m"), Int(1));
  EXPECT_EQ(Eval("redis.setresp(3) return type(redis.call('SMEMBERS', 's').set.m)"),
            Bulk("boolean"));
  EXPECT_EQ(Eval("redis.setresp(3) return redis.call('ZSCORE', 'z', 'm').double * 2"), Int(3));
  EXPECT_EQ(Eval("redis.setresp(3) return type(redis.call('GET', 'none'))"), Bulk("nil"));
  EXPECT_EQ(ErrorOf("redis.setresp(4)"), "ERR RESP version must be 2 or 3.");
  EXPECT_EQ(ErrorOf("redis.setresp()"), "ERR redis.setresp() requires one argument.");
  // The next script starts with RESP2 again.
  EXPECT_EQ(Eval("return redis.call('HGETALL', 'h')"), Bulks({"f", "v"}));
  client = ConnectResp3();
  EXPECT_EQ(Eval("redis.setresp(3) return redis.call('HGETALL', 'h')"),
            Map({Bulk("f"), Bulk("v")}));
  EXPECT_EQ(Eval("redis.setresp(3) return redis.call('SMEMBERS', 's')"), SetOf({Bulk("m")}));
  EXPECT_EQ(Eval("redis.setresp(3) return redis.call('ZSCORE', 'z', 'm')"), Double("1.5"));
  EXPECT_EQ(Eval("redis.setresp(3) return true"), Bool(true));
  EXPECT_EQ(Eval("return true"), Int(1));
  EXPECT_EQ(Eval("return false"), Null3());
  EXPECT_EQ(Eval("return {verbatim_string = {format = 'md', string = 'x'}}"), Verbatim("md :x"));
}

TEST_F(ScriptRunTest, EvalshaKnowsWhatEvalRan) {
  EXPECT_EQ(client.Call("EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0"),
            Err("NOSCRIPT No matching script. Please use EVAL."));
  EXPECT_EQ(Eval("return 1"), Int(1));
  EXPECT_EQ(client.Call("EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0"), Int(1));
  EXPECT_EQ(client.Call("EVALSHA E0E1F9FABFC9D4800C877A703B823AC0578FF8DB 0"), Int(1));
  EXPECT_EQ(client.Call("EVALSHA e0e1 0"), Err("NOSCRIPT No matching script. Please use EVAL."));
  EXPECT_EQ(client.Call("SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db xx"),
            Array({Int(1), Int(0)}));
  EXPECT_EQ(client.Call("SCRIPT FLUSH"), Ok());
  EXPECT_EQ(client.Call("SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db"), Array({Int(0)}));
}

TEST_F(ScriptRunTest, EvalshaRoRunsWhatIsKnownAndRefusesWrites) {
  client.Call("SET k v");
  EXPECT_EQ(client.Call("EVALSHA_RO e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0"),
            Err("NOSCRIPT No matching script. Please use EVAL."));
  const Reply reads = client.CallArgs({"SCRIPT", "LOAD", "return redis.call('GET', KEYS[1])"});
  EXPECT_EQ(client.Call("EVALSHA_RO " + reads.text + " 1 k"), Bulk("v"));
  const Reply writes = client.CallArgs({"SCRIPT", "LOAD", "return redis.call('INCR', KEYS[1])"});
  EXPECT_TRUE(client.Call("EVALSHA_RO " + writes.text + " 1 n")
                  .text.starts_with("ERR Write commands are not allowed from read-only scripts."));
  EXPECT_EQ(client.Call("EXISTS n"), Int(0));
  // The refusal is the call's, not the script's.
  EXPECT_EQ(client.Call("EVALSHA " + writes.text + " 1 n"), Int(1));
}

TEST_F(ScriptRunTest, ScriptLoadCompilesAndNames) {
  EXPECT_EQ(client.Call("SCRIPT LOAD 'return 1'"),
            Bulk("e0e1f9fabfc9d4800c877a703b823ac0578ff8db"));
  EXPECT_EQ(client.Call("EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0"), Int(1));
  EXPECT_TRUE(client.Call("SCRIPT LOAD 'return )'").IsError());
  EXPECT_EQ(client.Call("SCRIPT FLUSH ASYNC"), Ok());
  EXPECT_EQ(client.Call("SCRIPT FLUSH SOON"),
            Err("ERR SCRIPT FLUSH only support SYNC|ASYNC option"));
  EXPECT_EQ(client.Call("SCRIPT KILL"), Err("NOTBUSY No scripts in execution right now."));
  EXPECT_EQ(client.Call("SCRIPT DEBUG NO"), Ok());
  EXPECT_TRUE(client.Call("SCRIPT DEBUG YES").IsError());
}

TEST_F(ScriptRunTest, OnlyWhatEvalAloneHasBroughtMakesRoom) {
  const std::string exists =
      "SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db "
      "c831c38f98f52c070ded9e558dcd9a36533b5bcf 47673101c33ec3f768e19775e884a11922252f2f";
  client.Call("SCRIPT LOAD 'return 1'");
  Eval("return 'first'");
  Eval("return 'second'");
  for (int i = 0; i < 498; ++i) Eval("return " + std::to_string(1000 + i));
  EXPECT_EQ(client.Call(exists), Array({Int(1), Int(1), Int(1)}));
  Eval("return 'first'");  // Now 'second' is the one that was run longest ago.
  Eval("return 'one more'");
  EXPECT_EQ(client.Call(exists), Array({Int(1), Int(1), Int(0)}));
  // What is loaded later is no longer EVAL's alone.
  client.Call("SCRIPT LOAD \"return 'first'\"");
  for (int i = 0; i < 600; ++i) Eval("return " + std::to_string(2000 + i));
  EXPECT_EQ(client.Call(exists), Array({Int(1), Int(1), Int(0)}));
  EXPECT_NE(client.Call("INFO stats").text.find("evicted_scripts:600\r\n"), std::string::npos);
  EXPECT_NE(client.Call("INFO memory").text.find("number_of_cached_scripts:502\r\n"),
            std::string::npos);
}

TEST_F(ScriptRunTest, WritesOfAScriptAreOneUnitOfTheLog) {
  Eval("redis.call('SET', 'a', 1) redis.call('RPUSH', 'l', 'x') return 1");
  EXPECT_EQ(TakeLog(), (Lines{"MULTI", "SET a 1", "RPUSH l x", "EXEC"}));
  Eval("redis.call('SET', 'a', 2)");
  EXPECT_EQ(TakeLog(), (Lines{"SET a 2"}));
  Eval("return redis.call('GET', 'a')");
  EXPECT_EQ(TakeLog(), Lines{});
  // What it had written before an error stays.
  Eval("redis.call('SET', 'a', 3) error('x')");
  EXPECT_EQ(TakeLog(), (Lines{"SET a 3"}));
  Eval(
      "redis.set_repl(redis.REPL_NONE) redis.call('SET', 'a', 4) "
      "redis.set_repl(redis.REPL_ALL) redis.call('SET', 'b', 5)");
  EXPECT_EQ(TakeLog(), (Lines{"SET b 5"}));
  Eval("redis.set_repl(redis.REPL_NONE)");
  client.Call("SET c 1");
  EXPECT_EQ(TakeLog(), (Lines{"SET c 1"}));
}

TEST_F(ScriptRunTest, TimeStandsStill) {
  clock.per_reading = 1ms;
  EXPECT_EQ(Eval("local a = redis.call('TIME') for i = 1, 100 do redis.call('TIME') end "
                 "local b = redis.call('TIME') return a[1] == b[1] and a[2] == b[2]"),
            Int(1));
  client.Call("SET k v PX 50");
  EXPECT_EQ(Eval("local n = 0 for i = 1, 100 do n = n + redis.call('EXISTS', 'k') end return n"),
            Int(100));
}

TEST_F(ScriptRunTest, SelectHoldsForTheScriptOnly) {
  EXPECT_EQ(Eval("redis.call('SELECT', 1) redis.call('SET', 'k', 'one') return 1"), Int(1));
  EXPECT_EQ(client.Call("GET k"), Nil());
  client.Call("SELECT 1");
  EXPECT_EQ(client.Call("GET k"), Bulk("one"));
}

TEST_F(ScriptRunTest, Case32_BlockingCommandsDoNotWait) {
  EXPECT_EQ(Eval("return redis.call('BLPOP', KEYS[1], 0)", {"none"}), Nil());
  EXPECT_EQ(Eval("return redis.call('BZPOPMIN', KEYS[1], 0)", {"none"}), Nil());
  EXPECT_EQ(Eval("return redis.call('BLMOVE', KEYS[1], 'd', 'LEFT', 'LEFT', 0)", {"none"}), Nil());
  client.Call("RPUSH l a");
  EXPECT_EQ(Eval("return redis.call('BLPOP', KEYS[1], 0)", {"l"}), Bulks({"l", "a"}));
}

TEST_F(ScriptRunTest, APushWakesWhoWaitsAfterTheScript) {
  Client waiter = Connect();
  waiter.Send("BLPOP l 0");
  EXPECT_EQ(Eval("redis.call('RPUSH', 'l', 'a') return redis.call('LLEN', 'l')"), Int(1));
  EXPECT_EQ(waiter.Read(), Bulks({"l", "a"}));
  EXPECT_EQ(TakeLog(), (Lines{"RPUSH l a", "LPOP l"}));
}

TEST_F(ScriptRunTest, Case28_APushTakenBackWakesNobody) {
  Client waiter = Connect();
  waiter.Send("BLPOP b 1");
  for (int i = 0; i < 3; ++i) {
    Advance(250ms);
    Eval("redis.call('rpush', KEYS[1], 'x') redis.call('del', KEYS[1])", {"b"});
    EXPECT_EQ(waiter.TryRead(), std::nullopt);
  }
  Advance(249ms);
  EXPECT_EQ(waiter.TryRead(), std::nullopt);
  Advance(1ms);
  EXPECT_EQ(waiter.Read(), NullArray());
}

TEST_F(ScriptRunTest, Case54_ABulkOfScriptsInATransactionWakesOneWaiterOnce) {
  const Reply sha = client.CallArgs(
      {"SCRIPT", "LOAD",
       "local id = redis.call('INCR', KEYS[1]) redis.call('HMSET', 'job:' .. id, 'n', id) "
       "redis.call('RPUSH', 'wait', id) redis.call('ZADD', 'marker', 0, '0') return id"});
  Client waiter = Connect();
  waiter.Send("BZPOPMIN marker 0");
  client.Call("MULTI");
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(client.CallArgs({"EVALSHA", sha.text, "1", "id"}), Status("QUEUED"));
  }
  EXPECT_EQ(waiter.TryRead(), std::nullopt);
  const Reply replies = client.Call("EXEC");
  ASSERT_EQ(replies.elements.size(), 1000u);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(replies.elements[static_cast<std::size_t>(i)], Int(i + 1));
  }
  EXPECT_EQ(waiter.Read(), Bulks({"marker", "0", "0"}));
  EXPECT_EQ(waiter.TryRead(), std::nullopt);
  EXPECT_EQ(client.Call("LLEN wait"), Int(1000));
}

TEST_F(ScriptRunTest, ScriptsRunInTransactions) {
  client.Call("MULTI");
  client.CallArgs({"EVAL", "redis.call('SET', 'a', 1) return 'x'", "0"});
  client.CallArgs({"EVALSHA", "0000000000000000000000000000000000000000", "0"});
  EXPECT_EQ(client.Call("EXEC"), Array({Bulk("x"), Err("NOSCRIPT No matching script. Please use "
                                                       "EVAL.")}));
}

TEST_F(ScriptRunTest, Case52_UndeclaredKeysAndForeignFirstLinesAreFine) {
  EXPECT_EQ(Eval("return redis.call('zadd', 'undeclared', 1, 'w')"), Int(1));
  EXPECT_EQ(Eval("--!df flags=allow-undeclared-keys\nreturn 1"), Int(1));
  EXPECT_EQ(Eval("return redis.call('zadd', KEYS[1], 1, '9fe9f1eb-0000')", {"z"}), Int(1));
  EXPECT_EQ(ErrorOf("#!lua flags=no-writes\nreturn redis.call('zadd', 'undeclared', 2, 'w')"),
            "ERR Write commands are not allowed from read-only scripts.");
  EXPECT_EQ(client.Call("ZSCORE undeclared w"), Bulk("1"));
}

TEST_F(ScriptRunTest, HeadersDeclareWhatAScriptDoes) {
  EXPECT_EQ(ErrorOf("#!lua flags=no-writes\nreturn redis.call('SET', 'k', 'v')"),
            "ERR Write commands are not allowed from read-only scripts.");
  EXPECT_EQ(Eval("#!lua flags=no-writes,allow-stale\nreturn redis.call('GET', 'k')"), Nil());
  EXPECT_EQ(Eval("#!lua\nreturn redis.call('SET', 'k', 'v')"), Ok());
  EXPECT_EQ(Eval("#!lua"), Err("ERR Invalid script shebang"));
  EXPECT_EQ(Eval("#!not-lua\nreturn 1"), Err("ERR Unexpected engine in script shebang: #!not-lua"));
  EXPECT_EQ(Eval("#!lua badger=data\nreturn 1"),
            Err("ERR Unknown lua shebang option: badger=data"));
  EXPECT_EQ(Eval("#!lua flags=allow-what\nreturn 1"),
            Err("ERR Unexpected flag in script shebang: allow-what"));
  // Line numbers count the first line.
  EXPECT_EQ(ErrorOf("#!lua\nerror('x')"), "ERR user_script:2: x");
}

TEST_F(ScriptRunTest, ReadOnlyCommandsRunReadOnlyScripts) {
  client.Call("SET k v");
  EXPECT_EQ(EvalBy("EVAL_RO", "return redis.call('GET', KEYS[1])", {"k"}), Bulk("v"));
  EXPECT_TRUE(EvalBy("EVAL_RO", "return redis.call('DEL', KEYS[1])", {"k"})
                  .text.starts_with("ERR Write commands are not allowed from read-only scripts."));
  EXPECT_TRUE(EvalBy("EVAL_RO", "return redis.call('PUBLISH', 'c', 'm')")
                  .text.starts_with("ERR Write commands are not allowed from read-only scripts."));
  EXPECT_EQ(EvalBy("EVAL_RO", "#!lua\nreturn 1"),
            Err("ERR Can not execute a script with write flag using *_ro command."));
  EXPECT_EQ(client.Call("GET k"), Bulk("v"));
}

TEST_F(ScriptRunTest, Case74_AFullMemoryStopsTheFirstWriteOnly) {
  client.Call("RPUSH li a");
  client.Call("CONFIG SET maxmemory 1");
  EXPECT_EQ(Eval("redis.call('lpop', KEYS[1]) return redis.call('zadd', KEYS[2], 1, 'x')",
                 {"li", "done"}),
            Int(1));
  EXPECT_TRUE(Eval("return redis.call('zadd', KEYS[1], 1, 'x')", {"done"})
                  .text.starts_with("OOM command not allowed when used memory > 'maxmemory'. "
                                    "script: "));
  EXPECT_EQ(Eval("return redis.pcall('zadd', KEYS[1], 1, 'x').err", {"done"}),
            Bulk("OOM command not allowed when used memory > 'maxmemory'."));
  EXPECT_EQ(Eval("#!lua\nreturn 1"),
            Err("OOM command not allowed when used memory > 'maxmemory'."));
  EXPECT_EQ(Eval("#!lua flags=no-writes\nreturn 1"), Int(1));
  EXPECT_EQ(Eval("#!lua flags=allow-oom\nreturn redis.call('set', 'k', 'v')"), Ok());
  client.Call("CONFIG SET maxmemory 0");
}

TEST_F(ScriptRunTest, Case71_ArgumentErrorsOfCommandsKeepTheirWords) {
  EXPECT_EQ(ErrorOf("return redis.call('SET', 'm', 'x', 'EX', 0)"),
            "ERR invalid expire time in 'set' command");
}

TEST_F(ScriptRunTest, ErrorsAreCountedOnce) {
  client.Call("CONFIG RESETSTAT");
  Eval("return redis.call('select', 99)");
  const std::string stats = client.Call("INFO errorstats").text;
  EXPECT_NE(stats.find("errorstat_ERR:count=1\r\n"), std::string::npos) << stats;
  const std::string commands = client.Call("INFO commandstats").text;
  EXPECT_NE(commands.find("cmdstat_select:calls=1"), std::string::npos) << commands;
  EXPECT_NE(commands.find("cmdstat_eval:calls=1"), std::string::npos);
  client.Call("CONFIG RESETSTAT");
  Eval("return redis.pcall('nosuch')");
  EXPECT_NE(client.Call("INFO errorstats").text.find("errorstat_ERR:count=1\r\n"),
            std::string::npos);
  client.Call("CONFIG RESETSTAT");
  Eval("return {err = 'MINE x'}");
  EXPECT_NE(client.Call("INFO errorstats").text.find("errorstat_MINE:count=1\r\n"),
            std::string::npos);
}

TEST_F(ScriptRunTest, MonitorsSeeTheScriptAheadOfItsCalls) {
  Client monitor = Connect();
  monitor.Call("MONITOR");
  Eval("redis.call('SET', 'k', 'v')");
  EXPECT_TRUE(monitor.Read().text.ends_with("\"EVAL\" \"redis.call('SET', 'k', 'v')\" \"0\""));
  const std::string called = monitor.Read().text;
  EXPECT_TRUE(called.ends_with("[0 lua] \"SET\" \"k\" \"v\"")) << called;
}

TEST_F(ScriptRunTest, MessagesToOneselfFollowTheReply) {
  client = ConnectResp3();
  client.Call("SUBSCRIBE c");
  EXPECT_EQ(Eval("return redis.call('PUBLISH', 'c', 'm')"), Int(1));
  EXPECT_EQ(client.Read(), Push({Bulk("message"), Bulk("c"), Bulk("m")}));
}

TEST_F(ScriptRunTest, ManyArgumentsFit) {
  EXPECT_EQ(Eval("local t = {} for i = 1, 7000 do t[i] = i end "
                 "redis.call('RPUSH', 'l', unpack(t)) return redis.call('LLEN', 'l')"),
            Int(7000));
  EXPECT_EQ(Eval("return #redis.call('LRANGE', 'l', 0, -1)"), Int(7000));
  EXPECT_EQ(Eval("local t = {} for i = 1, 7900 do t[i] = 'k' .. i end "
                 "return #redis.call('MGET', unpack(t))"),
            Int(7900));
}

TEST_F(ScriptRunTest, UnpackGivesUpWhereRedisDoes) {
  EXPECT_EQ(ErrorOf("return #{unpack({}, 1, 9000)}"),
            "ERR user_script:1: too many results to unpack");
  // Dramatiq doubles until it fails.
  const Reply most = Eval(
      "local n = 1 while pcall(function() local x = {unpack({}, 1, n)} end) do n = n + 1 end "
      "return n - 1");
  EXPECT_GE(most.integer, 7900);
  EXPECT_LE(most.integer, 8000);
}

TEST_F(ScriptRunTest, RandomNumbersAreSeeded) {
  EXPECT_NE(Eval("return tostring(math.random())"), Eval("return tostring(math.random())"));
  const std::string seeded =
      "math.randomseed(ARGV[1]) local t = {} for i = 1, 10 do t[i] = math.random(1000) end "
      "return t";
  EXPECT_EQ(Eval(seeded, {}, {"7"}), Eval(seeded, {}, {"7"}));
  EXPECT_NE(Eval(seeded, {}, {"7"}), Eval(seeded, {}, {"8"}));
  EXPECT_EQ(ErrorOf("return math.random(0)"),
            "ERR user_script:1: bad argument #1 to 'random' (interval is empty)");
}

TEST_F(ScriptRunTest, Case46_LargeIntegersOfJsonAreLost) {
  EXPECT_EQ(Eval("return cjson.encode(cjson.decode(ARGV[1]))", {}, {"[130775545883395173]"}),
            Bulk("[1.307755458834e+17]"));
  EXPECT_EQ(Eval("return 'foo_' .. cjson.decode(ARGV[1]).id", {}, {R"({"id":101})"}),
            Bulk("foo_101"));
}

TEST_F(ScriptRunTest, Case50_BytesPassUnchangedBothWays) {
  const std::string bytes("\0\r\n\xff\x80*1\r\n$-1\r\n", 15);
  EXPECT_EQ(Eval("redis.call('SET', KEYS[1], ARGV[1]) redis.call('HSET', 'h', ARGV[1], KEYS[1]) "
                 "return {redis.call('GET', KEYS[1]), redis.call('HGETALL', 'h'), #ARGV[1]}",
                 {bytes}, {bytes}),
            Array({Bulk(bytes), Bulks({bytes, bytes}), Int(15)}));
  EXPECT_EQ(client.CallArgs({"GET", bytes}), Bulk(bytes));
}

TEST_F(ScriptRunTest, Case50_MessagePackAsItIsElsewhere) {
  const auto hex = [&](const std::string& value) {
    return Eval("local s = cmsgpack.pack(" + value +
                ") return (s:gsub('.', function(c) return string.format('%02x', c:byte()) end))")
        .text;
  };
  EXPECT_EQ(hex("420764525925502976"), "cf05d6db1b65e01000");
  EXPECT_EQ(hex("2^63"), "ca5f000000");
  EXPECT_EQ(
      Eval("local t = cmsgpack.unpack(cmsgpack.pack({de = {id = 'x', n = 1.5}, l = {1, true}})) "
           "return {t.de.id, tostring(t.de.n), t.l[1], t.l[2]}"),
      Array({Bulk("x"), Bulk("1.5"), Int(1), Int(1)}));
}

}  // namespace
}  // namespace rung::testing

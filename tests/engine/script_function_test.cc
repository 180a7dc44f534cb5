// FUNCTION and FCALL: libraries, what they may do while they load, and how they survive a dump.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

class ScriptFunctionTest : public EngineTest {
 public:
  Reply Load(const std::string& name, const std::string& body, bool replace = false) {
    const std::string code = "#!lua name=" + name + "\n" + body;
    return replace ? client.CallArgs({"FUNCTION", "LOAD", "REPLACE", code})
                   : client.CallArgs({"FUNCTION", "LOAD", code});
  }
  static std::string Function(const std::string& name, const std::string& body) {
    return "redis.register_function('" + name + "', function(keys, args) " + body + " end)\n";
  }

  Client client = Connect();
};

TEST_F(ScriptFunctionTest, AFunctionGetsKeysAndArguments) {
  EXPECT_EQ(Load("lib", Function("f", "return {keys[1], args[1], #keys, #args}")), Bulk("lib"));
  EXPECT_EQ(client.Call("FCALL f 1 k a b"), Array({Bulk("k"), Bulk("a"), Int(1), Int(2)}));
  EXPECT_EQ(client.Call("FCALL F 0"), Array({}));
  EXPECT_EQ(client.Call("FCALL none 0"), Err("ERR Function not found"));
  EXPECT_EQ(client.Call("FCALL f x"), Err("ERR Bad number of keys provided"));
  EXPECT_EQ(client.Call("FCALL f 2 a"),
            Err("ERR Number of keys can't be greater than number of args"));
  EXPECT_EQ(client.Call("FCALL f -1"), Err("ERR Number of keys can't be negative"));
}

TEST_F(ScriptFunctionTest, ALibraryKeepsItsOwnState) {
  Load("lib", "local n = 0\n" + Function("next", "n = n + 1 return n"));
  EXPECT_EQ(client.Call("FCALL next 0"), Int(1));
  EXPECT_EQ(client.Call("FCALL next 0"), Int(2));
  EXPECT_TRUE(Load("lib", Function("next", "return 0")).IsError());
  EXPECT_EQ(Load("lib", Function("next", "return 0"), true), Bulk("lib"));
  EXPECT_EQ(client.Call("FCALL next 0"), Int(0));
}

TEST_F(ScriptFunctionTest, FunctionsSeeNoKeysOfEval) {
  client.Call("EVAL 'return 1' 1 k");
  Load("lib", Function("f", "return KEYS"));
  EXPECT_TRUE(client.Call("FCALL f 0")
                  .text.starts_with("ERR user_function:2: Script attempted to access nonexistent "
                                    "global variable 'KEYS' script: "
                                    "f, on @user_function:2."));
}

TEST_F(ScriptFunctionTest, BadLibrariesAreRefused) {
  const auto load = [&](const std::string& code) {
    return client.CallArgs({"FUNCTION", "LOAD", code}).text;
  };
  EXPECT_EQ(load("return 1"), "ERR Missing library metadata");
  EXPECT_EQ(load("#!lua name=x"), "ERR Invalid library metadata");
  EXPECT_EQ(load("#!lua\nreturn 1"), "ERR Library name was not given");
  EXPECT_EQ(load("#!lua name=a-b\nreturn 1"),
            "ERR Library names can only contain letters, numbers, or underscores(_) and must be at "
            "least one character long");
  EXPECT_EQ(load("#!lua name=a name=b\nreturn 1"),
            "ERR Invalid metadata value, name argument was given multiple times");
  EXPECT_EQ(load("#!lua name=a what=b\nreturn 1"), "ERR Invalid metadata value given: what=b");
  EXPECT_EQ(load("#!bad name=a\nreturn 1"), "ERR Engine 'bad' not found");
  EXPECT_EQ(load("#!lua name=a\nreturn 1"), "ERR No functions registered");
  EXPECT_EQ(load("#!lua name=a\nreturn )"),
            "ERR Error compiling function: user_function:2: unexpected symbol near ')'");
  EXPECT_EQ(client.Call("FUNCTION LOAD OTHER x"), Err("ERR Unknown option given: OTHER"));
  EXPECT_EQ(client.Call("FUNCTION LIST"), Array({}));
}

TEST_F(ScriptFunctionTest, WhileLoadingThereIsOnlyWhatRegisteringNeeds) {
  const auto error = [&](const std::string& body) { return Load("lib", body).text; };
  EXPECT_NE(error("redis.call('PING')").find("nonexistent global variable 'call'"),
            std::string::npos);
  EXPECT_NE(error("math.random()").find("nonexistent global variable 'math'"), std::string::npos);
  EXPECT_NE(error("x = 1").find("Attempt to modify a readonly table"), std::string::npos);
  EXPECT_NE(error("redis.x = 1").find("Attempt to modify a readonly table"), std::string::npos);
  EXPECT_EQ(error("redis.register_function('f')"),
            "ERR Error registering functions: ERR calling redis.register_function with a single "
            "argument is only applicable to Lua table (representing named arguments).");
  EXPECT_NE(error("redis.register_function()").find("wrong number of arguments"),
            std::string::npos);
  EXPECT_NE(error("redis.register_function{function_name = 'f'}")
                .find("redis.register_function must get a callback argument"),
            std::string::npos);
  EXPECT_NE(error("redis.register_function{callback = function() end}")
                .find("redis.register_function must get a function name argument"),
            std::string::npos);
  EXPECT_NE(error("redis.register_function{function_name = 'f', callback = function() end, "
                  "flags = {'bad'}}")
                .find("unknown flag given"),
            std::string::npos);
  EXPECT_NE(error("redis.register_function{function_name = 'f', callback = function() end, x = 1}")
                .find("unknown argument given to redis.register_function"),
            std::string::npos);
  EXPECT_NE(error(Function("f", "") + Function("f", "")).find("Function already exists"),
            std::string::npos);
}

TEST_F(ScriptFunctionTest, LoadingHasItsTime) {
  clock.per_reading = 100ms;
  EXPECT_EQ(Load("lib", "while true do end"),
            Err("ERR Error registering functions: ERR FUNCTION LOAD timeout"));
  clock.per_reading = 0ms;
  EXPECT_EQ(Load("lib", Function("f", "return 1")), Bulk("lib"));
}

TEST_F(ScriptFunctionTest, RegisteringBelongsToLoading) {
  Load("lib", Function("f", "return redis.register_function"));
  EXPECT_EQ(client.Call("FCALL f 0"), Nil());
  Load("lib2", "local register = redis.register_function\n" +
                   Function("g", "return register('h', function() end)"));
  EXPECT_TRUE(client.Call("FCALL g 0")
                  .text.starts_with(
                      "ERR redis.register_function can only be called on FUNCTION LOAD command"));
}

TEST_F(ScriptFunctionTest, FlagsDecideWhatAFunctionMayDo) {
  Load("lib",
       "redis.register_function{function_name = 'ro', flags = {'no-writes'}, callback = "
       "function(keys) return redis.call('GET', keys[1]) end}\n"
       "redis.register_function{function_name = 'liar', flags = {'no-writes'}, callback = "
       "function(keys) return redis.call('SET', keys[1], 1) end}\n" +
           Function("rw", "return redis.call('SET', keys[1], 2)"));
  EXPECT_EQ(client.Call("FCALL_RO ro 1 k"), Nil());
  EXPECT_EQ(client.Call("FCALL_RO rw 1 k"),
            Err("ERR Can not execute a script with write flag using *_ro command."));
  EXPECT_TRUE(
      client.Call("FCALL liar 1 k")
          .text.starts_with(
              "ERR Write commands are not allowed from read-only scripts. script: liar, on "));
  EXPECT_EQ(client.Call("FCALL rw 1 k"), Ok());
}

TEST_F(ScriptFunctionTest, ListTellsOfLibrariesAndFunctions) {
  Load("two", Function("b", "") + Function("a", ""));
  Load("one",
       "redis.register_function{function_name = 'c', description = 'does c', flags = "
       "{'no-writes', 'allow-stale'}, callback = function() end}");
  const Reply c = Bulks({"name", "c", "description", "does c", "flags"});
  Reply c_full = c;
  c_full.elements.push_back(Array({Status("no-writes"), Status("allow-stale")}));
  EXPECT_EQ(client.Call("FUNCTION LIST LIBRARYNAME ON*"),
            Array({Array({Bulk("library_name"), Bulk("one"), Bulk("engine"), Bulk("LUA"),
                          Bulk("functions"), Array({c_full})})}));
  const Reply all = client.Call("FUNCTION LIST WITHCODE");
  ASSERT_EQ(all.elements.size(), 2u);
  EXPECT_EQ(all.elements[1].elements[1], Bulk("two"));
  EXPECT_EQ(all.elements[1].elements[5].elements[0].elements[1], Bulk("a"));
  EXPECT_EQ(all.elements[1].elements[5].elements[0].elements[3], Nil());
  EXPECT_TRUE(all.elements[1].elements[7].text.starts_with("#!lua name=two\n"));
  EXPECT_EQ(client.Call("FUNCTION LIST LIBRARYNAME"),
            Err("ERR library name argument was not given"));
  EXPECT_EQ(client.Call("FUNCTION LIST BAD"), Err("ERR Unknown argument BAD"));
  EXPECT_EQ(client.Call("FUNCTION STATS"),
            Array({Bulk("running_script"), Nil(), Bulk("engines"),
                   Array({Bulk("LUA"), Array({Bulk("libraries_count"), Int(2),
                                              Bulk("functions_count"), Int(3)})})}));
}

TEST_F(ScriptFunctionTest, DeleteAndFlushAreLogged) {
  Load("a", Function("f", "return 1"));
  Load("b", Function("g", "return 1"));
  TakeLog();
  EXPECT_EQ(client.Call("FUNCTION DELETE a"), Ok());
  EXPECT_EQ(client.Call("FUNCTION DELETE a"), Err("ERR Library not found"));
  EXPECT_EQ(client.Call("FCALL f 0"), Err("ERR Function not found"));
  EXPECT_EQ(client.Call("FUNCTION FLUSH"), Ok());
  EXPECT_EQ(client.Call("FCALL g 0"), Err("ERR Function not found"));
  EXPECT_EQ(TakeLog(), (Lines{"FUNCTION DELETE a", "FUNCTION FLUSH"}));
}

TEST_F(ScriptFunctionTest, ADumpRestoresAllOrNothing) {
  Load("a", Function("f", "return 'a'"));
  Load("b", Function("g", "return 'b'"));
  const std::string dump = client.Call("FUNCTION DUMP").text;
  EXPECT_EQ(client.CallArgs({"FUNCTION", "RESTORE", dump}), Err("ERR Library a already exists"));
  client.Call("FUNCTION FLUSH");
  EXPECT_EQ(client.CallArgs({"FUNCTION", "RESTORE", dump}), Ok());
  EXPECT_EQ(client.Call("FCALL f 0"), Bulk("a"));
  Load("b", Function("g", "return 'changed'"), true);
  EXPECT_EQ(client.CallArgs({"FUNCTION", "RESTORE", dump, "REPLACE"}), Ok());
  EXPECT_EQ(client.Call("FCALL g 0"), Bulk("b"));
  client.Call("FUNCTION FLUSH");
  Load("c", Function("g", "return 'c'"));
  EXPECT_EQ(client.CallArgs({"FUNCTION", "RESTORE", dump}), Err("ERR Function g already exists"));
  EXPECT_EQ(client.Call("FCALL f 0"), Err("ERR Function not found"));
  EXPECT_EQ(client.Call("FCALL g 0"), Bulk("c"));
  EXPECT_EQ(client.CallArgs({"FUNCTION", "RESTORE", dump, "FLUSH"}), Ok());
  EXPECT_EQ(client.Call("FCALL g 0"), Bulk("b"));
  EXPECT_EQ(client.CallArgs({"FUNCTION", "RESTORE", "junk"}),
            Err("ERR DUMP payload version or checksum are wrong"));
  EXPECT_EQ(client.CallArgs({"FUNCTION", "RESTORE", dump, "MAYBE"}),
            Err("ERR Wrong restore policy given, value should be either FLUSH, APPEND or "
                "REPLACE."));
}

TEST_F(ScriptFunctionTest, ARedisServersDumpIsUnderstood) {
  // FUNCTION DUMP of redis-server 7.0.15 with one library, its text packed.
  constexpr std::string_view kDump =
      "f5c3404740831f23216c7561206e616d653d6c69620a72656469732e72656769737465725f66750b"
      "6e6374696f6e282766272c20e0000d0a292072657475726e202761e03400052720656e64290a0067"
      "9d1bf6d39a2294";
  std::string dump;
  for (std::size_t i = 0; i < kDump.size(); i += 2) {
    dump += static_cast<char>(std::stoi(std::string(kDump.substr(i, 2)), nullptr, 16));
  }
  EXPECT_EQ(client.CallArgs({"FUNCTION", "RESTORE", dump}), Ok());
  EXPECT_EQ(client.Call("FCALL f 0"), Bulk(std::string(62, 'a')));
  dump[5] = static_cast<char>(dump[5] ^ 1);
  EXPECT_EQ(client.CallArgs({"FUNCTION", "RESTORE", dump, "REPLACE"}),
            Err("ERR DUMP payload version or checksum are wrong"));
}

TEST_F(ScriptFunctionTest, FunctionsRunInTransactionsAsOneUnit) {
  Load("lib", Function("f", "redis.call('SET', 'a', 1) redis.call('SET', 'b', 2) return 1"));
  TakeLog();
  client.Call("MULTI");
  client.Call("FCALL f 0");
  client.Call("INCR a");
  EXPECT_EQ(client.Call("EXEC"), Array({Int(1), Int(2)}));
  EXPECT_EQ(TakeLog(), (Lines{"MULTI", "SET a 1", "SET b 2", "INCR a", "EXEC"}));
}

}  // namespace
}  // namespace rung::testing

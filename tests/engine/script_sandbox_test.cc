// The sandbox: what scripts cannot change, cannot reach and cannot break.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "kit/engine_test.h"
#include "rung/base/memory.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;

class ScriptSandboxTest : public EngineTest {
 public:
  Reply Eval(const std::string& script, std::vector<std::string> args = {}) {
    std::vector<std::string> words = {"EVAL", script, "0"};
    words.insert(words.end(), args.begin(), args.end());
    return client.CallArgs(words);
  }
  std::string ErrorOf(const std::string& script) {
    const Reply reply = Eval(script);
    EXPECT_TRUE(reply.IsError()) << script << ": " << reply;
    return reply.text.substr(0, reply.text.find(" script: "));
  }

  Client client = Connect();
};

constexpr std::string_view kReadOnly = "ERR user_script:1: Attempt to modify a readonly table";

TEST_F(ScriptSandboxTest, GlobalsAreReadOnly) {
  for (const char* const script : {"x = 10",
                                   "function f() end",
                                   "redis = nil",
                                   "redis.call = nil",
                                   "redis.new = 1",
                                   "_G.x = 1",
                                   "_G = {}",
                                   "KEYS = {}",
                                   "string.rep = nil",
                                   "cjson.encode = nil",
                                   "cmsgpack.pack = nil",
                                   "bit.band = nil",
                                   "struct.pack = nil",
                                   "math.floor = nil",
                                   "table.insert = nil",
                                   "os.clock = nil",
                                   "coroutine.wrap = nil",
                                   "getmetatable(_G).__index = {}",
                                   "getmetatable(_G).__newindex = nil",
                                   "getmetatable('').__index = {}",
                                   "getmetatable(redis).__index = {}",
                                   "getfenv(1).x = 1",
                                   "getfenv(0).x = 1"}) {
    EXPECT_EQ(ErrorOf(script), kReadOnly) << script;
  }
  // What Lua itself refuses inside a function of C has no place in the script.
  for (const char* const script :
       {"rawset(_G, 'x', 1)", "rawset(redis, 'call', nil)", "setmetatable(_G, {})",
        "setmetatable(redis, nil)", "table.insert(_G, 1)", "table.insert(redis, 1)",
        "table.remove(redis)", "table.sort(_G)"}) {
    EXPECT_EQ(ErrorOf(script), "ERR Attempt to modify a readonly table") << script;
  }
  EXPECT_EQ(Eval("return redis.call('PING')"), Status("PONG"));
}

TEST_F(ScriptSandboxTest, NothingLeaksTheRealTables) {
  // Whatever a script gets hold of by walking, writing to it is refused.
  EXPECT_EQ(ErrorOf("local _, t = pairs(redis) t.call = nil"), kReadOnly);
  EXPECT_EQ(ErrorOf("for k, v in pairs(_G) do if k == 'redis' then v.call = nil end end"),
            kReadOnly);
  EXPECT_EQ(ErrorOf("rawget(_G, 'redis').call = nil"), kReadOnly);
  EXPECT_EQ(ErrorOf("local k, v = next(_G) while type(v) ~= 'table' do k, v = next(_G, k) end "
                    "v.x = 1"),
            kReadOnly);
  EXPECT_EQ(ErrorOf("rawget(_G, '_G').x = 1"), kReadOnly);
  EXPECT_EQ(Eval("return tostring(getmetatable('').__index)"), Bulk("nil"));
}

TEST_F(ScriptSandboxTest, ReadingProtectedTablesWorks) {
  EXPECT_EQ(Eval("local n = 0 for k in pairs(math) do n = n + 1 end return n > 20"), Int(1));
  EXPECT_EQ(Eval("return type(rawget(string, 'rep'))"), Bulk("function"));
  EXPECT_EQ(Eval("return type(_G.redis.call)"), Bulk("function"));
  EXPECT_EQ(Eval("return ('ab'):rep(2)"), Bulk("abab"));
  EXPECT_EQ(Eval("return type(redis.nothing)"), Bulk("nil"));
  EXPECT_EQ(Eval("return type(rawget(_G, 'nothing'))"), Bulk("nil"));
}

TEST_F(ScriptSandboxTest, OrdinaryTablesKeepTheirWays) {
  EXPECT_EQ(Eval("local t = setmetatable({}, {__index = function(_, k) return k .. '!' end}) "
                 "return {t.x, tostring(rawget(t, 'x')), type(getmetatable(t))}"),
            Bulks({"x!", "nil", "table"}));
  EXPECT_EQ(
      Eval("local t = {3, 1, 2} table.sort(t) table.insert(t, 4) table.remove(t, 1) return t"),
      Array({Int(2), Int(3), Int(4)}));
  EXPECT_EQ(Eval("local t = {} rawset(t, 'a', 1) for k, v in next, t do return k end"), Bulk("a"));
  EXPECT_EQ(ErrorOf("setmetatable({}, 1)"),
            "ERR user_script:1: bad argument #2 to 'setmetatable' (nil or table expected)");
  EXPECT_EQ(ErrorOf("local t = setmetatable({}, {__metatable = 1}) setmetatable(t, {})"),
            "ERR user_script:1: cannot change a protected metatable");
}

TEST_F(ScriptSandboxTest, WhatIsDangerousIsNotThere) {
  for (const char* const name :
       {"print", "dofile", "loadfile", "require", "module", "package", "newproxy", "debug", "io"}) {
    EXPECT_EQ(ErrorOf("return " + std::string(name)),
              "ERR user_script:1: Script attempted to access nonexistent global variable '" +
                  std::string(name) + "'");
  }
  EXPECT_EQ(Eval("local t = {} for k in pairs(os) do t[#t + 1] = k end return t"),
            Bulks({"clock"}));
}

TEST_F(ScriptSandboxTest, BytecodeIsNotLoaded) {
  EXPECT_EQ(Eval("local f, e = loadstring(string.dump(function() end)) return {tostring(f), e}"),
            Bulks({"nil", "attempt to load a binary chunk"}));
  EXPECT_EQ(Eval("local d = string.dump(function() end) local n = 0 "
                 "local f, e = load(function() n = n + 1 return d:sub(n, n) end) return e"),
            Bulk("attempt to load a binary chunk"));
  EXPECT_TRUE(Eval("\x1bLua").IsError());
  EXPECT_EQ(Eval("return loadstring('return 7')()"), Int(7));
  EXPECT_EQ(Eval("local parts = {'return ', '8'} local n = 0 "
                 "return load(function() n = n + 1 return parts[n] end)()"),
            Int(8));
  EXPECT_EQ(Eval("local f, e = loadstring('return )') return e"),
            Bulk("[string \"return )\"]:1: unexpected symbol near ')'"));
}

TEST_F(ScriptSandboxTest, AnotherEnvironmentLastsForOneRunOnly) {
  const std::string script = "local ok = redis ~= nil setfenv(1, {x = 1}) return x";
  EXPECT_EQ(Eval(script), Int(1));
  EXPECT_EQ(Eval(script), Int(1));
  EXPECT_EQ(Eval("setfenv(0, {x = 2}) return 1"), Int(1));
  EXPECT_EQ(Eval("return redis.call('PING')"), Status("PONG"));
}

TEST_F(ScriptSandboxTest, CountsThatOverflowAreErrors) {
  EXPECT_EQ(ErrorOf("return unpack({}, 0, 2147483647)"),
            "ERR user_script:1: too many results to unpack");
  EXPECT_EQ(ErrorOf("return unpack({}, -2147483648, 2147483647)"),
            "ERR user_script:1: too many results to unpack");
  EXPECT_EQ(Eval("return bit.tohex(1, -2147483648)").type, '$');
  EXPECT_EQ(Eval("return #bit.tohex(65535, -2147483648)"), Int(8));
  EXPECT_TRUE(Eval("return struct.pack('>I2147483648', 1)").IsError());
  EXPECT_TRUE(Eval("return struct.unpack('c0', 'x')").IsError());
  EXPECT_TRUE(Eval("return struct.pack('s'):rep(2)").IsError());
  EXPECT_EQ(Eval("return ('').rep('', 2147483647)"), Bulk(""));
}

TEST_F(ScriptSandboxTest, DepthHasAnEnd) {
  EXPECT_TRUE(Eval("local function f() return 1 + f() end return f()").IsError());
  EXPECT_TRUE(Eval("local function f() return coroutine.wrap(f)() end return f()").IsError());
  EXPECT_TRUE(Eval("local function f() return pcall(f) end error(f())").IsError());
  EXPECT_TRUE(Eval("local t = {} t[1] = t return t").type == '*');
  EXPECT_TRUE(Eval("local t = {} for i = 1, 100000 do t = {t} end return t").type == '*');
  EXPECT_TRUE(Eval("return cjson.decode(('['):rep(100000))").IsError());
  EXPECT_TRUE(
      Eval("local t = {} for i = 1, 100000 do t = {t} end return cjson.encode(t)").IsError());
  EXPECT_TRUE(Eval("local s = ('('):rep(100000) return loadstring('return ' .. s)").type == 'N');
  EXPECT_EQ(ErrorOf("return string.find(('a'):rep(300000), ('a?'):rep(300000))"),
            "ERR user_script:1: pattern too complex");
  EXPECT_EQ(ErrorOf("return string.match('a', ('a?'):rep(300000), 1, true)"),
            "ERR user_script:1: pattern too complex");
  EXPECT_EQ(ErrorOf("for x in string.gmatch('a', ('a?'):rep(300000)) do end"),
            "ERR user_script:1: pattern too complex");
  EXPECT_EQ(Eval("return string.find(('b'):rep(30000), ('b'):rep(30000), 1, true)"), Int(1));
  EXPECT_EQ(Eval("return 'alive'"), Bulk("alive"));
}

TEST_F(ScriptSandboxTest, MemoryHasAnEnd) {
  client.Call("CONFIG SET script-memory-limit 10mb");
  for (const char* const script :
       {"local t = {} for i = 1, 1e9 do t[i] = tostring(i) end", "return ('x'):rep(1e8)",
        "local s = 'x' while true do s = s .. s end", "local t = {} while true do t = {t, t} end",
        "local s = ('x'):rep(1e6) return s:gsub('x', ('y'):rep(1000))",
        "local t = {} for i = 1, 1e7 do t[i] = i end return cmsgpack.pack(t)"}) {
    const Reply reply = Eval(script);
    EXPECT_TRUE(reply.IsError()) << script;
    EXPECT_NE(reply.text.find("not enough memory"), std::string::npos) << reply;
  }
  // Replies of commands count as well.
  for (int i = 0; i < 200; ++i) {
    client.CallArgs({"RPUSH", "l", std::to_string(i) + std::string(100000, 'x')});
  }
  EXPECT_NE(Eval("return #redis.call('LRANGE', 'l', 0, -1)").text.find("not enough memory"),
            std::string::npos);
  EXPECT_EQ(Eval("return #redis.call('LRANGE', 'l', 0, 40)"), Int(41));
  EXPECT_EQ(Eval("return 'alive'"), Bulk("alive"));
  // What is garbage is taken back before it counts.
  EXPECT_EQ(Eval("for i = 1, 2000 do local s = ('x'):rep(100000) .. i end return 1"), Int(1));
}

TEST_F(ScriptSandboxTest, WhatAHeavyScriptTookGoesBackAtItsEnd) {
  client.Call("CONFIG SET script-memory-limit 100mb");
  Eval("return 1");
  const std::size_t before = AllocatedBytes();
  for (const char* const script :
       {"local t = {} for i = 1, 1e9 do t[i] = {i} end",
        "local t = {} for i = 1, 5e5 do t[i] = {i} end",
        "local t = {} for i = 1, 60 do t[i] = ('x'):rep(1e6) .. i end"}) {
    Eval(script);
    EXPECT_LT(AllocatedBytes(), before + 2'000'000) << script;
  }
  // What lives on is not given back: a library's table.
  EXPECT_EQ(client.CallArgs({"FUNCTION", "LOAD",
                             "#!lua name=lib\nlocal kept = {}\n"
                             "redis.register_function('fill', function() "
                             "for i = 1, 3e5 do kept[i] = {i} end end)\n"
                             "redis.register_function('sum', function() local n = 0 "
                             "for i = 1, #kept do n = n + kept[i][1] end return n end)"}),
            Bulk("lib"));
  client.Call("FCALL fill 0");
  EXPECT_GT(AllocatedBytes(), before + 20'000'000);
  EXPECT_EQ(client.Call("FCALL sum 0"), Int(45000150000));
}

// Scripts that made Redis crash, run foreign code or take memory without end.
TEST_F(ScriptSandboxTest, InputsOfKnownVulnerabilitiesAreHarmless) {
  struct Input {
    const char* name;
    const char* script;
  };
  for (const Input& input : {
           Input{"CVE-2015-4335", "return loadstring(string.dump(function() return 1 end))()"},
           Input{"CVE-2018-11218", "return cmsgpack.unpack(('\\145'):rep(200000))"},
           Input{"CVE-2018-11218", "return cmsgpack.unpack(cmsgpack.pack(unpack({}, 1, 7999)))"},
           Input{"CVE-2018-11219", "return struct.unpack('!2147483647i2147483647', 'x')"},
           Input{"CVE-2020-14147", "return struct.pack('>I2147483648', '10')"},
           Input{"CVE-2021-32626", "return redis.pcall(unpack({}, 1, 7999))"},
           Input{"CVE-2021-32626", "return {redis.pcall('MGET', unpack({'k'}, 1, 7999))}"},
           Input{"CVE-2022-24735", "getmetatable(_G).__index = function() return 1 end"},
           Input{"CVE-2022-24735", "redis.call = function() return 'mine' end"},
           Input{"CVE-2022-24834",
                 "cjson.encode_keep_buffer(false) local s = ('\\0'):rep(9e7) return "
                 "#cjson.encode(s)"},
           Input{"CVE-2024-31449", "return #bit.tohex(65535, -2147483648) > 8"},
           Input{"CVE-2024-46981",
                 "local p = newproxy(true) getmetatable(p).__gc = function() error('x') end"},
           Input{"CVE-2025-46817", "return unpack({}, -1, 2147483647)"},
           Input{"CVE-2025-46817", "return unpack({}, -2147483647, 2147483647)"},
           Input{"CVE-2025-46818", "getmetatable('').__index = function() return 'mine' end"},
           Input{"CVE-2025-46818", "getmetatable('').__add = function() return 'mine' end"},
           Input{"CVE-2025-46819", "return loadstring('return [' .. ('='):rep(1e6))()"},
           Input{"CVE-2025-49844",
                 "local n = 0 return load(function() n = n + 1 "
                 "if n == 1 then return nil end collectgarbage() collectgarbage() "
                 "if n < 9 then return 'local a = nosuch.x ' end end)()"},
       }) {
    const Reply reply = Eval(input.script);
    EXPECT_TRUE(reply.IsError() || reply == Nil()) << input.name << ": " << reply;
    EXPECT_EQ(Eval("return {('ab'):upper(), redis.call('PING')}"),
              Array({Bulk("AB"), Status("PONG")}))
        << input.name;
  }
}

TEST_F(ScriptSandboxTest, ManyArgumentsSurviveAHurriedCollector) {
  client.Call("CONFIG SET script-memory-limit 8mb");
  // Its reply fills half of the memory while the arguments are off the stack.
  client.CallArgs({"SET", "k", std::string(1000, 'v')});
  EXPECT_EQ(Eval("local t = {} for i = 1, 5000 do t[i] = 'argument' .. i .. ('x'):rep(400) end "
                 "t[5001] = 'k' local r = redis.call('MGET', unpack(t)) "
                 "return {#r, tostring(r[1]), #r[5001]}"),
            Array({Int(5001), Bulk("false"), Int(1000)}));
  EXPECT_EQ(Eval("local t = {} for i = 1, 5000 do t[i] = i .. ('x'):rep(600) end "
                 "redis.call('RPUSH', 'l', unpack(t)) local n = 0 "
                 "for i, v in ipairs(redis.call('LRANGE', 'l', 0, -1)) do "
                 "if v == t[i] then n = n + 1 end end return n"),
            Int(5000));
}

TEST_F(ScriptSandboxTest, DenyingCanBeLiftedForDebugAlone) {
  EXPECT_TRUE(Eval("return redis.call('debug', 'protocol', 'integer')").IsError());
  client.Call("CONFIG SET enable-debug-command yes");
  EXPECT_EQ(ErrorOf("return redis.call('debug', 'protocol', 'integer')"),
            "ERR This Redis command is not allowed from script");
  engine->broker().script.allows_all = true;
  EXPECT_EQ(Eval("return redis.call('debug', 'protocol', 'integer')"), Int(12345));
  EXPECT_EQ(Eval("redis.setresp(3) return redis.call('debug', 'protocol', 'push')"),
            Bulk("Some real reply following the push reply"));
  EXPECT_EQ(Eval("redis.setresp(3) return redis.call('debug', 'protocol', 'attrib')"),
            Bulk("Some real reply following the attribute"));
  EXPECT_EQ(ErrorOf("redis.call('script', 'flush')"),
            "ERR This Redis command is not allowed from script");
  EXPECT_EQ(ErrorOf("redis.call('eval', 'return 1', 0)"),
            "ERR This Redis command is not allowed from script");
}

TEST_F(ScriptSandboxTest, TheTimeLimitEndsAScriptThatCatchesEverything) {
  clock.per_reading = 1000ms;
  client.Call("CONFIG SET script-time-limit 5000 busy-reply-threshold 0");
  for (const char* const script :
       {"while true do end", "while true do pcall(function() while true do end end) end",
        "local function f() while true do pcall(f) end end f()",
        "while true do coroutine.wrap(function() while true do end end)() end"}) {
    EXPECT_TRUE(
        Eval(script).text.starts_with("ERR Script ended: it ran longer than script-time-limit"))
        << script;
  }
  clock.per_reading = 0ms;
  EXPECT_EQ(Eval("return 'alive'"), Bulk("alive"));
}

TEST_F(ScriptSandboxTest, ABusyScriptLetsOthersEndIt) {
  clock.per_reading = 1000ms;
  client.Call("CONFIG SET busy-reply-threshold 1000");
  Client other = Connect();
  int served = 0;
  host.serve_while_busy = [&] {
    if (++served == 1) {
      EXPECT_TRUE(other.Call("GET k").text.starts_with("BUSY "));
      return;
    }
    EXPECT_EQ(other.Call("SCRIPT KILL"), Ok());
  };
  EXPECT_TRUE(Eval("while true do end").text.starts_with("ERR Script killed by user"));
  EXPECT_EQ(served, 2);
  clock.per_reading = 0ms;
  EXPECT_EQ(other.Call("GET k"), Nil());
}

TEST_F(ScriptSandboxTest, WhatAnInterruptedScriptWroteStaysOneUnit) {
  clock.per_reading = 1000ms;
  client.Call("CONFIG SET busy-reply-threshold 1000");
  Client other = Connect();
  int served = 0;
  host.serve_while_busy = [&] {
    ++served;
    EXPECT_EQ(other.Call("MULTI"), Ok());
    EXPECT_EQ(other.Call("DISCARD"), Ok());
    EXPECT_TRUE(other.Call("SCRIPT KILL").text.starts_with("UNKILLABLE "));
    clock.per_reading = 0ms;
    client.session();
  };
  EXPECT_EQ(Eval("redis.call('SET', 'a', 1) for i = 1, 3e6 do end redis.call('SET', 'b', 2) "
                 "return 1"),
            Int(1));
  EXPECT_GE(served, 1);
  EXPECT_EQ(TakeLog(), (std::vector<std::string>{"MULTI", "SET a 1", "SET b 2", "EXEC"}));
}

TEST_F(ScriptSandboxTest, TheCollectorsPaceIsNotTheScripts) {
  EXPECT_EQ(Eval("return type(collectgarbage('count'))"), Bulk("number"));
  EXPECT_EQ(Eval("collectgarbage('stop') collectgarbage('setpause', 100000) return 1"), Int(1));
  EXPECT_EQ(Eval("return collectgarbage()"), Int(0));
  EXPECT_EQ(Eval("return type(gcinfo())"), Bulk("number"));
}

}  // namespace
}  // namespace rung::testing

// cmsgpack, struct, cjson and bit: that they answer as Redis's do, and that no input makes them
// crash or take memory that is not Lua's.
//
// vectors/*.tsv hold expressions and what redis-server 7.0.15 made of them; prelude.lua has what
// the expressions use, and the function that spells their values.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "kit/bounded_lua.h"
#include "kit/build_paths.h"
#include "script/lua_buffer.h"

namespace rung::testing {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::string VectorsPath(std::string_view name) {
  return SourceDir() + "/tests/unit/script/vectors/" + std::string(name);
}

// The prelude on one line, so that an expression is line 2 of its script.
std::string Prelude() {
  std::ifstream file(VectorsPath("prelude.lua"));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text + '\n';
}

void ExpectAnswersOfRedis(std::string_view name, int count) {
  const std::string prelude = Prelude();
  std::ifstream file(VectorsPath(name));
  std::string line;
  int seen = 0;
  for (; std::getline(file, line); ++seen) {
    const std::size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    const std::string expression = line.substr(0, tab);
    BoundedLua lua(64 * kMiB);
    const std::string script = prelude + "return try(function() return " + expression + " end)";
    EXPECT_EQ(lua.Run(script), line.substr(tab + 1)) << expression;
  }
  EXPECT_EQ(seen, count);
}

TEST(ScriptLibraries, CmsgpackPacksTheBytesOfRedis) {
  ExpectAnswersOfRedis("cmsgpack_pack.tsv", 105);
}

TEST(ScriptLibraries, CmsgpackUnpacksAsRedis) { ExpectAnswersOfRedis("cmsgpack_unpack.tsv", 135); }

TEST(ScriptLibraries, Case50_CmsgpackOfBullMqOptionsAndLargeNumbers) {
  ExpectAnswersOfRedis("case50.tsv", 7);
}

TEST(ScriptLibraries, StructPacksAndUnpacksAsRedis) { ExpectAnswersOfRedis("struct.tsv", 235); }

TEST(ScriptLibraries, BitComputesAsRedis) { ExpectAnswersOfRedis("bit.tsv", 81); }

TEST(ScriptLibraries, CjsonEncodesTheTextOfRedis) { ExpectAnswersOfRedis("cjson_encode.tsv", 87); }

TEST(ScriptLibraries, CjsonDecodesAsRedis) { ExpectAnswersOfRedis("cjson_decode.tsv", 156); }

TEST(ScriptLibraries, CjsonSettingsActAsInRedis) { ExpectAnswersOfRedis("cjson_settings.tsv", 46); }

TEST(ScriptLibraries, Case46_CjsonLosesDigitsOfLargeNumbersAsRedis) {
  BoundedLua lua(kMiB);
  EXPECT_EQ(lua.Run("return cjson.encode(cjson.decode(...))", {"[130775545883395173]"}),
            "[1.307755458834e+17]");
  EXPECT_EQ(lua.Run("return 'foo_'..cjson.decode(...).id", {R"({"id":101})"}), "foo_101");
}

// Inputs of CVEs: what a deeply nested text does.
TEST(ScriptLibraries, DeepNestingIsAnErrorNotACrash) {
  BoundedLua lua(64 * kMiB);
  EXPECT_EQ(lua.Run("return cmsgpack.unpack(string.rep('\\145', 100000))"),
            "ERR user_script:1: stack overflow (too many return values at once; use unpack_one or "
            "unpack_limit instead.)");
  EXPECT_EQ(lua.Run("return cmsgpack.unpack(string.rep('\\220\\0\\1', 30000))").substr(0, 33),
            "ERR user_script:1: stack overflow");
  EXPECT_EQ(lua.Run("cjson.encode_max_depth(100000) local t = {} t[1] = t return cjson.encode(t)")
                .substr(0, 57),
            "ERR user_script:1: Cannot serialise, excessive nesting (7");
  EXPECT_EQ(lua.Run("cjson.decode_max_depth(100000) return cjson.decode(string.rep('[', 100000))")
                .substr(0, 58),
            "ERR user_script:1: Found too many nested data structures (");
  EXPECT_EQ(lua.Run("return cjson.decode(cjson.encode({7}))[1]"), "7");
}

TEST(ScriptLibraries, TohexOfTheSmallestNumberIsEightDigits) {
  BoundedLua lua(kMiB);
  EXPECT_EQ(lua.Run("return bit.tohex(0xabc, -2147483648)"), "00000ABC");
}

TEST(ScriptLibraries, StructRefusesSizesAndOffsetsBeyondTheData) {
  BoundedLua lua(kMiB);
  EXPECT_EQ(lua.Run("return struct.unpack('dc0', struct.pack('d', 1e300)..'abc')"),
            "ERR user_script:1: bad argument #2 to 'unpack' (data string too short)");
  EXPECT_EQ(lua.Run("return struct.pack('c2147483648', 'a')"),
            "ERR user_script:1: integral size overflow");
  EXPECT_EQ(lua.Run("return struct.unpack('i9', struct.pack('i9', -1000))"), "-1000")
      << "nine bytes hold what eight do";
  EXPECT_EQ(lua.Run("return struct.pack('\\255', 1)"),
            "ERR user_script:1: bad argument #1 to 'pack' (invalid format option '\xff')");
}

// Forty levels of tables, each twice in the next, are a few kilobytes that encode to terabytes.
TEST(ScriptLibraries, WhatSharedTablesEncodeToStaysInBounds) {
  BoundedLua lua(16 * kMiB);
  constexpr std::string_view kShare = "local t = {1} for i = 1, 40 do t = {t, t} end ";
  EXPECT_EQ(lua.Run(std::string(kShare) + "return cjson.encode(t)"), "ERR not enough memory");
  EXPECT_EQ(lua.Run("local t = {1} for i = 1, 15 do t = {t, t, t, t, t, t} end "
                    "return cmsgpack.pack(t)"),
            "ERR not enough memory");
  EXPECT_EQ(lua.Run("cjson.encode_sparse_array(false, 0) return cjson.encode({[2^31 - 1] = 1})"),
            "ERR not enough memory");
  EXPECT_EQ(lua.Run("return cjson.encode({1})"), "[1]");
}

TEST(ScriptLibraries, ResultsEndAtHalfAGigabyte) {
  lua_State* state = luaL_newstate();
  const lua_CFunction append_too_much = [](lua_State* lua) {
    LuaBuffer buffer(lua);
    buffer.Append('x');
    buffer.Reserve(kLuaStringBytesMax);
    return 0;
  };
  EXPECT_NE(lua_cpcall(state, append_too_much, nullptr), 0);
  EXPECT_STREQ(lua_tostring(state, -1), "the result would be longer than 536870912 bytes");
  lua_close(state);
}

TEST(ScriptLibraries, RunningOutOfMemoryHalfwayLosesNone) {
#if defined(__SANITIZE_THREAD__)
  // Errors jump out of deep recursion here, and that sanitizer counts the frames as still there.
  constexpr int kAttempts = 2;
#else
  constexpr int kAttempts = 20;
#endif
  BoundedLua lua(4 * kMiB);
  lua.Run("function attempt(f, x) for i = 1, " + std::to_string(kAttempts) +
          " do pcall(f, x) end end");
  const std::string text = "[" + std::string(std::size_t{200} << 10, '[');
  std::string numbers = "[\"" + std::string(100000, 'x') + "\\n\"";
  for (int i = 0; i < 300000; ++i) numbers += ",1";
  const std::size_t before = lua.Collect();
  lua.Run("attempt(cjson.decode, ...)", {numbers});
  lua.Run("attempt(cjson.decode, ...)", {text});
  lua.Run("attempt(cmsgpack.unpack, ...)", {std::string(1000000, '\x01')});
  lua.Run(
      "local t = {string.rep('x', 100000)} for i = 1, 20 do t = {t, t} end "
      "attempt(cjson.encode, t) attempt(cmsgpack.pack, t)");
  for (int i = 0; i < 8; ++i) lua.Collect();  // Each one halves what Lua keeps for its stack.
  EXPECT_LE(lua.Collect(), before + 4096);
}

}  // namespace
}  // namespace rung::testing

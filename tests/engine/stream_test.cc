// What the stream commands promise, and what of them is logged.

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kit/engine_test.h"

namespace rung::testing {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

Reply Entry(std::string_view id, std::vector<std::string_view> fields) {
  return Array({Bulk(id), Bulks(std::move(fields))});
}

TEST_F(EngineTest, XAddMakesIdsOfTheClockAndLogsThemFixed) {
  Client client = Connect();
  EXPECT_EQ(client.Call("XADD s * f v"), Bulk("1767225600000-0"));
  EXPECT_EQ(client.Call("XADD s * f w"), Bulk("1767225600000-1"));
  EXPECT_EQ(client.Call("XADD s 1767225600000-* f x"), Bulk("1767225600000-2"));
  EXPECT_EQ(client.Call("XADD s 5-1 f y"),
            Err("ERR The ID specified in XADD is equal or smaller than the target stream top "
                "item"));
  EXPECT_EQ(client.Call("XADD s 0-0 f y"),
            Err("ERR The ID specified in XADD must be greater than 0-0"));
  EXPECT_EQ(client.Call("XADD none NOMKSTREAM * f v"), Nil());
  EXPECT_EQ(client.Call("EXISTS none"), Int(0));
  EXPECT_EQ(TakeLog(), (Lines{"XADD s 1767225600000-0 f v", "XADD s 1767225600000-1 f w",
                              "XADD s 1767225600000-2 f x"}));
}

TEST_F(EngineTest, XAddThatFailsLeavesNoKey) {
  Client client = Connect();
  EXPECT_TRUE(client.Call("XADD s 0-0 f v").IsError());
  EXPECT_TRUE(client.Call("XADD s * f").IsError());
  EXPECT_EQ(client.Call("EXISTS s"), Int(0));
}

TEST_F(EngineTest, RangesBothWaysAndOpenBounds) {
  Client client = Connect();
  for (int i = 1; i <= 4; ++i)
    client.Call("XADD s " + std::to_string(i) + "-0 n " + std::to_string(i));
  EXPECT_EQ(client.Call("XRANGE s (1-0 3"),
            Array({Entry("2-0", {"n", "2"}), Entry("3-0", {"n", "3"})}));
  EXPECT_EQ(client.Call("XREVRANGE s + - COUNT 1"), Array({Entry("4-0", {"n", "4"})}));
  EXPECT_EQ(client.Call("XDEL s 4-0 9-0"), Int(1));
  EXPECT_EQ(client.Call("XLEN s"), Int(3));
  EXPECT_EQ(client.Call("XTRIM s MAXLEN 1"), Int(2));
  EXPECT_EQ(client.Call("XRANGE s - +"), Array({Entry("3-0", {"n", "3"})}));
  EXPECT_EQ(client.Call("XTRIM s MAXLEN = 1 LIMIT 3"),
            Err("ERR syntax error, LIMIT cannot be used without the special ~ option"));
}

TEST_F(EngineTest, XReadWaitsForWhatComesAfterTheDollar) {
  Client reader = Connect(), writer = Connect();
  writer.Call("XADD s 1-0 f old");
  reader.Send("XREAD BLOCK 0 STREAMS s other $ $");
  EXPECT_EQ(reader.TryRead(), std::nullopt);
  writer.Call("XADD s 2-0 f new");
  EXPECT_EQ(reader.TryRead(), Array({Array({Bulk("s"), Array({Entry("2-0", {"f", "new"})})})}));
  reader.Send("XREAD BLOCK 50 STREAMS s $");
  Advance(50ms);
  EXPECT_EQ(reader.TryRead(), NullArray());
}

TEST_F(EngineTest, XReadInResp3IsAMap) {
  Client client = ConnectResp3();
  client.Call("XADD s 1-0 f v");
  EXPECT_EQ(client.Call("XREAD STREAMS s 0"), Map({Bulk("s"), Array({Entry("1-0", {"f", "v"})})}));
  EXPECT_EQ(client.Call("XREAD STREAMS s 1-0"), Null3());
}

TEST_F(EngineTest, GroupGivesEachEntryToOneConsumer) {
  Client client = Connect();
  client.Call("XGROUP CREATE s g $ MKSTREAM");
  client.Call("XADD s 1-0 f a");
  client.Call("XADD s 2-0 f b");
  TakeLog();
  EXPECT_EQ(client.Call("XREADGROUP GROUP g one COUNT 1 STREAMS s >"),
            Array({Array({Bulk("s"), Array({Entry("1-0", {"f", "a"})})})}));
  EXPECT_EQ(TakeLog(), (Lines{"MULTI", "XGROUP CREATECONSUMER s g one",
                              "XCLAIM s g one 0 1-0 TIME 1767225600000 RETRYCOUNT 1 FORCE JUSTID",
                              "XGROUP SETID s g 1-0 ENTRIESREAD 1", "EXEC"}));
  EXPECT_EQ(client.Call("XREADGROUP GROUP g two STREAMS s >"),
            Array({Array({Bulk("s"), Array({Entry("2-0", {"f", "b"})})})}));
  EXPECT_EQ(client.Call("XACK s g 1-0 7-0"), Int(1));
  EXPECT_EQ(client.Call("XPENDING s g"),
            Array({Int(1), Bulk("2-0"), Bulk("2-0"), Array({Bulks({"two", "1"})})}));
  EXPECT_EQ(client.Call("XREADGROUP GROUP g one STREAMS s 0"),
            Array({Array({Bulk("s"), Array({})})}));
}

TEST_F(EngineTest, ClaimTakesWhatWasIdleLongEnough) {
  Client client = Connect();
  client.Call("XADD s 1-0 f a");
  client.Call("XGROUP CREATE s g 0");
  client.Call("XREADGROUP GROUP g one STREAMS s >");
  Advance(1s);
  EXPECT_EQ(client.Call("XCLAIM s g two 2000 1-0"), Array({}));
  EXPECT_EQ(client.Call("XCLAIM s g two 1000 1-0"), Array({Entry("1-0", {"f", "a"})}));
  EXPECT_EQ(client.Call("XPENDING s g - + 10"),
            Array({Array({Bulk("1-0"), Bulk("two"), Int(0), Int(2)})}));
  Advance(1s);
  client.Call("XDEL s 1-0");
  EXPECT_EQ(client.Call("XAUTOCLAIM s g three 500 0"),
            Array({Bulk("0-0"), Array({}), Bulks({"1-0"})}));
}

TEST_F(EngineTest, Case38_DeletedEntryIsNoNewsAndNoAckKeepsNothingPending) {
  Client a = Connect(), b = Connect();
  b.Call("XGROUP CREATE x g $ MKSTREAM");
  b.Call("XADD x 667 f v");
  b.Call("XDEL x 667");
  a.Send("XREADGROUP GROUP g c BLOCK 300 STREAMS x >");
  Advance(300ms);
  EXPECT_EQ(a.TryRead(), NullArray());
  b.Call("XGROUP CREATE n g $ MKSTREAM");
  a.Send("XREADGROUP GROUP g c NOACK BLOCK 0 STREAMS n >");
  b.Call("XADD n 1-1 f v");
  EXPECT_TRUE(a.TryRead().has_value());
  EXPECT_EQ(b.Call("XPENDING n g"), Array({Int(0), Nil(), Nil(), NullArray()}));
  b.Call("XADD n 2-1 f v");
  EXPECT_EQ(a.Call("XREADGROUP GROUP g c STREAMS n >").type, '*');
  EXPECT_EQ(b.Call("XPENDING n g").elements[0], Int(1));
  EXPECT_EQ(b.Call("XGROUP DELCONSUMER n g c"), Int(1));
  EXPECT_EQ(b.Call("XPENDING n g"), Array({Int(0), Nil(), Nil(), NullArray()}));
}

TEST_F(EngineTest, BlockedGroupReaderHearsOfADeletedKey) {
  Client a = Connect(), b = Connect();
  b.Call("XGROUP CREATE x g $ MKSTREAM");
  a.Send("XREADGROUP GROUP g c BLOCK 0 STREAMS x >");
  b.Call("DEL x");
  EXPECT_EQ(a.TryRead(), Err("NOGROUP No such key 'x' or consumer group 'g' in XREADGROUP with "
                             "GROUP option"));
}

TEST_F(EngineTest, LagCountsWhatTheGroupHasNotSeen) {
  Client client = Connect();
  client.Call("XGROUP CREATE s g $ MKSTREAM");
  for (int i = 1; i <= 3; ++i) client.Call("XADD s " + std::to_string(i) + "-0 f v");
  client.Call("XREADGROUP GROUP g c COUNT 1 STREAMS s >");
  EXPECT_EQ(client.Call("XINFO GROUPS s"),
            Array({Array({Bulk("name"), Bulk("g"), Bulk("consumers"), Int(1), Bulk("pending"),
                          Int(1), Bulk("last-delivered-id"), Bulk("1-0"), Bulk("entries-read"),
                          Int(1), Bulk("lag"), Int(2)})}));
}

// The entries-read and the lag of the group g.
std::vector<Reply> EntriesReadAndLag(Client& client) {
  const Reply group = client.Call("XINFO GROUPS s").elements.at(0);
  return {group.elements.at(9), group.elements.at(11)};
}

TEST_F(EngineTest, LagIsUnknownOnlyWhileADeletedEntryIsAmongThoseThatAreLeft) {
  Client client = Connect();
  for (int i = 1; i <= 6; ++i) client.Call("XADD s " + std::to_string(i) + "-0 f v");
  client.Call("XDEL s 3-0");
  client.Call("XGROUP CREATE s g 0");
  EXPECT_EQ(EntriesReadAndLag(client), (std::vector<Reply>{Nil(), Nil()}));
  client.Call("XTRIM s MINID 3-0");
  EXPECT_EQ(EntriesReadAndLag(client), (std::vector<Reply>{Nil(), Int(3)}));
  client.Call("XTRIM s MINID 5-0");
  EXPECT_EQ(EntriesReadAndLag(client), (std::vector<Reply>{Nil(), Int(2)}));
  client.Call("XREADGROUP GROUP g c COUNT 1 STREAMS s >");
  EXPECT_EQ(EntriesReadAndLag(client), (std::vector<Reply>{Int(5), Int(1)}));
}

// Whole blocks go, and they are as long as Redis's, though ours are denser: 191 is its answer.
TEST_F(EngineTest, ApproximateTrimLeavesWhatRedisLeaves) {
  Client client = Connect();
  for (int i = 1; i <= 150; ++i) {
    const std::string n = std::to_string(i);
    client.Call("XADD s " + n + "-0 event waiting jobId " + n);
    client.Call("XADD s " + n + "-1 event completed jobId " + n + " returnvalue null prev active");
  }
  EXPECT_EQ(client.Call("XTRIM s MAXLEN ~ 20"), Int(191));
  EXPECT_EQ(client.Call("XLEN s"), Int(109));
}

}  // namespace
}  // namespace rung::testing

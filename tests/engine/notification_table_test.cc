// Which command tells which keyspace events, in which order.
//
// The tables were recorded from redis-server 7.0.15 with the same commands. Two rows differ from
// it: XREADGROUP makes its consumer even when there is nothing to read, as 7.2 does; XREAD misses a
// key once, where Redis looks, and misses, twice.

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/notification_test.h"

namespace rung::testing {
namespace {

struct EventRow {
  std::vector<std::string_view> before;  // Commands whose events do not count.
  std::string_view command;
  std::string_view events;  // As TakeEvents() prints them.
};

class NotificationTableTest : public NotificationTest {
 protected:
  void ExpectEvents(std::span<const EventRow> rows) {
    Client client = Connect();
    Client listener = Connect();
    listener.Call("PSUBSCRIBE __keyevent@*");
    for (const EventRow& row : rows) {
      SCOPED_TRACE(std::string(row.command));
      for (const int index : {0, 1}) {
        engine->broker().store.database(index).Clear(FreeMode::kNow);
      }
      Notify("");
      for (const std::string_view before : row.before) {
        EXPECT_FALSE(client.Call(before).IsError()) << before;
      }
      Notify("EAmn");
      // A row without events must not pass because there is no such command.
      EXPECT_FALSE(client.Call(row.command).text.starts_with("ERR unknown"));
      EXPECT_EQ(TakeEvents(listener), row.events);
    }
  }
};

const EventRow kStringsRows[] = {
    {{}, "SET k v", "new(k) set(k)"},
    {{"SET k v"}, "SET k w", "set(k)"},
    {{"RPUSH k a"}, "SET k w", "set(k)"},
    {{}, "SET k v EX 100", "new(k) set(k) expire(k)"},
    {{"SET k v EX 100"}, "SET k v KEEPTTL", "set(k)"},
    {{}, "SET k v GET", "keymiss(k) new(k) set(k)"},
    {{"SET k v"}, "SET k w GET", "set(k)"},
    {{}, "SET k v XX", ""},
    {{"SET k v"}, "SET k v NX", ""},
    {{}, "SET k v EXAT 1", "new(k) set(k) expire(k)"},
    {{}, "SETNX k v", "new(k) set(k)"},
    {{"SET k v"}, "SETNX k v", ""},
    {{}, "SETEX k 100 v", "new(k) set(k) expire(k)"},
    {{}, "PSETEX k 100000 v", "new(k) set(k) expire(k)"},
    {{}, "GETSET k v", "keymiss(k) new(k) set(k)"},
    {{"SET k v"}, "GETSET k w", "set(k)"},
    {{"SET k v"}, "GETDEL k", "del(k)"},
    {{}, "GETDEL k", "keymiss(k)"},
    {{"SET k v"}, "GETEX k", ""},
    {{}, "GETEX k", "keymiss(k)"},
    {{"SET k v"}, "GETEX k EX 100", "expire(k)"},
    {{"SET k v EX 100"}, "GETEX k PERSIST", "persist(k)"},
    {{"SET k v"}, "GETEX k PERSIST", ""},
    {{"SET k v"}, "GETEX k EXAT 1", "del(k)"},
    {{}, "GET k", "keymiss(k)"},
    {{}, "MGET a b", "keymiss(a) keymiss(b)"},
    {{}, "STRLEN k", "keymiss(k)"},
    {{}, "GETRANGE k 0 1", "keymiss(k)"},
    {{"SET a v"}, "MSET a 1 b 2", "set(a) new(b) set(b)"},
    {{}, "MSETNX a 1 b 2", "new(a) set(a) new(b) set(b)"},
    {{"SET a v"}, "MSETNX a 1 b 2", ""},
    {{}, "INCR k", "new(k) incrby(k)"},
    {{"SET k 1"}, "INCR k", "incrby(k)"},
    {{}, "DECR k", "new(k) incrby(k)"},
    {{}, "INCRBY k 2", "new(k) incrby(k)"},
    {{}, "DECRBY k 2", "new(k) incrby(k)"},
    {{}, "INCRBYFLOAT k 1.5", "new(k) incrbyfloat(k)"},
    {{"SET k 1"}, "INCRBYFLOAT k 1.5", "incrbyfloat(k)"},
    {{}, "APPEND k v", "new(k) append(k)"},
    {{"SET k v"}, "APPEND k v", "append(k)"},
    {{"SET k v"}, "APPEND k \"\"", "append(k)"},
    {{}, "SETRANGE k 1 v", "new(k) setrange(k)"},
    {{"SET k v"}, "SETRANGE k 1 v", "setrange(k)"},
    {{}, "SETRANGE k 1 \"\"", ""},
};

TEST_F(NotificationTableTest, StringsTellWhatRedisTells) { ExpectEvents(kStringsRows); }

const EventRow kKeysRows[] = {
    {{"SET k v"}, "DEL k missing", "del(k)"},
    {{"SET k v"}, "UNLINK k missing", "del(k)"},
    {{}, "EXISTS k", "keymiss(k)"},
    {{}, "TYPE k", "keymiss(k)"},
    {{}, "TTL k", "keymiss(k)"},
    {{}, "PTTL k", "keymiss(k)"},
    {{}, "EXPIRETIME k", "keymiss(k)"},
    {{}, "PEXPIRETIME k", "keymiss(k)"},
    {{}, "TOUCH k", "keymiss(k)"},
    {{"SET k v"}, "RENAME k l", "new(l) rename_from(k) rename_to(l)"},
    {{"SET k v", "SET l w"}, "RENAME k l", "new(l) rename_from(k) rename_to(l)"},
    {{"SET k v EX 100", "SET l w EX 100"}, "RENAME k l", "new(l) rename_from(k) rename_to(l)"},
    {{"SET k v"}, "RENAME k k", ""},
    {{}, "RENAME k l", ""},
    {{"SET k v"}, "RENAMENX k l", "new(l) rename_from(k) rename_to(l)"},
    {{"SET k v", "SET l w"}, "RENAMENX k l", ""},
    {{"SET k v"}, "COPY k l", "new(l) copy_to(l)"},
    {{"SET k v", "SET l w"}, "COPY k l REPLACE", "new(l) copy_to(l)"},
    {{"SET k v", "SET l w"}, "COPY k l", ""},
    {{}, "COPY k l", "keymiss(k)"},
    {{"SET k v"}, "COPY k k DB 1", "1:new(k) 1:copy_to(k)"},
    {{"SET k v"}, "MOVE k 1", "1:new(k) move_from(k) 1:move_to(k)"},
    {{}, "MOVE k 1", ""},
    {{"SET k v"}, "FLUSHDB", ""},
    {{"SET k v"}, "SWAPDB 0 1", ""},
    {{}, "OBJECT ENCODING k", ""},
    {{}, "OBJECT IDLETIME k", ""},
    {{"SET k v"}, "EXPIRE k 100", "expire(k)"},
    {{"SET k v EX 100"}, "EXPIRE k 200", "expire(k)"},
    {{"SET k v"}, "EXPIRE k 0", "del(k)"},
    {{"SET k v"}, "EXPIRE k 100 XX", ""},
    {{"SET k v"}, "PEXPIRE k 100000", "expire(k)"},
    {{"SET k v"}, "EXPIREAT k 1", "del(k)"},
    {{"SET k v"}, "EXPIREAT k 33000000000", "expire(k)"},
    {{"SET k v"}, "PEXPIREAT k 33000000000000", "expire(k)"},
    {{}, "EXPIRE k 100", ""},
    {{"SET k v EX 100"}, "PERSIST k", "persist(k)"},
    {{"SET k v"}, "PERSIST k", ""},
    {{"SET k v"}, "RANDOMKEY", ""},
    {{"SET k v"}, "SCAN 0", ""},
    {{"SET k v"}, "KEYS *", ""},
};

TEST_F(NotificationTableTest, KeysTellWhatRedisTells) { ExpectEvents(kKeysRows); }

const EventRow kListsRows[] = {
    {{}, "LPUSH k a b", "new(k) lpush(k)"},
    {{"RPUSH k a"}, "RPUSH k b", "rpush(k)"},
    {{"RPUSH k a"}, "LPUSHX k b", "lpush(k)"},
    {{"RPUSH k a"}, "RPUSHX k b", "rpush(k)"},
    {{}, "LPUSHX k b", ""},
    {{"RPUSH k a b"}, "LPOP k", "lpop(k)"},
    {{"RPUSH k a"}, "LPOP k", "lpop(k) del(k)"},
    {{"RPUSH k a b"}, "RPOP k 2", "rpop(k) del(k)"},
    {{"RPUSH k a b"}, "RPOP k 0", ""},
    {{}, "LPOP k", ""},
    {{}, "RPOP k 1", ""},
    {{"RPUSH k a b"}, "LMPOP 2 j k LEFT", "lpop(k)"},
    {{"RPUSH k a b"}, "LMPOP 1 k RIGHT COUNT 9", "rpop(k) del(k)"},
    {{"RPUSH k a b"}, "BLPOP j k 0", "lpop(k)"},
    {{"RPUSH k a"}, "BRPOP k 0", "rpop(k) del(k)"},
    {{"RPUSH k a"}, "BLMPOP 0 1 k LEFT", "lpop(k) del(k)"},
    {{"RPUSH k a b c"}, "LTRIM k 1 1", "ltrim(k)"},
    {{"RPUSH k a b c"}, "LTRIM k 0 -1", "ltrim(k)"},
    {{"RPUSH k a"}, "LTRIM k 5 6", "ltrim(k) del(k)"},
    {{}, "LTRIM k 5 6", ""},
    {{"RPUSH k a b a"}, "LREM k 1 a", "lrem(k)"},
    {{"RPUSH k a"}, "LREM k 1 a", "lrem(k) del(k)"},
    {{"RPUSH k a"}, "LREM k 1 x", ""},
    {{"RPUSH k a"}, "LSET k 0 b", "lset(k)"},
    {{"RPUSH k a"}, "LINSERT k BEFORE a b", "linsert(k)"},
    {{"RPUSH k a"}, "LINSERT k BEFORE x b", ""},
    {{"RPUSH k a b"}, "RPOPLPUSH k l", "new(l) lpush(l) rpop(k)"},
    {{"RPUSH k a", "RPUSH l b"}, "RPOPLPUSH k l", "lpush(l) rpop(k) del(k)"},
    {{"RPUSH k a b"}, "RPOPLPUSH k k", "lpush(k) rpop(k)"},
    {{"RPUSH k a"}, "RPOPLPUSH k k", "lpush(k) rpop(k)"},
    {{"RPUSH k a b"}, "LMOVE k l LEFT RIGHT", "new(l) rpush(l) lpop(k)"},
    {{"RPUSH k a"}, "LMOVE k l RIGHT LEFT", "new(l) lpush(l) rpop(k) del(k)"},
    {{"RPUSH k a b"}, "LMOVE k k LEFT RIGHT", "rpush(k) lpop(k)"},
    {{}, "LMOVE k l LEFT RIGHT", ""},
    {{"RPUSH k a"}, "BLMOVE k l LEFT RIGHT 0", "new(l) rpush(l) lpop(k) del(k)"},
    {{"RPUSH k a"}, "BRPOPLPUSH k l 0", "new(l) lpush(l) rpop(k) del(k)"},
    {{}, "LLEN k", "keymiss(k)"},
    {{}, "LRANGE k 0 -1", "keymiss(k)"},
    {{}, "LINDEX k 0", "keymiss(k)"},
    {{}, "LPOS k a", "keymiss(k)"},
};

TEST_F(NotificationTableTest, ListsTellWhatRedisTells) { ExpectEvents(kListsRows); }
const EventRow kStreamsRows[] = {
    {{}, "XADD k 1-1 f v", "new(k) xadd(k)"},
    {{"XADD k 1-1 f v"}, "XADD k 1-2 f v", "xadd(k)"},
    {{"XADD k 1-1 f v"}, "XADD k MAXLEN 1 1-2 f v", "xadd(k) xtrim(k)"},
    {{"XADD k 1-1 f v"}, "XADD k MAXLEN 5 1-2 f v", "xadd(k)"},
    {{}, "XADD k NOMKSTREAM 1-2 f v", ""},
    {{"XADD k 1-1 f v"}, "XDEL k 1-1", "xdel(k)"},
    {{"XADD k 1-1 f v"}, "XDEL k 9-1", ""},
    {{"XADD k 1-1 f v", "XADD k 1-2 f v"}, "XTRIM k MAXLEN 1", "xtrim(k)"},
    {{"XADD k 1-1 f v"}, "XTRIM k MAXLEN 0", "xtrim(k)"},
    {{"XADD k 1-1 f v"}, "XTRIM k MAXLEN 5", ""},
    {{"XADD k 1-1 f v"}, "XSETID k 5-1", "xsetid(k)"},
    {{}, "XGROUP CREATE k g $ MKSTREAM", "new(k) xgroup-create(k)"},
    {{"XADD k 1-1 f v"}, "XGROUP CREATE k g $", "xgroup-create(k)"},
    {{"XGROUP CREATE k g $ MKSTREAM"}, "XGROUP SETID k g 0", "xgroup-setid(k)"},
    {{"XGROUP CREATE k g $ MKSTREAM"}, "XGROUP CREATECONSUMER k g c", "xgroup-createconsumer(k)"},
    {{"XGROUP CREATE k g $ MKSTREAM", "XGROUP CREATECONSUMER k g c"},
     "XGROUP CREATECONSUMER k g c",
     ""},
    {{"XGROUP CREATE k g $ MKSTREAM", "XGROUP CREATECONSUMER k g c"},
     "XGROUP DELCONSUMER k g c",
     "xgroup-delconsumer(k)"},
    {{"XGROUP CREATE k g $ MKSTREAM"}, "XGROUP DELCONSUMER k g c", ""},
    {{"XGROUP CREATE k g $ MKSTREAM"}, "XGROUP DESTROY k g", "xgroup-destroy(k)"},
    {{"XGROUP CREATE k g $ MKSTREAM"}, "XGROUP DESTROY k h", ""},
    {{"XGROUP CREATE k g $ MKSTREAM", "XADD k 1-1 f v"},
     "XREADGROUP GROUP g c STREAMS k >",
     "xgroup-createconsumer(k)"},
    {{"XGROUP CREATE k g $ MKSTREAM"},
     "XREADGROUP GROUP g c STREAMS k >",
     "xgroup-createconsumer(k)"},
    {{"XGROUP CREATE k g $ MKSTREAM", "XADD k 1-1 f v"},
     "XREADGROUP GROUP g c NOACK STREAMS k >",
     "xgroup-createconsumer(k)"},
    {{"XGROUP CREATE k g $ MKSTREAM", "XADD k 1-1 f v", "XREADGROUP GROUP g c STREAMS k >"},
     "XACK k g 1-1",
     ""},
    {{"XGROUP CREATE k g $ MKSTREAM", "XADD k 1-1 f v", "XREADGROUP GROUP g c STREAMS k >"},
     "XCLAIM k g d 0 1-1",
     "xgroup-createconsumer(k)"},
    {{"XGROUP CREATE k g $ MKSTREAM", "XADD k 1-1 f v", "XREADGROUP GROUP g c STREAMS k >"},
     "XAUTOCLAIM k g d 0 0",
     "xgroup-createconsumer(k)"},
    {{}, "XLEN k", "keymiss(k)"},
    {{}, "XRANGE k - +", "keymiss(k)"},
    {{}, "XREAD STREAMS k 0", "keymiss(k)"},
    {{}, "XINFO STREAM k", "keymiss(k)"},
    {{}, "XPENDING k g", "keymiss(k)"},
};

TEST_F(NotificationTableTest, StreamsTellWhatRedisTells) { ExpectEvents(kStreamsRows); }

const EventRow kSortedSetsRows[] = {
    {{}, "ZADD k 1 a 2 b", "new(k) zadd(k)"},
    {{"ZADD k 1 a"}, "ZADD k 2 a", "zadd(k)"},
    {{"ZADD k 1 a"}, "ZADD k 1 a", ""},
    {{"ZADD k 1 a"}, "ZADD k NX 2 a", ""},
    {{}, "ZADD k XX 2 a", ""},
    {{}, "ZADD k INCR 2 a", "new(k) zincr(k)"},
    {{"ZADD k 1 a"}, "ZADD k GT 0 a", ""},
    {{}, "ZINCRBY k 2 a", "new(k) zincr(k)"},
    {{"ZADD k 1 a"}, "ZINCRBY k 0 a", ""},
    {{"ZADD k 1 a 2 b"}, "ZREM k a x", "zrem(k)"},
    {{"ZADD k 1 a"}, "ZREM k a", "zrem(k) del(k)"},
    {{"ZADD k 1 a"}, "ZREM k x", ""},
    {{"ZADD k 1 a 2 b"}, "ZREMRANGEBYSCORE k 1 1", "zremrangebyscore(k)"},
    {{"ZADD k 1 a 2 b"}, "ZREMRANGEBYRANK k 0 -1", "zremrangebyrank(k) del(k)"},
    {{"ZADD k 0 a 0 b"}, "ZREMRANGEBYLEX k [a [a", "zremrangebylex(k)"},
    {{"ZADD k 0 a 0 b"}, "ZREMRANGEBYLEX k [x [y", ""},
    {{"ZADD k 1 a 2 b"}, "ZPOPMIN k", "zpopmin(k)"},
    {{"ZADD k 1 a"}, "ZPOPMAX k", "zpopmax(k) del(k)"},
    {{}, "ZPOPMIN k", ""},
    {{"ZADD k 1 a 2 b"}, "ZPOPMAX k 2", "zpopmax(k) del(k)"},
    {{"ZADD k 1 a 2 b"}, "ZPOPMAX k 0", ""},
    {{"ZADD k 1 a 2 b"}, "BZPOPMIN j k 0", "zpopmin(k)"},
    {{"ZADD k 1 a"}, "BZPOPMAX k 0", "zpopmax(k) del(k)"},
    {{"ZADD k 1 a 2 b"}, "ZMPOP 2 j k MIN", "zpopmin(k)"},
    {{"ZADD k 1 a 2 b"}, "ZMPOP 1 k MAX COUNT 5", "zpopmax(k) del(k)"},
    {{"ZADD k 1 a"}, "BZMPOP 0 1 k MIN", "zpopmin(k) del(k)"},
    {{"ZADD k 1 a 2 b"}, "ZRANGESTORE d k 0 -1", "new(d) zrangestore(d)"},
    {{"ZADD k 1 a 2 b", "SET d v"}, "ZRANGESTORE d k 0 -1", "zrangestore(d)"},
    {{"ZADD k 1 a 2 b", "SET d v"}, "ZRANGESTORE d k 5 6", "del(d)"},
    {{"SET d v"}, "ZRANGESTORE d k 5 6", "keymiss(k) del(d)"},
    {{}, "ZRANGESTORE d k 5 6", "keymiss(k)"},
    {{"ZADD k 1 a", "ZADD l 1 a"}, "ZUNIONSTORE d 2 k l", "new(d) zunionstore(d)"},
    {{"ZADD k 1 a", "ZADD l 1 a", "SET d v"}, "ZUNIONSTORE d 2 k l", "zunionstore(d)"},
    {{"ZADD k 1 a", "ZADD l 1 a"}, "ZINTERSTORE d 2 k l", "new(d) zinterstore(d)"},
    {{"ZADD k 1 a", "SET d v"}, "ZINTERSTORE d 2 k l", "keymiss(l) del(d)"},
    {{"ZADD k 1 a", "ZADD l 1 b"}, "ZDIFFSTORE d 2 k l", "new(d) zdiffstore(d)"},
    {{"ZADD k 1 a"}, "ZDIFFSTORE d 2 k k", ""},
    {{}, "ZUNION 2 k l", "keymiss(k) keymiss(l)"},
    {{}, "ZINTER 2 k l", "keymiss(k) keymiss(l)"},
    {{}, "ZINTERCARD 2 k l", "keymiss(k) keymiss(l)"},
    {{}, "ZDIFF 2 k l", "keymiss(k) keymiss(l)"},
    {{}, "ZCARD k", "keymiss(k)"},
    {{}, "ZSCORE k a", "keymiss(k)"},
    {{}, "ZMSCORE k a", "keymiss(k)"},
    {{}, "ZCOUNT k 0 1", "keymiss(k)"},
    {{}, "ZLEXCOUNT k - +", "keymiss(k)"},
    {{}, "ZRANGE k 0 -1", "keymiss(k)"},
    {{}, "ZRANK k a", "keymiss(k)"},
    {{}, "ZRANDMEMBER k", "keymiss(k)"},
    {{}, "ZSCAN k 0", "keymiss(k)"},
};

TEST_F(NotificationTableTest, SortedSetsTellWhatRedisTells) { ExpectEvents(kSortedSetsRows); }

const EventRow kHashesRows[] = {
    {{}, "HSET k f v", "new(k) hset(k)"},
    {{"HSET k f v"}, "HSET k f v g w", "hset(k)"},
    {{}, "HMSET k f v", "new(k) hset(k)"},
    {{}, "HSETNX k f v", "new(k) hset(k)"},
    {{"HSET k f v"}, "HSETNX k f v", ""},
    {{}, "HINCRBY k f 1", "new(k) hincrby(k)"},
    {{"HSET k f 1"}, "HINCRBY k f 1", "hincrby(k)"},
    {{}, "HINCRBYFLOAT k f 1.5", "new(k) hincrbyfloat(k)"},
    {{"HSET k f v g w"}, "HDEL k f x", "hdel(k)"},
    {{"HSET k f v"}, "HDEL k f", "hdel(k) del(k)"},
    {{"HSET k f v"}, "HDEL k x", ""},
    {{}, "HGET k f", "keymiss(k)"},
    {{}, "HMGET k f", "keymiss(k)"},
    {{}, "HGETALL k", "keymiss(k)"},
    {{}, "HLEN k", "keymiss(k)"},
    {{}, "HSTRLEN k f", "keymiss(k)"},
    {{}, "HEXISTS k f", "keymiss(k)"},
    {{}, "HKEYS k", "keymiss(k)"},
    {{}, "HVALS k", "keymiss(k)"},
    {{}, "HRANDFIELD k", "keymiss(k)"},
    {{}, "HSCAN k 0", "keymiss(k)"},
};

TEST_F(NotificationTableTest, HashesTellWhatRedisTells) { ExpectEvents(kHashesRows); }

const EventRow kSetsRows[] = {
    {{}, "SADD k a b", "new(k) sadd(k)"},
    {{"SADD k a"}, "SADD k a", ""},
    {{"SADD k a b"}, "SREM k a x", "srem(k)"},
    {{"SADD k a"}, "SREM k a", "srem(k) del(k)"},
    {{"SADD k a"}, "SREM k x", ""},
    {{"SADD k a b"}, "SMOVE k l a", "srem(k) new(l) sadd(l)"},
    {{"SADD k a", "SADD l b"}, "SMOVE k l a", "srem(k) del(k) sadd(l)"},
    {{"SADD k a", "SADD l a"}, "SMOVE k l a", "srem(k) del(k)"},
    {{"SADD k a"}, "SMOVE k l x", ""},
    {{"SADD k a"}, "SMOVE k k a", ""},
    {{"SADD k a b"}, "SPOP k", "spop(k)"},
    {{"SADD k a"}, "SPOP k", "spop(k) del(k)"},
    {{"SADD k a b c"}, "SPOP k 2", "spop(k)"},
    {{"SADD k a b c"}, "SPOP k 9", "spop(k) del(k)"},
    {{"SADD k a b c"}, "SPOP k 0", ""},
    {{}, "SPOP k", ""},
    {{"SADD k a", "SADD l b"}, "SUNIONSTORE d k l", "new(d) sunionstore(d)"},
    {{"SADD k a", "SET d v"}, "SUNIONSTORE d k l", "keymiss(l) sunionstore(d)"},
    {{"SET d v"}, "SUNIONSTORE d k l", "keymiss(k) keymiss(l) del(d)"},
    {{"SADD k a", "SADD l a"}, "SINTERSTORE d k l", "new(d) sinterstore(d)"},
    {{"SADD k a", "SET d v"}, "SINTERSTORE d k l", "keymiss(l) del(d)"},
    {{"SADD k a", "SADD l b", "SET d v"}, "SINTERSTORE d k l", "del(d)"},
    {{"SADD k a", "SADD l b"}, "SDIFFSTORE d k l", "new(d) sdiffstore(d)"},
    {{"SADD k a", "SET d v"}, "SDIFFSTORE d k k", "del(d)"},
    {{}, "SUNION k l", "keymiss(k) keymiss(l)"},
    {{}, "SINTER k l", "keymiss(k) keymiss(l)"},
    {{}, "SDIFF k l", "keymiss(k) keymiss(l)"},
    {{}, "SINTERCARD 2 k l", "keymiss(k) keymiss(l)"},
    {{}, "SCARD k", "keymiss(k)"},
    {{}, "SISMEMBER k a", "keymiss(k)"},
    {{}, "SMISMEMBER k a", "keymiss(k)"},
    {{}, "SMEMBERS k", "keymiss(k)"},
    {{}, "SRANDMEMBER k", "keymiss(k)"},
    {{}, "SSCAN k 0", "keymiss(k)"},
};

TEST_F(NotificationTableTest, SetsTellWhatRedisTells) { ExpectEvents(kSetsRows); }

const EventRow kBitsRows[] = {
    {{}, "SETBIT k 7 1", "new(k) setbit(k)"},
    {{"SETBIT k 7 1"}, "SETBIT k 7 0", "setbit(k)"},
    {{"SETBIT k 7 1"}, "SETBIT k 7 1", ""},
    {{}, "BITFIELD k SET u8 0 1", "new(k) setbit(k)"},
    {{"SETBIT k 7 1"}, "BITFIELD k INCRBY u8 0 1", "setbit(k)"},
    {{"SETBIT k 7 1"}, "BITFIELD k GET u8 0", ""},
    {{}, "GETBIT k 1", "keymiss(k)"},
    {{}, "BITCOUNT k", "keymiss(k)"},
};

TEST_F(NotificationTableTest, BitsTellWhatRedisTells) { ExpectEvents(kBitsRows); }

}  // namespace
}  // namespace rung::testing

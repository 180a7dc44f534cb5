// What services built on Jedis, Lettuce and Redisson do; run by ./run, which says how its output is used.

import io.lettuce.core.KeyValue;
import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.XReadArgs.StreamOffset;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RBlockingDeque;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RLock;
import org.redisson.api.RPriorityQueue;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RScoredSortedSet;
import org.redisson.api.RSemaphore;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.SetParams;

public final class App {
  private static final int PORT = Integer.parseInt(System.getenv("RUNG_PORT"));
  private static final String SCRIPT =
      "local id = redis.call('INCR', KEYS[1]) redis.call('ZADD', KEYS[2], ARGV[1], id) return {id, redis.call('ZCARD', KEYS[2])}";

  private static void say(Object... words) {
    List<String> texts = new ArrayList<>();
    for (Object word : words) {
      texts.add(word instanceof Map<?, ?> map ? new TreeMap<>(map).toString() : String.valueOf(word));
    }
    System.out.println(String.join(" | ", texts));
  }

  private static void until(String what, Callable<Boolean> test) throws Exception {
    for (long deadline = System.nanoTime() + 15_000_000_000L; !test.call(); Thread.sleep(10)) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("waited in vain: " + what);
      }
    }
  }

  private static void untilBlocked(Jedis jedis, int count) throws Exception {
    until("blocked clients", () -> jedis.info("clients").contains("blocked_clients:" + count + "\r\n"));
  }

  private static void jedisValues(Jedis jedis) {
    say("jedis set", jedis.set("plain", "é 漢字", SetParams.setParams().ex(100).nx()), jedis.get("plain"), jedis.ttl("plain") > 0);
    say("counters", jedis.incrBy("counter", 5), jedis.incrByFloat("float", 1.5), jedis.hincrBy("hash", "n", 3));
    jedis.hset("hash", Map.of("one", "1", "two", "2"));
    say("hash", jedis.hgetAll("hash"), jedis.hmget("hash", "two", "three"));
    jedis.zadd("scores", Map.of("low", 1.0, "half", 2.5, "top", Double.POSITIVE_INFINITY));
    say("zset", jedis.zrangeWithScores("scores", 0, -1), jedis.zscore("scores", "none"), jedis.zpopmin("scores"));
    say("set", jedis.sadd("set", "a", "b"), new TreeSet<>(jedis.smembers("set")));
    for (Runnable wrong : List.<Runnable>of(() -> jedis.lpush("plain", "x"), () -> jedis.incr("plain"), () -> jedis.evalsha("0".repeat(40)))) {
      try {
        wrong.run();
      } catch (JedisDataException error) {
        say("error", error.getClass().getSimpleName(), error.getMessage());
      }
    }
  }

  private static void jedisBatches(Jedis jedis) {
    Pipeline pipe = jedis.pipelined();
    List<Response<Long>> lengths = new ArrayList<>();
    for (int number = 0; number < 1000; number++) {
      lengths.add(pipe.rpush("long", "n" + number));
    }
    pipe.sync();
    say("pipeline", lengths.get(0).get(), lengths.get(999).get());
    Transaction multi = jedis.multi();
    multi.set("a", "1");
    multi.incr("a");
    multi.evalsha(loadedScript(jedis), 2, "id", "jobs", "5");
    say("transaction", multi.exec());
    say("script", jedis.eval(SCRIPT, List.of("id", "jobs"), List.of("1")), jedis.scriptExists(loadedScript(jedis)));
  }

  private static String loadedScript(Jedis jedis) {
    try (Jedis other = new Jedis("127.0.0.1", PORT)) {
      return other.scriptLoad(SCRIPT);
    }
  }

  private static void jedisBlocking(Jedis jedis, Jedis other) throws Exception {
    CompletableFuture<Object> waiting = CompletableFuture.supplyAsync(() -> jedis.bzpopmin(9, "none", "ranked"));
    untilBlocked(other, 1);
    other.zadd("ranked", 7, "job");
    say("bzpopmin", waiting.get(9, TimeUnit.SECONDS));
    CompletableFuture<Object> list = CompletableFuture.supplyAsync(() -> jedis.blpop(9, "none", "listed"));
    untilBlocked(other, 1);
    other.rpush("listed", "job");
    say("blpop", list.get(9, TimeUnit.SECONDS), jedis.blpop(0.05, "none"));
  }

  private static void jedisMessages(Jedis jedis) throws Exception {
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    CountDownLatch ready = new CountDownLatch(2);
    JedisPubSub listener = new JedisPubSub() {
      @Override
      public void onMessage(String channel, String message) {
        heard.add(channel + ":" + message);
      }

      @Override
      public void onSubscribe(String channel, int count) {
        ready.countDown();
      }
    };
    try (Jedis subscribed = new Jedis("127.0.0.1", PORT)) {
      CompletableFuture<Void> loop = CompletableFuture.runAsync(() -> subscribed.subscribe(listener, "news", "more"));
      ready.await(9, TimeUnit.SECONDS);
      say("published", jedis.publish("news", "one"), jedis.publish("more", "two"), jedis.publish("none", "three"));
      say("heard", heard.poll(9, TimeUnit.SECONDS), heard.poll(9, TimeUnit.SECONDS));
      listener.unsubscribe();
      loop.get(9, TimeUnit.SECONDS);
    }
  }

  private static void pooledJedis() {
    try (var pooled = redis.clients.jedis.RedisClient.builder().hostAndPort("127.0.0.1", PORT).build()) {
      say("pooled", pooled.set("pooled", "1"), pooled.incr("pooled"), pooled.zadd("pq", 1, "x"), pooled.zpopmin("pq"));
    }
  }

  private static void lettuce() throws Exception {
    RedisClient client = RedisClient.create("redis://127.0.0.1:" + PORT + "/3");
    try (var connection = client.connect(); var other = client.connect(); var messages = client.connectPubSub()) {
      var sync = connection.sync();
      say("lettuce", sync.set("k", "é"), sync.get("k"), sync.dbsize());
      var async = connection.async();
      List<CompletableFuture<Long>> pushes = new ArrayList<>();
      for (int number = 0; number < 1000; number++) {
        pushes.add(async.rpush("list", "n" + number).toCompletableFuture());
      }
      say("pipelined", pushes.get(999).get(9, TimeUnit.SECONDS), sync.lrange("list", -2, -1));
      sync.zadd("z", 3.5, "a", 1.0, "b");
      say("scores", sync.zrangeWithScores("z", 0, -1), sync.zrangebyscore("z", Range.create(2, 9)));
      ScoredValue<String> popped = sync.zpopmin("z");
      say("popped", popped.getValue(), popped.getScore());
      var blocked = other.async().bzpopmin(9.0, "waited");
      Thread.sleep(50);
      sync.zadd("waited", 2, "job");
      KeyValue<String, ScoredValue<String>> job = blocked.get(9, TimeUnit.SECONDS);
      say("bzpopmin", job.getKey(), job.getValue());
      sync.multi();
      sync.incr("n");
      sync.lpush("k", "wrong");
      TransactionResult result = sync.exec();
      say("transaction", result.get(0), ((Throwable) result.get(1)).getMessage());
      say("script", (Object) sync.eval(SCRIPT, ScriptOutputType.MULTI, new String[] {"id", "jobs"}, "4"));
      String digest = sync.scriptLoad(SCRIPT);
      say("digest", sync.scriptExists(digest), (Object) sync.evalsha(digest, ScriptOutputType.MULTI, new String[] {"id", "jobs"}, "4"));
      sync.xgroupCreate(StreamOffset.from("stream", "0"), "group", io.lettuce.core.XGroupCreateArgs.Builder.mkstream());
      String id = sync.xadd("stream", Map.of("n", "1"));
      var read = sync.xreadgroup(io.lettuce.core.Consumer.from("group", "worker"), StreamOffset.lastConsumed("stream"));
      say("stream", read.get(0).getBody(), read.get(0).getId().equals(id), sync.xack("stream", "group", id));
      BlockingQueue<String> heard = new LinkedBlockingQueue<>();
      messages.addListener(new RedisPubSubAdapter<>() {
        @Override
        public void message(String channel, String message) {
          heard.add(channel + ":" + message);
        }
      });
      messages.sync().subscribe("news");
      say("published", sync.publish("news", "hello"), heard.poll(9, TimeUnit.SECONDS));
      var page = sync.scan(io.lettuce.core.ScanArgs.Builder.matches("*i*").limit(1000));
      say("scan", new TreeSet<>(page.getKeys()), page.isFinished());
    }
    client.shutdown(0, 1, TimeUnit.SECONDS);
  }

  private static void redissonQueues(RedissonClient client) throws Exception {
    RBlockingQueue<String> queue = client.getBlockingQueue("blocking");
    CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> {
      try {
        return queue.poll(9, TimeUnit.SECONDS);
      } catch (InterruptedException error) {
        return error.getMessage();
      }
    });
    Thread.sleep(50);
    queue.offer("job");
    say("redisson queue", waiting.get(9, TimeUnit.SECONDS), queue.size());
    queue.addAll(Arrays.asList("a", "b", "c", "d"));
    say("polled", queue.poll(2), queue.pollLastAndOfferFirstTo("elsewhere"), client.getQueue("elsewhere").readAll(), queue.readAll());
    RPriorityQueue<String> ranked = client.getPriorityQueue("priority");
    ranked.trySetComparator(Collections.reverseOrder());
    for (String word : List.of("b", "d", "a", "c")) {
      ranked.add(word);
    }
    say("priority", ranked.readAll(), ranked.poll(), ranked.poll());
    RBlockingDeque<String> target = client.getBlockingDeque("target");
    RDelayedQueue<String> delayed = client.getDelayedQueue(target);
    long start = System.nanoTime();
    delayed.offer("later", 600, TimeUnit.MILLISECONDS);
    delayed.offer("soon", 200, TimeUnit.MILLISECONDS);
    say("delayed", delayed.size(), target.poll(9, TimeUnit.SECONDS), target.poll(9, TimeUnit.SECONDS), System.nanoTime() - start >= 600_000_000L);
    delayed.destroy();
    RScoredSortedSet<String> scores = client.getScoredSortedSet("scored");
    scores.add(2, "two");
    scores.add(1, "one");
    say("scored", scores.readAll(), scores.pollFirst(), scores.addScore("two", 1.5), scores.rank("two"));
  }

  private static void redissonLocks(RedissonClient client) throws Exception {
    RLock lock = client.getLock("lock");
    lock.lock();
    CompletableFuture<Boolean> refused = CompletableFuture.supplyAsync(() -> client.getLock("lock").tryLock());
    say("lock", lock.isHeldByCurrentThread(), refused.get(9, TimeUnit.SECONDS), lock.getHoldCount());
    CompletableFuture<Boolean> waiter = CompletableFuture.supplyAsync(() -> {
      try {
        RLock same = client.getLock("lock");
        boolean taken = same.tryLock(9, 30, TimeUnit.SECONDS);
        same.unlock();
        return taken;
      } catch (InterruptedException error) {
        return false;
      }
    });
    Thread.sleep(100);
    lock.unlock();
    say("handed over", waiter.get(9, TimeUnit.SECONDS), client.getLock("lock").isLocked());
    RSemaphore permits = client.getSemaphore("permits");
    permits.trySetPermits(2);
    say("semaphore", permits.tryAcquire(), permits.tryAcquire(), permits.tryAcquire(), permits.availablePermits());
    RRateLimiter limiter = client.getRateLimiter("limiter");
    limiter.trySetRate(RateType.OVERALL, 2, java.time.Duration.ofSeconds(30));
    say("limiter", limiter.tryAcquire(), limiter.tryAcquire(), limiter.tryAcquire(), limiter.availablePermits());
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    client.getTopic("topic").addListener(String.class, (channel, message) -> heard.add(channel + ":" + message));
    say("topic", client.getTopic("topic").publish("hello"), heard.poll(9, TimeUnit.SECONDS));
    var map = client.<String, String>getMapCache("cache");
    map.put("short", "lived", 100, TimeUnit.MILLISECONDS);
    map.put("long", "lived", 1, TimeUnit.HOURS);
    until("the expiry", () -> map.get("short") == null);
    say("map cache", map.get("long"), map.remainTimeToLive("long") > 3_500_000, map.fastRemove("long"));
    say("latch", client.getCountDownLatch("latch").trySetCount(1), client.getAtomicLong("atomic").addAndGet(7), client.getBucket("b").setIfAbsent("x"));
  }

  public static void main(String[] args) throws Exception {
    try (Jedis jedis = new Jedis("127.0.0.1", PORT); Jedis other = new Jedis("127.0.0.1", PORT)) {
      jedisValues(jedis);
      jedisBatches(jedis);
      jedisBlocking(jedis, other);
      jedisMessages(jedis);
    }
    pooledJedis();
    lettuce();
    Config config = new Config();
    config.setCodec(StringCodec.INSTANCE);
    config.useSingleServer().setAddress("redis://127.0.0.1:" + PORT).setDatabase(4).setConnectionMinimumIdleSize(2);
    RedissonClient client = Redisson.create(config);
    redissonQueues(client);
    redissonLocks(client);
    client.shutdown(0, 1, TimeUnit.SECONDS);
    System.exit(0);
  }

  private App() {}
}

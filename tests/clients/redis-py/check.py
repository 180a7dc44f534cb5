"""What a redis-py user does, with both protocols; run by ./run, which says how its output is used."""

import asyncio
import os
import queue
import sys
import threading
import time

import redis
import redis.asyncio

PORT = int(os.environ["RUNG_PORT"])
TIER = 2 ** 32
DEADLINE_SECONDS = 10


def connect(protocol):
    return redis.Redis(port=PORT, protocol=protocol, decode_responses=True, socket_timeout=DEADLINE_SECONDS)


def until(condition):
    """Waits for an event that another thread or the server brings about."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.002)


def blocked(client, count):
    return lambda: client.info("clients")["blocked_clients"] == count


def values(client, say):
    client.set("plain", "value", ex=100)
    say("get", client.get("plain"), 0 < client.ttl("plain") <= 100, client.get("missing"))
    say("counter", client.incrby("counter", 5), client.incrbyfloat("float", 1.5), client.decr("counter"))
    client.hset("hash", mapping={"one": 1, "two": 2})
    say("hash", sorted(client.hgetall("hash").items()), client.hmget("hash", "two", "three"))
    client.sadd("set", "a", "b")
    say("set", sorted(client.smembers("set")), client.smismember("set", ["a", "z"]))
    client.zadd("scores", {"low": 1, "half": 2.5, "top": float("inf")})
    say("zset", client.zrange("scores", 0, -1, withscores=True), client.zscore("scores", "half"),
        client.zmscore("scores", ["low", "none"]), client.zrank("scores", "top"))
    binary = redis.Redis(port=PORT)
    blob = bytes(range(256)) * 4096
    binary.set("blob", blob)
    say("binary", binary.get("blob") == blob)
    for words in (("LPUSH", "plain", "x"), ("NOSUCH", "a"), ("GET",), ("INCR", "plain")):
        try:
            client.execute_command(*words)
            say("no error", words)
        except redis.ResponseError as error:
            say("error", words, type(error).__name__, error)


def pipelines(client, say):
    pipe = client.pipeline(transaction=False)
    for number in range(1000):
        pipe.rpush("long", number)
    say("pipeline", pipe.execute() == list(range(1, 1001)), client.llen("long"))
    pipe = client.pipeline(transaction=False).set("plain", "text").incr("plain").get("plain")
    answers = pipe.execute(raise_on_error=False)
    say("pipeline with an error", answers[0], type(answers[1]).__name__, answers[2])


def blocking(client, other, say):
    for name, wait, feed in (
            ("blpop", lambda: client.blpop(["none", "jobs"], 9), lambda: other.rpush("jobs", "job")),
            ("bzpopmin", lambda: client.bzpopmin("ranked", 9), lambda: other.zadd("ranked", {"job": 7})),
            ("blmove", lambda: client.blmove("from", "to", 9), lambda: other.rpush("from", "job")),
            ("bzmpop", lambda: client.bzmpop(9, 1, ["many"], min=True, count=2),
             lambda: other.zadd("many", {"a": 1, "b": 2}))):
        got = queue.Queue()
        waiter = threading.Thread(target=lambda wait=wait, got=got: got.put(wait()))
        waiter.start()
        until(blocked(other, 1))
        feed()
        say(name, got.get(timeout=DEADLINE_SECONDS))
        waiter.join()
    started = time.monotonic()
    say("nothing in time", client.blpop("none", 0.05), client.bzpopmin("none", 0.05), time.monotonic() - started < 2)


def transactions(client, other, say):
    with client.pipeline() as pipe:
        pipe.watch("watched")
        other.set("watched", "theirs")
        pipe.multi()
        pipe.set("watched", "mine")
        try:
            pipe.execute()
            say("watch was not seen")
        except redis.WatchError:
            say("watch conflict", client.get("watched"))
    with client.pipeline() as pipe:
        pipe.watch("watched")
        pipe.multi()
        pipe.set("watched", "mine").get("watched").lpush("watched", "x")
        answers = pipe.execute(raise_on_error=False)
        say("exec", answers[0], answers[1], type(answers[2]).__name__)


def subscriptions(client, other, say):
    with client.pubsub() as listener:
        listener.subscribe("news")
        listener.psubscribe("n*")
        events = [listener.get_message(timeout=DEADLINE_SECONDS) for _ in range(2)]
        say("receivers", other.publish("news", "hello"), other.pubsub_numsub("news"), other.pubsub_numpat())
        events += [listener.get_message(timeout=DEADLINE_SECONDS) for _ in range(2)]
        listener.unsubscribe()
        events.append(listener.get_message(timeout=DEADLINE_SECONDS))
        for event in events:
            say("event", sorted(event.items(), key=str))


def one_connection_for_all(other, say):
    """With RESP3 a connection that listens may ask and wait as well. The library hands what comes between the
    answers to the parser's handler; its own PubSub would take a connection for itself."""
    client = redis.Redis(port=PORT, protocol=3, decode_responses=True, single_connection_client=True)
    heard = []
    client.connection._parser.set_pubsub_push_handler(heard.append)
    client.connection.send_command("SUBSCRIBE", "news")  # Answered by pushes alone.
    client.connection.send_command("PSUBSCRIBE", "n*")
    say("asks while it listens", client.set("asked", 1), client.incr("asked"), other.publish("news", "one"))
    client.xgroup_create("beside", "group", id="0", mkstream=True)
    say("streams while it listens", client.xadd("beside", {"n": 1}, id="1-0"), client.publish("news", "own"),
        client.xreadgroup("group", "worker", {"beside": ">"}), client.xack("beside", "group", "1-0"))
    with client.pipeline() as pipe:
        say("transaction while it listens", pipe.incr("asked").publish("news", "queued").get("asked").execute())
    got = queue.Queue()
    waiter = threading.Thread(target=lambda: got.put(client.blpop("later", 9)))
    waiter.start()
    until(blocked(other, 1))
    say("heard while it waits", other.publish("news", "waiting"), other.rpush("later", "job"),
        got.get(timeout=DEADLINE_SECONDS))
    waiter.join()
    client.connection.send_command("UNSUBSCRIBE")
    client.connection.send_command("PUNSUBSCRIBE")
    say("and on", client.get("asked"))
    for push in heard:
        say("push", push)
    client.close()


def streams(client, say):
    client.xgroup_create("stream", "group", id="0", mkstream=True)
    say("xadd", [client.xadd("stream", {"n": n}, id=f"{n}-0") for n in (1, 2, 3)])
    say("xreadgroup", client.xreadgroup("group", "worker", {"stream": ">"}, count=2))
    say("xack", client.xack("stream", "group", "1-0"), client.xlen("stream"))
    say("pending", client.xpending("stream", "group"))
    say("rest", client.xreadgroup("group", "worker", {"stream": ">"}, block=10))
    say("nothing", client.xreadgroup("group", "worker", {"stream": ">"}, block=10) or "nothing")


def scans(client, say):
    client.mset({f"scan:{number}": number for number in range(500)})
    say("scan", len(set(client.scan_iter(match="scan:*", count=50))))
    client.zadd("wide", {f"m{number}": number for number in range(300)})
    say("zscan", len(dict(client.zscan_iter("wide"))), sum(score for _, score in set(client.zscan_iter("wide"))))
    say("scan by type", sorted(client.scan_iter(_type="zset", count=1000)))


def ranked_queue(client, say):
    """Three tiers, first come first served inside each: the pattern this broker is made for."""
    for tier, job in ((2, "c1"), (0, "a1"), (1, "b1"), (0, "a2"), (2, "c2"), (1, "b2")):
        client.zadd("prioritized", {job: tier * TIER + client.incr("prioritized:counter")})
    taken = [client.bzpopmin("prioritized", 1) for _ in range(6)]
    say("queue", [(job, int(score) // TIER, int(score) % TIER) for _, job, score in taken])


def reconnection(client, say):
    client.set("before", "restart")
    print("!restart", flush=True)
    assert sys.stdin.readline()
    for _ in range(2):  # The first use may find the dead connection.
        try:
            say("after restart", client.get("before"), client.set("after", 1))
            return
        except redis.ConnectionError:
            pass
    say("no reconnection")


async def asynchronous(protocol, say):
    client = redis.asyncio.Redis(port=PORT, protocol=protocol, decode_responses=True)
    waiting = asyncio.create_task(client.bzpopmin("later", 9))
    while (await client.info("clients"))["blocked_clients"] != 1:
        await asyncio.sleep(0.002)
    await client.zadd("later", {"job": 3})
    say("asyncio", await waiting, len(await asyncio.gather(*(client.incr("both") for _ in range(100)))))
    await client.aclose()


def main():
    for protocol in (2, 3):
        def say(*words, protocol=protocol):
            print(f"resp{protocol}", *words, flush=True)
        client, other = connect(protocol), connect(protocol)
        client.flushall()
        values(client, say)
        pipelines(client, say)
        blocking(client, other, say)
        transactions(client, other, say)
        subscriptions(client, other, say)
        if protocol == 3:
            one_connection_for_all(other, say)
        streams(client, say)
        scans(client, say)
        ranked_queue(client, say)
        asyncio.run(asynchronous(protocol, say))
        reconnection(client, say)
        client.close()
        other.close()


main()

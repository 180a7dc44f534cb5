"""What a service built on Dramatiq does; run by ./run, which says how its output is used."""

import os
import sys
import time

import tasks
from application import URL, kill, process, say, until
from dramatiq import group, pipeline
from dramatiq.results import ResultFailure
from redis import Redis

CONNECTION = Redis.from_url(URL)
WAIT_MS = 15000


def worker(queue="default", threads=4):
    return process(
        os.path.join(os.path.dirname(sys.executable), "dramatiq"),
        "tasks",
        "--processes",
        "1",
        "--threads",
        str(threads),
        "--queues",
        queue,
    )


def trace():
    words = [word.decode() for word in CONNECTION.lrange("trace", 0, -1)]
    CONNECTION.delete("trace")
    return words


def lengths():
    return [
        CONNECTION.llen("dramatiq:default"),
        CONNECTION.llen("dramatiq:default.DQ"),
        CONNECTION.zcard("dramatiq:default.XQ"),
    ]


def broker_calls():
    """The Lua dispatcher by itself: what a message's way looks like to the broker."""
    for number in range(3):
        tasks.note.send(f"n{number}")
    tasks.note.send_with_options(args=("later",), delay=60000)
    say("queued", lengths(), tasks.BROKER.do_qsize("default"), CONNECTION.hlen("dramatiq:default.msgs"))
    consumer = tasks.BROKER.consume("default", prefetch=2)
    first, second = next(consumer), next(consumer)
    say(
        "fetched",
        first.args,
        second.args,
        lengths(),
        sorted(CONNECTION.keys("dramatiq:__acks__*"))[0].endswith(b".default"),
    )
    consumer.ack(first)
    consumer.nack(second)
    say("acknowledged", lengths(), CONNECTION.hlen("dramatiq:default.msgs"), CONNECTION.zcard("dramatiq:default.XQ"))
    third = next(consumer)
    consumer.requeue([third])
    say("requeued", lengths(), next(consumer).args)
    consumer.close()
    tasks.BROKER.flush("default")
    tasks.BROKER.flush("default.DQ")
    say("flushed", lengths(), sorted(key.decode() for key in CONNECTION.keys("dramatiq:default*")))


def results():
    with worker():
        message = tasks.add.send(2, 3)
        say(
            "result",
            message.get_result(block=True, timeout=WAIT_MS),
            0 < CONNECTION.pttl(tasks.BACKEND.build_message_key(message)) <= 600000,
        )
        try:
            say("failure", tasks.fail.send().get_result(block=True, timeout=WAIT_MS))
        except ResultFailure as error:
            say("failure", str(error), error.orig_exc_type)
        say(
            "retried",
            tasks.shaky.send("tries", 2).get_result(block=True, timeout=WAIT_MS),
            CONNECTION.get("tries").decode(),
        )
        chain = pipeline([tasks.add.message(1, 2), tasks.add.message(10), tasks.add.message(100)]).run()
        say(
            "pipeline",
            chain.get_result(block=True, timeout=WAIT_MS),
            list(chain.get_results(block=True, timeout=WAIT_MS)),
        )
        many = group(tasks.add.message(number, number) for number in range(20)).run()
        say("group", list(many.get_results(block=True, timeout=WAIT_MS)), many.completed_count)
        start = time.monotonic()
        for delay in (600, 200, 400):
            tasks.note.send_with_options(args=(str(delay),), delay=delay)
        until("the delayed", lambda: CONNECTION.llen("trace") == 3)
        # Those that one poll finds due go to threads of their own: which is first depends on the moment.
        say("delayed", sorted(trace()), time.monotonic() - start >= 0.6)
        until("an empty queue", lambda: CONNECTION.hlen("dramatiq:default.msgs") == 0)
        say("nothing left", lengths(), CONNECTION.hlen("dramatiq:default.DQ.msgs"))


def priorities():
    for number in range(4):
        tasks.note.send(f"note{number}")
        tasks.urgent.send(f"urgent{number}")
    with worker(threads=1):
        until("all", lambda: CONNECTION.llen("trace") == 8)
        words = trace()
        say(
            "both in their order",
            [word for word in words if word[0] == "n"],
            [word for word in words if word[0] == "u"],
        )
        until("an empty queue", lambda: CONNECTION.hlen("dramatiq:default.msgs") == 0)


def limits():
    with tasks.ONE_AT_A_TIME.acquire(raise_on_failure=False) as first:
        with tasks.ONE_AT_A_TIME.acquire(raise_on_failure=False) as second:
            say("concurrent", first, second)
    with tasks.ONE_AT_A_TIME.acquire(raise_on_failure=False) as third:
        say("free again", third)
    taken = []
    for _ in range(5):
        with tasks.PER_WINDOW.acquire(raise_on_failure=False) as acquired:
            taken.append(acquired)
    say("window", taken)


def worker_death():
    os.environ["HEARTBEAT"] = "500"
    tasks.hang_first.send("hangs")
    with worker("fragile") as one:
        until("the message to hang", lambda: CONNECTION.get("hangs") == b"1")
        kill(one)
    say(
        "unacknowledged",
        CONNECTION.llen("dramatiq:fragile"),
        CONNECTION.hlen("dramatiq:fragile.msgs"),
        len(CONNECTION.keys("dramatiq:__acks__*.fragile")),
    )
    time.sleep(0.6)
    with worker("fragile"):
        until("the second try", lambda: CONNECTION.get("survived"))
        until("the acknowledgement", lambda: CONNECTION.hlen("dramatiq:fragile.msgs") == 0)
    say("recovered", CONNECTION.get("hangs").decode(), CONNECTION.llen("dramatiq:fragile"))


for step in (broker_calls, results, priorities, limits, worker_death):
    step()

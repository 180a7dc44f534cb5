"""What a service built on Celery does; run by ./run, which says how its output is used."""

import datetime
import os
import sys

import tasks
from application import URL, kill, process, say, until, until_nobody_waits
from celery import chain, chord, group
from redis import Redis

CONNECTION = Redis.from_url(URL)
CELERY = os.path.join(os.path.dirname(sys.executable), "celery")
WAIT_SECONDS = 20


def worker(name, queues="celery", pool="solo", more=()):
    return process(
        CELERY,
        "-A",
        "tasks",
        "worker",
        "-n",
        f"{name}@here",
        "-Q",
        queues,
        "-P",
        pool,
        "-c",
        "2",
        "-l",
        "INFO",
        "--without-gossip",
        "--without-mingle",
        *more,
    )


def trace():
    words = [word.decode() for word in CONNECTION.lrange("trace", 0, -1)]
    CONNECTION.delete("trace")
    return words


def all_acknowledged():
    until("the acknowledgements", lambda: CONNECTION.hlen("unacked") == 0)


def outcome(result):
    try:
        return result.get(timeout=WAIT_SECONDS)
    except Exception as error:  # Whatever a task raised, its text is what the user sees.
        return f"{type(error).__name__}: {error}"


def plain_tasks():
    result = tasks.add.delay(2, 3)
    say("result", outcome(result), result.state, result.successful(), result.name, result.args)
    say("failure", outcome(tasks.fail.delay("no good")), outcome(tasks.shaky.delay(2)), outcome(tasks.shaky.delay(9)))
    half = tasks.steps.delay()
    until("the progress", lambda: half.state == "HALF")
    seen = half.info
    CONNECTION.set("progress seen", 1)
    say("progress", seen, outcome(half))
    say("kept", 0 < CONNECTION.ttl("celery-task-meta-" + result.id) <= 600)
    result.forget()
    say("forgotten", CONNECTION.exists("celery-task-meta-" + result.id))
    say("unicode", outcome(tasks.note.delay("é 漢字 \x00 \r\n")), trace())


def canvas():
    say("chain", outcome(chain(tasks.add.s(1, 2), tasks.add.s(10), tasks.add.s(100))()))
    many = group(tasks.add.s(number, number) for number in range(10))()
    say("group", outcome(many), many.completed_count())
    say("chord", outcome(chord((tasks.add.s(number, 1) for number in range(20)), tasks.total.s())()))
    say(
        "chord of chains",
        outcome(chord([chain(tasks.add.s(1, 1), tasks.add.s(number)) for number in range(3)], tasks.total.s())()),
    )
    # Celery writes the result twice, first with the error of the part and then with that of the chord:
    # which one is read depends on the moment.
    failed = outcome(chord([tasks.add.s(1, 1), tasks.fail.s("odd")], tasks.total.s())())
    say("chord that fails", failed.startswith(("ChordError: Dependency", "ValueError: odd")))
    saved = group(tasks.add.s(1, 1), tasks.add.s(2, 2))()
    saved.save()
    say("restored", outcome(saved.restore(saved.id, app=tasks.app)))


def times():
    start = datetime.datetime.now(datetime.timezone.utc)
    later = tasks.note.apply_async(["eta"], eta=start + datetime.timedelta(seconds=1.0))
    soon = tasks.note.apply_async(["countdown"], countdown=0.3)
    expired = tasks.note.apply_async(["expired"], expires=start - datetime.timedelta(seconds=1))
    say(
        "eta",
        [outcome(soon), outcome(later)],
        datetime.datetime.now(datetime.timezone.utc) - start >= datetime.timedelta(seconds=1),
    )
    until("the revocation", lambda: expired.state == "REVOKED")
    say("order", trace(), expired.state)


def priorities():
    results = [
        tasks.note.apply_async([f"p{priority}{letter}"], priority=priority, queue="ranked")
        for letter in "ab"
        for priority in (9, 3, 0, 6)
    ]
    say(
        "by priority",
        sorted((key.decode().replace("\x06\x16", "|"), CONNECTION.llen(key)) for key in CONNECTION.keys("ranked*")),
    )
    with worker("ranked", "ranked"):
        for result in results:
            result.get(timeout=WAIT_SECONDS)
        all_acknowledged()
    say("order", trace())


def remote_control():
    say("ping", tasks.app.control.ping(destination=["main@here"], timeout=2))
    say("registered", sorted(tasks.app.control.inspect(["main@here"]).registered()["main@here"])[:3])
    say("queues", [queue["name"] for queue in tasks.app.control.inspect(["main@here"]).active_queues()["main@here"]])
    gone = tasks.note.apply_async(["revoked"], countdown=1)
    gone.revoke()
    until("the revocation", lambda: gone.state == "REVOKED")
    all_acknowledged()
    say("revoked", gone.state, trace())
    say(
        "rate limit",
        tasks.app.control.rate_limit("tasks.add", "100/s", reply=True, destination=["main@here"], timeout=2),
    )
    say("stats", tasks.app.control.inspect(["main@here"]).stats()["main@here"]["broker"]["transport"])


def worker_restart():
    """A worker that is told to end finishes what it holds and leaves the rest to its successor."""
    words = [f"task {number}" for number in range(8)]
    results = [tasks.slow_note.apply_async([word], queue="busy") for word in words]
    with worker("before", "busy") as one:
        until("two tasks", lambda: CONNECTION.llen("trace") >= 2)
        one.terminate()
        say("ended by itself", one.wait(WAIT_SECONDS))
    done = CONNECTION.llen("trace")
    say("the rest waits", 2 <= done < 8, CONNECTION.llen("busy") + done, CONNECTION.hlen("unacked"))
    with worker("after", "busy"):
        for result in results:
            result.get(timeout=WAIT_SECONDS)
        all_acknowledged()
    say("each once", sorted(trace()) == words, CONNECTION.llen("busy"))


def take_and_die(environment):
    """A worker that is killed while it holds a task: the task is not acknowledged."""
    CONNECTION.delete("hangs")
    result = tasks.hang_first.apply_async(["hangs"], queue="fragile")
    os.environ.update(environment)
    with worker("doomed", "fragile", pool="prefork") as one:
        until("the task to hang", lambda: CONNECTION.get("hangs") == b"1")
        until("the task to be noted", lambda: CONNECTION.hlen("unacked") >= 1)
        kill(one)
    return result


def worker_deaths():
    killed = take_and_die({"VISIBILITY": "1"})
    say(
        "unacknowledged",
        killed.state,
        CONNECTION.hlen("unacked"),
        CONNECTION.zcard("unacked_index"),
        CONNECTION.llen("fragile"),
    )
    with worker("saviour", "fragile"):
        say("recovered", outcome(killed))
        all_acknowledged()
    say("nothing left", CONNECTION.hlen("unacked"), CONNECTION.zcard("unacked_index"), CONNECTION.llen("fragile"))


with worker("main"):
    for step in (plain_tasks, canvas, times, priorities, remote_control):
        step()
until_nobody_waits(CONNECTION)
say("purged", [tasks.note.delay("x") and 1 for _ in range(3)], tasks.app.control.purge())
worker_restart()
worker_deaths()

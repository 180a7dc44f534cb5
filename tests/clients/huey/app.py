"""What a service built on Huey does, with each of its Redis storages; run by ./run."""

import os
import sys
import time

import tasks
from application import kill, process, say, until
from huey.api import chord
from huey.exceptions import TaskException
from tasks import connection, huey


def consumer(workers=2):
    return process(
        os.path.join(os.path.dirname(sys.executable), "huey_consumer"),
        "tasks.huey",
        "-w",
        str(workers),
        "-n",
        "-s",
        "1",
    )


def trace():
    words = [word.decode() for word in connection.lrange("trace", 0, -1)]
    connection.delete("trace")
    return words


def by_hand():
    """The storage itself, with no consumer in between."""
    result = tasks.add(2, 3)
    tasks.note("b")
    say("pending", len(huey.pending()), huey.pending_count(), result.get())
    say("executed", huey.execute(huey.dequeue()), result.get(), huey.result_count())
    say("revoked", [tasks.note("c").revoke(), huey.pending_count()])
    huey.flush()
    say("flushed", huey.pending_count(), huey.scheduled_count(), huey.result_count())
    say("put once", huey.put_if_empty("k", 1), huey.put_if_empty("k", 2), huey.get("k"), huey.get("k"))
    with huey.lock_task("one"):
        say("locked", huey.is_locked("one"))
    say("unlocked", huey.is_locked("one"))


def with_consumer():
    with consumer():
        say("result", tasks.add(20, 3)(blocking=True, timeout=15))
        try:
            say("failure", tasks.fail()(blocking=True, timeout=15))
        except TaskException as error:
            say("failure", str(error))
        shaky = tasks.shaky("tries", 2)
        until("the retries", lambda: connection.get("tries") == b"3")
        until("the result", lambda: ready(shaky))
        say("retried", shaky.get())
        pipe = tasks.add.s(1, 2).then(tasks.add, 10).then(tasks.add, 100)
        say("pipeline", [each.get(blocking=True, timeout=15) for each in huey.enqueue(pipe)])
        say("map", sorted(tasks.add.map([(number, number) for number in range(10)]).get(blocking=True, timeout=15)))
        joined = huey.enqueue(chord([tasks.add.s(number, 1) for number in range(3)], tasks.total.s()))
        say("chord", joined.get(blocking=True, timeout=15))
        say("locked task", tasks.locked()(blocking=True, timeout=15))
        start = time.monotonic()
        later = tasks.note.schedule(("later",), delay=1)
        gone = tasks.note.schedule(("never",), delay=2)
        gone.revoke()
        say("scheduled", later.get(blocking=True, timeout=15), time.monotonic() - start >= 0.9, gone.is_revoked())
    trace()


def ready(result):
    try:
        return result.get(preserve=True)
    except TaskException:
        return None


def priorities():
    for number in range(3):
        for priority in (1, 9, 5) if huey.storage.priority else (None,):
            tasks.note(f"p{priority}n{number}", priority=priority)
    say("order", [huey.execute(huey.dequeue()) for _ in range(huey.pending_count())])
    trace()
    huey.flush()


def killed_consumer():
    """Huey acknowledges at once: what a killed consumer held is lost, what waits is not."""
    tasks.hang("hanging")
    with consumer(1) as one:
        until("the task to hang", lambda: connection.get("hanging"))
        tasks.note("survives")
        kill(one)
    say("waiting", huey.pending_count())
    with consumer(1):
        until("the task that waited", lambda: connection.llen("trace") == 1)
    say("came through", trace(), huey.pending_count())
    connection.flushdb()


if "STORAGE" not in os.environ:
    for kind in tasks.KINDS:
        os.environ["STORAGE"] = kind
        say("storage", kind)
        if os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-B", os.path.abspath(__file__)]) != 0:
            sys.exit(1)
else:
    for step in (by_hand, with_consumer, priorities, killed_consumer):
        step()

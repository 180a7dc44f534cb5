"""What a service built on taskiq-redis does, over lists, pub/sub and streams; run by ./run."""

import asyncio
import datetime
import os
import sys
import time

import tasks
from application import URL, kill, process, say
from redis.asyncio import Redis

TASKIQ = os.path.join(os.path.dirname(sys.executable), "taskiq")
CONNECTION = Redis.from_url(URL, decode_responses=True)


def worker(kind):
    return process(TASKIQ, "worker", "tasks:broker", "--workers", "1", "--log-level", "WARNING")


async def until(what, test):
    deadline = time.monotonic() + 15
    while not (found := await test()):
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited in vain: {what}")
        await asyncio.sleep(0.02)
    return found


async def listening(kind):
    """True when the worker is there: a message on pub/sub goes to nobody otherwise."""
    if kind == "pubsub":
        return dict(await CONNECTION.pubsub_numsub("taskiq")).get("taskiq")
    return True


async def results(kind):
    with worker(kind):
        await until("the worker", lambda: listening(kind))
        handles = [await tasks.add.kiq(number, 1) for number in range(20)]
        answers = [await handle.wait_result(check_interval=0.02, timeout=15) for handle in handles]
        say("results", [answer.return_value for answer in answers], any(answer.is_err for answer in answers))
        failed = await (await tasks.fail.kiq()).wait_result(check_interval=0.02, timeout=15)
        say("failure", failed.is_err, repr(failed.error))
        labelled = await tasks.note.kicker().with_labels(colour="blue").kiq("é 漢字")
        answer = await labelled.wait_result(check_interval=0.02, timeout=15)
        say("labels", answer.return_value, answer.labels["colour"], 0 < await CONNECTION.ttl(labelled.task_id) <= 60)
        if kind == "stream":

            async def acknowledged():
                return (await CONNECTION.xpending("taskiq", "taskiq"))["pending"] == 0

            await until("the acknowledgements", acknowledged)
            say(
                "groups",
                [(group["name"], group["pending"]) for group in await CONNECTION.xinfo_groups("taskiq")],
                await CONNECTION.xlen("taskiq"),
            )
        elif kind == "list":
            say("nothing left", await CONNECTION.llen("taskiq"))


async def schedules():
    source = tasks.source
    await source.startup()
    now = datetime.datetime.now(datetime.timezone.utc)
    await tasks.note.schedule_by_time(source, now - datetime.timedelta(minutes=3), "overdue")
    await tasks.note.schedule_by_time(source, now + datetime.timedelta(hours=1), "later")
    cron = await tasks.note.schedule_by_cron(source, "* * * * *", "each minute")
    say("due", sorted((plan.task_name, plan.args[0]) for plan in await source.get_schedules()))
    say(
        "keys",
        await CONNECTION.llen("plans:cron"),
        len(await CONNECTION.keys("plans:time:*")),
        len(await CONNECTION.keys("plans:data:*")),
    )
    await source.delete_schedule(cron.schedule_id)
    say("deleted", await CONNECTION.llen("plans:cron"), len(await CONNECTION.keys("plans:data:*")))


async def worker_death():
    """Streams only: what a killed worker held is claimed by the next one."""

    async def nobody_waits():
        return (await CONNECTION.info("clients"))["blocked_clients"] == 0

    await until("the old worker to be gone", nobody_waits)
    handle = await tasks.hang_first.kiq("hangs")
    with worker("stream") as one:
        await until("the task to hang", lambda: CONNECTION.get("hangs"))
        kill(one)
    pending = await CONNECTION.xpending("taskiq", "taskiq")
    say("pending", pending["pending"], len(pending["consumers"]))
    await asyncio.sleep(0.6)
    with worker("stream"):
        await tasks.add.kiq(1, 1)  # taskiq looks for what others left behind after a message of its own.
        answer = await handle.wait_result(check_interval=0.02, timeout=15)
    say("claimed", answer.return_value, await CONNECTION.get("hangs"))


async def main(kind):
    await tasks.broker.startup()
    await results(kind)
    if kind == "stream":
        await worker_death()
    if kind == "list":
        await schedules()
    await tasks.broker.shutdown()
    await CONNECTION.flushdb()
    await CONNECTION.aclose()


if "BROKER" in os.environ:
    asyncio.run(main(os.environ["BROKER"]))
else:
    for name in tasks.KINDS:
        os.environ["BROKER"] = name
        say("broker", name)
        if os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-B", os.path.abspath(__file__)]) != 0:
            sys.exit(1)

"""What a service built on SAQ does; run by ./run, which says how its output is used."""

import asyncio
import os
import sys
import time

from application import URL, kill, process, say
from saq import CronJob, Queue, Status, Worker
from saq.queue import JobError


async def add(context, *, left, right):
    return left + right


async def note(context, *, word):
    await context["job"].queue.redis.rpush("trace", word)
    return word


async def shaky(context, *, fails):
    if context["job"].attempts <= fails:
        raise ValueError("not yet")
    return context["job"].attempts


async def fail(context):
    raise ValueError("no good")


async def slow(context):
    await context["job"].update(progress=0.5, meta={"at": "half"})
    await asyncio.sleep(60)


async def tick(context):
    await context["job"].queue.redis.incr("ticks")


async def hang_first(context):
    """Hangs the first time it runs; whoever runs it again comes through."""
    if await context["job"].queue.redis.incr("hangs") == 1:
        time.sleep(600)
    return "survived"


FUNCTIONS = [add, note, shaky, fail, slow, tick, hang_first]


async def until(what, test):
    deadline = time.monotonic() + 15
    while not (found := await test()):
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited in vain: {what}")
        await asyncio.sleep(0.02)
    return found


class Working:
    """A worker for the time of a block."""

    def __init__(self, queue, **more):
        timers = {"schedule": 1, "worker_info": 1, "sweep": 1, "abort": 1}
        self.worker = Worker(queue, FUNCTIONS, timers=timers, dequeue_timeout=0.1, **more)

    async def __aenter__(self):
        self.task = asyncio.create_task(self.worker.start())
        return self.worker

    async def __aexit__(self, *_):
        await self.worker.stop()
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


async def trace(queue):
    words = [word.decode() for word in await queue.redis.lrange("trace", 0, -1)]
    await queue.redis.delete("trace")
    return words


async def plain_jobs(queue):
    jobs = [await queue.enqueue("note", word=f"n{number}") for number in range(5)]
    keyed = await queue.enqueue("add", left=2, right=3, key="total", ttl=60)
    say("queued", await queue.count("queued"), await queue.enqueue("add", left=9, right=9, key="total"), keyed.status)
    async with Working(queue, concurrency=1):
        await keyed.refresh(until_complete=15)
        await until("all of them", lambda: has_length(queue, 5))
        say("order", await trace(queue), keyed.result, keyed.status)
        say(
            "apply",
            await queue.apply("add", left=1, right=1),
            await queue.map("add", [{"left": n, "right": n} for n in range(5)]),
        )
        try:
            await queue.apply("fail")
        except JobError as error:
            say("failed", str(error).strip().split("\n")[-1])
        say("retried", await queue.apply("shaky", fails=1, retries=5, retry_delay=0.05) >= 2)
        info = await queue.info(jobs=True)
        say("info", info["name"], info["queued"], info["active"], info["scheduled"])
        say("worker", await until("the worker's report", lambda: worker_stats(queue)))
    say(
        "kept",
        (await queue.job("total")).result,
        [job.result for job in await queue.jobs([job.key for job in jobs[1:]])],
        sorted([job.function async for job in queue.iter_jobs()])[:3],
    )


async def worker_stats(queue):
    return [sorted(worker["stats"])[:3] for worker in (await queue.info())["workers"].values() if worker["stats"]]


async def times(queue):
    start = time.time()
    for delay in (2, 1):
        await queue.enqueue("note", word=f"after {delay}", scheduled=int(start) + delay)
    say("scheduled", await queue.count("incomplete"), await queue.count("queued"))
    async with Working(queue):
        await until("both", lambda: has_length(queue, 2))
    say("order", await trace(queue), time.time() >= int(start) + 2)
    async with Working(queue, cron_jobs=[CronJob(tick, cron="* * * * * */1")]):
        await until("a tick", lambda: at_least(queue, "ticks", 1))
    say("ticked", await queue.count("active"))


async def has_length(queue, length):
    return await queue.redis.llen("trace") == length


async def at_least(queue, key, number):
    return int(await queue.redis.get(key) or 0) >= number


async def aborts(queue):
    async with Working(queue):
        job = await queue.enqueue("slow", timeout=60)

        async def halfway():
            await job.refresh()
            return job.progress == 0.5

        await until("the progress", halfway)
        say("progress", job.status, job.meta)
        await job.abort("changed my mind")
        await job.refresh(until_complete=15)
        say("aborted", job.status, job.error)
        impatient = await queue.enqueue("slow", timeout=1, retries=1)
        await impatient.refresh(until_complete=15)
        say("timed out", impatient.status in (Status.FAILED, Status.ABORTED))


async def many(queue):
    jobs = await asyncio.gather(*(queue.enqueue("note", word=str(number)) for number in range(200)))
    async with Working(queue, concurrency=20):
        await until("all", lambda: has_length(queue, 200))
        await asyncio.gather(*(job.refresh(until_complete=15) for job in jobs))
    words = await trace(queue)
    say(
        "each once", len(set(words)), await queue.count("incomplete"), {job.status for job in jobs} == {Status.COMPLETE}
    )


async def worker_death(queue):
    job = await queue.enqueue("hang_first", timeout=1, retries=9)
    with process(sys.executable, "-B", os.path.abspath(__file__), "doomed") as one:
        await until("the job to hang", lambda: at_least(queue, "hangs", 1))
        kill(one)
    await job.refresh()
    say("active", job.status, await queue.count("active"))
    async with Working(queue):
        await job.refresh(until_complete=40)
        say("recovered", job.result, job.attempts)


async def main():
    queue = Queue.from_url(URL, name="app")
    await queue.connect()
    for step in (plain_jobs, times, aborts, many, worker_death):
        await step(queue)
    await queue.disconnect()


async def doomed():
    queue = Queue.from_url(URL, name="app")
    await queue.connect()
    await Worker(queue, FUNCTIONS, dequeue_timeout=0.1).start()


asyncio.run(doomed() if sys.argv[1:] == ["doomed"] else main())

"""What a service built on arq does; run by ./run, which says how its output is used."""

import asyncio
import datetime
import os
import sys
import time

from application import PORT, kill, process, say
from arq import Retry, create_pool, cron
from arq.connections import RedisSettings
from arq.constants import health_check_key_suffix
from arq.jobs import Job
from arq.worker import Worker, run_worker

SETTINGS = RedisSettings(port=PORT)


async def add(context, left, right):
    return left + right


async def note(context, word):
    await context["redis"].rpush("trace", word)
    return word


async def shaky(context, fails):
    if context["job_try"] <= fails:
        raise Retry(defer=0.1)
    return context["job_try"]


async def fail(context):
    raise ValueError("no good")


async def slow(context):
    await asyncio.sleep(60)


async def tick(context):
    await context["redis"].incr("ticks")


async def hang_first(context):
    """Hangs the first time it runs; whoever runs it again comes through."""
    if await context["redis"].incr("hangs") == 1:
        time.sleep(600)
    return "survived"


class Fragile:
    """The settings of the worker that is killed, and of the one after it."""

    functions = [hang_first]
    redis_settings = SETTINGS
    queue_name = "fragile"
    poll_delay = 0.05
    job_timeout = 1
    health_check_interval = 1
    handle_signals = False


def worker(**more):
    return Worker(
        functions=[add, note, shaky, fail, slow],
        redis_settings=SETTINGS,
        poll_delay=0.05,
        burst=True,
        handle_signals=False,
        keep_result=60,
        **more
    )


async def trace(pool):
    words = [word.decode() for word in await pool.lrange("trace", 0, -1)]
    await pool.delete("trace")
    return words


async def plain_jobs(pool):
    jobs = [
        await pool.enqueue_job("add", 2, 3),
        await pool.enqueue_job("fail"),
        await pool.enqueue_job("shaky", 2),
        await pool.enqueue_job("note", "é 漢字 \x00", _job_id="mine"),
    ]
    say(
        "queued", await pool.zcard("arq:queue"), sorted((each.function, each.args) for each in await pool.queued_jobs())
    )
    say("same id", await pool.enqueue_job("note", "twice", _job_id="mine"))
    say("status", [(await job.status()).name for job in jobs], (await jobs[3].info()).function)
    one = worker(max_jobs=1)
    await one.main()
    say("counts", one.jobs_complete, one.jobs_failed, one.jobs_retried)
    await one.close()
    results = [
        await job.result(timeout=5) if index != 1 else str(await result_error(job)) for index, job in enumerate(jobs)
    ]
    say("results", results, [(await job.status()).name for job in jobs], (await jobs[2].result_info()).job_try)
    say(
        "kept",
        sorted((each.function, each.success) for each in await pool.all_job_results()),
        0 < await pool.pttl("arq:result:mine") <= 60000,
    )
    say("again", await pool.enqueue_job("note", "kept result", _job_id="mine"), await trace(pool))
    say("left", sorted(key.decode() for key in await pool.keys("arq:*") if not key.startswith(b"arq:result:")))


async def result_error(job):
    try:
        return await job.result(timeout=5)
    except ValueError as error:
        return error


async def times(pool):
    start = time.monotonic()
    await pool.enqueue_job("note", "second", _defer_by=0.6)
    await pool.enqueue_job(
        "note", "first", _defer_until=datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=0.3)
    )
    gone = await pool.enqueue_job("slow", _defer_by=3600)
    say("deferred", (await gone.status()).name, await pool.zcard("arq:queue"))
    say("withdrawn", await pool.zrem("arq:queue", gone.job_id), await pool.delete("arq:job:" + gone.job_id))
    one = worker()
    await one.main()
    await one.close()
    say("order", await trace(pool), time.monotonic() - start >= 0.6)


async def aborts_and_crons(pool):
    one = Worker(
        functions=[slow],
        redis_settings=SETTINGS,
        poll_delay=0.05,
        handle_signals=False,
        allow_abort_jobs=True,
        queue_name="aborts",
        cron_jobs=[cron(tick, second=set(range(60)), unique=True)],
        health_check_interval=1,
    )
    job = await pool.enqueue_job("slow", _queue_name="aborts")
    running = asyncio.create_task(one.async_run())
    job = Job(job.job_id, pool, "aborts")
    while (await job.status()).name != "in_progress":
        await asyncio.sleep(0.02)
    say("aborted", await job.abort(timeout=10))
    while int(await pool.get("ticks") or 0) < 2:
        await asyncio.sleep(0.05)
    say("healthy", b"j_complete=" in await pool.get("aborts" + health_check_key_suffix))
    await one.close()
    await asyncio.gather(running, return_exceptions=True)


async def many(pool):
    await asyncio.gather(*(pool.enqueue_job("note", str(number)) for number in range(200)))
    one = worker(max_jobs=20)
    await one.main()
    await one.close()
    words = await trace(pool)
    say("each once", len(words), len(set(words)), await pool.zcard("arq:queue"))


async def worker_death(pool):
    job = await pool.enqueue_job("hang_first", _queue_name="fragile")
    with process(sys.executable, "-B", os.path.abspath(__file__), "fragile") as one:
        while await pool.get("hangs") != b"1":
            await asyncio.sleep(0.02)
        kill(one)
    job = Job(job.job_id, pool, "fragile")
    say(
        "in progress",
        (await job.status()).name,
        await pool.zcard("fragile"),
        0 < await pool.pttl("arq:in-progress:" + job.job_id) <= 11000,
    )
    await pool.delete("arq:in-progress:" + job.job_id)
    with process(sys.executable, "-B", os.path.abspath(__file__), "fragile"):
        say("recovered", await job.result(timeout=15), (await job.result_info()).job_try)


async def main():
    pool = await create_pool(SETTINGS)
    for step in (plain_jobs, times, aborts_and_crons, many, worker_death):
        await step(pool)
    await pool.aclose()


if __name__ == "__main__":
    if sys.argv[1:] == ["fragile"]:
        asyncio.set_event_loop(asyncio.new_event_loop())
        run_worker(Fragile)
    else:
        asyncio.run(main())

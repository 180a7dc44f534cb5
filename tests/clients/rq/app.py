"""What a service built on RQ does; run by ./run, which says how its output is used."""

import datetime
import os
import signal
import sys

import jobs
from application import URL, kill, process, say, until
from redis import Redis
from rq import Callback, Queue, Repeat, Retry, Worker
from rq.command import send_kill_horse_command, send_shutdown_command
from rq.group import Group
from rq.intermediate_queue import IntermediateQueue
from rq.job import Dependency, Job
from rq.registry import clean_registries

CONNECTION = Redis.from_url(URL)
RQ = os.path.join(os.path.dirname(sys.executable), "rq")


def trace():
    words = [word.decode() for word in CONNECTION.lrange("trace", 0, -1)]
    CONNECTION.delete("trace")
    return words


def worker(*queues, more=()):
    return process(RQ, "worker", "--url", URL, *more, *queues)


def burst(*queues, more=()):
    with worker(*queues, more=("--burst", *more)) as one:
        one.wait(30)


def plain_jobs():
    queue = Queue("plain", connection=CONNECTION)
    handles = [queue.enqueue(jobs.note, f"n{number}") for number in range(5)]
    first = queue.enqueue(jobs.note, "front", at_front=True)
    total = queue.enqueue(jobs.add, 2, 3, job_id="total", description="a sum")
    failed = queue.enqueue(jobs.fail, "no good", on_failure=Callback(jobs.on_failure))
    queue.enqueue(jobs.with_meta, job_id="meta", description="described", on_success=Callback(jobs.on_success))
    say(
        "queued",
        len(queue),
        queue.get_job_position(first),
        queue.get_job_position(handles[4]),
        queue.job_ids.index("total"),
    )
    say("status", total.get_status(), [one.name for one in Queue.all(connection=CONNECTION)])
    with worker("plain") as one:
        until("the jobs", lambda: len(queue.finished_job_registry) == 8 and len(queue.failed_job_registry) == 1)
        [seen] = Worker.all(connection=CONNECTION)
        until("an idle worker", lambda: Worker.all(connection=CONNECTION)[0].get_state() == "idle")
        say("worker", seen.queue_names(), seen.pid == one.pid, Worker.count(queue=queue))
    say("order", trace())
    say(
        "results",
        total.return_value(),
        total.latest_result().type.name,
        failed.get_status(),
        failed.latest_result().exc_string.split("\n")[-2],
    )
    say("meta", Job.fetch("meta", CONNECTION).get_meta(), Job.fetch("meta", CONNECTION).return_value())
    say("callbacks", [word.decode() for word in CONNECTION.lrange("callbacks", 0, -1)])
    say("time to live", 0 < CONNECTION.ttl("rq:job:total") <= 500)
    say("requeued", queue.failed_job_registry.requeue(failed.id).get_status(), len(queue))
    queue.empty()
    queue.delete()
    say("deleted", len(queue), CONNECTION.exists("rq:queue:plain"))


def many_queues():
    low, high = Queue("low", connection=CONNECTION), Queue("high", connection=CONNECTION)
    for number in range(3):
        low.enqueue(jobs.note, f"low{number}")
        high.enqueue(jobs.note, f"high{number}")
    burst("high", "low")
    say("high first", trace())
    prepared = [Queue.prepare_data(jobs.note, [f"many{number}"], job_id=f"m{number}") for number in range(4)]
    with CONNECTION.pipeline() as pipe:
        low.enqueue_many(prepared, pipeline=pipe)
        pipe.execute()
    burst("low", more=("--max-jobs", "3"))
    say("three of four", trace(), low.job_ids)
    burst("low")
    trace()


def dependencies():
    queue = Queue("steps", connection=CONNECTION)
    last = queue.enqueue(jobs.note, "last", depends_on=[queue.enqueue(jobs.note, "a"), queue.enqueue(jobs.note, "b")])
    bad = queue.enqueue(jobs.fail, "broken")
    stuck = queue.enqueue(jobs.note, "stuck", depends_on=bad)
    anyway = queue.enqueue(jobs.note, "anyway", depends_on=Dependency(jobs=[bad], allow_failure=True))
    say("deferred", len(queue.deferred_job_registry), last.get_status())
    burst("steps")
    say("order", trace(), last.get_status(), stuck.get_status(), anyway.get_status())
    stuck.cancel()
    say("cancelled", stuck.get_status(), len(queue.canceled_job_registry))
    group = Group.create(connection=CONNECTION, name="trio")
    group.enqueue_many(queue, [Queue.prepare_data(jobs.add, [number, 1]) for number in range(3)])
    burst("steps")
    say("group", sorted(job.return_value() for job in group.get_jobs()))


def retries_and_schedule():
    queue = Queue("later", connection=CONNECTION)
    at_once = queue.enqueue(jobs.fail_once, "tries", retry=Retry(max=2))
    soon = queue.enqueue(jobs.fail_once, "tries later", retry=Retry(max=2, interval=1))
    queue.enqueue_in(datetime.timedelta(seconds=1), jobs.note, "in one")
    queue.enqueue_at(datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=5), jobs.note, "overdue")
    queue.enqueue_in(datetime.timedelta(hours=1), jobs.note, "in an hour", job_id="hour")
    queue.enqueue(jobs.note, "again", repeat=Repeat(times=1, interval=1))
    say("scheduled", len(queue.scheduled_job_registry), len(queue))
    with worker("later", more=("--with-scheduler",)):
        until("all but one", lambda: CONNECTION.llen("trace") == 4 and soon.get_status() == "finished")
    say("ran", sorted(trace()), at_once.get_status(), soon.return_value(), queue.scheduled_job_registry.get_job_ids())


def dead_workers():
    queue = Queue("fragile", connection=CONNECTION)
    queue.enqueue(jobs.hang, 60, job_id="hangs", job_timeout=1)
    burst("fragile")
    say(
        "timed out",
        Job.fetch("hangs", CONNECTION).get_status(),
        "JobTimeoutException" in Job.fetch("hangs", CONNECTION).latest_result().exc_string,
    )
    CONNECTION.delete("hanging")
    victim = queue.enqueue(jobs.hang, 60, job_id="victim", job_timeout=60)
    with worker("fragile") as one:
        until("the job to hang", lambda: CONNECTION.get("hanging"))
        kill(one)
        os_pid = int(CONNECTION.get("hanging"))
        try:
            os.kill(os_pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    say("abandoned", victim.get_status(), len(queue.started_job_registry))
    CONNECTION.zadd("rq:wip:fragile", {member: 1 for member in CONNECTION.zrange("rq:wip:fragile", 0, -1)})
    clean_registries(queue)
    say("given up", victim.get_status(), len(queue.started_job_registry), queue.failed_job_registry.get_job_ids()[-1:])
    lost = queue.enqueue(jobs.note, "lost", job_id="lost")
    say(
        "taken",
        Queue.lmove(CONNECTION, queue.key, None),
        IntermediateQueue(queue.key, CONNECTION).get_job_ids(),
        len(queue),
    )
    CONNECTION.set(IntermediateQueue(queue.key, CONNECTION).get_first_seen_key("lost"), 1000)
    IntermediateQueue(queue.key, CONNECTION).cleanup(Worker([queue], connection=CONNECTION), queue)
    say("intermediate", lost.get_status(refresh=True), IntermediateQueue(queue.key, CONNECTION).get_job_ids())


def commands():
    queue = Queue("told", connection=CONNECTION)
    CONNECTION.delete("hanging")
    job = queue.enqueue(jobs.hang, 60, job_timeout=60)
    with worker("told", more=("--name", "obedient")) as one:
        until("the job to hang", lambda: CONNECTION.get("hanging"))
        send_kill_horse_command(CONNECTION, "obedient")
        until("the horse to die", lambda: job.get_status() == "failed")
        send_shutdown_command(CONNECTION, "obedient")
        say("obeyed", job.get_status(), one.wait(15), Worker.count(connection=CONNECTION))


for step in (plain_jobs, many_queues, dependencies, retries_and_schedule, dead_workers, commands):
    step()

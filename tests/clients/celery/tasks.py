"""The Celery application: its settings and tasks."""

import os
import time

from application import URL
from celery import Celery
from celery.exceptions import Reject
from redis import Redis

app = Celery("tasks", broker=URL, backend=URL)
app.conf.update(
    broker_transport_options={
        "visibility_timeout": int(os.environ.get("VISIBILITY", "3600")),
        "unacked_restore_interval": 0.5,
        "unacked_restore_throttle": 1,
        # A worker that is killed while it restores holds the lock until then: five minutes by default.
        "unacked_mutex_expire": 1,
        "priority_steps": list(range(10)),
        "queue_order_strategy": "priority",
    },
    worker_prefetch_multiplier=1,
    task_track_started=True,
    task_acks_late=True,
    broker_connection_retry_on_startup=True,
    result_expires=600,
    result_extended=True,
)


@app.task
def add(left, right):
    return left + right


@app.task
def total(numbers):
    return sum(numbers)


@app.task
def note(word):
    Redis.from_url(URL).rpush("trace", word)
    return word


@app.task
def slow_note(word):
    Redis.from_url(URL).rpush("trace", word)
    time.sleep(0.2)


@app.task(bind=True, max_retries=3)
def shaky(self, fails):
    if self.request.retries < fails:
        raise self.retry(exc=ValueError(f"attempt {self.request.retries}"), countdown=0.1)
    return self.request.retries


@app.task
def fail(message):
    raise ValueError(message)


@app.task(bind=True)
def steps(self):
    self.update_state(state="HALF", meta={"done": 50})
    while not Redis.from_url(URL).exists("progress seen"):
        time.sleep(0.02)
    return "all"


@app.task(bind=True)
def refuse(self):
    raise Reject("not mine", requeue=False)


@app.task
def hang_first(key):
    """Hangs the first time it runs; whoever runs it again comes through."""
    connection = Redis.from_url(URL)
    if connection.incr(key) == 1:
        time.sleep(600)
    return "survived"

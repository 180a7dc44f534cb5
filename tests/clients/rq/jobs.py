"""The functions that the workers of app.py run."""

import os
import time

from application import URL
from redis import Redis
from rq import get_current_job


def add(left, right):
    return left + right


def note(word):
    """Leaves a trace, in the order in which the jobs ran."""
    Redis.from_url(URL).rpush("trace", word)
    return word


def fail(message):
    raise ValueError(message)


def fail_once(key):
    connection = Redis.from_url(URL)
    if connection.incr(key) < 2:
        raise ValueError("not yet")
    return "fine"


def with_meta():
    job = get_current_job()
    job.meta["step"] = 2
    job.save_meta()
    return job.description


def hang(seconds):
    Redis.from_url(URL).set("hanging", os.getpid())
    time.sleep(seconds)


def on_success(job, connection, result):
    connection.rpush("callbacks", f"success {result}")


def on_failure(job, connection, kind, value, trace):
    connection.rpush("callbacks", f"failure {value}")

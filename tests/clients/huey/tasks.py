"""The Huey instance of app.py and its tasks. STORAGE chooses how it keeps its queue."""

import os
import time

from application import PORT
from huey import PriorityRedisHuey, RedisExpireHuey, RedisHuey, crontab
from redis import Redis

KINDS = {"list": RedisHuey, "expire": RedisExpireHuey, "priority": PriorityRedisHuey}
huey = KINDS[os.environ.get("STORAGE", "list")]("app", host="127.0.0.1", port=PORT)
connection = Redis(port=PORT)


@huey.task()
def add(left, right):
    return left + right


@huey.task()
def total(numbers):
    return sum(numbers)


@huey.task()
def note(word):
    connection.rpush("trace", word)
    return word


@huey.task(retries=2)
def shaky(key, fails):
    if connection.incr(key) <= fails:
        raise ValueError("not yet")
    return "fine"


@huey.task()
def fail():
    raise ValueError("no good")


@huey.task()
@huey.lock_task("one")
def locked():
    return "inside"


@huey.periodic_task(crontab(minute="*"))
def each_minute():
    connection.incr("minutes")


@huey.task()
def hang(key):
    connection.set(key, os.getpid())
    time.sleep(600)

"""The Dramatiq actors that app.py sends messages to."""

import os
import time

import dramatiq
from application import URL
from dramatiq.brokers.redis import RedisBroker
from dramatiq.rate_limits import ConcurrentRateLimiter, WindowRateLimiter
from dramatiq.rate_limits.backends import RedisBackend as LimiterBackend
from dramatiq.results import Results
from dramatiq.results.backends import RedisBackend
from redis import Redis

BROKER = RedisBroker(
    url=URL,
    heartbeat_timeout=int(os.environ.get("HEARTBEAT", "60000")),
    dead_message_ttl=60000,
    maintenance_chance=1_000_000,
)
BACKEND = RedisBackend(url=URL)
BROKER.add_middleware(Results(backend=BACKEND))
dramatiq.set_broker(BROKER)
LIMITS = LimiterBackend(url=URL)
ONE_AT_A_TIME = ConcurrentRateLimiter(LIMITS, "single", limit=1)
PER_WINDOW = WindowRateLimiter(LIMITS, "window", limit=3, window=60)


@dramatiq.actor(store_results=True)
def add(left, right):
    return left + right


@dramatiq.actor(store_results=True)
def total(numbers):
    return sum(numbers)


@dramatiq.actor
def note(word):
    Redis.from_url(URL).rpush("trace", word)


@dramatiq.actor(priority=0)
def urgent(word):
    Redis.from_url(URL).rpush("trace", word)


@dramatiq.actor(max_retries=3, min_backoff=50, max_backoff=50, store_results=True)
def shaky(key, fails):
    if Redis.from_url(URL).incr(key) <= fails:
        raise ValueError("not yet")
    return "fine"


@dramatiq.actor(max_retries=0, store_results=True)
def fail():
    raise ValueError("no good")


@dramatiq.actor(queue_name="fragile")
def hang_first(key):
    """Hangs the first time it runs; whoever runs it again comes through."""
    connection = Redis.from_url(URL)
    if connection.incr(key) == 1:
        time.sleep(600)
    connection.set("survived", 1)

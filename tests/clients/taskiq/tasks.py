"""The taskiq brokers of app.py and their tasks. BROKER chooses the transport."""

import os
import time

from application import URL
from redis.asyncio import Redis
from taskiq import TaskiqScheduler
from taskiq_redis import (
    ListQueueBroker,
    ListRedisScheduleSource,
    PubSubBroker,
    RedisAsyncResultBackend,
    RedisStreamBroker,
)

KINDS = {
    "list": ListQueueBroker,
    "pubsub": PubSubBroker,
    "stream": lambda url: RedisStreamBroker(url, idle_timeout=500, unacknowledged_lock_timeout=1, xread_block=200),
}
broker = KINDS[os.environ.get("BROKER", "list")](url=URL).with_result_backend(
    RedisAsyncResultBackend(URL, result_ex_time=60)
)
source = ListRedisScheduleSource(URL, prefix="plans")
scheduler = TaskiqScheduler(broker, [source])


@broker.task
async def add(left: int, right: int) -> int:
    return left + right


@broker.task
async def note(word: str) -> str:
    async with Redis.from_url(URL) as connection:
        await connection.rpush("trace", word)
    return word


@broker.task
async def fail() -> None:
    raise ValueError("no good")


@broker.task
async def hang_first(key: str) -> str:
    """Hangs the first time it runs; whoever runs it again comes through."""
    async with Redis.from_url(URL) as connection:
        if await connection.incr(key) == 1:
            time.sleep(600)
    return "survived"

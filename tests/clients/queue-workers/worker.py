"""A worker in Python: worker.py QUEUE. Needs redis-py and nothing else.

Takes jobs until one says "stop", prints the body of each that it has done, and fails those that begin
with "bad". A lost lease shows as an error of the ACK: somebody else has the job by then.
"""

import os
import sys

import redis


def main(queue):
    broker = redis.Redis(port=int(os.environ.get("RUNG_PORT", "6379")), decode_responses=True)
    body = ""
    while body != "stop":
        taken = broker.execute_command("Q.TAKE", queue, "BLOCK", 5000, "LEASE", 30000,
                                       "WORKER", f"python-{os.getpid()}")
        if not taken:
            continue
        _, receipt, body = taken[0]
        if body.startswith("bad"):
            broker.execute_command("Q.NACK", queue, receipt, "ERR", "cannot do that")
            continue
        print(body, flush=True)
        try:
            broker.execute_command("Q.ACK", queue, receipt)
        except redis.ResponseError as error:
            print(f"{body}: {error}", file=sys.stderr)


main(sys.argv[1])

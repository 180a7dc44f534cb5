"""What a queue is bought for, told over sockets: see `run`. The broker is at $RUNG_PORT."""

import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DEADLINE_SECONDS = 60


def call(*words):
    """What redis-cli prints for one command, as lines."""
    made = subprocess.run(["redis-cli", "-p", os.environ["RUNG_PORT"], *map(str, words)], check=True,
                          stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    return made.stdout.rstrip("\n").split("\n")


def expect(what, got, expected):
    if got != expected:
        sys.exit(f"{what}: got {got!r}, expected {expected!r}")


def statistics():
    lines = call("Q.STATS", "jobs")
    return dict(zip(lines[0::2], lines[1::2], strict=False))


def wait_until(what, holds):
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            sys.exit(f"not in time: {what}; {statistics()}")


def urgent_before_bulk():
    for _ in range(5):
        call("Q.ADD", "jobs", "bulk", "PRIO", "low", "MORE", 999, *["bulk"] * 999)
    expect("waiting", statistics()["ready"], "5000")
    call("Q.ADD", "jobs", "urgent", "PRIO", "high")
    _, receipt, body = call("Q.TAKE", "jobs")
    expect("strict: next", body, "urgent")
    expect("ack", call("Q.ACK", "jobs", receipt), ["OK"])
    call("Q.CONF", "jobs", "MODE", "weighted")
    call("Q.ADD", "jobs", "urgent", "PRIO", "high")
    # 70 of 100: within ceil(100 / 70) takes.
    bodies = call("Q.TAKE", "jobs", "COUNT", 2, "NOACK")[2::3]
    expect("weighted: within its bound", "urgent" in bodies, True)
    while call("Q.CANCEL", "jobs", "STATE", "ready") != ["0"]:
        pass


def workers_share_the_work(commands):
    bodies = [f"{tier}-{i}" for i in range(20) for tier in ("high", "medium", "low")]
    for body in bodies:
        call("Q.ADD", "jobs", body, "PRIO", body.split("-")[0])
    call("Q.ADD", "jobs", "bad one", "PRIO", "high")
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    wait_until("all done, the bad one dead",
               lambda: statistics()["dead"] == "1" and statistics()["leased"] == statistics()["ready"] == "0")
    expect("the dead one's error", "cannot do that" in call("Q.GET", "jobs", dead_id()), True)
    expect("redriven", call("Q.REDRIVE", "jobs"), ["1"])
    wait_until("dead once more", lambda: statistics()["dead"] == "1")
    for _ in commands:
        call("Q.ADD", "jobs", "stop", "PRIO", "low")
    done = []
    for worker in running:
        output, _ = worker.communicate(timeout=DEADLINE_SECONDS)
        expect("a worker's exit code", worker.returncode, 0)
        done += output.split("\n")[:-1]
    expect("what was done", sorted(done), sorted(bodies + ["stop"] * len(commands)))


def dead_id():
    return call("Q.LIST", "jobs", "dead")[1]


def main():
    expect("conf", call("Q.CONF", "jobs", "TIERS", "high:70,medium:20,low:10", "TRIES", 2, "BACKOFF", "fix:0"),
           ["OK"])
    urgent_before_bulk()
    commands = [["sh", os.path.join(HERE, "worker.sh"), "jobs"]]
    for variable, script in (("QUEUE_PYTHON", "worker.py"), ("QUEUE_NODE", "worker.js")):
        if variable in os.environ:
            commands.append([*os.environ[variable].split(), os.path.join(HERE, script), "jobs"])
    workers_share_the_work(commands)
    print(f"told, with {len(commands)} workers")


main()

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


def what_is_explained_is_taken():
    for tier in ("low", "medium", "high", "high", "high"):
        call("Q.ADD", "jobs", f"{tier} one", "PRIO", tier)
    lines = call("Q.EXPLAIN", "jobs", "NEXT", 5)
    # Of each its id, tier, seq, score and the reason.
    entries = lines[lines.index("next") + 1:lines.index("idle")]
    expect("reasons", all(reason in ("share-due", "only-tier") for reason in entries[4::5]), True)
    receipts = call("Q.TAKE", "jobs", "COUNT", 5, "NOACK")[1::3]
    expect("takes", [receipt.split("-")[0] for receipt in receipts], entries[0::5])


def workers_share_the_work(commands):
    bodies = [f"{tier}-{i}" for i in range(20) for tier in ("high", "medium", "low")]
    for body in bodies:
        call("Q.ADD", "jobs", body, "PRIO", body.split("-")[0])
    call("Q.ADD", "jobs", "bad one", "PRIO", "high")
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    wait_until("all done, the bad one dead",
               lambda: statistics()["dead"] == "1" and statistics()["leased"] == statistics()["ready"] == "0")
    about = call("Q.GET", "jobs", dead_id())
    expect("the dead one's error", "cannot do that" in about, True)
    expect("it was tried again", about[about.index("failures") + 1], "2")
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


def workers():
    """The commands of those whose language is here; `run` says where it has put their libraries."""
    python, node, go = (os.environ.get(name) for name in ("QUEUE_PYTHON", "QUEUE_NODE", "QUEUE_GO"))
    found = [["sh", os.path.join(HERE, "worker.sh")]]
    if python:
        found.append([python, os.path.join(HERE, "worker.py")])
    if node:
        found.append(["env", f"NODE_PATH={node}", "node", os.path.join(HERE, "worker.js")])
    if go:
        found.append([go])
    return [[*command, "jobs"] for command in found]


def main():
    expect("conf", call("Q.CONF", "jobs", "TIERS", "high:70,medium:20,low:10", "TRIES", 2, "BACKOFF", "fix:0"),
           ["OK"])
    urgent_before_bulk()
    what_is_explained_is_taken()
    commands = workers()
    workers_share_the_work(commands)
    print(f"told, with {len(commands)} workers")


main()

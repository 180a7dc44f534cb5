"""What the Python applications of tests/clients share: telling, waiting, processes that are killed."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

PORT = int(os.environ.get("RUNG_PORT", "6379"))
URL = f"redis://127.0.0.1:{PORT}/0"
DEADLINE_SECONDS = 15


def say(*words):
    """One step, as both_servers compares them."""
    print(*(json.dumps(word, ensure_ascii=False, sort_keys=True, default=repr) for word in words), flush=True)


def until(what, test):
    """The first true value of test(), which is tried again and again. Raises when there is none in time.

    The time is counted in tries: a machine that stands still for a while takes none.
    """
    for _ in range(DEADLINE_SECONDS * 50):
        found = test()
        if found:
            return found
        time.sleep(0.02)
    raise RuntimeError(f"waited in vain: {what}")


def until_nobody_waits(connection):
    """Until the server has noticed that a killed worker's blocking call is gone: it would still take an element."""
    until("blocked clients to be gone", lambda: connection.info("clients")["blocked_clients"] == 0)


@contextlib.contextmanager
def process(*command, quiet=True):
    """A program beside this one, in a group of its own that is killed at the end."""
    output = subprocess.DEVNULL if quiet and not os.environ.get("RUNG_LOUD") else sys.stderr
    one = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
    try:
        yield one
    finally:
        kill(one)


def kill(one, how=signal.SIGKILL):
    """Ends the process and its children and waits for it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(one.pid, how)
    one.wait(DEADLINE_SECONDS)

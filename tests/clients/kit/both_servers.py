"""Runs one client program against the broker ($RUNGD) and against redis-server; both must tell the same.

The program finds the port in $RUNG_PORT and prints what it observes, one line a step: those lines are
compared. A line "!restart" asks for the server to be stopped and started again, empty, on the same
port; the program goes on when it reads a line. Without a redis-server only the broker is asked.
"""

import concurrent.futures
import contextlib
import difflib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import packages

DEADLINE_SECONDS = 20
PROGRAM_SECONDS = 120


def node_application(program, steps, timeout=PROGRAM_SECONDS, source="app.js"):
    """The test of the Node.js program `source` beside `program`, with what its package-lock.json pins."""
    folder = os.path.dirname(os.path.abspath(program))
    return run(["node", os.path.join(folder, source)], {"NODE_PATH": packages.node_modules(folder)}, steps, timeout)


def python_application(program, steps, timeout=PROGRAM_SECONDS, source="app.py"):
    """The test of the Python program `source` beside `program`, with what its requirements.txt pins."""
    folder = os.path.dirname(os.path.abspath(program))
    return run([packages.python_with(folder), "-B", os.path.join(folder, source)],
               {"PYTHONPATH": folder + ":" + packages.KIT, "PYTHONDONTWRITEBYTECODE": "1"}, steps, timeout)


def go_application(program, steps, source="app.go"):
    """The test of the Go program `source` beside `program`, with what its go.sum pins."""
    return run([packages.go_program(os.path.dirname(os.path.abspath(program)), source)], steps=steps)


def rust_application(program, steps):
    """The test of the crate beside `program`, with what its Cargo.lock pins."""
    return run([packages.rust_program(os.path.dirname(os.path.abspath(program)))], steps=steps)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(64) == b"+PONG\r\n"
    except OSError:
        return False


class Server:
    """One server on a port of its own, in an empty folder that goes with it."""

    def __init__(self, binary):
        self.binary = binary
        self.folder = tempfile.mkdtemp(prefix="client-test.")
        self.log = open(os.path.join(self.folder, "log"), "w+", encoding="utf-8", errors="replace")
        self.port = free_port()
        self.process = None

    def start(self):
        command = [self.binary, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder, "--save", ""]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not answers(self.port):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the server did not start; its log:\n" + self.tail())
            time.sleep(0.02)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            raise RuntimeError("the server did not end after SIGTERM; its log:\n" + self.tail()) from None
        if code != 0:
            raise RuntimeError(f"the server ended with {code}; its log:\n{self.tail()}")

    def restart(self):
        self.stop()
        self.start()

    def tail(self):
        self.log.seek(0)
        return self.log.read()[-4000:]

    def discard(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def observe(server, command, environment, timeout):
    """What the program printed beside the server. Raises RuntimeError when either fails."""
    server.start()
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                               env={**os.environ, **environment, "RUNG_PORT": str(server.port)})
    guard = threading.Timer(timeout, program.kill)
    guard.start()
    seen = []
    try:
        for line in program.stdout:
            if line.rstrip() == "!restart":
                server.restart()
                with contextlib.suppress(BrokenPipeError):
                    program.stdin.write("up\n")
                    program.stdin.flush()
            else:
                seen.append(line.rstrip("\n"))
        code = program.wait()
    finally:
        guard.cancel()
        program.kill()
    if code != 0:
        raise RuntimeError(f"the program ended with {code} after\n" + "\n".join(seen[-20:]))
    server.stop()
    return seen


def reference_server():
    """redis-server, or None. `./dev` leaves one in build/tools where the package has none in the path."""
    return shutil.which("redis-server", path=os.environ["PATH"] + ":" + os.path.join(packages.ROOT, "build/tools"))


def _run_beside(binary, command, environment, timeout):
    """What the program saw of a server of its own, and None; or None and what went wrong."""
    server = Server(binary)
    started = time.monotonic()
    try:
        seen = observe(server, command, environment, timeout)
    except RuntimeError as error:
        return None, f"{binary}: {error}"
    finally:
        server.discard()
    print(f"{binary}: {len(seen)} steps in {time.monotonic() - started:.1f} s")
    return seen, None


def run(command, environment=None, steps=1, timeout=PROGRAM_SECONDS):
    """The exit code of the test: 0 when the program succeeds with both and its `steps` or more lines agree.

    The two run beside each other: such programs mostly wait.
    """
    binaries = [binary for binary in (os.environ["RUNGD"], reference_server()) if binary]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda binary: _run_beside(binary, command, environment or {}, timeout), binaries))
    failures = [failure for _, failure in results if failure]
    if failures:
        print("\n".join(failures))
        return 1
    seen = [lines for lines, _ in results]
    if seen[0] != seen[-1]:
        print("\n".join(difflib.unified_diff(seen[-1], seen[0], binaries[-1], binaries[0], lineterm="")))
        return 1
    if len(seen[0]) < steps:
        print(f"only {len(seen[0])} steps of {steps}")
        return 1
    return 0

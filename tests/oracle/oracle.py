"""Two servers side by side, redis-server and rungd: the same requests to both, replies compared.

A test of this kind draws requests from a seed, so that a difference can be had again. What Rung
answers otherwise on purpose (docs/differences.md) must not be drawn, or be named in `same`.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time


def encode(request):
    words = [word if isinstance(word, bytes) else str(word).encode() for word in request]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


class Server:
    """A server of one's own on a Unix socket, with one connection to it."""

    def __init__(self, command, folder, name):
        path = os.path.join(folder, name + ".sock")
        log = os.path.join(folder, name + ".log")
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                command + ["--port", "0", "--unixsocket", path, "--dir", folder, "--save", ""],
                stdout=output, stderr=output)
        self.socket = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + 20
        while True:
            try:
                self.socket.connect(path)
                break
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    with open(log, encoding="utf-8", errors="replace") as text:
                        raise SystemExit(f"{name} did not start: {text.read()}")
                time.sleep(0.01)
        self.input = self.socket.makefile("rb")

    def send(self, requests):
        self.socket.sendall(b"".join(encode(request) for request in requests))

    def reply(self):
        """The next reply, as its bytes."""
        line = self.input.readline()
        if not line:
            raise SystemExit("a server has closed its connection")
        kind, head = line[:1], line[1:-2]
        if kind in b"$=" and head != b"-1":
            return line + self.input.read(int(head) + 2)
        if kind in b"*~>%" and head != b"-1":
            count = int(head) * (2 if kind == b"%" else 1)
            return line + b"".join(self.reply() for _ in range(count))
        return line

    def stop(self):
        self.socket.close()
        self.process.kill()
        self.process.wait()


def compare(requests, protocol, same=lambda reply: reply, batch=50):
    """Sends all requests to both, prints the first differences; returns how many there are."""
    with tempfile.TemporaryDirectory() as folder:
        redis = Server(["redis-server"], folder, "redis")
        try:
            rung = Server([os.environ["RUNGD"]], folder, "rung")
            try:
                return compare_with(redis, rung, [["HELLO", protocol]] + list(requests), same, batch)
            finally:
                rung.stop()
        finally:
            redis.stop()


def compare_with(redis, rung, requests, same, batch):
    differences = 0
    for start in range(0, len(requests), batch):
        part = requests[start:start + batch]
        redis.send(part)
        rung.send(part)
        for request in part:
            expected, got = redis.reply(), rung.reply()
            if request[0] == "HELLO" or same(expected) == same(got):
                continue
            differences += 1
            if differences <= 10:
                print(f"{request}\n  redis {expected[:400]}\n  rung  {got[:400]}")
    return differences


def skip_without_redis():
    if shutil.which("redis-server") is None:
        print("skipped: no redis-server")
        sys.exit(77)

"""What somebody at a terminal does with redis-cli; run by ./run, which says how its output is used."""

import os
import pty
import re
import select
import subprocess
import sys
import termios
import time

CLI = ["redis-cli", "-p", os.environ["RUNG_PORT"]]
DEADLINE_SECONDS = 10
COLOUR = re.compile(r"\x1b\[[\d;]*m")


def cli(*words, text=None):
    """What redis-cli prints, and its exit code when that is not 0."""
    done = subprocess.run([*CLI, *words], input=text, capture_output=True, text=True, check=False,
                          timeout=DEADLINE_SECONDS)
    return done.stdout + done.stderr + (f"(exit code {done.returncode})" if done.returncode else "")


def say(name, text):
    for line in text.splitlines() or [""]:
        print(f"{name}: {line}", flush=True)


class Terminal:
    """A redis-cli that runs on a terminal of its own until it is closed."""

    def __init__(self, *words):
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (24, 160))
        environment = {**os.environ, "TERM": "xterm", "HOME": "/nonexistent", "REDISCLI_HISTFILE": "/dev/null"}
        self.process = subprocess.Popen([*CLI, *words], stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        self.seen = ""

    def type(self, text):
        os.write(self.master, text.encode())

    def until(self, pattern):
        """Reads on until `pattern` has been printed. Returns its match."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not (match := re.search(pattern, self.seen)):
            ready = select.select([self.master], [], [], max(0, deadline - time.monotonic()))[0]
            assert ready, f"{pattern} did not come, but {self.seen!r}"
            self.seen = COLOUR.sub("", self.seen + os.read(self.master, 65536).decode(errors="replace"))
        self.seen = self.seen[match.end():]
        return match

    def enter(self, text):
        """Types a line where the prompt stands; what is typed before that is lost."""
        self.until("> ")
        self.type(text + "\r")

    def close(self):
        alive = self.process.poll() is None
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        return alive


def fill():
    words = [["SET", f"text:{number}", "x" * number] for number in range(200)]
    words += [["RPUSH", "list", *map(str, range(50))], ["SADD", "set", "a", "b", "c"], ["HSET", "hash", "f", "v"],
              ["ZADD", "ranked", "1", "a", "2", "b"], ["XADD", "stream", "1-1", "f", "v"]]
    # By the thousand, as the mode is meant to be used: the protocol itself on standard input.
    words += [["INCR", "piped"]] * 5000
    protocol = "".join(f"*{len(each)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in each) for each in words)
    say("--pipe", cli("--pipe", text=protocol))
    say("--pipe with errors", cli("--pipe", text="*2\r\n$4\r\nINCR\r\n$4\r\nlist\r\n"))


def scans():
    say("--scan", "\n".join(sorted(cli("--scan").split())))
    say("--scan --pattern", "\n".join(sorted(cli("--scan", "--pattern", "text:1?", "--count", "5").split())))


def summaries():
    """--bigkeys and --memkeys print as they go, in the order of SCAN, which is each server's own."""
    for mode in ("--bigkeys", "--memkeys"):
        text = cli(mode)
        say(mode, text.split("-------- summary -------")[0].split("\n\n")[0])
        kept = []
        for line in text.split("-------- summary -------")[1].splitlines():
            if mode == "--memkeys":  # How many bytes a key takes is each server's own, too.
                line = re.sub(r"\d+(\.\d+)? bytes|avg size \d+\.\d+|Biggest +(\w+) found.*|, \d+%", "", line)
            kept.append(line)
        say(mode, "\n".join(sorted(kept)))


def watching():
    """The modes that go on until they are stopped."""
    stat = Terminal("--stat", "-i", "0.05")
    stat.until(r"keys +mem +clients +blocked +requests +connections")
    for _ in range(2):
        row = stat.until(r"(\d+) +(\d+\.\d+[KMG]) +(\d+) +(\d+) +(\d+) \(\+\d+\) +(\d+)")
        say("--stat", f"{row[1]} keys, {row[4]} blocked, clients: {row[3] != '0'}")
    say("--stat", f"alive {stat.close()}")
    latency = Terminal("--latency", "-i", "1")
    latency.until(r"min: \d+, max: \d+, avg: \d+\.\d+ \(\d+ samples\)")
    say("--latency", f"alive {latency.close()}")
    say("--latency --raw", str(bool(re.fullmatch(r"\d+ \d+ \d+\.\d+ [1-9]\d*\n",
                                                 cli("--raw", "--latency", "-i", "0.1")))))


def monitor():
    watcher = Terminal("MONITOR")
    watcher.until("OK")
    cli("SET", "seen", 'a "quoted"\nvalue')
    cli("-n", "3", "GET", "seen")
    for command in ("set", "get"):
        line = watcher.until(r'\d+\.\d{6} \[(\d+) 127\.0\.0\.1:\d+\] ("(?i:' + command + r').*)\r\n')
        say("MONITOR", f"[{line[1]}] {line[2]}")
    say("MONITOR", f"alive {watcher.close()}")


def hints():
    """What is typed on the terminal, with the hints that redis-cli makes of COMMAND DOCS and of its own table."""
    shell = Terminal()
    shell.until("> ")
    shell.type("zadd ranked 3 ")
    shell.until("member")
    shell.type("c\r")
    say("typed", shell.until(r"\(integer\) \d+|\(error\)[^\r]*")[0])
    for typed, answer in (("get text:3", '"xxx"'), ("help bzpopmin", r"BZPOPMIN key \[key \.\.\.\] timeout"),
                          ("select 2", "OK"), ("multi", "OK"), ("ping", "QUEUED"), ("exec", "PONG"),
                          ("nosuch", r"\(error\) ERR unknown command 'nosuch'")):
        shell.enter(typed)
        say("typed", f"{typed}: {shell.until(answer)[0]}")
    shell.enter("subscribe news")
    shell.until('1\\) "subscribe"')
    cli("PUBLISH", "news", "hello")
    say("typed", shell.until('3\\) "hello"')[0])
    say("typed", f"alive {shell.close()}")
    docs = cli("COMMAND", "DOCS")
    say("COMMAND DOCS", f"{'summary' in docs} {'arguments' in docs} {'bzpopmin' in docs}")


def plain():
    say("-3", cli("-3", "ZRANGE", "ranked", "0", "-1", "WITHSCORES"))
    say("-3", cli("-3", "HGETALL", "hash"))
    say("--json", cli("--json", "HGETALL", "hash"))
    say("--csv", cli("--csv", "LRANGE", "list", "0", "3"))
    say("-x", cli("-x", "SET", "from-input", text="typed") + cli("GET", "from-input"))
    say("-r", cli("-r", "3", "-i", "0.01", "INCR", "repeated"))
    say("-n", cli("-n", "5", "DBSIZE"))
    say("-e", cli("-e", "LPUSH", "text:1", "x"))
    say("lines", cli(text="SET a 1\nINCR a\nGET a\n"))
    say("restart", cli("GET", "text:3"))
    print("!restart", flush=True)
    assert sys.stdin.readline()
    say("restart", cli("GET", "text:3"))


def queue():
    """Three tiers, first come first served inside each: the pattern this broker is made for."""
    for tier, job in ((2, "c1"), (0, "a1"), (1, "b1"), (0, "a2"), (2, "c2"), (1, "b2")):
        ticket = int(cli("INCR", "prioritized:counter"))
        cli("ZADD", "prioritized", str(tier * 2 ** 32 + ticket), job)
    for _ in range(6):
        say("queue", cli("BZPOPMIN", "prioritized", "1"))


def main():
    fill()
    scans()
    summaries()
    watching()
    monitor()
    hints()
    queue()
    plain()


main()
